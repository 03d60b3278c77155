/* strided.c - values from one arrangement of axes into another: permuted, expanded, cut out, put in.
 *
 *     to[i . to_steps] = from[i . from_steps]      for every index i of the sides
 *
 * A step of 0 repeats, a negative one goes backwards. Backward of a copy is the same walk the other way, adding: where
 * a value was repeated its gradient is the sum over the copies, in their order.
 */
#include "axes.h"

void gf_strided_copy(float *out, const float *x, const int32_t *axes, int accumulate) {
  gf_run_iterator runs;
  gf_begin_runs(&runs, axes);
  ptrdiff_t out_stride = runs.a_stride, x_stride = runs.b_stride;
  for (size_t r = 0; r < runs.count; r++, gf_next_run(&runs)) {
    float *out_run = out + (ptrdiff_t)runs.a_offset;
    const float *x_run = x + (ptrdiff_t)runs.b_offset;
    if (accumulate)
      for (int i = 0; i < runs.length; i++) out_run[i * out_stride] += x_run[i * x_stride];
    else if (out_stride == 1 && x_stride == 1) memcpy(out_run, x_run, sizeof *out_run * (size_t)runs.length);
    else
      for (int i = 0; i < runs.length; i++) out_run[i * out_stride] = x_run[i * x_stride];
  }
}
