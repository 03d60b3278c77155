/* recent.h - recognising tokens that were met before.
 *
 * Most words of a text are repeated. A caller that makes an object of every token (a JavaScript string) saves most of
 * its time when it is told "the same as the one you put in place 17". The table is a cache: each token has one place,
 * given by its hash, and the last token there wins.
 *
 * A token of up to 24 bytes is compared as three 64-bit numbers: its first 8 bytes, its last 8 (which may overlap), and
 * bytes 8 to 15 when there are more than 16. With the length they determine it; no copy of the token is needed.
 */
#ifndef GF_TEXT_RECENT_H
#define GF_TEXT_RECENT_H

#include <string.h>

#include "../glassformer.h"

_Static_assert(sizeof(gf_recent) == GF_RECENT_BYTES, "callers allocate places by this size");

static inline uint64_t gf_load64(const uint8_t *p) {
  uint64_t x;
  memcpy(&x, p, sizeof x);
  return x;
}

static inline uint64_t gf_load32(const uint8_t *p) {
  uint32_t x;
  memcpy(&x, p, sizeof x);
  return x;
}

static inline gf_recent gf_recent_of(const uint8_t *token, int bytes) {
  uint64_t n = (uint64_t)bytes;
  if (bytes >= 8) return (gf_recent){gf_load64(token), gf_load64(token + n - 8), n > 16 ? gf_load64(token + 8) : 0, n};
  if (bytes >= 4) return (gf_recent){gf_load32(token), gf_load32(token + n - 4), 0, n};
  return (gf_recent){token[0], token[n / 2], token[n - 1], n};
}

/* The place (1 .. GF_RECENT_PLACES) of a token met before, minus its place when it is new there, 0 when it has none. */
static inline int gf_recall(gf_recent *recent, const uint8_t *token, int bytes) {
  if (!recent || bytes > 24) return 0;
  gf_recent r = gf_recent_of(token, bytes);
  uint64_t hash = (r.first + r.bytes) * 0x9E3779B97F4A7C15u ^ r.last * 0xC2B2AE3D27D4EB4Fu ^ r.middle;
  int place = (int)((hash ^ hash >> 29) * 0x9E3779B97F4A7C15u >> 32) & (GF_RECENT_PLACES - 1);
  gf_recent *known = &recent[place];
  if (known->first == r.first && known->last == r.last && known->middle == r.middle && known->bytes == r.bytes)
    return place + 1;
  *known = r;
  return -1 - place;
}

static inline void gf_forget(gf_recent *recent, int place) { recent[place - 1].bytes = 0; }

#endif
