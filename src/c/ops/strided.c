/* strided.c - copies between strided views: permute, expand, slice, flip and their inverses.
 *
 *     out[i . out_strides] = x[i . x_strides]      for every index i
 *
 * A stride of 0 broadcasts, a negative one reverses. The backward pass of a copy is the reverse copy with accumulation:
 * the gradient of a broadcast value is the sum over its copies, in their order.
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
