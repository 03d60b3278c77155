/* alibi.c - attention with linear biases (ALiBi, Press et al. 2021): scores decrease with the distance.
 *
 *     out[h][i][j] = -slope[h] * |past + i - j|
 *     slope[h]     = 2^(-8 (h + 1) / H)
 *
 * if H is a power of two. Otherwise, with n the largest power of two below H, the first n slopes are those of n heads,
 * and the rest every other slope of 2n heads.
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
