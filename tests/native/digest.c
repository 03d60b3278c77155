/* digest.c - runs every kernel on random inputs of awkward sizes and hashes the outputs (FNV-1a).
 *
 * The native build runs under AddressSanitizer and UndefinedBehaviorSanitizer, with buffers of exactly the size needed.
 * The wasm build must compute the same digests (tests/native/native.test.js compares them).
 */
#include <stdlib.h>
#include <string.h>

#include "../../src/c/blocks/blocks.h"
#include "../../src/c/glassformer.h"

static gf_generator generator;

static float *normals(int n) {
  float *x = malloc(sizeof(float) * (size_t)(n ? n : 1));
  gf_normal(x, &generator, n, 0.0, 1.5);
  return x;
}

static float *zeros(int n) { return calloc((size_t)(n ? n : 1), sizeof(float)); }

static uint32_t fold(uint32_t digest, const void *data, size_t bytes) {
  const uint8_t *p = data;
  for (size_t i = 0; i < bytes; i++) digest = (digest ^ p[i]) * 16777619u;
  return digest;
}

static uint32_t fold_floats(uint32_t digest, float *x, int n) {
  digest = fold(digest, x, sizeof(float) * (size_t)n);
  free(x);
  return digest;
}

static uint32_t digest_random_numbers(uint32_t d, int n) {
  int32_t *order = malloc(sizeof(int32_t) * (size_t)n);
  gf_randperm(order, &generator, n);
  d = fold(d, order, sizeof(int32_t) * (size_t)n);
  float *mask = zeros(n), *uniform = zeros(n);
  gf_dropout_mask(mask, &generator, n, 0.3);
  gf_uniform(uniform, &generator, n, -0.3f, 0.7f);
  gf_trunc_normal(mask, &generator, n, 0.5, 2.0, -1.0, 7.0);
  float *p = zeros(3 * n), *work = zeros(n);
  for (int i = 0; i < 3 * n; i++) p[i] = 0.1f + (float)(i % 5);
  for (int replacement = 0; replacement < 2; replacement++) {
    int32_t *classes = malloc(sizeof(int32_t) * (size_t)(3 * n));
    gf_multinomial(classes, &generator, work, order, p, 3, n, n, replacement);
    d = fold(d, classes, sizeof(int32_t) * (size_t)(3 * n));
    free(classes);
  }
  free(order);
  gf_bernoulli(work, &generator, uniform, n);
  free(p);
  d = fold_floats(d, work, n);
  return fold_floats(fold_floats(fold_floats(d, normals(n), n), mask, n), uniform, n);
}

/* Traps if two buffers differ, then frees the second. */
static void require_same(const float *x, float *y, int n) {
  if (memcmp(x, y, sizeof(float) * (size_t)n)) __builtin_trap();
  free(y);
}

/* Computes the product in four parts, each with exactly its workspace, and in the sequential instruction order. */
static void multiply_in_parts(float *out, const float *a, const float *b, const float *bias, int M, int N, int K,
                              int flags) {
  int m = M / 2, n = N / 2 / 8 * 8;
  gf_matmul_in_pairs(0);
  for (int part = 0; part < 4; part++) {
    int rows = part & 1 ? M - m : m, columns = part & 2 ? N - n : n;
    float *work = zeros(gf_matmul_workspace(rows, columns, K));
    gf_matmul_part(out, work, a, b, bias, M, N, K, flags, part & 1 ? m : 0, rows, part & 2 ? n : 0, columns);
    free(work);
  }
  gf_matmul_in_pairs(1);
}

static uint32_t digest_matrix_product(uint32_t d, int n) {
  int M = n, N = n % 7 + 1 + n, K = n % 5 + n;
  for (int flags = 0; flags < 16; flags++) {
    if ((flags & GF_TRANSPOSE_B) && (flags & GF_PANELS_B)) continue;
    float *a = normals(M * K), *b = normals(K * N), *bias = normals(N), *out = normals(M * N);
    float *work = zeros(gf_matmul_workspace(M, N, K));
    float *panels = zeros(gf_panels_size(N, K));
    float *buffer = zeros(8 * K);
    memcpy(panels, b, sizeof(float) * (size_t)(N * K));
    gf_repack(panels, buffer, N, K, GF_FLOAT32, 0);
    float *parts = zeros(M * N);
    memcpy(parts, out, sizeof(float) * (size_t)(M * N));
    gf_matmul(out, work, a, flags & GF_PANELS_B ? panels : b, bias, M, N, K, flags);
    multiply_in_parts(parts, a, flags & GF_PANELS_B ? panels : b, bias, M, N, K, flags);
    require_same(out, parts, M * N);
    d = fold_floats(d, out, M * N);
    gf_repack(panels, buffer, N, K, GF_FLOAT32, 1);
    d = fold(d, memcmp(panels, b, sizeof(float) * (size_t)(N * K)) ? "moved" : "same", 5);
    free(a), free(b), free(bias), free(work), free(panels), free(buffer);
  }
  return d;
}

