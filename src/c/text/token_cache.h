/* token_cache.h - a cache of recent tokens.
 *
 * Most words of a text are repeated, and creating a JavaScript string for each token takes most of a caller's time.
 * With the cache, a caller can reuse the string that it stored in the same slot before. A token's slot is given by its
 * hash; a slot holds the last token that had it.
 *
 * A token of up to 24 bytes is compared as three 64-bit numbers: its first 8 bytes, its last 8 (which may overlap), and
 * bytes 8 to 15 if it has more than 16. With the length, these determine the token, so no copy is needed.
 */
#ifndef GF_TEXT_RECENT_H
#define GF_TEXT_RECENT_H

#include <string.h>

#include "../glassformer.h"

_Static_assert(sizeof(gf_token_slot) == GF_TOKEN_SLOT_BYTES, "callers allocate slots of this size");

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

static inline gf_token_slot gf_token_key(const uint8_t *token, int bytes) {
  uint64_t n = (uint64_t)bytes;
  if (bytes >= 8)
    return (gf_token_slot){gf_load64(token), gf_load64(token + n - 8), n > 16 ? gf_load64(token + 8) : 0, n};
  if (bytes >= 4) return (gf_token_slot){gf_load32(token), gf_load32(token + n - 4), 0, n};
  return (gf_token_slot){token[0], token[n / 2], token[n - 1], n};
}

/* The slot (1 .. GF_TOKEN_SLOTS) of a cached token, minus its slot if it was not cached before, 0 if it is too long. */
static inline int gf_token_find(gf_token_slot *cache, const uint8_t *token, int bytes) {
  if (!cache || bytes > 24) return 0;
  gf_token_slot r = gf_token_key(token, bytes);
  uint64_t hash = (r.first + r.bytes) * 0x9E3779B97F4A7C15u ^ r.last * 0xC2B2AE3D27D4EB4Fu ^ r.middle;
  int slot = (int)((hash ^ hash >> 29) * 0x9E3779B97F4A7C15u >> 32) & (GF_TOKEN_SLOTS - 1);
  gf_token_slot *stored = &cache[slot];
  if (stored->first == r.first && stored->last == r.last && stored->middle == r.middle && stored->bytes == r.bytes)
    return slot + 1;
  *stored = r;
  return -1 - slot;
}

static inline void gf_token_forget(gf_token_slot *cache, int slot) { cache[slot - 1].bytes = 0; }

#endif
