/* sum.c - n values added to others, scaled or limited in place, and reduced to one number. */
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
