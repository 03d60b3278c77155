/* bpe_train.c - learning merges from the words of a text and how often each occurs.
 *
 *     repeat: join the best pair of neighbours everywhere; the pair becomes a symbol
 *
 *     BPE        best = the pair that occurs most often                       (Gage 1994, Sennrich et al. 2016)
 *     WordPiece  best = the greatest count(pair) / (count(left) count(right)) (Schuster and Nakajima 2012)
 *
 * Of equals the one whose symbols are older goes first. Joining (l, r) in x l r y changes only the counts of (x, l) and
 * (r, y), which lose, and (x, lr) and (lr, y), which gain; so counts are kept and not counted anew. Each pair knows the
 * words it was met in. For BPE the pairs stand in a heap by count; a pair whose count has fallen since is put back.
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "pieces.h"

typedef struct {
  int32_t left, right, count;
  int32_t met; /* the last of its meetings, or -1 */
  bool rising; /* gained in this round and is not in the heap with its count yet */
} pair;

typedef struct {
  int32_t word, before; /* the meeting before this one, or -1 */
} meeting;

typedef struct {
  int32_t count, pair;
} ranked;

typedef struct {
  int32_t start, bytes, count;
  bool continues;
} symbol;

/* A list that grows: `items` of `size` bytes each. */
typedef struct {
  void *items;
  int32_t count, room;
  size_t size;
} list;

