/* unary.c - the functions that the lines of unary.h call, and the loops generated from each line. */
#include "../glassformer.h"
#include "../math.h"

GF_INLINE gf_f4 floor4(gf_f4 x) {
  return (gf_f4){__builtin_floorf(x[0]), __builtin_floorf(x[1]), __builtin_floorf(x[2]), __builtin_floorf(x[3])};
}
/* Rounds to nearest, ties to even. */
GF_INLINE gf_f4 round4(gf_f4 x) {
  return (gf_f4){__builtin_rintf(x[0]), __builtin_rintf(x[1]), __builtin_rintf(x[2]), __builtin_rintf(x[3])};
}

/* -1, 0 or 1; 0 for NaN, as in PyTorch. */
GF_INLINE gf_f4 sign(gf_f4 x) {
  return gf_select(x > gf_zero(), GF_CONSTANT(1.0f), gf_select(x < gf_zero(), GF_CONSTANT(-1.0f), gf_zero()));
}

/* out = x s(x)  =>  dx += dout s (1 + x (1 - s)) */
GF_INLINE gf_f4 silu_derivative(gf_f4 x) {
  gf_f4 s = gf_sigmoid4(x);
  return s * (GF_CONSTANT(1.0f) + x * (GF_CONSTANT(1.0f) - s));
}

/* log(1 + e^(beta x)) / beta, and x if beta x is above the threshold, as in PyTorch. */
GF_INLINE gf_f4 softplus(gf_f4 x, gf_f4 beta, gf_f4 threshold) {
  gf_f4 scaled = x * beta;
  return gf_select(scaled > threshold, x, gf_log1p4(gf_exp4(gf_min(scaled, threshold))) / beta);
}

typedef void (*gf_unary_kernel)(float *out, const float *x, int vectors, float p, float q);
typedef void (*gf_unary_grad_kernel)(float *grad, const float *d, const float *x, const float *y, int vectors, float p,
                                     float q);

/* Applies f to full vectors, then to the tail in a vector of its own. */
GF_NOINLINE void forward(float *out, const float *x, int n, float p, float q, gf_unary_kernel f) {
  int main_count = n & ~3, tail_count = n - main_count;
  f(out, x, main_count / 4, p, q);
  if (!tail_count) return;
  gf_f4 tail = gf_load_tail(x + main_count, tail_count, 0), y;
  f((float *)&y, (const float *)&tail, 1, p, q);
  gf_store_tail(out + main_count, y, tail_count);
}

/* Gradients are computed in chunks that stay in the cache, then accumulated. */
enum { CHUNK = 256 };

GF_NOINLINE void backward(float *dx, const float *dout, const float *x, const float *y, int n, float p, float q,
                          gf_unary_grad_kernel f) {
  float grad[CHUNK];
  int main_count = n & ~3, tail_count = n - main_count;
  for (int i = 0; i < main_count; i += CHUNK) {
    int count = main_count - i < CHUNK ? main_count - i : CHUNK;
    f(grad, dout + i, x + i, y + i, count / 4, p, q);
    gf_accumulate(dx + i, grad, count);
  }
  if (!tail_count) return;
  gf_f4 d = gf_load_tail(dout + main_count, tail_count, 0), v = gf_load_tail(x + main_count, tail_count, 0);
  gf_f4 w = gf_load_tail(y + main_count, tail_count, 0);
  f(grad, (const float *)&d, (const float *)&v, (const float *)&w, 1, p, q);
  gf_accumulate(dx + main_count, grad, tail_count);
}

#define DEFINE(name, out_expr, dx_expr)                                                                              \
  static void name##_vectors(float *out, const float *x_data, int vectors, float p_value, float q_value) {           \
    const gf_f4 one = GF_CONSTANT(1.0f), p = gf_splat(p_value), q = gf_splat(q_value);                               \
    (void)one, (void)p, (void)q;                                                                                     \
    for (int i = 0; i < 4 * vectors; i += 4) {                                                                       \
      gf_f4 x = gf_load(x_data + i);                                                                                 \
      gf_store(out + i, out_expr);                                                                                   \
    }                                                                                                                \
  }                                                                                                                  \
  static void name##_gradients(float *grad, const float *d_data, const float *x_data, const float *y_data,           \
                               int vectors, float p_value, float q_value) {                                          \
    const gf_f4 one = GF_CONSTANT(1.0f), p = gf_splat(p_value), q = gf_splat(q_value);                               \
    (void)one, (void)p, (void)q;                                                                                     \
    for (int i = 0; i < 4 * vectors; i += 4) {                                                                       \
      gf_f4 d = gf_load(d_data + i), x = gf_load(x_data + i), y = gf_load(y_data + i);                               \
      (void)x, (void)y;                                                                                              \
      gf_store(grad + i, dx_expr);                                                                                   \
    }                                                                                                                \
  }                                                                                                                  \
  void gf_##name##_forward(float *out, const float *x, int n, float p, float q) {                                    \
    forward(out, x, n, p, q, name##_vectors);                                                                        \
  }                                                                                                                  \
  void gf_##name##_backward(float *dx, const float *dout, const float *x, const float *y, int n, float p, float q) { \
    backward(dx, dout, x, y, n, p, q, name##_gradients);                                                             \
  }
GF_UNARY(DEFINE)