/* float16, bfloat16 and int8 weights. For i > 1, x is so large that float16 panels have to be widened first. */
static uint32_t digest_stored_product(uint32_t d, int n) {
  int N = n % 7 + 1 + n, K = 3 * n, M = n % 5 + 1;
  float *w = normals(N * K), *bias = normals(N), *out = zeros(M * N), *rounded = zeros(M * K);
  static const int types[] = {GF_FLOAT16, GF_BFLOAT16}, flags[] = {GF_FLOAT16_B, GF_BFLOAT16_B};
  for (int i = 0; i < 4; i++) {
    uint16_t *weight16 = calloc((size_t)gf_panels_size(N, K), 2), *buffer = malloc(16 * (size_t)K);
    float *x = normals(M * K), *work = zeros((int)gf_matmul_workspace(M, N, K)), *embedding_row = zeros(K);
    if (i > 1) x[M * K - 1] = 1e6f;
    gf_convert(weight16, types[i % 2], w, GF_FLOAT32, N * K);
    gf_repack(weight16, buffer, N, K, types[i % 2], 0);
    gf_matmul(out, work, x, weight16, bias, M, N, K, GF_PANELS_B | flags[i % 2]);
    d = fold(d, out, sizeof(float) * (size_t)(M * N));
    int32_t last = N - 1;
    gf_embedding_panels(embedding_row, &last, weight16, 1, K, types[i % 2]);
    d = fold_floats(d, embedding_row, K);
    gf_repack(weight16, buffer, N, K, types[i % 2], 1);
    d = fold(d, weight16, 2 * (size_t)(N * K));
    free(weight16), free(buffer), free(x), free(work);
  }
  void *bytes = malloc((size_t)gf_int8_size(N, K));
  memset(bytes, 0, (size_t)gf_int8_size(N, K));
  float *x = normals(M * K), *work = zeros((int)gf_int8_workspace(M, K)), *rows = zeros(N * K);
  d += (uint32_t)gf_int8_pack(bytes, w, 0, N, K);
  gf_int8_product(out, work, x, bytes, bias, M, N, K);
  gf_int8_rounded(rounded, x, M, K, 32767);
  gf_int8_rows(rows, bytes, 0, N, K);
  for (int i = 0; i < N * K; i++)
    if ((float)gf_int8_read(bytes, i / K, i % K, K) != rows[i]) __builtin_trap();
  d = fold_floats(fold_floats(fold_floats(d, out, M * N), rounded, M * K), rows, N * K);
  free(w), free(bias), free(bytes), free(x), free(work);
  return d;
}

