/* sort.c - stable argsort and top-k along an axis. NaN sorts as the largest value, as in PyTorch.
 *
 * A full sort is a bottom-up merge sort. For a small k, insertion into a sorted list of the k first values is faster,
 * since most values need only one comparison, with the last of the list.
 */
#include <string.h>

#include "../glassformer.h"
#include "../simd.h"

enum { MAX_SELECTED = 64 };

typedef struct {
  const float *x;
  int step, descending;
} axis_view;

/* True if value i comes strictly before value j. */
GF_INLINE int comes_before(const axis_view *view, int i, int j) {
  float a = view->x[(size_t)i * view->step], b = view->x[(size_t)j * view->step];
  return view->descending ? a > b || (a != a && b == b) : a < b || (a == a && b != b);
}

GF_NOINLINE void select_first(int32_t *order, const axis_view *view, int C, int k) {
  int count = 0;
  for (int i = 0; i < C; i++) {
    if (count == k && !comes_before(view, i, order[k - 1])) continue;
    int at = count < k ? count++ : k - 1;
    for (; at > 0 && comes_before(view, i, order[at - 1]); at--) order[at] = order[at - 1];
    order[at] = i;
  }
}

static void merge_runs(int32_t *out, const int32_t *a, int n, const int32_t *b, int m, const axis_view *view) {
  int i = 0, j = 0;
  while (i < n && j < m) *out++ = comes_before(view, b[j], a[i]) ? b[j++] : a[i++];
  memcpy(out, a + i, sizeof *a * (size_t)(n - i));
  memcpy(out + (n - i), b + j, sizeof *b * (size_t)(m - j));
}

/* Sorts all C indices. The passes alternate between the two buffers; the result ends up in `order`. */
GF_NOINLINE void merge_sort(int32_t *order, int32_t *spare, const axis_view *axis, int C) {
  const axis_view local = *axis, *view = &local; /* a copy, since every store might alias *axis */
  for (int i = 0; i < C; i++) order[i] = i;
  int32_t *from = order, *to = spare;
  for (int run = 1; run < C; run *= 2) {
    for (int i = 0; i < C; i += 2 * run) {
      int n = run < C - i ? run : C - i, m = C - i - n < run ? C - i - n : run;
      merge_runs(to + i, from + i, n, from + i + n, m, view);
    }
    int32_t *swap = from;
    from = to;
    to = swap;
    if (run > C / 2) break;
  }
  if (from != order) memcpy(order, from, sizeof *order * (size_t)C);
}

void gf_sort(int32_t *order, int32_t *workspace, const float *x, int outer, int C, int inner, int k, int descending) {
  int32_t *indices = workspace, *spare = workspace + C;
  if (k == 0) return;
  for (int o = 0; o < outer; o++)
    for (int i = 0; i < inner; i++) {
      axis_view view = {x + (size_t)o * C * inner + i, inner, descending};
      if (k <= MAX_SELECTED && k < C) select_first(indices, &view, C, k);
      else merge_sort(indices, spare, &view, C);
      size_t at = (size_t)o * k * inner + i;
      for (int n = 0; n < k; n++, at += inner) order[at] = indices[n];
    }
}
