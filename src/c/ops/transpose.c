/* transpose.c - transposes two axes of a tensor: out[o][b][m][a][i] = x[o][a][m][b][i]. */
#include "../glassformer.h"
#include "../simd.h"

/* The side of a tile. Rows whose stride is a power of two map to the same set of the L1 cache, which has 8 or 12 ways,
 * so the lines of 8 rows fit. */
enum { TILE = 8 };
GF_INLINE size_t tile_end(size_t start, int side) { return start + TILE < (size_t)side ? start + TILE : (size_t)side; }

/* Runs `body` for every (o, a, m, b), with the offsets of its `inner` values in x and in the transposed tensor. */
#define GF_FOR_TRANSPOSED(body)                                                 \
  for (size_t o = 0; o < (size_t)outer; o++)                                    \
    for (size_t m = 0; m < (size_t)middle; m++)                                 \
      for (size_t a0 = 0; a0 < (size_t)A; a0 += TILE)                           \
        for (size_t b0 = 0; b0 < (size_t)B; b0 += TILE)                         \
          for (size_t a = a0; a < tile_end(a0, A); a++)                         \
            for (size_t b = b0; b < tile_end(b0, B); b++) {                     \
              size_t x_offset = (((o * A + a) * middle + m) * B + b) * inner;   \
              size_t out_offset = (((o * B + b) * middle + m) * A + a) * inner; \
              body;                                                             \
            }

/* out[b][a] = x[a][b]; strides are in floats between rows. */
GF_NOINLINE void transpose_matrix(float *out, size_t out_stride, const float *x, size_t x_stride, int A, int B) {
  for (int a = 0; a < A; a += TILE)
    for (int b = 0; b < B; b += TILE)
      if (a + TILE <= A && b + TILE <= B)
        for (int i = a; i < a + TILE; i += 4)
          for (int j = b; j < b + TILE; j += 4) {
            gf_f4 v[4];
#pragma unroll
            for (int r = 0; r < 4; r++) v[r] = gf_load(x + (i + r) * x_stride + j);
            gf_transpose4(v);
#pragma unroll
            for (int r = 0; r < 4; r++) gf_store(out + (j + r) * out_stride + i, v[r]);
          }
      else
        for (int i = a; i < A && i < a + TILE; i++)
          for (int j = b; j < B && j < b + TILE; j++) out[j * out_stride + i] = x[i * x_stride + j];
}

void gf_transpose_forward(float *out, const float *x, int outer, int A, int middle, int B, int inner) {
  if (inner != 1) {
    GF_FOR_TRANSPOSED(memcpy(out + out_offset, x + x_offset, sizeof(float) * inner))
    return;
  }
  size_t x_stride = (size_t)middle * B, out_stride = (size_t)middle * A;
  for (size_t o = 0; o < (size_t)outer; o++, x += A * x_stride, out += B * out_stride)
    for (size_t m = 0; m < (size_t)middle; m++) transpose_matrix(out + m * A, out_stride, x + m * B, x_stride, A, B);
}

/* out = x transposed  =>  dx += dout transposed */
void gf_transpose_backward(float *dx, const float *dout, int outer, int A, int middle, int B, int inner) {
  GF_FOR_TRANSPOSED(gf_accumulate(dx + x_offset, dout + out_offset, inner))
}
