/* scanner.h - a cursor over one window of a text that collects tokens as spans of UTF-16 code units.
 *
 * A long text is scanned window by window. What a tokenizer decides in the last word of a window may depend on what
 * follows it, so unless the window ends the text, everything from the last white space on is given back: the next
 * window begins with that white space character. `safe_*` remember that place; running out of room for spans, or of
 * text to look ahead at, goes back to it as well.
 */
#ifndef GF_TEXT_SCANNER_H
#define GF_TEXT_SCANNER_H

#include <stdbool.h>

#include "recent.h"

typedef struct {
  const uint8_t *text;
  int bytes, flags;
  int at, unit;        /* the cursor, in bytes and in UTF-16 units */
  int token_at, token; /* where the open token began, likewise; token is -1 when none is open */
  int32_t *spans;      /* [room,3] */
  gf_recent *recent;   /* [GF_RECENT_PLACES] or NULL */
  int room, count;
  int safe_at, safe_unit, safe_count;
  int stop; /* a gf_text_stop */
} gf_scanner;

static inline gf_scanner gf_scan(int32_t *spans, gf_recent *recent, const uint8_t *text, int bytes, int room,
                                 int flags) {
  return (gf_scanner){
      .text = text, .bytes = bytes, .flags = flags, .token = -1, .spans = spans, .recent = recent, .room = room};
}

/* Writes a token that is text[at] .. text[at + bytes - 1], or, without bytes, one that is not in the text. */
static inline void gf_scan_emit(gf_scanner *s, int start, int end, int at, int bytes) {
  if (s->count == s->room) {
    s->stop = GF_TEXT_NEEDS_ROOM;
    return;
  }
  int32_t *span = s->spans + (size_t)3 * (size_t)s->count++;
  span[0] = start;
  span[1] = end;
  span[2] = bytes ? gf_recall(s->recent, s->text + at, bytes) : 0;
}

/* Moves past characters, which open a token or continue the open one. */
static inline void gf_scan_take(gf_scanner *s, int bytes, int units) {
  if (s->token < 0) {
    s->token = s->unit;
    s->token_at = s->at;
  }
  s->at += bytes;
  s->unit += units;
}

/* Ends the open token, if there is one, before the cursor. */
static inline void gf_scan_cut(gf_scanner *s) {
  if (s->token < 0) return;
  int bytes = s->at - s->token_at;
  uint8_t c = s->text[s->token_at];
  bool mark = bytes == 1 && (c == ',' || c == '?' || c == '!' || c == '.');
  if (!(mark && (s->flags & GF_TEXT_DROP_PUNCTUATION))) gf_scan_emit(s, s->token, s->unit, s->token_at, bytes);
  s->token = -1;
}

/* Moves past one character of white space: the place to come back to. */
static inline void gf_scan_space(gf_scanner *s, int bytes) {
  gf_scan_cut(s);
  if (s->stop) return;
  s->safe_at = s->at;
  s->safe_unit = s->unit;
  s->safe_count = s->count;
  s->at += bytes;
  s->unit++;
}

/* Takes the tokens after the safe place back. The caller will not see them, so it cannot be told of them again. */
static inline void gf_scan_go_back(gf_scanner *s) {
  for (; s->count > s->safe_count; s->count--) {
    int place = s->spans[3 * s->count - 1];
    if (place < 0) gf_forget(s->recent, -place);
  }
  s->at = s->safe_at;
  s->unit = s->safe_unit;
}

/* Writes done [3] and returns the number of spans. */
static inline int gf_scan_finish(gf_scanner *s, int32_t *done) {
  if (!s->stop) {
    if (s->flags & GF_TEXT_END) gf_scan_cut(s);
    else s->stop = GF_TEXT_NEEDS_TEXT;
  }
  if (s->stop) gf_scan_go_back(s);
  done[0] = s->at;
  done[1] = s->unit;
  done[2] = s->stop;
  return s->count;
}

#endif
