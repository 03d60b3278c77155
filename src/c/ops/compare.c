/* compare.c - elementwise comparisons and logical operations. Comparisons with NaN are false, except GF_NE. */
#include "axes.h"
#include "convert.h"

GF_INLINE int compare(double x, double y, int comparison) {
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
  gf_run_iterator runs;
  gf_begin_runs(&runs, axes);
  if (runs.length == 0) return;
  for (size_t r = 0; r < runs.count; r++, out += runs.length, gf_next_run(&runs))
    for (int i = 0; i < runs.length; i++)
      out[i] = (uint8_t)compare(gf_read(a, runs.a_offset + (size_t)i * (size_t)runs.a_stride, a_type),
                                gf_read(b, runs.b_offset + (size_t)i * (size_t)runs.b_stride, b_type), comparison);
}
