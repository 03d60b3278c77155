/* attention.c - scaled dot-product attention (Vaswani et al. 2017, equation 1), per sentence and head:
 *
 *     dots[i][j]    = q[i] . k[j]
 *     scores[i][j]  = scale * dots[i][j]                         scale is 1 / sqrt(D) as a rule
 *     masked[i][j]  = scores[i][j] + mask[i][j]
 *     weights[i][:] = softmax over j of masked[i][j]
 *     out[i]        = sum over j of weights[i][j] v[j]
 *
 * Eight queries are worked on at a time: their scores against all keys, the softmax of each row, the weighted sum.
 * That block is all the memory the method needs; the steps stand in full only when the caller keeps them, by the same
 * instructions. Where a step is given (a reader has edited it) the later ones are made from it. Under a causal mask a
 * block stops at its last visible key, under a window it begins at the panel of its first. What is left out would add
 * zeros, and every sum keeps its order, so a query has the same bits whether it comes alone after a cached past or
 * among all others. A query that may attend to nothing gets NaN, as in PyTorch. A NaN among values counts where its
 * weight is 0, too (0 NaN is NaN), but not where a block leaves it out.
 *
 * Several heads of q in a row may share one of k and v (Ainslie et al. 2023, "GQA"); its gradient is their sum.
 */
#include "matmul.h"
#include "softmax.h"

enum { QUERIES = 8 };

GF_INLINE int min(int a, int b) { return a < b ? a : b; }
GF_INLINE int max(int a, int b) { return a < b ? b : a; }
GF_INLINE size_t row_at(gf_rows r, int b, int h) { return (size_t)b * r.batch + (size_t)h * r.head; }

/* One sentence and head of q: its rows and masks. */
typedef struct {
  const gf_attention *p;
  const float *q, *k, *v, *additive, *dropout;
  const uint8_t *padding;
  size_t square; /* where its [Tq,Tk] block starts in the steps and dropout */
} head;

static head head_of(const gf_attention *p, const float *q, const float *k, const float *v, const float *dropout, int b,
                    int h) {
  const gf_mask *mask = &p->mask;
  size_t square = ((size_t)b * p->H + h) * p->Tq * p->Tk;
  size_t additive = (size_t)b * mask->additive_batch + (size_t)h * mask->additive_head;
  return (head){.p = p,
                .q = q + row_at(p->q, b, h),
                .k = k + row_at(p->k, b, h / p->group),
                .v = v + row_at(p->v, b, h / p->group),
                .additive = mask->additive ? mask->additive + additive : NULL,
                .dropout = dropout ? dropout + square : NULL,
                .padding = mask->padding ? mask->padding + (size_t)b * p->Tk : NULL,
                .square = square};
}

/* Where the workspace of the matrix products ends: forward they are blocks of queries by panels. */
static size_t product_workspace(const gf_attention *p, int backward) {
  int side = max(max(p->Tq, p->Tk), max(p->D, p->Dv));
  return (size_t)(backward ? gf_matmul_workspace(side, side, side) : gf_matmul_workspace(QUERIES, 0, side));
}

static double panels_size(const gf_attention *p, int N, int K) { return p->capacity ? 0.0 : gf_panels_size(N, K); }

double gf_attention_workspace(const gf_attention *p, int backward) {
  double square = (double)p->Tq * p->Tk, panels = panels_size(p, p->Tk, p->D) + panels_size(p, p->Dv, p->Tk);
  return product_workspace(p, backward) + (backward ? 2 * square : panels + (double)QUERIES * p->Tk);
}

/* Queries below row `end` see no key from this one on ... */
static int visible(const gf_attention *p, int end) {
  int last = p->mask.past + end - 1;
  if (p->mask.causal) return min(last + 1, p->Tk);
  return p->mask.window && p->mask.window < p->Tk - last ? last + p->mask.window : p->Tk;
}

/* ... and query i none before this one. */
static int first_visible(const gf_attention *p, int i) {
  return p->mask.window ? max(0, p->mask.past + i + 1 - p->mask.window) : 0;
}

