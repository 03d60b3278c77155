/* cross_entropy.c - cross entropy loss of logits and class indices.
 *
 *     log_probs = log softmax(logits)
 *     loss[n] = -(1 - s) w[target] log_probs[n][target] - (s / V) sum over v of w[v] log_probs[n][v]
 *
 * s is the label smoothing, w the class weights (default 1). A row whose target is ignore_index has loss 0 and no
 * gradient.
 */
#include "../glassformer.h"
#include "softmax.h"

static double weighted_sum(const float *x, const float *weight, int V) {
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
  double weight_sum = 0.0;
  if (logits) gf_log_softmax_forward(log_probs, logits, N, V);
  for (int n = 0; n < N; n++, log_probs += V) {
    losses[n] = 0.0f;
    if (target[n] == ignore_index) continue;
    double target_weight = weight ? weight[target[n]] : 1.0;
    double loss = -(1.0 - smoothing) * target_weight * log_probs[target[n]];
    weight_sum += target_weight;
    if (smoothing > 0.0f)
      loss -= smoothing / (double)V * (weight ? weighted_sum(log_probs, weight, V) : gf_sum(log_probs, V));
    losses[n] = (float)loss;
  }
  return weight_sum;
}

/* loss = -(1-s) w[target] lp[target] - s/V sum w lp, with lp = log softmax(x)
 *     =>  dx[v] += dloss (softmax(x)[v] ((1-s) w[target] + s/V sum w) - (1-s) w[v] [v = target] - s/V w[v]) */
void gf_cross_entropy_backward(float *dlogits, const float *dlosses, const float *log_probs, const float *weight,
                               const int32_t *target, int N, int V, int ignore_index, float smoothing, int shared) {
  float smooth = smoothing / V, smooth_sum = weight && smoothing > 0.0f ? (float)(smooth * gf_sum(weight, V)) : 0.0f;
  for (int n = 0; n < N; n++, dlogits += V, log_probs += V) {
    if (target[n] == ignore_index) continue;
    float dloss = dlosses[shared ? 0 : n], target_weight = weight ? weight[target[n]] : 1.0f;
    int v = 0;
    if (weight) {
      float target_sum = (1.0f - smoothing) * target_weight + smooth_sum;
      for (; v < V; v++) dlogits[v] += dloss * (gf_exp1(log_probs[v]) * target_sum - smooth * weight[v]);
    }
    for (; v + 4 <= V; v += 4) {
      gf_f4 grad = gf_exp4_nonpositive(gf_load(log_probs + v)) - gf_splat(smooth);
      gf_store(dlogits + v, gf_load(dlogits + v) + gf_splat(dloss) * grad);
    }
    for (; v < V; v++) dlogits[v] += dloss * (gf_exp1(log_probs[v]) - smooth);
    dlogits[target[n]] -= dloss * (1.0f - smoothing) * target_weight;
  }
}

/* loss = -w[target] lp[target]  =>  dlp[target] -= dloss w[target] */
void gf_nll_loss_backward(float *dlog_probs, const float *dlosses, const float *weight, const int32_t *target, int N,
                          int V, int ignore_index, float scale, int shared) {
  for (int n = 0; n < N; n++, dlog_probs += V)
    if (target[n] != ignore_index)
      dlog_probs[target[n]] -= dlosses[shared ? 0 : n] * (scale * (weight ? weight[target[n]] : 1.0f));
}
