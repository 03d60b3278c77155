/* math_test.c - compares the elementary functions with the C library, within the errors that math.h states. */
#include "../../src/c/math.h"

#include <math.h>
#include <stdio.h>

static int failures;

static void check_limit(const char *name, double worst, double limit) {
  int ok = worst <= limit;
  printf("%s %-22s worst %.3g, limit %.3g\n", ok ? "ok    " : "NOT OK", name, worst, limit);
  failures += !ok;
}

static uint64_t state = 1;
static double uniform(void) {
  state = state * 6364136223846793005u + 1442695040888963407u;
  return (double)(state >> 11) * 0x1p-53;
}

static double ulps(double got, double want) {
  return fabs(got - want) / (nextafter(fabs(want), INFINITY) - fabs(want));
}

static void update_max(double *worst, double value) {
  if (!(value <= *worst)) *worst = value;
}

static void double_functions(void) {
  double e = 0, l = 0, p = 0, l1 = 0, s = 0, c = 0;
  for (int i = 0; i < 300000; i++) {
    double u = uniform(), v = uniform(), angle = u * 1e6, wide = exp((u - 0.5) * 200);
    double exponent = u * (709.7 + 745.1) - 745.1; /* from the smallest to the largest double */
    update_max(&e, ulps(gf_exp(exponent), exp(exponent)));
    update_max(&l, ulps(gf_log(i % 2 ? 0.5 + u : wide), log(i % 2 ? 0.5 + u : wide)));
    update_max(&p, ulps(gf_pow(1 + u * 20000, v), pow(1 + u * 20000, v)));
    update_max(&l1, ulps(gf_log1p(-u), log1p(-u)));
    update_max(&s, fabs(gf_sin(angle) - sin(angle)));
    update_max(&c, fabs(gf_cos(angle) - cos(angle)));
    double large_angle = ldexp(1 + u, 15 + i % 1008) * (i % 3 ? 1 : -1); /* up to the largest double */
    update_max(&s, fabs(gf_sin(large_angle) - sin(large_angle)));
    update_max(&c, fabs(gf_cos(large_angle) - cos(large_angle)));
  }
  check_limit("gf_exp, ulp", e, 1), check_limit("gf_log, ulp", l, 1), check_limit("gf_pow, ulp", p, 2),
      check_limit("gf_log1p, ulp", l1, 1);
  check_limit("gf_sin, absolute", s, 0x1.01p-53), check_limit("gf_cos, absolute", c, 0x1.01p-53);
}

static double float_ulps(float got, double want) {
  float rounded = fabsf((float)want);
  return fabs(got - want) / (nextafterf(rounded, INFINITY) - rounded);
}

static void float_functions(void) {
  double e = 0, t = 0, absolute = 0;
  for (int i = -87650; i < 88722; i++) {
    float x = (float)i / 1000.0f;
    double want = exp((double)x);
    float rounded = (float)want;
    update_max(&e, fabs(gf_exp1(x) - want) / (nextafterf(rounded, INFINITY) - rounded));
  }
  for (int i = 0; i < 13000; i++) {
    float z = (float)i / 1000.0f;
    double want = erfc(z * 0.70710678118654752) / 2;
    double got = gf_normal_tail4(gf_splat(z), gf_exp4(gf_splat(-0.5f * z * z)))[0];
    update_max(&t, fabs(got - want) / want), update_max(&absolute, fabs(got - want));
  }
  double l = 0, l1 = 0, h = 0;
  for (int i = 0; i < 300000; i++) {
    float u = (float)uniform(), wide = (float)exp((u - 0.5) * 170), small = (float)exp(-40 * uniform());
    float x = i % 2 ? 0.5f + u : wide, y = i % 2 ? small : wide, t = (float)((u - 0.5) * 20) * (i % 2 ? small : 1.0f);
    update_max(&l, float_ulps(gf_log4(gf_splat(x))[0], log(x)));
    update_max(&l1, float_ulps(gf_log1p4(gf_splat(y))[0], log1p(y)));
    update_max(&h, float_ulps(gf_tanh4(gf_splat(t))[0], tanh(t)));
  }
  check_limit("gf_log4, ulp", l, 1), check_limit("gf_log1p4, ulp", l1, 2), check_limit("gf_tanh4, ulp", h, 2);
  check_limit("gf_exp4, ulp", e, 1), check_limit("gf_normal_tail4, rel.", t, 5e-6),
      check_limit("gf_normal_tail4, abs.", absolute, 2e-7);
}

static void special_values(void) {
  double inf = (double)GF_INFINITY, nan = (double)GF_NAN;
  int ok = gf_exp1(-GF_INFINITY) == 0 && gf_exp1(GF_INFINITY) == GF_INFINITY;
  ok = ok && isnan(gf_exp1(GF_NAN)) && gf_exp1(0) == 1;
  ok = ok && gf_exp1(-87.7f) == 0 && gf_exp1(-1e30f) == 0;
  ok = ok && gf_exp1(88.73f) == GF_INFINITY && gf_exp1(1e30f) == GF_INFINITY;
  ok = ok && gf_exp(709.79) == inf && gf_exp(-745.2) == 0 && gf_exp(1e9) == inf && gf_exp(-1e9) == 0;
  ok = ok && gf_exp(-inf) == 0 && gf_exp(inf) == inf && isnan(gf_exp(nan)) && gf_exp(0) == 1;
  ok = ok && gf_log(0) == -inf && gf_log(inf) == inf && isnan(gf_log(-1)) && isnan(gf_log(nan)) && gf_log(1) == 0;
  ok = ok && gf_log1p(0) == 0 && gf_log1p(-1) == -inf && isnan(gf_sin(inf)) && isnan(gf_cos(nan)) && gf_sin(0) == 0;
  check_limit("special values", ok ? 0 : 1, 0);
}

int main(void) {
  double_functions();
  float_functions();
  special_values();
  return failures != 0;
}
