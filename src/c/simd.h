/* simd.h - the 128-bit SIMD operations of the kernels.
 *
 * gf_f4 holds four float32 lanes, gf_h8 eight int16 lanes, gf_b16 sixteen bytes. Only this file depends on the target:
 * it uses intrinsics for WebAssembly SIMD and the compiler's vector extension elsewhere. Both round every operation
 * separately (no fused multiply-add), so native and wasm builds compute the same bits. The build with -mrelaxed-simd
 * is the exception: there the processor may fuse multiply-adds.
 */
#ifndef GF_SIMD_H
#define GF_SIMD_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define GF_INLINE static inline __attribute__((always_inline))
/* Keeps the compiler from inlining a function into every caller. */
#define GF_NOINLINE static __attribute__((noinline))
/* Optimizes a rarely called function for size. */
#define GF_MINSIZE __attribute__((noinline, minsize))

typedef float gf_f4 __attribute__((vector_size(16)));
typedef int32_t gf_i4 __attribute__((vector_size(16)));
typedef double gf_d2 __attribute__((vector_size(16)));
typedef int16_t gf_h8 __attribute__((vector_size(16)));
typedef uint8_t gf_b16 __attribute__((vector_size(16)));
/* gf_max or gf_min. */
typedef gf_f4 (*gf_max_or_min)(gf_f4 a, gf_f4 b);

#ifdef __wasm_simd128__
#include <wasm_simd128.h>

GF_INLINE gf_f4 gf_load(const float *p) { return (gf_f4)wasm_v128_load(p); }
GF_INLINE void gf_store(float *p, gf_f4 a) { wasm_v128_store(p, (v128_t)a); }
GF_INLINE gf_f4 gf_splat(float x) { return (gf_f4)wasm_f32x4_splat(x); }
GF_INLINE gf_f4 gf_splat_at(const float *p) { return (gf_f4)wasm_v128_load32_splat(p); }
/* pmax(a, b) = b > a ? b : a: a NaN in b is ignored, a NaN in a is returned. */
GF_INLINE gf_f4 gf_max(gf_f4 a, gf_f4 b) { return (gf_f4)wasm_f32x4_pmax((v128_t)a, (v128_t)b); }
GF_INLINE gf_f4 gf_min(gf_f4 a, gf_f4 b) { return (gf_f4)wasm_f32x4_pmin((v128_t)a, (v128_t)b); }
GF_INLINE gf_f4 gf_abs(gf_f4 a) { return (gf_f4)wasm_f32x4_abs((v128_t)a); }
GF_INLINE gf_f4 gf_sqrt(gf_f4 a) { return (gf_f4)wasm_f32x4_sqrt((v128_t)a); }
GF_INLINE gf_f4 gf_select(gf_i4 mask, gf_f4 if_true, gf_f4 if_false) {
  return (gf_f4)wasm_v128_bitselect((v128_t)if_true, (v128_t)if_false, (v128_t)mask);
}
/* True if every lane of the mask is nonzero. */
GF_INLINE int gf_all_true(gf_i4 mask) { return wasm_i32x4_all_true((v128_t)mask); }
GF_INLINE gf_d2 gf_promote_low(gf_f4 a) { return (gf_d2)wasm_f64x2_promote_low_f32x4((v128_t)a); }
/* Load signed integers of 16 or 8 bits and sign-extend each to twice its width. */
GF_INLINE gf_i4 gf_load_i16x4(const void *p) { return (gf_i4)wasm_i32x4_load16x4(p); }
GF_INLINE gf_h8 gf_load_i8x8(const void *p) { return (gf_h8)wasm_i16x8_load8x8(p); }
GF_INLINE gf_f4 gf_convert_i4(gf_i4 a) { return (gf_f4)wasm_f32x4_convert_i32x4((v128_t)a); }
/* Two adjacent int16, repeated four times. */
GF_INLINE gf_h8 gf_splat_i16x2(const int16_t *p) { return (gf_h8)wasm_v128_load32_splat(p); }
/* a[0] b[0] + a[1] b[1], a[2] b[2] + a[3] b[3], ... */
GF_INLINE gf_i4 gf_dot_pairs(gf_h8 a, gf_h8 b) { return (gf_i4)wasm_i32x4_dot_i16x8((v128_t)a, (v128_t)b); }
/* Sixteen signed bytes as two vectors of int16. */
GF_INLINE void gf_extend_i8x16(gf_h8 *out, gf_b16 a) {
  out[0] = (gf_h8)wasm_i16x8_extend_low_i8x16((v128_t)a);
  out[1] = (gf_h8)wasm_i16x8_extend_high_i8x16((v128_t)a);
}
/* Hides a vector from the optimizer. LLVM 19 fails to compile such a barrier, 16 does it. */
GF_INLINE v128_t gf_opaque_vector(v128_t a) {
#if __clang_major__ < 17
  __asm__("" : "+r"(a));
#endif
  return a;
}
/* Sixteen signed bytes as four vectors of float32. Without the barriers the compiler converts lane by lane. */
GF_INLINE void gf_convert_i8x16(gf_f4 *out, gf_b16 a) {
  v128_t low = gf_opaque_vector(wasm_i16x8_extend_low_i8x16((v128_t)a));
  v128_t high = gf_opaque_vector(wasm_i16x8_extend_high_i8x16((v128_t)a));
  out[0] = gf_convert_i4((gf_i4)gf_opaque_vector(wasm_i32x4_extend_low_i16x8(low)));
  out[1] = gf_convert_i4((gf_i4)gf_opaque_vector(wasm_i32x4_extend_high_i16x8(low)));
  out[2] = gf_convert_i4((gf_i4)gf_opaque_vector(wasm_i32x4_extend_low_i16x8(high)));
  out[3] = gf_convert_i4((gf_i4)gf_opaque_vector(wasm_i32x4_extend_high_i16x8(high)));
}

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
GF_INLINE void gf_extend_i8x16(gf_h8 *out, gf_b16 a) {
  for (int i = 0; i < 16; i++) out[i / 8][i % 8] = (int8_t)a[i];
}
GF_INLINE void gf_convert_i8x16(gf_f4 *out, gf_b16 a) {
  for (int i = 0; i < 16; i++) out[i / 4][i % 4] = (float)(int8_t)a[i];
}

