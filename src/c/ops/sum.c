/* sum.c - accumulation, scaling and clamping in place, and sums in double. */
#include "sum.h"

#include "../glassformer.h"

void gf_accumulate(float *out, const float *x, int n) {
  for (int i = 0; i < n; i++) out[i] += x[i];
}

void gf_scale(float *x, int n, float factor) {
  for (int i = 0; i < n; i++) x[i] *= factor;
}

void gf_clamp(float *x, int n, float low, float high) {
  for (int i = 0; i < n; i++) x[i] = x[i] < low ? low : x[i] > high ? high : x[i];
}

GF_INLINE gf_d2 absolute(gf_d2 x, gf_d2 center) {
  (void)center;
  return (gf_d2)((gf_i4)x & (gf_i4){-1, INT32_MAX, -1, INT32_MAX}); /* clears the sign bits */
}
GF_INLINE gf_d2 square(gf_d2 x, gf_d2 center) {
  (void)center;
  return x * x;
}

double gf_sum(const float *x, int n) { return gf_sum_terms(x, n, gf_identity); }

double gf_sum_absolute(const float *x, int n) { return gf_sum_terms(x, n, absolute); }

double gf_sum_squares(const float *x, int n) { return gf_sum_terms(x, n, square); }

/* NaN propagates, as in torch.linalg.norm with ord=inf. */
float gf_max_absolute(const float *x, int n) {
  float max = 0.0f;
  for (int i = 0; i < n; i++) {
    float magnitude = __builtin_fabsf(x[i]);
    if (!(magnitude <= max)) max = magnitude;
    if (magnitude != magnitude) return magnitude;
  }
  return max;
}
