/* tokenizer_check.h - the tokenizers' kernels on any bytes: what they promise, in buffers of exactly the size they ask
 * for. */
#ifndef TOKENIZER_CHECK_H
#define TOKENIZER_CHECK_H

#include "text_windows.h"

/* malloc of nothing may be NULL. */
static size_t at_least_one(int n) { return n > 0 ? (size_t)n : 1; }

/* Pieces that end at ends [count], in order, cover everything up to `bytes`. */
static void check_pieces(const int32_t *ends, int count, int bytes) {
  int at = 0;
  for (int k = 0; k < count; k++) {
    REQUIRE(ends[k] > at && ends[k] <= bytes);
    at = ends[k];
  }
  REQUIRE(at == bytes);
}

static uint8_t *classes_of(uint8_t seed) {
  uint8_t *classes = malloc(GF_CLASSES);
  REQUIRE(classes);
  for (int code = 0; code < GF_CLASSES; code++) classes[code] = (uint8_t)((code * 7 + seed) % 4);
  classes[' '] = 3;
  return classes;
}

/* Words of a text in windows, a few at a time, the same as at once. Returns their ends [count]. */
static int32_t *check_cut(const uint8_t *text, int bytes, int window, uint8_t seed, int *count) {
  uint8_t *classes = classes_of(seed);
  int32_t *whole = malloc(sizeof *whole * at_least_one(bytes));
  *count = gf_cut(whole, classes, text, bytes, bytes, GF_TEXT_END);
  check_pieces(whole, *count, bytes);
  int found = 0;
  for (int from = 0; from < bytes;) {
    int n = bytes - from < window ? bytes - from : window, room = 1 + from % 5;
    uint8_t *part = exactly(text + from, (size_t)n);
    int32_t *ends = malloc(sizeof *ends * (size_t)room);
    int some = gf_cut(ends, classes, part, n, room, from + n == bytes ? GF_TEXT_END : 0);
    REQUIRE(some <= room);
    for (int k = 0; k < some; k++) REQUIRE(found < *count && from + ends[k] == whole[found++]);
    if (some) from += ends[some - 1];
    else window *= 2;
    free(ends);
    free(part);
  }
  REQUIRE(found == *count);
  free(classes);
  return whole;
}

/* Spans of pieces in UTF-16 units, and back to bytes. */
static void check_spans(const int32_t *ends, int count, const uint8_t *text, int bytes) {
  int32_t *spans = malloc(sizeof *spans * 2 * at_least_one(count)), *back = malloc(sizeof *back * at_least_one(count));
  int units = gf_unit_spans(spans, ends, count, text, bytes);
  for (int k = 0; k < count; k++) {
    REQUIRE(spans[2 * k] >= 0 && spans[2 * k] < spans[2 * k + 1] && spans[2 * k + 1] <= units);
    REQUIRE(k == 0 || (spans[2 * k] >= spans[2 * k - 2] && spans[2 * k] <= spans[2 * k - 1]));
    back[k] = spans[2 * k + 1];
  }
  gf_byte_ends(back, count, text, bytes);
  for (int k = 0; k < count; k++) REQUIRE(back[k] >= ends[k] && back[k] - ends[k] < 4 && back[k] <= bytes);
  free(spans);
  free(back);
}

/* Merges learned from the words: applying them gives what learning has left of the words, as long as no two merges make
 * the same symbol. */
static void check_bpe(const uint8_t *text, int bytes, const int32_t *words, int n, int likelihood) {
  enum { LETTERS = 256, SIZE = 300 };
  uint8_t alphabet[LETTERS];
  int32_t letter_ends[LETTERS], of_byte[LETTERS];
  for (int k = 0; k < LETTERS; k++) {
    alphabet[k] = (uint8_t)k;
    letter_ends[k] = k + 1;
    of_byte[k] = k;
  }
  int32_t *learned = malloc(sizeof *learned * 8 * SIZE), *symbols = malloc(sizeof *symbols * at_least_one(bytes));
  int32_t *counts = malloc(sizeof *counts * at_least_one(n)), *same = malloc(sizeof *same * at_least_one(bytes));
  for (int i = 0; i < bytes; i++) symbols[i] = same[i] = text[i];
  for (int k = 0; k < n; k++) counts[k] = 1 + k % 3;
  int made =
      gf_bpe_train(learned, symbols, words, counts, n, alphabet, letter_ends, LETTERS, LETTERS, SIZE, 2, likelihood, 7);
  REQUIRE(made >= 0 && made <= 2 * SIZE);
  int distinct = 1;
  for (int k = 0; k < made; k++) {
    int32_t *m = learned + 4 * k;
    REQUIRE(m[0] < SIZE && m[1] < SIZE && m[2] >= LETTERS && m[2] < SIZE && m[3] >= 2);
    distinct &= m[2] == LETTERS + k;
    memcpy(m, (int32_t[]){m[0], m[1], k, m[2]}, sizeof(int32_t[4]));
  }
  gf_bpe *b = gf_bpe_new(of_byte, learned, made, NULL, 7);
  REQUIRE(b);
  int32_t *ids = malloc(sizeof *ids * at_least_one(bytes)), *ends = malloc(sizeof *ends * at_least_one(bytes));
  int32_t *other = malloc(sizeof *other * at_least_one(bytes)),
          *other_ends = malloc(sizeof *ends * at_least_one(bytes));
  for (int again = 0; again < 2; again++) { /* the second time from the words kept */
    int count = gf_bpe_bytes(ids, ends, b, text, words, n);
    check_pieces(ends, count, bytes);
    REQUIRE(gf_bpe_symbols(other, other_ends, b, same, words, n) == count);
    REQUIRE(!memcmp(ids, other, sizeof *ids * (size_t)count) &&
            !memcmp(ends, other_ends, sizeof *ends * (size_t)count));
    for (int k = 0, start = 0, at = 0; distinct && k < n; start = words[k++])
      for (int i = start; at < count && ends[at] <= words[k]; i++) REQUIRE(symbols[i] == ids[at++]);
    check_spans(ends, count, text, bytes);
  }
  gf_bpe_free(b);
  free(learned);
  free(symbols);
  free(counts);
  free(same);
  free(ids);
  free(ends);
  free(other);
  free(other_ends);
}

