/* formats.h - how GGUF's blocks hold their values.
 *
 *     W[k] = scale[g] code[k] + min[g]      g the group of 32 values that k is in
 *
 * The layouts are those of ggml (block_q4_0 and so on in
 * https://github.com/ggml-org/ggml/blob/master/src/ggml-common.h, values as dequantize_row_q4_0 in ggml-quants.c): rows
 * of blocks of 32 or 256 values, without padding. codes_ of a format writes the codes of group g of a block, where i is
 * g modulo the format's `step` and known to the compiler. read_scales writes the scales and minimums of a row.
 */
#ifndef GF_FORMATS_H
#define GF_FORMATS_H

#include "../math.h"
#include "blocks.h"

enum { GROUP = 32, CODES = GROUP / 8 };

/* X(format, constant, values of a block, bytes, step, whether it has minimums) for every format. */
#define GF_FORMATS(X)              \
  X(q8_0, GF_Q8_0, 32, 34, 1, 0)   \
  X(q4_0, GF_Q4_0, 32, 18, 1, 0)   \
  X(q4_1, GF_Q4_1, 32, 20, 1, 1)   \
  X(q5_0, GF_Q5_0, 32, 22, 1, 0)   \
  X(q5_1, GF_Q5_1, 32, 24, 1, 1)   \
  X(q4_k, GF_Q4_K, 256, 144, 2, 1) \
  X(q5_k, GF_Q5_K, 256, 176, 2, 1) \
  X(q6_k, GF_Q6_K, 256, 210, 4, 0)

/* A float16: its sign, exponent and mantissa move to their float32 positions, and the exponent bias of float32 is 112
 * larger. The exponent of infinity and NaN has all bits set. */
GF_INLINE float half(const uint8_t *p) {
  int16_t h;
  memcpy(&h, p, sizeof h);
  uint32_t bits = (uint32_t)h << 13 & 0x8fffe000;
  if ((h & 0x7c00) == 0x7c00) bits |= 0x70000000;
  return gf_from_bits(bits) * 0x1p112f;
}

/* The low and the high halves of 16 bytes. */
GF_INLINE gf_b16 low_halves(gf_b16 bytes) { return bytes & 15; }
GF_INLINE gf_b16 high_halves(gf_b16 bytes) { return bytes >> 4; }

/* 16 in every byte of which the bit is set: bit i of two bytes belongs to byte i. */
GF_INLINE gf_b16 fifth_bits(const uint8_t *p) {
  const gf_b16 bit = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
  uint16_t two;
  memcpy(&two, p, sizeof two);
  gf_b16 bytes = (gf_b16)((gf_h8){0} + (int16_t)two);
  bytes = __builtin_shufflevector(bytes, bytes, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1);
  return (gf_b16)((bytes & bit) == bit) & 16;
}

/* scale (2 bytes), 32 signed bytes */
GF_INLINE void codes_q8_0(gf_h8 *q, const uint8_t *block, int g, int i) {
  (void)g, (void)i;
#pragma unroll
  for (int c = 0; c < CODES; c++) q[c] = gf_load_i8x8(block + 2 + 8 * c);
}

/* scale (2), 16 bytes: value i in the low half of byte i, value i + 16 in the high half */
GF_INLINE void codes_q4_0(gf_h8 *q, const uint8_t *block, int g, int i) {
  (void)g, (void)i;
  gf_b16 bytes = gf_load_bytes(block + 2);
  gf_extend_i8x16(q, low_halves(bytes) - 8);
  gf_extend_i8x16(q + 2, high_halves(bytes) - 8);
}

/* scale (2), minimum (2), 16 bytes as in q4_0 */
GF_INLINE void codes_q4_1(gf_h8 *q, const uint8_t *block, int g, int i) {
  (void)g, (void)i;
  gf_b16 bytes = gf_load_bytes(block + 4);
  gf_extend_i8x16(q, low_halves(bytes));
  gf_extend_i8x16(q + 2, high_halves(bytes));
}

/* scale (2), fifth bits (4), 16 bytes as in q4_0 */
GF_INLINE void codes_q5_0(gf_h8 *q, const uint8_t *block, int g, int i) {
  (void)g, (void)i;
  gf_b16 bytes = gf_load_bytes(block + 6);
  gf_extend_i8x16(q, (low_halves(bytes) | fifth_bits(block + 2)) - 16);
  gf_extend_i8x16(q + 2, (high_halves(bytes) | fifth_bits(block + 4)) - 16);
}

/* scale (2), minimum (2), fifth bits (4), 16 bytes as in q4_0 */
GF_INLINE void codes_q5_1(gf_h8 *q, const uint8_t *block, int g, int i) {
  (void)g, (void)i;
  gf_b16 bytes = gf_load_bytes(block + 8);
  gf_extend_i8x16(q, low_halves(bytes) | fifth_bits(block + 4));
  gf_extend_i8x16(q + 2, high_halves(bytes) | fifth_bits(block + 6));
}

/* scale (2), minimum (2), of the groups (12), 128 bytes: groups 2 i and 2 i + 1 in the low and high halves of 32 */
GF_INLINE void codes_q4_k(gf_h8 *q, const uint8_t *block, int g, int i) {
  const uint8_t *codes = block + 16 + g / 2 * GROUP;
#pragma unroll
  for (int c = 0; c < 2; c++) {
    gf_b16 bytes = gf_load_bytes(codes + 16 * c);
    gf_extend_i8x16(q + 2 * c, i ? high_halves(bytes) : low_halves(bytes));
  }
}

