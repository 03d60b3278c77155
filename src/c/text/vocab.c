/* vocab.c - counting and sorting distinct tokens.
 *
 * A hash table with open addressing: slots h, h + 1, h + 2 ... (mod its size, a power of two) are probed until the
 * token or an empty slot is found; the table doubles when it is two thirds full. Tokens are compared as bytes: the
 * order of UTF-8 bytes is the order of code points, in which Python compares strings.
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "../glassformer.h"
#include "utf8.h"

typedef struct {
  size_t start; /* its bytes in the arena */
  int32_t bytes;
  int32_t count;
  uint32_t hash;
} entry;

struct gf_vocab {
  entry *entries; /* [entry_room], of which the first size are used, in the order of first appearance */
  int32_t size, entry_room;
  int32_t *slots; /* [slot_room] ids, or -1 */
  int32_t slot_room;
  uint32_t seed;
  uint8_t *arena; /* the concatenated bytes of all tokens */
  size_t arena_size, arena_room;
};

enum { FIRST_SLOTS = 1024 };

gf_vocab *gf_vocab_new(uint32_t seed) {
  gf_vocab *v = calloc(1, sizeof *v);
  if (!v) return NULL;
  v->slots = malloc(FIRST_SLOTS * sizeof *v->slots);
  if (!v->slots) {
    free(v);
    return NULL;
  }
  v->slot_room = FIRST_SLOTS;
  v->seed = seed;
  memset(v->slots, -1, FIRST_SLOTS * sizeof *v->slots);
  return v;
}

void gf_vocab_free(gf_vocab *v) {
  if (!v) return;
  free(v->entries);
  free(v->slots);
  free(v->arena);
  free(v);
}

/* FNV-1a with a seed, and a final mixing so that the low bits depend on all bytes. */
static uint32_t hash_of(uint32_t seed, const uint8_t *token, int32_t bytes) {
  uint32_t h = 2166136261u ^ seed;
  for (int32_t i = 0; i < bytes; i++) h = (h ^ token[i]) * 16777619u;
  return h ^ h >> 15;
}

/* The slot of a token, or the empty slot for it. */
static int32_t find(const gf_vocab *v, const uint8_t *token, int32_t bytes, uint32_t hash) {
  int32_t mask = v->slot_room - 1, slot = (int32_t)(hash & (uint32_t)mask);
  for (;; slot = (slot + 1) & mask) {
    if (v->slots[slot] < 0) return slot;
    const entry *e = &v->entries[v->slots[slot]];
    if (e->hash == hash && e->bytes == bytes && !memcmp(v->arena + e->start, token, (size_t)bytes)) return slot;
  }
}

static bool grow_slots(gf_vocab *v) {
  if (v->slot_room > INT32_MAX / 4) return false;
  int32_t room = v->slot_room * 2;
  int32_t *slots = malloc((size_t)room * sizeof *slots);
  if (!slots) return false;
  memset(slots, -1, (size_t)room * sizeof *slots);
  for (int32_t id = 0; id < v->size; id++) {
    int32_t slot = (int32_t)(v->entries[id].hash & (uint32_t)(room - 1));
    while (slots[slot] >= 0) slot = (slot + 1) & (room - 1);
    slots[slot] = id;
  }
  free(v->slots);
  v->slots = slots;
  v->slot_room = room;
  return true;
}

/* Makes room for one more token; returns false and changes nothing if out of memory. */
static bool reserve(gf_vocab *v, int32_t bytes) {
  if (v->size == v->entry_room) {
    int32_t room = v->entry_room ? v->entry_room * 2 : FIRST_SLOTS / 2;
    entry *entries = realloc(v->entries, (size_t)room * sizeof *entries);
    if (!entries) return false;
    v->entries = entries;
    v->entry_room = room;
  }
  if (v->arena_room - v->arena_size <= (size_t)bytes) {
    size_t room = (v->arena_size + (size_t)bytes + FIRST_SLOTS) * 2;
    uint8_t *arena = realloc(v->arena, room);
    if (!arena) return false;
    v->arena = arena;
    v->arena_room = room;
  }
  return v->size < v->slot_room / 3 * 2 || grow_slots(v);
}

