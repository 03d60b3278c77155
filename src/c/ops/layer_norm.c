/* layer_norm.c - each row of C brought to mean 0 and variance 1, then scaled and shifted (Ba, Kiros and Hinton 2016):
 *
 *     mean = sum(x) / C,  var = sum((x - mean)^2) / C,  rstd = 1 / sqrt(var + eps)
 *     out[c] = (x[c] - mean) rstd weight[c] + bias[c]
 *
 * The sums are double, which makes one pass enough: var = sum(x^2)/C - mean^2 is off by about 1e-16 mean^2, which tells
 * only where the mean is a million times the deviation (and there a float32 row has lost more).
 * The subtraction x - mean uses the double mean's rounding and its rest, so a large offset does not cost digits.
 */
#include "../glassformer.h"
#include "../math.h"

typedef struct {
  double mean, rstd;
} moments;

static moments row_moments(const float *x, int C, double eps) {
  gf_d2 sum = {0, 0}, squares = {0, 0};
  int c = 0;
  for (; c + 4 <= C; c += 4) {
    gf_f4 v = gf_load(x + c);
    gf_d2 low = gf_low_double(v), high = gf_high_double(v);
    sum += low + high;
    squares += low * low + high * high;
  }
  double total = gf_sum_lanes_double(sum), total_squares = gf_sum_lanes_double(squares);
  for (; c < C; c++) total += x[c], total_squares += (double)x[c] * x[c];
  double mean = total / C, var = total_squares / C - mean * mean;
  return (moments){mean, 1.0 / __builtin_sqrt((var < 0.0 ? 0.0 : var) + eps)};
}

/* (x - mean) rstd for four values, the mean in two floats. */
GF_INLINE gf_f4 normalise(gf_f4 x, gf_f4 mean, gf_f4 mean_rest, gf_f4 rstd) { return ((x - mean) - mean_rest) * rstd; }

GF_INLINE void row_forward(float *out, const float *x, const float *weight, const float *bias, int C, moments m) {
  gf_f4 mean = gf_splat((float)m.mean), rest = gf_splat((float)(m.mean - (float)m.mean));
  gf_f4 rstd = gf_splat((float)m.rstd);
  int c = 0;
  for (; c + 4 <= C; c += 4) {
    gf_f4 y = normalise(gf_load(x + c), mean, rest, rstd);
    if (weight) y *= gf_load(weight + c);
    if (bias) y += gf_load(bias + c);
    gf_store(out + c, y);
  }
  for (; c < C; c++) {
    float y = ((x[c] - mean[0]) - rest[0]) * rstd[0];
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
    row_forward(out + (size_t)n * C, x + (size_t)n * C, weight, bias, C, m);
  }
}

/* With xhat = (x - mean) rstd and g = dout weight:
 *     out = xhat weight + bias            =>  dbias += dout,  dweight += dout xhat
 *     xhat = (x - mean(x)) rstd(x)        =>  dx += rstd (g - mean(g) - xhat mean(g xhat))
 */
static void row_backward(float *dx, float *dweight, float *dbias, const float *dout, const float *x,
                         const float *weight, int C, float mean, float rstd) {
  double sum = 0.0, sum_xhat = 0.0;
  /* mean is rounded; xhat's own mean puts back what that took away. */
  double shift = gf_sum(x, C) / C - mean;
  for (int c = 0; c < C; c++) {
    float xhat = (float)((x[c] - mean) - shift) * rstd, g = weight ? dout[c] * weight[c] : dout[c];
    sum += g;
    sum_xhat += (double)g * xhat;
    if (dweight) dweight[c] += dout[c] * xhat;
    if (dbias) dbias[c] += dout[c];
  }
  if (!dx) return;
  float mean_g = (float)(sum / C), mean_gx = (float)(sum_xhat / C);
  for (int c = 0; c < C; c++) {
    float xhat = (float)((x[c] - mean) - shift) * rstd, g = weight ? dout[c] * weight[c] : dout[c];
    dx[c] += rstd * (g - mean_g - xhat * mean_gx);
  }
}

void gf_layer_norm_backward(float *dx, float *dweight, float *dbias, const float *dout, const float *x,
                            const float *mean, const float *rstd, const float *weight, int N, int C) {
  for (int n = 0; n < N; n++)
    row_backward(dx ? dx + (size_t)n * C : NULL, dweight, dbias, dout + (size_t)n * C, x + (size_t)n * C, weight, C,
                 mean[n], rstd[n]);
}
