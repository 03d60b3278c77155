/* unigram.c - the unigram language model: the cut of a word whose pieces are most probable together (Kudo 2018).
 *
 *     best(0) = 0,   best(j) = max over pieces text[i..j) of best(i) + score(piece)          (Viterbi)
 *
 * score is the logarithm of a piece's probability. A character that is no piece by itself may be unknown, at a score
 * below all others. Of equals the piece that begins first wins. SentencePiece keeps best in float32, and where sums
 * are long that decides: `single` does the same.
 */
#include <stdbool.h>
#include <stdlib.h>

#include "pieces.h"
#include "utf8.h"

typedef struct {
  double score;
  int32_t start, id; /* the last piece of the best cut that ends here; start is -1 when there is none */
} best;

/* What whoever wants to see the search is told: every piece that was offered, as far as there is room for it, and for
 * each byte which one the best cut up to there ends with. */
typedef struct {
  int32_t *arcs, *last;
  double *scores;
  int room, count;
} lattice;

static void see(lattice *seen, int start, int end, int32_t id, double score, bool is_best) {
  if (is_best) seen->last[end] = seen->count;
  if (seen->count < seen->room) {
    int32_t *arc = seen->arcs + 3 * (size_t)seen->count;
    arc[0] = start;
    arc[1] = end;
    arc[2] = id;
    seen->scores[seen->count] = score;
  }
  seen->count++;
}

/* Whether this is the best cut so far. */
static bool offer(best *to, double score, int start, int32_t id, bool single) {
  if (to->start >= 0 && !(score > to->score)) return false;
  *to = (best){single ? (float)score : score, start, id};
  return true;
}

/* All pieces that begin at byte i, and the unknown character if there is none of its length. seen: may be NULL. */
static int extend(best *at, const gf_pieces *p, const double *scores, const uint8_t *text, int i, int bytes,
                  double unknown_score, int unknown, int flags, lattice *seen) {
  bool single = flags & GF_UNIGRAM_SINGLE, split = flags & GF_UNIGRAM_SPLIT;
  int length = gf_utf8_decode(text + i, bytes - i).bytes;
  double here = at[i].score;
  bool alone = false;
  int32_t node = GF_PIECES_START;
  for (int j = i; j < bytes && (node = gf_pieces_step(p, node, text[j]));) {
    j++;
    int32_t id = p->ids[node];
    if (id < 0 || (split && j - i == bytes && length < bytes)) continue;
    bool is_best = offer(&at[j], here + scores[id], i, id, single);
    if (seen) see(seen, i, j, id, scores[id], is_best);
    alone |= j - i == length;
  }
  if (alone) return i + length;
  double lacking = unknown_score + here;
  bool is_best = offer(&at[i + length], single ? (float)lacking : lacking, i, unknown, single);
  if (seen) see(seen, i, i + length, unknown, unknown_score, is_best);
  return i + length;
}

/* The best cuts up to every byte of one word. */
static void search(best *at, const gf_pieces *p, const double *scores, const uint8_t *text, int bytes,
                   double unknown_score, int unknown, int flags, lattice *seen) {
  for (int i = 0; i <= bytes; i++) at[i] = (best){0, -1, -1};
  for (int i = 0; i < bytes;) i = extend(at, p, scores, text, i, bytes, unknown_score, unknown, flags, seen);
}

/* The best cut in reverse order, then the other way round. Unknown characters in a row are one piece with `fuse`. */
static int trace(int32_t *ids, int32_t *ends, const best *at, int base, int bytes, int unknown, bool fuse) {
  int count = 0;
  for (int j = bytes; j > 0; j = at[j].start) {
    if (fuse && count && at[j].id == unknown && ids[count - 1] == unknown) continue;
    ids[count] = at[j].id;
    ends[count++] = base + j;
  }
  for (int i = 0, k = count - 1; i < k; i++, k--) {
    int32_t id = ids[i], end = ends[i];
    ids[i] = ids[k];
    ends[i] = ends[k];
    ids[k] = id;
    ends[k] = end;
  }
  return count;
}

int gf_unigram(int32_t *ids, int32_t *ends, const gf_pieces *p, const double *scores, const uint8_t *text,
               const int32_t *words, int n, double unknown_score, int unknown, int flags) {
  int longest = 0, count = 0;
  for (int k = 0, start = 0; k < n; start = words[k++])
    if (words[k] - start > longest) longest = words[k] - start;
  best *at = malloc(((size_t)longest + 1) * sizeof *at);
  if (!at) return GF_NO_MEMORY;
  for (int k = 0, start = 0; k < n; start = words[k++]) {
    int bytes = words[k] - start;
    search(at, p, scores, text + start, bytes, unknown_score, unknown, flags, NULL);
    count += trace(ids + count, ends + count, at, start, bytes, unknown, flags & GF_UNIGRAM_FUSE);
  }
  free(at);
  return count;
}

int gf_unigram_lattice(int32_t *arcs, double *arc_scores, int room, int32_t *last, double *totals, const gf_pieces *p,
                       const double *scores, const uint8_t *text, int bytes, double unknown_score, int unknown,
                       int flags) {
  best *at = malloc(((size_t)bytes + 1) * sizeof *at);
  if (!at) return GF_NO_MEMORY;
  for (int i = 0; i <= bytes; i++) last[i] = -1;
  lattice seen = {arcs, last, arc_scores, room, 0};
  search(at, p, scores, text, bytes, unknown_score, unknown, flags, &seen);
  for (int i = 0; i <= bytes; i++) totals[i] = at[i].score;
  free(at);
  return seen.count;
}
