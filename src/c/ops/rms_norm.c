/* rms_norm.c - each row of C brought to a mean square of 1, then scaled (Zhang and Sennrich 2019):
 *
 *     rstd = 1 / sqrt(sum(x^2) / C + eps),  out[c] = x[c] rstd weight[c]
 */
#include "../glassformer.h"
#include "../simd.h"

GF_INLINE void scale_row(float *out, const float *x, const float *weight, int C, float scale) {
  int c = 0;
  for (; c + 4 <= C; c += 4) {
    gf_f4 y = gf_load(x + c) * scale;
    gf_store(out + c, weight ? y * gf_load(weight + c) : y);
  }
  for (; c < C; c++) out[c] = weight ? x[c] * scale * weight[c] : x[c] * scale;
}

void gf_rms_norm_forward(float *out, float *rstd, const float *x, const float *weight, int N, int C, double eps) {
  for (int n = 0; n < N; n++, out += C, x += C) {
    float scale = (float)(1.0 / __builtin_sqrt(gf_sum_squares(x, C) / C + eps));
    if (rstd) rstd[n] = scale;
    scale_row(out, x, weight, C, scale);
  }
}

/* With xhat = x rstd and g = dout weight:
 *     out = xhat weight      =>  dweight += dout xhat
 *     xhat = x rstd(x)       =>  dx += rstd (g - xhat mean(g xhat)) */
void gf_rms_norm_backward(float *dx, float *dweight, const float *dout, const float *x, const float *rstd,
                          const float *weight, int N, int C) {
  for (int n = 0; n < N; n++, dout += C, x += C) {
    double sum = 0.0;
    for (int c = 0; c < C; c++) {
      float xhat = x[c] * rstd[n];
      sum += (double)(weight ? dout[c] * weight[c] : dout[c]) * xhat;
      if (dweight) dweight[c] += dout[c] * xhat;
    }
    float mean = (float)(sum / C);
    if (!dx) continue;
    for (int c = 0; c < C; c++) dx[c] += rstd[n] * ((weight ? dout[c] * weight[c] : dout[c]) - x[c] * rstd[n] * mean);
    dx += C;
  }
}
