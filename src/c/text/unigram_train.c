/* unigram_train.c - the steps of learning a unigram language model (Kudo 2018): expectation, maximisation, and what it
 * would cost to do without a piece.
 *
 *     alpha(0) = 0,  alpha(j) = log sum over pieces text[i..j) of exp(alpha(i) + score(piece));  beta from the end
 *     expected(piece) += count(word) exp(alpha(i) + score(piece) + beta(j) - alpha(end))     for each place it stands
 *     score = digamma(expected) - digamma(sum of all expected)
 *
 * digamma instead of the logarithm makes rare pieces rarer still: a Dirichlet prior that likes few pieces.
 */
#include <stdlib.h>

#include "../math.h"
#include "pieces.h"
#include "utf8.h"

#define NOTHING (-1e300) /* the logarithm of no probability at all */

/* log(e^a + e^b) */
static double log_add(double a, double b) {
  double high = a > b ? a : b, low = a > b ? b : a;
  return low <= NOTHING || high - low > 50 ? high : high + gf_log1p(gf_exp(low - high));
}

typedef struct {
  const gf_pieces *pieces;
  const double *scores;
  const uint8_t *text;
  int bytes;
} word;

/* The id of a piece that goes on from byte j of a piece begun before, in node[0]; -1 when none ends there, -2 when none
 * goes on. */
static int32_t go_on(const word *w, int32_t *node, int j) {
  *node = gf_pieces_step(w->pieces, *node, w->text[j]);
  return *node ? w->pieces->ids[*node] : -2;
}

static void forward(double *alpha, const word *w) {
  alpha[0] = 0;
  for (int j = 1; j <= w->bytes; j++) alpha[j] = NOTHING;
  for (int i = 0; i < w->bytes; i++) {
    if (alpha[i] <= NOTHING) continue;
    int32_t node = GF_PIECES_START, id;
    for (int j = i; j < w->bytes && (id = go_on(w, &node, j)) > -2; j++)
      if (id >= 0) alpha[j + 1] = log_add(alpha[j + 1], alpha[i] + w->scores[id]);
  }
}

/* beta, from the end to the beginning, and with it what is expected. */
static void backward(double *expected, double *beta, const double *alpha, const word *w, double count) {
  beta[w->bytes] = 0;
  for (int i = w->bytes - 1; i >= 0; i--) {
    beta[i] = NOTHING;
    if (alpha[i] <= NOTHING) continue;
    int32_t node = GF_PIECES_START, id;
    for (int j = i; j < w->bytes && (id = go_on(w, &node, j)) > -2; j++) {
      if (id < 0 || beta[j + 1] <= NOTHING) continue;
      double here = w->scores[id] + beta[j + 1];
      beta[i] = log_add(beta[i], here);
      expected[id] += count * gf_exp(alpha[i] + here - alpha[w->bytes]);
    }
  }
}

double gf_unigram_expect(double *expected, const gf_pieces *p, const double *scores, const uint8_t *text,
                         const int32_t *words, const int32_t *counts, int n) {
  int longest = 0;
  for (int k = 0, start = 0; k < n; start = words[k++])
    if (words[k] - start > longest) longest = words[k] - start;
  double *alpha = malloc(((size_t)longest + 1) * 2 * sizeof *alpha), likelihood = 0;
  if (!alpha) return GF_NAN;
  double *beta = alpha + longest + 1;
  for (int k = 0, start = 0; k < n; start = words[k++]) {
    word w = {p, scores, text + start, words[k] - start};
    forward(alpha, &w);
    if (alpha[w.bytes] <= NOTHING) continue;
    backward(expected, beta, alpha, &w, counts[k]);
    likelihood += counts[k] * alpha[w.bytes];
  }
  free(alpha);
  return likelihood;
}

/* digamma(x) = digamma(x + 1) - 1/x; from 7 on the series in 1 / (x - 1/2) is good to 1e-10. */
static double digamma(double x) {
  double below = 0;
  for (; x < 7; x += 1) below -= 1 / x;
  x -= 0.5;
  double square = 1 / (x * x);
  return below + gf_log(x) + square / 24 - 7 * square * square / 960 + 31 * square * square * square / 8064 -
         127 * square * square * square * square / 30720;
}

void gf_unigram_maximize(double *scores, const double *expected, int n) {
  double sum = 0;
  for (int k = 0; k < n; k++) sum += expected[k];
  double all = digamma(sum);
  for (int k = 0; k < n; k++) scores[k] = digamma(expected[k]) - all;
}

/* Without piece k its f occurrences become its other cut: each piece of that gains f, and the number of all grows. */
void gf_unigram_losses(double *losses, const double *frequency, const int32_t *ids, const int32_t *ends, int n) {
  double sum = 0;
  for (int k = 0; k < n; k++) sum += frequency[k];
  for (int k = 0, start = 0; k < n; start = ends[k++]) {
    double f = frequency[k], others = gf_log(sum + f * (ends[k] - start - 1)), without = 0;
    if (f <= 0) {
      losses[k] = 0;
      continue;
    }
    for (int i = start; i < ends[k]; i++) without += gf_log(frequency[ids[i]] + f) - others;
    losses[k] = f / sum * (gf_log(f) - gf_log(sum) - without);
  }
}
