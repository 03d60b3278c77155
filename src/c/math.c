/* math.c - exp, log, log1p, pow, sin and cos in double precision, and the float functions that are not inlined.
 *
 * Each double function reduces its argument to a small interval and sums a series there whose truncation error is below
 * the last bit. The reductions subtract a multiple of ln 2 or pi/2, split into parts with trailing zero bits so that
 * the first products are exact (Cody and Waite); large angles are reduced with the bits of 2/pi (Payne and Hanek).
 */
#include "math.h"

#include "glassformer.h"

#define LN2_HIGH 0x1.62e42fefp-1 /* 33 bits */
#define LN2_LOW 0x1.473de6af278edp-34
#define HALF_PI_HIGH 0x1.921fb544p+0    /* 33 bits */
#define HALF_PI_MIDDLE 0x1.0b4611a6p-34 /* the next 33 */
#define HALF_PI_LOW 0x1.3198a2e037073p-69

GF_INLINE uint64_t bits_of(double x) {
  uint64_t u;
  memcpy(&u, &x, sizeof u);
  return u;
}
GF_INLINE double from_bits(uint64_t u) {
  double x;
  memcpy(&x, &u, sizeof x);
  return x;
}
GF_INLINE double power_of_two(int n) { return from_bits((uint64_t)(n + 1023) << 52); }

double gf_exp(double x) {
  if (!(x == x)) return x;
  if (x > 709.8) return (double)GF_INFINITY;
  if (x < -745.2) return 0.0;
  double n = __builtin_rint(x * 1.4426950408889634);
  double r = (x - n * LN2_HIGH) - n * LN2_LOW;
  double sum = 1.0;
  for (int k = 14; k >= 1; k--) sum = 1.0 + r / k * sum; /* r^15/15! < 2^-62 */
  int exponent = (int)n, half = exponent / 2;
  return sum * power_of_two(half) * power_of_two(exponent - half);
}

/* log x = high + low. With x = m 2^e, m in [sqrt(1/2), sqrt 2) and s = (m-1)/(m+1): log m = 2 (s + s^3/3 + s^5/5 ...).
 * The remainder of the division gives s in double-double precision. */
static double log_double_double(double x, double *low) {
  int e = 0;
  if (x < 0x1p-1022) {
    x *= 0x1p54;
    e = -54;
  }
  e += (int)(bits_of(x) >> 52) - 1022;
  double m = from_bits((bits_of(x) & 0x000fffffffffffff) | 0x3fe0000000000000); /* [1/2, 1) */
  if (m < 0.70710678118654752) {
    m *= 2.0;
    e -= 1;
  }
  double numerator = m - 1.0, denominator = m + 1.0, rounding_error = m - (denominator - 1.0);
  double s = numerator / denominator;
  /* s * denominator = product + error exactly (Dekker 1971: both factors are split into halves of 26 bits). */
  double t = 134217729.0 * s, sh = t - (t - s), sl = s - sh;
  t = 134217729.0 * denominator;
  double dh = t - (t - denominator), dl = denominator - dh;
  double product = s * denominator, error = ((sh * dh - product) + sh * dl + sl * dh) + sl * dl;
  double s_low = ((numerator - product) - error - s * rounding_error) / denominator;
  double square = s * s, series = 0.0;
  for (int k = 23; k >= 3; k -= 2) series = series * square + 1.0 / k; /* s^25/25 < 2^-67 */
  double exponent_part = e * LN2_HIGH, high = exponent_part + 2.0 * s;
  double rest = ((exponent_part - high) + 2.0 * s) + (2.0 * (s_low + s * square * series) + e * LN2_LOW);
  double sum = high + rest;
  *low = rest - (sum - high);
  return sum;
}

double gf_log(double x) {
  if (!(x == x) || x < 0.0) return (double)GF_NAN;
  if (x == 0.0) return -(double)GF_INFINITY;
  if (x == (double)GF_INFINITY) return x;
  double low, high = log_double_double(x, &low);
  return high + low;
}

double gf_log1p(double x) {
  double one_plus = 1.0 + x;
  if (one_plus == 1.0) return x;
  if (!(one_plus > 0.0) || one_plus == (double)GF_INFINITY) return gf_log(one_plus);
  return gf_log(one_plus) + (x - (one_plus - 1.0)) / one_plus; /* plus the rounding error of 1 + x */
}

double gf_pow(double x, double y) {
  double low, high = log_double_double(x, &low);
  double t = 134217729.0 * high, hh = t - (t - high), hl = high - hh;
  t = 134217729.0 * y;
  double yh = t - (t - y), yl = y - yh;
  double product = high * y, error = ((hh * yh - product) + hh * yl + hl * yh) + hl * yl + low * y;
  double power = gf_exp(product);
  return power == (double)GF_INFINITY ? power : power + power * error;
}

