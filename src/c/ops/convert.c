/* convert.c - values of one type as another.
 *
 * float16 is a sign, 5 bits of exponent and 10 of mantissa; bfloat16 is the upper half of a float32. Both round to the
 * nearest, halves to the even neighbour, from float32.
 */
#include "convert.h"

#include "../math.h"

static float power_of_two(int n) { return gf_from_bits((uint32_t)(n + 127) << 23); }

static double from_half(uint16_t h) {
  int exponent = h >> 10 & 31, mantissa = h & 1023;
  float size = exponent == 0    ? mantissa * 0x1p-24f
               : exponent == 31 ? (mantissa ? GF_NAN : GF_INFINITY)
                                : (float)(1024 + mantissa) * power_of_two(exponent - 25);
  return h >> 15 ? -size : size;
}

/* A mantissa that rounds up to 2048 carries into the exponent, and from there into infinity. */
static uint16_t to_half(float x) {
  uint32_t u = gf_bits(x), sign = u >> 16 & 0x8000;
  float size = gf_from_bits(u & 0x7fffffff);
  if (size != size) return (uint16_t)(sign | 0x7e00);
  if (size >= 65520.0f) return (uint16_t)(sign | 0x7c00);
  if (size < 0x1p-14f) return (uint16_t)(sign | (uint32_t)__builtin_rintf(size * 0x1p24f));
  int exponent = (int)(gf_bits(size) >> 23) - 127;
  uint32_t mantissa = (uint32_t)__builtin_rintf(size * power_of_two(10 - exponent));
  return (uint16_t)(sign | (((uint32_t)(exponent + 15) << 10) + mantissa - 1024));
}

static uint16_t to_brain_half(float x) {
  uint32_t u = gf_bits(x);
  if (x != x) return (uint16_t)((u >> 16 & 0x8000) | 0x7fc0);
  return (uint16_t)((u + 0x7fff + (u >> 16 & 1)) >> 16);
}

static int32_t to_int(double x) {
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
      return from_half(((const uint16_t *)x)[i]);
    default:
      return gf_from_bits((uint32_t)((const uint16_t *)x)[i] << 16);
  }
}

void gf_convert(void *out, int to, const void *x, int from, int n) {
  for (int i = 0; i < n; i++) {
    double v = gf_read(x, (size_t)i, from);
    switch (to) {
      case GF_FLOAT32:
        ((float *)out)[i] = (float)v;
        break;
      case GF_INT32:
        ((int32_t *)out)[i] = to_int(v);
        break;
      case GF_FLOAT64:
        ((double *)out)[i] = v;
        break;
      case GF_BOOL:
        ((uint8_t *)out)[i] = v != 0.0;
        break;
      case GF_FLOAT16:
        ((uint16_t *)out)[i] = to_half((float)v);
        break;
      default:
        ((uint16_t *)out)[i] = to_brain_half((float)v);
    }
  }
}
