/* matmul.c - the matrix product of linear layers, attention and every backward pass.
 *
 *     out[m][n] = start[n] + a[m][0] b[0][n] + a[m][1] b[1][n] + ... + a[m][K-1] b[K-1][n]
 *
 * Every output cell is summed in the order of k, with one rounding per product and one per sum, whatever the sizes: its
 * bits do not depend on other cells, and the sum can be recomputed by hand. The kernel computes tiles of 4 rows by 8
 * columns. Their 8 accumulators, two vectors of B and one splat of A fit into the 16 vector registers of an engine;
 * five rows would spill. A is packed into groups of 4 rows and B into panels of 8 columns, both with k outermost, so a
 * tile reads two sequential streams. Fewer than 4 rows of A are not packed: each is multiplied by the panels of B, as
 * fast as memory delivers them.
 *
 * Panels may hold float16 or bfloat16, which halves the memory, and the time for few rows. Values are widened to
 * float32 exactly before they are multiplied, so the result has the bits of a float32 weight of the same values.
 *
 * Backward: with y = x W^T, dx = dy W and dW = dy^T x are also products; only the packing differs.
 */
#include "matmul.h"

#include "../math.h"
#include "../simd.h"

/* Cache blocking: a panel (24 KB) stays in L1 while all row groups of A are processed, a block of A (393 KB) in L2, the
 * panels of a block of columns (3 MB) in L3. If A is a single block, it is packed once per block of k, and the blocks
 * of B are narrower (393 KB) so that both fit into L2. */
enum { ROWS = 4, STEPS = 8, STREAMS = 3, BLOCK_M = 128, BLOCK_N = 1024, NARROW_N = 128, BLOCK_K = 768 };

/* Relaxed multiply-adds need no register for their products, so tiles of 6 rows fit: their 12 sums in turn hide the
 * latency of a fused one (measured on a Xeon, model 207: 40 GFLOP/s instead of 35 with 8 sums). */
#ifdef __wasm_relaxed_simd__
enum { TALL = 6 };
#else
enum { TALL = ROWS };
#endif

GF_INLINE int min(int a, int b) { return a < b ? a : b; }
GF_INLINE int round_up(int n, int unit) { return (n + unit - 1) / unit * unit; }

/* How many of n rows are in tall groups. The others are in groups of ROWS, the last of which may be incomplete. A rest of
 * 2 or 3 rows after groups of 6 would waste half a group of 4, so it takes a tall group along: 8 or 9 others. */
GF_INLINE int tall_rows(int n) {
  int others = TALL == ROWS ? 0 : (3 - n % TALL / 2) % 3 * ROWS;
  return n < others ? 0 : (n - others) / TALL * TALL;
}
/* The rows of the group that starts at row m of n. */
GF_INLINE int group_rows(int m, int n) { return m < tall_rows(n) ? TALL : ROWS; }

/* acc[r][c] += a[r] b[c] for one k, `rows` rows by 8 columns. If `paired`, the two products of a row come before their
 * sums; else each sum directly follows its product. */
GF_INLINE void tile_step(gf_f4 *acc, const float *a, const float *b, int rows, int paired) {
  gf_f4 left = gf_load(b), right = gf_load(b + 4);
#pragma unroll
  for (int n = 0; n < rows; n++) {
    int r = paired ? rows - 1 - n : n;
    gf_f4 x = gf_splat_at(a + r), *c = acc + 2 * r;
    if (paired) gf_mul_add_pair(c, x, left, right);
    else c[0] = gf_mul_add(x, left, c[0]), c[1] = gf_mul_add(x, right, c[1]);
  }
}

/* tile_step for all K >= 1. Unpaired: one step per iteration, which engines unroll themselves. Paired: eight steps per
 * iteration, since the loop overhead is a tenth of a step. Each step has its own exit: without a branch between two
 * steps compilers interleave them and spill registers (measured: 57 % of peak). */
