/* binary.h - elementwise operations of two operands, one line per operation, in four lanes.
 *
 *     X(name, out, da, db)
 *
 * defines gf_<name>_forward and gf_<name>_backward of glassformer.h: out as an expression of a and b, and the gradients
 * da and db as expressions of d (the gradient of out), a, b and y = out. Elementwise losses are included: a is the
 * input and b the target.
 */
#ifndef GF_BINARY_H
#define GF_BINARY_H

// clang-format off
#define GF_BINARY(X)                                                                                                   \
  X(add, a + b, d, d)                                                                                                  \
  X(sub, a - b, d, -d)                                                                                                 \
  X(mul, a * b, d * b, d * a)                                                                                          \
  X(div, a / b, d / b, -d * (y / b))                                                                                   \
  X(pow, gf_pow4(a, b), pow_derivative_a(d, a, b), pow_derivative_b(d, a, b, y))                                       \
  X(maximum, larger(a, b), split_gradient(d, a < b, a == b), split_gradient(d, b < a, a == b))                         \
  X(minimum, smaller(a, b), split_gradient(d, a > b, a == b), split_gradient(d, b > a, a == b))                        \
  X(squared_error, (a - b) * (a - b), d * GF_CONSTANT(2.0f) * (a - b), d * GF_CONSTANT(-2.0f) * (a - b))               \
  X(absolute_error, gf_abs(a - b), d * sign(a - b), -d * sign(a - b))                                                  \
  X(binary_cross_entropy, bce(a, b), d * (a - b) / gf_max((one - a) * a, GF_CONSTANT(1e-12f)),                         \
    d * (log_clamped(one - a) - log_clamped(a)))                                                                       \
  X(binary_cross_entropy_with_logits, bce_with_logits(a, b), d * (gf_sigmoid4(a) - b), -d * a)                         \
  X(kl_div, gf_select(b == gf_zero(), gf_zero(), b * gf_log4(b)) - b * a, -d * b, d * (gf_log4(b) + one - a))          \
  X(kl_div_log, gf_exp4(b) * (b - a), -d * gf_exp4(b), d * gf_exp4(b) * (b - a + one))
// clang-format on

#endif
