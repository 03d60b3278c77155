/* add.c - out = a + b, where axes of length 1 are repeated (broadcasting), and the reductions the library needs. */
#include "broadcast.h"

void gf_add_forward(float *out, const float *a, const float *b, const int32_t *shape, const int32_t *a_strides,
                    const int32_t *b_strides) {
  int n = shape[3], sa = a_strides[3], sb = b_strides[3];
  for (int r = 0; r < gf_runs(shape); r++) {
    gf_run at = gf_run_at(r, shape, a_strides, b_strides);
    const float *x = a + at.a, *y = b + at.b;
    float *z = out + at.out;
    if (sa == 1 && sb == 1)
      for (int i = 0; i < n; i++) z[i] = x[i] + y[i];
    else
      for (int i = 0; i < n; i++) z[i] = x[i * sa] + y[i * sb];
  }
}

/* out = a + b  =>  da += dout, summed where a was repeated */
void gf_add_backward(float *da, const float *dout, const int32_t *shape, const int32_t *a_strides) {
  int n = shape[3], step = a_strides[3];
  for (int r = 0; r < gf_runs(shape); r++) {
    gf_run at = gf_run_at(r, shape, a_strides, a_strides);
    for (int i = 0; i < n; i++) da[at.a + (size_t)i * step] += dout[at.out + i];
  }
}

void gf_accumulate(float *out, const float *x, int n) {
  for (int i = 0; i < n; i++) out[i] += x[i];
}

/* Sums run in double. Values at even and at odd places are summed apart, so that two chains of additions overlap. */
double gf_sum(const float *x, int n) {
  double even = 0.0, odd = 0.0;
  for (int i = 0; i + 1 < n; i += 2) even += x[i], odd += x[i + 1];
  return n % 2 ? even + odd + x[n - 1] : even + odd;
}

/* One chain: only gradient clipping by the 1-norm asks for it. */
double gf_sum_absolute(const float *x, int n) {
  double sum = 0.0;
  for (int i = 0; i < n; i++) sum += __builtin_fabsf(x[i]);
  return sum;
}

double gf_sum_squares(const float *x, int n) {
  double even = 0.0, odd = 0.0;
  for (int i = 0; i + 1 < n; i += 2) even += (double)x[i] * x[i], odd += (double)x[i + 1] * x[i + 1];
  return n % 2 ? even + odd + (double)x[n - 1] * x[n - 1] : even + odd;
}

/* NaN wins, as in torch.linalg.norm with ord=inf. */
float gf_max_absolute(const float *x, int n) {
  float largest = 0.0f;
  for (int i = 0; i < n; i++) {
    float size = __builtin_fabsf(x[i]);
    if (!(size <= largest)) largest = size;
    if (size != size) return size;
  }
  return largest;
}
