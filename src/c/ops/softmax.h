/* softmax.h - operations on a row, shared by softmax.c, log_softmax.c, reduce.c and attention.c.
 *
 * Sums are in lane order: lane l adds x[l], x[4 + l], x[8 + l], ..., and gf_sum_lanes adds the four lanes. */
#ifndef GF_SOFTMAX_H
#define GF_SOFTMAX_H

#include "../math.h"

/* The maximum of n values; -infinity if n is 0. It may ignore NaNs: their exponentials make the sum NaN anyway. */
GF_INLINE float gf_row_max(const float *x, int n) {
  gf_f4 max = gf_splat(-GF_INFINITY), max2 = max;
  int i = 0;
  for (; i + 8 <= n; i += 8) max = gf_max(max, gf_load(x + i)), max2 = gf_max(max2, gf_load(x + i + 4));
  max = gf_max(max, max2);
  for (; i + 4 <= n; i += 4) max = gf_max(max, gf_load(x + i));
  if (i < n) max = gf_max(max, gf_load_tail(x + i, n - i, -GF_INFINITY));
  return gf_max_lanes(max);
}

/* out[i] = exp(x[i] - shift), where shift is the maximum. Returns their sum in lane order. out may be x. The loop
 * computes two vectors per iteration, so that the long dependency chains of their exponentials overlap. */
GF_INLINE float gf_row_exp(float *out, const float *x, int n, float shift) {
  gf_f4 sum = gf_zero(), shift4 = gf_splat(shift);
  int i = 0;
  for (; i + 8 <= n; i += 8) {
    gf_f4 e = gf_exp4_nonpositive(gf_load(x + i) - shift4), e2 = gf_exp4_nonpositive(gf_load(x + i + 4) - shift4);
    gf_store(out + i, e);
    gf_store(out + i + 4, e2);
    sum += e;
    sum += e2;
  }
  for (; i + 4 <= n; i += 4) {
    gf_f4 e = gf_exp4_nonpositive(gf_load(x + i) - shift4);
    gf_store(out + i, e);
    sum += e;
  }
  if (i < n) {
    gf_f4 e = gf_exp4_nonpositive(gf_load_tail(x + i, n - i, -GF_INFINITY) - shift4);
    gf_store_tail(out + i, e, n - i);
    sum += e;
  }
  return gf_sum_lanes(sum);
}

/* x *= factor for n values. */
GF_INLINE void gf_row_scale(float *x, int n, float factor) {
  gf_f4 factor4 = gf_splat(factor);
  int i = 0;
  for (; i + 4 <= n; i += 4) gf_store(x + i, gf_load(x + i) * factor4);
  for (; i < n; i++) x[i] *= factor;
}

/* out = softmax(x) over n values; out may be x. */
GF_INLINE void gf_row_softmax(float *out, const float *x, int n) {
  float sum = gf_row_exp(out, x, n, gf_row_max(x, n));
  gf_row_scale(out, n, 1.0f / sum);
}

/* The sum of a[i] b[i] in lane order. */
GF_INLINE float gf_row_dot(const float *a, const float *b, int n) {
  gf_f4 sum = gf_zero();
  int i = 0;
  for (; i + 4 <= n; i += 4) sum = gf_mul_add(gf_load(a + i), gf_load(b + i), sum);
  if (i < n) sum = gf_mul_add(gf_load_tail(a + i, n - i, 0), gf_load_tail(b + i, n - i, 0), sum);
  return gf_sum_lanes(sum);
}

#endif
