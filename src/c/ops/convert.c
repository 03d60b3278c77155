/* convert.c - dtype conversion.
 *
 * float16 has a sign bit, 5 exponent bits and 10 mantissa bits; bfloat16 is the upper half of a float32. float32 is
 * rounded to the nearest of them, ties to even.
 */
#include "convert.h"

#include "../math.h"

static float power_of_two(int n) { return gf_from_bits((uint32_t)(n + 127) << 23); }

static double half_to_double(uint16_t h) {
  int exponent = h >> 10 & 31, mantissa = h & 1023;
  float magnitude = exponent == 0    ? mantissa * 0x1p-24f
                    : exponent == 31 ? (mantissa ? GF_NAN : GF_INFINITY)
                                     : (float)(1024 + mantissa) * power_of_two(exponent - 25);
  return h >> 15 ? -magnitude : magnitude;
}

/* A mantissa that rounds up to 2048 carries into the exponent, possibly up to infinity. */
static uint16_t float_to_half(float x) {
  uint32_t u = gf_bits(x), sign = u >> 16 & 0x8000;
  float magnitude = gf_from_bits(u & 0x7fffffff);
  if (magnitude != magnitude) return (uint16_t)(sign | 0x7e00);
  if (magnitude >= 65520.0f) return (uint16_t)(sign | 0x7c00);
  if (magnitude < 0x1p-14f) return (uint16_t)(sign | (uint32_t)__builtin_rintf(magnitude * 0x1p24f));
  int exponent = (int)(gf_bits(magnitude) >> 23) - 127;
  uint32_t mantissa = (uint32_t)__builtin_rintf(magnitude * power_of_two(10 - exponent));
  return (uint16_t)(sign | (((uint32_t)(exponent + 15) << 10) + mantissa - 1024));
}

static uint16_t float_to_bfloat16(float x) {
  uint32_t u = gf_bits(x);
  if (x != x) return (uint16_t)((u >> 16 & 0x8000) | 0x7fc0);
  return (uint16_t)((u + 0x7fff + (u >> 16 & 1)) >> 16);
}

static int32_t double_to_int32(double x) {
  if (x != x) return 0;
  return x <= -2147483648.0 ? INT32_MIN : x >= 2147483647.0 ? INT32_MAX : (int32_t)x;
}

double gf_read(const void *x, size_t i, int type) {
  switch (type) {
    case GF_FLOAT32:
      return ((const float *)x)[i];
    case GF_INT32:
      return ((const int32_t *)x)[i];
    case GF_FLOAT64:
      return ((const double *)x)[i];
    case GF_BOOL:
      return ((const uint8_t *)x)[i];
    case GF_FLOAT16:
      return half_to_double(((const uint16_t *)x)[i]);
    default:
      return gf_from_bits((uint32_t)((const uint16_t *)x)[i] << 16);
  }
}

void gf_convert(void *out, int out_type, const void *x, int x_type, int n) {
  for (int i = 0; i < n; i++) {
    double v = gf_read(x, (size_t)i, x_type);
    switch (out_type) {
      case GF_FLOAT32:
        ((float *)out)[i] = (float)v;
        break;
      case GF_INT32:
        ((int32_t *)out)[i] = double_to_int32(v);
        break;
      case GF_FLOAT64:
        ((double *)out)[i] = v;
        break;
      case GF_BOOL:
        ((uint8_t *)out)[i] = v != 0.0;
        break;
      case GF_FLOAT16:
        ((uint16_t *)out)[i] = float_to_half((float)v);
        break;
      default:
        ((uint16_t *)out)[i] = float_to_bfloat16((float)v);
    }
  }
}
