/* unigram_train.c - training of a unigram language model (Kudo 2018): expectation, maximization, and the loss in
 * likelihood without a piece.
 *
 *     alpha(0) = 0,  alpha(j) = log sum over pieces text[i..j) of exp(alpha(i) + score(piece));  beta from the end
 *     expected(piece) += count(word) exp(alpha(i) + score(piece) + beta(j) - alpha(end))     for each occurrence
 *     score = digamma(expected) - digamma(sum of all expected)
 *
 * digamma instead of log corresponds to a sparse Dirichlet prior: it makes rare pieces even rarer.
 */
#include <stdlib.h>

#include "../math.h"
#include "pieces.h"
#include "utf8.h"

#define LOG_ZERO (-1e300) /* stands for log 0 */

/* log(e^a + e^b) */
static double log_add(double a, double b) {
  double high = a > b ? a : b, low = a > b ? b : a;
  return low <= LOG_ZERO || high - low > 50 ? high : high + gf_log1p(gf_exp(low - high));
}

typedef struct {
  const gf_pieces *pieces;
  const double *scores;
  const uint8_t *text;
  int bytes;
} word;

/* Moves node[0] by byte j; returns the id of the piece that ends there, -1 if none does, -2 if there is no child. */
static int32_t step(const word *w, int32_t *node, int j) {
  *node = gf_pieces_step(w->pieces, *node, w->text[j]);
  return *node ? w->pieces->ids[*node] : -2;
}

static void forward(double *alpha, const word *w) {
  alpha[0] = 0;
  for (int j = 1; j <= w->bytes; j++) alpha[j] = LOG_ZERO;
  for (int i = 0; i < w->bytes; i++) {
    if (alpha[i] <= LOG_ZERO) continue;
    int32_t node = GF_PIECES_START, id;
    for (int j = i; j < w->bytes && (id = step(w, &node, j)) > -2; j++)
      if (id >= 0) alpha[j + 1] = log_add(alpha[j + 1], alpha[i] + w->scores[id]);
  }
}

/* Computes beta from the end to the start, and the expected counts. */
static void backward(double *expected, double *beta, const double *alpha, const word *w, double count) {
  beta[w->bytes] = 0;
  for (int i = w->bytes - 1; i >= 0; i--) {
    beta[i] = LOG_ZERO;
    if (alpha[i] <= LOG_ZERO) continue;
    int32_t node = GF_PIECES_START, id;
    for (int j = i; j < w->bytes && (id = step(w, &node, j)) > -2; j++) {
      if (id < 0 || beta[j + 1] <= LOG_ZERO) continue;
      double score = w->scores[id] + beta[j + 1];
      beta[i] = log_add(beta[i], score);
      expected[id] += count * gf_exp(alpha[i] + score - alpha[w->bytes]);
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
    if (alpha[w.bytes] <= LOG_ZERO) continue;
    backward(expected, beta, alpha, &w, counts[k]);
    likelihood += counts[k] * alpha[w.bytes];
  }
  free(alpha);
  return likelihood;
}

/* digamma(x) = digamma(x + 1) - 1/x; for x >= 7 the series in 1 / (x - 1/2) has an error below 1e-10. */
static double digamma(double x) {
  double shift = 0;
  for (; x < 7; x += 1) shift -= 1 / x;
  x -= 0.5;
  double square = 1 / (x * x);
  return shift + gf_log(x) + square / 24 - 7 * square * square / 960 + 31 * square * square * square / 8064 -
         127 * square * square * square * square / 30720;
}

void gf_unigram_maximize(double *scores, const double *expected, int n) {
  double sum = 0;
  for (int k = 0; k < n; k++) sum += expected[k];
  double digamma_sum = digamma(sum);
  for (int k = 0; k < n; k++) scores[k] = digamma(expected[k]) - digamma_sum;
}

/* Without piece k, its f occurrences are segmented otherwise: the count of each of those pieces grows by f, and the
 * total grows. */
void gf_unigram_losses(double *losses, const double *frequency, const int32_t *ids, const int32_t *ends, int n) {
  double sum = 0;
  for (int k = 0; k < n; k++) sum += frequency[k];
  for (int k = 0, start = 0; k < n; start = ends[k++]) {
    double f = frequency[k], new_total = gf_log(sum + f * (ends[k] - start - 1)), alternative = 0;
    if (f <= 0) {
      losses[k] = 0;
      continue;
    }
    for (int i = start; i < ends[k]; i++) alternative += gf_log(frequency[ids[i]] + f) - new_total;
    losses[k] = f / sum * (gf_log(f) - gf_log(sum) - alternative);
  }
}
