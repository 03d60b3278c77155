/* The limits of one core in wasm: arithmetic in registers only, and memory traffic. The benchmarks measure them in the
 * same run as the kernels, so that "percent of the limit" refers to this machine under its current load. */
#include <stdint.h>
#include <wasm_simd128.h>

#define EXPORT __attribute__((visibility("default"), used))
enum { PAGE = 65536 };

/* The address of `bytes` more bytes of memory, all zero. */
EXPORT void *limit_block(uint32_t bytes) {
  return (void *)(__builtin_wasm_memory_grow(0, (bytes + PAGE - 1) / PAGE) * PAGE);
}

/* 12 chains of x = x * factor + term, 4 lanes each: 96 operations a round. With two constants they take 14 of the 16
 * vector registers that x86 has, and 12 chains hide the latency of a multiplication and an addition. */
EXPORT float limit_multiply_add(int32_t rounds, float factor, float term) {
  const v128_t f = wasm_f32x4_splat(factor), t = wasm_f32x4_splat(term);
  v128_t x[12];
  for (int i = 0; i < 12; i++) x[i] = wasm_f32x4_splat((float)i);
  for (int32_t round = 0; round < rounds; round++) {
#pragma clang loop unroll(full)
    for (int i = 0; i < 12; i++) x[i] = wasm_f32x4_add(wasm_f32x4_mul(x[i], f), t);
  }
  for (int i = 1; i < 12; i++) x[0] = wasm_f32x4_add(x[0], x[i]);
  return wasm_f32x4_extract_lane(x[0], 0) + wasm_f32x4_extract_lane(x[0], 3);
}

/* The sum of `floats` values, a multiple of 32. Eight accumulators hide the latency of additions. */
EXPORT float limit_read(const float *values, int32_t floats) {
  v128_t sum[8];
  for (int i = 0; i < 8; i++) sum[i] = wasm_f32x4_splat(0);
  for (int32_t at = 0; at < floats; at += 32) {
#pragma clang loop unroll(full)
    for (int i = 0; i < 8; i++) sum[i] = wasm_f32x4_add(sum[i], wasm_v128_load(values + at + 4 * i));
  }
  for (int i = 1; i < 8; i++) sum[0] = wasm_f32x4_add(sum[0], sum[i]);
  return wasm_f32x4_extract_lane(sum[0], 0) + wasm_f32x4_extract_lane(sum[0], 3);
}

/* out = a, of a multiple of 32 values. */
EXPORT void limit_copy(float *out, const float *a, int32_t floats) {
  for (int32_t at = 0; at < floats; at += 32)
#pragma clang loop unroll(full)
    for (int i = 0; i < 32; i += 4) wasm_v128_store(out + at + i, wasm_v128_load(a + at + i));
}

/* out = a + b */
EXPORT void limit_add(float *out, const float *a, const float *b, int32_t floats) {
  for (int32_t at = 0; at < floats; at += 32)
#pragma clang loop unroll(full)
    for (int i = 0; i < 32; i += 4)
      wasm_v128_store(out + at + i, wasm_f32x4_add(wasm_v128_load(a + at + i), wasm_v128_load(b + at + i)));
}
