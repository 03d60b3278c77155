/* softmax.h - the row of a softmax, shared by softmax.c, log_softmax.c, cross_entropy.c and attention.c. */
#ifndef GF_SOFTMAX_H
#define GF_SOFTMAX_H

#include "../math.h"

/* The largest of n values; -infinity when there are none. Of several NaN and numbers either may come out: the
 * exponentials bring a NaN back into the sum anyway. */
GF_INLINE float gf_row_max(const float *x, int n) {
  gf_f4 most = gf_splat(-GF_INFINITY), other = most;
  int i = 0;
  for (; i + 8 <= n; i += 8) most = gf_max(most, gf_load(x + i)), other = gf_max(other, gf_load(x + i + 4));
  most = gf_max(most, other);
  for (; i + 4 <= n; i += 4) most = gf_max(most, gf_load(x + i));
  if (i < n) most = gf_max(most, gf_load_tail(x + i, n - i, -GF_INFINITY));
  return gf_max_lanes(most);
}

/* out[i] = exp(x[i] - shift), shift being the largest; returns their sum in lane order. out may be x. An exponential is
 * a long chain of steps; two chains side by side keep the machine busier than one after the other. */
GF_INLINE float gf_row_exp(float *out, const float *x, int n, float shift) {
  gf_f4 sum = gf_zero(), by = gf_splat(shift);
  int i = 0;
  for (; i + 8 <= n; i += 8) {
    gf_f4 e = gf_exp4_falling(gf_load(x + i) - by), f = gf_exp4_falling(gf_load(x + i + 4) - by);
    gf_store(out + i, e);
    gf_store(out + i + 4, f);
    sum += e;
    sum += f;
  }
  for (; i + 4 <= n; i += 4) {
    gf_f4 e = gf_exp4_falling(gf_load(x + i) - by);
    gf_store(out + i, e);
    sum += e;
  }
  if (i < n) {
    gf_f4 e = gf_exp4_falling(gf_load_tail(x + i, n - i, -GF_INFINITY) - by);
    gf_store_tail(out + i, e, n - i);
    sum += e;
  }
  return gf_sum_lanes(sum);
}

/* x *= factor, n values */
GF_INLINE void gf_row_scale(float *x, int n, float factor) {
  gf_f4 by = gf_splat(factor);
  int i = 0;
  for (; i + 4 <= n; i += 4) gf_store(x + i, gf_load(x + i) * by);
  for (; i < n; i++) x[i] *= factor;
}

/* out = softmax(x) over n values; out may be x. */
GF_INLINE void gf_row_softmax(float *out, const float *x, int n) {
  float sum = gf_row_exp(out, x, n, gf_row_max(x, n));
  gf_row_scale(out, n, 1.0f / sum);
}

/* sum of a[i] b[i] in lane order */
GF_INLINE float gf_row_dot(const float *a, const float *b, int n) {
  gf_f4 sum = gf_zero();
  int i = 0;
  for (; i + 4 <= n; i += 4) sum = gf_mul_add(gf_load(a + i), gf_load(b + i), sum);
  if (i < n) sum = gf_mul_add(gf_load_tail(a + i, n - i, 0), gf_load_tail(b + i, n - i, 0), sum);
  return gf_sum_lanes(sum);
}

#endif