/* Weights in GGUF's blocks of random bytes, with finite scales. */
static uint32_t digest_blocks(uint32_t d, int n) {
  static const int formats[][3] = {{GF_Q8_0, 32, 34}, {GF_Q4_0, 32, 18},   {GF_Q4_1, 32, 20},   {GF_Q5_0, 32, 22},
                                   {GF_Q5_1, 32, 24}, {GF_Q4_K, 256, 144}, {GF_Q5_K, 256, 176}, {GF_Q6_K, 256, 210}};
  for (unsigned i = 0; i < sizeof formats / sizeof *formats; i++) {
    int type = formats[i][0], blocks = n % 3 + 1, K = blocks * formats[i][1], size = formats[i][2], N = n % 19 + 1,
        M = n % 7;
    float *noise = zeros(N * blocks * size), *x = normals(M * K), *bias = normals(N), *out = zeros(M * N),
          *row = zeros(K);
    float *work = zeros((int)gf_blocks_workspace(M, K));
    uint8_t *weight = malloc((size_t)gf_blocks_size(N, K, type));
    gf_uniform(noise, &generator, N * blocks * size, 0.0f, 256.0f);
    for (int k = 0; k < N * blocks * size; k++) weight[k] = (uint8_t)noise[k];
    for (int k = 0; k < N * blocks; k++)
      for (int at = 1; at < size; at += at == 1 ? 2 : size == 210 && at == 3 ? 206 : size)
        weight[k * size + at] &= 0xbb;
    int32_t last = N - 1;
    gf_blocks_embedding(row, work, &last, weight, 1, K, type);
    float *again = zeros(K);
    gf_blocks_rows(again, work, weight, last, 1, K, type);
    require_same(row, again, K);
    gf_blocks_product(out, work, x, weight, bias, M, N, K, type);
    if (type == GF_Q8_0 || type == GF_Q4_0 || type == GF_Q4_K) {
      float *rows = normals(N * K), *packed = zeros(N * K);
      if (gf_blocks_pack(weight, work, rows, 0, N, K, type) >= 0) __builtin_trap();
      gf_blocks_rows(packed, work, weight, 0, N, K, type);
      d = fold_floats(d, packed, N * K);
      free(rows);
    }
    d = fold_floats(fold_floats(d, out, M * N), row, K);
    free(noise), free(x), free(bias), free(work), free(weight);
  }
  return d;
}

typedef void (*unary_kernel)(float *out, const float *x, int n);
typedef void (*unary_backward_kernel)(float *dx, const float *dout, const float *x, int n);

static uint32_t digest_gelu(uint32_t d, int n) {
  static const unary_kernel forward[] = {gf_gelu_forward, gf_gelu_tanh_forward};
  static const unary_backward_kernel backward[] = {gf_gelu_backward, gf_gelu_tanh_backward};
  for (int i = 0; i < 2; i++) {
    float *x = normals(n), *dout = normals(n), *out = zeros(n), *dx = zeros(n);
    forward[i](out, x, n);
    backward[i](dx, dout, x, n);
    d = fold_floats(fold_floats(d, out, n), dx, n);
    free(x), free(dout);
  }
  return d;
}

/* Hashes NaN as 0, since the bit pattern of a NaN is not specified. */
static uint32_t fold_values(uint32_t digest, float *x, int n) {
  for (int i = 0; i < n; i++)
    if (x[i] != x[i]) x[i] = 0.0f;
  return fold_floats(digest, x, n);
}

#define FOLD_UNARY(name, ...)                                                   \
  {                                                                             \
    float *x = normals(n), *dout = normals(n), *out = zeros(n), *dx = zeros(n); \
    gf_##name##_forward(out, x, n, 0.3f, 2.0f);                                 \
    gf_##name##_backward(dx, dout, x, out, n, 0.3f, 2.0f);                      \
    d = fold_values(fold_values(d, out, n), dx, n);                             \
    free(x), free(dout);                                                        \
  }
#define FOLD_BINARY(name, ...)                                                                       \
  for (int mode = 0; mode < 3; mode++) {                                                             \
    int32_t axes[] = {3, 2, 3, n, mode == 1 ? 0 : n, mode == 1 ? n : 0, mode != 2, 0, n, mode != 1}; \
    float *a = normals(3 * n), *b = normals(3 * n), *dout = normals(6 * n), *out = zeros(6 * n);     \
    float *da = zeros(3 * n), *db = zeros(3 * n);                                                    \
    gf_##name##_forward(out, a, b, axes);                                                            \
    gf_##name##_backward(da, db, dout, out, a, b, axes);                                             \
    float *da_alone = zeros(3 * n), *db_alone = zeros(3 * n);                                        \
    gf_##name##_backward(da_alone, NULL, dout, out, a, b, axes);                                     \
    gf_##name##_backward(NULL, db_alone, dout, out, a, b, axes);                                     \
    require_same(da, da_alone, 3 * n), require_same(db, db_alone, 3 * n);                            \
    d = fold_values(fold_values(fold_values(d, out, 6 * n), da, 3 * n), db, 3 * n);                  \
    free(a), free(b), free(dout);                                                                    \
  }

