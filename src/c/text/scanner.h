/* scanner.h - a cursor over one window of a text that collects tokens as spans of UTF-16 code units.
 *
 * A long text is scanned window by window. The tokens of the last word of a window may depend on the text after it, so
 * unless the window ends the text, the scanner rewinds to the last white space character, where the next window begins.
 * `safe_*` store that position; the scanner also rewinds to it when it runs out of room for spans or of text to look
 * ahead.
 */
#ifndef GF_TEXT_SCANNER_H
#define GF_TEXT_SCANNER_H

#include <stdbool.h>

#include "token_cache.h"

typedef struct {
  const uint8_t *text;
  int bytes, flags;
  int at, unit;         /* the cursor, in bytes and in UTF-16 units */
  int token_at, token;  /* the start of the open token, likewise; token is -1 if none is open */
  int32_t *spans;       /* [room,3] */
  gf_token_slot *cache; /* [GF_TOKEN_SLOTS] or NULL */
  int room, count;
  int safe_at, safe_unit, safe_count;
  int stop; /* a gf_text_stop */
} gf_scanner;

static inline gf_scanner gf_scan(int32_t *spans, gf_token_slot *cache, const uint8_t *text, int bytes, int room,
                                 int flags) {
  return (gf_scanner){
      .text = text, .bytes = bytes, .flags = flags, .token = -1, .spans = spans, .cache = cache, .room = room};
}

/* Writes the token text[at] .. text[at + bytes - 1], or if bytes is 0, a token that is not in the text. */
static inline void gf_scan_emit(gf_scanner *s, int start, int end, int at, int bytes) {
  if (s->count == s->room) {
    s->stop = GF_TEXT_NEEDS_ROOM;
    return;
  }
  int32_t *span = s->spans + (size_t)3 * (size_t)s->count++;
  span[0] = start;
  span[1] = end;
  span[2] = bytes ? gf_token_find(s->cache, s->text + at, bytes) : 0;
}

/* Advances past characters, which continue the open token or open one. */
static inline void gf_scan_advance(gf_scanner *s, int bytes, int units) {
  if (s->token < 0) {
    s->token = s->unit;
    s->token_at = s->at;
  }
  s->at += bytes;
  s->unit += units;
}

/* Ends the open token, if any, before the cursor. */
static inline void gf_scan_end_token(gf_scanner *s) {
  if (s->token < 0) return;
  int bytes = s->at - s->token_at;
  uint8_t c = s->text[s->token_at];
  bool is_punctuation = bytes == 1 && (c == ',' || c == '?' || c == '!' || c == '.');
  if (!(is_punctuation && (s->flags & GF_TEXT_DROP_PUNCTUATION)))
    gf_scan_emit(s, s->token, s->unit, s->token_at, bytes);
  s->token = -1;
}

/* Advances past one white space character, the position to rewind to. */
static inline void gf_scan_space(gf_scanner *s, int bytes) {
  gf_scan_end_token(s);
  if (s->stop) return;
  s->safe_at = s->at;
  s->safe_unit = s->unit;
  s->safe_count = s->count;
  s->at += bytes;
  s->unit++;
}

/* Discards the tokens after the safe position. The caller never sees them, so they must leave the cache. */
static inline void gf_scan_rewind(gf_scanner *s) {
  for (; s->count > s->safe_count; s->count--) {
    int slot = s->spans[3 * s->count - 1];
    if (slot < 0) gf_token_forget(s->cache, -slot);
  }
  s->at = s->safe_at;
  s->unit = s->safe_unit;
}

/* Writes done [3] and returns the number of spans. */
static inline int gf_scan_finish(gf_scanner *s, int32_t *done) {
  if (!s->stop) {
    if (s->flags & GF_TEXT_END) gf_scan_end_token(s);
    else s->stop = GF_TEXT_NEEDS_TEXT;
  }
  if (s->stop) gf_scan_rewind(s);
  done[0] = s->at;
  done[1] = s->unit;
  done[2] = s->stop;
  return s->count;
}

#endif
