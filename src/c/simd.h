/* simd.h - the four-lane vocabulary the kernels are written in.
 *
 * gf_f4 holds four float32 lanes, gf_h8 eight integers of 16 bits. This is the only file that knows how a target spells
 * them: WebAssembly SIMD through its intrinsics, everything else through the compiler's portable vector extension. Both
 * spellings round every operation on its own (no fused multiply-add), so a native build computes the bits the wasm build
 * computes.
 */
#ifndef GF_SIMD_H
#define GF_SIMD_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define GF_INLINE static inline __attribute__((always_inline))
/* For a function that the compiler would copy into every caller. */
#define GF_NOINLINE static __attribute__((noinline))
/* For one that is seldom called: few bytes rather than few microseconds. */
#define GF_MINSIZE __attribute__((noinline, minsize))

typedef float gf_f4 __attribute__((vector_size(16)));
typedef int32_t gf_i4 __attribute__((vector_size(16)));
typedef double gf_d2 __attribute__((vector_size(16)));
typedef int16_t gf_h8 __attribute__((vector_size(16)));
/* One of two, lane by lane, such as gf_max and gf_min. */
typedef gf_f4 (*gf_max_or_min)(gf_f4 a, gf_f4 b);

#ifdef __wasm_simd128__
#include <wasm_simd128.h>

GF_INLINE gf_f4 gf_load(const float *p) { return (gf_f4)wasm_v128_load(p); }
GF_INLINE void gf_store(float *p, gf_f4 a) { wasm_v128_store(p, (v128_t)a); }
GF_INLINE gf_f4 gf_splat(float x) { return (gf_f4)wasm_f32x4_splat(x); }
GF_INLINE gf_f4 gf_splat_at(const float *p) { return (gf_f4)wasm_v128_load32_splat(p); }
/* pmax(a, b) is b > a ? b : a in one instruction; a NaN in b is ignored, a NaN in a stays. */
GF_INLINE gf_f4 gf_max(gf_f4 a, gf_f4 b) { return (gf_f4)wasm_f32x4_pmax((v128_t)a, (v128_t)b); }
GF_INLINE gf_f4 gf_min(gf_f4 a, gf_f4 b) { return (gf_f4)wasm_f32x4_pmin((v128_t)a, (v128_t)b); }
GF_INLINE gf_f4 gf_abs(gf_f4 a) { return (gf_f4)wasm_f32x4_abs((v128_t)a); }
GF_INLINE gf_f4 gf_sqrt(gf_f4 a) { return (gf_f4)wasm_f32x4_sqrt((v128_t)a); }
GF_INLINE gf_f4 gf_select(gf_i4 mask, gf_f4 if_true, gf_f4 if_false) {
  return (gf_f4)wasm_v128_bitselect((v128_t)if_true, (v128_t)if_false, (v128_t)mask);
}
/* Whether no lane of a mask is 0. */
GF_INLINE int gf_all_true(gf_i4 mask) { return wasm_i32x4_all_true((v128_t)mask); }
GF_INLINE gf_d2 gf_promote_low(gf_f4 a) { return (gf_d2)wasm_f64x2_promote_low_f32x4((v128_t)a); }
/* Integers of 16 or 8 bits from memory, each twice as wide as it was. */
GF_INLINE gf_i4 gf_load_i16x4(const void *p) { return (gf_i4)wasm_i32x4_load16x4(p); }
GF_INLINE gf_h8 gf_load_i8x8(const void *p) { return (gf_h8)wasm_i16x8_load8x8(p); }
GF_INLINE gf_f4 gf_convert_i4(gf_i4 a) { return (gf_f4)wasm_f32x4_convert_i32x4((v128_t)a); }
/* Two integers of 16 bits, four times. */
GF_INLINE gf_h8 gf_splat_i16x2(const int16_t *p) { return (gf_h8)wasm_v128_load32_splat(p); }
/* a[0] b[0] + a[1] b[1], a[2] b[2] + a[3] b[3], ... */
GF_INLINE gf_i4 gf_dot_pairs(gf_h8 a, gf_h8 b) { return (gf_i4)wasm_i32x4_dot_i16x8((v128_t)a, (v128_t)b); }

