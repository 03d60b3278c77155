/* reduce.c - reductions of rows of C:
 *
 *     sum, mean = sum / C, max, min, prod,
 *     var = sum((x - mean)^2) / (C - p), std = sqrt(var),
 *     logsumexp = max + log(sum(exp(x - max))),
 *     norm = (sum |x|^p)^(1/p); max |x| for p = infinity, the number of nonzero values for p = 0
 *
 * Sums and products are in double, except the sum of exponentials, which is that of softmax. NaN always propagates.
 */
#include "convert.h"
#include "softmax.h"
#include "sum.h"

static double mean_of(const float *x, int C) { return gf_sum(x, C) / C; }

/* sum((x - mean)^2) of a row. The same loop loads the next row and sums it in the order of gf_sum, so that the bits of
 * a row do not depend on its position. */
GF_INLINE double sum_squared_deviations(double mean, const float *x, int C, const float *next, double *next_sum) {
  gf_d2 center = {mean, mean}, squares[2] = {{0.0, 0.0}}, sums[GF_SUM_CHAINS] = {{0.0, 0.0}};
  int i = 0;
  for (; i + GF_SUM_BLOCK <= C; i += GF_SUM_BLOCK) {
    gf_add_block(sums, next + i, gf_identity, center);
#pragma unroll
    for (int k = 0; k < GF_SUM_BLOCK; k += 4) {
      gf_f4 v = gf_load(x + i + k);
      squares[k / 4 % 2] +=
          gf_squared_distance(gf_promote_low(v), center) + gf_squared_distance(gf_promote_high(v), center);
    }
  }
  *next_sum = gf_finish_sum(sums, next, i, C, gf_identity, center);
  double sum = gf_sum_lanes_double(squares[0] + squares[1]);
  for (; i < C; i++) sum += (x[i] - mean) * (x[i] - mean);
  return sum;
}

static void variances(float *out, const float *x, int N, int C, double correction, int is_root) {
  double sum = N > 0 ? gf_sum(x, C) : 0.0, dof = C - correction;
  for (int n = 0; n < N; n++, x += C) {
    double var = sum_squared_deviations(sum / C, x, C, n + 1 < N ? x + C : x, &sum) / (dof > 0.0 ? dof : 0.0);
    out[n] = (float)(is_root ? __builtin_sqrt(var) : var);
  }
}

enum { BLOCK = 16 };

/* The maximum or minimum of C > 0 values; NaN if any value is NaN. */
GF_INLINE float extreme_of(const float *x, int C, gf_max_or_min max_or_min) {
  gf_f4 best[BLOCK / 4];
  gf_i4 are_numbers = {-1, -1, -1, -1};
  for (int k = 0; k < BLOCK / 4; k++) best[k] = gf_splat(x[0]);
  int i = 0;
  for (; i + BLOCK <= C; i += BLOCK)
#pragma unroll
    for (int k = 0; k < BLOCK / 4; k++) {
      gf_f4 v = gf_load(x + i + 4 * k);
      are_numbers &= v == v;
      best[k] = max_or_min(best[k], v);
    }
  for (; i < C; i++) {
    gf_f4 v = gf_splat(x[i]);
    are_numbers &= v == v;
    best[0] = max_or_min(best[0], v);
  }
  if (!gf_all_true(are_numbers)) return GF_NAN;
  gf_f4 lanes = max_or_min(max_or_min(best[0], best[1]), max_or_min(best[2], best[3]));
  lanes = max_or_min(lanes, __builtin_shufflevector(lanes, lanes, 2, 3, 0, 1));
  return max_or_min(lanes, __builtin_shufflevector(lanes, lanes, 1, 0, 3, 2))[0];
}

/* The first index of a value that occurs in x; NaN matches any NaN. */
GF_NOINLINE int index_of(float value, const float *x, int C) {
  gf_f4 target = gf_splat(value);
  int i = 0;
  if (value != value) {
    while (x[i] == x[i]) i++;
    return i;
  }
  for (; i + BLOCK <= C; i += BLOCK) {
    gf_i4 differs = gf_load(x + i) != target;
#pragma unroll
    for (int k = 4; k < BLOCK; k += 4) differs &= gf_load(x + i + k) != target;
    if (!gf_all_true(differs)) break;
  }
  while (x[i] != value) i++;
  return i;
}

GF_NOINLINE float max_value(const float *x, int C) { return extreme_of(x, C, gf_max); }
GF_NOINLINE float min_value(const float *x, int C) { return extreme_of(x, C, gf_min); }

/* The index of the first maximum or minimum. */
static int arg_extreme(const float *x, int C, int is_min) {
  return index_of(is_min ? min_value(x, C) : max_value(x, C), x, C);
}