/* Reductions over the columns of two matrices [R,C]; for maximum and minimum the last value is NaN. */
static uint32_t digest_columns(uint32_t d, int R, int C) {
  for (int kind = GF_SUM; kind <= GF_STD; kind++) {
    if (kind == GF_PROD) continue;
    float *x = normals(2 * R * C), *out = zeros(2 * C);
    if (kind == GF_MAX || kind == GF_MIN) x[2 * R * C - 1] = __builtin_nanf("");
    gf_reduce_columns(out, x, 2, R, C, kind, 1);
    d = fold_floats(d, out, 2 * C);
    free(x);
  }
  return d;
}

static uint32_t digest_elementwise(uint32_t d, int n) {
  GF_UNARY(FOLD_UNARY)
  GF_BINARY(FOLD_BINARY)
  for (int kind = GF_SUM; kind <= GF_NORM; kind++)
    for (int p = 0; p < 3; p++) {
      float *x = normals(3 * n), *dout = normals(3), *out = zeros(3), *work = zeros(n), *dx = zeros(3 * n);
      int32_t indices[3], sums[3];
      gf_reduce_forward(out, work, x, 3, n, kind, p + 0.5 * (p == 2));
      gf_reduce_backward(dx, dout, out, x, 3, n, kind, p + 0.5 * (p == 2), p % 2);
      gf_argmax(indices, x, 3, n, p % 2);
      gf_reduce_int(sums, indices, GF_INT32, 1, 3, kind % 4);
      d = fold_values(fold_values(d, out, 3), dx, 3 * n);
      d = fold(fold(d, indices, sizeof indices), sums, sizeof *sums);
      free(x), free(dout), free(work);
    }
  d = digest_columns(d, n % 11 + 1, n);
  static const int types[] = {GF_INT32, GF_FLOAT64, GF_BOOL, GF_FLOAT16, GF_BFLOAT16};
  for (int i = 0; i < 5; i++) {
    float *x = normals(n), *back = zeros(n);
    uint8_t *converted = calloc((size_t)n, sizeof(double)), *comparisons = calloc((size_t)n, 1);
    int32_t axes[] = {1, n, 1, 1};
    gf_convert(converted, types[i], x, GF_FLOAT32, n);
    gf_convert(back, GF_FLOAT32, converted, types[i], n);
    gf_compare(comparisons, x, converted, axes, GF_FLOAT32, types[i], i);
    d = fold(fold_floats(d, back, n), comparisons, (size_t)n);
    free(x), free(converted), free(comparisons);
  }
  for (int kind = GF_INT_ADD; kind <= GF_INT_AND; kind++) {
    float *x = normals(n);
    int32_t *integers = calloc(2 * (size_t)n, sizeof *integers), axes[] = {1, n, 1, 1};
    for (int i = 0; i < n; i++) integers[i] = (int32_t)(x[i] * 70000.0f);
    gf_int_arithmetic(integers + n, integers, integers, axes, GF_INT32, GF_INT32, kind);
    d = fold(d, integers, 2 * (size_t)n * sizeof *integers);
    free(x), free(integers);
  }
  return d;
}

/* A gradient that is NULL is not written, and the others have the same bits. */
static void check_single_gradients(const float *dout, const float *x, const float *mean, const float *rstd,
                                   const float *weight, int N, int C) {
  float *dx = zeros(N * C), *dweight = zeros(C), *dbias = zeros(C);
  float *single_dx = zeros(N * C), *single_dweight = zeros(C), *single_dbias = zeros(C);
  gf_layer_norm_backward(dx, dweight, dbias, dout, x, mean, rstd, weight, N, C);
  gf_layer_norm_backward(single_dx, NULL, NULL, dout, x, mean, rstd, weight, N, C);
  gf_layer_norm_backward(NULL, single_dweight, NULL, dout, x, mean, rstd, weight, N, C);
  gf_layer_norm_backward(NULL, NULL, single_dbias, dout, x, mean, rstd, weight, N, C);
  gf_rms_norm_backward(dx, dweight, dout, x, rstd, weight, N, C);
  gf_rms_norm_backward(single_dx, NULL, dout, x, rstd, weight, N, C);
  gf_rms_norm_backward(NULL, single_dweight, dout, x, rstd, weight, N, C);
  require_same(dx, single_dx, N * C), require_same(dweight, single_dweight, C), require_same(dbias, single_dbias, C);
  free(dx), free(dweight), free(dbias);
}

