/* bpe_train.c - learning merges from the words of a text and their counts.
 *
 *     repeat: merge the best adjacent pair everywhere; the pair becomes a symbol
 *
 *     BPE        best = the most frequent pair                                (Gage 1994, Sennrich et al. 2016)
 *     WordPiece  best = the greatest count(pair) / (count(left) count(right)) (Schuster and Nakajima 2012)
 *
 * Ties are broken by the lower symbols. Merging (l, r) in x l r y decreases the counts of (x, l) and (r, y) and
 * increases those of (x, lr) and (lr, y), so counts are updated, not recomputed. Each pair has a list of the words it
 * occurs in. For BPE the pairs are in a heap by count; a popped pair whose count has decreased since is pushed again.
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "pieces.h"

typedef struct {
  int32_t left, right, count;
  int32_t last_occurrence; /* the head of the list of its occurrences, or -1 */
  bool changed;            /* its count increased in this iteration and has to be pushed to the heap */
} pair;

typedef struct {
  int32_t word, previous; /* the next occurrence in the list, which is older, or -1 */
} occurrence;

typedef struct {
  int32_t count, pair;
} heap_entry;

typedef struct {
  int32_t start, bytes, count;
  bool continues;
} symbol;

/* A growing array: `items` of `size` bytes each. */
typedef struct {
  void *items;
  int32_t count, room;
  size_t size;
} list;

typedef struct {
  int32_t *text;             /* the symbols of all words [ends[n - 1]] */
  const int32_t *ends;       /* [n]: the end of each word */
  int32_t *starts, *lengths; /* [n]: the start of each word, and its current number of symbols */
  const int32_t *counts;     /* [n] */
  int32_t words;
  list pairs, occurrences, heap, changed, symbols, bytes;
  int32_t *slots; /* [mask + 1]: a hash table of indices into `pairs`, or -1 */
  uint32_t mask;
  uint64_t left_factor, right_factor;
  gf_pieces *pieces;
  bool likelihood, failed;
} trainer;

static void *append(trainer *t, list *l) {
  if (l->count == l->room) {
    int32_t room = l->room ? l->room * 2 : 256;
    void *items = room < INT32_MAX / 2 ? realloc(l->items, (size_t)room * l->size) : NULL;
    if (!items) {
      t->failed = true;
      return NULL;
    }
    l->items = items;
    l->room = room;
  }
  return (uint8_t *)l->items + (size_t)l->count++ * l->size;
}

static pair *pair_at(const trainer *t, int32_t i) { return (pair *)t->pairs.items + i; }
static symbol *symbol_at(const trainer *t, int32_t i) { return (symbol *)t->symbols.items + i; }

/* Pairs ----------------------------------------------------------------------------------------------------------- */

static uint32_t slot_of(const trainer *t, int32_t left, int32_t right) {
  uint64_t hash = (uint32_t)left * t->left_factor + (uint32_t)right * t->right_factor;
  uint32_t slot = (uint32_t)(hash >> 32) & t->mask;
  for (; t->slots[slot] >= 0; slot = (slot + 1) & t->mask) {
    const pair *p = pair_at(t, t->slots[slot]);
    if (p->left == left && p->right == right) break;
  }
  return slot;
}

static bool grow_slots(trainer *t) {
  uint32_t room = (t->mask + 1) * 2;
  int32_t *slots = malloc(room * sizeof *slots);
  if (!slots) return false;
  free(t->slots);
  t->slots = slots;
  t->mask = room - 1;
  memset(slots, -1, room * sizeof *slots);
  for (int32_t i = 0; i < t->pairs.count; i++) slots[slot_of(t, pair_at(t, i)->left, pair_at(t, i)->right)] = i;
  return true;
}

/* The index of a pair in `pairs`, which is added if it is new; -1 if out of memory. */
static int32_t pair_of(trainer *t, int32_t left, int32_t right) {
  uint32_t slot = slot_of(t, left, right);
  if (t->slots[slot] >= 0) return t->slots[slot];
  pair *p = append(t, &t->pairs);
  if (!p) return -1;
  *p = (pair){left, right, 0, -1, false};
  t->slots[slot] = t->pairs.count - 1;
  if ((uint32_t)t->pairs.count > t->mask / 2 && !grow_slots(t)) t->failed = true;
  return t->pairs.count - 1;
}

static void add_pair(trainer *t, int32_t left, int32_t right, int32_t word) {
  int32_t i = pair_of(t, left, right);
  if (i < 0) return;
  pair *p = pair_at(t, i);
  p->count += t->counts[word];
  if (p->last_occurrence < 0 || ((occurrence *)t->occurrences.items)[p->last_occurrence].word != word) {
    occurrence *m = append(t, &t->occurrences);
    if (!m) return;
    *m = (occurrence){word, p->last_occurrence};
    p->last_occurrence = t->occurrences.count - 1;
  }
  if (!p->changed) {
    int32_t *changed = append(t, &t->changed);
    if (!changed) return;
    *changed = i;
    p->changed = true;
  }
}

