/* sgd.c - stochastic gradient descent, as torch.optim.SGD:
 *
 *     g = grad + weight_decay param
 *     buffer = momentum buffer + (1 - dampening) g      (the first step: buffer = g)
 *     param -= lr (g + momentum buffer  if nesterov, else buffer)
 */
#include "../glassformer.h"

void gf_sgd_step(float *param, float *buffer, const float *grad, int n, float lr, float momentum, float dampening,
                 float weight_decay, int nesterov, int first) {
  for (int i = 0; i < n; i++) {
    float g = grad[i];
    if (weight_decay != 0.0f)
      g += weight_decay * param[i]; /* skipped if 0, since 0 times an infinite parameter is NaN */
    if (buffer) {
      buffer[i] = first ? g : momentum * buffer[i] + (1.0f - dampening) * g;
      g = nesterov ? g + momentum * buffer[i] : buffer[i];
    }
    param[i] -= lr * g;
  }
}