#endif

/* The barrier hides from the compiler that only the low half of the shuffle is used. Otherwise it leaves the other
 * lanes undefined, and V8 needs six instructions instead of one for such a shuffle. */
GF_INLINE gf_d2 gf_promote_high(gf_f4 a) {
  gf_f4 high = __builtin_shufflevector(a, a, 2, 3, 2, 3);
#ifdef __wasm_simd128__
  high = (gf_f4)gf_opaque_vector((v128_t)high);
#endif
  return gf_promote_low(high);
}
/* Four bfloat16, which are the upper halves of float32. */
GF_INLINE gf_f4 gf_load_bf16(const void *p) { return (gf_f4)(gf_load_i16x4(p) << 16); }
GF_INLINE gf_b16 gf_load_bytes(const uint8_t *p) {
  gf_b16 a;
  memcpy(&a, p, sizeof a);
  return a;
}
/* Returns p, with its value hidden from the optimizer. */
GF_INLINE const float *gf_opaque(const float *p) {
  __asm__("" : "+r"(p));
  return p;
}
/* A constant in four lanes, loaded from memory. A literal takes 18 bytes of code, and engines may rematerialize it in
 * every iteration of a loop, with three instructions. */
#define GF_CONSTANT_OF(type, x)                       \
  __extension__({                                     \
    static const type gf_value = x;                   \
    gf_splat_at(gf_opaque((const float *)&gf_value)); \
  })
#define GF_CONSTANT(x) GF_CONSTANT_OF(float, x)
#define GF_CONSTANT_BITS(x) ((gf_i4)GF_CONSTANT_OF(uint32_t, x))
/* The even or the odd elements of eight consecutive bfloat16. */
GF_INLINE gf_f4 gf_load_bf16_even(const void *p) { return (gf_f4)((gf_i4)gf_load(p) << 16); }
GF_INLINE gf_f4 gf_load_bf16_odd(const void *p) { return (gf_f4)((gf_i4)gf_load(p) & GF_CONSTANT_BITS(0xffff0000)); }
/* Four finite float16, scaled by 2^-112: the shift moves sign, exponent and mantissa to their float32 positions (mask
 * 0x8fffe000), and the exponent bias of float32 is 112 larger. */
