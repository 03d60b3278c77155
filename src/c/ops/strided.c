/* strided.c - values from one arrangement of axes into another: permuted, expanded, cut out, put in.
 *
 *     to[i . to_steps] = from[i . from_steps]      for every index i of the sides
 *
 * A step of 0 repeats, a negative one goes backwards. Backward of a copy is the same walk the other way, adding: where
 * a value was repeated its gradient is the sum over the copies, in their order.
 */
#include "axes.h"

void gf_strided(float *to, const float *from, const int32_t *axes, int accumulate) {
  gf_walk w;
  gf_walk_start(&w, axes);
  ptrdiff_t a = w.a_step, b = w.b_step;
  for (size_t r = 0; r < w.runs; r++, gf_walk_on(&w)) {
    float *x = to + (ptrdiff_t)w.a;
    const float *y = from + (ptrdiff_t)w.b;
    if (accumulate)
      for (int i = 0; i < w.n; i++) x[i * a] += y[i * b];
    else if (a == 1 && b == 1) memcpy(x, y, sizeof *x * (size_t)w.n);
    else
      for (int i = 0; i < w.n; i++) x[i * a] = y[i * b];
  }
}
