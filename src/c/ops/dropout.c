/* dropout.c - while training, a value is dropped with probability p and the others grow by 1 / (1 - p), so that the
 * expected sum stays. The mask (random.c draws it) holds 0 or 1 / (1 - p):
 *
 *     out = x mask
 */
#include "../glassformer.h"

void gf_dropout_forward(float *out, const float *x, const float *mask, int n) {
  for (int i = 0; i < n; i++) out[i] = x[i] * mask[i];
}

/* out = x mask  =>  dx += dout mask */
void gf_dropout_backward(float *dx, const float *dout, const float *mask, int n) {
  for (int i = 0; i < n; i++) dx[i] += dout[i] * mask[i];
}
