/* spans.c - conversion between UTF-8 bytes and UTF-16 code units, and GPT-2's pre-tokenization.
 *
 * GPT-2's pre-tokenizer matches this regular expression, whose alternatives are tried in order:
 *
 *     's 't 're 've 'm 'll 'd  |   ?letters  |   ?numbers  |   ?neither, nor white space  |  \s+(?!\S)  |  \s+
 *
 * where ` ?` is an optional space. The last alternative but one leaves the last white space character before a word, so
 * that a space can begin that word. The caller passes the class of each character below U+40000 in a table; above it
 * there are no letters, numbers or white space.
 */
#include <stdbool.h>

#include "../glassformer.h"
#include "utf8.h"

enum { OTHER = 0, LETTER = 1, NUMBER = 2, SPACE = 3, END = 4 };
/* A word that ends this many bytes before the end of the window does not depend on later text. */
enum { LOOKAHEAD = 8 };

typedef struct {
  const uint8_t *classes, *text;
  int bytes;
} splitter;

/* The class of the character at byte i, and the byte after it. */
static int class_at(const splitter *c, int i, int *next) {
  if (i >= c->bytes) return END;
  gf_code_point p = gf_utf8_next(c->text + i, c->bytes - i);
  *next = i + p.bytes;
  return p.code < GF_CLASSES ? c->classes[p.code] : OTHER;
}

/* Bytes of a contraction at byte i, or 0. */
static int contraction(const splitter *c, int i) {
  const uint8_t *t = c->text + i;
  int left = c->bytes - i;
  if (left < 2 || t[0] != '\'') return 0;
  if (t[1] == 's' || t[1] == 't' || t[1] == 'm' || t[1] == 'd') return 2;
  bool two = left > 2 && ((t[1] == 'l' && t[2] == 'l') || ((t[1] == 'v' || t[1] == 'r') && t[2] == 'e'));
  return two ? 3 : 0;
}

/* The end of the word that begins at byte i. */
static int word_end(const splitter *c, int i) {
  int contracted = contraction(c, i), next = i;
  if (contracted) return i + contracted;
  int class = class_at(c, c->text[i] == ' ' ? i + 1 : i, &next), at = next, last = i;
  if (class < SPACE) {
    while (class_at(c, at, &next) == class) at = next;
    return at;
  }
  for (at = i; class_at(c, at, &next) == SPACE; at = next) last = at;
  return at < c->bytes && last > i ? last : at;
}

int gf_cut(int32_t *ends, const uint8_t *classes, const uint8_t *text, int bytes, int room, int flags) {
  splitter c = {classes, text, bytes};
  int count = 0, limit = flags & GF_TEXT_END ? bytes : bytes - LOOKAHEAD;
  for (int at = 0; at < limit && count < room;) {
    at = word_end(&c, at);
    if (at > limit) break;
    ends[count++] = at;
  }
  return count;
}

/* Spans ----------------------------------------------------------------------------------------------------------- */

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
