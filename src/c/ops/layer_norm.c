/* layer_norm.c - layer normalization of rows of C (Ba, Kiros and Hinton 2016):
 *
 *     mean = sum(x) / C,  var = sum((x - mean)^2) / C,  rstd = 1 / sqrt(var + eps)
 *     out[c] = (x[c] - mean) rstd weight[c] + bias[c]
 *
 * The sums are in double, so one pass is enough: the error of var = sum(x^2)/C - mean^2 is about 1e-16 mean^2, which
 * matters only if the mean is a million times the deviation (where a float32 row has lost more precision already).
 * x - mean subtracts the mean as two floats, so a large offset does not lose precision.
 */
#include "../glassformer.h"
#include "sum.h"

typedef struct {
  double mean, rstd;
} moments;

static moments row_moments(const float *x, int C, double eps) {
  gf_d2 sum = {0, 0}, squares = {0, 0};
  int c = 0;
  for (; c + 4 <= C; c += 4) {
    gf_f4 v = gf_load(x + c);
    sum += gf_promote_low(v) + gf_promote_high(v);
    squares = gf_sum_products(squares, v, v);
  }
  double total = gf_sum_lanes_double(sum), total_squares = gf_sum_lanes_double(squares);
  for (; c < C; c++) total += x[c], total_squares += (double)x[c] * x[c];
  double mean = total / C, var = total_squares / C - mean * mean;
  return (moments){mean, 1.0 / __builtin_sqrt((var < 0.0 ? 0.0 : var) + eps)};
}

/* The statistics of a row in four lanes each, for xhat = (x - mean) rstd; the mean is split into two floats. */
typedef struct {
  gf_f4 mean, mean_low, rstd;
} row_stats;

GF_INLINE row_stats splat_stats(float mean, double exact, float rstd) {
  return (row_stats){gf_splat(mean), gf_splat((float)(exact - mean)), gf_splat(rstd)};
}
GF_INLINE gf_f4 normalize(gf_f4 x, const row_stats *s) { return ((x - s->mean) - s->mean_low) * s->rstd; }

GF_INLINE void row_forward(float *out, const float *x, const float *weight, const float *bias, int C,
                           const row_stats *s) {
  int c = 0;
  for (; c + 4 <= C; c += 4) {
    gf_f4 y = normalize(gf_load(x + c), s);
    if (weight) y *= gf_load(weight + c);
    if (bias) y += gf_load(bias + c);
    gf_store(out + c, y);
  }
  for (; c < C; c++) {
    float y = normalize(gf_splat(x[c]), s)[0];
    if (weight) y *= weight[c];
    if (bias) y += bias[c];
    out[c] = y;
  }
}

void gf_layer_norm_forward(float *out, float *mean, float *rstd, const float *x, const float *weight, const float *bias,
                           int N, int C, double eps) {
  for (int n = 0; n < N; n++) {
    moments m = row_moments(x + (size_t)n * C, C, eps);
    if (mean) mean[n] = (float)m.mean, rstd[n] = (float)m.rstd;
    row_stats s = splat_stats((float)m.mean, m.mean, (float)m.rstd);
    row_forward(out + (size_t)n * C, x + (size_t)n * C, weight, bias, C, &s);
  }
}

/* With xhat = (x - mean) rstd and g = dout weight:
 *     out = xhat weight + bias            =>  dbias += dout,  dweight += dout xhat
 *     xhat = (x - mean(x)) rstd(x)        =>  dx += rstd (g - mean(g) - xhat mean(g xhat))
 */
static void row_backward(float *dx, float *dweight, float *dbias, const float *dout, const float *x,
                         const float *weight, int C, float mean, float rstd) {
  row_stats s = splat_stats(mean, gf_sum(x, C) / C, rstd);
  gf_d2 sum = {0, 0}, sum_xhat = {0, 0};
  for (int c = 0; c < C; c += 4) {
    int n = C - c;
    gf_f4 d = gf_load_partial(dout + c, n), xhat = normalize(gf_load_partial(x + c, n), &s);
    gf_f4 g = weight ? d * gf_load_partial(weight + c, n) : d;
    sum += gf_promote_low(g) + gf_promote_high(g);
    sum_xhat = gf_sum_products(sum_xhat, g, xhat);
    if (dweight) gf_store_partial(dweight + c, gf_load_partial(dweight + c, n) + d * xhat, n);
    if (dbias) gf_store_partial(dbias + c, gf_load_partial(dbias + c, n) + d, n);
  }
  if (!dx) return;
  gf_f4 mean_g = gf_splat((float)(gf_sum_lanes_double(sum) / C));
  gf_f4 mean_gx = gf_splat((float)(gf_sum_lanes_double(sum_xhat) / C));
  for (int c = 0; c < C; c += 4) {
    int n = C - c;
    gf_f4 g = gf_load_partial(dout + c, n), xhat = normalize(gf_load_partial(x + c, n), &s);
    if (weight) g *= gf_load_partial(weight + c, n);
    gf_store_partial(dx + c, gf_load_partial(dx + c, n) + s.rstd * (g - mean_g - xhat * mean_gx), n);
  }
}

void gf_layer_norm_backward(float *dx, float *dweight, float *dbias, const float *dout, const float *x,
                            const float *mean, const float *rstd, const float *weight, int N, int C) {
  for (int n = 0; n < N; n++)
    row_backward(dx ? dx + (size_t)n * C : NULL, dweight, dbias, dout + (size_t)n * C, x + (size_t)n * C, weight, C,
                 mean[n], rstd[n]);
}