/* Maximum and minimum of a row. Of 0 and -0, and of several NaNs, they return the first in the row. */
static float first_occurrence(float best, const float *x, int C) {
  return best == 0.0f || best != best ? x[index_of(best, x, C)] : best;
}
static float row_max(const float *x, int C) { return first_occurrence(max_value(x, C), x, C); }
static float row_min(const float *x, int C) { return first_occurrence(min_value(x, C), x, C); }

static GF_MINSIZE float log_sum_exp(float *work, const float *x, int C) {
  if (C == 0) return -GF_INFINITY;
  float max = row_max(x, C);
  if (max - max != 0.0f) return max; /* the result is infinity or NaN, too */
  return max + (float)gf_log(gf_row_exp(work, x, C, max));
}

static GF_MINSIZE double power_sum(const float *x, int C, double p) {
  double sum = 0.0;
  for (int i = 0; i < C; i++) {
    double magnitude = __builtin_fabsf(x[i]);
    sum += p == 0.0                                           ? magnitude != 0.0
           : magnitude == 0.0 || magnitude - magnitude != 0.0 ? magnitude
                                                              : gf_pow(magnitude, p);
  }
  return sum;
}

static GF_MINSIZE float norm(const float *x, int C, double p) {
  if (p == 2.0) return (float)__builtin_sqrt(gf_sum_squares(x, C));
  if (p == 1.0) return (float)gf_sum_absolute(x, C);
  if (p == (double)GF_INFINITY) return gf_max_absolute(x, C);
  double sum = power_sum(x, C, p);
  return (float)(p == 0.0 || sum == 0.0 || sum - sum != 0.0 ? sum : gf_pow(sum, 1.0 / p));
}

static GF_MINSIZE float product(const float *x, int C) {
  double result = 1.0;
  for (int i = 0; i < C; i++) result *= x[i];
  return (float)result;
}

GF_MINSIZE void gf_reduce_forward(float *out, float *work, const float *x, int N, int C, int kind, double p) {
  if (kind == GF_VAR || kind == GF_STD) return variances(out, x, N, C, p, kind == GF_STD);
  for (int n = 0; n < N; n++, x += C) switch (kind) {
      case GF_SUM:
        out[n] = (float)gf_sum(x, C);
        break;
      case GF_MEAN:
        out[n] = (float)mean_of(x, C);
        break;
      case GF_MAX:
        out[n] = row_max(x, C);
        break;
      case GF_MIN:
        out[n] = row_min(x, C);
        break;
      case GF_PROD:
        out[n] = product(x, C);
        break;
      case GF_LOGSUMEXP:
        out[n] = log_sum_exp(work, x, C);
        break;
      default:
        out[n] = norm(x, C, p);
    }
}

/* dx[i] += d, the gradient of sum and mean */
GF_NOINLINE void add_constant(float *dx, int C, float d) {
  for (int i = 0; i < C; i++) dx[i] += d;
}

static float sign(float x) { return x > 0.0f ? 1.0f : x < 0.0f ? -1.0f : 0.0f; }

GF_INLINE int equals(float x, float y, int is_nan) { return is_nan ? x != x : x == y; }

/* Splits d evenly among the values equal to y. If y is NaN, no value is equal and dx becomes NaN, as in PyTorch's amax;
 * with nans_equal, all NaNs share d, as in PyTorch's max over all dimensions. */
static GF_MINSIZE void extremes_backward(float *dx, const float *x, int C, float d, float y, int nans_equal) {
  int is_nan = nans_equal && y != y, count = 0;
  for (int i = 0; i < C; i++) count += equals(x[i], y, is_nan);
  float share = d / (float)count;
  for (int i = 0; i < C; i++) dx[i] += (float)equals(x[i], y, is_nan) * share;
}

/* Splits d evenly among the values with |x| = y, with the sign of each. */
static GF_MINSIZE void infinity_norm_backward(float *dx, const float *x, int C, float d, float y) {
  int count = 0;
  for (int i = 0; i < C; i++) count += __builtin_fabsf(x[i]) == y;
  for (int i = 0; i < C; i++)
    if (__builtin_fabsf(x[i]) == y) dx[i] += sign(x[i]) * (d / (float)count);
}

