/* matmul.h - the matrix product as the other kernels call it; matmul.c says how it works. */
#ifndef GF_MATMUL_H
#define GF_MATMUL_H

#include "../glassformer.h"

/* How B lies in memory. Panels hold PANEL columns each, k by k: [ceil(N/8)][K][8]; what
 * stands in columns past N is never used. */
enum { PANEL = 8 };
typedef enum { GF_B_ROWS /* [K, N] */, GF_B_TRANSPOSED /* [N, K] */, GF_B_PANELS } gf_layout;

/* C[M,N] = start + A[M,K] B[K,N], where start is C itself (accumulate), the bias of the column, or 0. */
typedef struct {
  float *c;
  int ldc; /* floats from one row of C to the next */
  const float *a;
  int lda;
  int a_transposed; /* A is stored as [K, M] */
  const void *b;
  int ldb; /* for panels: the K they were packed with */
  gf_layout b_layout;
  int b_type;        /* of panels: GF_FLOAT32, GF_FLOAT16 (all finite) or GF_BFLOAT16 */
  const float *bias; /* [N] or NULL */
  int M, N, K;
  int accumulate;
  float *workspace; /* gf_matmul_workspace(M, N, K) floats; with panels of float32 (M, 0, K) */
} gf_product;

void gf_multiply(const gf_product *p);
/* Packs b [K, N], or [N, K] transposed, its rows ldb floats apart; panels has gf_panels_size(N, K) floats. */
void gf_pack_panels(float *panels, const float *b, int ldb, gf_layout layout, int N, int K);

#endif
