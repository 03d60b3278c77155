/* axes.h - walking two operands and their contiguous result along any axes: [rank, sides, steps of a, steps of b].
 *
 * A step of 0 repeats the operand along that axis. The last axis is a run, along which an operand steps by 1 or 0; the
 * others are counted like the digits of a number.
 */
#ifndef GF_AXES_H
#define GF_AXES_H

#include "../glassformer.h"
#include "../simd.h"

enum { MAX_AXES = 16 };

typedef struct {
  const int32_t *sizes, *a_strides, *b_strides;
  int rank, length, a_stride, b_stride; /* of a run */
  size_t count, a_offset, b_offset;     /* how many there are; where the present one starts in the operands */
  int32_t index[MAX_AXES];
} gf_run_iterator;

void gf_begin_runs(gf_run_iterator *runs, const int32_t *axes);
/* Goes on to the next run. */
void gf_next_run(gf_run_iterator *runs);

#endif
