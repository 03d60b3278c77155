/* cross_entropy.c - how surprised the model is by the right answer.
 *
 *     log_probs = log softmax(logits)
 *     loss[n] = -(1 - s) log_probs[n][target] - (s / V) sum over v of log_probs[n][v]
 *
 * s is label smoothing: a little of the target is spread over all V classes. A row whose target is ignore_index has
 * loss 0 and no gradient.
 */
#include "softmax.h"
#include "../glassformer.h"

int gf_cross_entropy_check(const int32_t *target, int N, int V, int ignore_index) {
  for (int n = 0; n < N; n++)
    if (target[n] != ignore_index && (target[n] < 0 || target[n] >= V)) return n;
  return -1;
}

int gf_cross_entropy_forward(float *losses, float *log_probs, const float *logits, const int32_t *target, int N, int V,
                             int ignore_index, float smoothing) {
  int kept = 0;
  gf_log_softmax_forward(log_probs, logits, N, V);
  for (int n = 0; n < N; n++, log_probs += V) {
    losses[n] = 0.0f;
    if (target[n] == ignore_index) continue;
    kept++;
    double loss = -(1.0 - smoothing) * log_probs[target[n]];
    if (smoothing > 0.0f) loss -= smoothing / (double)V * gf_sum(log_probs, V);
    losses[n] = (float)loss;
  }
  return kept;
}

/* loss = -(1-s) lp[target] - s/V sum lp, with lp = log softmax(x)
 *     =>  dx[v] += dloss (softmax(x)[v] - (1-s) [v = target] - s/V) */
void gf_cross_entropy_backward(float *dlogits, const float *dlosses, const float *log_probs, const int32_t *target,
                               int N, int V, int ignore_index, float smoothing, int shared) {
  float spread = smoothing / V;
  for (int n = 0; n < N; n++, dlogits += V, log_probs += V) {
    if (target[n] == ignore_index) continue;
    float dloss = dlosses[shared ? 0 : n];
    int v = 0;
    for (; v + 4 <= V; v += 4) {
      gf_f4 slope = gf_exp4_falling(gf_load(log_probs + v)) - gf_splat(spread);
      gf_store(dlogits + v, gf_load(dlogits + v) + gf_splat(dloss) * slope);
    }
    for (; v < V; v++) dlogits[v] += dloss * (gf_exp1(log_probs[v]) - spread);
    dlogits[target[n]] -= dloss * (1.0f - smoothing);
  }
}
