/* bpe.c - byte-pair encoding by a list of merges (Sennrich et al. 2016).
 *
 *     symbols = the bytes (or characters) of a word
 *     while an adjacent pair is in the list: merge the pair of the lowest rank, the leftmost one first
 *
 * A short word is scanned for each merge. For a long word, the symbols form a linked list and a heap holds the pairs
 * that can be merged, ordered by (rank, position); a pair that no longer exists when it is popped is skipped. This
 * takes O(n log n), even for a megabyte of one letter. Both give the same symbols.
 *
 * Most words of a text are repeated, so the tokens of short words are cached: 32768 slots, chosen by a hash of the
 * word, each with the last word that had it. The cache is allocated for the first long text.
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "pieces.h"
#include "token_cache.h"

typedef struct {
  int32_t left, right, rank, merged; /* merged is -1 in a free slot */
} merge;

enum { CACHE_SLOTS = 32768, MIN_CACHED_WORDS = 512, MAX_CACHED_BYTES = 24, MAX_SHORT = 48, NO_RANK = INT32_MAX };

typedef struct {
  uint64_t first, last, middle;                 /* as in gf_token_slot */
  uint8_t bytes, count, ends[MAX_CACHED_BYTES]; /* bytes 0: empty */
  int32_t ids[MAX_CACHED_BYTES];
} cached_word;

typedef struct {
  int32_t rank, at, left, right, merged;
} candidate;

struct gf_bpe {
  merge *merges; /* [mask + 1]: a hash table by left and right, at most half full */
  uint32_t mask;
  uint64_t left_factor, right_factor;
  int32_t byte_ids[256];
  const gf_pieces *whole_words;       /* words that are tokens regardless of the merges; may be NULL */
  cached_word *cache;                 /* [CACHE_SLOTS] or NULL */
  int32_t *symbols, *next, *previous; /* [room]: the linked list of a long word */
  candidate *heap;                    /* [3 room] */
  int32_t room, heap_size;
};

static uint32_t slot_of(const gf_bpe *b, int32_t left, int32_t right) {
  uint64_t hash = (uint32_t)left * b->left_factor + (uint32_t)right * b->right_factor;
  uint32_t slot = (uint32_t)(hash >> 32) & b->mask;
  while (b->merges[slot].merged >= 0 && (b->merges[slot].left != left || b->merges[slot].right != right))
    slot = (slot + 1) & b->mask;
  return slot;
}

static merge find_merge(const gf_bpe *b, int32_t left, int32_t right) { return b->merges[slot_of(b, left, right)]; }

void gf_bpe_free(gf_bpe *b) {
  if (!b) return;
  free(b->merges);
  free(b->cache);
  free(b->symbols);
  free(b->next);
  free(b->previous);
  free(b->heap);
  free(b);
}

gf_bpe *gf_bpe_new(const int32_t *byte_ids, const int32_t *merges, int n, const gf_pieces *whole_words, uint32_t seed) {
  gf_bpe *b = calloc(1, sizeof *b);
  if (!b) return NULL;
  uint32_t slots = 4;
  while (slots < (uint32_t)n * 2) slots *= 2;
  b->mask = slots - 1;
  b->left_factor = gf_hash_factor(seed);
  b->right_factor = gf_hash_factor(~seed);
  b->merges = malloc(slots * sizeof *b->merges);
  if (!b->merges) {
    gf_bpe_free(b);
    return NULL;
  }
  memset(b->merges, -1, slots * sizeof *b->merges);
  for (int k = 0; k < n; k++) {
    merge m;
    memcpy(&m, merges + (size_t)4 * (size_t)k, sizeof m);
    b->merges[slot_of(b, m.left, m.right)] = m;
  }
  memcpy(b->byte_ids, byte_ids, sizeof b->byte_ids);
  b->whole_words = whole_words;
  return b;
}

/* Short words ----------------------------------------------------------------------------------------------------- */

/* Looks up the rank and the merged symbol of pair i. */
static void look_up_pair(const gf_bpe *b, const int32_t *ids, int i, int32_t *ranks, int32_t *merged) {
  merge m = find_merge(b, ids[i], ids[i + 1]);
  ranks[i] = m.merged < 0 ? NO_RANK : m.rank;
  merged[i] = m.merged;
}