/* Where the keys begin that queries from i on look at: at a panel's edge, and at least one key before the last. */
static int begins(const gf_attention *p, int i) {
  if (p->from >= GF_FROM_MASKED) return 0;
  return max(0, min(first_visible(p, i), visible(p, i + 1) - 1)) / PANEL * PANEL;
}

static void fill(float *to, int from, int end, float value) {
  for (int j = from; j < end; j++) to[j] = value;
}

/* The masked scores of query i for keys start to seen: where they are, which is `to` or, when nothing masks them,
 * where the scores are. */
static const float *mask_row(const head *t, float *to, const float *from, int i, int start, int seen) {
  const gf_attention *p = t->p;
  int first = min(first_visible(p, i), seen);
  if (t->additive) {
    for (int j = start; j < seen; j++) to[j] = from[j] + t->additive[(size_t)i * p->Tk + j];
    from = to;
  }
  if (t->padding) {
    for (int j = start; j < seen; j++) to[j] = t->padding[j] ? -GF_INFINITY : from[j];
    from = to;
  }
  if (first > start) {
    if (from != to) memcpy(to + start, from + start, sizeof(float) * (size_t)(seen - start)), from = to;
    fill(to, start, first, -GF_INFINITY);
  }
  return from;
}

/* Workspace: what a matrix product needs, the packed keys and values, one block of scores. */
typedef struct {
  float *product, *block;
  const float *k_panels, *v_panels;
} room;

/* One row of each step, kept or in the block, where each takes the place of the one before. */
typedef struct {
  float *dots, *scores, *masked, *weights;
} step_rows;

static step_rows rows_of(const gf_attention_steps *kept, size_t at, float *block) {
  step_rows r = {.weights = kept->weights ? kept->weights + at : block};
  r.masked = kept->masked ? kept->masked + at : r.weights;
  r.scores = kept->scores ? kept->scores + at : block;
  r.dots = kept->dots ? kept->dots + at : r.scores;
  return r;
}

/* The keys of a block of queries: start to end are used, scored to scored_end have dots. */
typedef struct {
  int start, end, scored, scored_end;
} span;

/* Scores to weights of query i, from the step that is given. */
static void weigh(const head *t, const gf_attention_steps *kept, step_rows r, int i, const span *keys) {
  const gf_attention *p = t->p;
  int Tk = p->Tk, from = p->from, seen = from < GF_FROM_MASKED ? visible(p, i + 1) : Tk, start = keys->start;
  if (from < GF_FROM_SCORES) {
    int first = keys->scored, count = keys->scored_end - first;
    if (r.scores != r.dots) memcpy(r.scores + first, r.dots + first, sizeof(float) * (size_t)count);
    gf_row_scale(r.scores + first, count, p->scale);
  }
  const float *masked = r.masked;
  if (from < GF_FROM_MASKED) {
    masked = mask_row(t, r.masked, r.scores, i, start, seen);
    if (kept->masked) {
      if (masked != r.masked) memcpy(r.masked + start, masked + start, sizeof(float) * (size_t)(seen - start));
      fill(r.masked, 0, start, -GF_INFINITY);
      fill(r.masked, seen, Tk, -GF_INFINITY);
    }
  }
  if (from < GF_FROM_WEIGHTS) {
    gf_row_softmax(r.weights + start, masked + start, seen - start);
    /* A row of NaN is NaN throughout: softmax over hidden keys alone. */
    float hidden = seen > start && r.weights[start] == r.weights[start] ? 0.0f : GF_NAN;
    if (kept->weights) fill(r.weights, 0, start, hidden);
    fill(r.weights, seen, kept->weights ? Tk : keys->end, hidden);
  }
  if (p->mask.keep_hidden) return;
  if (kept->dots) fill(r.dots, seen, Tk, -GF_INFINITY);
  if (kept->scores) fill(r.scores, seen, Tk, -GF_INFINITY);
}