GF_INLINE void tile_steps(gf_f4 *acc, const float *a, const float *b, int K, int rows, int paired) {
  const float *end = a + rows * (size_t)K;
  if (!paired)
    for (int k = 0; k < K; k++, a += rows, b += PANEL) tile_step(acc, a, b, rows, 0);
  else
    for (;; b += STEPS * PANEL)
#pragma unroll
      for (int k = 0; k < STEPS; k++) {
        tile_step(acc, a, b + k * PANEL, rows, 1);
        a = gf_opaque(a + rows);
        if (a == end) return;
      }
}

/* A grid of tiles: c = init + a b. Strides are in floats: c_stride and init_stride between rows (0: one row for all),
 * init_panel_stride and b_panel_stride between panels. The row groups of a are contiguous. */
typedef struct {
  float *c;
  size_t c_stride;
  const float *init;
  size_t init_stride, init_panel_stride;
  const float *a, *b;
  size_t b_panel_stride;
  int K, row_groups, panels;
} tiles;

/* c[rows][8] = init[rows][8] + a b */
GF_INLINE void compute_tile(const tiles *t, float *c, const float *init, const float *a, const float *b, int rows,
                            int paired) {
  gf_f4 acc[2 * TALL];
#pragma unroll
  for (int r = 0; r < rows; r++) {
    acc[2 * r] = gf_load(init + r * t->init_stride);
    acc[2 * r + 1] = gf_load(init + r * t->init_stride + 4);
  }
  tile_steps(acc, a, b, t->K, rows, paired);
#pragma unroll
  for (int r = 0; r < rows; r++) {
    gf_store(c + r * t->c_stride, acc[2 * r]);
    gf_store(c + r * t->c_stride + 4, acc[2 * r + 1]);
  }
}

GF_INLINE void run_tiles(const tiles *all, int rows, int paired) {
  const tiles local = *all, *t = &local; /* a copy, since every store might alias *all */
  float *c_column = t->c;
  const float *init_column = t->init, *b = t->b;
  for (int p = 0; p < t->panels; p++, c_column += PANEL, init_column += t->init_panel_stride, b += t->b_panel_stride) {
    float *c = c_column;
    const float *init = init_column, *a = t->a;
    for (int q = 0; q < t->row_groups;
         q++, c += rows * t->c_stride, init += rows * t->init_stride, a += rows * (size_t)t->K)
      compute_tile(t, c, init, a, b, rows, paired);
  }
}

/* Not inlined, so that no surrounding code competes for registers. One call computes all tiles, because engines unroll
 * an inner loop more the deeper it is nested (measured: 93 % of peak instead of 76 %). */
GF_NOINLINE void run_paired_tiles(const tiles *t) { run_tiles(t, ROWS, 1); }
GF_NOINLINE void run_sequential_tiles(const tiles *t) { run_tiles(t, ROWS, 0); }
GF_NOINLINE void run_tall_tiles(const tiles *t) { run_tiles(t, TALL, 1); }

static int is_paired = 1;
void gf_matmul_in_pairs(int enabled) { is_paired = enabled; }

static void compute_tiles(const tiles *t, int rows) {
  if (rows > ROWS) run_tall_tiles(t);
  else if (is_paired) run_paired_tiles(t);
  else run_sequential_tiles(t);
}

/* Load and store 8 adjacent cells of a row of C as two vectors; n < 8 at the right edge. */
GF_NOINLINE void load_edge(gf_f4 *v, const float *p, int n) {
  v[0] = gf_load_partial(p, n);
  v[1] = n > 4 ? gf_load_tail(p + 4, n - 4, 0) : gf_zero();
}
GF_NOINLINE void store_edge(float *p, const gf_f4 *v, int n) {
  gf_store_partial(p, v[0], n);
  if (n > 4) gf_store_tail(p + 4, v[1], n - 4);
}
GF_INLINE void load_cells(gf_f4 *v, const float *p, int n) {
  if (n < PANEL) load_edge(v, p, n);
  else v[0] = gf_load(p), v[1] = gf_load(p + 4);
}
GF_INLINE void store_cells(float *p, const gf_f4 *v, int n) {
  if (n < PANEL) store_edge(p, v, n);
  else gf_store(p, v[0]), gf_store(p + 4, v[1]);
}

