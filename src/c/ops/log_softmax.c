/* log_softmax.c - log-softmax over rows of C:
 *
 *     out[i] = (x[i] - max) - log(sum over j of exp(x[j] - max))
 */
#include "../glassformer.h"
#include "softmax.h"

void gf_log_softmax_forward(float *out, const float *x, int N, int C) {
  for (int n = 0; n < N; n++, out += C, x += C) {
    float max = gf_row_max(x, C), log_sum = (float)gf_log(gf_row_exp(out, x, C, max));
    for (int i = 0; i < C; i++) out[i] = (x[i] - max) - log_sum;
  }
}

/* out[i] = x[i] - log sum exp x  =>  dx[i] += dout[i] - softmax(x)[i] sum over j of dout[j] */
void gf_log_softmax_backward(float *dx, const float *dout, const float *out, int N, int C) {
  for (int n = 0; n < N; n++, dx += C, dout += C, out += C) {
    float sum = (float)gf_sum(dout, C);
    for (int i = 0; i < C; i++) dx[i] += dout[i] - gf_exp1(out[i]) * sum;
  }
}
