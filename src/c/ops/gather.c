/* gather.c - torch.gather, scatter and scatter_add along an axis.
 *
 *     picked[o][k][i] = x[o][index[o][k][i]][i]         x[outer,C,inner], picked[outer,K,inner]
 *
 * and its reverse: if an index repeats, scatter stores the last value, and scatter_add adds the values in order.
 */
#include "../glassformer.h"

void gf_gather(float *picked, float *x, const int32_t *index, int outer, int C, int inner, int K, int index_outer,
               int index_k, int index_inner, int mode) {
  for (int o = 0; o < outer; o++)
    for (int k = 0; k < K; k++, picked += inner) {
      const int32_t *at = index + (size_t)o * index_outer + (size_t)k * index_k;
      for (int i = 0; i < inner; i++) {
        float *cell = x + ((size_t)o * C + at[(size_t)i * index_inner]) * inner + i;
        if (mode == GF_GATHER) picked[i] = *cell;
        else *cell = mode == GF_SCATTER_ADD ? *cell + picked[i] : picked[i];
      }
    }
}