GF_INLINE gf_f4 gf_load_f16(const void *p) { return (gf_f4)(gf_load_i16x4(p) << 13 & GF_CONSTANT_BITS(0x8fffe000)); }
/* The even or the odd elements of eight consecutive finite float16, scaled likewise. */
GF_INLINE gf_f4 gf_load_f16_even(const void *p) {
  gf_i4 shifted = gf_dot_pairs((gf_h8)gf_load(p), (gf_h8)GF_CONSTANT_BITS(1 << 13));
  return (gf_f4)(shifted & GF_CONSTANT_BITS(0x8fffe000));
}
GF_INLINE gf_f4 gf_load_f16_odd(const void *p) {
  return (gf_f4)((gf_i4)gf_load(p) >> 3 & GF_CONSTANT_BITS(0x8fffe000));
}
GF_INLINE gf_f4 gf_zero(void) { return (gf_f4){0, 0, 0, 0}; }
#ifdef __wasm_relaxed_simd__
/* One rounding or two, as the processor is faster. */
GF_INLINE gf_f4 gf_mul_add(gf_f4 a, gf_f4 b, gf_f4 c) {
  return (gf_f4)wasm_f32x4_relaxed_madd((v128_t)a, (v128_t)b, (v128_t)c);
}
/* c[0] += a left and c[1] += a right. */
GF_INLINE void gf_mul_add_pair(gf_f4 *c, gf_f4 a, gf_f4 left, gf_f4 right) {
  c[0] = gf_mul_add(a, left, c[0]);
  c[1] = gf_mul_add(a, right, c[1]);
}
#else
/* Two roundings, product then sum: the same as the scalar a * b + c without contraction. */
GF_INLINE gf_f4 gf_mul_add(gf_f4 a, gf_f4 b, gf_f4 c) { return a * b + c; }
/* c[0] += a left and c[1] += a right, with both products before both sums: in this order a processor uses more of its
 * execution units (measured on Zen 3: 7 % faster than each sum directly after its product). Current engines keep the
 * instruction order. */
GF_INLINE void gf_mul_add_pair(gf_f4 *c, gf_f4 a, gf_f4 left, gf_f4 right) {
  gf_f4 x = c[0], y = c[1], right_product = a * right, left_product = a * left;
#if defined(__wasm_simd128__) && __clang_major__ < 17
  __asm__("" : "+r"(right_product), "+r"(left_product), "+r"(x), "+r"(y));
#endif
  c[1] = y + right_product;
  c[0] = x + left_product;
}
#endif

/* Transposes a 4 x 4 matrix in place. */
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

/* Every horizontal reduction has the same fixed order: lanes 0+2 and 1+3, then their results. */
GF_INLINE float gf_sum_lanes(gf_f4 a) { return (a[0] + a[2]) + (a[1] + a[3]); }
GF_INLINE double gf_sum_lanes_double(gf_d2 a) { return a[0] + a[1]; }
GF_INLINE float gf_max_lanes(gf_f4 a) {
  float x = a[0] < a[2] ? a[2] : a[0], y = a[1] < a[3] ? a[3] : a[1];
  return x < y ? y : x;
}

/* Load and store the last n (1 to 3) elements of a row. The other lanes are set to `fill`, or not stored. */
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
/* Load and store min(n, 4) elements, n >= 1. The other lanes are set to 0, or not stored. */
GF_INLINE gf_f4 gf_load_partial(const float *p, int n) { return n < 4 ? gf_load_tail(p, n, 0) : gf_load(p); }
GF_INLINE void gf_store_partial(float *p, gf_f4 a, int n) {
  if (n < 4) gf_store_tail(p, a, n);
  else gf_store(p, a);
}

#endif
