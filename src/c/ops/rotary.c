/* rotary.c - rotary position embedding (Su et al. 2021): pairs of channels turn by an angle that grows with the place.
 *
 *     angle(t, i) = position[t] * frequency[i],    frequency[i] = 1 / base^(2i/D)
 *     out[a] = x[a] cos(angle) - x[b] sin(angle)
 *     out[b] = x[b] cos(angle) + x[a] sin(angle)
 *
 * Pair i of a head of D channels is a = i, b = i + D/2 (halves), or a = 2i, b = 2i + 1 (neighbours). Frequencies and
 * angles are rounded to float32, as the models that were trained with them did; sine and cosine of the rounded angle
 * are exact to float32.
 */
#include "../glassformer.h"
#include "../math.h"

void gf_rotary_frequencies(float *out, int half, double base) {
  for (int i = 0; i < half; i++) out[i] = 1.0f / (float)gf_pow(base, (float)(2 * i) / (float)(2 * half));
}

void gf_rotary_table(float *cosines, float *sines, const int32_t *positions, const float *frequencies, int n,
                     int half) {
  for (int t = 0; t < n; t++)
    for (int i = 0; i < half; i++) {
      float angle = (float)positions[t] * frequencies[i];
      cosines[(size_t)t * half + i] = (float)gf_cos(angle);
      sines[(size_t)t * half + i] = (float)gf_sin(angle);
    }
}

/* Calls turn(out, x, cos, sin, a, b) for every pair. */
#define EACH_PAIR(TURN)                                                       \
  int half = D / 2, step = neighbours ? 2 : 1, apart = neighbours ? 1 : half; \
  for (int b = 0; b < B; b++)                                                 \
    for (int h = 0; h < H; h++)                                               \
      for (int t = 0; t < T; t++) {                                           \
        size_t row = (((size_t)b * H + h) * T + t) * heads * D;               \
        const float *c = cosines + ((size_t)b * batch + t) * half;            \
        const float *s = sines + ((size_t)b * batch + t) * half;              \
        for (int g = 0; g < heads; g++, row += D)                             \
          for (int i = 0; i < half; i++) {                                    \
            size_t p = row + (size_t)i * step, q = p + apart;                 \
            TURN                                                              \
          }                                                                   \
      }

void gf_rotary_forward(float *out, const float *x, const float *cosines, const float *sines, int batch, int B, int H,
                       int T, int heads, int D, int neighbours) {
  EACH_PAIR(out[p] = x[p] * c[i] - x[q] * s[i]; out[q] = x[q] * c[i] + x[p] * s[i];)
}

/* A rotation's derivative is the rotation back: dx[a] += dout[a] cos + dout[b] sin,  dx[b] += dout[b] cos - dout[a] sin
 */
void gf_rotary_backward(float *dx, const float *dout, const float *cosines, const float *sines, int batch, int B, int H,
                        int T, int heads, int D, int neighbours) {
  EACH_PAIR(dx[p] += dout[p] * c[i] + dout[q] * s[i]; dx[q] += dout[q] * c[i] - dout[p] * s[i];)
}