/* Loads the initial values of 8 cells of row m from column n on: C itself, the bias, or 0. */
GF_INLINE void init_cells(gf_f4 *v, const gf_product *p, int m, int n, int is_first_k) {
  if (!is_first_k || p->accumulate) load_cells(v, p->c + (size_t)m * p->ldc + n, p->N - n);
  else if (p->bias) load_cells(v, p->bias + n, p->N - n);
  else v[0] = v[1] = gf_zero();
}

/* Computes a tile that extends past an edge of C, in a copy. */
static void compute_edge_tile(const gf_product *p, int m, int n, int group, const float *a, const float *b, int K,
                              int is_first_k) {
  int rows = min(group, p->M - m);
  gf_f4 edge[2 * TALL] = {{0}};
  float *cells = (float *)edge;
  for (int r = 0; r < rows; r++) init_cells(edge + 2 * r, p, m + r, n, is_first_k);
  compute_tiles(&(tiles){cells, PANEL, cells, PANEL, 0, a, b, 0, K, 1, 1}, group);
  for (int r = 0; r < rows; r++) store_cells(p->c + (size_t)(m + r) * p->ldc + n, edge + 2 * r, p->N - n);
}

/* Transposes 4 `groups` rows: out[k][r] = row[r][k]. */
GF_INLINE void interleave(float *out, int groups, const float *const *row, int K) {
  int k = 0;
  for (; k + 4 <= K; k += 4, out += 16 * groups)
#pragma unroll
    for (int f = 0; f < groups; f++) {
      gf_f4 v[4];
#pragma unroll
      for (int r = 0; r < 4; r++) v[r] = gf_load(row[4 * f + r] + k);
      gf_transpose4(v);
#pragma unroll
      for (int r = 0; r < 4; r++) gf_store(out + 4 * (r * groups + f), v[r]);
    }
  for (; k < K; k++)
    for (int r = 0; r < 4 * groups; r++) *out++ = row[r][k];
}

/* Interleaves six rows: the six values of each k in turn. */
GF_INLINE void interleave_six(float *out, const float *const *row, int K) {
  int k = 0;
  for (; k + 4 <= K; k += 4, out += 24) {
    gf_f4 v[4], x = gf_load(row[4] + k), y = gf_load(row[5] + k);
#pragma unroll
    for (int r = 0; r < 4; r++) v[r] = gf_load(row[r] + k);
    gf_transpose4(v);
    gf_f4 low = __builtin_shufflevector(x, y, 0, 4, 1, 5), high = __builtin_shufflevector(x, y, 2, 6, 3, 7);
    gf_store(out, v[0]);
    gf_store(out + 4, __builtin_shufflevector(low, v[1], 0, 1, 4, 5));
    gf_store(out + 8, __builtin_shufflevector(v[1], low, 2, 3, 6, 7));
    gf_store(out + 12, v[2]);
    gf_store(out + 16, __builtin_shufflevector(high, v[3], 0, 1, 4, 5));
    gf_store(out + 20, __builtin_shufflevector(v[3], high, 2, 3, 6, 7));
  }
  for (; k < K; k++)
    for (int r = 0; r < 6; r++) *out++ = row[r][k];
}

/* Packs a[m][k] for m0 <= m < m1, k0 <= k < k0 + K into groups of 4 rows, [ceil(rows/4)][K][4], after the tall groups,
 * if there are any. Rows past the edge repeat the last one and are never used. */
static void pack_a(const gf_product *p, int m0, int m1, int k0, int K) {
  float *out = p->workspace;
  for (int m = m0, rows; m < m1; m += rows, out += (size_t)rows * K) {
    rows = group_rows(m - m0, m1 - m0);
    const float *row[TALL];
#pragma unroll
    for (int r = 0; r < TALL; r++) row[r] = p->a + (size_t)min(m + r, m1 - 1) * p->lda + k0;
    if (rows == ROWS) interleave(out, 1, row, K);
    else interleave_six(out, row, K);
  }
}

