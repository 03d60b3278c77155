/* adam.c - Adam (Kingma and Ba 2014) and AdamW (Loshchilov and Hutter 2017), as in torch.optim:
 *
 *     AdamW:  param *= 1 - lr weight_decay            Adam:  grad += weight_decay param
 *     m = beta1 m + (1 - beta1) grad
 *     v = beta2 v + (1 - beta2) grad^2
 *     param -= lr / (1 - beta1^step) * m / (sqrt(v) / sqrt(1 - beta2^step) + eps)
 */
#include "../glassformer.h"
#include "../math.h"

static double power(double base, int n) {
  double result = 1.0;
  for (; n > 0; n >>= 1, base *= base)
    if (n & 1) result *= base;
  return result;
}

void gf_adam_step(float *param, float *m, float *v, const float *grad, int n, int step, double lr, double beta1,
                  double beta2, double eps, double weight_decay, int decoupled) {
  gf_f4 step_size = gf_splat((float)(lr / (1.0 - power(beta1, step))));
  gf_f4 correction = gf_splat((float)__builtin_sqrt(1.0 - power(beta2, step)));
  gf_f4 shrink = gf_splat((float)(decoupled ? 1.0 - lr * weight_decay : 1.0));
  gf_f4 decay = gf_splat((float)weight_decay), epsilon = gf_splat((float)eps);
  int adds_decay = !decoupled && weight_decay != 0.0;
  gf_f4 b1 = gf_splat((float)beta1), b2 = gf_splat((float)beta2);
  gf_f4 c1 = gf_splat((float)(1.0 - beta1)), c2 = gf_splat((float)(1.0 - beta2));
  for (int i = 0; i < n; i += 4) {
    int count = n - i;
    gf_f4 p = gf_load_partial(param + i, count);
    gf_f4 g = gf_load_partial(grad + i, count);
    gf_f4 mean = gf_load_partial(m + i, count);
    gf_f4 square = gf_load_partial(v + i, count);
    p *= shrink;
    if (adds_decay) g += decay * p; /* skipped if 0, since 0 times an infinite parameter is NaN */
    mean = b1 * mean + c1 * g;
    square = b2 * square + c2 * g * g;
    p -= step_size * (mean / (gf_sqrt(square) / correction + epsilon));
    gf_store_partial(param + i, p, count);
    gf_store_partial(m + i, mean, count);
    gf_store_partial(v + i, square, count);
  }
}
