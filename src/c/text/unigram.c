/* unigram.c - the unigram language model: the most probable segmentation of a word (Kudo 2018).
 *
 *     best(0) = 0,   best(j) = max over pieces text[i..j) of best(i) + score(piece)          (Viterbi)
 *
 * score is the log-probability of a piece. A character that is not a piece by itself may be unknown, with a score below
 * all others. Of equal scores, the piece that begins first wins. SentencePiece rounds best to float32, which can change
 * the result for long words; `single` does the same.
 */
#include <stdbool.h>
#include <stdlib.h>

#include "pieces.h"
#include "utf8.h"

typedef struct {
  double score;
  int32_t start, id; /* the last piece of the best segmentation up to here; start is -1 if there is none */
} best;

/* A record of the search: every arc, as far as there is room, and for each byte the last arc of the best
 * segmentation up to there. */
typedef struct {
  int32_t *arcs, *last;
  double *scores;
  int room, count;
} lattice;

static void record_arc(lattice *record, int start, int end, int32_t id, double score, bool is_best) {
  if (is_best) record->last[end] = record->count;
  if (record->count < record->room) {
    int32_t *arc = record->arcs + 3 * (size_t)record->count;
    arc[0] = start;
    arc[1] = end;
    arc[2] = id;
    record->scores[record->count] = score;
  }
  record->count++;
}

/* Updates the best segmentation; returns whether this one is better. */
static bool relax(best *to, double score, int start, int32_t id, bool single) {
  if (to->start >= 0 && !(score > to->score)) return false;
  *to = (best){single ? (float)score : score, start, id};
  return true;
}

/* Relaxes all pieces that begin at byte i, and the unknown character unless its character is a piece. Returns the next
 * character. record: may be NULL. */
static int relax_pieces(best *best_to, const gf_pieces *p, const double *scores, const uint8_t *text, int i, int bytes,
                        double unknown_score, int unknown, int flags, lattice *record) {
  bool single = flags & GF_UNIGRAM_SINGLE, split = flags & GF_UNIGRAM_SPLIT;
  int length = gf_utf8_decode(text + i, bytes - i).bytes;
  double prefix_score = best_to[i].score;
  bool has_character = false;
  int32_t node = GF_PIECES_START;
  for (int j = i; j < bytes && (node = gf_pieces_step(p, node, text[j]));) {
    j++;
    int32_t id = p->ids[node];
    if (id < 0 || (split && j - i == bytes && length < bytes)) continue;
    bool is_best = relax(&best_to[j], prefix_score + scores[id], i, id, single);
    if (record) record_arc(record, i, j, id, scores[id], is_best);
    has_character |= j - i == length;
  }
  if (has_character) return i + length;
  double unknown_total = unknown_score + prefix_score;
  bool is_best = relax(&best_to[i + length], single ? (float)unknown_total : unknown_total, i, unknown, single);
  if (record) record_arc(record, i, i + length, unknown, unknown_score, is_best);
  return i + length;
}

/* The best segmentations up to every byte of a word. */
static void run_viterbi(best *best_to, const gf_pieces *p, const double *scores, const uint8_t *text, int bytes,
                        double unknown_score, int unknown, int flags, lattice *record) {
  for (int i = 0; i <= bytes; i++) best_to[i] = (best){0, -1, -1};
  for (int i = 0; i < bytes;)
    i = relax_pieces(best_to, p, scores, text, i, bytes, unknown_score, unknown, flags, record);
}

/* Writes the best segmentation backwards, then reverses it. `fuse` joins consecutive unknown characters. */
static int backtrack(int32_t *ids, int32_t *ends, const best *best_to, int base, int bytes, int unknown, bool fuse) {
  int count = 0;
  for (int j = bytes; j > 0; j = best_to[j].start) {
    if (fuse && count && best_to[j].id == unknown && ids[count - 1] == unknown) continue;
    ids[count] = best_to[j].id;
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
  best *best_to = malloc(((size_t)longest + 1) * sizeof *best_to);
  if (!best_to) return GF_NO_MEMORY;
  for (int k = 0, start = 0; k < n; start = words[k++]) {
    int bytes = words[k] - start;
    run_viterbi(best_to, p, scores, text + start, bytes, unknown_score, unknown, flags, NULL);
    count += backtrack(ids + count, ends + count, best_to, start, bytes, unknown, flags & GF_UNIGRAM_FUSE);
  }
  free(best_to);
  return count;
}

int gf_unigram_lattice(int32_t *arcs, double *arc_scores, int room, int32_t *last, double *totals, const gf_pieces *p,
                       const double *scores, const uint8_t *text, int bytes, double unknown_score, int unknown,
                       int flags) {
  best *best_to = malloc(((size_t)bytes + 1) * sizeof *best_to);
  if (!best_to) return GF_NO_MEMORY;
  for (int i = 0; i <= bytes; i++) last[i] = -1;
  lattice record = {arcs, last, arc_scores, room, 0};
  run_viterbi(best_to, p, scores, text, bytes, unknown_score, unknown, flags, &record);
  for (int i = 0; i <= bytes; i++) totals[i] = best_to[i].score;
  free(best_to);
  return record.count;
}