/* pack_a for a transposed A, where the rows of a group are already adjacent. */
static void pack_transposed_a(const gf_product *p, int m0, int m1, int k0, int K) {
  float *out = p->workspace;
  for (int m = m0, rows; m < m1; m += rows) {
    rows = group_rows(m - m0, m1 - m0);
    for (int k = 0; k < K; k++, out += rows) {
      const float *a = p->a + (size_t)(k0 + k) * p->lda + m;
      gf_store(out, gf_load_partial(a, m1 - m));
      for (int r = 4; r < rows; r++) out[r] = a[r];
    }
  }
}

/* A block of B in panels: columns n0 <= n < n1 of rows k0 <= k < k0 + K; panel_stride is in bytes. */
typedef struct {
  const char *panels;
  size_t panel_stride;
  int type;
  int n0, n1, k0, K;
} b_block;

/* The floats from one packed panel to the next: a cache line of padding avoids strides of whole pages, with which
 * panels evict each other from the cache during packing (measured: a quarter of the packing time). */
GF_INLINE size_t packed_panel_stride(int K) { return (size_t)K * PANEL + 16; }

/* Packs eight panels at once, so that every cache line is read once and the next one is prefetched; then the remaining
 * panels one by one. */
static void pack_rows_b(float *out, size_t panel_stride, const float *b, int ldb, int N, int K) {
  enum { PANELS_AT_ONCE = 8 };
  int n = 0;
  for (; n + PANELS_AT_ONCE * PANEL <= N; n += PANELS_AT_ONCE * PANEL, out += PANELS_AT_ONCE * panel_stride)
    for (int k = 0; k < K; k++) {
      const float *source = b + (size_t)k * ldb + n;
      float *packed = out + (size_t)k * PANEL;
#pragma unroll
      for (int c = 0; c < PANELS_AT_ONCE; c++, source += PANEL, packed += panel_stride) {
        gf_store(packed, gf_load(source));
        gf_store(packed + 4, gf_load(source + 4));
      }
    }
  for (; n < N; n += PANEL, out += panel_stride)
    for (int k = 0; k < K; k++) {
      gf_f4 v[2];
      load_cells(v, b + (size_t)k * ldb + n, N - n);
      gf_store(out + (size_t)k * PANEL, v[0]);
      gf_store(out + (size_t)k * PANEL + 4, v[1]);
    }
}

/* Packs a transposed B. Columns past the edge repeat the last one and are never used. */
static void pack_transposed_b(float *out, size_t panel_stride, const float *b, int ldb, int N, int K) {
  for (int n = 0; n < N; n += PANEL, out += panel_stride) {
    const float *row[PANEL];
#pragma unroll
    for (int r = 0; r < PANEL; r++) row[r] = b + (size_t)min(n + r, N - 1) * ldb;
    interleave(out, PANEL / 4, row, K);
  }
}

static void pack_b(float *panels, size_t panel_stride, const float *b, int ldb, gf_layout layout, int N, int K) {
  if (layout == GF_B_TRANSPOSED) pack_transposed_b(panels, panel_stride, b, ldb, N, K);
  else pack_rows_b(panels, panel_stride, b, ldb, N, K);
}

void gf_pack_panels(float *panels, const float *b, int ldb, gf_layout layout, int N, int K) {
  pack_b(panels, (size_t)K * PANEL, b, ldb, layout, N, K);
}

/* Loads the eight values of a panel at one k. float16 values are scaled by 2^-112; the caller scales by 2^112. */
GF_INLINE void load_column(gf_f4 *v, const char *b, int type) {
  if (type == GF_FLOAT32) {
    v[0] = gf_load((const float *)b);
    v[1] = gf_load((const float *)b + 4);
    return;
  }
  v[0] = type == GF_FLOAT16 ? gf_load_f16(b) : gf_load_bf16(b);
  v[1] = type == GF_FLOAT16 ? gf_load_f16(b + 8) : gf_load_bf16(b + 8);
}

GF_INLINE size_t cell_size(int type) { return type == GF_FLOAT32 ? 4 : 2; }

