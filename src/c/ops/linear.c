/* linear.c - the gradient of the bias of a linear layer; the rest of y = x W^T + b is in matmul.c.
 *
 *     y[n][c] = ... + b[c]  =>  db[c] += sum over n of dy[n][c]
 */
#include "../glassformer.h"

void gf_bias_backward(float *dbias, const float *dout, int N, int C) {
  for (int n = 0; n < N; n++)
    for (int c = 0; c < C; c++) dbias[c] += dout[(size_t)n * C + c];
}
