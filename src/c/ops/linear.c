/* linear.c - y = x W^T + b is a matrix product (matmul.c); what is left is the bias's share of the backward pass.
 *
 *     y[n][c] = ... + b[c]  =>  db[c] += sum over n of dy[n][c]
 */
#include "../glassformer.h"

void gf_bias_backward(float *dbias, const float *dout, int N, int C) {
  for (int n = 0; n < N; n++)
    for (int c = 0; c < C; c++) dbias[c] += dout[(size_t)n * C + c];
}