/* Converts 16-bit panels to float32 panels. */
static void widen_panels(float *out, size_t packed_stride, const char *b, size_t panel_stride, int type, int N, int K) {
  gf_f4 scale = gf_splat(type == GF_FLOAT16 ? 0x1p112f : 1);
  for (int n = 0; n < N; n += PANEL, b += panel_stride, out += packed_stride)
    for (int k = 0; k < K; k++) {
      gf_f4 v[2];
      load_column(v, b + (size_t)k * PANEL * 2, type);
      gf_store(out + (size_t)k * PANEL, v[0] * scale);
      gf_store(out + (size_t)k * PANEL + 4, v[1] * scale);
    }
}

/* Sets panels, panel_stride and type: of B itself if it is in panels, else of a packed or widened copy in `buffer`. */
static void locate_panels(b_block *at, const gf_product *p, float *buffer, int is_widened) {
  size_t k = at->k0, n = at->n0, cell = cell_size(p->b_type), panel_stride = (size_t)p->ldb * PANEL * cell;
  const char *source = (const char *)p->b + n / PANEL * panel_stride + k * PANEL * cell;
  *at = (b_block){source, panel_stride, p->b_type, at->n0, at->n1, at->k0, at->K};
  if (p->b_layout == GF_B_PANELS && !is_widened) return;
  const float *b = p->b;
  size_t packed_stride = packed_panel_stride(at->K);
  if (is_widened) widen_panels(buffer, packed_stride, source, panel_stride, p->b_type, at->n1 - at->n0, at->K);
  else {
    b += p->b_layout == GF_B_TRANSPOSED ? n * p->ldb + k : k * p->ldb + n;
    pack_b(buffer, packed_stride, b, p->ldb, p->b_layout, at->n1 - at->n0, at->K);
  }
  at->panel_stride = packed_stride * sizeof(float);
  at->panels = (const char *)buffer;
  at->type = GF_FLOAT32;
}

/* The product for K = 0: stores the initial values. */
static void fill_initial(const gf_product *p) {
  for (int m = 0; m < p->M; m++)
    for (int n = 0; n < p->N; n += PANEL) {
      gf_f4 v[2];
      init_cells(v, p, m, n, 1);
      store_cells(p->c + (size_t)m * p->ldc + n, v, p->N - n);
    }
}

/* The grid of full tiles for row groups from m on, packed at `a`, and a block of B. */
static tiles describe_tiles(const gf_product *p, int m, const float *a, int row_groups, const b_block *at) {
  static const float zeros[PANEL] = {0};
  int is_continued = at->k0 > 0 || p->accumulate;
  float *c = p->c + (size_t)m * p->ldc + at->n0;
  return (tiles){.c = c,
                 .c_stride = p->ldc,
                 .init = is_continued ? c
                         : p->bias    ? p->bias + at->n0
                                      : zeros,
                 .init_stride = is_continued ? p->ldc : 0,
                 .init_panel_stride = is_continued || p->bias ? PANEL : 0,
                 .a = a,
                 .b = (const float *)at->panels,
                 .b_panel_stride = at->panel_stride / sizeof(float),
                 .K = at->K,
                 .row_groups = row_groups,
                 .panels = (at->n1 - at->n0) / PANEL};
}

/* Multiplies rows m0 <= m < m1 by a block of B. Packs the rows first, unless A is a single block, which stays packed
 * after the first block of columns. */
static void multiply_many_rows(const gf_product *p, int m0, int m1, const b_block *at) {
  int is_packed = at->n0 > 0 && p->M <= BLOCK_M;
  if (!is_packed && p->a_transposed) pack_transposed_a(p, m0, m1, at->k0, at->K);
  else if (!is_packed) pack_a(p, m0, m1, at->k0, at->K);
  const float *a = p->workspace;
  int tall = tall_rows(m1 - m0), full = tall + (m1 - m0 - tall) / ROWS * ROWS;
  tiles t = describe_tiles(p, m0, a, tall / TALL, at);
  compute_tiles(&t, TALL);
  if (TALL > ROWS && full > tall) {
    t = describe_tiles(p, m0 + tall, a + (size_t)tall * at->K, (full - tall) / ROWS, at);
    compute_tiles(&t, ROWS);
  }
  for (int n = at->n0; n < at->n1; n += PANEL, t.b += t.b_panel_stride)
    for (int m = at->n1 - n < PANEL ? 0 : full, rows; m < m1 - m0; m += rows) {
      rows = group_rows(m, m1 - m0);
      compute_edge_tile(p, m0 + m, n, rows, a + (size_t)m * t.K, t.b, t.K, at->k0 == 0);
    }
}

