/* transpose.c - two axes of a tensor exchanged: out[o][b][m][a][i] = x[o][a][m][b][i]. */
#include "../glassformer.h"
#include "../simd.h"

/* A square of this side is read and written in few cache lines, whichever way it lies. Rows that are a power of two
 * apart have their lines in one place of the first cache, which holds 8 or 12 of them. */
enum { TILE = 8 };
GF_INLINE size_t end_of(size_t start, int side) { return start + TILE < (size_t)side ? start + TILE : (size_t)side; }

/* Where the runs of `inner` values at (o, a, m, b) start in x and in the transposed tensor. */
#define GF_FOR_TRANSPOSED(body)                                               \
  for (size_t o = 0; o < (size_t)outer; o++)                                  \
    for (size_t m = 0; m < (size_t)middle; m++)                               \
      for (size_t a0 = 0; a0 < (size_t)A; a0 += TILE)                         \
        for (size_t b0 = 0; b0 < (size_t)B; b0 += TILE)                       \
          for (size_t a = a0; a < end_of(a0, A); a++)                         \
            for (size_t b = b0; b < end_of(b0, B); b++) {                     \
              size_t straight = (((o * A + a) * middle + m) * B + b) * inner; \
              size_t crossed = (((o * B + b) * middle + m) * A + a) * inner;  \
              body;                                                           \
            }

/* out[b][a] = x[a][b], rows of x `apart` and rows of out `out_apart` floats from each other. */
GF_NOINLINE void turn(float *out, size_t out_apart, const float *x, size_t apart, int A, int B) {
  for (int a = 0; a < A; a += TILE)
    for (int b = 0; b < B; b += TILE)
      if (a + TILE <= A && b + TILE <= B)
        for (int i = a; i < a + TILE; i += 4)
          for (int j = b; j < b + TILE; j += 4) {
            gf_f4 v[4];
#pragma unroll
            for (int r = 0; r < 4; r++) v[r] = gf_load(x + (i + r) * apart + j);
            gf_transpose4(v);
#pragma unroll
            for (int r = 0; r < 4; r++) gf_store(out + (j + r) * out_apart + i, v[r]);
          }
      else
        for (int i = a; i < A && i < a + TILE; i++)
          for (int j = b; j < B && j < b + TILE; j++) out[j * out_apart + i] = x[i * apart + j];
}

void gf_transpose_forward(float *out, const float *x, int outer, int A, int middle, int B, int inner) {
  if (inner != 1) {
    GF_FOR_TRANSPOSED(memcpy(out + crossed, x + straight, sizeof(float) * inner))
    return;
  }
  size_t apart = (size_t)middle * B, out_apart = (size_t)middle * A;
  for (size_t o = 0; o < (size_t)outer; o++, x += A * apart, out += B * out_apart)
    for (size_t m = 0; m < (size_t)middle; m++) turn(out + m * A, out_apart, x + m * B, apart, A, B);
}

/* out = x transposed  =>  dx += dout transposed back */
void gf_transpose_backward(float *dx, const float *dout, int outer, int A, int middle, int B, int inner) {
  GF_FOR_TRANSPOSED(gf_accumulate(dx + straight, dout + crossed, inner))
}
