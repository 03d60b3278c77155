/* bpe.c - byte-pair encoding: joining neighbours by a list of merges (Sennrich et al. 2016).
 *
 *     symbols = the bytes (or characters) of a word
 *     while two neighbours are in the list: join those that stand first in it, the leftmost of them first
 *
 * A short word is searched from end to end for each merge. In a long one every pair that may be joined waits in a heap,
 * ordered by (rank, place), and the symbols form a linked list; a pair that is gone by the time it comes up is passed
 * over. That is n log n, so a megabyte of one letter is no trap. Both give the same symbols.
 *
 * Most words of a text are repeated, so short words are looked up among those met before: 32768 places, each given by
 * a hash of the word, where the last word wins. A tokenizer that sees only short texts does without.
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "pieces.h"
#include "recent.h"

typedef struct {
  int32_t left, right, rank, made; /* made is -1 in a free slot */
} merge;

enum { PLACES = 32768, WORTH_PLACES = 512, KEPT = 24, SHORT = 48, NEVER = INT32_MAX };

typedef struct {
  uint64_t first, last, middle;     /* as in gf_recent */
  uint8_t bytes, count, ends[KEPT]; /* bytes 0: nothing is kept here */
  int32_t ids[KEPT];
} kept_word;

typedef struct {
  int32_t rank, at, left, right, made;
} waiting;

struct gf_bpe {
  merge *merges; /* a hash table by left and right: [mask + 1], at most half of them used */
  uint32_t mask;
  uint64_t left_factor, right_factor;
  int32_t of_byte[256];
  const gf_pieces *whole;           /* words that are one piece, whatever the merges say; or NULL */
  kept_word *kept;                  /* [PLACES], or NULL */
  int32_t *symbols, *next, *before; /* [room]: a long word */
  waiting *heap;                    /* [2 room] */
  int32_t room, heap_size;
};

static uint32_t slot_of(const gf_bpe *b, int32_t left, int32_t right) {
  uint64_t hash = (uint32_t)left * b->left_factor + (uint32_t)right * b->right_factor;
  uint32_t slot = (uint32_t)(hash >> 32) & b->mask;
  while (b->merges[slot].made >= 0 && (b->merges[slot].left != left || b->merges[slot].right != right))
    slot = (slot + 1) & b->mask;
  return slot;
}

static merge merge_of(const gf_bpe *b, int32_t left, int32_t right) { return b->merges[slot_of(b, left, right)]; }

void gf_bpe_free(gf_bpe *b) {
  if (!b) return;
  free(b->merges);
  free(b->kept);
  free(b->symbols);
  free(b->next);
  free(b->before);
  free(b->heap);
  free(b);
}

gf_bpe *gf_bpe_new(const int32_t *of_byte, const int32_t *merges, int n, const gf_pieces *whole, uint32_t seed) {
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
    uint32_t slot = slot_of(b, m.left, m.right);
    if (b->merges[slot].made < 0) b->merges[slot] = m;
  }
  memcpy(b->of_byte, of_byte, sizeof b->of_byte);
  b->whole = whole;
  return b;
}

/* Short words ----------------------------------------------------------------------------------------------------- */

/* What a pair may become: its rank and the symbol. */
static void look_up(const gf_bpe *b, const int32_t *ids, int i, int32_t *ranks, int32_t *made) {
  merge m = merge_of(b, ids[i], ids[i + 1]);
  ranks[i] = m.made < 0 ? NEVER : m.rank;
  made[i] = m.made;
}

/* Joins ids [n], whose ends are in ends [n]; returns how many are left. n <= SHORT. */
static int join_short(const gf_bpe *b, int32_t *ids, int32_t *ends, int n) {
  int32_t ranks[SHORT], made[SHORT];
  for (int i = 0; i + 1 < n; i++) look_up(b, ids, i, ranks, made);
  for (;;) {
    int best = -1, lowest = NEVER;
    for (int i = 0; i + 1 < n; i++) {
      if (ranks[i] < lowest) {
        lowest = ranks[i];
        best = i;
      }
    }
    if (best < 0) return n;
    ids[best] = made[best];
    n--;
    for (int i = best + 1; i < n; i++) {
      ids[i] = ids[i + 1];
      ranks[i] = ranks[i + 1];
      made[i] = made[i + 1];
    }
    for (int i = best; i < n; i++) ends[i] = ends[i + 1];
    if (best > 0) look_up(b, ids, best - 1, ranks, made);
    if (best + 1 < n) look_up(b, ids, best, ranks, made);
  }
}

/* Long words ------------------------------------------------------------------------------------------------------ */

static bool comes_first(const waiting *a, const waiting *b) {
  return a->rank != b->rank ? a->rank < b->rank : a->at < b->at;
}

static void heap_push(gf_bpe *b, waiting w) {
  int32_t k = b->heap_size++;
  for (; k > 0 && comes_first(&w, &b->heap[(k - 1) / 2]); k = (k - 1) / 2) b->heap[k] = b->heap[(k - 1) / 2];
  b->heap[k] = w;
}

