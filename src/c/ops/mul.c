/* mul.c - out = a b element by element, where axes of length 1 are repeated (broadcasting). */
#include "broadcast.h"

void gf_mul_forward(float *out, const float *a, const float *b, const int32_t *shape, const int32_t *a_strides,
                    const int32_t *b_strides) {
  int n = shape[3], sa = a_strides[3], sb = b_strides[3];
  for (int r = 0; r < gf_runs(shape); r++) {
    gf_run at = gf_run_at(r, shape, a_strides, b_strides);
    for (int i = 0; i < n; i++) out[at.out + i] = a[at.a + i * sa] * b[at.b + i * sb];
  }
}

/* out = a b  =>  da += dout b, summed where a was repeated */
void gf_mul_backward(float *da, const float *dout, const float *b, const int32_t *shape, const int32_t *a_strides,
                     const int32_t *b_strides) {
  int n = shape[3], sa = a_strides[3], sb = b_strides[3];
  for (int r = 0; r < gf_runs(shape); r++) {
    gf_run at = gf_run_at(r, shape, a_strides, b_strides);
    for (int i = 0; i < n; i++) da[at.a + i * sa] += dout[at.out + i] * b[at.b + i * sb];
  }
}

void gf_scale(float *x, int n, float factor) {
  for (int i = 0; i < n; i++) x[i] *= factor;
}

void gf_clamp(float *x, int n, float low, float high) {
  for (int i = 0; i < n; i++) x[i] = x[i] < low ? low : x[i] > high ? high : x[i];
}
