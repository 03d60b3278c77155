/* binary.c - the functions that the lines of binary.h call, and the loops generated from each line. */
#include "../math.h"
#include "axes.h"

void gf_begin_runs(gf_run_iterator *runs, const int32_t *axes) {
  int rank = axes[0];
  *runs = (gf_run_iterator){.sizes = axes + 1, .a_strides = axes + 1 + rank, .b_strides = axes + 1 + 2 * rank};
  runs->rank = rank, runs->count = 1;
  for (int i = 0; i < rank - 1; i++) runs->count *= (size_t)runs->sizes[i];
  runs->length = runs->sizes[rank - 1];
  runs->a_stride = runs->a_strides[rank - 1], runs->b_stride = runs->b_strides[rank - 1];
}

void gf_next_run(gf_run_iterator *runs) {
  for (int i = runs->rank - 2; i >= 0; i--) {
    runs->a_offset += (size_t)runs->a_strides[i], runs->b_offset += (size_t)runs->b_strides[i];
    if (++runs->index[i] < runs->sizes[i]) return;
    runs->a_offset -= (size_t)runs->a_strides[i] * (size_t)runs->sizes[i];
    runs->b_offset -= (size_t)runs->b_strides[i] * (size_t)runs->sizes[i];
    runs->index[i] = 0;
  }
}

/* Maximum and minimum that propagate NaN. */
GF_INLINE gf_f4 larger(gf_f4 a, gf_f4 b) { return gf_select((a >= b) | (a != a), a, b); }
GF_INLINE gf_f4 smaller(gf_f4 a, gf_f4 b) { return gf_select((a <= b) | (a != a), a, b); }

/* The gradient of a maximum or minimum: half to each of two tied operands, else all to the selected one. */
GF_INLINE gf_f4 split_gradient(gf_f4 d, gf_i4 is_loser, gf_i4 ties) {
  return gf_select(ties, d * GF_CONSTANT(0.5f), gf_select(is_loser, gf_zero(), d));
}

GF_INLINE gf_f4 sign(gf_f4 x) {
  return gf_select(x > gf_zero(), GF_CONSTANT(1.0f), gf_select(x < gf_zero(), GF_CONSTANT(-1.0f), gf_zero()));
}

/* out = a^b  =>  da += dout b a^(b-1), 0 if b = 0;  db += dout a^b log a, 0 if a = 0 and b >= 0, as in PyTorch. */
GF_INLINE gf_f4 pow_derivative_a(gf_f4 d, gf_f4 a, gf_f4 b) {
  return gf_select(b == gf_zero(), gf_zero(), d * (b * gf_pow4(a, b - GF_CONSTANT(1.0f))));
}
GF_INLINE gf_f4 pow_derivative_b(gf_f4 d, gf_f4 a, gf_f4 b, gf_f4 y) {
  return gf_select((a == gf_zero()) & (b >= gf_zero()), gf_zero(), d * (y * gf_log4(a)));
}

/* -(b log a + (1 - b) log(1 - a)). Logarithms are clamped to at least -100, as in PyTorch, so that the loss is finite.
 */
GF_INLINE gf_f4 log_clamped(gf_f4 x) { return gf_max(gf_log4(x), GF_CONSTANT(-100.0f)); }
GF_INLINE gf_f4 bce(gf_f4 a, gf_f4 b) {
  const gf_f4 one = GF_CONSTANT(1.0f);
  return (b - one) * gf_max(gf_log1p4(-a), GF_CONSTANT(-100.0f)) - b * log_clamped(a);
}

/* Binary cross entropy of logits: max(a, 0) - a b + log(1 + e^-|a|), computed as ([a > 0] - b) a + log(1 + e^-|a|),
 * which does not subtract large numbers from each other. */
GF_INLINE gf_f4 bce_with_logits(gf_f4 a, gf_f4 b) {
  gf_f4 residual = gf_select(a > gf_zero(), GF_CONSTANT(1.0f) - b, -b);
  return residual * a + gf_log1p4(gf_exp4_nonpositive(-gf_abs(a)));
}

typedef void (*gf_binary_kernel)(float *out, const float *a, const float *b, int a_stride, int b_stride, int vectors);
typedef void (*gf_binary_grad_kernel)(float *grad, const float *d, const float *y, const float *a, const float *b,
                                      int a_stride, int b_stride, int vectors);

/* The address of a run of an operand: x, or, if it is broadcast (stride 0), a vector of four copies of its value. */
GF_INLINE const float *broadcast_operand(const float *x, int stride, gf_f4 *splat) {
  if (!stride) *splat = gf_splat_at(x);
  return stride ? x : (const float *)splat;
}
/* The last values of a run, as a vector. */
GF_INLINE gf_f4 load_operand_tail(const float *x, int stride, int main_count, int tail_count) {
  return stride ? gf_load_tail(x + main_count, tail_count, 0) : gf_load(x);
}

