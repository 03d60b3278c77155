/* blocks.h - the public interface of the kernels for weights in GGUF's blocks.
 *
 * They are a module of their own, glassformer.blocks.wasm, which JavaScript loads with the first such weight and which
 * works in the memory of the other kernels. So it must have no data of its own and use no stack. The conventions are
 * those of glassformer.h.
 */
#ifndef GF_BLOCKS_H
#define GF_BLOCKS_H

#include "../glassformer.h"

/* The formats of blocks; src/js/engine/constants.js has the same numbers. */
enum { GF_Q8_0 = 16, GF_Q4_0 = 17, GF_Q4_1 = 18, GF_Q5_0 = 19, GF_Q5_1 = 20, GF_Q4_K = 21, GF_Q5_K = 22, GF_Q6_K = 23 };

/* The bytes of some rows of a weight. */
GF_EXPORT double gf_blocks_size(int rows, int K, int type);
/* Floats of workspace for M rows of x and one weight with rows of K values; M = 0 is for the functions without x. */
GF_EXPORT double gf_blocks_workspace(int M, int K);
/* out [count,K] = rows first .. first + count of a weight [N,K] as float32. K is a multiple of the values of a block. */
GF_EXPORT void gf_blocks_rows(float *out, float *workspace, const uint8_t *weight, int first, int count, int K,
                              int type);
/* Converts rows first .. first + count of a weight [N,K] from float32, to GF_Q8_0, GF_Q4_0 or GF_Q4_K. Returns the first of
 * the rows with a magnitude that is not below 2^18, or -1. */
GF_EXPORT int gf_blocks_pack(uint8_t *weight, float *workspace, const float *rows, int first, int count, int K,
                             int type);
/* out [n,K] = the rows ids [n] of a weight, as gf_embedding_forward. */
GF_EXPORT void gf_blocks_embedding(float *out, float *workspace, const int32_t *ids, const uint8_t *weight, int n,
                                   int K, int type);
/* out [M,N] = x [M,K] W^T + bias [N] (NULL: none) for a weight W [N,K]. x is rounded as by gf_int8_rounded, to integers up
 * to 16383 for GF_Q6_K and 32767 for the others.
 * A row of x gives the same bits alone and together with others. */
GF_EXPORT void gf_blocks_product(float *out, float *workspace, const float *x, const uint8_t *weight, const float *bias,
                                 int M, int N, int K, int type);

#endif