/* 2/pi in binary, 32 bits per word: enough bits for the largest double. */
static const uint32_t two_over_pi[35] = {
    0xa2f9836e, 0x4e441529, 0xfc2757d1, 0xf534ddc0, 0xdb629599, 0x3c439041, 0xfe5163ab, 0xdebbc561, 0xb7246e3a,
    0x424dd2e0, 0x06492eea, 0x09d1921c, 0xfe1deb1c, 0xb129a73e, 0xe88235f5, 0x2ebb4484, 0xe99c7026, 0xb45f7e41,
    0x3991d639, 0x835339f4, 0x9c845f8b, 0xbdf9283b, 0x1ff897ff, 0xde05980f, 0xef2f118b, 0x5a0a6d1f, 0x6d367ecf,
    0x27cb09b7, 0x4f463f66, 0x9e5fea2d, 0x7527bac7, 0xebe5f17b, 0x3d0739f7, 0x8a5292ea, 0x6bfb5fb1,
};

/* The 64 bits from bit `at` on of a number stored in 32-bit words, least significant first. */
static uint64_t extract_bits(const uint64_t *words, int at) {
  int i = at / 32, shift = at % 32;
  uint64_t low = words[i] | words[i + 1] << 32;
  return shift ? low >> shift | words[i + 2] << (64 - shift) : low;
}

/* reduce_angle for |x| >= 2^20 (Payne and Hanek 1983). With x = m 2^e, only those bits of 2/pi matter whose products
 * with m are neither multiples of 4 nor far below 1: five words. In their product with m, the two bits from `unit` on
 * are the quadrant and the 64 bits below them the remainder, as a signed fraction. */
static double reduce_large_angle(double x, int *quadrant) {
  uint64_t bits = bits_of(x), m = (bits & 0x000fffffffffffff) | 0x0010000000000000;
  int e = (int)(bits >> 52 & 2047) - 1075, first = (e - 2 + 64) / 32 - 2, unit = 32 * (first + 5) - e;
  uint64_t product[5] = {0}; /* 32 bits each, lowest first */
  for (int half = 0; half < 2; half++)
    for (int i = 0; i + half < 5; i++) {
      uint64_t word = first + 4 - i < 0 ? 0 : two_over_pi[first + 4 - i], t = word * (half ? m >> 32 : (uint32_t)m);
      for (int at = i + half; at < 5 && t; at++) {
        t += product[at];
        product[at] = (uint32_t)t;
        t >>= 32;
      }
    }
  uint64_t fraction = extract_bits(product, unit - 64), units = extract_bits(product, unit - 62) >> 62;
  double rest = (double)(int64_t)fraction * 0x1p-64 * 1.5707963267948966;
  int k = (int)((units + (fraction >> 63)) & 3);
  *quadrant = x < 0.0 ? -k & 3 : k;
  return x < 0.0 ? -rest : rest;
}

/* Returns x - k pi/2 in [-pi/4, pi/4] and stores k mod 4 in *quadrant. */
static double reduce_angle(double x, int *quadrant) {
  if (__builtin_fabs(x) >= 0x1p20) return reduce_large_angle(x, quadrant);
  double k = __builtin_rint(x * 0.6366197723675814);
  *quadrant = (int)((int64_t)k & 3);
  return ((x - k * HALF_PI_HIGH) - k * HALF_PI_MIDDLE) - k * HALF_PI_LOW;
}

static double sin_series(double x) {
  double square = x * x, sum = 0.0;
  for (int k = 20; k >= 2; k -= 2) sum = -square / (k * (k + 1)) * (1.0 + sum);
  return x + x * sum;
}

static double cos_series(double x) {
  double square = x * x, sum = 0.0;
  for (int k = 21; k >= 3; k -= 2) sum = -square / (k * (k + 1)) * (1.0 + sum);
  double half = 0.5 * square, head = 1.0 - half;
  return head + (((1.0 - head) - half) - half * sum);
}

double gf_sin(double x) {
  if (!(x - x == 0.0)) return (double)GF_NAN;
  int quadrant;
  double r = reduce_angle(x, &quadrant), y = quadrant & 1 ? cos_series(r) : sin_series(r);
  return quadrant & 2 ? -y : y;
}

double gf_cos(double x) {
  if (!(x - x == 0.0)) return (double)GF_NAN;
  int quadrant;
  double r = reduce_angle(x, &quadrant), y = quadrant & 1 ? sin_series(r) : cos_series(r);
  return quadrant == 1 || quadrant == 2 ? -y : y;
}

/* x = m 2^e with m in [sqrt(1/2), sqrt 2), and for f = m - 1: log m = f - f^2/2 + f^3 P(f), where P
 * is fitted with a relative error of 6e-9 and evaluated by Estrin's scheme. */
