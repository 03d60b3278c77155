/* unary.c - what the lines of unary.h call, and the loop that each of them becomes. */
#include "../glassformer.h"
#include "../math.h"

GF_INLINE gf_f4 floor4(gf_f4 x) {
  return (gf_f4){__builtin_floorf(x[0]), __builtin_floorf(x[1]), __builtin_floorf(x[2]), __builtin_floorf(x[3])};
}
/* Halves go to the even neighbour. */
GF_INLINE gf_f4 round4(gf_f4 x) {
  return (gf_f4){__builtin_rintf(x[0]), __builtin_rintf(x[1]), __builtin_rintf(x[2]), __builtin_rintf(x[3])};
}

/* -1, 0 or 1; 0 of NaN, as in PyTorch. */
GF_INLINE gf_f4 sign(gf_f4 x) {
  return gf_select(x > gf_zero(), GF_CONSTANT(1.0f), gf_select(x < gf_zero(), GF_CONSTANT(-1.0f), gf_zero()));
}

/* out = x s(x)  =>  dx += dout s (1 + x (1 - s)) */
GF_INLINE gf_f4 silu_slope(gf_f4 x) {
  gf_f4 s = gf_sigmoid4(x);
  return s * (GF_CONSTANT(1.0f) + x * (GF_CONSTANT(1.0f) - s));
}

/* log(1 + e^(beta x)) / beta, and x itself where beta x is above the threshold: there they are the same in float32. */
GF_INLINE gf_f4 softplus(gf_f4 x, gf_f4 beta, gf_f4 threshold) {
  gf_f4 scaled = x * beta;
  return gf_select(scaled > threshold, x, gf_log1p4(gf_exp4(gf_min(scaled, threshold))) / beta);
}

typedef void (*gf_curve)(float *out, const float *x, int blocks, float p, float q);
typedef void (*gf_slope)(float *change, const float *d, const float *x, const float *y, int blocks, float p, float q);

/* The last values that fill no block go through a block of their own. */
GF_APART void forward(float *out, const float *x, int n, float p, float q, gf_curve f) {
  int whole = n & ~3, left = n - whole;
  f(out, x, whole / 4, p, q);
  if (!left) return;
  gf_f4 last = gf_load_tail(x + whole, left, 0), y;
  f((float *)&y, (const float *)&last, 1, p, q);
  gf_store_tail(out + whole, y, left);
}

/* Changes are made in pieces that stay in the cache, then added. */
enum { PIECE = 256 };

GF_APART void backward(float *dx, const float *dout, const float *x, const float *y, int n, float p, float q,
                       gf_slope f) {
  float change[PIECE];
  int whole = n & ~3, left = n - whole;
  for (int i = 0; i < whole; i += PIECE) {
    int size = whole - i < PIECE ? whole - i : PIECE;
    f(change, dout + i, x + i, y + i, size / 4, p, q);
    gf_accumulate(dx + i, change, size);
  }
  if (!left) return;
  gf_f4 d = gf_load_tail(dout + whole, left, 0), v = gf_load_tail(x + whole, left, 0);
  gf_f4 w = gf_load_tail(y + whole, left, 0);
  f(change, (const float *)&d, (const float *)&v, (const float *)&w, 1, p, q);
  gf_accumulate(dx + whole, change, left);
}

#define DEFINE(name, value, slope)                                                                                   \
  static void name##_blocks(float *out, const float *x_at, int blocks, float p_is, float q_is) {                     \
    const gf_f4 one = GF_CONSTANT(1.0f), p = gf_splat(p_is), q = gf_splat(q_is);                                     \
    (void)one, (void)p, (void)q;                                                                                     \
    for (int i = 0; i < 4 * blocks; i += 4) {                                                                        \
      gf_f4 x = gf_load(x_at + i);                                                                                   \
      gf_store(out + i, value);                                                                                      \
    }                                                                                                                \
  }                                                                                                                  \
  static void name##_changes(float *change, const float *d_at, const float *x_at, const float *y_at, int blocks,     \
                             float p_is, float q_is) {                                                               \
    const gf_f4 one = GF_CONSTANT(1.0f), p = gf_splat(p_is), q = gf_splat(q_is);                                     \
    (void)one, (void)p, (void)q;                                                                                     \
    for (int i = 0; i < 4 * blocks; i += 4) {                                                                        \
      gf_f4 d = gf_load(d_at + i), x = gf_load(x_at + i), y = gf_load(y_at + i);                                     \
      (void)x, (void)y;                                                                                              \
      gf_store(change + i, slope);                                                                                   \
    }                                                                                                                \
  }                                                                                                                  \
  void gf_##name##_forward(float *out, const float *x, int n, float p, float q) {                                    \
    forward(out, x, n, p, q, name##_blocks);                                                                         \
  }                                                                                                                  \
  void gf_##name##_backward(float *dx, const float *dout, const float *x, const float *y, int n, float p, float q) { \
    backward(dx, dout, x, y, n, p, q, name##_changes);                                                               \
  }
GF_UNARY(DEFINE)
