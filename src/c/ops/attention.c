/* attention.c - scaled dot-product attention (Vaswani et al. 2017, equation 1), per batch element and head:
 *
 *     dots[i][j]    = q[i] . k[j]
 *     scores[i][j]  = scale * dots[i][j]                         scale is usually 1 / sqrt(D)
 *     masked[i][j]  = scores[i][j] + mask[i][j]
 *     weights[i][:] = softmax over j of masked[i][j]
 *     out[i]        = sum over j of weights[i][j] v[j]
 *
 * The kernel processes blocks of eight queries: their scores against all keys, the softmax of each row, the weighted
 * sum. It needs workspace for one block of scores; the steps of all queries are stored only if the caller saves them,
 * computed by the same instructions. If the caller provides a step (because the user edited it), the later steps are
 * computed from it. With a causal mask a block ends at its last visible key; with a window it starts at the panel of
 * its first visible key. The skipped terms are zeros, and every sum keeps its order, so a query has the same bits
 * whether it is computed alone after cached keys or together with all others. The weights of a query without visible keys
 * are 0, and so are its output and its gradients, as in PyTorch from 2.5 on. A NaN in v propagates even if its weight is
 * 0 (0 NaN is NaN), unless its key is skipped.
 *
 * Groups of consecutive query heads may share a head of k and v (grouped-query attention, Ainslie et al. 2023), whose
 * gradient is the sum over the group.
 */
#include "matmul.h"
#include "softmax.h"

enum { QUERIES = 8 };

GF_INLINE int min(int a, int b) { return a < b ? a : b; }
GF_INLINE int max(int a, int b) { return a < b ? b : a; }
GF_INLINE size_t head_offset(gf_strides r, int b, int h) { return (size_t)b * r.batch + (size_t)h * r.head; }

/* One batch element and query head: pointers to its rows and masks. */
typedef struct {
  const gf_attention *p;
  const float *q, *k, *v, *additive, *dropout;
  const uint8_t *padding;
  size_t offset; /* of its [Tq,Tk] block in the steps and in dropout */
} head_view;

static head_view select_head(const gf_attention *p, const float *q, const float *k, const float *v,
                             const float *dropout, int b, int h) {
  const gf_mask *mask = &p->mask;
  size_t offset = ((size_t)b * p->H + h) * p->Tq * p->Tk;
  size_t additive_offset = (size_t)b * mask->additive_batch + (size_t)h * mask->additive_head;
  return (head_view){.p = p,
                     .q = q + head_offset(p->q, b, h),
                     .k = k + head_offset(p->k, b, h / p->group),
                     .v = v + head_offset(p->v, b, h / p->group),
                     .additive = mask->additive ? mask->additive + additive_offset : NULL,
                     .dropout = dropout ? dropout + offset : NULL,
                     .padding = mask->padding ? mask->padding + (size_t)b * p->Tk : NULL,
                     .offset = offset};
}

/* The floats of workspace for the matrix products; forward multiplies blocks of queries by panels. */
static size_t product_workspace(const gf_attention *p, int backward) {
  int side = max(max(p->Tq, p->Tk), max(p->D, p->Dv));
  return (size_t)(backward ? gf_matmul_workspace(side, side, side) : gf_matmul_workspace(QUERIES, 0, side));
}

static double panels_size(const gf_attention *p, int N, int K) { return p->capacity ? 0.0 : gf_panels_size(N, K); }

double gf_attention_workspace(const gf_attention *p, int backward) {
  double cells = (double)p->Tq * p->Tk, panels = panels_size(p, p->Tk, p->D) + panels_size(p, p->Dv, p->Tk);
  return product_workspace(p, backward) + (backward ? 2 * cells : panels + (double)QUERIES * p->Tk);
}

/* The end of the keys that are visible to any query below row `end`. */
static int visible_end(const gf_attention *p, int end) {
  int last = p->mask.past + end - 1;
  if (p->mask.causal) return min(last + 1, p->Tk);
  return p->mask.window && p->mask.window < p->Tk - last ? last + p->mask.window : p->Tk;
}

/* The first key that is visible to query i. */
static int visible_start(const gf_attention *p, int i) {
  return p->mask.window ? max(0, p->mask.past + i + 1 - p->mask.window) : 0;
}

/* The first key that a block of queries from i on uses, aligned to a panel. At least one key remains. */
static int aligned_start(const gf_attention *p, int i) {
  if (p->from >= GF_FROM_MASKED) return 0;
  return max(0, min(visible_start(p, i), visible_end(p, i + 1) - 1)) / PANEL * PANEL;
}

