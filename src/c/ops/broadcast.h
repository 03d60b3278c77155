/* broadcast.h - walking two operands and their contiguous result along four axes; a stride of 0 repeats an axis. */
#ifndef GF_BROADCAST_H
#define GF_BROADCAST_H

#include "../glassformer.h"
#include "../simd.h"

/* Where one run along the last axis starts in each buffer. */
typedef struct {
  size_t out, a, b;
} gf_run;

GF_INLINE int gf_runs(const int32_t *shape) { return shape[0] * shape[1] * shape[2]; }

GF_INLINE gf_run gf_run_at(int r, const int32_t *shape, const int32_t *a, const int32_t *b) {
  size_t i2 = r % shape[2], i1 = r / shape[2] % shape[1], i0 = r / shape[2] / shape[1];
  return (gf_run){(size_t)r * shape[3], i0 * a[0] + i1 * a[1] + i2 * a[2], i0 * b[0] + i1 * b[1] + i2 * b[2]};
}

#endif