#else

GF_INLINE gf_f4 gf_load(const float *p) {
  gf_f4 a;
  memcpy(&a, p, sizeof a);
  return a;
}
GF_INLINE void gf_store(float *p, gf_f4 a) { memcpy(p, &a, sizeof a); }
GF_INLINE gf_f4 gf_splat(float x) { return (gf_f4){x, x, x, x}; }
GF_INLINE gf_f4 gf_splat_at(const float *p) { return gf_splat(*p); }
GF_INLINE gf_f4 gf_select(gf_i4 mask, gf_f4 if_true, gf_f4 if_false) {
  return (gf_f4)((mask & (gf_i4)if_true) | (~mask & (gf_i4)if_false));
}
GF_INLINE gf_f4 gf_max(gf_f4 a, gf_f4 b) { return gf_select(a < b, b, a); }
GF_INLINE gf_f4 gf_min(gf_f4 a, gf_f4 b) { return gf_select(b < a, b, a); }
GF_INLINE gf_f4 gf_abs(gf_f4 a) { return (gf_f4)((gf_i4)a & 0x7fffffff); }
GF_INLINE gf_f4 gf_sqrt(gf_f4 a) {
  return (gf_f4){__builtin_sqrtf(a[0]), __builtin_sqrtf(a[1]), __builtin_sqrtf(a[2]), __builtin_sqrtf(a[3])};
}
GF_INLINE int gf_all_true(gf_i4 mask) { return mask[0] && mask[1] && mask[2] && mask[3]; }
GF_INLINE gf_d2 gf_promote_low(gf_f4 a) { return (gf_d2){a[0], a[1]}; }
GF_INLINE gf_i4 gf_load_i16x4(const void *p) {
  int16_t a[4];
  memcpy(a, p, sizeof a);
  return (gf_i4){a[0], a[1], a[2], a[3]};
}
GF_INLINE gf_h8 gf_load_i8x8(const void *p) {
  int8_t a[8];
  memcpy(a, p, sizeof a);
  return (gf_h8){a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7]};
}
GF_INLINE gf_f4 gf_convert_i4(gf_i4 a) { return __builtin_convertvector(a, gf_f4); }
GF_INLINE gf_h8 gf_splat_i16x2(const int16_t *p) { return (gf_h8){p[0], p[1], p[0], p[1], p[0], p[1], p[0], p[1]}; }
GF_INLINE gf_i4 gf_dot_pairs(gf_h8 a, gf_h8 b) {
  gf_i4 sums;
  for (int i = 0; i < 4; i++) sums[i] = a[2 * i] * b[2 * i] + a[2 * i + 1] * b[2 * i + 1];
  return sums;
}

#endif

/* The compiler must not see that only half of what is moved down is looked at: it would leave the other half open, and V8
 * has one instruction for a move of whole halves and six for any other. */
GF_INLINE gf_d2 gf_promote_high(gf_f4 a) {
  gf_f4 high = __builtin_shufflevector(a, a, 2, 3, 2, 3);
#ifdef __wasm_simd128__
  __asm__("" : "+r"(high));
#endif
  return gf_promote_low(high);
}
/* Four bfloat16 as what they are: the upper halves of float32. */
GF_INLINE gf_f4 gf_load_bf16(const void *p) { return (gf_f4)(gf_load_i16x4(p) << 16); }
/* Where the compiler cannot look through it. */
GF_INLINE const float *gf_opaque(const float *p) {
  __asm__("" : "+r"(p));
  return p;
}
/* A constant in four lanes, read from memory. As a literal an engine may make it anew in every round of a loop, which
 * takes three instructions, and a literal takes 18 bytes. */
#define GF_CONSTANT_OF(type, x)                       \
  __extension__({                                     \
    static const type gf_value = x;                   \
    gf_splat_at(gf_opaque((const float *)&gf_value)); \
  })