static void fill(float *row, int start, int end, float value) {
  for (int j = start; j < end; j++) row[j] = value;
}

/* Masks the scores of query i for keys start .. end. Returns `out`, or `scores` if no mask changes them. */
static const float *apply_mask(const head_view *head, float *out, const float *scores, int i, int start, int end) {
  const gf_attention *p = head->p;
  int hidden_end = min(visible_start(p, i), end);
  if (head->additive) {
    for (int j = start; j < end; j++) out[j] = scores[j] + head->additive[(size_t)i * p->Tk + j];
    scores = out;
  }
  if (head->padding) {
    for (int j = start; j < end; j++) out[j] = head->padding[j] ? -GF_INFINITY : scores[j];
    scores = out;
  }
  if (hidden_end > start) {
    if (scores != out) memcpy(out + start, scores + start, sizeof(float) * (size_t)(end - start)), scores = out;
    fill(out, start, hidden_end, -GF_INFINITY);
  }
  return scores;
}

/* The parts of the workspace: for matrix products, one block of scores, packed keys and values. */
typedef struct {
  float *product, *block;
  const float *k_panels, *v_panels;
} workspace_parts;

/* A row of each step: in the saved step, or in the block, where each step overwrites the one before. */
typedef struct {
  float *dots, *scores, *masked, *weights;
} step_rows;

static step_rows step_rows_at(const gf_attention_steps *saved, size_t at, float *block) {
  step_rows rows = {.weights = saved->weights ? saved->weights + at : block};
  rows.masked = saved->masked ? saved->masked + at : rows.weights;
  rows.scores = saved->scores ? saved->scores + at : block;
  rows.dots = saved->dots ? saved->dots + at : rows.scores;
  return rows;
}

/* The keys of a block of queries: start .. end are attended to, scored_start .. scored_end have dot products. */
typedef struct {
  int start, end, scored_start, scored_end;
} key_range;

/* Whether n masked scores hide every key. A visible key usually comes first. */
static int hides_all(const float *masked, int n) {
  for (int j = 0; j < n; j++)
    if (masked[j] != -GF_INFINITY) return 0;
  return 1;
}

/* Computes the steps of query i from p->from up to the weights. */
static void compute_weights(const head_view *head, const gf_attention_steps *saved, step_rows row, int i,
                            const key_range *keys) {
  const gf_attention *p = head->p;
  int Tk = p->Tk, from = p->from, end = from < GF_FROM_MASKED ? visible_end(p, i + 1) : Tk, start = keys->start;
  if (from < GF_FROM_SCORES) {
    int first = keys->scored_start, count = keys->scored_end - first;
    if (row.scores != row.dots) memcpy(row.scores + first, row.dots + first, sizeof(float) * (size_t)count);
    gf_row_scale(row.scores + first, count, p->scale);
  }
  const float *masked = row.masked;
  if (from < GF_FROM_MASKED) {
    masked = apply_mask(head, row.masked, row.scores, i, start, end);
    if (saved->masked) {
      if (masked != row.masked) memcpy(row.masked + start, masked + start, sizeof(float) * (size_t)(end - start));
      fill(row.masked, 0, start, -GF_INFINITY);
      fill(row.masked, end, Tk, -GF_INFINITY);
    }
  }
  if (from < GF_FROM_WEIGHTS) {
    float hidden = 0.0f;
    if (hides_all(masked + start, end - start)) {
      fill(row.weights, start, end, 0.0f);
    } else {
      gf_row_softmax(row.weights + start, masked + start, end - start);
      if (row.weights[start] != row.weights[start]) hidden = GF_NAN; /* as the softmax of the whole row */
    }
    if (saved->weights) fill(row.weights, 0, start, hidden);
    fill(row.weights, end, saved->weights ? Tk : keys->end, hidden);
  }
}

