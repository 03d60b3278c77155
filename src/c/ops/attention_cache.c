/* attention_cache.c - the KV cache, stored as the panels that the matrix products of attention read.
 *
 * A key is a column of the panels of q k^T and a value a row of the panels of weights v, so a new token is written in
 * place and nothing cached is moved or packed again.
 */
#include "matmul.h"

double gf_cache_block_size(int capacity, int D, int flags) {
  return flags & GF_CACHE_VALUES ? gf_panels_size(D, capacity) : gf_panels_size(capacity, D);
}

/* The index of channel d of position t in a block. */
static size_t cell_index(int t, int d, int capacity, int D, int flags) {
  return flags & GF_CACHE_VALUES ? ((size_t)(d / PANEL) * capacity + t) * PANEL + d % PANEL
                                 : ((size_t)(t / PANEL) * D + d) * PANEL + t % PANEL;
}

void gf_cache_copy(float *cache, float *rows, const gf_strides *strides, int B, int H, int first, int T, int capacity,
                   int D, int flags) {
  size_t block = (size_t)gf_cache_block_size(capacity, D, flags);
  for (int b = 0; b < B; b++)
    for (int h = 0; h < H; h++, cache += block)
      for (int t = 0; t < T; t++) {
        float *row = rows + (size_t)b * strides->batch + (size_t)h * strides->head + (size_t)t * strides->time;
        for (int d = 0; d < D; d++) {
          float *cell = cache + cell_index(first + t, d, capacity, D, flags);
          if (flags & GF_CACHE_READ) row[d] = *cell;
          else *cell = row[d];
        }
      }
}