/* Merges ids [n] with ends [n]; returns how many remain. n <= MAX_SHORT. */
static int merge_short(const gf_bpe *b, int32_t *ids, int32_t *ends, int n) {
  int32_t ranks[MAX_SHORT], merged[MAX_SHORT];
  for (int i = 0; i + 1 < n; i++) look_up_pair(b, ids, i, ranks, merged);
  for (;;) {
    int best = -1, lowest = NO_RANK;
    for (int i = 0; i + 1 < n; i++) {
      if (ranks[i] < lowest) {
        lowest = ranks[i];
        best = i;
      }
    }
    if (best < 0) return n;
    ids[best] = merged[best];
    n--;
    for (int i = best + 1; i < n; i++) {
      ids[i] = ids[i + 1];
      ranks[i] = ranks[i + 1];
      merged[i] = merged[i + 1];
    }
    for (int i = best; i < n; i++) ends[i] = ends[i + 1];
    if (best > 0) look_up_pair(b, ids, best - 1, ranks, merged);
    if (best + 1 < n) look_up_pair(b, ids, best, ranks, merged);
  }
}

/* Long words ------------------------------------------------------------------------------------------------------ */

static bool comes_first(const candidate *a, const candidate *b) {
  return a->rank != b->rank ? a->rank < b->rank : a->at < b->at;
}

static void heap_push(gf_bpe *b, candidate w) {
  int32_t k = b->heap_size++;
  for (; k > 0 && comes_first(&w, &b->heap[(k - 1) / 2]); k = (k - 1) / 2) b->heap[k] = b->heap[(k - 1) / 2];
  b->heap[k] = w;
}

static candidate heap_pop(gf_bpe *b) {
  candidate top = b->heap[0], last = b->heap[--b->heap_size];
  int32_t k = 0;
  for (;;) {
    int32_t child = 2 * k + 1;
    if (child >= b->heap_size) break;
    if (child + 1 < b->heap_size && comes_first(&b->heap[child + 1], &b->heap[child])) child++;
    if (!comes_first(&b->heap[child], &last)) break;
    b->heap[k] = b->heap[child];
    k = child;
  }
  b->heap[k] = last;
  return top;
}

/* Pushes the pair that begins at symbol `at` to the heap, if it can be merged. */
static void push_pair(gf_bpe *b, int32_t at) {
  if (at < 0 || b->next[at] < 0) return;
  int32_t left = b->symbols[at], right = b->symbols[b->next[at]];
  merge m = find_merge(b, left, right);
  if (m.merged >= 0) heap_push(b, (candidate){m.rank, at, left, right, m.merged});
}

static bool make_room(gf_bpe *b, int n) {
  if (n <= b->room) return true;
  free(b->symbols);
  free(b->next);
  free(b->previous);
  free(b->heap);
  b->room = 0;
  b->symbols = malloc((size_t)n * sizeof *b->symbols);
  b->next = malloc((size_t)n * sizeof *b->next);
  b->previous = malloc((size_t)n * sizeof *b->previous);
  b->heap = malloc((size_t)n * 3 * sizeof *b->heap);
  if (!b->symbols || !b->next || !b->previous || !b->heap) return false;
  b->room = n;
  return true;
}

/* As merge_short for any n; -1 if out of memory. Each merge pops one pair and pushes at most two, and there are fewer
 * merges than symbols, so the heap needs at most 3 n entries. */
static int merge_long(gf_bpe *b, int32_t *ids, int32_t *ends, int n) {
  if (!make_room(b, n)) return -1;
  for (int i = 0; i < n; i++) {
    b->symbols[i] = ids[i];
    b->next[i] = i + 1 < n ? i + 1 : -1;
    b->previous[i] = i - 1;
  }
  b->heap_size = 0;
  for (int i = 0; i + 1 < n; i++) push_pair(b, i);
  while (b->heap_size) {
    candidate w = heap_pop(b);
    int32_t right = b->next[w.at];
    if (b->symbols[w.at] != w.left || right < 0 || b->symbols[right] != w.right) continue;
    b->symbols[w.at] = w.merged;
    b->symbols[right] = -2; /* merged: no pair in the heap begins with it */
    ends[w.at] = ends[right];
    b->next[w.at] = b->next[right];
    if (b->next[right] >= 0) b->previous[b->next[right]] = w.at;
    b->next[right] = -1;
    push_pair(b, b->previous[w.at]);
    push_pair(b, w.at);
  }
  int count = 0;
  for (int32_t i = 0; i >= 0; i = b->next[i], count++) {
    ids[count] = b->symbols[i];
    ends[count] = ends[i];
  }
  return count;
}

