/* where.c - out = mask ? a : b; each operand may be a single value (a step of 0). */
#include "../glassformer.h"

void gf_where_forward(float *out, const uint8_t *mask, const float *a, const float *b, int a_step, int b_step, int n) {
  for (int i = 0; i < n; i++) out[i] = mask[i] ? a[(size_t)i * a_step] : b[(size_t)i * b_step];
}

/* dx += dout where mask equals `expected`: 1 for the gradient of a, 0 for that of b */
void gf_where_backward(float *dx, const float *dout, const uint8_t *mask, int expected, int n) {
  for (int i = 0; i < n; i++)
    if (!mask[i] == !expected) dx[i] += dout[i];
}
