/* axes.h - iteration over two strided operands a and b and a contiguous result.
 *
 * `axes` is [rank, sizes, strides of a, strides of b].
 *
 * A stride of 0 broadcasts the operand along that axis. The iterator visits runs: index ranges along the last axis.
 */
#ifndef GF_AXES_H
#define GF_AXES_H

#include "../glassformer.h"
#include "../simd.h"

enum { MAX_AXES = 16 };

typedef struct {
  const int32_t *sizes, *a_strides, *b_strides;
  int rank, length, a_stride, b_stride; /* of the last axis */
  size_t count, a_offset, b_offset;     /* the number of runs; the offsets of the current run in the operands */
  int32_t index[MAX_AXES];
} gf_run_iterator;

void gf_begin_runs(gf_run_iterator *runs, const int32_t *axes);
/* Advances to the next run. */
void gf_next_run(gf_run_iterator *runs);

#endif
