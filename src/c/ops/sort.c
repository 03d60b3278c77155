/* sort.c - the order of values along an axis, equal ones in the order they had. NaN counts as the largest, as in
 * PyTorch.
 *
 * All places come from merging ever longer sorted runs; the first few alone from a short sorted list that each value
 * that is better than its last enters, which takes one comparison for most.
 */
#include <string.h>

#include "../glassformer.h"
#include "../simd.h"

enum { FEW = 64 };

typedef struct {
  const float *x;
  int step, descending;
} line;

/* Whether value i comes strictly before value j. */
GF_INLINE int before(const line *l, int i, int j) {
  float a = l->x[(size_t)i * l->step], b = l->x[(size_t)j * l->step];
  return l->descending ? a > b || (a != a && b == b) : a < b || (a == a && b != b);
}

GF_NOINLINE void first_few(int32_t *order, const line *l, int C, int k) {
  int held = 0;
  for (int i = 0; i < C; i++) {
    if (held == k && !before(l, i, order[k - 1])) continue;
    int at = held < k ? held++ : k - 1;
    for (; at > 0 && before(l, i, order[at - 1]); at--) order[at] = order[at - 1];
    order[at] = i;
  }
}

static void merge(int32_t *out, const int32_t *a, int n, const int32_t *b, int m, const line *l) {
  int i = 0, j = 0;
  while (i < n && j < m) *out++ = before(l, b[j], a[i]) ? b[j++] : a[i++];
  memcpy(out, a + i, sizeof *a * (size_t)(n - i));
  memcpy(out + (n - i), b + j, sizeof *b * (size_t)(m - j));
}

/* In passes between two buffers; the last one leaves the result in `order`. */
GF_NOINLINE void all_places(int32_t *order, int32_t *spare, const line *all, int C) {
  const line own = *all, *l = &own; /* or every store might have changed it */
  for (int i = 0; i < C; i++) order[i] = i;
  int32_t *from = order, *to = spare;
  for (int run = 1; run < C; run *= 2) {
    for (int i = 0; i < C; i += 2 * run) {
      int n = run < C - i ? run : C - i, m = C - i - n < run ? C - i - n : run;
      merge(to + i, from + i, n, from + i + n, m, l);
    }
    int32_t *other = from;
    from = to;
    to = other;
    if (run > C / 2) break;
  }
  if (from != order) memcpy(order, from, sizeof *order * (size_t)C);
}

void gf_sort(int32_t *order, int32_t *workspace, const float *x, int outer, int C, int inner, int k, int descending) {
  int32_t *found = workspace, *spare = workspace + C;
  if (k == 0) return;
  for (int o = 0; o < outer; o++)
    for (int i = 0; i < inner; i++) {
      line l = {x + (size_t)o * C * inner + i, inner, descending};
      if (k <= FEW && k < C) first_few(found, &l, C, k);
      else all_places(found, spare, &l, C);
      size_t at = (size_t)o * k * inner + i;
      for (int n = 0; n < k; n++, at += inner) order[at] = found[n];
    }
}
