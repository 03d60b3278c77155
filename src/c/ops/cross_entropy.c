/* cross_entropy.c - how surprised the model is by the right answer.
 *
 *     log_probs = log softmax(logits)
 *     loss[n] = -(1 - s) w[target] log_probs[n][target] - (s / V) sum over v of w[v] log_probs[n][v]
 *
 * s is label smoothing: a little of the target is spread over all V classes. w weighs the classes, 1 without. A row
 * whose target is ignore_index has loss 0 and no gradient.
 */
#include "../glassformer.h"
#include "softmax.h"

static double weighed_sum(const float *x, const float *weight, int V) {
  double sum = 0.0;
  for (int v = 0; v < V; v++) sum += (double)x[v] * weight[v];
  return sum;
}

int gf_cross_entropy_check(const int32_t *target, int N, int V, int ignore_index) {
  for (int n = 0; n < N; n++)
    if (target[n] != ignore_index && (target[n] < 0 || target[n] >= V)) return n;
  return -1;
}

double gf_cross_entropy_forward(float *losses, float *log_probs, const float *logits, const float *weight,
                                const int32_t *target, int N, int V, int ignore_index, float smoothing) {
  double kept = 0.0;
  if (logits) gf_log_softmax_forward(log_probs, logits, N, V);
  for (int n = 0; n < N; n++, log_probs += V) {
    losses[n] = 0.0f;
    if (target[n] == ignore_index) continue;
    double own = weight ? weight[target[n]] : 1.0, loss = -(1.0 - smoothing) * own * log_probs[target[n]];
    kept += own;
    if (smoothing > 0.0f)
      loss -= smoothing / (double)V * (weight ? weighed_sum(log_probs, weight, V) : gf_sum(log_probs, V));
    losses[n] = (float)loss;
  }
  return kept;
}

/* loss = -(1-s) w[target] lp[target] - s/V sum w lp, with lp = log softmax(x)
 *     =>  dx[v] += dloss (softmax(x)[v] ((1-s) w[target] + s/V sum w) - (1-s) w[v] [v = target] - s/V w[v]) */
void gf_cross_entropy_backward(float *dlogits, const float *dlosses, const float *log_probs, const float *weight,
                               const int32_t *target, int N, int V, int ignore_index, float smoothing, int shared) {
  float spread = smoothing / V, all = weight && smoothing > 0.0f ? (float)(spread * gf_sum(weight, V)) : 0.0f;
  for (int n = 0; n < N; n++, dlogits += V, log_probs += V) {
    if (target[n] == ignore_index) continue;
    float dloss = dlosses[shared ? 0 : n], own = weight ? weight[target[n]] : 1.0f;
    int v = 0;
    if (weight) {
      float share = (1.0f - smoothing) * own + all;
      for (; v < V; v++) dlogits[v] += dloss * (gf_exp1(log_probs[v]) * share - spread * weight[v]);
    }
    for (; v + 4 <= V; v += 4) {
      gf_f4 slope = gf_exp4_falling(gf_load(log_probs + v)) - gf_splat(spread);
      gf_store(dlogits + v, gf_load(dlogits + v) + gf_splat(dloss) * slope);
    }
    for (; v < V; v++) dlogits[v] += dloss * (gf_exp1(log_probs[v]) - spread);
    dlogits[target[n]] -= dloss * (1.0f - smoothing) * own;
  }
}

/* loss = -w[target] lp[target]  =>  dlp[target] -= dloss w[target] */
void gf_nll_loss_backward(float *dlog_probs, const float *dlosses, const float *weight, const int32_t *target, int N,
                          int V, int ignore_index, float scale, int shared) {
  for (int n = 0; n < N; n++, dlog_probs += V)
    if (target[n] != ignore_index)
      dlog_probs[target[n]] -= dlosses[shared ? 0 : n] * (scale * (weight ? weight[target[n]] : 1.0f));
}