/* The block of queries from i0: its steps and output rows. What is kept is computed where it will stay. */
static void forward_block(const head *t, float *out, const gf_attention_steps *kept, const room *space, int i0) {
  const gf_attention *p = t->p;
  size_t at = t->square + (size_t)i0 * p->Tk;
  int rows = min(QUERIES, p->Tq - i0), Tk = p->Tk, keeps = kept->dots || kept->scores;
  span keys = {.start = begins(p, i0), .end = p->from < GF_FROM_MASKED ? visible(p, i0 + rows) : Tk};
  keys.scored = keeps ? 0 : keys.start;
  keys.scored_end = keeps && p->mask.keep_hidden ? Tk : keys.end;
  step_rows first = rows_of(kept, at, space->block);
  const float *used = t->dropout ? space->block : first.weights;
  gf_product qk = {.c = first.dots + keys.scored,
                   .ldc = Tk,
                   .a = t->q + (size_t)i0 * p->q.time,
                   .lda = p->q.time,
                   .b = space->k_panels + (size_t)keys.scored * p->D,
                   .ldb = p->D,
                   .b_layout = GF_B_PANELS,
                   .M = rows,
                   .N = keys.scored_end - keys.scored,
                   .K = p->D,
                   .workspace = space->product};
  if (p->from < GF_FROM_DOTS) gf_multiply(&qk);
  for (int r = 0; r < rows; r++) {
    step_rows row = rows_of(kept, at + (size_t)r * Tk, space->block + (size_t)r * Tk);
    weigh(t, kept, row, i0 + r, &keys);
    if (t->dropout)
      for (int j = keys.start; j < keys.end; j++)
        space->block[r * Tk + j] = row.weights[j] * t->dropout[(size_t)(i0 + r) * Tk + j];
  }
  gf_product wv = {.c = out + (size_t)i0 * p->out.time,
                   .ldc = p->out.time,
                   .a = used + keys.start,
                   .lda = Tk,
                   .b = space->v_panels + (size_t)keys.start * PANEL,
                   .ldb = p->capacity ? p->capacity : Tk,
                   .b_layout = GF_B_PANELS,
                   .M = rows,
                   .N = p->Dv,
                   .K = keys.end - keys.start,
                   .workspace = space->product};
  gf_multiply(&wv);
}

int gf_attention_blocks(const gf_attention *p) { return p->B * p->H * ((p->Tq + QUERIES - 1) / QUERIES); }

void gf_attention_forward_part(float *out, const gf_attention_steps *kept, float *workspace, const float *q,
                               const float *k, const float *v, const float *dropout, const gf_attention *p, int first,
                               int count) {
  float *k_panels = workspace + product_workspace(p, 0), *v_panels = k_panels + (size_t)panels_size(p, p->Tk, p->D);
  room space = {workspace, v_panels + (size_t)panels_size(p, p->Dv, p->Tk), k_panels, v_panels};
  int a_head = (p->Tq + QUERIES - 1) / QUERIES;
  for (int n = first; n < first + count; n++) {
    int b = n / a_head / p->H, h = n / a_head % p->H, i = n % a_head * QUERIES;
    head t = head_of(p, q, k, v, dropout, b, h);
    if (p->capacity) space.k_panels = t.k, space.v_panels = t.v;
    else if (n == first || (i == 0 && h % p->group == 0)) {
      gf_pack_panels(k_panels, t.k, p->k.time, GF_B_TRANSPOSED, p->Tk, p->D);
      gf_pack_panels(v_panels, t.v, p->v.time, GF_B_ROWS, p->Dv, p->Tk);
    }
    forward_block(&t, out + row_at(p->out, b, h), kept, &space, i);
  }
}

void gf_attention_forward(float *out, const gf_attention_steps *kept, float *workspace, const float *q, const float *k,
                          const float *v, const float *dropout, const gf_attention *p) {
  gf_attention_forward_part(out, kept, workspace, q, k, v, dropout, p, 0, gf_attention_blocks(p));
}

/* Through the softmax of one query: ds = w (dw - sum over j of dw[j] w[j]), with dw on entry and ds on return. */
static void softmax_backward(float *dw, const float *w, int n) {
  float mean = gf_row_dot(dw, w, n);
  for (int j = 0; j < n; j++) dw[j] = w[j] * (dw[j] - mean);
}

