/* random.c - PyTorch's CPU generator and sampling functions, bit for bit.
 *
 * Words come from mt19937 (Matsumoto and Nishimura 1998). A float32 uniform is made from the low 24 bits of a word, a
 * double from the low 53 bits of two words, the first of which is the high half. Normals are Box-Muller pairs. For
 * fewer than 16 values, one pair at a time is computed in double, and the generator saves the second value. From 16
 * values on, chunks of 16 float32 uniforms become eight radii and eight angles, with the single-precision logarithm and
 * sine of the Cephes library and fused multiply-adds. fma32 emulates those: a b is exact in double, and rounding the
 * double sum to float gave the same bits as a true fused multiply-add in every value compared.
 */
#include <stdbool.h>

#include "glassformer.h"
#include "math.h"
#include "simd.h"

enum { WORDS = 624, SHIFT = 397, CHUNK = 16, FEW = 8 };

/* Generator -------------------------------------------------------------------------------------------------------- */

int gf_generator_size(void) { return (int)sizeof(gf_generator); }

void gf_seed(gf_generator *g, uint32_t seed) {
  g->words[0] = seed;
  for (uint32_t j = 1; j < WORDS; j++) g->words[j] = 1812433253u * (g->words[j - 1] ^ (g->words[j - 1] >> 30)) + j;
  g->position = WORDS;
  g->has_saved_normal = 0;
  g->saved_normal = 0.0;
}

static void generate(gf_generator *g) {
  uint32_t *w = g->words;
  for (int k = 0; k < WORDS; k++) {
    uint32_t y = (w[k] & 0x80000000u) | (w[(k + 1) % WORDS] & 0x7fffffffu);
    w[k] = w[(k + SHIFT) % WORDS] ^ (y >> 1) ^ (y & 1 ? 0x9908b0dfu : 0);
  }
  g->position = 0;
}

static uint32_t next_uint32(gf_generator *g) {
  if (g->position == WORDS) generate(g);
  uint32_t y = g->words[g->position++];
  y ^= y >> 11;
  y ^= (y << 7) & 0x9d2c5680u;
  y ^= (y << 15) & 0xefc60000u;
  return y ^ (y >> 18);
}

static uint64_t next_uint64(gf_generator *g) {
  uint64_t high = next_uint32(g);
  return high << 32 | next_uint32(g);
}

/* Uniform ---------------------------------------------------------------------------------------------------------- */

static float fma32(float a, float b, float c) { return (float)((double)a * b + c); }
static float next_float(gf_generator *g) { return (float)(next_uint32(g) & 0xffffff) * 0x1p-24f; }
static double next_double(gf_generator *g) { return (double)(next_uint64(g) & 0x1fffffffffffff) * 0x1p-53; }

void gf_uniform(float *out, gf_generator *g, int n, float low, float high) {
  for (int i = 0; i < n; i++) out[i] = fma32(next_float(g), high - low, low);
}

void gf_uniform_double(double *out, gf_generator *g, int n) {
  for (int i = 0; i < n; i++) out[i] = next_double(g);
}

/* Normal ----------------------------------------------------------------------------------------------------------- */

/* Natural logarithm of a positive float that is not subnormal. */
static float cephes_log(float x) {
  static const float p[9] = {7.0376836292e-2f,  -1.1514610310e-1f, 1.1676998740e-1f,
                             -1.2420140846e-1f, 1.4249322787e-1f,  -1.6668057665e-1f,
                             2.0000714765e-1f,  -2.4999993993e-1f, 3.3333331174e-1f};
  uint32_t u = gf_bits(x);
  float e = (float)((int)(u >> 23) - 126);
  x = gf_from_bits((u & 0x807fffffu) | 0x3f000000u); /* mantissa in [1/2, 1) */
  if (x < 0.707106781186547524f) {
    e -= 1.0f;
    x = (x - 1.0f) + x;
  } else {
    x -= 1.0f;
  }
  float z = x * x, y = p[0];
  for (int k = 1; k < 9; k++) y = fma32(y, x, p[k]);
  y *= x;
  y = fma32(y, z, e * -2.12194440e-4f);
  y = fma32(-z, 0.5f, y);
  return fma32(e, 0.693359375f, x + y);
}

/* Sine and cosine of 0 <= x < 8192. */
static void cephes_sincos(float x, float *sine, float *cosine) {
  int octant = ((int)(x * 1.27323954473516f) + 1) & ~1;
  float y = (float)octant;
  x = fma32(y, -0.78515625f, x);
  x = fma32(y, -2.4187564849853515625e-4f, x);
  x = fma32(y, -3.77489497744594108e-8f, x);
  float z = x * x;
  float c = fma32(fma32(2.443315711809948e-5f, z, -1.388731625493765e-3f), z, 4.166664568298827e-2f) * z;
  c = fma32(c, z, -(z * 0.5f)) + 1.0f;
  float s = fma32(fma32(-1.9515295891e-4f, z, 8.3321608736e-3f), z, -1.6666654611e-1f) * z;
  s = fma32(s, x, x);
  float swapped_s = octant & 2 ? c : s, swapped_c = octant & 2 ? s : c;
  *sine = octant & 4 ? -swapped_s : swapped_s;
  *cosine = (octant - 2) & 4 ? swapped_c : -swapped_c;
}

