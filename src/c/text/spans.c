/* spans.c - between bytes of UTF-8 and UTF-16 code units, and cutting a text before byte-pair encoding sees it.
 *
 * GPT-2's rule, a regular expression that is tried at every place in this order:
 *
 *     's 't 're 've 'm 'll 'd  |   ?letters  |   ?numbers  |   ?neither, nor white space  |  \s+(?!\S)  |  \s+
 *
 * where ` ?` is one space or none. The last but one gives back the last character of white space before a word, so that
 * a space can begin that word. What is a letter, a number or white space the caller says, in a table of all characters
 * below U+40000; there are none above it.
 */
#include <stdbool.h>

#include "../glassformer.h"
#include "utf8.h"

enum { OTHER = 0, LETTER = 1, NUMBER = 2, SPACE = 3, END = 4 };
enum { LOOKED_AT = 8 }; /* a piece that ends so many bytes before the window does not depend on what follows it */

typedef struct {
  const uint8_t *classes, *text;
  int bytes;
} cutter;

/* The class of the character at byte i, and the byte after it. */
static int class_at(const cutter *c, int i, int *next) {
  if (i >= c->bytes) return END;
  gf_code_point p = gf_utf8_next(c->text + i, c->bytes - i);
  *next = i + p.bytes;
  return p.code < GF_CLASSES ? c->classes[p.code] : OTHER;
}

/* Bytes of a contraction at byte i, or 0. */
static int contraction(const cutter *c, int i) {
  const uint8_t *t = c->text + i;
  int left = c->bytes - i;
  if (left < 2 || t[0] != '\'') return 0;
  if (t[1] == 's' || t[1] == 't' || t[1] == 'm' || t[1] == 'd') return 2;
  bool two = left > 2 && ((t[1] == 'l' && t[2] == 'l') || ((t[1] == 'v' || t[1] == 'r') && t[2] == 'e'));
  return two ? 3 : 0;
}

/* The end of the piece that begins at byte i. */
static int piece_end(const cutter *c, int i) {
  int shortened = contraction(c, i), next = i;
  if (shortened) return i + shortened;
  int class = class_at(c, c->text[i] == ' ' ? i + 1 : i, &next), at = next, last = i;
  if (class < SPACE) {
    while (class_at(c, at, &next) == class) at = next;
    return at;
  }
  for (at = i; class_at(c, at, &next) == SPACE; at = next) last = at;
  return at < c->bytes && last > i ? last : at;
}

int gf_cut(int32_t *ends, const uint8_t *classes, const uint8_t *text, int bytes, int room, int flags) {
  cutter c = {classes, text, bytes};
  int count = 0, known = flags & GF_TEXT_END ? bytes : bytes - LOOKED_AT;
  for (int at = 0; at < known && count < room;) {
    at = piece_end(&c, at);
    if (at > known) break;
    ends[count++] = at;
  }
  return count;
}

/* Places ---------------------------------------------------------------------------------------------------------- */

typedef struct {
  int end;      /* in bytes */
  int from, to; /* in UTF-16 units */
} character;

static void step(character *c, const uint8_t *text, int bytes) {
  c->from = c->to;
  gf_code_point p = gf_utf8_next(text + c->end, bytes - c->end);
  c->end += p.bytes;
  c->to += gf_utf16_units(p.code);
}

void gf_byte_ends(int32_t *ends, int n, const uint8_t *text, int bytes) {
  character c = {0};
  for (int k = 0; k < n; k++) {
    while (c.to < ends[k] && c.end < bytes) step(&c, text, bytes);
    ends[k] = c.end;
  }
}

int gf_unit_spans(int32_t *spans, const int32_t *ends, int n, const uint8_t *text, int bytes) {
  character c = {0};
  int begin = 0;
  for (int k = 0; k < n; k++) {
    while (c.end <= begin && c.end < bytes) step(&c, text, bytes);
    spans[2 * k] = begin < c.end ? c.from : c.to;
    while (c.end < ends[k] && c.end < bytes) step(&c, text, bytes);
    spans[2 * k + 1] = ends[k] > begin ? c.to : spans[2 * k];
    begin = ends[k];
  }
  return c.to;
}
