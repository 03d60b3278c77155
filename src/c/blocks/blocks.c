/* blocks.c - products with weights that stay in GGUF's blocks.
 *
 *     W[n][k] = scale[n][b] code[n][k] + min[n][b]      b the group of 16 or 32 values that k is in
 *     y[n]    = bias[n] + sum over k of W[n][k] x[k]
 *
 * The layouts are those of ggml (block_q4_0 and so on in
 * https://github.com/ggml-org/ggml/blob/master/src/ggml-common.h, values as dequantize_row_q4_0 in ggml-quants.c): rows
 * of blocks of 32 or 256 values, without padding. Every format has one function, which restores 32 values as float32;
 * everything else is shared. A product with a few rows keeps the values in registers, one with more rows restores a
 * few rows of the weight into the workspace. Both add in the same order, so the bits are the same.
 */
#include "blocks.h"

#include "../math.h"
#include "../simd.h"

/* GROUP values are restored at once. ROWS rows of x are multiplied at once, by TILE restored rows of the weight. */
enum { GROUP = 32, VECTORS = GROUP / 4, SUMS = 2, ROWS = 4, TILE = 8 };

/* A float16: its sign, exponent and mantissa move to their float32 positions, and the exponent bias of float32 is 112
 * larger. The exponent of infinity and NaN has all bits set. */
GF_INLINE float half(const uint8_t *p) {
  int16_t h;
  memcpy(&h, p, sizeof h);
  uint32_t bits = (uint32_t)h << 13 & 0x8fffe000;
  if ((h & 0x7c00) == 0x7c00) bits |= 0x70000000;
  return gf_from_bits(bits) * 0x1p112f;
}

/* Sixteen signed codes as w = scale code + min. */
GF_INLINE void scale_codes(gf_f4 *w, gf_b16 codes, float scale, float min) {
  gf_f4 scales = gf_splat(scale), mins = gf_splat(min);
  gf_convert_i8x16(w, codes);
#pragma unroll
  for (int i = 0; i < 4; i++) w[i] = gf_mul_add(w[i], scales, mins);
}
/* The same without a minimum. */
GF_INLINE void scale_centered_codes(gf_f4 *w, gf_b16 codes, float scale) {
  gf_f4 scales = gf_splat(scale);
  gf_convert_i8x16(w, codes);
#pragma unroll
  for (int i = 0; i < 4; i++) w[i] = w[i] * scales;
}

/* 16 in every byte of which the bit is set: bit i of two bytes belongs to byte i. */
GF_INLINE gf_b16 fifth_bits(const uint8_t *p) {
  const gf_b16 bit = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
  uint64_t repeat = 0x0101010101010101;
  typedef uint64_t two_words __attribute__((vector_size(16)));
  gf_b16 bytes = (gf_b16)(two_words){p[0] * repeat, p[1] * repeat};
  return (gf_b16)((bytes & bit) == bit) & 16;
}

/* The formats: each function writes group g of a block to w [VECTORS]. ----------------------------------------------- */

/* scale (2 bytes), 32 signed bytes */
GF_INLINE void restore_q8_0(gf_f4 *w, const uint8_t *block, int g) {
  (void)g;
  float scale = half(block);
  scale_centered_codes(w, gf_load_bytes(block + 2), scale);
  scale_centered_codes(w + 4, gf_load_bytes(block + 18), scale);
}

/* scale (2), 16 bytes: value i in the low half of byte i, value i + 16 in the high half */
GF_INLINE void restore_q4_0(gf_f4 *w, const uint8_t *block, int g) {
  (void)g;
  float scale = half(block);
  gf_b16 bytes = gf_load_bytes(block + 2);
  scale_centered_codes(w, (bytes & 15) - 8, scale);
  scale_centered_codes(w + 4, (bytes >> 4) - 8, scale);
}

/* scale (2), minimum (2), 16 bytes as in q4_0 */
GF_INLINE void restore_q4_1(gf_f4 *w, const uint8_t *block, int g) {
  (void)g;
  float scale = half(block), min = half(block + 2);
  gf_b16 bytes = gf_load_bytes(block + 4);
  scale_codes(w, bytes & 15, scale, min);
  scale_codes(w + 4, bytes >> 4, scale, min);
}

/* scale (2), fifth bits (4), 16 bytes as in q4_0 */
GF_INLINE void restore_q5_0(gf_f4 *w, const uint8_t *block, int g) {
  (void)g;
  float scale = half(block);
  gf_b16 bytes = gf_load_bytes(block + 6);
  scale_centered_codes(w, ((bytes & 15) | fifth_bits(block + 2)) - 16, scale);
  scale_centered_codes(w + 4, ((bytes >> 4) | fifth_bits(block + 4)) - 16, scale);
}

