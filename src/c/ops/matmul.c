/* matmul.c - matrix product, the kernel under linear layers, attention and every backward pass.
 *
 *     out[m][n] = start[n] + a[m][0] b[0][n] + a[m][1] b[1][n] + ... + a[m][K-1] b[K-1][n]
 *
 * Every output cell is summed strictly from left to right, one rounding a product and one a sum, whatever the sizes:
 * a cell's bits do not depend on its neighbours, and a reader can redo the sum by hand. Speed comes from working on
 * many cells at once. A tile of 4 rows by 8 columns keeps its 8 accumulators, two vectors of B and one splat of A in
 * the 16 vector registers an engine has; five rows would spill. A is packed by quadruples of rows, B by panels of 8
 * columns, both k by k, so that the tile reads two streams; k is cut into blocks of 256, and two panels of B (16 KB)
 * stay in the first cache while all rows of A pass by.
 *
 * Backward: with y = x W^T, dx = dy W and dW = dy^T x are products too; only the packing differs.
 */
#include "matmul.h"
#include "../simd.h"

enum { ROWS = 4, PANEL = 8, PAIR = 2, BLOCK_K = 256, BLOCK_M = 256 };

GF_INLINE int min(int a, int b) { return a < b ? a : b; }

/* acc[r][c] += a[r] b[c] for one k, 4 rows by 8 columns. */
GF_INLINE void tile_step(gf_f4 *acc, const float *a, const float *b) {
  gf_f4 left = gf_load(b), right = gf_load(b + 4);
#pragma unroll
  for (int r = 0; r < ROWS; r++) {
    gf_f4 x = gf_splat_at(a + r);
    acc[2 * r] = gf_mul_add(x, left, acc[2 * r]);
    acc[2 * r + 1] = gf_mul_add(x, right, acc[2 * r + 1]);
  }
}

/* c[4][8] = from[4][8] + a b over all K >= 1, rows of c and from `stride`s apart (0: the same row for all).
 *
 * Four steps make a round, so that counting costs little. The exit after every step also keeps the steps apart: in one
 * straight piece an engine moves all their loads to the front and runs out of registers (measured: 58 % of the
 * multiply-add limit instead of 82 %). A function of its own, so that nothing around it competes for registers. */
static __attribute__((noinline)) void full_tile(float *c, size_t c_stride, const float *from, size_t from_stride,
                                                const float *a, const float *b, int K) {
  gf_f4 acc[2 * ROWS];
#pragma unroll
  for (int r = 0; r < ROWS; r++) {
    acc[2 * r] = gf_load(from + r * from_stride);
    acc[2 * r + 1] = gf_load(from + r * from_stride + 4);
  }
  for (int left = K;; left -= 4, a += 4 * ROWS, b += 4 * PANEL) {
    tile_step(acc, a, b);
    if (left == 1) break;
    tile_step(acc, a + ROWS, b + PANEL);
    if (left == 2) break;
    tile_step(acc, a + 2 * ROWS, b + 2 * PANEL);
    if (left == 3) break;
    tile_step(acc, a + 3 * ROWS, b + 3 * PANEL);
    if (left == 4) break;
  }
#pragma unroll
  for (int r = 0; r < ROWS; r++) {
    gf_store(c + r * c_stride, acc[2 * r]);
    gf_store(c + r * c_stride + 4, acc[2 * r + 1]);
  }
}

/* One row against two panels: four chains of sums, enough to keep up with memory. */
static __attribute__((noinline)) void row_tile(gf_f4 *cells, const float *a, size_t a_step, const float *b,
                                               const float *c, int K) {
  gf_f4 v0 = cells[0], v1 = cells[1], v2 = cells[2], v3 = cells[3];
  for (int k = 0; k < K; k++, a += a_step, b += PANEL, c += PANEL) {
    gf_f4 x = gf_splat_at(a);
    v0 = gf_mul_add(x, gf_load(b), v0);
    v1 = gf_mul_add(x, gf_load(b + 4), v1);
    v2 = gf_mul_add(x, gf_load(c), v2);
    v3 = gf_mul_add(x, gf_load(c + 4), v3);
  }
  cells[0] = v0, cells[1] = v1, cells[2] = v2, cells[3] = v3;
}

