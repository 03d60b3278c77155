/* strided.c - values from one arrangement of axes into another: permuted, expanded, cut out, put in.
 *
 *     to[i . to_steps] = from[i . from_steps]      for every index i of the sides
 *
 * A step of 0 repeats, a negative one goes backwards. Backward of a copy is the same walk the other way, adding: where
 * a value was repeated its gradient is the sum over the copies, in their order.
 */
#include "axes.h"

void gf_strided(float *to, const float *from, const int32_t *axes, int accumulate) {
  gf_run_iterator runs;
  gf_begin_runs(&runs, axes);
  ptrdiff_t a = runs.a_stride, b = runs.b_stride;
  for (size_t r = 0; r < runs.count; r++, gf_next_run(&runs)) {
    float *x = to + (ptrdiff_t)runs.a_offset;
    const float *y = from + (ptrdiff_t)runs.b_offset;
    if (accumulate)
      for (int i = 0; i < runs.length; i++) x[i * a] += y[i * b];
    else if (a == 1 && b == 1) memcpy(x, y, sizeof *x * (size_t)runs.length);
    else
      for (int i = 0; i < runs.length; i++) x[i * a] = y[i * b];
  }
}
