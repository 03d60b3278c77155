/* dropout.c - in training, each value is zeroed with probability p and otherwise scaled by 1 / (1 - p), which preserves
 * the expected value. The mask, sampled in random.c, holds 0 or 1 / (1 - p):
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