static void remove_pair(trainer *t, int32_t left, int32_t right, int32_t word) {
  int32_t i = t->slots[slot_of(t, left, right)];
  if (i >= 0) pair_at(t, i)->count -= t->counts[word];
}

/* The best pair --------------------------------------------------------------------------------------------------- */

static bool older(const pair *a, const pair *b) { return a->left != b->left ? a->left < b->left : a->right < b->right; }

static bool precedes(const trainer *t, heap_entry a, heap_entry b) {
  return a.count != b.count ? a.count > b.count : older(pair_at(t, a.pair), pair_at(t, b.pair));
}

static void heap_push(trainer *t, heap_entry r) {
  if (!append(t, &t->heap)) return;
  heap_entry *heap = t->heap.items;
  int32_t k = t->heap.count - 1;
  for (; k > 0 && precedes(t, r, heap[(k - 1) / 2]); k = (k - 1) / 2) heap[k] = heap[(k - 1) / 2];
  heap[k] = r;
}

static heap_entry heap_pop(trainer *t) {
  heap_entry *heap = t->heap.items, top = heap[0], last = heap[--t->heap.count];
  int32_t k = 0;
  for (;;) {
    int32_t child = 2 * k + 1;
    if (child >= t->heap.count) break;
    if (child + 1 < t->heap.count && precedes(t, heap[child + 1], heap[child])) child++;
    if (!precedes(t, heap[child], last)) break;
    heap[k] = heap[child];
    k = child;
  }
  heap[k] = last;
  return top;
}

/* Pushes pairs whose counts have increased to the heap. */
static void push_changed(trainer *t) {
  for (int32_t k = 0; k < t->changed.count; k++) {
    int32_t i = ((int32_t *)t->changed.items)[k];
    pair_at(t, i)->changed = false;
    if (!t->likelihood && pair_at(t, i)->count > 0) heap_push(t, (heap_entry){pair_at(t, i)->count, i});
  }
  t->changed.count = 0;
}

static int32_t most_frequent(trainer *t) {
  while (t->heap.count) {
    heap_entry top = heap_pop(t);
    int32_t count = pair_at(t, top.pair)->count;
    if (count == top.count) return top.pair;
    if (count > 0) heap_push(t, (heap_entry){count, top.pair});
  }
  return -1;
}

static int32_t most_likely(const trainer *t, int32_t min_count) {
  int32_t best = -1;
  double highest = 0;
  for (int32_t i = 0; i < t->pairs.count; i++) {
    const pair *p = pair_at(t, i);
    if (p->count <= 0 || p->count < min_count) continue;
    double score = p->count / ((double)symbol_at(t, p->left)->count * symbol_at(t, p->right)->count);
    if (best < 0 || score > highest || (score == highest && older(p, pair_at(t, best)))) {
      highest = score;
      best = i;
    }
  }
  return best;
}

/* Merging --------------------------------------------------------------------------------------------------------- */

/* The symbol of left and right merged: a new one, or an existing one with the same bytes. -1 if out of memory. */
static int32_t merged_symbol(trainer *t, int32_t left, int32_t right) {
  symbol l = *symbol_at(t, left), r = *symbol_at(t, right),
         combined = {t->bytes.count, l.bytes + r.bytes, 0, l.continues};
  for (int32_t i = 0; i < combined.bytes; i++) {
    uint8_t *to = append(t, &t->bytes);
    if (!to) return -1;
    *to = ((uint8_t *)t->bytes.items)[i < l.bytes ? l.start + i : r.start + i - l.bytes];
  }
  const uint8_t *text = (uint8_t *)t->bytes.items + combined.start;
  int32_t node = gf_pieces_insert(t->pieces, l.continues ? GF_PIECES_CONTINUE : GF_PIECES_START, text, combined.bytes);
  if (node < 0) return -1;
  if (t->pieces->ids[node] >= 0) return t->pieces->ids[node];
  symbol *merged = append(t, &t->symbols);
  if (!merged) return -1;
  *merged = combined;
  return t->pieces->ids[node] = t->symbols.count - 1;
}

