/* math.c - exp, log, log1p, pow, sin and cos in double precision.
 *
 * Each reduces its argument to a small interval and sums the Taylor series there; the interval is small enough that
 * the series ends before the last bit. The reductions subtract a multiple of ln 2 or pi/2 that is split into pieces
 * with trailing zero bits, so that the first products are exact.
 */
#include "math.h"

#define LN2_HIGH 0x1.62e42fefp-1 /* 33 bits */
#define LN2_LOW 0x1.473de6af278edp-34
#define HALF_PI_HIGH 0x1.921fb544p+0 /* 33 bits */
#define HALF_PI_MIDDLE 0x1.0b4611a6p-34 /* the next 33 */
#define HALF_PI_LOW 0x1.3198a2e037073p-69

GF_INLINE uint64_t bits_of(double x) { uint64_t u; memcpy(&u, &x, sizeof u); return u; }
GF_INLINE double from_bits(uint64_t u) { double x; memcpy(&x, &u, sizeof x); return x; }
GF_INLINE double power_of_two(int n) { return from_bits((uint64_t)(n + 1023) << 52); }

double gf_exp(double x) {
  if (!(x == x)) return x;
  if (x > 709.8) return (double)GF_INFINITY;
  if (x < -745.2) return 0.0;
  double n = __builtin_rint(x * 1.4426950408889634);
  double r = (x - n * LN2_HIGH) - n * LN2_LOW;
  double sum = 1.0;
  for (int k = 14; k >= 1; k--) sum = 1.0 + r / k * sum; /* r^15/15! < 2^-62 */
  int whole = (int)n, half = whole / 2;
  return sum * power_of_two(half) * power_of_two(whole - half);
}

/* log x = high + low. With x = m 2^e, m in [sqrt(1/2), sqrt 2) and s = (m-1)/(m+1): log m = 2 (s + s^3/3 + s^5/5 ...).
 * s is kept to twice the precision through the remainder of its division. */
static double log_split(double x, double *low) {
  int e = 0;
  if (x < 0x1p-1022) { x *= 0x1p54; e = -54; }
  e += (int)(bits_of(x) >> 52) - 1022;
  double m = from_bits((bits_of(x) & 0x000fffffffffffff) | 0x3fe0000000000000); /* [1/2, 1) */
  if (m < 0.70710678118654752) { m *= 2.0; e -= 1; }
  double up = m - 1.0, down = m + 1.0, lost = m - (down - 1.0);
  double s = up / down;
  /* s * down = product + error, exactly (Dekker: both factors split into halves of 26 bits). */
  double t = 134217729.0 * s, sh = t - (t - s), sl = s - sh;
  t = 134217729.0 * down;
  double dh = t - (t - down), dl = down - dh;
  double product = s * down, error = ((sh * dh - product) + sh * dl + sl * dh) + sl * dl;
  double s_low = ((up - product) - error - s * lost) / down;
  double square = s * s, series = 0.0;
  for (int k = 23; k >= 3; k -= 2) series = series * square + 1.0 / k; /* s^25/25 < 2^-67 */
  double big = e * LN2_HIGH, high = big + 2.0 * s;
  double rest = ((big - high) + 2.0 * s) + (2.0 * (s_low + s * square * series) + e * LN2_LOW);
  double sum = high + rest;
  *low = rest - (sum - high);
  return sum;
}

double gf_log(double x) {
  if (!(x == x) || x < 0.0) return (double)GF_NAN;
  if (x == 0.0) return -(double)GF_INFINITY;
  if (x == (double)GF_INFINITY) return x;
  double low, high = log_split(x, &low);
  return high + low;
}

double gf_log1p(double x) {
  double one_plus = 1.0 + x;
  if (one_plus == 1.0) return x;
  if (!(one_plus > 0.0) || one_plus == (double)GF_INFINITY) return gf_log(one_plus);
  return gf_log(one_plus) + (x - (one_plus - 1.0)) / one_plus; /* what the rounding of 1 + x took away */
}

double gf_pow(double x, double y) {
  double low, high = log_split(x, &low);
  double t = 134217729.0 * high, hh = t - (t - high), hl = high - hh;
  t = 134217729.0 * y;
  double yh = t - (t - y), yl = y - yh;
  double product = high * y, error = ((hh * yh - product) + hh * yl + hl * yh) + hl * yl + low * y;
  double power = gf_exp(product);
  return power + power * error;
}

/* x - k pi/2 in [-pi/4, pi/4], with k mod 4 in *quadrant. */
static double reduce(double x, int *quadrant) {
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
  double r = reduce(x, &quadrant), y = quadrant & 1 ? cos_series(r) : sin_series(r);
  return quadrant & 2 ? -y : y;
}

double gf_cos(double x) {
  if (!(x - x == 0.0)) return (double)GF_NAN;
  int quadrant;
  double r = reduce(x, &quadrant), y = quadrant & 1 ? sin_series(r) : cos_series(r);
  return quadrant == 1 || quadrant == 2 ? -y : y;
}