static int merge_symbols(gf_bpe *b, int32_t *ids, int32_t *ends, int n) {
  return n <= MAX_SHORT ? merge_short(b, ids, ends, n) : merge_long(b, ids, ends, n);
}

int gf_bpe_symbols(int32_t *ids, int32_t *ends, gf_bpe *b, const int32_t *symbols, const int32_t *words, int n) {
  int count = 0, at = 0;
  for (int k = 0; k < n; k++) {
    int from = count, length = words[k] - at;
    for (int i = 0; i < length; i++) {
      ids[from + i] = symbols[at + i];
      ends[from + i] = at + i + 1;
    }
    int remaining = merge_symbols(b, ids + from, ends + from, length);
    if (remaining < 0) return GF_NO_MEMORY;
    count += remaining;
    at = words[k];
  }
  return count;
}

/* Bytes ----------------------------------------------------------------------------------------------------------- */

static cached_word *cache_slot(gf_bpe *b, const gf_token_slot *r) {
  uint64_t hash = (r->first + r->bytes) * 0x9E3779B97F4A7C15u ^ r->last * 0xC2B2AE3D27D4EB4Fu ^ r->middle;
  return &b->cache[(hash ^ hash >> 29) * 0x9E3779B97F4A7C15u >> 32 & (CACHE_SLOTS - 1)];
}

static int32_t find_whole_word(const gf_bpe *b, const uint8_t *word, int bytes) {
  int32_t node = GF_PIECES_START;
  for (int i = 0; i < bytes; i++)
    if (!(node = gf_pieces_step(b->whole_words, node, word[i]))) return -1;
  return b->whole_words->ids[node];
}

/* Encodes a word: writes ids and their ends from the start of the word. Returns their number, -1 if out of memory. */
static int encode_word(gf_bpe *b, int32_t *ids, int32_t *ends, const uint8_t *word, int bytes) {
  int32_t id = b->whole_words ? find_whole_word(b, word, bytes) : -1;
  if (id >= 0) {
    ids[0] = id;
    ends[0] = bytes;
    return 1;
  }
  for (int i = 0; i < bytes; i++) {
    ids[i] = b->byte_ids[word[i]];
    ends[i] = i + 1;
  }
  return merge_symbols(b, ids, ends, bytes);
}

/* As encode_word, with the cache. */
static int encode_cached_word(gf_bpe *b, int32_t *ids, int32_t *ends, const uint8_t *word, int bytes) {
  if (!b->cache || bytes > MAX_CACHED_BYTES) return encode_word(b, ids, ends, word, bytes);
  gf_token_slot r = gf_token_key(word, bytes);
  cached_word *slot = cache_slot(b, &r);
  if (slot->bytes == r.bytes && slot->first == r.first && slot->last == r.last && slot->middle == r.middle) {
    for (int i = 0; i < slot->count; i++) {
      ids[i] = slot->ids[i];
      ends[i] = slot->ends[i];
    }
    return slot->count;
  }
  int count = encode_word(b, ids, ends, word, bytes);
  if (count < 0) return count;
  slot->first = r.first;
  slot->last = r.last;
  slot->middle = r.middle;
  slot->bytes = (uint8_t)bytes;
  slot->count = (uint8_t)count;
  for (int i = 0; i < count; i++) {
    slot->ids[i] = ids[i];
    slot->ends[i] = (uint8_t)ends[i];
  }
  return count;
}

int gf_bpe_bytes(int32_t *ids, int32_t *ends, gf_bpe *b, const uint8_t *text, const int32_t *words, int n) {
  int count = 0, at = 0;
  if (!b->cache && n >= MIN_CACHED_WORDS) b->cache = calloc(CACHE_SLOTS, sizeof *b->cache);
  for (int k = 0; k < n; k++) {
    if (words[k] == at) continue;
    int found = encode_cached_word(b, ids + count, ends + count, text + at, words[k] - at);
    if (found < 0) return GF_NO_MEMORY;
    for (int i = 0; i < found; i++) ends[count + i] += at;
    count += found;
    at = words[k];
  }
  return count;
}