static uint32_t digest_rows(uint32_t d, int C) {
  int N = 3;
  float *x = normals(N * C), *dout = normals(N * C), *out = zeros(N * C), *dx = zeros(N * C);
  gf_softmax_forward(out, x, N, C);
  gf_softmax_backward(dx, dout, out, N, C);
  d = fold(d, out, sizeof(float) * (size_t)(N * C));
  gf_log_softmax_forward(out, x, N, C);
  gf_log_softmax_backward(dx, dout, out, N, C);
  d = fold(d, out, sizeof(float) * (size_t)(N * C));
  float *mean = zeros(N), *rstd = zeros(N), *weight = normals(C), *bias = normals(C);
  float *dweight = zeros(C), *dbias = zeros(C);
  gf_layer_norm_forward(out, mean, rstd, x, weight, bias, N, C, 1e-5);
  gf_layer_norm_backward(dx, dweight, dbias, dout, x, mean, rstd, weight, N, C);
  int32_t target[3] = {C - 1, -100, 0};
  float *losses = zeros(N), *log_probs = zeros(N * C);
  gf_cross_entropy_forward(losses, log_probs, x, NULL, target, N, C, -100, 0.1f);
  gf_cross_entropy_backward(dx, losses, log_probs, NULL, target, N, C, -100, 0.1f, 0);
  gf_cross_entropy_forward(losses, log_probs, x, weight, target, N, C, -100, 0.1f);
  gf_cross_entropy_backward(dx, losses, log_probs, weight, target, N, C, -100, 0.1f, 0);
  gf_nll_loss_backward(dx, losses, weight, target, N, C, -100, 0.5f, 1);
  gf_rms_norm_forward(out, rstd, x, weight, N, C, 1e-5);
  gf_rms_norm_backward(dx, dweight, dout, x, rstd, weight, N, C);
  check_single_gradients(dout, x, mean, rstd, weight, N, C);
  free(x), free(dout), free(weight), free(bias), free(mean), free(rstd), free(log_probs);
  d = fold_floats(fold_floats(d, out, N * C), dx, N * C);
  return fold_floats(fold_floats(fold_floats(d, dweight, C), dbias, C), losses, N);
}

