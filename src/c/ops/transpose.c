/* transpose.c - two axes of a tensor exchanged: out[o][b][m][a][i] = x[o][a][m][b][i]. */
#include "../glassformer.h"
#include "../simd.h"

/* Where the runs of `inner` values at (o, a, m, b) start in x and in the transposed tensor. */
#define GF_FOR_TRANSPOSED(body)                                                      \
  for (size_t o = 0; o < (size_t)outer; o++)                                         \
    for (size_t a = 0; a < (size_t)A; a++)                                           \
      for (size_t m = 0; m < (size_t)middle; m++)                                    \
        for (size_t b = 0; b < (size_t)B; b++) {                                     \
          size_t straight = (((o * A + a) * middle + m) * B + b) * inner;            \
          size_t crossed = (((o * B + b) * middle + m) * A + a) * inner;             \
          body;                                                                      \
        }

void gf_transpose_forward(float *out, const float *x, int outer, int A, int middle, int B, int inner) {
  GF_FOR_TRANSPOSED(memcpy(out + crossed, x + straight, sizeof(float) * inner))
}

/* out = x transposed  =>  dx += dout transposed back */
void gf_transpose_backward(float *dx, const float *dout, int outer, int A, int middle, int B, int inner) {
  GF_FOR_TRANSPOSED(gf_accumulate(dx + straight, dout + crossed, inner))
}