/* Split eight adjacent columns into the four even and the four odd ones, and merge them again. */
GF_INLINE void split_even_odd(gf_f4 *v) {
  gf_f4 even = __builtin_shufflevector(v[0], v[1], 0, 2, 4, 6);
  v[1] = __builtin_shufflevector(v[0], v[1], 1, 3, 5, 7);
  v[0] = even;
}
GF_INLINE void merge_even_odd(gf_f4 *v) {
  gf_f4 low = __builtin_shufflevector(v[0], v[1], 0, 4, 1, 5);
  v[1] = __builtin_shufflevector(v[0], v[1], 2, 6, 3, 7);
  v[0] = low;
}

/* Loads eight values of 16 bits, split into even and odd: each comes from four 32-bit words, a bfloat16 with one
 * instruction, a float16, scaled by 2^-112, with two or three. */
GF_INLINE void load_even_odd(gf_f4 *v, const char *b, int type) {
  v[0] = type == GF_FLOAT16 ? gf_load_f16_even(b) : gf_load_bf16_even(b);
  v[1] = type == GF_FLOAT16 ? gf_load_f16_odd(b) : gf_load_bf16_odd(b);
}

/* Multiplies one row by two or three panels. Two chains of sums per panel are enough to saturate memory bandwidth. */
GF_INLINE void compute_row(gf_f4 *cells, const float *a, size_t a_step, const char *const *panels, int K, int type,
                           const int streams) {
  gf_f4 sums[2 * STREAMS];
  const char *b[STREAMS];
#pragma unroll
  for (int s = 0; s < streams; s++) b[s] = panels[s], sums[2 * s] = cells[2 * s], sums[2 * s + 1] = cells[2 * s + 1];
  for (int k = 0; k < K; k++, a += a_step) {
    gf_f4 x = type == GF_FLOAT16 ? gf_splat(*a * 0x1p112f) : gf_splat_at(a), column[2];
#pragma unroll
    for (int s = 0; s < streams; s++) {
      if (type != GF_FLOAT32) load_even_odd(column, b[s], type);
      else load_column(column, b[s], type);
      sums[2 * s] = gf_mul_add(x, column[0], sums[2 * s]);
      sums[2 * s + 1] = gf_mul_add(x, column[1], sums[2 * s + 1]);
      b[s] += PANEL * cell_size(type);
    }
  }
#pragma unroll
  for (int s = 0; s < streams; s++) cells[2 * s] = sums[2 * s], cells[2 * s + 1] = sums[2 * s + 1];
}

/* Multiplies row m by panel b at column n and by up to two more panels, column_stride columns apart. */
GF_INLINE void compute_row_cells(const gf_product *p, int m, int n, int column_stride, const char *b, const b_block *at,
                                 int type) {
  gf_f4 cells[2 * STREAMS] = {{0}};
  const char *panels[STREAMS] = {b, b, b};
  int k0 = at->k0, panel_count = 0;
  const float *a = p->a_transposed ? p->a + (size_t)k0 * p->lda + m : p->a + (size_t)m * p->lda + k0;
  for (int column = n; panel_count < STREAMS && column < at->n1;
       panel_count++, column += column_stride, b += column_stride / PANEL * at->panel_stride) {
    panels[panel_count] = b;
    init_cells(cells + 2 * panel_count, p, m, column, k0 == 0);
    if (type != GF_FLOAT32) split_even_odd(cells + 2 * panel_count);
  }
  size_t a_step = p->a_transposed ? (size_t)p->lda : 1;
  if (panel_count == STREAMS) compute_row(cells, a, a_step, panels, at->K, type, STREAMS);
  else compute_row(cells, a, a_step, panels, at->K, type, STREAMS - 1);
  for (int s = 0; s < panel_count; s++, n += column_stride) {
    if (type != GF_FLOAT32) merge_even_odd(cells + 2 * s);
    store_cells(p->c + (size_t)m * p->ldc + n, cells + 2 * s, p->N - n);
  }
}

