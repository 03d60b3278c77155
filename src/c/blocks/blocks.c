/* blocks.c - products with weights that stay in GGUF's blocks.
 *
 *     W[n][k] = scale[n][g] code[n][k] + min[n][g]     g the group of 32 values that k is in; see formats.h
 *     x[k]    ~ t[g] r[k]                              16-bit integers; see round_activations.h
 *     y[n]    = sum over g of (scale[n][g] t[g]) (sum over k in g of code[n][k] r[k])
 *               + sum over g of min[n][g] (t[g] sum over k in g of r[k]) + bias[n]
 *
 * The inner sums are exact integers below 2^31; the outer ones are in the order of g, and lanes are rows of the weight.
 * One row of x is multiplied by four rows of the weight, whose codes are unpacked into registers; four rows of x by
 * eight rows of the weight, whose codes are unpacked into the workspace. Both compute the same bits.
 */
#include "blocks.h"

#include "../round_activations.h"
#include "formats.h"

/* LANES rows of a weight have their scales in one vector. ROWS rows of x are multiplied by PANEL rows of a weight. */
enum { LANES = 4, ROWS = 4, PANEL = 8 };

/* What the functions of a format need to know of it. */
typedef struct {
  void (*codes)(gf_h8 *q, const uint8_t *block, int g, int i);
  int values, bytes, step;
} format;

static size_t row_bytes(int K, int type) {
  switch (type) {
#define GF_ROW_BYTES(name, constant, values, bytes, step, has_min) \
  case constant:                                                   \
    return (size_t)(K / values) * bytes;
    GF_FORMATS(GF_ROW_BYTES)
  }
  return 0;
}
double gf_blocks_size(int rows, int K, int type) { return (double)rows * (double)row_bytes(K, type); }
static int has_mins(int type) { return type == GF_Q4_1 || type == GF_Q5_1 || type == GF_Q4_K || type == GF_Q5_K; }

/* The groups of a row, padded to whole vectors. */
static int padded_groups(int K) { return (K / GROUP + 3) & ~3; }

/* The workspace: M rows of x, each with its integers r, t and the sums of the groups; then what a weight needs. */
typedef struct {
  int16_t *r;
  float *t, *sum;
} activations;
static size_t activation_floats(int K) { return (size_t)K / 2 + 2 * (size_t)padded_groups(K); }
static activations locate_activations(float *workspace, int m, int K) {
  float *start = workspace + (size_t)m * activation_floats(K), *t = start + K / 2;
  return (activations){(int16_t *)start, t, t + padded_groups(K)};
}

/* Some rows of a weight: the codes, if they are unpacked, and the scales and minimums by rows (`of_rows`), then with a
 * vector for each group. */
typedef struct {
  int16_t *codes;
  float *scale_of_rows, *min_of_rows, *scale, *min;
} unpacked;
static size_t unpacked_floats(int K) { return (size_t)PANEL * ((size_t)K / 2 + 4 * (size_t)padded_groups(K)); }
static unpacked locate_unpacked(float *workspace, int K) {
  size_t size = (size_t)PANEL * (size_t)padded_groups(K);
  float *scales = workspace + (size_t)PANEL * (size_t)K / 2;
  return (unpacked){(int16_t *)workspace, scales, scales + size, scales + 2 * size, scales + 3 * size};
}

double gf_blocks_workspace(int M, int K) {
  return (double)M * (double)activation_floats(K) + (double)unpacked_floats(K);
}

/* The sums of q6_k need a bit more than those of the others. */
static float max_r(int type) { return type == GF_Q6_K ? 16383 : 32767; }

static void round_row(float *workspace, const float *x, int m, int K, int type) {
  activations out = locate_activations(workspace, m, K);
  x += (size_t)m * K;
  for (int g = 0; g < padded_groups(K); g++) out.t[g] = out.sum[g] = 0;
  for (int g = 0; g < K / GROUP; g++) {
    int16_t *r = out.r + g * GROUP;
    int sum = 0;
    out.t[g] = gf_round_group(r, x + g * GROUP, max_r(type));
    for (int k = 0; k < GROUP; k++) sum += r[k];
    out.sum[g] = out.t[g] * (float)sum;
  }
}

GF_INLINE gf_h8 load_i16x8(const int16_t *p) {
  gf_h8 a;
  memcpy(&a, p, sizeof a);
  return a;
}

/* Writes the codes of group g of a row; i is g modulo the format's step and known to the compiler. */
GF_INLINE void read_codes(gf_h8 *q, format f, const uint8_t *row, int g, int i) {
  int groups = f.values / GROUP;
  f.codes(q, row + (size_t)(g / groups) * (size_t)f.bytes, g % groups, i);
}

