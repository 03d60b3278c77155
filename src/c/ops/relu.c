/* relu.c - out = max(x, 0), NaN staying NaN. */
#include "../glassformer.h"

void gf_relu_forward(float *out, const float *x, int n) {
  for (int i = 0; i < n; i++) out[i] = x[i] <= 0.0f ? 0.0f : x[i];
}

/* out = max(x, 0)  =>  dx += dout where x > 0 (at 0 the derivative is taken as 0, as PyTorch does) */
void gf_relu_backward(float *dx, const float *dout, const float *x, int n) {
  for (int i = 0; i < n; i++) dx[i] += x[i] <= 0.0f ? 0.0f : dout[i];
}