/* Multiplies fewer rows than a tile has by a block of B, reading one panel of each third of it at a time. Distant
 * streams come from memory at full bandwidth, adjacent ones at half of it (measured: 37 and 20 GB/s), and three streams
 * are 12 % faster than two (with four, 16-bit panels run out of registers). Not inlined, and with all loops inside, for
 * the same reason as run_paired_tiles. */
#define GF_DEFINE_FEW_ROWS(name, type)                                                       \
  GF_NOINLINE void name(const gf_product *p, const b_block *at) {                            \
    int column_stride = round_up((at->n1 - at->n0 + STREAMS - 1) / STREAMS, PANEL);          \
    const char *b = at->panels;                                                              \
    for (int n = at->n0; n < at->n0 + column_stride; n += PANEL, b += at->panel_stride)      \
      for (int m = 0; m < p->M; m++) compute_row_cells(p, m, n, column_stride, b, at, type); \
  }
GF_DEFINE_FEW_ROWS(multiply_few_rows_f32, GF_FLOAT32)
GF_DEFINE_FEW_ROWS(multiply_few_rows_f16, GF_FLOAT16)
GF_DEFINE_FEW_ROWS(multiply_few_rows_bf16, GF_BFLOAT16)

static void multiply_few_rows(const gf_product *p, const b_block *at) {
  if (at->type == GF_FLOAT32) multiply_few_rows_f32(p, at);
  else if (at->type == GF_FLOAT16) multiply_few_rows_f16(p, at);
  else multiply_few_rows_bf16(p, at);
}

/* True if scaling A by 2^112 does not make any finite value infinite. */
static int can_scale_up(const gf_product *p) {
  if (p->a_transposed) return 0;
  for (int m = 0; m < p->M; m++)
    for (int k = 0; k < p->K; k++) {
      float magnitude = __builtin_fabsf(p->a[(size_t)m * p->lda + k]);
      if (magnitude >= 0x1p15f && magnitude < GF_INFINITY) return 0;
    }
  return 1;
}

/* The most rows that A takes when packed. After tall groups, up to three rows past the edge are added. */
GF_INLINE int packed_rows(int M) { return round_up(min(M, BLOCK_M), ROWS) + (TALL > ROWS ? ROWS : 0); }

static float *b_workspace(const gf_product *p) { return p->workspace + (size_t)packed_rows(p->M) * min(p->K, BLOCK_K); }

void gf_multiply(const gf_product *p) {
  if (p->K == 0) return fill_initial(p);
  int has_few_rows = p->M < ROWS, panels = p->b_layout == GF_B_PANELS;
  int is_widened = p->b_type != GF_FLOAT32 && (!has_few_rows || (p->b_type == GF_FLOAT16 && !can_scale_up(p)));
  int block_k = has_few_rows && panels && !is_widened ? p->K : BLOCK_K;
  int block_n = has_few_rows || p->M > BLOCK_M ? BLOCK_N : NARROW_N;
  for (int k = 0; k < p->K; k += block_k)
    for (int n = 0; n < p->N; n += block_n) {
      b_block at = {.n0 = n, .n1 = min(n + block_n, p->N), .k0 = k, .K = min(block_k, p->K - k)};
      locate_panels(&at, p, b_workspace(p), is_widened);
      if (has_few_rows) multiply_few_rows(p, &at);
      else
        for (int m = 0; m < p->M; m += BLOCK_M) multiply_many_rows(p, m, min(m + BLOCK_M, p->M), &at);
    }
}

