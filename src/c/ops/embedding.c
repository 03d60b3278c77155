/* embedding.c - lookup of rows of a table.
 *
 *     out[i] = weight[ids[i]]
 *
 * Backward: the gradient of a row is the sum over all positions that looked it up.
 */
#include "../glassformer.h"
#include "../simd.h"
#include "convert.h"

int gf_embedding_check(const int32_t *ids, int n, int V) {
  for (int i = 0; i < n; i++)
    if (ids[i] < 0 || ids[i] >= V) return i;
  return -1;
}

void gf_embedding_forward(float *out, const int32_t *ids, const float *weight, int n, int C) {
  for (int i = 0; i < n; i++) memcpy(out + (size_t)i * C, weight + (size_t)ids[i] * C, sizeof(float) * C);
}

/* Value c of row 8 p + r of the weight is at [p][c][r] of the panels. */
void gf_embedding_panels(float *out, const int32_t *ids, const void *weight, int n, int C, int type) {
  enum { PANEL = 8 };
  for (int i = 0; i < n; i++) {
    if (type == GF_INT8) {
      gf_int8_rows(out + (size_t)i * C, weight, ids[i], 1, C);
      continue;
    }
    int row_in_panel = ids[i] % PANEL;
    size_t first = (size_t)(ids[i] - row_in_panel) * C + row_in_panel;
    for (int c = 0; c < C; c++) out[(size_t)i * C + c] = (float)gf_read(weight, first + (size_t)c * PANEL, type);
  }
}

/* out[i] = weight[ids[i]]  =>  dweight[ids[i]] += dout[i] */
void gf_embedding_backward(float *dweight, const float *dout, const int32_t *ids, int padding_idx, int n, int C) {
  for (int i = 0; i < n; i++) {
    if (ids[i] == padding_idx) continue;
    float *row = dweight + (size_t)ids[i] * C;
    const float *grad = dout + (size_t)i * C;
    for (int c = 0; c < C; c++) row[c] += grad[c];
  }
}