/* The sums of the lanes of four vectors. */
GF_INLINE gf_i4 sum_each(const gf_i4 *v) {
  gf_i4 ab = __builtin_shufflevector(v[0], v[1], 0, 4, 1, 5) + __builtin_shufflevector(v[0], v[1], 2, 6, 3, 7);
  gf_i4 cd = __builtin_shufflevector(v[2], v[3], 0, 4, 1, 5) + __builtin_shufflevector(v[2], v[3], 2, 6, 3, 7);
  return __builtin_shufflevector(ab, cd, 0, 1, 4, 5) + __builtin_shufflevector(ab, cd, 2, 3, 6, 7);
}

/* sums += the scaled products of group g of x with that of LANES rows, `stride` bytes apart. `scale` has a vector for
 * each group; i as in read_codes. */
GF_INLINE gf_f4 add_group(gf_f4 sums, format f, const int16_t *r, const float *scale, const uint8_t *row, size_t stride,
                          int g, int i) {
  gf_h8 x[CODES];
  gf_i4 dots[LANES];
#pragma unroll
  for (int c = 0; c < CODES; c++) x[c] = load_i16x8(r + g * GROUP + 8 * c);
#pragma unroll
  for (int lane = 0; lane < LANES; lane++) {
    gf_h8 q[CODES];
    read_codes(q, f, row + lane * stride, g, i);
    dots[lane] =
        (gf_dot_pairs(q[0], x[0]) + gf_dot_pairs(q[1], x[1])) + (gf_dot_pairs(q[2], x[2]) + gf_dot_pairs(q[3], x[3]));
  }
  return gf_mul_add(gf_convert_i4(sum_each(dots)), gf_load(scale + g * LANES), sums);
}

/* The sums of the products of a row of x with LANES rows. The branches of the switch keep apart what each group loads:
 * otherwise Node 20 loads for several groups first, and has not enough registers for that. */
GF_INLINE gf_f4 multiply_rows(format f, const int16_t *r, const float *scale, const uint8_t *row, size_t stride,
                              int K) {
  gf_f4 sums = gf_zero();
  for (int g = 0; g < K / GROUP; g++) {
    switch (g % f.step) {
      case 0:
        sums = add_group(sums, f, r, scale, row, stride, g, 0);
        break;
      case 1:
        sums = add_group(sums, f, r, scale, row, stride, g, 1);
        break;
      case 2:
        sums = add_group(sums, f, r, scale, row, stride, g, 2);
        break;
      default:
        sums = add_group(sums, f, r, scale, row, stride, g, 3);
    }
  }
  return sums;
}

/* Writes the codes of a row, pair by pair, with `stride` pairs from one to the next. */
GF_INLINE void unpack_codes(format f, int16_t *out, int stride, const uint8_t *row, int K) {
  for (int g = 0; g < K / GROUP; g += f.step) {
#pragma unroll
    for (int i = 0; i < f.step; i++) {
      gf_h8 q[CODES];
      read_codes(q, f, row, g + i, i);
#pragma unroll
      for (int pair = 0; pair < GROUP / 2; pair++) {
        int32_t bits = ((gf_i4)q[pair / 4])[pair % 4];
        memcpy(out + 2 * (size_t)stride * (size_t)((g + i) * (GROUP / 2) + pair), &bits, sizeof bits);
      }
    }
  }
}