GF_NOINLINE void forward(float *out, const float *a, const float *b, const int32_t *axes, gf_binary_kernel f) {
  gf_run_iterator runs;
  gf_begin_runs(&runs, axes);
  if (runs.length == 0) return;
  int main_count = runs.length & ~3, tail_count = runs.length - main_count;
  for (size_t r = 0; r < runs.count; r++, out += runs.length, gf_next_run(&runs)) {
    gf_f4 a_splat, b_splat;
    const float *x = broadcast_operand(a + runs.a_offset, runs.a_stride, &a_splat);
    const float *z = broadcast_operand(b + runs.b_offset, runs.b_stride, &b_splat);
    if (main_count) f(out, x, z, runs.a_stride, runs.b_stride, main_count / 4);
    if (!tail_count) continue;
    gf_f4 x_tail = load_operand_tail(x, runs.a_stride, main_count, tail_count);
    gf_f4 z_tail = load_operand_tail(z, runs.b_stride, main_count, tail_count), y;
    f((float *)&y, (const float *)&x_tail, (const float *)&z_tail, 1, 1, 1);
    gf_store_tail(out + main_count, y, tail_count);
  }
}

/* Gradients are computed in chunks that stay in the cache, then accumulated. */
enum { CHUNK = 256 };

/* Adds the gradients of a run to those of the operand, or, if it is broadcast, to their sum in double. */
GF_INLINE void accumulate_gradient(float *operand_grad, double *sum, const float *grad, int stride, int n) {
  if (stride) gf_accumulate(operand_grad, grad, n);
  else *sum += gf_sum(grad, n);
}

GF_NOINLINE void backward(float *operand_grad, int is_b, const float *dout, const float *out, const float *a,
                          const float *b, const int32_t *axes, gf_binary_grad_kernel f) {
  gf_run_iterator runs;
  gf_begin_runs(&runs, axes);
  if (!operand_grad || runs.length == 0) return;
  int main_count = runs.length & ~3, tail_count = runs.length - main_count;
  int stride = is_b ? runs.b_stride : runs.a_stride;
  float grad[CHUNK];
  for (size_t r = 0; r < runs.count; r++, dout += runs.length, out += runs.length, gf_next_run(&runs)) {
    gf_f4 a_splat, b_splat;
    const float *x = broadcast_operand(a + runs.a_offset, runs.a_stride, &a_splat);
    const float *z = broadcast_operand(b + runs.b_offset, runs.b_stride, &b_splat);
    float *destination = operand_grad + (is_b ? runs.b_offset : runs.a_offset);
    double sum = 0.0;
    for (int i = 0; i < main_count; i += CHUNK) {
      int count = main_count - i < CHUNK ? main_count - i : CHUNK;
      f(grad, dout + i, out + i, x + i * runs.a_stride, z + i * runs.b_stride, runs.a_stride, runs.b_stride, count / 4);
      accumulate_gradient(destination + i, &sum, grad, stride, count);
    }
    if (tail_count) {
      gf_f4 x_tail = load_operand_tail(x, runs.a_stride, main_count, tail_count);
      gf_f4 z_tail = load_operand_tail(z, runs.b_stride, main_count, tail_count);
      gf_f4 d = gf_load_tail(dout + main_count, tail_count, 0), y = gf_load_tail(out + main_count, tail_count, 0);
      f(grad, (const float *)&d, (const float *)&y, (const float *)&x_tail, (const float *)&z_tail, 1, 1, 1);
      accumulate_gradient(destination + main_count, &sum, grad, stride, tail_count);
    }
    if (!stride) *destination += (float)sum;
  }
}

#define DEFINE_GRAD(name, grad_expr)                                                                                \
  static void name(float *grad, const float *d_data, const float *y_data, const float *a_data, const float *b_data, \
                   int a_stride, int b_stride, int vectors) {                                                       \
    const gf_f4 one = GF_CONSTANT(1.0f);                                                                            \
    (void)one;                                                                                                      \
    for (int i = 0; i < 4 * vectors; i += 4) {                                                                      \
      gf_f4 d = gf_load(d_data + i), y = gf_load(y_data + i), a = gf_load(a_data + i * a_stride);                   \
      gf_f4 b = gf_load(b_data + i * b_stride);                                                                     \
      (void)y, (void)a, (void)b;                                                                                    \
      gf_store(grad + i, grad_expr);                                                                                \
    }                                                                                                               \
  }
#define DEFINE(name, out_expr, da_expr, db_expr)                                                                       \
  static void name##_vectors(float *out, const float *a_data, const float *b_data, int a_stride, int b_stride,         \
                             int vectors) {                                                                            \
    const gf_f4 one = GF_CONSTANT(1.0f);                                                                               \
    (void)one;                                                                                                         \
    for (int i = 0; i < 4 * vectors; i += 4) {                                                                         \
      gf_f4 a = gf_load(a_data + i * a_stride), b = gf_load(b_data + i * b_stride);                                    \
      gf_store(out + i, out_expr);                                                                                     \
    }                                                                                                                  \
  }                                                                                                                    \
  DEFINE_GRAD(name##_da, da_expr)                                                                                      \
  DEFINE_GRAD(name##_db, db_expr)                                                                                      \
  void gf_##name##_forward(float *out, const float *a, const float *b, const int32_t *axes) {                          \
    forward(out, a, b, axes, name##_vectors);                                                                          \
  }                                                                                                                    \
  void gf_##name##_backward(float *da, float *db, const float *dout, const float *out, const float *a, const float *b, \
                            const int32_t *axes) {                                                                     \
    backward(da, 0, dout, out, a, b, axes, name##_da);                                                                 \
    backward(db, 1, dout, out, a, b, axes, name##_db);                                                                 \
  }
GF_BINARY(DEFINE)
