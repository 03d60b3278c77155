/* whole.c - arithmetic of whole numbers. What is too large goes round the clock of 32 bits. */
#include "axes.h"
#include "convert.h"

/* a^b by squaring. A negative power of a whole number is whole for 1 and -1 only; of the others it is cut off to 0. */
static uint32_t power(uint32_t a, int32_t b) {
  if (b < 0) return a == 1 ? 1u : a == UINT32_MAX ? (b & 1 ? a : 1u) : 0u;
  uint32_t y = 1;
  for (; b; b >>= 1, a *= a)
    if (b & 1) y *= a;
  return y;
}

GF_INLINE uint32_t whole(int32_t a, int32_t b, int kind) {
  switch (kind) {
    case GF_WHOLE_ADD:
      return (uint32_t)a + (uint32_t)b;
    case GF_WHOLE_SUB:
      return (uint32_t)a - (uint32_t)b;
    case GF_WHOLE_MUL:
      return (uint32_t)a * (uint32_t)b;
    case GF_WHOLE_POW:
      return power((uint32_t)a, b);
    case GF_WHOLE_MAXIMUM:
      return (uint32_t)(a > b ? a : b);
    default:
      return (uint32_t)(a < b ? a : b);
  }
}

void gf_whole(int32_t *out, const void *a, const void *b, const int32_t *axes, int a_type, int b_type, int kind) {
  gf_walk w;
  gf_walk_start(&w, axes);
  if (w.n == 0) return;
  for (size_t r = 0; r < w.runs; r++, out += w.n, gf_walk_on(&w))
    for (int i = 0; i < w.n; i++)
      out[i] = (int32_t)whole((int32_t)gf_read(a, w.a + (size_t)i * (size_t)w.a_step, a_type),
                              (int32_t)gf_read(b, w.b + (size_t)i * (size_t)w.b_step, b_type), kind);
}