static void merge_in_word(trainer *t, int32_t word, int32_t left, int32_t right, int32_t merged) {
  int32_t *s = t->text + t->starts[word], n = t->lengths[word], length = 0, count = t->counts[word];
  for (int32_t i = 0; i < n; i++) {
    if (i + 1 == n || s[i] != left || s[i + 1] != right) {
      s[length++] = s[i];
      continue;
    }
    remove_pair(t, left, right, word);
    if (length) {
      remove_pair(t, s[length - 1], left, word);
      add_pair(t, s[length - 1], merged, word);
    }
    if (i + 2 < n) {
      remove_pair(t, right, s[i + 2], word);
      add_pair(t, merged, s[i + 2], word);
    }
    symbol_at(t, left)->count -= count;
    symbol_at(t, right)->count -= count;
    symbol_at(t, merged)->count += count;
    s[length++] = merged;
    i++;
  }
  t->lengths[word] = length;
}

static void merge_everywhere(trainer *t, int32_t chosen, int32_t merged) {
  pair p = *pair_at(t, chosen);
  pair_at(t, chosen)->last_occurrence = -1;
  for (int32_t m = p.last_occurrence; m >= 0 && !t->failed;) {
    occurrence here = ((occurrence *)t->occurrences.items)[m];
    merge_in_word(t, here.word, p.left, p.right, merged);
    m = here.previous;
  }
}

/* Start and end ------------------------------------------------------------------------------------------------- */

static bool initialize(trainer *t, const uint8_t *alphabet, const int32_t *ends, int alphabet_size, int initial) {
  for (int32_t k = 0, at = 0; k < alphabet_size; at = ends[k++]) {
    symbol *s = append(t, &t->symbols);
    if (!s) return false;
    *s = (symbol){at, ends[k] - at, 0, k >= initial};
    for (int32_t i = at; i < ends[k]; i++) {
      uint8_t *to = append(t, &t->bytes);
      if (!to) return false;
      *to = alphabet[i];
    }
    int32_t node =
        gf_pieces_insert(t->pieces, k >= initial ? GF_PIECES_CONTINUE : GF_PIECES_START, alphabet + at, ends[k] - at);
    if (node < 0) return false;
    t->pieces->ids[node] = k;
  }
  for (int32_t word = 0, at = 0; word < t->words; at = t->ends[word++]) {
    t->starts[word] = at;
    t->lengths[word] = t->ends[word] - at;
    for (int32_t i = at; i < t->ends[word]; i++) {
      symbol_at(t, t->text[i])->count += t->counts[word];
      if (i + 1 < t->ends[word]) add_pair(t, t->text[i], t->text[i + 1], word);
    }
  }
  push_changed(t);
  return !t->failed;
}

static int train(trainer *t, int32_t *merges, int size, int min_count) {
  int count = 0;
  while (t->symbols.count < size && count < 2 * size && !t->failed) {
    int32_t chosen = t->likelihood ? most_likely(t, min_count) : most_frequent(t);
    if (chosen < 0 || pair_at(t, chosen)->count < min_count) break;
    pair p = *pair_at(t, chosen);
    int32_t merged = merged_symbol(t, p.left, p.right);
    if (merged < 0) return GF_NO_MEMORY;
    memcpy(merges + (size_t)4 * (size_t)count++, (int32_t[]){p.left, p.right, merged, p.count}, 4 * sizeof *merges);
    merge_everywhere(t, chosen, merged);
    push_changed(t);
  }
  return t->failed ? GF_NO_MEMORY : count;
}

int gf_bpe_train(int32_t *merges, int32_t *text, const int32_t *ends, const int32_t *counts, int n,
                 const uint8_t *alphabet, const int32_t *alphabet_ends, int alphabet_size, int initial, int size,
                 int min_count, int likelihood, uint32_t seed) {
  trainer t = {.text = text, .ends = ends, .counts = counts, .words = n, .mask = 4095, .likelihood = likelihood};
  t.pairs.size = sizeof(pair);
  t.occurrences.size = sizeof(occurrence);
  t.heap.size = sizeof(heap_entry);
  t.changed.size = sizeof(int32_t);
  t.symbols.size = sizeof(symbol);
  t.bytes.size = 1;
  t.left_factor = gf_hash_factor(seed);
  t.right_factor = gf_hash_factor(~seed);
  t.pieces = gf_pieces_new(seed);
  t.slots = malloc((t.mask + 1) * sizeof *t.slots);
  t.starts = malloc(((size_t)n * 2 + 1) * sizeof *t.starts);
  t.lengths = t.starts ? t.starts + n : NULL;
  int count = GF_NO_MEMORY;
  if (t.pieces && t.slots && t.starts) {
    memset(t.slots, -1, (t.mask + 1) * sizeof *t.slots);
    if (initialize(&t, alphabet, alphabet_ends, alphabet_size, initial)) count = train(&t, merges, size, min_count);
  }
  gf_pieces_free(t.pieces);
  free(t.slots);
  free(t.starts);
  free(t.pairs.items);
  free(t.occurrences.items);
  free(t.heap.items);
  free(t.changed.items);
  free(t.symbols.items);
  free(t.bytes.items);
  return count;
}
