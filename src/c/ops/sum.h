/* sum.h - sums in double of what is made of each value of a row. */
#include "../simd.h"

/* What is summed of two values. */
typedef gf_d2 (*gf_term)(gf_d2 x, gf_d2 about);

GF_INLINE gf_d2 gf_identity(gf_d2 x, gf_d2 about) {
  (void)about;
  return x;
}
GF_INLINE gf_d2 gf_squared_distance(gf_d2 x, gf_d2 mean) { return (x - mean) * (x - mean); }

enum { GF_SUM_BLOCK = 16, GF_SUM_CHAINS = GF_SUM_BLOCK / 2 };

/* A part of each value of a block: eight chains of additions, which overlap. */
GF_INLINE void gf_add_block(gf_d2 *sums, const float *x, gf_term part, gf_d2 about) {
#pragma unroll
  for (int k = 0; k < GF_SUM_BLOCK; k += 4) {
    gf_f4 v = gf_load(x + k);
    sums[k / 2] += part(gf_low_double(v), about);
    sums[k / 2 + 1] += part(gf_high_double(v), about);
  }
}

/* The sum of all chains and of what is left from i on. */
GF_INLINE double gf_finish_sum(gf_d2 *sums, const float *x, int i, int n, gf_term part, gf_d2 about) {
  for (; i + 2 <= n; i += 2) sums[0] += part((gf_d2){x[i], x[i + 1]}, about);
#pragma unroll
  for (int k = 2; k < GF_SUM_CHAINS; k += 2) sums[0] += sums[k], sums[1] += sums[k + 1];
  double sum = gf_sum_lanes_double(sums[0] + sums[1]);
  return i < n ? sum + part((gf_d2){x[i], x[i]}, about)[0] : sum;
}

GF_INLINE double gf_sum_parts(const float *x, int n, gf_term part) {
  gf_d2 sums[GF_SUM_CHAINS] = {{0.0, 0.0}}, about = {0.0, 0.0};
  int i = 0;
  for (; i + GF_SUM_BLOCK <= n; i += GF_SUM_BLOCK) gf_add_block(sums, x + i, part, about);
  return gf_finish_sum(sums, x, i, n, part, about);
}

/* sum + a b of four values, the upper two beside the lower two. */
GF_INLINE gf_d2 gf_sum_products(gf_d2 sum, gf_f4 a, gf_f4 b) {
  return sum + (gf_low_double(a) * gf_low_double(b) + gf_high_double(a) * gf_high_double(b));
}