#define GF_CONSTANT(x) GF_CONSTANT_OF(float, x)
#define GF_CONSTANT_BITS(x) ((gf_i4)GF_CONSTANT_OF(uint32_t, x))
/* The even and the odd ones of eight bfloat16 in a row. */
GF_INLINE gf_f4 gf_load_bf16_even(const void *p) { return (gf_f4)((gf_i4)gf_load(p) << 16); }
GF_INLINE gf_f4 gf_load_bf16_odd(const void *p) { return (gf_f4)((gf_i4)gf_load(p) & GF_CONSTANT_BITS(0xffff0000)); }
/* Four finite float16 times 2^-112: their bits, 0x8fffe000, where a float32 has them, whose exponents begin 112 lower. */
GF_INLINE gf_f4 gf_load_f16(const void *p) { return (gf_f4)(gf_load_i16x4(p) << 13 & GF_CONSTANT_BITS(0x8fffe000)); }
GF_INLINE gf_f4 gf_zero(void) { return (gf_f4){0, 0, 0, 0}; }
/* Two roundings, product then sum: the same as the scalar a * b + c without contraction. */
GF_INLINE gf_f4 gf_mul_add(gf_f4 a, gf_f4 b, gf_f4 c) { return a * b + c; }
/* c[0] += a left and c[1] += a right, both products before both sums: in pairs a processor finds work for all its units
 * (measured on Zen 3: 7 % more than with each sum behind its product). Engines of today keep the order they are given. */
GF_INLINE void gf_mul_add_pair(gf_f4 *c, gf_f4 a, gf_f4 left, gf_f4 right) {
  gf_f4 x = c[0], y = c[1], right_product = a * right, left_product = a * left;
#ifdef __wasm_simd128__
  __asm__("" : "+r"(right_product), "+r"(left_product), "+r"(x), "+r"(y));
#endif
  c[1] = y + right_product;
  c[0] = x + left_product;
}

/* Four rows of four values each become four columns. */
GF_INLINE void gf_transpose4(gf_f4 *v) {
  gf_f4 ab_low = __builtin_shufflevector(v[0], v[1], 0, 4, 1, 5);
  gf_f4 ab_high = __builtin_shufflevector(v[0], v[1], 2, 6, 3, 7);
  gf_f4 cd_low = __builtin_shufflevector(v[2], v[3], 0, 4, 1, 5);
  gf_f4 cd_high = __builtin_shufflevector(v[2], v[3], 2, 6, 3, 7);
  v[0] = __builtin_shufflevector(ab_low, cd_low, 0, 1, 4, 5);
  v[1] = __builtin_shufflevector(ab_low, cd_low, 2, 3, 6, 7);
  v[2] = __builtin_shufflevector(ab_high, cd_high, 0, 1, 4, 5);
  v[3] = __builtin_shufflevector(ab_high, cd_high, 2, 3, 6, 7);
}

/* One fixed order for every horizontal reduction: lanes 0+2 and 1+3, then those two. */
GF_INLINE float gf_sum_lanes(gf_f4 a) { return (a[0] + a[2]) + (a[1] + a[3]); }
GF_INLINE double gf_sum_lanes_double(gf_d2 a) { return a[0] + a[1]; }
GF_INLINE float gf_max_lanes(gf_f4 a) {
  float x = a[0] < a[2] ? a[2] : a[0], y = a[1] < a[3] ? a[3] : a[1];
  return x < y ? y : x;
}

/* Tails: the last n (1 to 3) elements of a row, as lanes filled up with `fill`, and back. */
GF_INLINE gf_f4 gf_load_tail(const float *p, int n, float fill) {
  gf_f4 a = gf_splat(fill);
  a[0] = p[0];
  if (n > 1) a[1] = p[1];
  if (n > 2) a[2] = p[2];
  return a;
}
GF_INLINE void gf_store_tail(float *p, gf_f4 a, int n) {
  p[0] = a[0];
  if (n > 1) p[1] = a[1];
  if (n > 2) p[2] = a[2];
}
/* The first n of four, or all where there are more, and zeros after them; and back. */
GF_INLINE gf_f4 gf_load_partial(const float *p, int n) { return n < 4 ? gf_load_tail(p, n, 0) : gf_load(p); }
GF_INLINE void gf_store_partial(float *p, gf_f4 a, int n) {
  if (n < 4) gf_store_tail(p, a, n);
  else gf_store(p, a);
}

#endif