/* The search that is seen finds what the other finds: without fused characters, the same pieces. */
static void check_lattice(const gf_pieces *p, const double *scores, const uint8_t *text, int bytes, int unknown,
                          int flags) {
  size_t places = (size_t)bytes + 1;
  int32_t *last = malloc(sizeof *last * places), *ids = malloc(sizeof *ids * places),
          *ends = malloc(sizeof *ends * places);
  double *totals = malloc(sizeof *totals * places);
  int count = gf_unigram_lattice(NULL, NULL, 0, last, totals, p, scores, text, bytes, -30, unknown, flags);
  REQUIRE(count >= 0);
  int32_t *arcs = malloc(sizeof *arcs * 3 * at_least_one(count));
  double *own = malloc(sizeof *own * at_least_one(count));
  REQUIRE(gf_unigram_lattice(arcs, own, count, last, totals, p, scores, text, bytes, -30, unknown, flags) == count);
  int n = gf_unigram(ids, ends, p, scores, text, &bytes, 1, -30, unknown, flags & ~GF_UNIGRAM_FUSE);
  for (int j = bytes; j > 0; n--) {
    REQUIRE(n > 0 && last[j] >= 0 && last[j] < count && ends[n - 1] == j);
    const int32_t *arc = arcs + 3 * (size_t)last[j];
    REQUIRE(arc[1] == j && arc[0] < j && arc[2] == ids[n - 1]);
    REQUIRE(own[last[j]] == (arc[2] == unknown ? -30 : scores[arc[2]]));
    j = arc[0];
  }
  REQUIRE(n == 0);
  free(last);
  free(ids);
  free(ends);
  free(totals);
  free(arcs);
  free(own);
}

/* Pieces cut from the text itself, for WordPiece and the unigram model. */
static void check_piece_models(const uint8_t *text, int bytes, const int32_t *words, int n, uint8_t seed) {
  enum { PIECES = 40 };
  gf_pieces *p = gf_pieces_new(7);
  REQUIRE(p);
  double scores[PIECES], expected[PIECES] = {0};
  for (int k = 0; k < PIECES; k++) {
    scores[k] = -1 - (k * 37 + seed) % 11;
    int start = bytes ? (k * 131 + seed) % bytes : 0, length = bytes ? 1 + k % 5 : 0;
    if (length > bytes - start) length = bytes - start;
    if (length) REQUIRE(gf_pieces_add(p, text + start, &length, &k, 1, k % 2) == GF_OK);
  }
  int32_t *ids = malloc(sizeof *ids * at_least_one(bytes)), *ends = malloc(sizeof *ends * at_least_one(bytes));
  check_pieces(ends, gf_wordpiece(ids, ends, p, text, words, n, PIECES, 1 + seed % 20), bytes);
  for (int flags = 0; flags < 8; flags++) {
    int count = gf_unigram(ids, ends, p, scores, text, words, n, -30, PIECES, flags);
    check_pieces(ends, count, bytes);
    for (int k = 0; k < count; k++) REQUIRE(ids[k] >= 0 && ids[k] <= PIECES);
    check_lattice(p, scores, text, bytes, PIECES, flags);
  }
  int32_t *counts = malloc(sizeof *counts * at_least_one(n));
  for (int k = 0; k < n; k++) counts[k] = 1;
  double likelihood = gf_unigram_expect(expected, p, scores, text, words, counts, n);
  REQUIRE(likelihood == likelihood);
  for (int k = 0; k < PIECES; k++) REQUIRE(expected[k] >= 0 && expected[k] <= bytes + 1e-6);
  gf_pieces_free(p);
  free(ids);
  free(ends);
  free(counts);
}

static void check_tokenizers(const uint8_t *text, int bytes, int window, uint8_t seed) {
  int n;
  int32_t *words = check_cut(text, bytes, window, seed, &n);
  check_bpe(text, bytes, words, n, seed & 1);
  check_piece_models(text, bytes, words, n, seed);
  if (bytes) {
    int32_t whole = bytes;
    check_bpe(text, bytes, &whole, 1, 0);
    check_piece_models(text, bytes, &whole, 1, seed);
  }
  free(words);
}

#endif