typedef struct {
  int32_t *text;         /* the symbols of all words [ends[n - 1]] */
  const int32_t *ends;   /* [n]: where each word ends */
  int32_t *starts, *now; /* [n]: where each begins, and how many symbols it has now */
  const int32_t *counts; /* [n] */
  int32_t words;
  list pairs, meetings, heap, rising, symbols, bytes;
  int32_t *slots; /* a hash table of pairs: [mask + 1] places in `pairs`, or -1 */
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

/* Where a pair stands in `pairs`; -1 without memory. */
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

static void gain(trainer *t, int32_t left, int32_t right, int32_t word) {
  int32_t i = pair_of(t, left, right);
  if (i < 0) return;
  pair *p = pair_at(t, i);
  p->count += t->counts[word];
  if (p->met < 0 || ((meeting *)t->meetings.items)[p->met].word != word) {
    meeting *m = append(t, &t->meetings);
    if (!m) return;
    *m = (meeting){word, p->met};
    p->met = t->meetings.count - 1;
  }
  if (!p->rising) {
    int32_t *rising = append(t, &t->rising);
    if (!rising) return;
    *rising = i;
    p->rising = true;
  }
}

static void lose(trainer *t, int32_t left, int32_t right, int32_t word) {
  int32_t i = t->slots[slot_of(t, left, right)];
  if (i >= 0) pair_at(t, i)->count -= t->counts[word];
}

/* The best pair --------------------------------------------------------------------------------------------------- */

static bool older(const pair *a, const pair *b) { return a->left != b->left ? a->left < b->left : a->right < b->right; }

static bool comes_first(const trainer *t, ranked a, ranked b) {
  return a.count != b.count ? a.count > b.count : older(pair_at(t, a.pair), pair_at(t, b.pair));
}

static void heap_push(trainer *t, ranked r) {
  if (!append(t, &t->heap)) return;
  ranked *heap = t->heap.items;
  int32_t k = t->heap.count - 1;
  for (; k > 0 && comes_first(t, r, heap[(k - 1) / 2]); k = (k - 1) / 2) heap[k] = heap[(k - 1) / 2];
  heap[k] = r;
}

static ranked heap_pop(trainer *t) {
  ranked *heap = t->heap.items, top = heap[0], last = heap[--t->heap.count];
  int32_t k = 0;
  for (;;) {
    int32_t child = 2 * k + 1;
    if (child >= t->heap.count) break;
    if (child + 1 < t->heap.count && comes_first(t, heap[child + 1], heap[child])) child++;
    if (!comes_first(t, heap[child], last)) break;
    heap[k] = heap[child];
    k = child;
  }
  heap[k] = last;
  return top;
}

/* What gained goes into the heap with its count. */
static void settle(trainer *t) {
  for (int32_t k = 0; k < t->rising.count; k++) {
    int32_t i = ((int32_t *)t->rising.items)[k];
    pair_at(t, i)->rising = false;
    if (!t->likelihood && pair_at(t, i)->count > 0) heap_push(t, (ranked){pair_at(t, i)->count, i});
  }
  t->rising.count = 0;
}

static int32_t most_frequent(trainer *t) {
  while (t->heap.count) {
    ranked top = heap_pop(t);
    int32_t count = pair_at(t, top.pair)->count;
    if (count == top.count) return top.pair;
    if (count > 0) heap_push(t, (ranked){count, top.pair});
  }
  return -1;
}

static int32_t most_likely(const trainer *t, int32_t least) {
  int32_t best = -1;
  double highest = 0;
  for (int32_t i = 0; i < t->pairs.count; i++) {
    const pair *p = pair_at(t, i);
    if (p->count <= 0 || p->count < least) continue;
    double score = p->count / ((double)symbol_at(t, p->left)->count * symbol_at(t, p->right)->count);
    if (best < 0 || score > highest || (score == highest && older(p, pair_at(t, best)))) {
      highest = score;
      best = i;
    }
  }
  return best;
}

/* Joining --------------------------------------------------------------------------------------------------------- */

/* The symbol of left and right together: a new one, or the one that has these letters already. -1 without memory. */
static int32_t symbol_of(trainer *t, int32_t left, int32_t right) {
  symbol l = *symbol_at(t, left), r = *symbol_at(t, right),
         joined = {t->bytes.count, l.bytes + r.bytes, 0, l.continues};
  for (int32_t i = 0; i < joined.bytes; i++) {
    uint8_t *to = append(t, &t->bytes);
    if (!to) return -1;
    *to = ((uint8_t *)t->bytes.items)[i < l.bytes ? l.start + i : r.start + i - l.bytes];
  }
  const uint8_t *text = (uint8_t *)t->bytes.items + joined.start;
  int32_t node = gf_pieces_reach(t->pieces, l.continues ? GF_PIECES_CONTINUE : GF_PIECES_START, text, joined.bytes);
  if (node < 0) return -1;
  if (t->pieces->ids[node] >= 0) return t->pieces->ids[node];
  symbol *made = append(t, &t->symbols);
  if (!made) return -1;
  *made = joined;
  return t->pieces->ids[node] = t->symbols.count - 1;
}

static void join(trainer *t, int32_t word, int32_t left, int32_t right, int32_t made) {
  int32_t *s = t->text + t->starts[word], n = t->now[word], kept = 0, count = t->counts[word];
  for (int32_t i = 0; i < n; i++) {
    if (i + 1 == n || s[i] != left || s[i + 1] != right) {
      s[kept++] = s[i];
      continue;
    }
    lose(t, left, right, word);
    if (kept) {
      lose(t, s[kept - 1], left, word);
      gain(t, s[kept - 1], made, word);
    }
    if (i + 2 < n) {
      lose(t, right, s[i + 2], word);
      gain(t, made, s[i + 2], word);
    }
    symbol_at(t, left)->count -= count;
    symbol_at(t, right)->count -= count;
    symbol_at(t, made)->count += count;
    s[kept++] = made;
    i++;
  }
  t->now[word] = kept;
}

static void join_everywhere(trainer *t, int32_t chosen, int32_t made) {
  pair p = *pair_at(t, chosen);
  pair_at(t, chosen)->met = -1;
  for (int32_t m = p.met; m >= 0 && !t->failed;) {
    meeting here = ((meeting *)t->meetings.items)[m];
    join(t, here.word, p.left, p.right, made);
    m = here.before;
  }
}

/* Beginning and end ----------------------------------------------------------------------------------------------- */

static bool begin(trainer *t, const uint8_t *alphabet, const int32_t *ends, int letters, int plain) {
  for (int32_t k = 0, at = 0; k < letters; at = ends[k++]) {
    symbol *s = append(t, &t->symbols);
    if (!s) return false;
    *s = (symbol){at, ends[k] - at, 0, k >= plain};
    for (int32_t i = at; i < ends[k]; i++) {
      uint8_t *to = append(t, &t->bytes);
      if (!to) return false;
      *to = alphabet[i];
    }
    int32_t node =
        gf_pieces_reach(t->pieces, k >= plain ? GF_PIECES_CONTINUE : GF_PIECES_START, alphabet + at, ends[k] - at);
    if (node < 0) return false;
    t->pieces->ids[node] = k;
  }
  for (int32_t word = 0, at = 0; word < t->words; at = t->ends[word++]) {
    t->starts[word] = at;
    t->now[word] = t->ends[word] - at;
    for (int32_t i = at; i < t->ends[word]; i++) {
      symbol_at(t, t->text[i])->count += t->counts[word];
      if (i + 1 < t->ends[word]) gain(t, t->text[i], t->text[i + 1], word);
    }
  }
  settle(t);
  return !t->failed;
}

static int train(trainer *t, int32_t *merges, int size, int least) {
  int count = 0;
  while (t->symbols.count < size && count < 2 * size && !t->failed) {
    int32_t chosen = t->likelihood ? most_likely(t, least) : most_frequent(t);
    if (chosen < 0 || pair_at(t, chosen)->count < least) break;
    pair p = *pair_at(t, chosen);
    int32_t made = symbol_of(t, p.left, p.right);
    if (made < 0) return GF_NO_MEMORY;
    memcpy(merges + (size_t)4 * (size_t)count++, (int32_t[]){p.left, p.right, made, p.count}, 4 * sizeof *merges);
    join_everywhere(t, chosen, made);
    settle(t);
  }
  return t->failed ? GF_NO_MEMORY : count;
}

int gf_bpe_train(int32_t *merges, int32_t *text, const int32_t *ends, const int32_t *counts, int n,
                 const uint8_t *alphabet, const int32_t *alphabet_ends, int letters, int plain, int size, int least,
                 int likelihood, uint32_t seed) {
  trainer t = {.text = text, .ends = ends, .counts = counts, .words = n, .mask = 4095, .likelihood = likelihood};
  t.pairs.size = sizeof(pair);
  t.meetings.size = sizeof(meeting);
  t.heap.size = sizeof(ranked);
  t.rising.size = sizeof(int32_t);
  t.symbols.size = sizeof(symbol);
  t.bytes.size = 1;
  t.left_factor = gf_hash_factor(seed);
  t.right_factor = gf_hash_factor(~seed);
  t.pieces = gf_pieces_new(seed);
  t.slots = malloc((t.mask + 1) * sizeof *t.slots);
  t.starts = malloc(((size_t)n * 2 + 1) * sizeof *t.starts);
  t.now = t.starts ? t.starts + n : NULL;
  int count = GF_NO_MEMORY;
  if (t.pieces && t.slots && t.starts) {
    memset(t.slots, -1, (t.mask + 1) * sizeof *t.slots);
    if (begin(&t, alphabet, alphabet_ends, letters, plain)) count = train(&t, merges, size, least);
  }
  gf_pieces_free(t.pieces);
  free(t.slots);
  free(t.starts);
  free(t.pairs.items);
  free(t.meetings.items);
  free(t.heap.items);
  free(t.rising.items);
  free(t.symbols.items);
  free(t.bytes.items);
  return count;
}
