/* sum.h - sums over a row in double, of a term computed from each value. */
#include "../simd.h"

/* The terms of two values; `center` is subtracted by gf_squared_distance and unused by others. */
typedef gf_d2 (*gf_term)(gf_d2 x, gf_d2 center);

GF_INLINE gf_d2 gf_identity(gf_d2 x, gf_d2 center) {
  (void)center;
  return x;
}
GF_INLINE gf_d2 gf_squared_distance(gf_d2 x, gf_d2 mean) { return (x - mean) * (x - mean); }

enum { GF_SUM_BLOCK = 16, GF_SUM_CHAINS = GF_SUM_BLOCK / 2 };

/* Adds the terms of a block of values to eight sums, whose dependency chains overlap. */
GF_INLINE void gf_add_block(gf_d2 *sums, const float *x, gf_term term, gf_d2 center) {
#pragma unroll
  for (int k = 0; k < GF_SUM_BLOCK; k += 4) {
    gf_f4 v = gf_load(x + k);
    sums[k / 2] += term(gf_promote_low(v), center);
    sums[k / 2 + 1] += term(gf_promote_high(v), center);
  }
}

/* Adds the remaining values from i on, and returns the sum of all chains. */
GF_INLINE double gf_finish_sum(gf_d2 *sums, const float *x, int i, int n, gf_term term, gf_d2 center) {
  for (; i + 2 <= n; i += 2) sums[0] += term((gf_d2){x[i], x[i + 1]}, center);
#pragma unroll
  for (int k = 2; k < GF_SUM_CHAINS; k += 2) sums[0] += sums[k], sums[1] += sums[k + 1];
  double sum = gf_sum_lanes_double(sums[0] + sums[1]);
  return i < n ? sum + term((gf_d2){x[i], x[i]}, center)[0] : sum;
}

GF_INLINE double gf_sum_terms(const float *x, int n, gf_term term) {
  gf_d2 sums[GF_SUM_CHAINS] = {{0.0, 0.0}}, center = {0.0, 0.0};
  int i = 0;
  for (; i + GF_SUM_BLOCK <= n; i += GF_SUM_BLOCK) gf_add_block(sums, x + i, term, center);
  return gf_finish_sum(sums, x, i, n, term, center);
}

/* sum + the products a b of four lanes; lanes 0 + 2 and 1 + 3 go to the two sums. */
GF_INLINE gf_d2 gf_sum_products(gf_d2 sum, gf_f4 a, gf_f4 b) {
  return sum + (gf_promote_low(a) * gf_promote_low(b) + gf_promote_high(a) * gf_promote_high(b));
}
