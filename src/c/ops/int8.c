/* int8.c - products with weights of 8 bits: 32 neighbours of a row share a scale.
 *
 *     W[n][k] = s[n][k / 32] q[n][k]     q a whole number from -127 to 127, s a bfloat16: max |W of the block| / 127
 *     x[k]    ~ t[k / 32] r[k]           r a whole number from -32767 to 32767, t = max |x of the block| / 32767
 *     y[n]    = bias[n] + sum over the blocks b of (s[n][b] t[b]) (sum over k in b of q[n][k] r[k])
 *
 * The inner sums are whole numbers below 2^27, so they are exact in any order; the outer one runs from left to right. A
 * row of x has the same bits alone and among others. With 127 s a weight has its scale back: values that were taken out
 * become the same q and s again.
 *
 * In memory, for 8 rows and 32 columns: 8 scales, then for each pair of columns the 8 rows' two values side by side, as
 * the sum of two products in one instruction wants them: [ceil(N/8)][ceil(K/32)] blocks of 272 bytes.
 */
#include "../math.h"
#include "../simd.h"
#include "convert.h"

enum { PANEL = 8, BLOCK = 32, ROWS = 4, STREAMS = 3 };
/* Blocks whose values are all smaller count as 0: a reciprocal of theirs might not be finite. */
static const float NOTHING = 0x1p-100f;

typedef struct {
  uint16_t scale[PANEL];
  int8_t q[BLOCK / 2][PANEL][2];
} block;

typedef struct {
  float step;
  int16_t r[BLOCK];
} part; /* of a row of x */

static size_t blocks_of(int K) { return ((size_t)K + BLOCK - 1) / BLOCK; }
static int min(int a, int b) { return a < b ? a : b; }

double gf_int8_size(int N, int K) { return __builtin_ceil((double)N / PANEL) * (double)blocks_of(K) * sizeof(block); }
double gf_int8_workspace(int M, int K) { return (double)M * (double)blocks_of(K) * (sizeof(part) / sizeof(float)); }

/* The largest size among n values; NaN if one of them is, infinity if one is. */
static float largest(const float *x, int n) {
  float most = 0;
  for (int i = 0; i < n; i++) {
    float size = __builtin_fabsf(x[i]);
    if (size != size) return size;
    if (size > most) most = size;
  }
  return most;
}

static float scale_of(const block *b, int row) { return (float)gf_read(b->scale, (size_t)row, GF_BFLOAT16); }

static int clamp(float x, int most) {
  float nearest = __builtin_rintf(x);
  return nearest > (float)most ? most : nearest < (float)-most ? -most : (int)nearest;
}

static int pack_block(block *to, int row, const float *w, int n) {
  float most = largest(w, n), scale = 0;
  if (!(most < GF_INFINITY)) return 0;
  float wanted = most < NOTHING ? 0 : most / 127;
  gf_convert(to->scale + row, GF_BFLOAT16, &wanted, GF_FLOAT32, 1);
  scale = scale_of(to, row);
  for (int k = 0; k < BLOCK; k++)
    to->q[k / 2][row][k % 2] = (int8_t)(scale > 0 && k < n ? clamp(w[k] / scale, 127) : 0);
  return 1;
}

int gf_int8_pack(void *weight, const float *rows, int first, int count, int K) {
  for (int n = 0; n < count; n++)
    for (size_t b = 0; b < blocks_of(K); b++) {
      int row = first + n, k = (int)b * BLOCK;
      block *to = (block *)weight + (size_t)(row / PANEL) * blocks_of(K) + b;
      if (!pack_block(to, row % PANEL, rows + (size_t)n * K + k, min(BLOCK, K - k))) return n;
    }
  return -1;
}

double gf_int8_read(const void *weight, int row, int column, int K) {
  const block *b = (const block *)weight + (size_t)(row / PANEL) * blocks_of(K) + column / BLOCK;
  int k = column % BLOCK;
  return scale_of(b, row % PANEL) * (float)b->q[k / 2][row % PANEL][k % 2];
}

