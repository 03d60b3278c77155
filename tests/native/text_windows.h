/* text_windows.h - what a caller of gf_words and gf_whitespace does, with checks of what the manual promises.
 * Every buffer has exactly the size the manual asks for, so that a sanitizer sees the first byte too many. */
#ifndef TEXT_WINDOWS_H
#define TEXT_WINDOWS_H

#include "require.h"

typedef int kernel(int32_t *, int32_t *, gf_token_slot *, const uint8_t *, int, int, int);

typedef struct {
  int32_t (*spans)[2]; /* [count], from the beginning of the text; the caller frees it */
  int count;
  int units;
} tokens;

static void *exactly(const void *from, size_t bytes) {
  void *copy = malloc(bytes ? bytes : 1);
  REQUIRE(copy);
  if (bytes) memcpy(copy, from, bytes);
  return copy;
}

/* Adds the spans of one window, with the token that is in each place kept in `kept` as its span. */
static void collect(tokens *all, int32_t (*kept)[2], const int32_t *spans, int count, int units) {
  int32_t last = 0;
  for (int k = 0; k < count; k++) {
    int32_t start = spans[3 * k], end = spans[3 * k + 1], place = spans[3 * k + 2];
    REQUIRE(start >= last);
    if (end >= 0) {
      REQUIRE(end > start && end <= units);
      last = end;
    } else {
      REQUIRE(end >= GF_TOKEN_CLOSING_QUOTE && start < units && place == 0);
      last = start + 1;
    }
    REQUIRE(place >= -GF_TOKEN_SLOTS && place <= GF_TOKEN_SLOTS);
    int32_t *span = all->spans[all->count++];
    span[0] = all->units + start;
    span[1] = end < 0 ? end : all->units + end;
    if (place < 0) memcpy(kept[-place], span, sizeof kept[0]);
    if (place > 0) REQUIRE(kept[place][1] - kept[place][0] == end - start);
  }
}

/* All tokens of a text given in windows of `window` bytes with room for `room` tokens, more when the kernel asks. */
static tokens run(kernel *scan, const uint8_t *text, int bytes, int window, int room, int flags, int with_places) {
  tokens all = {malloc(sizeof *all.spans * ((size_t)bytes + 1)), 0, 0};
  int32_t(*kept)[2] = calloc(GF_TOKEN_SLOTS + 1, sizeof *kept);
  gf_token_slot *cache = with_places ? calloc(GF_TOKEN_SLOTS, sizeof *cache) : NULL;
  for (int from = 0; from < bytes || bytes == 0;) {
    int n = bytes - from < window ? bytes - from : window;
    uint8_t *part = exactly(text + from, (size_t)n);
    int32_t *spans = malloc(sizeof *spans * 3 * (size_t)room + 1);
    int32_t done[3];
    int part_flags = flags | (from == 0 ? GF_TEXT_START : 0) | (from + n == bytes ? GF_TEXT_END : 0);
    int count = scan(spans, done, cache, part, n, room, part_flags);
    REQUIRE(count >= 0 && count <= room);
    REQUIRE(done[0] >= 0 && done[0] <= n && done[1] >= 0 && done[1] <= n);
    REQUIRE((done[2] == GF_TEXT_DONE) == (from + n == bytes && done[0] == n) || n == 0);
    collect(&all, kept, spans, count, done[1]);
    all.units += done[1];
    from += done[0];
    if (done[0] == 0 && done[2] == GF_TEXT_NEEDS_TEXT) window *= 2;
    if (done[0] == 0 && done[2] == GF_TEXT_NEEDS_ROOM) room = room * 2 + 1;
    free(part);
    free(spans);
    if (bytes == 0) break;
  }
  free(kept);
  free(cache);
  return all;
}

static int same(const tokens *a, const tokens *b) {
  return a->count == b->count && a->units == b->units &&
         !memcmp(a->spans, b->spans, sizeof *a->spans * (size_t)a->count);
}

#endif