static waiting heap_pop(gf_bpe *b) {
  waiting top = b->heap[0], last = b->heap[--b->heap_size];
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

/* Lets the pair that begins at symbol `at` wait, if it can be joined. */
static void consider(gf_bpe *b, int32_t at) {
  if (at < 0 || b->next[at] < 0) return;
  int32_t left = b->symbols[at], right = b->symbols[b->next[at]];
  merge m = merge_of(b, left, right);
  if (m.made >= 0) heap_push(b, (waiting){m.rank, at, left, right, m.made});
}

static bool make_room(gf_bpe *b, int n) {
  if (n <= b->room) return true;
  free(b->symbols);
  free(b->next);
  free(b->before);
  free(b->heap);
  b->room = 0;
  b->symbols = malloc((size_t)n * sizeof *b->symbols);
  b->next = malloc((size_t)n * sizeof *b->next);
  b->before = malloc((size_t)n * sizeof *b->before);
  b->heap = malloc((size_t)n * 3 * sizeof *b->heap);
  if (!b->symbols || !b->next || !b->before || !b->heap) return false;
  b->room = n;
  return true;
}

/* As join_short for any n; -1 without memory. Each join takes one waiting pair away and adds two at most, and there
 * are fewer joins than symbols, so 3 n places are enough for the heap. */
static int join_long(gf_bpe *b, int32_t *ids, int32_t *ends, int n) {
  if (!make_room(b, n)) return -1;
  for (int i = 0; i < n; i++) {
    b->symbols[i] = ids[i];
    b->next[i] = i + 1 < n ? i + 1 : -1;
    b->before[i] = i - 1;
  }
  b->heap_size = 0;
  for (int i = 0; i + 1 < n; i++) consider(b, i);
  while (b->heap_size) {
    waiting w = heap_pop(b);
    int32_t right = b->next[w.at];
    if (b->symbols[w.at] != w.left || right < 0 || b->symbols[right] != w.right) continue;
    b->symbols[w.at] = w.made;
    b->symbols[right] = -2; /* joined: no pair that waits begins with it */
    ends[w.at] = ends[right];
    b->next[w.at] = b->next[right];
    if (b->next[right] >= 0) b->before[b->next[right]] = w.at;
    b->next[right] = -1;
    consider(b, b->before[w.at]);
    consider(b, w.at);
  }
  int count = 0;
  for (int32_t i = 0; i >= 0; i = b->next[i], count++) {
    ids[count] = b->symbols[i];
    ends[count] = ends[i];
  }
  return count;
}

static int join(gf_bpe *b, int32_t *ids, int32_t *ends, int n) {
  return n <= SHORT ? join_short(b, ids, ends, n) : join_long(b, ids, ends, n);
}

int gf_bpe_symbols(int32_t *ids, int32_t *ends, gf_bpe *b, const int32_t *symbols, const int32_t *words, int n) {
  int count = 0, at = 0;
  for (int k = 0; k < n; k++) {
    int from = count, length = words[k] - at;
    for (int i = 0; i < length; i++) {
      ids[from + i] = symbols[at + i];
      ends[from + i] = at + i + 1;
    }
    int joined = join(b, ids + from, ends + from, length);
    if (joined < 0) return GF_NO_MEMORY;
    count += joined;
    at = words[k];
  }
  return count;
}

/* Bytes ----------------------------------------------------------------------------------------------------------- */

static kept_word *place_of(gf_bpe *b, const gf_recent *r) {
  uint64_t hash = (r->first + r->bytes) * 0x9E3779B97F4A7C15u ^ r->last * 0xC2B2AE3D27D4EB4Fu ^ r->middle;
  return &b->kept[(hash ^ hash >> 29) * 0x9E3779B97F4A7C15u >> 32 & (PLACES - 1)];
}

static int32_t whole_piece(const gf_bpe *b, const uint8_t *word, int bytes) {
  int32_t node = GF_PIECES_START;
  for (int i = 0; i < bytes; i++)
    if (!(node = gf_pieces_step(b->whole, node, word[i]))) return -1;
  return b->whole->ids[node];
}

/* The ids of one word and their ends, from its beginning; -1 without memory. */
static int encode_word(gf_bpe *b, int32_t *ids, int32_t *ends, const uint8_t *word, int bytes) {
  int32_t id = b->whole ? whole_piece(b, word, bytes) : -1;
  if (id >= 0) {
    ids[0] = id;
    ends[0] = bytes;
    return 1;
  }
  for (int i = 0; i < bytes; i++) {
    ids[i] = b->of_byte[word[i]];
    ends[i] = i + 1;
  }
  return join(b, ids, ends, bytes);
}

/* The same by way of the words met before. */
static int recall_word(gf_bpe *b, int32_t *ids, int32_t *ends, const uint8_t *word, int bytes) {
  if (!b->kept || bytes > KEPT) return encode_word(b, ids, ends, word, bytes);
  gf_recent r = gf_recent_of(word, bytes);
  kept_word *kept = place_of(b, &r);
  if (kept->bytes == r.bytes && kept->first == r.first && kept->last == r.last && kept->middle == r.middle) {
    for (int i = 0; i < kept->count; i++) {
      ids[i] = kept->ids[i];
      ends[i] = kept->ends[i];
    }
    return kept->count;
  }
  int count = encode_word(b, ids, ends, word, bytes);
  if (count < 0) return count;
  kept->first = r.first;
  kept->last = r.last;
  kept->middle = r.middle;
  kept->bytes = (uint8_t)bytes;
  kept->count = (uint8_t)count;
  for (int i = 0; i < count; i++) {
    kept->ids[i] = ids[i];
    kept->ends[i] = (uint8_t)ends[i];
  }
  return count;
}

int gf_bpe_bytes(int32_t *ids, int32_t *ends, gf_bpe *b, const uint8_t *text, const int32_t *words, int n) {
  int count = 0, at = 0;
  if (!b->kept && n >= WORTH_PLACES) b->kept = calloc(PLACES, sizeof *b->kept);
  for (int k = 0; k < n; k++) {
    if (words[k] == at) continue;
    int found = recall_word(b, ids + count, ends + count, text + at, words[k] - at);
    if (found < 0) return GF_NO_MEMORY;
    for (int i = 0; i < found; i++) ends[count + i] += at;
    count += found;
    at = words[k];
  }
  return count;
}
