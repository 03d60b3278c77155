/* int8.c - matrix products with int8 weights; each block of 32 values of a row has a scale.
 *
 *     W[n][k] = s[n][k / 32] q[n][k]     q an integer from -127 to 127, s a bfloat16: max |W of the block| / 127
 *     x[k]    ~ t[k / 32] r[k]           r an integer from -32767 to 32767, t = max |x of the block| / 32767
 *     y[n]    = bias[n] + sum over the blocks b of (s[n][b] t[b]) (sum over k in b of q[n][k] r[k])
 *
 * The inner sums are integers below 2^27, so they are exact in any order; the outer sum is in the order of b. A row of
 * x gives the same bits alone and together with others. Quantizing dequantized values gives the same q and s again.
 *
 * The layout is [ceil(N/8)][ceil(K/32)] blocks of 272 bytes for 8 rows and 32 columns: 8 scales, then for each pair of
 * columns the pairs of values of the 8 rows, as the dot product instruction of int16 pairs needs them.
 */
#include "../math.h"
#include "../round_activations.h"
#include "convert.h"

enum { PANEL = 8, BLOCK = GF_GROUP, ROWS = 4, STREAMS = 3, MAX_ACTIVATION = 32767 };

typedef struct {
  uint16_t scale[PANEL];
  int8_t q[BLOCK / 2][PANEL][2];
} weight_block;

typedef struct {
  float scale;
  int16_t r[BLOCK];
} activation_block;

static size_t block_count(int K) { return ((size_t)K + BLOCK - 1) / BLOCK; }
static int min(int a, int b) { return a < b ? a : b; }

double gf_int8_size(int N, int K) {
  return __builtin_ceil((double)N / PANEL) * (double)block_count(K) * sizeof(weight_block);
}
double gf_int8_workspace(int M, int K) {
  return (double)M * (double)block_count(K) * (sizeof(activation_block) / sizeof(float));
}

/* The maximum absolute value of n values; NaN if any value is NaN. */
static float max_abs(const float *x, int n) {
  float max = 0;
  for (int i = 0; i < n; i++) {
    float magnitude = __builtin_fabsf(x[i]);
    if (magnitude != magnitude) return magnitude;
    if (magnitude > max) max = magnitude;
  }
  return max;
}

static float weight_scale(const weight_block *b, int row) { return (float)gf_read(b->scale, (size_t)row, GF_BFLOAT16); }

static int round_and_clamp(float x, int max) {
  float nearest = __builtin_rintf(x);
  return nearest > (float)max ? max : nearest < (float)-max ? -max : (int)nearest;
}

static int quantize_weight_block(weight_block *out, int row, const float *w, int n) {
  float max = max_abs(w, n), scale = 0;
  if (!(max < GF_INFINITY)) return 0;
  float exact_scale = max < GF_ZERO_BELOW ? 0 : max / 127;
  gf_convert(out->scale + row, GF_BFLOAT16, &exact_scale, GF_FLOAT32, 1);
  scale = weight_scale(out, row);
  for (int k = 0; k < BLOCK; k++)
    out->q[k / 2][row][k % 2] = (int8_t)(scale > 0 && k < n ? round_and_clamp(w[k] / scale, 127) : 0);
  return 1;
}

int gf_int8_pack(void *weight, const float *rows, int first, int count, int K) {
  for (int n = 0; n < count; n++)
    for (size_t b = 0; b < block_count(K); b++) {
      int row = first + n, k = (int)b * BLOCK;
      weight_block *out = (weight_block *)weight + (size_t)(row / PANEL) * block_count(K) + b;
      if (!quantize_weight_block(out, row % PANEL, rows + (size_t)n * K + k, min(BLOCK, K - k))) return n;
    }
  return -1;
}

double gf_int8_read(const void *weight, int row, int column, int K) {
  const weight_block *b = (const weight_block *)weight + (size_t)(row / PANEL) * block_count(K) + column / BLOCK;
  int k = column % BLOCK;
  return weight_scale(b, row % PANEL) * (float)b->q[k / 2][row % PANEL][k % 2];
}

void gf_int8_rows(float *out, const void *weight, int first, int count, int K) {
  for (int row = first; row < first + count; row++)
    for (int k = 0; k < K; k++) *out++ = (float)gf_int8_read(weight, row, k, K);
}

static void quantize_block(activation_block *out, const float *x, int n, int max) {
  float padded[BLOCK] = {0};
  if (n < BLOCK) x = memcpy(padded, x, sizeof(float) * (size_t)n);
  out->scale = gf_round_group(out->r, x, (float)max);
}

static void quantize_row(activation_block *out, const float *x, int K) {
  for (int k = 0; k < K; k += BLOCK) quantize_block(out++, x + k, min(BLOCK, K - k), MAX_ACTIVATION);
}

void gf_int8_rounded(float *out, const float *x, int M, int K, int max) {
  for (int m = 0; m < M; m++)
    for (int k0 = 0; k0 < K; k0 += BLOCK) {
      activation_block p;
      int n = min(BLOCK, K - k0);
      size_t offset = (size_t)m * K + k0;
      quantize_block(&p, x + offset, n, max);
      for (int k = 0; k < n; k++) out[offset + k] = p.scale * (float)p.r[k];
    }
}

/* Load and store up to 8 adjacent outputs as two vectors. */
GF_INLINE void load_columns(gf_f4 *v, const float *p, int n) {
  v[0] = gf_load_partial(p, n);
  v[1] = n > 4 ? gf_load_partial(p + 4, n - 4) : gf_zero();
}
GF_INLINE void store_columns(float *p, const gf_f4 *v, int n) {
  gf_store_partial(p, v[0], n);
  if (n > 4) gf_store_partial(p + 4, v[1], n - 4);
}

