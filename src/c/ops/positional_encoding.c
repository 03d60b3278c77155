/* positional_encoding.c - the sinusoids of "Attention Is All You Need" (section 3.5), in each variant that lessons use.
 *
 *     angle(k, i) = k / base^(2i/d)           position k, pair i
 *     interleaved:   PE[k][2i] = sin(angle), PE[k][2i+1] = cos(angle)
 *     concatenated:  PE[k] = [sin(angle(k,0)), sin(angle(k,1)), ..., cos(angle(k,0)), cos(angle(k,1)), ...]
 *
 * GF_POWER computes the frequency as a power, GF_LOG through the logarithm: 1/base^(2i/d) = exp(-2i ln(base) / d). If d
 * is odd, the last pair has a sine and no cosine. Everything is in double, since a float32 angle has an error of 4e-4 at
 * position 4999. GF_LOG_FLOAT rounds frequency and angle to float32 as torch does, to reproduce the digits of notebooks.
 */
#include "../glassformer.h"
#include "../math.h"

static double angle(int k, int i, int d, double base, int method) {
  double exponent = 2.0 * i / d;
  if (method == GF_LOG_FLOAT) return (float)k * (float)gf_exp((float)(2 * i) * (float)(-gf_log(base) / d));
  return method == GF_LOG ? k * gf_exp(-exponent * gf_log(base)) : k / gf_pow(base, exponent);
}

void gf_positional_encoding(double *out, int L, int d, double base, int layout, int method) {
  int sine_count = (d + 1) / 2, stride = layout == GF_CONCATENATED ? 1 : 2;
  int first_cosine = layout == GF_CONCATENATED ? sine_count : 1;
  for (int i = 0; i < sine_count; i++)
    for (int k = 0; k < L; k++) {
      double a = angle(k, i, d, base, method), *row = out + (size_t)k * d;
      row[i * stride] = gf_sin(a);
      if (i < d / 2) row[first_cosine + i * stride] = gf_cos(a);
    }
}

void gf_round_to_float(float *out, const double *x, int n) {
  for (int i = 0; i < n; i++) out[i] = (float)x[i];
}
