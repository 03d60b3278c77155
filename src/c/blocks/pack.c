/* pack.c - float32 weights in GGUF's blocks: q8_0, q4_0 and q4_k, whose layouts are in formats.h.
 *
 * Codes are rounded with the scales as they are stored. The scales of q8_0 and q4_0 put the largest value on the largest
 * code. Those of q4_k minimize the squared error of a group: for some steps around the range of its values the codes are
 * rounded, and the scale and the minimum that fit them best are computed by least squares.
 */
#include "../math.h"
#include "blocks.h"

enum { GROUP = 32, LARGE = 256, GROUPS = LARGE / GROUP, CANDIDATES = 9 };

static float min_of(float a, float b) { return a < b ? a : b; }
static float clamp(float x, float low, float high) { return x < low ? low : x > high ? high : x; }

/* The nearest float16 of a magnitude, ties to even; it carries into the exponent, up to infinity. */
static uint16_t half_bits(float magnitude) {
  if (!(magnitude < 65520)) return 0x7c00;
  if (magnitude < 0x1p-14f) return (uint16_t)__builtin_rintf(magnitude * 0x1p24f);
  uint32_t bits = gf_bits(magnitude);
  return (uint16_t)(((bits + 0xfff + (bits >> 13 & 1)) >> 13) - (112 << 10));
}
static float half_value(uint16_t bits) { return gf_from_bits((uint32_t)bits << 13) * 0x1p112f; }

/* Stores the float16 that is nearest to x and returns it. */
static float store_half(uint8_t *block, float x) {
  uint16_t bits = half_bits(__builtin_fabsf(x)), sign = x < 0 ? 0x8000 : 0, signed_bits = bits | sign;
  memcpy(block, &signed_bits, sizeof signed_bits);
  return sign ? -half_value(bits) : half_value(bits);
}

static float code_of(float x, float scale, float low, float high) {
  return scale != 0 ? clamp(__builtin_rintf(x / scale), low, high) : 0;
}

/* The value with the largest magnitude. */
static float extreme(const float *x) {
  float result = 0;
  for (int k = 0; k < GROUP; k++)
    if (__builtin_fabsf(x[k]) > __builtin_fabsf(result)) result = x[k];
  return result;
}

static void pack_q8_0(uint8_t *block, const float *x) {
  float scale = store_half(block, __builtin_fabsf(extreme(x)) / 127);
  for (int k = 0; k < GROUP; k++) block[2 + k] = (uint8_t)(int8_t)code_of(x[k], scale, -127, 127);
}

/* The extreme is on code -8, whichever sign it has. */
static void pack_q4_0(uint8_t *block, const float *x) {
  float scale = store_half(block, extreme(x) / -8);
  for (int k = 0; k < GROUP / 2; k++) {
    int low = (int)code_of(x[k], scale, -8, 7) + 8, high = (int)code_of(x[k + GROUP / 2], scale, -8, 7) + 8;
    block[2 + k] = (uint8_t)(low | high << 4);
  }
}

/* x ~ scale code + min, with codes from 0 to 15, scale >= 0 and min <= 0. */
typedef struct {
  float scale, min;
} line;

/* The least-squares line through the codes that x has with a given one. */
GF_INLINE line fit_line(const float *x, line given) {
  float codes = 0, squares = 0, values = 0, products = 0;
  for (int k = 0; k < GROUP; k++) {
    float code = code_of(x[k] - given.min, given.scale, 0, 15);
    codes += code, squares += code * code, values += x[k], products += code * x[k];
  }
  float determinant = GROUP * squares - codes * codes;
  if (!(determinant > 0)) return given;
  line fitted = {(GROUP * products - codes * values) / determinant,
                 (squares * values - codes * products) / determinant};
  if (fitted.min > 0) fitted = (line){products / squares, 0};
  return fitted.scale > 0 ? fitted : given;
}

GF_INLINE float squared_error(const float *x, line l) {
  float sum = 0;
  for (int k = 0; k < GROUP; k++) {
    float error = l.scale * code_of(x[k] - l.min, l.scale, 0, 15) + l.min - x[k];
    sum += error * error;
  }
  return sum;
}

GF_INLINE line best_line(const float *x) {
  float low = 0, high = x[0];
  for (int k = 0; k < GROUP; k++) {
    low = min_of(low, x[k]);
    if (x[k] > high) high = x[k];
  }
  if (!(high > low)) return (line){0, low};
  line best = {(high - low) / 15, low};
  float smallest = squared_error(x, best);
  for (int i = 0; i < CANDIDATES; i++) {
    line candidate = fit_line(x, (line){(high - low) / (14 + 0.25f * (float)i), low});
    float error = squared_error(x, candidate);
    if (error < smallest) smallest = error, best = candidate;
  }
  return best;
}

/* Writes the 6-bit scale and minimum of group g, as formats.h reads them, in the order of g. */
static void store_six_bits(uint8_t *block, int g, int scale, int min) {
  uint8_t *p = block + 4 + (g & 3);
  if (g < 4) {
    p[0] = (uint8_t)scale, p[4] = (uint8_t)min;
  } else {
    p[8] = (uint8_t)((scale & 15) | (min & 15) << 4);
    p[0] |= (uint8_t)(scale >> 4 << 6), p[4] |= (uint8_t)(min >> 4 << 6);
  }
}

/* lines: a scale and a minimum for each group */
static void pack_q4_k(uint8_t *block, float *lines, const float *x) {
  float max_scale = 0, max_min = 0;
  for (int g = 0; g < GROUPS; g++) {
    line best = best_line(x + g * GROUP);
    lines[2 * g] = best.scale, lines[2 * g + 1] = -best.min;
    if (best.scale > max_scale) max_scale = best.scale;
    if (-best.min > max_min) max_min = -best.min;
  }
  float d = store_half(block, max_scale / 63), dmin = store_half(block + 2, max_min / 63);
  for (int g = 0; g < GROUPS; g++) {
    float scale = code_of(lines[2 * g], d, 0, 63), min = code_of(lines[2 * g + 1], dmin, 0, 63);
    store_six_bits(block, g, (int)scale, (int)min);
    for (int k = 0; k < GROUP; k++) {
      int code = (int)code_of(x[g * GROUP + k] + dmin * min, d * scale, 0, 15);
      uint8_t *byte = block + 16 + g / 2 * GROUP + k;
      *byte = (uint8_t)(g % 2 ? *byte | code << 4 : code);
    }
  }
}

/* Whether all values are small enough for the scales, which are float16: below 65504 * 8, the least of the formats. */
static int is_packable(const float *x, int n) {
  for (int k = 0; k < n; k++)
    if (!(__builtin_fabsf(x[k]) < 0x1p18f)) return 0;
  return 1;
}

int gf_blocks_pack(uint8_t *weight, float *workspace, const float *rows, int first, int count, int K, int type) {
  for (int n = 0; n < count; n++) {
    const float *row = rows + (size_t)n * K;
    uint8_t *out = weight + (size_t)gf_blocks_size(first + n, K, type);
    if (!is_packable(row, K)) return n;
    if (type == GF_Q4_K)
      for (int k = 0; k < K; k += LARGE, out += 144) pack_q4_k(out, workspace, row + k);
    else
      for (int k = 0; k < K; k += GROUP) {
        if (type == GF_Q8_0) pack_q8_0(out, row + k), out += 34;
        else pack_q4_0(out, row + k), out += 18;
      }
  }
  return -1;
}