/* Computes the steps and output rows of the block of queries from i0 on. Saved steps are computed in place. */
static void forward_block(const head_view *head, float *out, const gf_attention_steps *saved,
                          const workspace_parts *work, int i0) {
  const gf_attention *p = head->p;
  size_t at = head->offset + (size_t)i0 * p->Tk;
  int rows = min(QUERIES, p->Tq - i0), Tk = p->Tk, saves_scores = saved->dots || saved->scores;
  key_range keys = {.start = aligned_start(p, i0), .end = p->from < GF_FROM_MASKED ? visible_end(p, i0 + rows) : Tk};
  keys.scored_start = saves_scores ? 0 : keys.start;
  keys.scored_end = saves_scores ? Tk : keys.end;
  step_rows first = step_rows_at(saved, at, work->block);
  const float *applied = head->dropout ? work->block : first.weights;
  gf_product qk = {.c = first.dots + keys.scored_start,
                   .ldc = Tk,
                   .a = head->q + (size_t)i0 * p->q.time,
                   .lda = p->q.time,
                   .b = work->k_panels + (size_t)keys.scored_start * p->D,
                   .ldb = p->D,
                   .b_layout = GF_B_PANELS,
                   .M = rows,
                   .N = keys.scored_end - keys.scored_start,
                   .K = p->D,
                   .workspace = work->product};
  if (p->from < GF_FROM_DOTS) gf_multiply(&qk);
  for (int r = 0; r < rows; r++) {
    step_rows row = step_rows_at(saved, at + (size_t)r * Tk, work->block + (size_t)r * Tk);
    compute_weights(head, saved, row, i0 + r, &keys);
    if (head->dropout)
      for (int j = keys.start; j < keys.end; j++)
        work->block[r * Tk + j] = row.weights[j] * head->dropout[(size_t)(i0 + r) * Tk + j];
  }
  gf_product wv = {.c = out + (size_t)i0 * p->out.time,
                   .ldc = p->out.time,
                   .a = applied + keys.start,
                   .lda = Tk,
                   .b = work->v_panels + (size_t)keys.start * PANEL,
                   .ldb = p->capacity ? p->capacity : Tk,
                   .b_layout = GF_B_PANELS,
                   .M = rows,
                   .N = p->Dv,
                   .K = keys.end - keys.start,
                   .workspace = work->product};
  gf_multiply(&wv);
}

int gf_attention_blocks(const gf_attention *p) { return p->B * p->H * ((p->Tq + QUERIES - 1) / QUERIES); }

void gf_attention_forward_part(float *out, const gf_attention_steps *saved, float *workspace, const float *q,
                               const float *k, const float *v, const float *dropout, const gf_attention *p, int first,
                               int count) {
  float *k_panels = workspace + product_workspace(p, 0), *v_panels = k_panels + (size_t)panels_size(p, p->Tk, p->D);
  workspace_parts work = {workspace, v_panels + (size_t)panels_size(p, p->Dv, p->Tk), k_panels, v_panels};
  int blocks_per_head = (p->Tq + QUERIES - 1) / QUERIES;
  for (int n = first; n < first + count; n++) {
    int b = n / blocks_per_head / p->H, h = n / blocks_per_head % p->H, i = n % blocks_per_head * QUERIES;
    head_view head = select_head(p, q, k, v, dropout, b, h);
    if (p->capacity) work.k_panels = head.k, work.v_panels = head.v;
    else if (n == first || (i == 0 && h % p->group == 0)) {
      gf_pack_panels(k_panels, head.k, p->k.time, GF_B_TRANSPOSED, p->Tk, p->D);
      gf_pack_panels(v_panels, head.v, p->v.time, GF_B_ROWS, p->Dv, p->Tk);
    }
    forward_block(&head, out + head_offset(p->out, b, h), saved, &work, i);
  }
}

void gf_attention_forward(float *out, const gf_attention_steps *saved, float *workspace, const float *q, const float *k,
                          const float *v, const float *dropout, const gf_attention *p) {
  gf_attention_forward_part(out, saved, workspace, q, k, v, dropout, p, 0, gf_attention_blocks(p));
}

/* Softmax backward of one query, in place: ds = w (dw - sum over j of dw[j] w[j]). */
static void softmax_backward(float *dw, const float *w, int n) {
  float mean = gf_row_dot(dw, w, n);
  for (int j = 0; j < n; j++) dw[j] = w[j] * (dw[j] - mean);
}

static void accumulate_gradient(float *step_gradient, size_t at, const float *gradient, int n) {
  if (step_gradient) gf_accumulate(step_gradient + at, gradient, n);
}

/* Backward of one batch element and head. ds and applied are [Tq,Tk] blocks of workspace: the gradient of the current
 * step, and the weights after dropout. */