/* Grouped-query attention with four query heads and two kv heads, from each step, in parts, and from a cache. */
static uint32_t digest_attention(uint32_t d, int Tq, int Tk, int D, int causal) {
  int B = 2, H = 4, KV = 2, q_size = B * H * Tq * D, k_size = B * KV * Tk * D, cells = B * H * Tq * Tk;
  gf_attention p = {.B = B,
                    .H = H,
                    .Tq = Tq,
                    .Tk = Tk,
                    .D = D,
                    .Dv = D,
                    .group = H / KV,
                    .scale = 0.5f,
                    .q = {H * Tq * D, Tq * D, D},
                    .k = {KV * Tk * D, Tk * D, D},
                    .v = {Tk * KV * D, D, KV * D},
                    .out = {Tq * H * D, D, H * D}};
  float *additive = normals(Tq * Tk), *dropout = zeros(cells);
  uint8_t *padding = calloc((size_t)(B * Tk), 1);
  if (Tk > 2) padding[1] = 1;
  gf_dropout_mask(dropout, &generator, cells, 0.2);
  int past = Tk > Tq ? Tk - Tq : 0, window = Tq % 3 ? 0 : 5;
  p.mask = (gf_mask){additive, 0, 0, padding, causal, past, window};
  float *q = normals(q_size), *k = normals(k_size), *v = normals(k_size), *dout = normals(q_size), *out = zeros(q_size);
  gf_attention_steps saved = {zeros(cells), zeros(cells), zeros(cells), zeros(cells)};
  gf_attention_steps step_gradients = {zeros(cells), zeros(cells), zeros(cells), zeros(cells)};
  float *dq = zeros(q_size), *dk = zeros(k_size), *dv = zeros(k_size);
  float *work = zeros(gf_attention_workspace(&p, 0)), *back = zeros(gf_attention_workspace(&p, 1));
  for (p.from = GF_FROM_START; p.from <= GF_FROM_WEIGHTS; p.from++) {
    gf_attention_forward(out, &saved, work, q, k, v, dropout, &p);
    d = fold(d, out, sizeof(float) * (size_t)q_size);
  }
  gf_attention_backward(dq, dk, dv, &step_gradients, back, dout, saved.weights, q, k, v, dropout, &p);
  gf_attention_steps no_steps = {0};
  float *part = zeros(q_size), *part_dq = zeros(q_size), *part_dk = zeros(k_size), *part_dv = zeros(k_size);
  p.from = GF_FROM_START;
  for (int n = gf_attention_blocks(&p) - 1; n >= 0; n -= 2)
    gf_attention_forward_part(part, &no_steps, work, q, k, v, dropout, &p, n ? n - 1 : 0, n ? 2 : 1);
  for (int n = B * KV - 1; n >= 0; n--)
    gf_attention_backward_part(part_dq, part_dk, part_dv, &no_steps, back, dout, saved.weights, q, k, v, dropout, &p, n,
                               1);
  require_same(out, part, q_size), require_same(dq, part_dq, q_size);
  require_same(dk, part_dk, k_size), require_same(dv, part_dv, k_size);
  float *single_dq = zeros(q_size), *single_dk = zeros(k_size), *single_dv = zeros(k_size);
  gf_attention_backward(single_dq, NULL, NULL, &no_steps, back, dout, saved.weights, q, k, v, dropout, &p);
  gf_attention_backward(NULL, single_dk, NULL, &no_steps, back, dout, saved.weights, q, k, v, dropout, &p);
  gf_attention_backward(NULL, NULL, single_dv, &no_steps, back, dout, saved.weights, q, k, v, dropout, &p);
  require_same(dq, single_dq, q_size), require_same(dk, single_dk, k_size), require_same(dv, single_dv, k_size);
  int capacity = Tk + 3, k_block = (int)gf_cache_block_size(capacity, D, 0);
  int v_block = (int)gf_cache_block_size(capacity, D, GF_CACHE_VALUES);
  float *keys = zeros(B * KV * k_block), *values = zeros(B * KV * v_block);
  gf_cache_copy(keys, k, &p.k, B, KV, 0, Tk, capacity, D, 0);
  gf_cache_copy(values, v, &p.v, B, KV, 0, Tk, capacity, D, GF_CACHE_VALUES);
  p.capacity = capacity, p.from = GF_FROM_START;
  p.k = (gf_strides){KV * k_block, k_block, 0}, p.v = (gf_strides){KV * v_block, v_block, 0};
  float *cache_workspace = zeros(gf_attention_workspace(&p, 0));
  gf_attention_forward(out, &no_steps, cache_workspace, q, keys, values, dropout, &p);
  free(additive), free(dropout), free(padding), free(q), free(k), free(v), free(dout), free(work), free(back);
  free(keys), free(values), free(cache_workspace);
  float *average = zeros(B * Tq * Tk);
  gf_attention_average(average, saved.weights, B, H, Tq * Tk);
  d = fold_floats(fold_floats(fold_floats(d, dq, q_size), dk, k_size), dv, k_size);
  d = fold_floats(fold_floats(fold_floats(d, out, q_size), step_gradients.dots, cells), step_gradients.scores, cells);
  d = fold_floats(fold_floats(fold_floats(d, step_gradients.masked, cells), step_gradients.weights, cells), average,
                  B * Tq * Tk);
  d = fold_floats(fold_floats(d, saved.dots, cells), saved.scores, cells);
  return fold_floats(fold_floats(d, saved.masked, cells), saved.weights, cells);
}