gf_f4 gf_log4(gf_f4 x) {
  static const float table[8] = {3.33333313e-1f, -2.50008225e-1f, 2.00012267e-1f, -1.66233554e-1f,
                                 1.42017707e-1f, -1.31602183e-1f, 1.27615020e-1f, -7.63431042e-2f};
  const float *c = gf_opaque(table);
  gf_i4 is_subnormal = x < GF_CONSTANT(0x1p-126f);
  gf_i4 bits = (gf_i4)gf_select(is_subnormal, x * GF_CONSTANT(0x1p23f), x), exponent = (bits - 0x3f3504f3) >> 23;
  gf_f4 e = __builtin_convertvector(exponent, gf_f4) - gf_select(is_subnormal, GF_CONSTANT(23.0f), gf_zero());
  gf_f4 f = (gf_f4)(bits - (exponent << 23)) - GF_CONSTANT(1.0f), square = f * f, fourth = square * square, pair[4];
#pragma unroll
  for (int k = 0; k < 4; k++) pair[k] = gf_mul_add(gf_splat_at(c + 2 * k + 1), f, gf_splat_at(c + 2 * k));
  gf_f4 low = gf_mul_add(pair[1], square, pair[0]), high = gf_mul_add(pair[3], square, pair[2]);
  gf_f4 series = gf_mul_add(high, fourth, low) * f * square - GF_CONSTANT(0.5f) * square;
  /* ln 2 is split into two floats; the first has trailing zeros, so its product with e is exact. */
  gf_f4 log = e * GF_CONSTANT(0.693359375f) + (f + (series + e * GF_CONSTANT(-2.12194440e-4f)));
  log = gf_select(x < GF_CONSTANT(GF_INFINITY), log, x); /* log(infinity) = infinity, NaN gives NaN */
  return gf_select(x > gf_zero(), log, gf_select(x == gf_zero(), GF_CONSTANT(-GF_INFINITY), GF_CONSTANT(GF_NAN)));
}

/* The logarithm of the rounded sum, corrected by its rounding error. */
gf_f4 gf_log1p4(gf_f4 x) {
  gf_f4 u = GF_CONSTANT(1.0f) + x, rounding_error = (x - (u - GF_CONSTANT(1.0f))) / u;
  return gf_log4(u) + gf_select(u > gf_zero(), rounding_error, gf_zero());
}

gf_f4 gf_sigmoid4(gf_f4 x) { return GF_CONSTANT(1.0f) / (GF_CONSTANT(1.0f) + gf_exp4(-x)); }

/* tanh x = x + x^3 P(x^2) below 0.65 (P fitted to 7e-9), 1 - 2 / (e^2|x| + 1) with the sign of x above. */
gf_f4 gf_tanh4(gf_f4 x) {
  static const float table[5] = {-3.33332628e-1f, 1.33308992e-1f, -5.36929592e-2f, 2.04832889e-2f, -5.52860834e-3f};
  const float *c = gf_opaque(table);
  gf_f4 abs_x = gf_abs(x), square = x * x, p = gf_splat_at(c + 4);
#pragma unroll
  for (int k = 3; k >= 0; k--) p = gf_mul_add(p, square, gf_splat_at(c + k));
  gf_f4 large = GF_CONSTANT(1.0f) - GF_CONSTANT(2.0f) / (gf_exp4(abs_x + abs_x) + GF_CONSTANT(1.0f));
  large = (gf_f4)((gf_i4)large | ((gf_i4)x & (gf_i4)GF_CONSTANT(-0.0f)));
  return gf_select(abs_x < GF_CONSTANT(0.65f), x + x * square * p, large);
}

gf_f4 gf_sin4(gf_f4 x) {
  return (gf_f4){(float)gf_sin(x[0]), (float)gf_sin(x[1]), (float)gf_sin(x[2]), (float)gf_sin(x[3])};
}
gf_f4 gf_cos4(gf_f4 x) {
  return (gf_f4){(float)gf_cos(x[0]), (float)gf_cos(x[1]), (float)gf_cos(x[2]), (float)gf_cos(x[3])};
}

/* 1 for an odd integer, 0 for an even one, -1 for any other number. */
static int parity(float y) {
  if (__builtin_floorf(y) != y || y - y != 0.0f) return y - y != 0.0f ? 0 : -1; /* an infinity counts as even */
  return __builtin_floorf(y * 0.5f) * 2.0f != y;
}

static GF_MINSIZE float pow_scalar(float x, float y) {
  if (y == 0.0f || x == 1.0f) return 1.0f;
  if (x != x || y != y) return x + y;
  int odd = parity(y);
  float abs_x = __builtin_fabsf(x), result;
  if (y - y != 0.0f) result = abs_x == 1.0f ? 1.0f : (abs_x > 1.0f) == (y > 0.0f) ? GF_INFINITY : 0.0f;
  else if (abs_x == 0.0f || abs_x == GF_INFINITY) result = (abs_x == 0.0f) == (y > 0.0f) ? 0.0f : GF_INFINITY;
  else if (x < 0.0f && odd < 0) return GF_NAN;
  else result = (float)gf_pow(abs_x, y);
  return __builtin_signbit(x) && odd == 1 ? -result : result;
}

gf_f4 gf_pow4(gf_f4 x, gf_f4 y) {
  if (y[0] == y[1] && y[1] == y[2] && y[2] == y[3]) {
    if (y[0] == 1.0f) return x;
    if (y[0] == 2.0f) return x * x;
    if (y[0] == 3.0f) return x * x * x;
  }
  return (gf_f4){pow_scalar(x[0], y[0]), pow_scalar(x[1], y[1]), pow_scalar(x[2], y[2]), pow_scalar(x[3], y[3])};
}