static void backward_head(const head_view *head, float *dq, float *dk, float *dv, const gf_attention_steps *gradients,
                          float *ds, float *applied, float *workspace, const float *dout, const float *weights) {
  const gf_attention *p = head->p;
  int Tq = p->Tq, Tk = p->Tk, cells = Tq * Tk; /* fits an int, since weights has at least as many values */
  /* out = applied v  =>  dapplied = dout v^T,  dv += applied^T dout */
  gf_product to_weights = {.c = ds,
                           .ldc = Tk,
                           .a = dout,
                           .lda = p->out.time,
                           .b = head->v,
                           .ldb = p->v.time,
                           .b_layout = GF_B_TRANSPOSED,
                           .M = Tq,
                           .N = Tk,
                           .K = p->Dv,
                           .workspace = workspace};
  gf_multiply(&to_weights);
  memcpy(applied, weights + head->offset, sizeof(float) * cells);
  if (head->dropout) /* applied = weights dropout  =>  dweights = dapplied dropout */
    for (int i = 0; i < cells; i++) applied[i] *= head->dropout[i], ds[i] *= head->dropout[i];
  if (dv) {
    gf_product to_values = {.c = dv,
                            .ldc = p->v.time,
                            .a = applied,
                            .lda = Tk,
                            .a_transposed = 1,
                            .b = dout,
                            .ldb = p->out.time,
                            .M = Tk,
                            .N = p->Dv,
                            .K = Tq,
                            .accumulate = 1,
                            .workspace = workspace};
    gf_multiply(&to_values);
  }
  accumulate_gradient(gradients->weights, head->offset, ds, cells);
  for (int i = 0; i < Tq; i++) softmax_backward(ds + (size_t)i * Tk, weights + head->offset + (size_t)i * Tk, Tk);
  /* masked = scores + mask  =>  dscores = dmasked */
  accumulate_gradient(gradients->masked, head->offset, ds, cells);
  accumulate_gradient(gradients->scores, head->offset, ds, cells);
  /* scores = scale dots  =>  ddots = scale dscores */
  for (int i = 0; i < cells; i++) ds[i] *= p->scale;
  accumulate_gradient(gradients->dots, head->offset, ds, cells);
  /* dots = q k^T  =>  dq += ddots k,  dk += ddots^T q */
  if (dq) {
    gf_product to_queries = {.c = dq,
                             .ldc = p->q.time,
                             .a = ds,
                             .lda = Tk,
                             .b = head->k,
                             .ldb = p->k.time,
                             .M = Tq,
                             .N = p->D,
                             .K = Tk,
                             .accumulate = 1,
                             .workspace = workspace};
    gf_multiply(&to_queries);
  }
  if (dk) {
    gf_product to_keys = {.c = dk,
                          .ldc = p->k.time,
                          .a = ds,
                          .lda = Tk,
                          .a_transposed = 1,
                          .b = head->q,
                          .ldb = p->q.time,
                          .M = Tk,
                          .N = p->D,
                          .K = Tq,
                          .accumulate = 1,
                          .workspace = workspace};
    gf_multiply(&to_keys);
  }
}

void gf_attention_backward_part(float *dq, float *dk, float *dv, const gf_attention_steps *gradients, float *workspace,
                                const float *dout, const float *weights, const float *q, const float *k, const float *v,
                                const float *dropout, const gf_attention *p, int first, int count) {
  size_t cells = (size_t)p->Tq * p->Tk;
  float *ds = workspace + product_workspace(p, 1), *applied = ds + cells;
  for (int n = first * p->group; n < (first + count) * p->group; n++) {
    int b = n / p->H, h = n % p->H, kv_head = h / p->group;
    head_view head = select_head(p, q, k, v, dropout, b, h);
    backward_head(&head, dq ? dq + head_offset(p->q, b, h) : NULL, dk ? dk + head_offset(p->k, b, kv_head) : NULL,
                  dv ? dv + head_offset(p->v, b, kv_head) : NULL, gradients, ds, applied, workspace,
                  dout + head_offset(p->out, b, h), weights);
  }
}

void gf_attention_backward(float *dq, float *dk, float *dv, const gf_attention_steps *gradients, float *workspace,
                           const float *dout, const float *weights, const float *q, const float *k, const float *v,
                           const float *dropout, const gf_attention *p) {
  gf_attention_backward_part(dq, dk, dv, gradients, workspace, dout, weights, q, k, v, dropout, p, 0,
                             p->B * p->H / p->group);
}

/* The sum over heads is accumulated in double. */
void gf_attention_average(float *out, const float *weights, int B, int H, int cells) {
  for (int b = 0; b < B; b++)
    for (int i = 0; i < cells; i++) {
      double sum = 0.0;
      for (int h = 0; h < H; h++) sum += weights[((size_t)b * H + h) * cells + i];
      out[(size_t)b * cells + i] = (float)(sum / H);
    }
}
