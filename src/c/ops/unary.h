/* unary.h - elementwise operations of one operand, one line per operation, in four lanes.
 *
 *     X(name, out, dx)
 *
 * defines gf_<name>_forward and gf_<name>_backward of glassformer.h: out as an expression of x, and the gradient dx as
 * an expression of d (the gradient of out), x and y = out. p and q are scalar parameters. Where the derivative is not
 * continuous, it has PyTorch's value.
 */
#ifndef GF_UNARY_H
#define GF_UNARY_H

// clang-format off
#define GF_UNARY(X)                                                                                                    \
  X(neg, -x, -d)                                                                                                       \
  X(abs, gf_abs(x), d * sign(x))                                                                                       \
  X(sign, sign(x), d * gf_zero())                                                                                      \
  X(floor, floor4(x), d * gf_zero())                                                                                   \
  X(round, round4(x), d * gf_zero())                                                                                   \
  X(square, x * x, d * (x + x))                                                                                        \
  X(sqrt, gf_sqrt(x), d / (y + y))                                                                                     \
  X(rsqrt, one / gf_sqrt(x), d * GF_CONSTANT(-0.5f) * (y * y * y))                                                     \
  X(reciprocal, one / x, -d * (y * y))                                                                                 \
  X(exp, gf_exp4(x), d * y)                                                                                            \
  X(log, gf_log4(x), d / x)                                                                                            \
  X(sin, gf_sin4(x), d * gf_cos4(x))                                                                                   \
  X(cos, gf_cos4(x), -d * gf_sin4(x))                                                                                  \
  X(tanh, gf_tanh4(x), d * (one - y * y))                                                                              \
  X(sigmoid, gf_sigmoid4(x), d * (one - y) * y)                                                                        \
  X(silu, x / (one + gf_exp4(-x)), d * silu_derivative(x))                                                             \
  X(softplus, softplus(x, p, q), gf_select(x * p > q, d, d * gf_sigmoid4(x * p)))                                      \
  X(relu, gf_select(x <= gf_zero(), gf_zero(), x), gf_select(x <= gf_zero(), gf_zero(), d))                            \
  X(leaky_relu, gf_select(x > gf_zero(), x, x * p), gf_select(x > gf_zero(), d, d * p))                                \
  X(clamp, gf_min(gf_max(x, p), q), gf_select((x >= p) & (x <= q), d, gf_zero()))
// clang-format on

#endif