double gf_matmul_workspace(int M, int N, int K) {
  int depth = min(K, BLOCK_K), panels = round_up(min(N, BLOCK_N), PANEL) / PANEL;
  return (double)packed_rows(M) * depth + (double)(panels * packed_panel_stride(depth));
}

static gf_product make_product(float *out, float *workspace, const float *a, const void *b, const float *bias, int M,
                               int N, int K, int flags) {
  gf_layout layout = flags & GF_PANELS_B ? GF_B_PANELS : flags & GF_TRANSPOSE_B ? GF_B_TRANSPOSED : GF_B_ROWS;
  return (gf_product){.c = out,
                      .ldc = N,
                      .a = a,
                      .lda = flags & GF_TRANSPOSE_A ? M : K,
                      .a_transposed = flags & GF_TRANSPOSE_A,
                      .b = b,
                      .ldb = layout == GF_B_ROWS ? N : K,
                      .b_layout = layout,
                      .b_type = flags & GF_FLOAT16_B    ? GF_FLOAT16
                                : flags & GF_BFLOAT16_B ? GF_BFLOAT16
                                                        : GF_FLOAT32,
                      .bias = bias,
                      .M = M,
                      .N = N,
                      .K = K,
                      .accumulate = flags & GF_ACCUMULATE,
                      .workspace = workspace};
}

void gf_matmul(float *out, float *workspace, const float *a, const void *b, const float *bias, int M, int N, int K,
               int flags) {
  gf_product p = make_product(out, workspace, a, b, bias, M, N, K, flags);
  gf_multiply(&p);
}

void gf_matmul_part(float *out, float *workspace, const float *a, const void *b, const float *bias, int M, int N, int K,
                    int flags, int m, int rows, int n, int columns) {
  gf_product p = make_product(out, workspace, a, b, bias, M, N, K, flags);
  size_t b_offset = p.b_layout == GF_B_ROWS ? (size_t)n : (size_t)n * K;
  p.c += (size_t)m * N + n;
  p.a += p.a_transposed ? (size_t)m : (size_t)m * K;
  p.b = (const char *)b + b_offset * cell_size(p.b_type);
  if (bias) p.bias += n;
  p.M = rows;
  p.N = columns;
  gf_multiply(&p);
}

double gf_panels_size(int N, int K) { return __builtin_ceil((double)N / PANEL) * PANEL * K; }

/* Packs eight rows of K values into a panel in place, or unpacks them; `buffer` holds a copy. */
#define GF_DEFINE_REPACK(type)                                                                \
  GF_MINSIZE static void repack_##type(type *to, type *buffer, int rows, int K, int unpack) { \
    size_t n = (size_t)rows * K, stride = unpack ? PANEL : (size_t)K;                         \
    memcpy(buffer, to, sizeof(type) * (unpack ? (size_t)PANEL * K : n));                      \
    if (!unpack) memset(buffer + n, 0, sizeof(type) * ((size_t)PANEL * K - n));               \
    int row_count = unpack ? rows : K, column_count = unpack ? K : PANEL;                     \
    for (int i = 0; i < row_count; i++)                                                       \
      for (int j = 0; j < column_count; j++) *to++ = buffer[i + j * stride];                  \
  }
GF_DEFINE_REPACK(float)
GF_DEFINE_REPACK(uint16_t)

/* load_column does not support infinity and NaN. */
static int is_finite_half(uint16_t h) { return (h & 0x7c00) != 0x7c00; }

int gf_repack(void *weight, void *workspace, int N, int K, int type, int unpack) {
  if (type == GF_FLOAT16 && !unpack)
    for (size_t i = 0; i < (size_t)N * K; i++)
      if (!is_finite_half(((uint16_t *)weight)[i])) return 0;
  char *panel = weight;
  for (int n = 0; n < N; n += PANEL, panel += PANEL * (size_t)K * cell_size(type))
    if (type == GF_FLOAT32) repack_float((float *)panel, workspace, min(PANEL, N - n), K, unpack);
    else repack_uint16_t((uint16_t *)panel, workspace, min(PANEL, N - n), K, unpack);
  return 1;
}
