/* binary.c - what the lines of binary.h call, and the loops that each of them becomes. */
#include "../math.h"
#include "axes.h"

void gf_walk_start(gf_walk *w, const int32_t *axes) {
  int rank = axes[0];
  *w = (gf_walk){.sides = axes + 1, .a_steps = axes + 1 + rank, .b_steps = axes + 1 + 2 * rank};
  w->rank = rank, w->runs = 1;
  for (int i = 0; i < rank - 1; i++) w->runs *= (size_t)w->sides[i];
  w->n = w->sides[rank - 1], w->a_step = w->a_steps[rank - 1], w->b_step = w->b_steps[rank - 1];
}

void gf_walk_on(gf_walk *w) {
  for (int i = w->rank - 2; i >= 0; i--) {
    w->a += (size_t)w->a_steps[i], w->b += (size_t)w->b_steps[i];
    if (++w->index[i] < w->sides[i]) return;
    w->a -= (size_t)w->a_steps[i] * (size_t)w->sides[i], w->b -= (size_t)w->b_steps[i] * (size_t)w->sides[i];
    w->index[i] = 0;
  }
}

/* The larger and the smaller; NaN wins. */
GF_INLINE gf_f4 larger(gf_f4 a, gf_f4 b) { return gf_select((a >= b) | (a != a), a, b); }
GF_INLINE gf_f4 smaller(gf_f4 a, gf_f4 b) { return gf_select((a <= b) | (a != a), a, b); }

/* Of two equal values each gets half, of others the one that was taken gets all. */
GF_INLINE gf_f4 share(gf_f4 d, gf_i4 loses, gf_i4 ties) {
  return gf_select(ties, d * GF_CONSTANT(0.5f), gf_select(loses, gf_zero(), d));
}

GF_INLINE gf_f4 sign(gf_f4 x) {
  return gf_select(x > gf_zero(), GF_CONSTANT(1.0f), gf_select(x < gf_zero(), GF_CONSTANT(-1.0f), gf_zero()));
}

/* out = a^b  =>  da += dout b a^(b-1),  db += dout a^b log a, nothing where the power is 0 whatever the exponent. */
GF_INLINE gf_f4 pow_slope(gf_f4 d, gf_f4 a, gf_f4 b) {
  return gf_select(b == gf_zero(), gf_zero(), d * (b * gf_pow4(a, b - GF_CONSTANT(1.0f))));
}
GF_INLINE gf_f4 pow_slope_exponent(gf_f4 d, gf_f4 a, gf_f4 b, gf_f4 y) {
  return gf_select((a == gf_zero()) & (b >= gf_zero()), gf_zero(), d * (y * gf_log4(a)));
}

/* -(b log a + (1 - b) log(1 - a)), each logarithm at least -100 so that a wrong certainty costs much and not all. */
GF_INLINE gf_f4 log_at_least(gf_f4 x) { return gf_max(gf_log4(x), GF_CONSTANT(-100.0f)); }
GF_INLINE gf_f4 surprise(gf_f4 a, gf_f4 b) {
  const gf_f4 one = GF_CONSTANT(1.0f);
  return (b - one) * gf_max(gf_log1p4(-a), GF_CONSTANT(-100.0f)) - b * log_at_least(a);
}

/* The same of a sigmoid's input, without the sigmoid: max(a, 0) - a b + log(1 + e^-|a|). */
/* ([a > 0] - b) a + log(1 + exp(-|a|)): nothing large is taken from what is as large, on either side. */
GF_INLINE gf_f4 logit_surprise(gf_f4 a, gf_f4 b) {
  gf_f4 missed = gf_select(a > gf_zero(), GF_CONSTANT(1.0f) - b, -b);
  return missed * a + gf_log1p4(gf_exp4_falling(-gf_abs(a)));
}

typedef void (*gf_pair)(float *out, const float *a, const float *b, int a_step, int b_step, int blocks);
typedef void (*gf_pair_slope)(float *change, const float *d, const float *y, const float *a, const float *b, int a_step,
                              int b_step, int blocks);

/* Where a run of an operand is read: an operand that stands still is spread over four lanes beforehand. */
GF_INLINE const float *reading(const float *x, int step, gf_f4 *still) {
  if (!step) *still = gf_splat_at(x);
  return step ? x : (const float *)still;
}
/* The last values of a run, as a block of their own. */
GF_INLINE gf_f4 ending(const float *x, int step, int whole, int left) {
  return step ? gf_load_tail(x + whole, left, 0) : gf_load(x);
}

