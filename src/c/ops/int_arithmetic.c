/* int_arithmetic.c - elementwise arithmetic of integers, modulo 2^32; a | b is a + b - (a & b), a ^ b is a + b - 2 (a & b). */
#include "axes.h"
#include "convert.h"

/* a^b by squaring. A negative power is an integer for a = 1 and a = -1 only; for all others it is truncated to 0. */
static uint32_t int_power(uint32_t a, int32_t b) {
  if (b < 0) return a == 1 ? 1u : a == UINT32_MAX ? (b & 1 ? a : 1u) : 0u;
  uint32_t y = 1;
  for (; b; b >>= 1, a *= a)
    if (b & 1) y *= a;
  return y;
}

GF_INLINE uint32_t compute(int32_t a, int32_t b, int kind) {
  switch (kind) {
    case GF_INT_ADD:
      return (uint32_t)a + (uint32_t)b;
    case GF_INT_SUB:
      return (uint32_t)a - (uint32_t)b;
    case GF_INT_MUL:
      return (uint32_t)a * (uint32_t)b;
    case GF_INT_POW:
      return int_power((uint32_t)a, b);
    case GF_INT_MAXIMUM:
      return (uint32_t)(a > b ? a : b);
    case GF_INT_AND:
      return (uint32_t)(a & b);
    default:
      return (uint32_t)(a < b ? a : b);
  }
}

void gf_int_arithmetic(int32_t *out, const void *a, const void *b, const int32_t *axes, int a_type, int b_type,
                       int kind) {
  gf_run_iterator runs;
  gf_begin_runs(&runs, axes);
  if (runs.length == 0) return;
  for (size_t r = 0; r < runs.count; r++, out += runs.length, gf_next_run(&runs))
    for (int i = 0; i < runs.length; i++)
      out[i] = (int32_t)compute((int32_t)gf_read(a, runs.a_offset + (size_t)i * (size_t)runs.a_stride, a_type),
                                (int32_t)gf_read(b, runs.b_offset + (size_t)i * (size_t)runs.b_stride, b_type), kind);
}
