/* adam.c - Adam (Kingma and Ba 2014) and AdamW (Loshchilov and Hutter 2017), as in torch.optim:
 *
 *     AdamW:  param *= 1 - lr weight_decay            Adam:  grad += weight_decay param
 *     m = beta1 m + (1 - beta1) grad
 *     v = beta2 v + (1 - beta2) grad^2
 *     param -= lr / (1 - beta1^step) * m / (sqrt(v) / sqrt(1 - beta2^step) + eps)
 *
 * AMSGrad (Reddi et al. 2018) divides by the largest v so far in place of v.
 */
#include "../glassformer.h"
#include "../math.h"

static GF_MINSIZE double power(double base, int n) {
  double result = 1.0;
  for (; n > 0; n >>= 1, base *= base)
    if (n & 1) result *= base;
  return result;
}

/* The rows that a step reads and writes. */
enum { PARAM, M, V, MAX_V, GRAD, ROWS };

typedef struct {
  float step_size, correction, shrink, decay, epsilon, b1, b2, c1, c2;
  int adds_decay;
} settings;

/* One step for n values of each row, n a multiple of 4; MAX_V may be NULL. The caller pads a tail of 1 to 3 values to
 * four: partial loads and stores here would take more code and time. */
GF_NOINLINE void update(float *const *rows, const settings *s, int n) {
  float *param = rows[PARAM], *m = rows[M], *v = rows[V], *max_v = rows[MAX_V];
  const float *grad = rows[GRAD];
  gf_f4 step_size = gf_splat(s->step_size), correction = gf_splat(s->correction), shrink = gf_splat(s->shrink);
  gf_f4 decay = gf_splat(s->decay), epsilon = gf_splat(s->epsilon);
  gf_f4 b1 = gf_splat(s->b1), b2 = gf_splat(s->b2), c1 = gf_splat(s->c1), c2 = gf_splat(s->c2);
  int adds_decay = s->adds_decay;
  for (int i = 0; i < n; i += 4) {
    gf_f4 p = gf_load(param + i) * shrink, g = gf_load(grad + i);
    if (adds_decay) g += decay * p; /* skipped if 0, since 0 times an infinite parameter is NaN */
    gf_f4 mean = b1 * gf_load(m + i) + c1 * g;
    gf_f4 square = b2 * gf_load(v + i) + c2 * g * g;
    gf_store(m + i, mean);
    gf_store(v + i, square);
    if (max_v) {
      square = gf_max(square, gf_load(max_v + i));
      gf_store(max_v + i, square);
    }
    gf_store(param + i, p - step_size * (mean / (gf_sqrt(square) / correction + epsilon)));
  }
}

GF_MINSIZE void gf_adam_step(float *param, float *m, float *v, float *max_v, const float *grad, int n, int step,
                             double lr, double beta1, double beta2, double eps, double weight_decay, int decoupled) {
  settings s = {
      (float)(lr / (1.0 - power(beta1, step))),
      (float)__builtin_sqrt(1.0 - power(beta2, step)),
      (float)(decoupled ? 1.0 - lr * weight_decay : 1.0),
      (float)weight_decay,
      (float)eps,
      (float)beta1,
      (float)beta2,
      (float)(1.0 - beta1),
      (float)(1.0 - beta2),
      !decoupled && weight_decay != 0.0,
  };
  float *rows[ROWS] = {param, m, v, max_v, (float *)grad}, tails[ROWS][4] = {{0}}, *tail_rows[ROWS];
  int tail = n & 3, start = n - tail;
  update(rows, &s, start);
  if (!tail) return;
  for (int r = 0; r < ROWS; r++)
    if ((tail_rows[r] = rows[r] ? tails[r] : NULL)) memcpy(tails[r], rows[r] + start, sizeof(float) * (size_t)tail);
  update(tail_rows, &s, 4);
  for (int r = 0; r < GRAD; r++)
    if (rows[r]) memcpy(rows[r] + start, tails[r], sizeof(float) * (size_t)tail);
}