/* sums[8] += the integer dot products of a block times both scales. */
GF_INLINE void add_scaled_dots(gf_f4 *sums, const gf_i4 *dots, const weight_block *b, float scale) {
  gf_f4 t = gf_splat(scale);
  sums[0] = gf_mul_add(gf_convert_i4(dots[0]), gf_load_bf16(b->scale) * t, sums[0]);
  sums[1] = gf_mul_add(gf_convert_i4(dots[1]), gf_load_bf16(b->scale + 4) * t, sums[1]);
}

/* dots[2] += the products of a pair of columns. */
GF_INLINE void add_pair_dots(gf_i4 *dots, const int8_t q[PANEL][2], gf_h8 x) {
  dots[0] += gf_dot_pairs(gf_load_i8x8(q), x);
  dots[1] += gf_dot_pairs(gf_load_i8x8(q + 4), x);
}

/* Multiplies one row by three distant panels; see GF_DEFINE_FEW_ROWS in matmul.c. */
GF_NOINLINE void multiply_row(gf_f4 *sums, const activation_block *x, const weight_block *const *panels, size_t n) {
  const weight_block *b[STREAMS] = {panels[0], panels[1], panels[2]};
  for (; n > 0; n--, x++) {
    gf_i4 dots[2 * STREAMS] = {{0}};
    for (int k = 0; k < BLOCK / 2; k++) {
      gf_h8 pair = gf_splat_i16x2(x->r + 2 * k);
#pragma unroll
      for (int s = 0; s < STREAMS; s++) add_pair_dots(dots + 2 * s, b[s]->q[k], pair);
    }
#pragma unroll
    for (int s = 0; s < STREAMS; s++) add_scaled_dots(sums + 2 * s, dots + 2 * s, b[s]++, x->scale);
  }
}

/* Multiplies four rows, row_stride blocks apart, by one panel. */
GF_NOINLINE void multiply_four_rows(gf_f4 *sums, const activation_block *x, size_t row_stride, const weight_block *b,
                                    size_t n) {
  for (; n > 0; n--, x++, b++) {
    gf_i4 dots[2 * ROWS] = {{0}};
    for (int k = 0; k < BLOCK / 2; k++) {
#pragma unroll
      for (int r = 0; r < ROWS; r++) add_pair_dots(dots + 2 * r, b->q[k], gf_splat_i16x2(x[r * row_stride].r + 2 * k));
    }
#pragma unroll
    for (int r = 0; r < ROWS; r++) add_scaled_dots(sums + 2 * r, dots + 2 * r, b, x[r * row_stride].scale);
  }
}

/* Initializes the sums of columns n .. n + 8 with the bias, or 0. */
GF_INLINE void init_sums(gf_f4 *sums, const float *bias, int n, int N) {
  sums[0] = sums[1] = gf_zero();
  if (bias && n < N) load_columns(sums, bias + n, N - n);
}

static void multiply_rows_by_panel(float *out, const activation_block *x, const weight_block *b, const float *bias,
                                   int n, int N, size_t blocks) {
  gf_f4 sums[2 * ROWS];
#pragma unroll
  for (int r = 0; r < ROWS; r++) init_sums(sums + 2 * r, bias, n, N);
  multiply_four_rows(sums, x, blocks, b, blocks);
#pragma unroll
  for (int r = 0; r < ROWS; r++) store_columns(out + (size_t)r * N + n, sums + 2 * r, N - n);
}

/* Finds the panels of columns n, n + stream_stride, ...; past the end it repeats the first. Returns how many exist. */
static int locate_panels(const weight_block **panels, const weight_block *weight, int n, int stream_stride, int N,
                         size_t blocks) {
  int panel_count = 0;
  for (int s = 0; s < STREAMS; s++, n += stream_stride) {
    panels[s] = n < N ? weight + (size_t)(n / PANEL) * blocks : panels[0];
    panel_count += n < N;
  }
  return panel_count;
}

void gf_int8_product(float *out, float *workspace, const float *x, const void *weight, const float *bias, int M, int N,
                     int K) {
  size_t blocks = block_count(K);
  activation_block *x_blocks = (activation_block *)workspace;
  for (int m = 0; m < M; m++) quantize_row(x_blocks + m * blocks, x + (size_t)m * K, K);
  int stream_stride = (N + STREAMS * PANEL - 1) / (STREAMS * PANEL) * PANEL;
  for (int n = 0; n < stream_stride; n += PANEL) {
    const weight_block *panels[STREAMS];
    int m = 0, panel_count = locate_panels(panels, weight, n, stream_stride, N, blocks);
    for (; m + ROWS <= M; m += ROWS)
      for (int s = 0; s < panel_count; s++)
        multiply_rows_by_panel(out + (size_t)m * N, x_blocks + m * blocks, panels[s], bias, n + s * stream_stride, N,
                               blocks);
    for (; m < M; m++) {
      gf_f4 sums[2 * STREAMS];
      for (int s = 0; s < STREAMS; s++) init_sums(sums + 2 * s, bias, n + s * stream_stride, N);
      multiply_row(sums, x_blocks + m * blocks, panels, blocks);
      for (int s = 0; s < panel_count; s++)
        store_columns(out + (size_t)m * N + n + s * stream_stride, sums + 2 * s, N - n - s * stream_stride);
    }
  }
}
