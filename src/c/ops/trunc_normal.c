/* trunc_normal.c - truncated normal values, sampled as in torch.nn.init.trunc_normal_:
 *
 *     x = uniform(2 P(a) - 1, 2 P(b) - 1),  out = clamp(mean + std sqrt(2) erfinv(x), a, b)
 *
 * where P(t) is the normal cumulative distribution at (t - mean) / std. erfinv is Newton's method in double on erf,
 * which is a power series for small arguments and a continued fraction for large ones. The steps after erfinv are
 * rounded to float32, as in PyTorch.
 */
#include "../glassformer.h"
#include "../math.h"
#include "../simd.h"

#define SQRT_PI 1.772453850905516

static GF_MINSIZE double erf_double(double x) {
  double z = x < 0 ? -x : x, result;
  if (z < 2.5) {
    double term = z, sum = z;
    for (int k = 1; k < 60; k++) term *= -z * z / k, sum += term / (2 * k + 1);
    result = 2.0 / SQRT_PI * sum;
  } else {
    double fraction = 0.0;
    for (int k = 60; k >= 1; k--) fraction = 0.5 * k / (z + fraction);
    result = 1.0 - gf_exp(-z * z) / (SQRT_PI * (z + fraction));
  }
  return x < 0 ? -result : result;
}

/* Newton's method from Winitzki's approximation; each step doubles the digits. Infinite at -1 and 1. */
static GF_MINSIZE double erf_inverse(double y) {
  if (y <= -1.0 || y >= 1.0) return y * GF_INFINITY;
  double log_term = gf_log(1.0 - y * y), half = 2.0 / (GF_PI * 0.147) + log_term / 2.0;
  double square = __builtin_sqrt(half * half - log_term / 0.147) - half, x = __builtin_sqrt(square < 0 ? 0 : square);
  if (y < 0) x = -x;
  for (int i = 0; i < 4; i++) x -= (erf_double(x) - y) * SQRT_PI / 2.0 / gf_exp(-x * x);
  return x;
}

static GF_MINSIZE double normal_cdf(double x) { return (1.0 + erf_double(x / __builtin_sqrt(2.0))) / 2.0; }

GF_MINSIZE void gf_trunc_normal(float *out, gf_generator *g, int n, double mean, double std, double a, double b) {
  gf_uniform(out, g, n, (float)(2 * normal_cdf((a - mean) / std) - 1), (float)(2 * normal_cdf((b - mean) / std) - 1));
  for (int i = 0; i < n; i++) {
    float x = (float)erf_inverse(out[i]) * (float)(std * __builtin_sqrt(2.0)) + (float)mean;
    out[i] = x < (float)a ? (float)a : x > (float)b ? (float)b : x;
  }
}