/* 8 neighbouring cells of a row of C to two vectors and back; n < 8 at the right edge. */
GF_INLINE void load_cells(gf_f4 *v, const float *p, int n) {
  if (n >= PANEL) {
    v[0] = gf_load(p);
    v[1] = gf_load(p + 4);
    return;
  }
  v[0] = n >= 4 ? gf_load(p) : gf_load_tail(p, n, 0);
  v[1] = n > 4 ? gf_load_tail(p + 4, n - 4, 0) : gf_zero();
}
GF_INLINE void store_cells(float *p, const gf_f4 *v, int n) {
  if (n >= PANEL) {
    gf_store(p, v[0]);
    gf_store(p + 4, v[1]);
    return;
  }
  if (n >= 4) gf_store(p, v[0]);
  else gf_store_tail(p, v[0], n);
  if (n > 4) gf_store_tail(p + 4, v[1], n - 4);
}

/* What the cells of row m, columns n.. hold before this block of k. */
GF_INLINE void start_cells(gf_f4 *v, const gf_product *p, int m, int n, int first) {
  if (!first || p->accumulate) load_cells(v, p->c + (size_t)m * p->ldc + n, p->N - n);
  else if (p->bias) load_cells(v, p->bias + n, p->N - n);
  else v[0] = v[1] = gf_zero();
}

/* Rows m to m + 4, columns n to n + 8. A tile that ends past the right edge goes through a copy. */
GF_INLINE void full_cells(const gf_product *p, int m, int n, const float *a, const float *b, int K, int first) {
  static const float zeros[PANEL] = {0};
  float *c = p->c + (size_t)m * p->ldc + n;
  if (p->N - n >= PANEL) {
    int continues = !first || p->accumulate;
    full_tile(c, p->ldc, continues ? c : p->bias ? p->bias + n : zeros, continues ? p->ldc : 0, a, b, K);
    return;
  }
  gf_f4 edge[2 * ROWS];
  for (int r = 0; r < ROWS; r++) start_cells(edge + 2 * r, p, m + r, n, first);
  full_tile((float *)edge, PANEL, (float *)edge, PANEL, a, b, K);
  for (int r = 0; r < ROWS; r++) store_cells(c + (size_t)r * p->ldc, edge + 2 * r, p->N - n);
}

/* Row m, one or two panels from column n on. */
GF_INLINE void row_cells(const gf_product *p, int m, int n, int panels, const float *a, size_t a_step, const float *b,
                         size_t b_panel, int K, int first) {
  gf_f4 acc[2 * PAIR] = {{0}};
  for (int c = 0; c < panels; c++) start_cells(acc + 2 * c, p, m, n + c * PANEL, first);
  row_tile(acc, a, a_step, b, panels == 2 ? b + b_panel : b, K);
  for (int c = 0; c < panels; c++)
    store_cells(p->c + (size_t)m * p->ldc + n + c * PANEL, acc + 2 * c, p->N - n - c * PANEL);
}

/* All rows from m0 to m1 against one or two panels. The packed quadruples of A are in the workspace; a few rows alone
 * are read where they lie, unless they lie across. */
static void rows_by_panels(const gf_product *p, int m0, int m1, int n, int panels, const float *b, size_t b_panel,
                           int k0, int K) {
  int m = m0, first = k0 == 0;
  for (; m + ROWS <= m1; m += ROWS)
    for (int c = 0; c < panels; c++)
      full_cells(p, m, n + c * PANEL, p->workspace + (size_t)(m - m0) * K, b + c * b_panel, K, first);
  for (; m < m1; m++) {
    int in_tile = (m - m0) % ROWS;
    const float *packed = p->workspace + (size_t)(m - m0 - in_tile) * K + in_tile;
    if (p->a_transposed) row_cells(p, m, n, panels, packed, ROWS, b, b_panel, K, first);
    else row_cells(p, m, n, panels, p->a + (size_t)m * p->lda + k0, 1, b, b_panel, K, first);
  }
}