/* out = x1 x2 ... => dx[i] += d times the product of the others. Zero times infinity or NaN is NaN. */
static GF_MINSIZE void prod_backward(float *dx, const float *x, int C, float d) {
  double product = d; /* of d and the nonzero values */
  int zeros = 0, nonfinite = 0;
  for (int i = 0; i < C; i++) {
    if (x[i] == 0.0f) zeros++;
    else product *= x[i];
    nonfinite += x[i] - x[i] != 0.0f;
  }
  for (int i = 0; i < C; i++) {
    int other_zeros = zeros - (x[i] == 0.0f), other_nonfinite = nonfinite - (x[i] - x[i] != 0.0f);
    if (other_zeros) dx[i] += d * (other_nonfinite ? GF_NAN : 0.0f);
    else dx[i] += (float)(x[i] == 0.0f ? product : product / x[i]);
  }
}

/* var = sum((x - mean)^2) / (C - p)  =>  dx += d 2 (x - mean) / (C - p), also for p > C, as in PyTorch. */
static GF_MINSIZE void var_backward(float *dx, const float *x, int C, double d, double correction) {
  double mean = mean_of(x, C), scale = 2.0 * d / (C - correction);
  for (int i = 0; i < C; i++) dx[i] += (float)(scale * (x[i] - mean));
}

/* magnitude^p for a magnitude of at most 1; 0 to a negative power is infinity. */
static double pow_magnitude(double magnitude, double p) {
  if (magnitude == 0.0) return p < 0.0 ? (double)GF_INFINITY : 0.0;
  return gf_pow(magnitude, p);
}

/* out = (sum |x|^p)^(1/p)  =>  dx += d sign(x) (|x| / out)^(p - 1), 0 if all x are 0. In double, since d / out may
 * overflow and |x| / out underflow in float32. */
static GF_MINSIZE void norm_backward(float *dx, const float *x, int C, float d, float y, double p) {
  if (p == (double)GF_INFINITY) {
    infinity_norm_backward(dx, x, C, d, y);
    return;
  }
  if (p == 0.0 || y == 0.0f) return;
  double scale = (double)d / y;
  for (int i = 0; i < C; i++) {
    double magnitude = __builtin_fabs((double)x[i]) / y;
    if (p == 2.0) dx[i] += (float)(x[i] * scale);
    else if (p == 1.0) dx[i] += d * sign(x[i]);
    else if (x[i] != 0.0f)
      dx[i] += (float)(magnitude == magnitude ? d * sign(x[i]) * pow_magnitude(magnitude, p - 1.0) : magnitude);
  }
}

/* out = log(sum(exp(x)))  =>  dx += d exp(x - out) */
static GF_MINSIZE void logsumexp_backward(float *dx, const float *x, int C, float d, float y) {
  for (int i = 0; i < C; i++) dx[i] += d * gf_exp1(x[i] - y);
}

GF_MINSIZE void gf_reduce_backward(float *dx, const float *dout, const float *out, const float *x, int N, int C,
                                   int kind, double p, int ties) {
  for (int n = 0; n < N; n++, dx += C, x += C) {
    float d = dout[n], y = out[n];
    switch (kind) {
      case GF_SUM:
        add_constant(dx, C, d);
        break;
      case GF_MEAN:
        add_constant(dx, C, d / (float)C);
        break;
      case GF_MAX:
      case GF_MIN:
        if (ties) extremes_backward(dx, x, C, d, y, ties == GF_TIES_SHARED_WITH_NANS);
        else dx[arg_extreme(x, C, kind == GF_MIN)] += d;
        break;
      case GF_PROD:
        prod_backward(dx, x, C, d);
        break;
      case GF_VAR:
        var_backward(dx, x, C, d, p);
        break;
      case GF_STD:
        if (y != 0.0f) var_backward(dx, x, C, d / (2.0 * y), p);
        break;
      case GF_LOGSUMEXP:
        logsumexp_backward(dx, x, C, d, y);
        break;
      default:
        norm_backward(dx, x, C, d, y, p);
    }
  }
}

void gf_argmax(int32_t *out, const float *x, int N, int C, int is_min) {
  for (int n = 0; n < N; n++, x += C) out[n] = arg_extreme(x, C, is_min);
}

GF_MINSIZE int gf_reduce_int(int32_t *out, const void *x, int type, int N, int C, int kind) {
  int fits = 1;
  for (int n = 0; n < N; n++) {
    int64_t result = kind == GF_SUM ? 0 : (int64_t)gf_read(x, (size_t)n * (size_t)C, type);
    for (int i = kind == GF_SUM ? 0 : 1; i < C; i++) {
      int64_t value = (int64_t)gf_read(x, (size_t)n * (size_t)C + (size_t)i, type);
      result = kind == GF_SUM ? result + value : (kind == GF_MAX) == (value > result) ? value : result;
    }
    out[n] = (int32_t)result;
    fits &= out[n] == result;
  }
  return fits;
}