static void keep_gradient(float *gradient, size_t at, const float *change, int n) {
  if (gradient) gf_accumulate(gradient + at, change, n);
}

/* One sentence and head. ds and used are [Tq,Tk] blocks of workspace: the gradient of one step after the other, and
 * the weights after dropout. */
static void backward_head(const head *t, float *dq, float *dk, float *dv, const gf_attention_steps *gradients,
                          float *ds, float *used, float *workspace, const float *dout, const float *weights) {
  const gf_attention *p = t->p;
  int Tq = p->Tq, Tk = p->Tk, cells = Tq * Tk; /* as many as weights has at least, which is in memory */
  /* out = used v  =>  dused = dout v^T,  dv += used^T dout */
  gf_product to_weights = {.c = ds,
                           .ldc = Tk,
                           .a = dout,
                           .lda = p->out.time,
                           .b = t->v,
                           .ldb = p->v.time,
                           .b_layout = GF_B_TRANSPOSED,
                           .M = Tq,
                           .N = Tk,
                           .K = p->Dv,
                           .workspace = workspace};
  gf_multiply(&to_weights);
  memcpy(used, weights + t->square, sizeof(float) * cells);
  if (t->dropout) /* used = weights dropout  =>  dweights = dused dropout */
    for (int i = 0; i < cells; i++) used[i] *= t->dropout[i], ds[i] *= t->dropout[i];
  if (dv) {
    gf_product to_values = {.c = dv,
                            .ldc = p->v.time,
                            .a = used,
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
  keep_gradient(gradients->weights, t->square, ds, cells);
  for (int i = 0; i < Tq; i++) softmax_backward(ds + (size_t)i * Tk, weights + t->square + (size_t)i * Tk, Tk);
  /* masked = scores + mask  =>  dscores = dmasked */
  keep_gradient(gradients->masked, t->square, ds, cells);
  keep_gradient(gradients->scores, t->square, ds, cells);
  /* scores = scale dots  =>  ddots = scale dscores */
  for (int i = 0; i < cells; i++) ds[i] *= p->scale;
  keep_gradient(gradients->dots, t->square, ds, cells);
  /* dots = q k^T  =>  dq += ddots k,  dk += ddots^T q */
  if (dq) {
    gf_product to_queries = {.c = dq,
                             .ldc = p->q.time,
                             .a = ds,
                             .lda = Tk,
                             .b = t->k,
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
                          .b = t->q,
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
  size_t square = (size_t)p->Tq * p->Tk;
  float *ds = workspace + product_workspace(p, 1), *used = ds + square;
  for (int n = first * p->group; n < (first + count) * p->group; n++) {
    int b = n / p->H, h = n % p->H, shared = h / p->group;
    head t = head_of(p, q, k, v, dropout, b, h);
    backward_head(&t, dq ? dq + row_at(p->q, b, h) : NULL, dk ? dk + row_at(p->k, b, shared) : NULL,
                  dv ? dv + row_at(p->v, b, shared) : NULL, gradients, ds, used, workspace, dout + row_at(p->out, b, h),
                  weights);
  }
}

void gf_attention_backward(float *dq, float *dk, float *dv, const gf_attention_steps *gradients, float *workspace,
                           const float *dout, const float *weights, const float *q, const float *k, const float *v,
                           const float *dropout, const gf_attention *p) {
  gf_attention_backward_part(dq, dk, dv, gradients, workspace, dout, weights, q, k, v, dropout, p, 0,
                             p->B * p->H / p->group);
}

/* Each sum in double, head by head. */
void gf_attention_average(float *out, const float *weights, int B, int H, int cells) {
  for (int b = 0; b < B; b++)
    for (int i = 0; i < cells; i++) {
      double sum = 0.0;
      for (int h = 0; h < H; h++) sum += weights[((size_t)b * H + h) * cells + i];
      out[(size_t)b * cells + i] = (float)(sum / H);
    }
}
