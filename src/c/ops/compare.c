/* compare.c - elementwise comparisons, 1 or 0. Nothing is equal to NaN, less than it, or greater than it. */
#include "axes.h"
#include "convert.h"

GF_INLINE int holds(double x, double y, int comparison) {
  switch (comparison) {
    case GF_EQ:
      return x == y;
    case GF_NE:
      return x != y;
    case GF_LT:
      return x < y;
    case GF_LE:
      return x <= y;
    case GF_GT:
      return x > y;
    case GF_GE:
      return x >= y;
    case GF_AND:
      return x != 0.0 && y != 0.0;
    case GF_OR:
      return x != 0.0 || y != 0.0;
    default:
      return (x != 0.0) != (y != 0.0);
  }
}

void gf_compare(uint8_t *out, const void *a, const void *b, const int32_t *axes, int a_type, int b_type,
                int comparison) {
  gf_walk w;
  gf_walk_start(&w, axes);
  if (w.n == 0) return;
  for (size_t r = 0; r < w.runs; r++, out += w.n, gf_walk_on(&w))
    for (int i = 0; i < w.n; i++)
      out[i] = (uint8_t)holds(gf_read(a, w.a + (size_t)i * (size_t)w.a_step, a_type),
                              gf_read(b, w.b + (size_t)i * (size_t)w.b_step, b_type), comparison);
}