/* Four rows of four values each become four columns. */
GF_INLINE void transpose4(gf_f4 *v) {
  gf_f4 ab_low = __builtin_shufflevector(v[0], v[1], 0, 4, 1, 5);
  gf_f4 ab_high = __builtin_shufflevector(v[0], v[1], 2, 6, 3, 7);
  gf_f4 cd_low = __builtin_shufflevector(v[2], v[3], 0, 4, 1, 5);
  gf_f4 cd_high = __builtin_shufflevector(v[2], v[3], 2, 6, 3, 7);
  v[0] = __builtin_shufflevector(ab_low, cd_low, 0, 1, 4, 5);
  v[1] = __builtin_shufflevector(ab_low, cd_low, 2, 3, 6, 7);
  v[2] = __builtin_shufflevector(ab_high, cd_high, 0, 1, 4, 5);
  v[3] = __builtin_shufflevector(ab_high, cd_high, 2, 3, 6, 7);
}

/* row[0..3][k] into out[k][0..3], the rows of out `width` floats apart. */
GF_INLINE void interleave4(float *out, size_t width, const float *const row[4], int K) {
  int k = 0;
  for (; k + 4 <= K; k += 4, out += 4 * width) {
    gf_f4 v[4];
    for (int r = 0; r < 4; r++) v[r] = gf_load(row[r] + k);
    transpose4(v);
    for (int r = 0; r < 4; r++) gf_store(out + r * width, v[r]);
  }
  for (; k < K; k++, out += width)
    for (int r = 0; r < 4; r++) out[r] = row[r][k];
}

/* a[m][k] for m0 <= m < m1, k0 <= k < k0 + K into quadruples of rows, k by k: [ceil(rows/4)][K][4]. */
static void pack_a(const gf_product *p, int m0, int m1, int k0, int K) {
  float *out = p->workspace;
  for (int m = m0; m + ROWS <= m1; m += ROWS, out += (size_t)ROWS * K) {
    const float *row[4];
    for (int r = 0; r < 4; r++) row[r] = p->a + (size_t)(m + r) * p->lda + k0;
    interleave4(out, ROWS, row, K);
  }
}

/* The same where A lies transposed, so that four rows are neighbours already. */
static void pack_transposed_a(const gf_product *p, int m0, int m1, int k0, int K) {
  float *out = p->workspace;
  for (int m = m0; m < m1; m += ROWS)
    for (int k = 0; k < K; k++, out += ROWS) {
      const float *a = p->a + (size_t)(k0 + k) * p->lda + m;
      gf_store(out, m + ROWS <= m1 ? gf_load(a) : gf_load_tail(a, m1 - m, 0));
    }
}

/* Columns n to n + 8 of rows k0 .. k0 + K of B, k by k. */
static void pack_rows(float *out, const float *b, int ldb, int n, int N, int k0, int K) {
  for (int k = 0; k < K; k++, out += PANEL) {
    gf_f4 v[2];
    load_cells(v, b + (size_t)(k0 + k) * ldb + n, N - n);
    gf_store(out, v[0]);
    gf_store(out + 4, v[1]);
  }
}

/* The same from a transposed B; rows past the edge repeat the last one and are never used. */
static void pack_transposed(float *out, const float *b, int ldb, int n, int N, int k0, int K) {
  for (int half = 0; half < PANEL; half += 4) {
    const float *row[4];
    for (int r = 0; r < 4; r++) row[r] = b + (size_t)min(n + half + r, N - 1) * ldb + k0;
    interleave4(out + half, PANEL, row, K);
  }
}

