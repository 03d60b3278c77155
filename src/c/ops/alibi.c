/* alibi.c - attention with linear biases (Press et al. 2021): what is far away counts less, and each head has a slope.
 *
 *     out[h][i][j] = -slope[h] * |past + i - j|
 *     slope[h]     = 2^(-8 (h + 1) / H)
 *
 * for a power of two of heads. For any other H the first n are those of the largest power n below, and the rest every
 * other one of those of 2n.
 */
#include "../glassformer.h"
#include "../math.h"
#include "../simd.h"

static float head_slope(int h, int H) {
  int n = 1;
  while (2 * n <= H) n *= 2;
  return (float)gf_pow(2.0, h < n ? -8.0 * (h + 1) / n : -4.0 * (2 * (h - n) + 1) / n);
}

GF_MINSIZE void gf_alibi(float *out, int H, int Tq, int Tk, int past) {
  for (int h = 0; h < H; h++) {
    float slope = head_slope(h, H);
    for (int i = 0; i < Tq; i++)
      for (int j = 0; j < Tk; j++) {
        int distance = j - past - i;
        *out++ = -slope * (float)(distance < 0 ? -distance : distance);
      }
  }
}
