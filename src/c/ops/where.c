/* where.c - out = a where the mask holds, else b; either may be a single number (a step of 0). */
#include "../glassformer.h"

void gf_where_forward(float *out, const uint8_t *mask, const float *a, const float *b, int a_step, int b_step, int n) {
  for (int i = 0; i < n; i++) out[i] = mask[i] ? a[(size_t)i * a_step] : b[(size_t)i * b_step];
}

/* dx += dout where the mask is as wanted: true for a, false for b */
void gf_where_backward(float *dx, const float *dout, const uint8_t *mask, int expected, int n) {
  for (int i = 0; i < n; i++)
    if (!mask[i] == !expected) dx[i] += dout[i];
}