static void pack_panel(float *out, const float *b, int ldb, gf_layout layout, int n, int N, int k0, int K) {
  if (layout == GF_B_TRANSPOSED) pack_transposed(out, b, ldb, n, N, k0, K);
  else pack_rows(out, b, ldb, n, N, k0, K);
}

void gf_pack_panels(float *panels, const float *b, int ldb, gf_layout layout, int N, int K) {
  for (int n = 0; n < N; n += PANEL, panels += (size_t)PANEL * K) pack_panel(panels, b, ldb, layout, n, N, 0, K);
}

/* Nothing to sum: C is what it starts from. */
static void fill_start(const gf_product *p) {
  for (int m = 0; m < p->M; m++)
    for (int n = 0; n < p->N; n += PANEL) {
      gf_f4 v[2];
      start_cells(v, p, m, n, 1);
      store_cells(p->c + (size_t)m * p->ldc + n, v, p->N - n);
    }
}

static void block(const gf_product *p, int m0, int m1, int k0, int K) {
  float packed[PAIR * BLOCK_K * PANEL];
  if (p->a_transposed) pack_transposed_a(p, m0, m1, k0, K);
  else pack_a(p, m0, m1, k0, K);
  for (int n = 0; n < p->N; n += PAIR * PANEL) {
    int panels = p->N - n > PANEL ? PAIR : 1;
    if (p->b_layout == GF_B_PANELS) {
      const float *ready = p->b + (size_t)n * p->ldb + (size_t)k0 * PANEL;
      rows_by_panels(p, m0, m1, n, panels, ready, (size_t)p->ldb * PANEL, k0, K);
      continue;
    }
    for (int c = 0; c < panels; c++)
      pack_panel(packed + c * K * PANEL, p->b, p->ldb, p->b_layout, n + c * PANEL, p->N, k0, K);
    rows_by_panels(p, m0, m1, n, panels, packed, (size_t)K * PANEL, k0, K);
  }
}

void gf_multiply(const gf_product *p) {
  if (p->K == 0) fill_start(p);
  /* A few rows against packed panels read B once, from one end to the other, without cutting it. */
  int block_k = p->M < ROWS && p->b_layout == GF_B_PANELS ? p->K : BLOCK_K;
  for (int m = 0; m < p->M; m += BLOCK_M)
    for (int k = 0; k < p->K; k += block_k) block(p, m, min(m + BLOCK_M, p->M), k, min(block_k, p->K - k));
}

int gf_matmul_workspace(void) { return GF_MATMUL_WORKSPACE; }

void gf_matmul(float *out, float *workspace, const float *a, const float *b, const float *bias, int batch, int M, int N,
               int K, int flags) {
  gf_layout layout = flags & GF_PANELS_B ? GF_B_PANELS : flags & GF_TRANSPOSE_B ? GF_B_TRANSPOSED : GF_B_ROWS;
  gf_product p = {.ldc = N, .lda = flags & GF_TRANSPOSE_A ? M : K, .a_transposed = flags & GF_TRANSPOSE_A,
                  .ldb = layout == GF_B_ROWS ? N : K, .b_layout = layout, .bias = bias, .M = M, .N = N, .K = K,
                  .accumulate = flags & GF_ACCUMULATE, .workspace = workspace};
  for (int i = 0; i < batch; i++) {
    p.c = out + (size_t)i * M * N;
    p.a = a + (size_t)i * M * K;
    p.b = b + (size_t)i * K * N;
    gf_multiply(&p);
  }
}

int gf_panels_size(int N, int K) { return (N + PANEL - 1) / PANEL * PANEL * K; }

void gf_panels(float *panels, const float *b, int N, int K, int transposed) {
  gf_pack_panels(panels, b, transposed ? K : N, transposed ? GF_B_TRANSPOSED : GF_B_ROWS, N, K);
}
