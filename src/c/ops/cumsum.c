/* cumsum.c - cumulative sums along C of x [outer,C,inner], accumulated in double; each output is rounded to float32.
 *
 *     out[c] = x[0] + ... + x[c]      =>      dx[c] += dout[c] + dout[c+1] + ... + dout[C-1]
 */
#include "../glassformer.h"

void gf_cumsum_forward(float *out, const float *x, int outer, int C, int inner) {
  for (int o = 0; o < outer; o++)
    for (int i = 0; i < inner; i++) {
      size_t at = (size_t)o * C * inner + i;
      double sum = 0.0;
      for (int c = 0; c < C; c++, at += inner) out[at] = (float)(sum += x[at]);
    }
}

void gf_cumsum_backward(float *dx, const float *dout, int outer, int C, int inner) {
  for (int o = 0; o < outer; o++)
    for (int i = 0; i < inner; i++) {
      size_t at = (size_t)(o + 1) * C * inner + i;
      double sum = 0.0;
      for (int c = 0; c < C; c++) at -= inner, dx[at] += (float)(sum += dout[at]);
    }
}
