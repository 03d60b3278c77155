/* rms_norm.c - root mean square normalization of rows of C (Zhang and Sennrich 2019):
 *
 *     rstd = 1 / sqrt(sum(x^2) / C + eps),  out[c] = x[c] rstd weight[c]
 */
#include "../glassformer.h"
#include "sum.h"

/* The sum of squares of a row, in the order of scale_row, so that the bits of a row do not depend on its position. */
static double sum_of_squares(const float *x, int C) {
  gf_d2 squares = {0, 0};
  int c = 0;
  for (; c + 4 <= C; c += 4) squares = gf_sum_products(squares, gf_load(x + c), gf_load(x + c));
  double sum = gf_sum_lanes_double(squares);
  for (; c < C; c++) sum += (double)x[c] * x[c];
  return sum;
}

/* out = x scale weight of a row. Returns the sum of squares of the next row, so that reads and writes overlap. */
GF_INLINE double scale_row(float *out, const float *x, const float *weight, int C, float scale, const float *next) {
  gf_d2 squares = {0, 0};
  int c = 0;
  for (; c + 4 <= C; c += 4) {
    gf_f4 y = gf_load(x + c) * scale, v = gf_load(next + c);
    gf_store(out + c, weight ? y * gf_load(weight + c) : y);
    squares = gf_sum_products(squares, v, v);
  }
  double sum = gf_sum_lanes_double(squares);
  for (; c < C; c++) {
    out[c] = weight ? x[c] * scale * weight[c] : x[c] * scale;
    sum += (double)next[c] * next[c];
  }
  return sum;
}

void gf_rms_norm_forward(float *out, float *rstd, const float *x, const float *weight, int N, int C, double eps) {
  double sum = N > 0 ? sum_of_squares(x, C) : 0.0;
  for (int n = 0; n < N; n++, out += C, x += C) {
    float scale = (float)(1.0 / __builtin_sqrt(sum / C + eps));
    if (rstd) rstd[n] = scale;
    sum = scale_row(out, x, weight, C, scale, n + 1 < N ? x + C : x);
  }
}

/* With xhat = x rstd and g = dout weight:
 *     out = xhat weight      =>  dweight += dout xhat
 *     xhat = x rstd(x)       =>  dx += rstd (g - xhat mean(g xhat)) */
static void row_backward(float *dx, float *dweight, const float *dout, const float *x, const float *weight, int C,
                         float rstd) {
  gf_d2 sum = {0, 0};
  for (int c = 0; c < C; c += 4) {
    int n = C - c;
    gf_f4 d = gf_load_partial(dout + c, n), xhat = gf_load_partial(x + c, n) * rstd;
    sum = gf_sum_products(sum, weight ? d * gf_load_partial(weight + c, n) : d, xhat);
    if (dweight) gf_store_partial(dweight + c, gf_load_partial(dweight + c, n) + d * xhat, n);
  }
  if (!dx) return;
  float mean = (float)(gf_sum_lanes_double(sum) / C);
  for (int c = 0; c < C; c += 4) {
    int n = C - c;
    gf_f4 g = gf_load_partial(dout + c, n), xhat = gf_load_partial(x + c, n) * rstd;
    if (weight) g *= gf_load_partial(weight + c, n);
    gf_store_partial(dx + c, gf_load_partial(dx + c, n) + rstd * (g - xhat * mean), n);
  }
}

void gf_rms_norm_backward(float *dx, float *dweight, const float *dout, const float *x, const float *rstd,
                          const float *weight, int N, int C) {
  for (int n = 0; n < N; n++)
    row_backward(dx ? dx + (size_t)n * C : NULL, dweight, dout + (size_t)n * C, x + (size_t)n * C, weight, C, rstd[n]);
}