/* Turns 16 uniforms into 16 normals in place: v[j] determines the radius, v[j + 8] the angle. */
static void box_muller_chunk(float *v, float mean, float std) {
  for (int j = 0; j < CHUNK / 2; j++) {
    float radius = __builtin_sqrtf(-2.0f * cephes_log(1.0f - v[j])), sine, cosine;
    cephes_sincos((float)(2.0 * GF_PI) * v[j + CHUNK / 2], &sine, &cosine);
    v[j] = fma32(radius * cosine, std, mean);
    v[j + CHUNK / 2] = fma32(radius * sine, std, mean);
  }
}

static double next_normal(gf_generator *g) {
  if (g->has_saved_normal) {
    g->has_saved_normal = 0;
    return g->saved_normal;
  }
  double uniform = next_double(g), radius = __builtin_sqrt(-2.0 * gf_log1p(-next_double(g)));
  g->saved_normal = radius * gf_sin(2.0 * GF_PI * uniform);
  g->has_saved_normal = 1;
  return radius * gf_cos(2.0 * GF_PI * uniform);
}

void gf_normal(float *out, gf_generator *g, int n, double mean, double std) {
  if (n < CHUNK) {
    for (int i = 0; i < n; i++) out[i] = (float)(next_normal(g) * std + mean);
    return;
  }
  gf_uniform(out, g, n, 0.0f, 1.0f);
  for (int i = 0; i + CHUNK <= n; i += CHUNK) box_muller_chunk(out + i, (float)mean, (float)std);
  if (n % CHUNK) { /* the last 16 values are sampled again, overwriting the end of the previous chunk */
    gf_uniform(out + n - CHUNK, g, CHUNK, 0.0f, 1.0f);
    box_muller_chunk(out + n - CHUNK, (float)mean, (float)std);
  }
}

/* Integers and masks ----------------------------------------------------------------------------------------------- */

void gf_randint(double *out, gf_generator *g, int n, double low, double range) {
  uint64_t r = (uint64_t)range;
  for (int i = 0; i < n; i++) out[i] = low + (double)(r >> 32 ? next_uint64(g) % r : next_uint32(g) % (uint32_t)r);
}

/* Fisher-Yates shuffle from the front. */
void gf_randperm(int32_t *out, gf_generator *g, int n) {
  for (int i = 0; i < n; i++) out[i] = i;
  for (int i = 0; i + 1 < n; i++) {
    int j = i + (int)(next_uint32(g) % (uint32_t)(n - i)), swapped = out[i];
    out[i] = out[j];
    out[j] = swapped;
  }
}

void gf_dropout_mask(float *mask, gf_generator *g, int n, double p) {
  float scale = 1.0f / (float)(1.0 - p);
  for (int i = 0; i < n; i++) mask[i] = next_double(g) < 1.0 - p ? scale : 0.0f;
}

void gf_bernoulli(float *out, gf_generator *g, const float *p, int n) {
  for (int i = 0; i < n; i++) out[i] = next_float(g) < p[i] ? 1.0f : 0.0f;
}

/* Whether class a ranks before class b: by score, then by number. */
static bool comes_first(const float *score, int32_t a, int32_t b) {
  return score[a] > score[b] || (score[a] == score[b] && a < b);
}

/* Restores the heap [size] from position `at` downward. */
static GF_MINSIZE void sift_down(int32_t *heap, const float *score, int size, int at) {
  int32_t moved = heap[at];
  for (int child; (child = 2 * at + 1) < size; at = child) {
    if (child + 1 < size && comes_first(score, heap[child + 1], heap[child])) child++;
    if (!comes_first(score, heap[child], moved)) break;
    heap[at] = heap[child];
  }
  heap[at] = moved;
}

/* The classes with the largest p / e, where e is exponentially distributed; a heap orders them if there are many. */
static void sample_without_replacement(int32_t *out, gf_generator *g, float *score, int32_t *heap, const float *p,
                                       int C, int n) {
  for (int c = 0; c < C; c++) score[c] = p[c] / (float)-gf_log1p(-next_double(g));
  if (n <= FEW) {
    for (int i = 0; i < n; i++) {
      int best = 0;
      for (int c = 1; c < C; c++)
        if (score[c] > score[best]) best = c;
      out[i] = best;
      score[best] = -1.0f;
    }
    return;
  }
  for (int c = 0; c < C; c++) heap[c] = c;
  for (int at = C / 2 - 1; at >= 0; at--) sift_down(heap, score, C, at);
  for (int i = 0; i < n; i++) {
    out[i] = heap[0];
    heap[0] = heap[C - 1 - i];
    sift_down(heap, score, C - 1 - i, 0);
  }
}

/* Inverts the cumulative distribution: the first class whose normalized cumulative sum is at least a uniform number. */
static void sample_with_replacement(int32_t *out, gf_generator *g, float *sums, const float *p, int C, int n) {
  float sum = 0.0f;
  for (int c = 0; c < C; c++) sums[c] = sum += p[c];
  for (int c = 0; c < C; c++) sums[c] /= sum;
  for (int i = 0; i < n; i++) {
    double sample = next_double(g);
    int low = 0, high = C - 1;
    while (low < high) {
      int middle = (low + high) / 2;
      if (sums[middle] < sample) low = middle + 1;
      else high = middle;
    }
    out[i] = low;
  }
}

void gf_multinomial(int32_t *out, gf_generator *g, float *work, int32_t *order, const float *p, int N, int C, int n,
                    int replacement) {
  for (int r = 0; r < N; r++, out += n, p += C) {
    if (replacement) sample_with_replacement(out, g, work, p, C, n);
    else sample_without_replacement(out, g, work, order, p, C, n);
  }
}
