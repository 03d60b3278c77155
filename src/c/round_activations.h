/* round_activations.h - activations as 16-bit integers, for products with weights of few bits.
 *
 *     x[k] ~ t[k / 32] r[k]     r an integer from -max to max, t = max |x of the 32 values| / max, max 32767 or less
 *
 * Products of such integers with those of the weights are exact sums, which processors compute eight at a time.
 */
#ifndef GF_ROUND_ACTIVATIONS_H
#define GF_ROUND_ACTIVATIONS_H

#include "math.h"
#include "simd.h"

enum { GF_GROUP = 32 };
/* Groups whose values are all below this are rounded to 0, since the reciprocal of their step might be infinite. */
#define GF_ZERO_BELOW 0x1p-100f

/* The maximum absolute value of a group. The bits of nonnegative floats, compared as integers, have the same order,
 * with NaN above infinity. */
GF_INLINE float gf_group_max_abs(const float *x) {
  gf_i4 max = {0};
  for (int k = 0; k < GF_GROUP; k += 4) {
    gf_i4 magnitude = (gf_i4)gf_abs(gf_load(x + k));
    max = (gf_i4)gf_select(magnitude > max, (gf_f4)magnitude, (gf_f4)max);
  }
  int32_t a = max[0] > max[2] ? max[0] : max[2], b = max[1] > max[3] ? max[1] : max[3];
  return gf_from_bits((uint32_t)(a > b ? a : b));
}

/* Four values times `factor`, rounded to integers: adding 1.5 * 2^23 rounds values below 2^22, ties to even. */
GF_INLINE gf_i4 gf_round_to_int(const float *x, gf_f4 factor) {
  gf_f4 magic = gf_splat(12582912.0f);
  return (gf_i4)(gf_load(x) * factor + magic) - (gf_i4)magic;
}

/* Writes r of a group and returns t. If a value is not finite, t is NaN, which makes the whole product NaN. */
GF_INLINE float gf_round_group(int16_t *r, const float *x, float max_r) {
  float max = gf_group_max_abs(x);
  int in_range = max >= GF_ZERO_BELOW && max < GF_INFINITY;
  gf_f4 factor = gf_splat(in_range ? max_r / max : 0);
  for (int k = 0; k < GF_GROUP; k += 8) {
    gf_h8 low = (gf_h8)gf_round_to_int(x + k, factor), high = (gf_h8)gf_round_to_int(x + k + 4, factor);
    gf_h8 rounded = in_range ? __builtin_shufflevector(low, high, 0, 2, 4, 6, 8, 10, 12, 14) : (gf_h8){0};
    memcpy(r + k, &rounded, sizeof rounded);
  }
  return in_range ? max / max_r : max < GF_ZERO_BELOW ? 0 : GF_NAN;
}

#endif