void gf_int8_rows(float *out, const void *weight, int first, int count, int K) {
  for (int row = first; row < first + count; row++)
    for (int k = 0; k < K; k++) *out++ = (float)gf_int8_read(weight, row, k, K);
}

/* The largest size of a part; as whole numbers their bits have the same order, NaN above infinity. */
GF_INLINE float largest_of_part(const float *x) {
  gf_i4 most = {0};
  for (int k = 0; k < BLOCK; k += 4) {
    gf_i4 size = (gf_i4)gf_abs(gf_load(x + k));
    most = (gf_i4)gf_select(size > most, (gf_f4)size, (gf_f4)most);
  }
  int32_t a = most[0] > most[2] ? most[0] : most[2], b = most[1] > most[3] ? most[1] : most[3];
  return gf_from_bits((uint32_t)(a > b ? a : b));
}

/* Four values times `by` as whole numbers: adding 1.5 * 2^23 rounds what is below 2^22, to even. */
GF_INLINE gf_i4 whole(const float *x, gf_f4 by) {
  gf_f4 magic = GF_CONSTANT(12582912.0f);
  return (gf_i4)(gf_load(x) * by + magic) - (gf_i4)magic;
}

/* A part with a value that is not finite makes NaN of everything: its step is NaN. */
static void pack_part(part *to, const float *x, int n) {
  float filled[BLOCK] = {0};
  if (n < BLOCK) x = memcpy(filled, x, sizeof(float) * (size_t)n);
  float most = largest_of_part(x);
  int counts = most >= NOTHING && most < GF_INFINITY;
  to->step = counts ? most / 32767 : most < NOTHING ? 0 : GF_NAN;
  gf_f4 inverse = gf_splat(counts ? 32767 / most : 0);
  for (int k = 0; k < BLOCK; k += 8) {
    gf_h8 low = (gf_h8)whole(x + k, inverse), high = (gf_h8)whole(x + k + 4, inverse);
    gf_h8 r = counts ? __builtin_shufflevector(low, high, 0, 2, 4, 6, 8, 10, 12, 14) : (gf_h8){0};
    memcpy(to->r + k, &r, sizeof r);
  }
}

static void pack_row(part *to, const float *x, int K) {
  for (int k = 0; k < K; k += BLOCK) pack_part(to++, x + k, min(BLOCK, K - k));
}

void gf_int8_rounded(float *out, const float *x, int M, int K) {
  for (int m = 0; m < M; m++)
    for (int k0 = 0; k0 < K; k0 += BLOCK) {
      part p;
      int n = min(BLOCK, K - k0);
      size_t at = (size_t)m * K + k0;
      pack_part(&p, x + at, n);
      for (int k = 0; k < n; k++) out[at + k] = p.step * (float)p.r[k];
    }
}

/* Two vectors of 4 rows each, of a panel. */
GF_INLINE void load_edge(gf_f4 *v, const float *p, int n) {
  v[0] = gf_load_partial(p, n);
  v[1] = n > 4 ? gf_load_partial(p + 4, n - 4) : gf_zero();
}
GF_INLINE void store_edge(float *p, const gf_f4 *v, int n) {
  gf_store_partial(p, v[0], n);
  if (n > 4) gf_store_partial(p + 4, v[1], n - 4);
}

/* sums[8] += what one block adds: the dots, which are whole, times both scales. */
GF_INLINE void add_block(gf_f4 *sums, const gf_i4 *dots, const block *b, float step) {
  gf_f4 t = gf_splat(step);
  sums[0] = gf_mul_add(gf_convert_i4(dots[0]), gf_load_bf16(b->scale) * t, sums[0]);
  sums[1] = gf_mul_add(gf_convert_i4(dots[1]), gf_load_bf16(b->scale + 4) * t, sums[1]);
}

/* dots[2] += the products of one pair of columns. */
GF_INLINE void add_pair(gf_i4 *dots, const int8_t q[PANEL][2], gf_h8 x) {
  dots[0] += gf_dot_pairs(gf_load_i8x8(q), x);
  dots[1] += gf_dot_pairs(gf_load_i8x8(q + 4), x);
}