static uint32_t digest_tables(uint32_t d, int n) {
  double *table = malloc(sizeof(double) * (size_t)(7 * n));
  for (int layout = 0; layout < 2; layout++)
    for (int method = 0; method < 3; method++) {
      gf_positional_encoding(table, 7, n, 10000.0, layout, method);
      d = fold(d, table, sizeof(double) * (size_t)(7 * n));
    }
  free(table);
  int32_t ids[4] = {0, n - 1, n / 2, 0};
  float *weight = normals(n * 3), *out = zeros(12), *dweight = zeros(n * 3);
  gf_embedding_forward(out, ids, weight, 4, 3);
  float *panels = zeros(gf_panels_size(n, 3)), embedding_row[24], *panel_rows = zeros(12);
  memcpy(panels, weight, sizeof(float) * (size_t)n * 3);
  gf_repack(panels, embedding_row, n, 3, GF_FLOAT32, 0);
  gf_embedding_panels(panel_rows, ids, panels, 4, 3, GF_FLOAT32);
  d = fold(d, panel_rows, sizeof(float) * 12);
  free(panels), free(panel_rows);
  gf_embedding_backward(dweight, out, ids, n / 2, 4, 3);
  free(weight);
  enum { B = 2, H = 2, T = 3 };
  int32_t positions[B * T] = {0, 1, 2, 7, 30, 4096};
  int cells = B * H * T * 2 * 2 * n;
  float *frequencies = zeros(n), *cosines = zeros(B * T * n), *sines = zeros(B * T * n), *bias = zeros(n * T * 5);
  float *x = normals(cells), *rotated = zeros(cells), *back = zeros(cells);
  gf_rotary_frequencies(frequencies, n, 10000.0);
  gf_rotary_table(cosines, sines, positions, frequencies, B * T, n);
  for (int interleaved = 0; interleaved < 2; interleaved++) {
    gf_rotary_forward(rotated, x, cosines, sines, T * interleaved, B, H, T, 2, 2 * n, 2 * n, interleaved);
    gf_rotary_backward(back, rotated, cosines, sines, T * interleaved, B, H, T, 2, 2 * n, 2 * n, interleaved);
  }
  gf_alibi(bias, n, T, 5, 2);
  int32_t *order = malloc(sizeof(int32_t) * (size_t)cells), *buffer = malloc(sizeof(int32_t) * 4 * (size_t)n);
  for (int k = 0; k <= 2 * n; k += n) {
    gf_sort(order, buffer, x, B * H * T, 2 * n, 2, k, k == n);
    d = fold(d, order, sizeof(int32_t) * (size_t)(B * H * T * 2 * k));
  }
  free(order), free(buffer), free(x);
  d = fold_floats(fold_floats(fold_floats(d, frequencies, n), cosines, B * T * n), sines, B * T * n);
  d = fold_floats(fold_floats(fold_floats(d, rotated, cells), back, cells), bias, n * T * 5);
  return fold_floats(fold_floats(d, out, 12), dweight, n * 3);
}

static uint32_t digest_optimizers(uint32_t d, int n) {
  float *param = normals(n), *grad = normals(n), *m = zeros(n), *v = zeros(n), *buffer = zeros(n);
  float *max_v = zeros(n);
  for (int step = 1; step <= 3; step++) {
    gf_adam_step(param, m, v, step < 3 ? NULL : max_v, grad, n, step, 0.01, 0.9, 0.999, 1e-8, 0.1, step % 2);
    gf_sgd_step(param, buffer, grad, n, 0.1f, 0.9f, 0.0f, 0.01f, 1, step == 1);
  }
  free(grad), free(m), free(v), free(max_v), free(buffer);
  return fold_floats(d, param, n);
}

static uint32_t digest_indexing(uint32_t d, int n) {
  int cells = 2 * n * 3;
  float *x = normals(cells), *y = normals(cells), *out = zeros(cells), *dx = zeros(cells), *picked = zeros(2 * 4 * 3);
  int32_t permuted[] = {3, 3, n, 2, 2 * n, 2, 1, 1, -3, 3 * n}, broadcast[] = {3, 2, n, 3, 3 * n, 3, 1, 3 * n, 0, 1};
  int32_t indices[4] = {0, n - 1, n / 2, 0};
  uint8_t *mask = malloc((size_t)cells);
  for (int i = 0; i < cells; i++) mask[i] = i % 3 == 1;
  gf_strided_copy(out, x + 3 * (n - 1), permuted, 0);
  gf_strided_copy(dx + 3 * (n - 1), out, (int32_t[]){3, 3, n, 2, 1, -3, 3 * n, 2 * n, 2, 1}, 1);
  gf_strided_copy(out, x, broadcast, 1);
  d = fold(d, out, sizeof(float) * (size_t)cells);
  for (int mode = GF_GATHER; mode <= GF_SCATTER_ADD; mode++) gf_gather(picked, x, indices, 2, n, 3, 4, 0, 1, 0, mode);
  gf_where_forward(out, mask, x, y, 1, 0, cells);
  gf_where_backward(dx, out, mask, 1, cells);
  gf_where_backward(dx, y, mask, 0, cells);
  d = fold(d, out, sizeof(float) * (size_t)cells);
  gf_cumsum_forward(out, y, 2, n, 3);
  gf_cumsum_backward(dx, out, 2, n, 3);
  free(mask), free(y);
  d = fold_floats(fold_floats(d, x, cells), picked, 2 * 4 * 3);
  return fold_floats(fold_floats(d, out, cells), dx, cells);
}