/* The two functions of a format. */
#define GF_DEFINE(name, constant, values, bytes, step, has_min)                                                   \
  GF_NOINLINE gf_f4 multiply_rows_##name(const int16_t *r, const float *scale, const uint8_t *row, size_t stride, \
                                         int K) {                                                                 \
    return multiply_rows((format){codes_##name, values, bytes, step}, r, scale, row, stride, K);                  \
  }                                                                                                               \
  GF_NOINLINE void unpack_codes_##name(int16_t *out, int stride, const uint8_t *row, int K) {                     \
    unpack_codes((format){codes_##name, values, bytes, step}, out, stride, row, K);                               \
  }
GF_FORMATS(GF_DEFINE)

static gf_f4 multiply_rows_of(int type, const int16_t *r, const float *scale, const uint8_t *row, size_t stride,
                              int K) {
  switch (type) {
#define GF_MULTIPLY(name, constant, values, bytes, step, has_min) \
  case constant:                                                  \
    return multiply_rows_##name(r, scale, row, stride, K);
    GF_FORMATS(GF_MULTIPLY)
  }
  return gf_zero();
}

static void unpack_codes_of(int type, int16_t *out, int stride, const uint8_t *row, int K) {
  switch (type) {
#define GF_UNPACK(name, constant, values, bytes, step, has_min) \
  case constant:                                                \
    return unpack_codes_##name(out, stride, row, K);
    GF_FORMATS(GF_UNPACK)
  }
}

/* v [4] = values of four groups of LANES rows, by groups instead of by rows, times the factors of the groups. */
GF_INLINE void transpose_groups(gf_f4 *v, const float *of_rows, const float *factors, int g, int K) {
#pragma unroll
  for (int lane = 0; lane < LANES; lane++)
    v[lane] = gf_load(of_rows + lane * padded_groups(K) + g) * (factors ? gf_load(factors + g) : gf_splat(1));
  gf_transpose4(v);
}

/* out has a vector every `stride` values, for each group: the values of LANES rows, times the factors (NULL: 1). */
static void scale_groups(float *out, int stride, const float *of_rows, const float *factors, int K) {
  for (int g = 0; g < K / GROUP; g += 4) {
    gf_f4 v[4];
    transpose_groups(v, of_rows, factors, g, K);
#pragma unroll
    for (int i = 0; i < 4; i++) gf_store(out + (g + i) * stride, v[i]);
  }
}

/* The sums over all groups of the minimums of LANES rows, times the factors. */
static gf_f4 add_mins(const float *of_rows, const float *factors, int K) {
  gf_f4 sums = gf_zero();
  for (int g = 0; g < K / GROUP; g += 4) {
    gf_f4 v[4];
    transpose_groups(v, of_rows, factors, g, K);
#pragma unroll
    for (int i = 0; i < 4; i++) sums = sums + v[i];
  }
  return sums;
}

/* Sets the padding of the scales and minimums to 0. */
static void clear_padding(float *workspace, int K) {
  unpacked w = locate_unpacked(workspace, K);
  int groups = padded_groups(K);
  for (int lane = 0; lane < PANEL; lane++)
    for (int g = K / GROUP; g < groups; g++) w.scale_of_rows[lane * groups + g] = w.min_of_rows[lane * groups + g] = 0;
}

/* out [count] = the products of a row of x with `count` rows of the weight, at most LANES. */
GF_INLINE void multiply_lanes(float *out, size_t out_stride, activations x, unpacked w, const uint8_t *row,
                              size_t stride, int count, int K, int type) {
  for (int lane = 0; lane < LANES; lane++)
    read_scales(w.scale_of_rows + lane * padded_groups(K), w.min_of_rows + lane * padded_groups(K), row + lane * stride,
                K, type);
  scale_groups(w.scale, LANES, w.scale_of_rows, x.t, K);
  gf_f4 sums = multiply_rows_of(type, x.r, w.scale, row, stride, K);
  if (has_mins(type)) sums = sums + add_mins(w.min_of_rows, x.sum, K);
#pragma unroll
  for (int lane = 0; lane < LANES; lane++)
    if (lane < count) out[lane * out_stride] = sums[lane];
}

/* Adds the bias. out has count values. */
static void multiply_row(float *out, float *activation, float *workspace, const uint8_t *weight, int N, int K,
                         int type) {
  activations x = locate_activations(activation, 0, K);
  unpacked w = locate_unpacked(workspace, K);
  size_t bytes = row_bytes(K, type);
  int quarter = N / LANES;
  for (int n = 0; n < quarter; n++)
    multiply_lanes(out + n, (size_t)quarter, x, w, weight + n * bytes, (size_t)quarter * bytes, LANES, K, type);
  for (int n = quarter * LANES; n < N; n++) multiply_lanes(out + n, 1, x, w, weight + n * bytes, 0, 1, K, type);
}

/* dots [2] += the products of two codes of PANEL rows with two integers of x. */
GF_INLINE void add_pair(gf_i4 *dots, const gf_h8 *q, const int16_t *r) {
  gf_h8 pair = gf_splat_i16x2(r);
  dots[0] += gf_dot_pairs(q[0], pair);
  dots[1] += gf_dot_pairs(q[1], pair);
}

/* sums [2 * ROWS] = the products of ROWS rows of x with PANEL unpacked rows. */
GF_NOINLINE void multiply_panel(float *out, int count, float *x, float *workspace, int N, int K, int type) {
  gf_f4 sums[2 * ROWS] = {{0}};
  size_t stride = activation_floats(K);
  activations first = locate_activations(x, 0, K);
  unpacked w = locate_unpacked(workspace, K);
  for (int g = 0; g < K / GROUP; g++) {
    gf_i4 dots[2 * ROWS] = {{0}};
    for (int k = g * GROUP; k < (g + 1) * GROUP; k += 2) {
      gf_h8 q[2] = {load_i16x8(w.codes + k * PANEL), load_i16x8(w.codes + k * PANEL + 8)};
#pragma unroll
      for (int m = 0; m < ROWS; m++) add_pair(dots + 2 * m, q, first.r + 2 * m * stride + k);
    }
    gf_f4 low = gf_load(w.scale + g * PANEL), high = gf_load(w.scale + g * PANEL + LANES);
#pragma unroll
    for (int m = 0; m < ROWS; m++) {
      gf_f4 t = gf_splat_at(first.t + m * stride + g);
      sums[2 * m] = gf_mul_add(gf_convert_i4(dots[2 * m]), low * t, sums[2 * m]);
      sums[2 * m + 1] = gf_mul_add(gf_convert_i4(dots[2 * m + 1]), high * t, sums[2 * m + 1]);
    }
  }
#pragma unroll
  for (int m = 0; m < ROWS; m++) {
    gf_f4 low = gf_zero(), high = gf_zero();
    for (int g = 0; has_mins(type) && g < K / GROUP; g++) {
      gf_f4 sum = gf_splat_at(first.sum + m * stride + g);
      low = gf_mul_add(gf_load(w.min + g * PANEL), sum, low);
      high = gf_mul_add(gf_load(w.min + g * PANEL + LANES), sum, high);
    }
    gf_store_partial(out + (size_t)m * N, sums[2 * m] + low, count);
    if (count > LANES) gf_store_partial(out + (size_t)m * N + LANES, sums[2 * m + 1] + high, count - LANES);
  }
}

/* Unpacks up to PANEL rows of a weight. */
static void unpack_panel(float *workspace, const uint8_t *weight, int count, int K, int type) {
  unpacked w = locate_unpacked(workspace, K);
  int groups = padded_groups(K);
  for (int n = 0; n < count; n++) {
    const uint8_t *row = weight + n * row_bytes(K, type);
    unpack_codes_of(type, w.codes + 2 * n, PANEL, row, K);
    read_scales(w.scale_of_rows + n * groups, w.min_of_rows + n * groups, row, K, type);
  }
  for (int n = 0; n < count; n += LANES) {
    scale_groups(w.scale + n, PANEL, w.scale_of_rows + n * groups, NULL, K);
    if (has_mins(type)) scale_groups(w.min + n, PANEL, w.min_of_rows + n * groups, NULL, K);
  }
}

/* Writes a row as float32. */
static void restore_row(float *out, float *workspace, const uint8_t *row, int K, int type) {
  unpacked w = locate_unpacked(workspace, K);
  unpack_codes_of(type, w.codes, 1, row, K);
  read_scales(w.scale, w.min, row, K, type);
  for (int k = 0; k < K; k++) {
    float product = w.scale[k / GROUP] * (float)w.codes[k];
    out[k] = has_mins(type) ? product + w.min[k / GROUP] : product;
  }
}

void gf_blocks_rows(float *out, float *workspace, const uint8_t *weight, int first, int count, int K, int type) {
  for (int n = 0; n < count; n++)
    restore_row(out + (size_t)n * K, workspace, weight + (size_t)(first + n) * row_bytes(K, type), K, type);
}

void gf_blocks_embedding(float *out, float *workspace, const int32_t *ids, const uint8_t *weight, int n, int K,
                         int type) {
  for (int i = 0; i < n; i++) gf_blocks_rows(out + (size_t)i * K, workspace, weight, ids[i], 1, K, type);
}

void gf_blocks_product(float *out, float *workspace, const float *x, const uint8_t *weight, const float *bias, int M,
                       int N, int K, int type) {
  int tiled = M / ROWS * ROWS;
  float *w = workspace + (size_t)M * activation_floats(K);
  clear_padding(w, K);
  for (int m = 0; m < M; m++) round_row(workspace, x, m, K, type);
  for (int n = 0; tiled && n < N; n += PANEL) {
    int count = N - n < PANEL ? N - n : PANEL;
    unpack_panel(w, weight + n * row_bytes(K, type), count, K, type);
    for (int m = 0; m < tiled; m += ROWS)
      multiply_panel(out + (size_t)m * N + n, count, workspace + m * activation_floats(K), w, N, K, type);
  }
  for (int m = tiled; m < M; m++)
    multiply_row(out + (size_t)m * N, workspace + m * activation_floats(K), w, weight, N, K, type);
  if (bias)
    for (int m = 0; m < M; m++)
      for (int n = 0; n < N; n++) out[(size_t)m * N + n] += bias[n];
}
