/* reduce_columns.c - reductions of the columns of x [R,C]: sum, mean, variance, standard deviation, max, min.
 *
 * Rows are read in memory order, in strips of columns whose sums stay in the cache (strips of less than two pages were
 * read half as fast). Sums read one row of each quarter of x at a time: four distant streams are 50 % faster than one,
 * while adjacent rows are not (measured on Zen 3). As in reduce.c, sums are in double and NaN propagates.
 */
#include "../glassformer.h"
#include "sum.h"

enum { STRIP = 4096, STREAMS = 4 };

GF_INLINE gf_d2 load_doubles(const double *p) {
  gf_d2 a;
  memcpy(&a, p, sizeof a);
  return a;
}
GF_INLINE void store_doubles(double *p, gf_d2 a) { memcpy(p, &a, sizeof a); }

/* sums[c] += the terms of column c of a few rows, which are row_stride floats apart. */
GF_INLINE void add_rows(double *sums, const float *x, int rows, size_t row_stride, int width, gf_term term,
                        const double *means) {
  int c = 0;
  for (; c + 4 <= width; c += 4) {
    gf_d2 low = load_doubles(sums + c), high = load_doubles(sums + c + 2);
#pragma unroll
    for (int r = 0; r < rows; r++) {
      gf_f4 v = gf_load(x + (size_t)r * row_stride + c);
      low += term(gf_promote_low(v), load_doubles(means + c));
      high += term(gf_promote_high(v), load_doubles(means + c + 2));
    }
    store_doubles(sums + c, low);
    store_doubles(sums + c + 2, high);
  }
  for (; c < width; c++)
    for (int r = 0; r < rows; r++)
      sums[c] += term((gf_d2){x[(size_t)r * row_stride + c], 0.0}, load_doubles(means + c))[0];
}

/* sums[c] = the sum of the terms of column c, for `width` columns. */
GF_INLINE void sum_strip(double *sums, const float *x, int R, int C, int width, gf_term term, const double *means) {
  int quarter = R / STREAMS;
  for (int c = 0; c < width; c++) sums[c] = 0.0;
  for (int r = 0; r < quarter; r++) add_rows(sums, x + (size_t)r * C, STREAMS, (size_t)quarter * C, width, term, means);
  for (int r = quarter * STREAMS; r < R; r++) add_rows(sums, x + (size_t)r * C, 1, 0, width, term, means);
}

static void sums_and_moments(float *out, const float *x, int R, int C, int width, int kind, double correction) {
  double sums[STRIP], means[STRIP + 1], dof = R - correction;
  means[width] = 0.0; /* loaded together with the last mean if width is odd */
  sum_strip(sums, x, R, C, width, gf_identity, means);
  if (kind == GF_VAR || kind == GF_STD) {
    for (int c = 0; c < width; c++) means[c] = sums[c] / R;
    sum_strip(sums, x, R, C, width, gf_squared_distance, means);
  }
  for (int c = 0; c < width; c++) {
    double var = sums[c] / (dof > 0.0 ? dof : 0.0);
    out[c] = (float)(kind == GF_SUM    ? sums[c]
                     : kind == GF_MEAN ? sums[c] / R
                     : kind == GF_VAR  ? var
                                       : __builtin_sqrt(var));
  }
}

/* Copies the NaNs of a row, which gf_max and gf_min ignore, to out. */
GF_NOINLINE void copy_nans(float *out, const float *x, int width) {
  for (int c = 0; c < width; c++)
    if (out[c] == out[c] && x[c] != x[c]) out[c] = x[c];
}

/* Updates the running maximum or minimum with another row. Of equal values, such as 0 and -0, the first is retained.
 * Rows are processed one by one, since reading two at a time, from two pages, takes a third longer. */
GF_INLINE void update_extremes(float *out, const float *x, int width, gf_max_or_min max_or_min) {
  gf_i4 are_numbers = {-1, -1, -1, -1};
  int c = 0;
  for (; c + 8 <= width; c += 8)
#pragma unroll
    for (int k = 0; k < 8; k += 4) {
      gf_f4 v = gf_load(x + c + k);
      are_numbers &= v == v;
      gf_store(out + c + k, max_or_min(gf_load(out + c + k), v));
    }
  for (; c < width; c++) {
    gf_f4 v = gf_splat(x[c]);
    are_numbers &= v == v;
    out[c] = max_or_min(gf_splat(out[c]), v)[0];
  }
  if (!gf_all_true(are_numbers)) copy_nans(out, x, width);
}

GF_NOINLINE void column_max(float *out, const float *x, int R, int C, int width) {
  memcpy(out, x, (size_t)width * sizeof *out);
  for (int r = 1; r < R; r++) update_extremes(out, x += C, width, gf_max);
}
GF_NOINLINE void column_min(float *out, const float *x, int R, int C, int width) {
  memcpy(out, x, (size_t)width * sizeof *out);
  for (int r = 1; r < R; r++) update_extremes(out, x += C, width, gf_min);
}

GF_MINSIZE void gf_reduce_columns(float *out, const float *x, int outer, int R, int C, int kind, double p) {
  for (int o = 0; o < outer; o++, out += C, x += (size_t)R * C)
    for (int c = 0; c < C; c += STRIP) {
      int width = C - c < STRIP ? C - c : STRIP;
      if (kind == GF_MAX) column_max(out + c, x + c, R, C, width);
      else if (kind == GF_MIN) column_min(out + c, x + c, R, C, width);
      else sums_and_moments(out + c, x + c, R, C, width, kind, p);
    }
}