/* as q4_k, with 32 bytes of fifth bits before the 128: bit g of byte i belongs to value i of group g */
GF_INLINE void codes_q5_k(gf_h8 *q, const uint8_t *block, int g, int i) {
  const uint8_t *fifth = block + 16, *codes = block + 48 + g / 2 * GROUP;
  gf_b16 bit = (gf_b16){0} + (uint8_t)(1 << g);
#pragma unroll
  for (int c = 0; c < 2; c++) {
    gf_b16 bytes = gf_load_bytes(codes + 16 * c);
    gf_b16 fifths = (gf_b16)((gf_load_bytes(fifth + 16 * c) & bit) == bit) & 16;
    gf_extend_i8x16(q + 2 * c, (i ? high_halves(bytes) : low_halves(bytes)) | fifths);
  }
}

/* low halves (128), high pairs of bits (64), 16 signed scales of 16 values each (16), scale (2). Each half of the block
 * has four groups: groups 0 and 1 in the low halves of 64 bytes, 2 and 3 in the high ones; bits 2 i of 32 bytes. The
 * codes are multiplied by the small scales, so they are integers from -4096 to 4096. */
GF_INLINE void codes_q6_k(gf_h8 *q, const uint8_t *block, int g, int i) {
  const uint8_t *low = block + g / 4 * 64 + i % 2 * 32, *high = block + 128 + g / 4 * 32;
  const int8_t *scales = (const int8_t *)block + 192 + 2 * g;
#pragma unroll
  for (int c = 0; c < 2; c++) {
    gf_b16 bytes = gf_load_bytes(low + 16 * c), bits = gf_load_bytes(high + 16 * c) & (uint8_t)(3 << 2 * i);
    bits = i < 2 ? bits << (4 - 2 * i) : bits >> (2 * i - 4);
    gf_extend_i8x16(q + 2 * c, ((i < 2 ? low_halves(bytes) : high_halves(bytes)) | bits) - 32);
    q[2 * c] *= scales[c];
    q[2 * c + 1] *= scales[c];
  }
}

/* The scale of a block of 32 values, and its minimum, are its first float16. */
GF_INLINE void small_scales(float *scale, float *min, const uint8_t *row, int K, int bytes, int has_min) {
  for (int g = 0; g < K / GROUP; g++, row += bytes) {
    scale[g] = half(row);
    if (has_min) min[g] = half(row + 2);
  }
}

/* The bits of four small numbers of 6 bits: the low ones, or 4 low ones of `others` and the high ones. */
GF_INLINE uint32_t low_six_bits(uint32_t bits) { return bits & 0x3f3f3f3f; }
GF_INLINE uint32_t high_six_bits(uint32_t others, uint32_t bits) {
  return (others & 0x0f0f0f0f) | (bits & 0xc0c0c0c0) >> 2;
}

/* q4_k and q5_k: half floats, times 6 bits for each group. Those of the first four groups are the low bits of 8 bytes;
 * the others have 4 bits of 4 more bytes, and the high bits of the 8. */
GF_INLINE void large_scales(float *scale, float *min, const uint8_t *row, int K, int bytes) {
  for (int g = 0; g < K / GROUP; g += 8, row += bytes) {
    uint32_t parts[3];
    memcpy(parts, row + 4, sizeof parts);
    gf_i4 six_bits = {(int)low_six_bits(parts[0]), (int)high_six_bits(parts[2], parts[0]), (int)low_six_bits(parts[1]),
                      (int)high_six_bits(parts[2] >> 4, parts[1])};
    gf_f4 values[4], d = gf_splat(half(row)), dmin = gf_splat(-half(row + 2));
    gf_convert_i8x16(values, (gf_b16)six_bits);
    gf_store(scale + g, values[0] * d);
    gf_store(scale + g + 4, values[1] * d);
    gf_store(min + g, values[2] * dmin);
    gf_store(min + g + 4, values[3] * dmin);
  }
}

/* q6_k: one for all groups of a block, at its end. */
GF_INLINE void common_scales(float *scale, const uint8_t *row, int K) {
  for (int g = 0; g < K / GROUP; g += 8, row += 210) {
    gf_f4 d = gf_splat(half(row + 208));
    gf_store(scale + g, d);
    gf_store(scale + g + 4, d);
  }
}

GF_NOINLINE void read_scales(float *scale, float *min, const uint8_t *row, int K, int type) {
  switch (type) {
    case GF_Q8_0:
      return small_scales(scale, min, row, K, 34, 0);
    case GF_Q4_0:
      return small_scales(scale, min, row, K, 18, 0);
    case GF_Q4_1:
      return small_scales(scale, min, row, K, 20, 1);
    case GF_Q5_0:
      return small_scales(scale, min, row, K, 22, 0);
    case GF_Q5_1:
      return small_scales(scale, min, row, K, 24, 1);
    case GF_Q4_K:
      return large_scales(scale, min, row, K, 144);
    case GF_Q5_K:
      return large_scales(scale, min, row, K, 176);
    case GF_Q6_K:
      return common_scales(scale, row, K);
  }
}

#endif
