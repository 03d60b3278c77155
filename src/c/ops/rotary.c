/* rotary.c - rotary position embedding (Su et al. 2021): rotates channel pairs by angles proportional to the position.
 *
 *     angle(t, i) = position[t] * frequency[i],    frequency[i] = 1 / base^(2i/R)
 *     out[a] = x[a] cos(angle) - x[b] sin(angle)
 *     out[b] = x[b] cos(angle) + x[a] sin(angle)
 *
 * Of a head of D channels the first R are rotated, the others copied. Pair i is a = i, b = i + R/2, or, if interleaved,
 * a = 2i, b = 2i + 1. Frequencies and angles are rounded to float32, as in the training of the models that use them;
 * sine and cosine are those of the rounded angle, correct to float32.
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

/* Four channel pairs: their first and their second channels. */
typedef struct {
  gf_f4 a, b;
} pairs;

GF_INLINE pairs load_pairs(const float *x, int pair_stride) {
  gf_f4 v = gf_load(x), w = gf_load(x + (pair_stride == 1 ? 4 : pair_stride));
  if (pair_stride != 1) return (pairs){v, w};
  return (pairs){__builtin_shufflevector(v, w, 0, 2, 4, 6), __builtin_shufflevector(v, w, 1, 3, 5, 7)};
}

GF_INLINE void store_pairs(float *out, int pair_stride, pairs p) {
  int interleaved = pair_stride == 1;
  gf_store(out, interleaved ? __builtin_shufflevector(p.a, p.b, 0, 4, 1, 5) : p.a);
  gf_store(out + (interleaved ? 4 : pair_stride), interleaved ? __builtin_shufflevector(p.a, p.b, 2, 6, 3, 7) : p.b);
}

/* Rotates the pairs of a head: out = rotated x; backward, out += x rotated by the negative angle:
 *     dx[a] += dout[a] cos + dout[b] sin,    dx[b] += dout[b] cos - dout[a] sin */
GF_INLINE void rotate_head(float *out, const float *x, const float *cosines, const float *sines, int half,
                           int pair_stride, int backward) {
  float sign = backward ? -1.0f : 1.0f;
  int step = pair_stride == 1 ? 2 : 1, i = 0;
  for (; i + 4 <= half; i += 4) {
    gf_f4 c = gf_load(cosines + i), s = sign * gf_load(sines + i);
    pairs p = load_pairs(x + i * step, pair_stride), q = {p.a * c - p.b * s, p.b * c + p.a * s};
    if (backward) {
      pairs previous = load_pairs(out + i * step, pair_stride);
      q = (pairs){previous.a + q.a, previous.b + q.b};
    }
    store_pairs(out + i * step, pair_stride, q);
  }
  for (; i < half; i++) {
    const float *p = x + i * step;
    float c = cosines[i], s = sign * sines[i], a = p[0] * c - p[pair_stride] * s, b = p[pair_stride] * c + p[0] * s,
          *to = out + i * step;
    to[0] = backward ? to[0] + a : a;
    to[pair_stride] = backward ? to[pair_stride] + b : b;
  }
}

/* Copies the channels from R to D of all heads; backward, adds them. */
GF_MINSIZE void pass_rest(float *out, const float *x, size_t heads, int D, int R, int backward) {
  for (size_t i = 0; R < D && i < heads * D; i++)
    if ((int)(i % D) >= R) out[i] = backward ? out[i] + x[i] : x[i];
}

/* Rotates all heads of all rows. The tables have a row per position; `batch` is their stride in rows between batch
 * elements, or 0. */
GF_INLINE void rotate_all(float *out, const float *x, const float *cosines, const float *sines, int batch, int B, int H,
                          int T, int heads, int D, int R, int interleaved, int backward) {
  int half = R / 2;
  for (int b = 0; b < B; b++)
    for (int h = 0; h < H; h++)
      for (int t = 0; t < T; t++) {
        size_t row = ((size_t)b * batch + t) * half;
        for (int g = 0; g < heads; g++, out += D, x += D)
          if (interleaved) rotate_head(out, x, cosines + row, sines + row, half, 1, backward);
          else rotate_head(out, x, cosines + row, sines + row, half, half, backward);
      }
}

void gf_rotary_forward(float *out, const float *x, const float *cosines, const float *sines, int batch, int B, int H,
                       int T, int heads, int D, int R, int interleaved) {
  rotate_all(out, x, cosines, sines, batch, B, H, T, heads, D, R, interleaved, 0);
  pass_rest(out, x, (size_t)B * H * T * heads, D, R, 0);
}

void gf_rotary_backward(float *dx, const float *dout, const float *cosines, const float *sines, int batch, int B, int H,
                        int T, int heads, int D, int R, int interleaved) {
  rotate_all(dx, dout, cosines, sines, batch, B, H, T, heads, D, R, interleaved, 1);
  pass_rest(dx, dout, (size_t)B * H * T * heads, D, R, 1);
}