/* scale (2), minimum (2), fifth bits (4), 16 bytes as in q4_0 */
GF_INLINE void restore_q5_1(gf_f4 *w, const uint8_t *block, int g) {
  (void)g;
  float scale = half(block), min = half(block + 2);
  gf_b16 bytes = gf_load_bytes(block + 8);
  scale_codes(w, (bytes & 15) | fifth_bits(block + 4), scale, min);
  scale_codes(w + 4, (bytes >> 4) | fifth_bits(block + 6), scale, min);
}

/* The scale and the minimum of group g of q4_k and q5_k: half floats, times 6 bits each. Those of the first four groups
 * are the low bits of 8 bytes; the others have 4 bits of 4 more bytes, and the high bits of the 8. */
GF_INLINE void grouped_scale(float *scale, float *min, const uint8_t *block, int g) {
  const uint8_t *p = block + 4 + (g & 3);
  int scale_bits = g < 4 ? p[0] & 63 : (p[8] & 15) | p[0] >> 6 << 4;
  int min_bits = g < 4 ? p[4] & 63 : p[8] >> 4 | p[4] >> 6 << 4;
  *scale = half(block) * (float)scale_bits;
  *min = -(half(block + 2) * (float)min_bits);
}

/* scale (2), minimum (2), of the groups (12), 128 bytes: groups 2 i and 2 i + 1 in the low and high halves of 32 */
GF_INLINE void restore_q4_k(gf_f4 *w, const uint8_t *block, int g) {
  float scale, min;
  grouped_scale(&scale, &min, block, g);
  const uint8_t *codes = block + 16 + g / 2 * GROUP;
  scale_codes(w, gf_load_bytes(codes) >> (g % 2 * 4) & 15, scale, min);
  scale_codes(w + 4, gf_load_bytes(codes + 16) >> (g % 2 * 4) & 15, scale, min);
}

/* as q4_k, with 32 bytes of fifth bits before the 128: bit g of byte i belongs to value i of group g */
GF_INLINE void restore_q5_k(gf_f4 *w, const uint8_t *block, int g) {
  float scale, min;
  grouped_scale(&scale, &min, block, g);
  const uint8_t *fifth = block + 16, *codes = block + 48 + g / 2 * GROUP;
#pragma unroll
  for (int i = 0; i < 2; i++) {
    gf_b16 low = gf_load_bytes(codes + 16 * i) >> (g % 2 * 4) & 15;
    scale_codes(w + 4 * i, low | (gf_load_bytes(fifth + 16 * i) >> g & 1) << 4, scale, min);
  }
}

/* low halves (128), high pairs of bits (64), 16 signed scales of 16 values each (16), scale (2). Each half of the block
 * has four groups: groups 0 and 1 in the low halves of 64 bytes, 2 and 3 in the high ones; bits 2 g of 32 bytes. */
GF_INLINE void restore_q6_k(gf_f4 *w, const uint8_t *block, int g) {
  const uint8_t *low = block + g / 4 * 64 + g % 2 * 32, *high = block + 128 + g / 4 * 32;
  const int8_t *scales = (const int8_t *)block + 192 + 2 * g;
  float scale = half(block + 208);
#pragma unroll
  for (int i = 0; i < 2; i++) {
    gf_b16 codes = gf_load_bytes(low + 16 * i) >> (g % 4 / 2 * 4) & 15;
    codes |= (gf_load_bytes(high + 16 * i) >> (g % 4 * 2) & 3) << 4;
    scale_centered_codes(w + 4 * i, codes - 32, scale * (float)scales[i]);
  }
}

/* What is the same for all formats. ---------------------------------------------------------------------------------- */

/* sums [SUMS] += products of 32 values with x, in a fixed order. */
GF_INLINE void add_products(gf_f4 *sums, const gf_f4 *w, const float *x) {
#pragma unroll
  for (int i = 0; i < VECTORS; i++) sums[i % SUMS] = gf_mul_add(w[i], gf_load(x + 4 * i), sums[i % SUMS]);
}

/* Multiplies a restored row w [K] by ROWS rows of x. out has a stride of N. */
GF_NOINLINE void multiply_four_rows(float *out, const float *x, const float *w, float bias, int N, int K) {
  gf_f4 sums[ROWS * SUMS] = {{0}};
  for (int k = 0; k < K; k += 4 * SUMS) {
#pragma unroll
    for (int s = 0; s < SUMS; s++) {
      gf_f4 value = gf_load(w + k + 4 * s);
#pragma unroll
      for (int r = 0; r < ROWS; r++)
        sums[r * SUMS + s] = gf_mul_add(value, gf_load(x + (size_t)r * K + k + 4 * s), sums[r * SUMS + s]);
    }
  }
#pragma unroll
  for (int r = 0; r < ROWS; r++) out[(size_t)r * N] = bias + gf_sum_lanes(sums[r * SUMS] + sums[r * SUMS + 1]);
}

