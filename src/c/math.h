/* math.h - elementary functions that compute the same bits on every target.
 *
 * C libraries differ in the last bit between platforms, so the kernels use these functions. The float32 functions
 * compute four lanes; single values and the tails of rows use the same code, so a result does not depend on its
 * position in a row. The double functions compute tables and random numbers.
 *
 * Maximum errors, tested by tests/native/math_test.c: gf_exp4 and gf_log4 1 ulp; gf_tanh4 and gf_log1p4 2;
 * gf_normal_tail4 5e-6 relative (at z = 13, where the value is 6e-39; 2e-7 absolute everywhere); gf_pow4, gf_sin4 and
 * gf_cos4 are the double ones rounded; the double functions 1 ulp, gf_pow 2, sine and cosine 2^-53 absolute.
 */
#ifndef GF_MATH_H
#define GF_MATH_H

#include "simd.h"

#define GF_PI 3.141592653589793238
#define GF_NAN __builtin_nanf("")
#define GF_INFINITY __builtin_inff()

/* The bits of a float32, and the float32 of bits. */
GF_INLINE uint32_t gf_bits(float x) {
  uint32_t u;
  memcpy(&u, &x, sizeof u);
  return u;
}
GF_INLINE float gf_from_bits(uint32_t u) {
  float x;
  memcpy(&x, &u, sizeof x);
  return x;
}

double gf_exp(double x);
double gf_log(double x);
/* log(1 + x), accurate for small x. */
double gf_log1p(double x);
/* x^y for x > 0, with an error of up to 2 ulp: the logarithm has double-double precision. */
double gf_pow(double x, double y);
double gf_sin(double x);
double gf_cos(double x);

/* The two factors of e^x for -88 <= x < 88.73: x = n ln 2 + r with |r| <= ln 2 / 2, and a polynomial gives e^r, which
 * is in [0.7, 1.42]. Adding 1.5 * 2^23 rounds x / ln 2 to the integer n; adding another 127 puts the biased exponent of
 * 2^n into the low bits. */
GF_INLINE gf_f4 gf_exp_factors(gf_f4 x, gf_i4 *exponent) {
  const gf_f4 magic = GF_CONSTANT(12583039.0f);
  gf_f4 shifted = x * GF_CONSTANT(1.44269504f) + magic, n = shifted - magic;
  gf_f4 r = x - n * GF_CONSTANT(0.693115234375f) - n * GF_CONSTANT(3.1946185e-05f), square = r * r;
  /* 1 + r + r^2 (c0 + c1 r + c2 r^2 + c3 r^3 + c4 r^4) by Estrin's scheme, whose dependency chain is
   * shorter than that of Horner's rule. */
  gf_f4 low = gf_mul_add(GF_CONSTANT(1.66665207e-1f), r, GF_CONSTANT(4.99999935e-1f));
  gf_f4 middle = gf_mul_add(GF_CONSTANT(8.36871024e-3f), r, GF_CONSTANT(4.16683874e-2f));
  gf_f4 high = gf_mul_add(GF_CONSTANT(1.38146106e-3f), square, middle);
  *exponent = (gf_i4)shifted << 23;
  return gf_mul_add(gf_mul_add(high, square, low), square, r) + GF_CONSTANT(1.0f);
}

/* e^x in four lanes for x <= 0. Below -87.68 (n = -127, whose exponent bits are 0) the result is 0; NaN gives NaN. */
GF_INLINE gf_f4 gf_exp4_nonpositive(gf_f4 x) {
  gf_i4 exponent;
  gf_f4 fraction = gf_exp_factors(gf_max(x, GF_CONSTANT(-88.0f)), &exponent);
  return fraction * (gf_f4)exponent;
}

/* e^x in four lanes for any x; infinity above 88.72. 2^128 is no float32, so for x > 0 n is added to the exponent. */
GF_INLINE gf_f4 gf_exp4(gf_f4 x) {
  const gf_f4 max_input = GF_CONSTANT(88.7228f);
  gf_i4 exponent;
  gf_f4 fraction = gf_exp_factors(gf_max(gf_min(x, max_input), GF_CONSTANT(-88.0f)), &exponent);
  gf_f4 positive =
      (gf_f4)((gf_i4)fraction + exponent + (gf_i4)GF_CONSTANT(-4.0f)); /* minus the bits of 1.0, modulo 2^32 */
  gf_f4 finite = gf_select(x > gf_zero(), positive, fraction * (gf_f4)exponent);
  return gf_select(x > max_input, GF_CONSTANT(GF_INFINITY), finite);
}

/* P(N(0,1) > z) for z >= 0, given gauss = exp(-z^2/2), which callers usually need as well. With t = 1 / (1 + 0.35 z)
 * their ratio is t times a polynomial in t (fitted with a relative error of 3.2e-8), evaluated by Estrin's scheme. */
GF_INLINE gf_f4 gf_normal_tail4(gf_f4 z, gf_f4 gauss) {
  static const float table[9] = {1.39621306e-1f, 1.39863529e-1f,  1.19821185e-1f, 1.05552927e-1f, -2.32133944e-2f,
                                 1.59321254e-1f, -2.55840403e-1f, 1.44031611e-1f, -2.91580303e-2f};
  const float *c = gf_opaque(table);
  gf_f4 t = GF_CONSTANT(1.0f) / gf_mul_add(z, GF_CONSTANT(0.35f), GF_CONSTANT(1.0f));
  gf_f4 square = t * t, fourth = square * square, pair[4];
#pragma unroll
  for (int k = 0; k < 4; k++) pair[k] = gf_mul_add(gf_splat_at(c + 2 * k + 1), t, gf_splat_at(c + 2 * k));
  gf_f4 low = gf_mul_add(pair[1], square, pair[0]), high = gf_mul_add(pair[3], square, pair[2]);
  return gauss * t * gf_mul_add(gf_mul_add(gf_splat_at(c + 8), fourth, high), fourth, low);
}

/* In four lanes: log x, log(1 + x) for x > -1, 1 / (1 + e^-x) and tanh x. */
gf_f4 gf_log4(gf_f4 x);
gf_f4 gf_log1p4(gf_f4 x);
gf_f4 gf_sigmoid4(gf_f4 x);
gf_f4 gf_tanh4(gf_f4 x);
/* Computed in double, lane by lane. */
gf_f4 gf_sin4(gf_f4 x);
gf_f4 gf_cos4(gf_f4 x);
/* x^y for any values, with the special cases of C's pow. The powers 1, 2 and 3 are computed as products. */
gf_f4 gf_pow4(gf_f4 x, gf_f4 y);

/* e^x of one value, with the bits of gf_exp4. */
GF_INLINE float gf_exp1(float x) { return gf_exp4(gf_splat(x))[0]; }

#endif
