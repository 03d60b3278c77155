/* softmax.c - softmax over rows of C:
 *
 *     out[i] = exp(x[i] - max) / sum over j of exp(x[j] - max)
 *
 * Subtracting the maximum keeps the exponentials finite and cancels out in the quotient.
 */
#include "softmax.h"

#include "../glassformer.h"

void gf_softmax_forward(float *out, const float *x, int N, int C) {
  for (int n = 0; n < N; n++) gf_row_softmax(out + (size_t)n * C, x + (size_t)n * C, C);
}

/* out = softmax(x)  =>  dx[i] += out[i] (dout[i] - sum over j of dout[j] out[j]) */
void gf_softmax_backward(float *dx, const float *dout, const float *out, int N, int C) {
  for (int n = 0; n < N; n++, dx += C, dout += C, out += C) {
    float mean = gf_row_dot(dout, out, C);
    for (int i = 0; i < C; i++) dx[i] += out[i] * (dout[i] - mean);
  }
}