/* The two functions of a format: restore_row writes a row as float32, multiply_row returns its product with x [K]. */
#define GF_FORMAT(format, values, block_bytes)                                           \
  GF_NOINLINE void restore_row_##format(float *out, const uint8_t *row, int K) {         \
    for (int k = 0; k < K; k += values, row += block_bytes)                              \
      for (int g = 0; g < values / GROUP; g++, out += GROUP) {                           \
        gf_f4 w[VECTORS];                                                                \
        restore_##format(w, row, g);                                                     \
        _Pragma("unroll") for (int i = 0; i < VECTORS; i++) gf_store(out + 4 * i, w[i]); \
      }                                                                                  \
  }                                                                                      \
  GF_NOINLINE float multiply_row_##format(const float *x, const uint8_t *row, int K) {   \
    gf_f4 sums[SUMS] = {{0}};                                                            \
    for (int k = 0; k < K; k += values, row += block_bytes)                              \
      for (int g = 0; g < values / GROUP; g++, x += GROUP) {                             \
        gf_f4 w[VECTORS];                                                                \
        restore_##format(w, row, g);                                                     \
        add_products(sums, w, x);                                                        \
      }                                                                                  \
    return gf_sum_lanes(sums[0] + sums[1]);                                              \
  }

/* X(format, constant, values, bytes) for every format. */
#define GF_FORMATS(X)        \
  X(q8_0, GF_Q8_0, 32, 34)   \
  X(q4_0, GF_Q4_0, 32, 18)   \
  X(q4_1, GF_Q4_1, 32, 20)   \
  X(q5_0, GF_Q5_0, 32, 22)   \
  X(q5_1, GF_Q5_1, 32, 24)   \
  X(q4_k, GF_Q4_K, 256, 144) \
  X(q5_k, GF_Q5_K, 256, 176) \
  X(q6_k, GF_Q6_K, 256, 210)

#define GF_DEFINE(format, constant, values, bytes) GF_FORMAT(format, values, bytes)
GF_FORMATS(GF_DEFINE)

static size_t row_bytes(int K, int type) {
  switch (type) {
#define GF_ROW_BYTES(format, constant, values, bytes) \
  case constant:                                      \
    return (size_t)(K / values) * bytes;
    GF_FORMATS(GF_ROW_BYTES)
  }
  return 0;
}

static void restore_row(float *out, const uint8_t *row, int K, int type) {
  switch (type) {
#define GF_RESTORE(format, constant, values, bytes) \
  case constant:                                    \
    return restore_row_##format(out, row, K);
    GF_FORMATS(GF_RESTORE)
  }
}

static float multiply_row(const float *x, const uint8_t *row, int K, int type) {
  switch (type) {
#define GF_MULTIPLY(format, constant, values, bytes) \
  case constant:                                     \
    return multiply_row_##format(x, row, K);
    GF_FORMATS(GF_MULTIPLY)
  }
  return 0;
}

void gf_blocks_rows(float *out, const uint8_t *weight, int first, int count, int K, int type) {
  size_t bytes = row_bytes(K, type);
  for (int n = 0; n < count; n++) restore_row(out + (size_t)n * K, weight + (size_t)(first + n) * bytes, K, type);
}

void gf_blocks_embedding(float *out, const int32_t *ids, const uint8_t *weight, int n, int K, int type) {
  for (int i = 0; i < n; i++) gf_blocks_rows(out + (size_t)i * K, weight, ids[i], 1, K, type);
}

double gf_blocks_workspace(int M, int K) { return M < ROWS ? 0 : (double)TILE * K; }

void gf_blocks_product(float *out, float *workspace, const float *x, const uint8_t *weight, const float *bias, int M,
                       int N, int K, int type) {
  size_t bytes = row_bytes(K, type);
  int tiled = M / ROWS * ROWS;
  for (int n0 = 0; tiled && n0 < N; n0 += TILE) {
    int count = N - n0 < TILE ? N - n0 : TILE;
    gf_blocks_rows(workspace, weight, n0, count, K, type);
    for (int m = 0; m < tiled; m += ROWS)
      for (int n = 0; n < count; n++)
        multiply_four_rows(out + (size_t)m * N + n0 + n, x + (size_t)m * K, workspace + (size_t)n * K,
                           bias ? bias[n0 + n] : 0, N, K);
  }
  for (int n = 0; n < N; n++)
    for (int m = tiled; m < M; m++)
      out[(size_t)m * N + n] = (bias ? bias[n] : 0) + multiply_row(x + (size_t)m * K, weight + n * bytes, K, type);
}
