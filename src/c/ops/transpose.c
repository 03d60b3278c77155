/* transpose.c - two axes of a tensor exchanged: out[o][b][m][a][i] = x[o][a][m][b][i]. */
#include "../glassformer.h"
#include "../simd.h"

/* A square of this side is read and written in few cache lines, whichever way it lies. */
enum { TILE = 16 };
GF_INLINE size_t end_of(size_t start, int side) { return start + TILE < (size_t)side ? start + TILE : (size_t)side; }

/* Where the runs of `inner` values at (o, a, m, b) start in x and in the transposed tensor. */
#define GF_FOR_TRANSPOSED(body)                                               \
  for (size_t o = 0; o < (size_t)outer; o++)                                  \
    for (size_t m = 0; m < (size_t)middle; m++)                               \
      for (size_t a0 = 0; a0 < (size_t)A; a0 += TILE)                         \
        for (size_t b0 = 0; b0 < (size_t)B; b0 += TILE)                       \
          for (size_t a = a0; a < end_of(a0, A); a++)                         \
            for (size_t b = b0; b < end_of(b0, B); b++) {                     \
              size_t straight = (((o * A + a) * middle + m) * B + b) * inner; \
              size_t crossed = (((o * B + b) * middle + m) * A + a) * inner;  \
              body;                                                           \
            }

void gf_transpose_forward(float *out, const float *x, int outer, int A, int middle, int B, int inner) {
  /* A call for each single value would take twenty times as long as moving it. */
  if (inner == 1) GF_FOR_TRANSPOSED(out[crossed] = x[straight])
  else GF_FOR_TRANSPOSED(memcpy(out + crossed, x + straight, sizeof(float) * inner))
}

/* out = x transposed  =>  dx += dout transposed back */
void gf_transpose_backward(float *dx, const float *dout, int outer, int A, int middle, int B, int inner) {
  GF_FOR_TRANSPOSED(gf_accumulate(dx + straight, dout + crossed, inner))
}
