/* gelu.c - the Gaussian error linear unit (Hendrycks and Gimpel 2016).
 *
 *     exact:  out = x P(N(0,1) < x) = x (1 + erf(x / sqrt 2)) / 2
 *     tanh:   out = x (1 + tanh(u)) / 2 = x / (1 + exp(-2u)),   u = sqrt(2/pi) (x + 0.044715 x^3)
 *
 * The probability is computed from the upper tail, so it has full relative accuracy for large negative x, where 1 + erf
 * cancels. For the same reason the tanh form is computed as the equivalent sigmoid.
 */
#include "../glassformer.h"
#include "../math.h"

#define INVERSE_SQRT_2PI 0.3989422804f
#define SQRT_2_OVER_PI 0.7978845608f
#define CUBIC 0.044715f

/* x P(x) = max(x, 0) - |x| tail(|x|). The tail is 0 above 14, so x is clamped at 14.5, which avoids infinity * 0.
 * -infinity is not clamped: the limit is 0, but PyTorch's formula gives NaN, and so does this one. */
GF_INLINE gf_f4 gelu4(gf_f4 x) {
  gf_f4 z = gf_abs(gf_min(x, GF_CONSTANT(14.5f)));
  return gf_max(x, gf_zero()) - z * gf_normal_tail4(z, gf_exp4_nonpositive(GF_CONSTANT(-0.5f) * z * z));
}

/* out = x P(x)  =>  dx += dout (P(x) + x density(x)) */
GF_INLINE gf_f4 gelu_derivative4(gf_f4 x) {
  gf_f4 z = gf_abs(x), gauss = gf_exp4_nonpositive(GF_CONSTANT(-0.5f) * z * z), tail = gf_normal_tail4(z, gauss);
  gf_f4 cdf = gf_select(x < gf_zero(), tail, GF_CONSTANT(1.0f) - tail);
  return cdf + x * gauss * GF_CONSTANT(INVERSE_SQRT_2PI);
}

/* s(2u) = 1 / (1 + e) with e = exp(-2u), and 1 - s, computed as e s to avoid cancellation. */
GF_INLINE gf_f4 sigmoid_of_2u(gf_f4 x, gf_f4 *one_minus) {
  gf_f4 u = GF_CONSTANT(SQRT_2_OVER_PI) * (x + GF_CONSTANT(CUBIC) * x * x * x), e = gf_exp4(GF_CONSTANT(-2.0f) * u);
  gf_f4 s = GF_CONSTANT(1.0f) / (GF_CONSTANT(1.0f) + e);
  *one_minus = gf_select(e > GF_CONSTANT(1e30f), GF_CONSTANT(1.0f), e * s);
  return s;
}

GF_INLINE gf_f4 gelu_tanh4(gf_f4 x) {
  gf_f4 one_minus;
  return x * sigmoid_of_2u(x, &one_minus);
}

/* out = x s(2u)  =>  dx += dout (s + x s (1 - s) 2 du/dx),   du/dx = sqrt(2/pi) (1 + 3 * 0.044715 x^2) */
GF_INLINE gf_f4 gelu_tanh_derivative4(gf_f4 x) {
  gf_f4 one_minus, s = sigmoid_of_2u(x, &one_minus);
  gf_f4 du = GF_CONSTANT(SQRT_2_OVER_PI) * (GF_CONSTANT(1.0f) + GF_CONSTANT(3.0f * CUBIC) * x * x);
  return s + x * s * one_minus * GF_CONSTANT(2.0f) * du;
}

typedef gf_f4 (*gf_vector_function)(gf_f4);

/* Two vectors per iteration, so that their dependency chains overlap. */
GF_INLINE void map(float *out, const float *x, int n, gf_vector_function f) {
  int i = 0;
  for (; i + 8 <= n; i += 8) {
    gf_f4 y = f(gf_load(x + i)), z = f(gf_load(x + i + 4));
    gf_store(out + i, y);
    gf_store(out + i + 4, z);
  }
  for (; i + 4 <= n; i += 4) gf_store(out + i, f(gf_load(x + i)));
  if (i < n) gf_store_tail(out + i, f(gf_load_tail(x + i, n - i, 0)), n - i);
}

GF_INLINE void map_backward(float *dx, const float *dout, const float *x, int n, gf_vector_function derivative) {
  int i = 0;
  for (; i + 4 <= n; i += 4) gf_store(dx + i, gf_load(dx + i) + gf_load(dout + i) * derivative(gf_load(x + i)));
  if (i < n) {
    gf_f4 grad = gf_load_tail(dout + i, n - i, 0) * derivative(gf_load_tail(x + i, n - i, 0));
    gf_store_tail(dx + i, gf_load_tail(dx + i, n - i, 0) + grad, n - i);
  }
}

void gf_gelu_forward(float *out, const float *x, int n) { map(out, x, n, gelu4); }
void gf_gelu_backward(float *dx, const float *dout, const float *x, int n) {
  map_backward(dx, dout, x, n, gelu_derivative4);
}
void gf_gelu_tanh_forward(float *out, const float *x, int n) { map(out, x, n, gelu_tanh4); }
void gf_gelu_tanh_backward(float *dx, const float *dout, const float *x, int n) {
  map_backward(dx, dout, x, n, gelu_tanh_derivative4);
}