/* One row by three panels, far apart: see few_rows in matmul.c. */
static __attribute__((noinline)) void one_row(gf_f4 *sums, const part *x, const block *const *panels, size_t n) {
  const block *b[STREAMS] = {panels[0], panels[1], panels[2]};
  for (; n > 0; n--, x++) {
    gf_i4 dots[2 * STREAMS] = {{0}};
    for (int k = 0; k < BLOCK / 2; k++) {
      gf_h8 pair = gf_splat_i16x2(x->r + 2 * k);
#pragma unroll
      for (int s = 0; s < STREAMS; s++) add_pair(dots + 2 * s, b[s]->q[k], pair);
    }
#pragma unroll
    for (int s = 0; s < STREAMS; s++) add_block(sums + 2 * s, dots + 2 * s, b[s]++, x->step);
  }
}

/* Four rows, `apart` parts from one to the next, by one panel. */
static __attribute__((noinline)) void four_rows(gf_f4 *sums, const part *x, size_t apart, const block *b, size_t n) {
  for (; n > 0; n--, x++, b++) {
    gf_i4 dots[2 * ROWS] = {{0}};
    for (int k = 0; k < BLOCK / 2; k++) {
#pragma unroll
      for (int r = 0; r < ROWS; r++) add_pair(dots + 2 * r, b->q[k], gf_splat_i16x2(x[r * apart].r + 2 * k));
    }
#pragma unroll
    for (int r = 0; r < ROWS; r++) add_block(sums + 2 * r, dots + 2 * r, b, x[r * apart].step);
  }
}

/* What the cells from column n on begin with. */
GF_INLINE void start(gf_f4 *sums, const float *bias, int n, int N) {
  sums[0] = sums[1] = gf_zero();
  if (bias && n < N) load_edge(sums, bias + n, N - n);
}

static void rows_by_panel(float *out, const part *x, const block *b, const float *bias, int n, int N, size_t blocks) {
  gf_f4 sums[2 * ROWS];
#pragma unroll
  for (int r = 0; r < ROWS; r++) start(sums + 2 * r, bias, n, N);
  four_rows(sums, x, blocks, b, blocks);
#pragma unroll
  for (int r = 0; r < ROWS; r++) store_edge(out + (size_t)r * N + n, sums + 2 * r, N - n);
}

/* The panels of columns n, n + third, ... of a weight, the first again where there is none; returns how many there are. */
static int find_panels(const block **panels, const block *weight, int n, int third, int N, size_t blocks) {
  int there = 0;
  for (int s = 0; s < STREAMS; s++, n += third) {
    panels[s] = n < N ? weight + (size_t)(n / PANEL) * blocks : panels[0];
    there += n < N;
  }
  return there;
}

void gf_int8_product(float *out, float *workspace, const float *x, const void *weight, const float *bias, int M, int N,
                     int K) {
  size_t blocks = blocks_of(K);
  part *parts = (part *)workspace;
  for (int m = 0; m < M; m++) pack_row(parts + m * blocks, x + (size_t)m * K, K);
  int third = (N + STREAMS * PANEL - 1) / (STREAMS * PANEL) * PANEL;
  for (int n = 0; n < third; n += PANEL) {
    const block *panels[STREAMS];
    int m = 0, there = find_panels(panels, weight, n, third, N, blocks);
    for (; m + ROWS <= M; m += ROWS)
      for (int s = 0; s < there; s++)
        rows_by_panel(out + (size_t)m * N, parts + m * blocks, panels[s], bias, n + s * third, N, blocks);
    for (; m < M; m++) {
      gf_f4 sums[2 * STREAMS];
      for (int s = 0; s < STREAMS; s++) start(sums + 2 * s, bias, n + s * third, N);
      one_row(sums, parts + m * blocks, panels, blocks);
      for (int s = 0; s < there; s++) store_edge(out + (size_t)m * N + n + s * third, sums + 2 * s, N - n - s * third);
    }
  }
}