GF_APART void forward(float *out, const float *a, const float *b, const int32_t *axes, gf_pair f) {
  gf_walk w;
  gf_walk_start(&w, axes);
  if (w.n == 0) return;
  int whole = w.n & ~3, left = w.n - whole;
  for (size_t r = 0; r < w.runs; r++, out += w.n, gf_walk_on(&w)) {
    gf_f4 a_still, b_still;
    const float *x = reading(a + w.a, w.a_step, &a_still), *z = reading(b + w.b, w.b_step, &b_still);
    if (whole) f(out, x, z, w.a_step, w.b_step, whole / 4);
    if (!left) continue;
    gf_f4 x_end = ending(x, w.a_step, whole, left), z_end = ending(z, w.b_step, whole, left), y;
    f((float *)&y, (const float *)&x_end, (const float *)&z_end, 1, 1, 1);
    gf_store_tail(out + whole, y, left);
  }
}

/* Changes are made in pieces that stay in the cache, then added. */
enum { PIECE = 256 };

/* A run's changes go to an operand value by value, or, where it stood still, as their sum, taken in double. */
GF_INLINE void deliver(float *to, double *sum, const float *change, int step, int n) {
  if (step) gf_accumulate(to, change, n);
  else *sum += gf_sum(change, n);
}

GF_APART void backward(float *to, int of_b, const float *dout, const float *out, const float *a, const float *b,
                       const int32_t *axes, gf_pair_slope f) {
  gf_walk w;
  gf_walk_start(&w, axes);
  if (!to || w.n == 0) return;
  int whole = w.n & ~3, left = w.n - whole, step = of_b ? w.b_step : w.a_step;
  float change[PIECE];
  for (size_t r = 0; r < w.runs; r++, dout += w.n, out += w.n, gf_walk_on(&w)) {
    gf_f4 a_still, b_still;
    const float *x = reading(a + w.a, w.a_step, &a_still), *z = reading(b + w.b, w.b_step, &b_still);
    float *at = to + (of_b ? w.b : w.a);
    double sum = 0.0;
    for (int i = 0; i < whole; i += PIECE) {
      int size = whole - i < PIECE ? whole - i : PIECE;
      f(change, dout + i, out + i, x + i * w.a_step, z + i * w.b_step, w.a_step, w.b_step, size / 4);
      deliver(at + i, &sum, change, step, size);
    }
    if (left) {
      gf_f4 x_end = ending(x, w.a_step, whole, left), z_end = ending(z, w.b_step, whole, left);
      gf_f4 d = gf_load_tail(dout + whole, left, 0), y = gf_load_tail(out + whole, left, 0);
      f(change, (const float *)&d, (const float *)&y, (const float *)&x_end, (const float *)&z_end, 1, 1, 1);
      deliver(at + whole, &sum, change, step, left);
    }
    if (!step) *at += (float)sum;
  }
}

#define CHANGES(name, slope)                                                                                  \
  static void name(float *change, const float *d_at, const float *y_at, const float *a_at, const float *b_at, \
                   int a_step, int b_step, int blocks) {                                                      \
    const gf_f4 one = GF_CONSTANT(1.0f);                                                                      \
    (void)one;                                                                                                \
    for (int i = 0; i < 4 * blocks; i += 4) {                                                                 \
      gf_f4 d = gf_load(d_at + i), y = gf_load(y_at + i), a = gf_load(a_at + i * a_step);                     \
      gf_f4 b = gf_load(b_at + i * b_step);                                                                   \
      (void)y, (void)a, (void)b;                                                                              \
      gf_store(change + i, slope);                                                                            \
    }                                                                                                         \
  }
#define DEFINE(name, value, a_slope, b_slope)                                                                          \
  static void name##_blocks(float *out, const float *a_at, const float *b_at, int a_step, int b_step, int blocks) {    \
    const gf_f4 one = GF_CONSTANT(1.0f);                                                                               \
    (void)one;                                                                                                         \
    for (int i = 0; i < 4 * blocks; i += 4) {                                                                          \
      gf_f4 a = gf_load(a_at + i * a_step), b = gf_load(b_at + i * b_step);                                            \
      gf_store(out + i, value);                                                                                        \
    }                                                                                                                  \
  }                                                                                                                    \
  CHANGES(name##_a, a_slope)                                                                                           \
  CHANGES(name##_b, b_slope)                                                                                           \
  void gf_##name##_forward(float *out, const float *a, const float *b, const int32_t *axes) {                          \
    forward(out, a, b, axes, name##_blocks);                                                                           \
  }                                                                                                                    \
  void gf_##name##_backward(float *da, float *db, const float *dout, const float *out, const float *a, const float *b, \
                            const int32_t *axes) {                                                                     \
    backward(da, 0, dout, out, a, b, axes, name##_a);                                                                  \
    backward(db, 1, dout, out, a, b, axes, name##_b);                                                                  \
  }
GF_BINARY(DEFINE)