/* Helper kernels that other kernels and the library call. */
static uint32_t digest_helpers(uint32_t d, int n) {
  int cells = 24 * n;
  float *x = normals(cells), *y = normals(cells), *mask = zeros(cells), *dx = zeros(cells), *out = zeros(cells);
  gf_dropout_mask(mask, &generator, cells, 0.4);
  gf_dropout_forward(out, x, mask, cells);
  gf_dropout_backward(dx, out, mask, cells);
  gf_transpose_forward(out, x, 2, 3, n, 2, 2);
  gf_transpose_backward(dx, out, 2, 3, n, 2, 2);
  gf_accumulate(y, dx, cells);
  gf_scale(y, cells, 0.3f);
  gf_clamp(x, cells, -0.5f, 0.7f);
  gf_bias_backward(dx, y, 3, n);
  double sums[] = {gf_sum(y, cells), gf_sum_absolute(y, cells), gf_sum_squares(y, cells), gf_max_absolute(y, cells)};
  double *wide = malloc(sizeof(double) * (size_t)(2 * n));
  gf_uniform_double(wide, &generator, n);
  gf_unigram_maximize(wide, wide, n);
  gf_randint(wide + n, &generator, n, -3.0, 70.0);
  gf_round_to_float(mask, wide, 2 * n);
  int32_t *ids = malloc(sizeof(int32_t) * (size_t)n), *ends = malloc(sizeof(int32_t) * (size_t)n);
  for (int i = 0; i < n; i++) ids[i] = n - 1 - i, ends[i] = i + 1;
  for (int i = 0; i < n; i++) wide[i] = 1.0 + i;
  gf_unigram_losses(wide + n, wide, ids, ends, n);
  int checks[] = {gf_embedding_check(ids, n, n), gf_embedding_check(ids, n, n - 1),
                  gf_cross_entropy_check(ids, n, n, -100), gf_cross_entropy_check(ids, n, n - 1, n - 1)};
  d = fold(fold(fold(d, sums, sizeof sums), wide, sizeof(double) * (size_t)(2 * n)), checks, sizeof checks);
  free(wide), free(ids), free(ends);
  d = fold_floats(fold_floats(fold_floats(d, x, cells), y, cells), mask, cells);
  return fold_floats(fold_floats(d, dx, cells), out, cells);
}

enum { KERNELS = 11 };

/* Updates the digest d with a family of kernels at one size. */
static uint32_t digest_of(uint32_t d, int family, int n, int keys) {
  switch (family) {
    case 0:
      return digest_random_numbers(d, n);
    case 1:
      return digest_stored_product(digest_matrix_product(d, n), n);
    case 2:
      return digest_gelu(d, n);
    case 3:
      return digest_rows(d, n);
    case 4:
      return digest_attention(digest_attention(d, n, keys, 5, 1), n, 7, n, 0);
    case 5:
      return digest_tables(d, n);
    case 6:
      return digest_optimizers(d, n);
    case 7:
      return digest_indexing(d, n);
    case 8:
      return digest_elementwise(d, n);
    case 9:
      return digest_helpers(d, n);
    default:
      return digest_blocks(d, n);
  }
}

/* The digest of a family of kernels over all sizes. */
GF_EXPORT uint32_t gf_digest(int family) {
  static const int sizes[] = {1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 33, 67};
  uint32_t d = 2166136261u;
  gf_seed(&generator, 42);
  for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++) d = digest_of(d, family, sizes[i], sizes[i]);
  /* Sizes that need several blocks of columns, the last of them partial or full. */
  if (family == 1) return digest_stored_product(digest_matrix_product(d, 300), 264);
  if (family == 8) return digest_columns(digest_columns(d, 5, 4099), 4, 4096);
  return d;
}

#ifndef __wasm__
#include <stdio.h>

int main(void) {
  for (int family = 0; family < KERNELS; family++) printf("%u\n", gf_digest(family));
  return 0;
}
#endif
