/* matmul.h - the internal interface of the matrix product. */
#ifndef GF_MATMUL_H
#define GF_MATMUL_H

#include "../glassformer.h"

/* The layout of B. Panels hold PANEL columns each: [ceil(N/8)][K][8]; columns past N are never used. */
enum { PANEL = 8 };
typedef enum { GF_B_ROWS /* [K, N] */, GF_B_TRANSPOSED /* [N, K] */, GF_B_PANELS } gf_layout;

/* C[M,N] = init + A[M,K] B[K,N], where init is C itself (accumulate), the bias of the column, or 0. */
typedef struct {
  float *c;
  int ldc; /* row stride of C in floats, as in BLAS */
  const float *a;
  int lda;
  int a_transposed; /* A is stored as [K, M] */
  const void *b;
  int ldb; /* of panels: the K that they were packed with */
  gf_layout b_layout;
  int b_type;        /* of panels: GF_FLOAT32, GF_FLOAT16 (all finite) or GF_BFLOAT16 */
  const float *bias; /* [N] or NULL */
  int M, N, K;
  int accumulate;
  float *workspace; /* gf_matmul_workspace(M, N, K) floats; with panels of float32 (M, 0, K) */
} gf_product;

void gf_multiply(const gf_product *p);
/* Packs b [K,N], or [N,K] if transposed, with row stride ldb; panels has gf_panels_size(N, K) floats. */
void gf_pack_panels(float *panels, const float *b, int ldb, gf_layout layout, int N, int K);

#endif