/* Counts a token; returns its id, or -1 if out of memory. */
static int32_t add(gf_vocab *v, const uint8_t *token, int32_t bytes) {
  uint32_t hash = hash_of(v->seed, token, bytes);
  int32_t slot = find(v, token, bytes, hash);
  if (v->slots[slot] >= 0) {
    v->entries[v->slots[slot]].count++;
    return v->slots[slot];
  }
  int32_t slots = v->slot_room;
  if (!reserve(v, bytes)) return -1;
  if (v->slot_room != slots) slot = find(v, token, bytes, hash);
  memcpy(v->arena + v->arena_size, token, (size_t)bytes);
  v->entries[v->size] = (entry){v->arena_size, bytes, 1, hash};
  v->arena_size += (size_t)bytes;
  v->slots[slot] = v->size;
  return v->size++;
}

int gf_vocab_add(int32_t *ids, gf_vocab *v, const uint8_t *text, int bytes, const int32_t *utf16_lengths, int n) {
  int at = 0;
  for (int k = 0; k < n; k++) {
    int start = at;
    if (at > bytes) return GF_BAD_INPUT;
    for (int32_t left = utf16_lengths[k]; left > 0;) {
      if (at >= bytes) return GF_BAD_INPUT;
      gf_code_point p = gf_utf8_decode(text + at, bytes - at);
      at += p.bytes;
      left -= gf_utf16_units(p.code);
    }
    ids[k] = add(v, text + start, at - start);
    if (ids[k] < 0) return GF_NO_MEMORY;
    at++; /* the separator byte after the token */
  }
  return v->size;
}

/* Order ----------------------------------------------------------------------------------------------------------- */

typedef struct {
  uint64_t prefix; /* the first 8 bytes as a big-endian number, padded with 0 */
  int32_t count, id;
} ranked;

static uint64_t prefix_of(const uint8_t *token, int32_t bytes) {
  uint64_t prefix = 0;
  for (int32_t i = 0; i < 8; i++) prefix = prefix << 8 | (i < bytes ? token[i] : 0);
  return prefix;
}

/* Whether a comes before b: by descending count, then by bytes, a prefix before longer tokens. */
static bool precedes(const gf_vocab *v, const ranked *a, const ranked *b) {
  if (a->count != b->count) return a->count > b->count;
  if (a->prefix != b->prefix) return a->prefix < b->prefix;
  const entry *left = &v->entries[a->id], *right = &v->entries[b->id];
  size_t shorter = (size_t)(left->bytes < right->bytes ? left->bytes : right->bytes);
  int difference = memcmp(v->arena + left->start, v->arena + right->start, shorter);
  return difference ? difference < 0 : left->bytes < right->bytes;
}

/* Merges from[start..middle) and from[middle..end), each in order, into to[start..end). */
static void merge(const gf_vocab *v, ranked *to, const ranked *from, int32_t start, int32_t middle, int32_t end) {
  int32_t left = start, right = middle;
  for (int32_t k = start; k < end; k++) {
    bool take_left = right == end || (left < middle && !precedes(v, &from[right], &from[left]));
    to[k] = from[take_left ? left++ : right++];
  }
}

/* Merge sort of all [n] with the buffer other [n]. Returns the array that holds the result. */
static ranked *sort(const gf_vocab *v, ranked *all, ranked *other, int32_t n) {
  for (int64_t run = 1; run < n; run *= 2) {
    for (int64_t start = 0; start < n; start += 2 * run) {
      int64_t middle = start + run < n ? start + run : n, end = start + 2 * run < n ? start + 2 * run : n;
      merge(v, other, all, (int32_t)start, (int32_t)middle, (int32_t)end);
    }
    ranked *swap = all;
    all = other;
    other = swap;
  }
  return all;
}

int gf_vocab_order(int32_t *order, int32_t *counts, const gf_vocab *v, int sorted) {
  int32_t n = v->size;
  ranked *all = malloc(((size_t)n * 2 + 1) * sizeof *all);
  if (!all) return GF_NO_MEMORY;
  for (int32_t id = 0; id < n; id++) {
    const entry *e = &v->entries[id];
    all[id] = (ranked){prefix_of(v->arena + e->start, e->bytes), e->count, id};
  }
  const ranked *result = sorted ? sort(v, all, all + n, n) : all;
  for (int32_t k = 0; k < n; k++) {
    order[k] = result[k].id;
    counts[k] = result[k].count;
  }
  free(all);
  return n;
}
