/* math.h - elementary functions, the same bits on every target.
 *
 * The C library's versions differ between platforms in the last bit, so the kernels use these. The float32 functions
 * work on four lanes and are inlined into the loops; a single value or a row's tail goes through the same lanes, so a
 * number never depends on where in a row it stands. The double functions serve tables and random numbers.
 *
 * Largest errors, held by tests/native/math_test.c: gf_exp4 1 ulp; gf_normal_tail4 5e-6 relative (at z = 13, where the
 * value is 6e-39; 2e-7 absolute everywhere); the double functions 1 ulp, gf_pow 2, sine and cosine 2^-53 absolute for
 * arguments up to a million.
 */
#ifndef GF_MATH_H
#define GF_MATH_H

#include "simd.h"

#define GF_PI 3.141592653589793238
#define GF_NAN __builtin_nanf("")
#define GF_INFINITY __builtin_inff()

double gf_exp(double x);
double gf_log(double x);
/* log(1 + x) without losing x when it is small. */
double gf_log1p(double x);
/* x^y for x > 0, within 1 ulp or two of double: the logarithm is kept in two doubles. */
double gf_pow(double x, double y);
double gf_sin(double x);
double gf_cos(double x);

/* e^x in four lanes. x = n ln 2 + r with |r| <= ln 2 / 2; a polynomial gives e^r in [0.7, 1.42], and adding n to its
 * exponent bits multiplies by 2^n. Adding 1.5 * 2^23 rounds x / ln 2 to the whole number n, which then stands in the low
 * bits. Results below the smallest normal float are 0, above the largest infinity; NaN stays NaN. */
GF_INLINE gf_f4 gf_exp4(gf_f4 x) {
  const gf_f4 magic = gf_splat(12582912.0f), least = gf_splat(-87.3365f), most = gf_splat(88.7228f);
  gf_f4 in = gf_min(gf_max(x, least), most);
  gf_f4 shifted = in * gf_splat(1.44269504f) + magic, n = shifted - magic;
  gf_f4 r = in - n * gf_splat(0.693115234375f) - n * gf_splat(3.1946185e-05f);
  gf_f4 p = gf_splat(1.38146106e-3f);
  p = gf_mul_add(p, r, gf_splat(8.36871024e-3f));
  p = gf_mul_add(p, r, gf_splat(4.16683874e-2f));
  p = gf_mul_add(p, r, gf_splat(1.66665207e-1f));
  p = gf_mul_add(p, r, gf_splat(4.99999935e-1f));
  p = gf_mul_add(p, r * r, r) + gf_splat(1.0f);
  gf_f4 y = (gf_f4)((gf_i4)p + ((gf_i4)shifted << 23));
  y = (gf_f4)((gf_i4)y & ~(x < least));
  return gf_select(x <= most, y, x * gf_splat(GF_INFINITY)); /* beyond: infinity, or the NaN that x is */
}

/* P(N(0,1) > z) for z >= 0, given gauss = exp(-z^2/2), which the caller usually needs too. With t = 1 / (1 + 0.3 z)
 * the ratio of the two is t times a polynomial in t (fitted to 3.5e-9 relative). */
GF_INLINE gf_f4 gf_normal_tail4(gf_f4 z, gf_f4 gauss) {
  static const float c[10] = {1.1968669e-1f, 1.19571809e-1f, 1.10235468e-1f, 7.83894441e-2f, 9.61574388e-2f,
                              -7.94246374e-2f, 1.91785928e-1f, -2.28214653e-1f, 1.12436063e-1f, -2.06235522e-2f};
  gf_f4 t = gf_splat(1.0f) / gf_mul_add(z, gf_splat(0.3f), gf_splat(1.0f));
  gf_f4 p = gf_splat(c[9]);
  for (int k = 8; k >= 0; k--) p = gf_mul_add(p, t, gf_splat(c[k]));
  return gauss * t * p;
}

/* One value through the lanes. */
GF_INLINE float gf_exp1(float x) { return gf_exp4(gf_splat(x))[0]; }

#endif
