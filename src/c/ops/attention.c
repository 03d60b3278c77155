/* attention.c - scaled dot-product attention (Vaswani et al. 2017, equation 1), per sentence and head:
 *
 *     scores[i][j]  = scale * (q[i] . k[j])                      scale is 1 / sqrt(D) as a rule
 *     weights[i][:] = softmax over j of (scores[i][j] + mask[i][j])
 *     out[i]        = sum over j of weights[i][j] v[j]
 *
 * Eight queries are worked on at a time: their scores against all keys, the softmax of each row, the weighted sum.
 * That block is all the memory the method needs; scores and weights stand in full only when the caller keeps them, by
 * the same instructions. Under a causal mask a block stops at its last visible key. A query that may attend to
 * nothing gets NaN, as in PyTorch. A NaN among values counts where its weight is 0, too (0 NaN is NaN), but under a
 * causal mask only for queries of the same block or later.
 */
#include "matmul.h"
#include "softmax.h"

enum { QUERIES = 8 };

GF_INLINE int min(int a, int b) { return a < b ? a : b; }
GF_INLINE int max(int a, int b) { return a < b ? b : a; }
GF_INLINE size_t row_at(gf_rows r, int b, int h) { return (size_t)b * r.batch + (size_t)h * r.head; }

/* One sentence and head: its rows, masks and the packed keys and values. */
typedef struct {
  const gf_attention *p;
  const float *q, *k, *v, *additive, *dropout;
  const uint8_t *padding;
  size_t square; /* where its [Tq,Tk] block starts in scores, weights and dropout */
} head;

static head head_of(const gf_attention *p, const float *q, const float *k, const float *v, const float *dropout, int b,
                    int h) {
  const gf_mask *mask = &p->mask;
  size_t square = ((size_t)b * p->H + h) * p->Tq * p->Tk;
  size_t additive = (size_t)b * mask->additive_batch + (size_t)h * mask->additive_head;
  return (head){.p = p,
                .q = q + row_at(p->q, b, h),
                .k = k + row_at(p->k, b, h),
                .v = v + row_at(p->v, b, h),
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

double gf_attention_workspace(const gf_attention *p, int backward) {
  double square = (double)p->Tq * p->Tk, panels = gf_panels_size(p->Tk, p->D) + gf_panels_size(p->Dv, p->Tk);
  return product_workspace(p, backward) + (backward ? 2 * square : panels + (double)QUERIES * p->Tk);
}

/* Keys visible to queries below row `end`: with a causal mask those up to the last of them. */
static int visible(const gf_attention *p, int end) { return p->mask.causal ? min(end, p->Tk) : p->Tk; }

static void fill(float *to, int from, int end, float value) {
  for (int j = from; j < end; j++) to[j] = value;
}

/* to[0..n): the weights of query i from its scores; to may be where the scores are. */
static void weigh(const head *t, float *to, const float *scores, int i, int n) {
  const gf_attention *p = t->p;
  int seen = visible(p, i + 1);
  const float *from = scores;
  if (t->additive) {
    for (int j = 0; j < seen; j++) to[j] = from[j] + t->additive[(size_t)i * p->Tk + j];
    from = to;
  }
  if (t->padding) {
    for (int j = 0; j < seen; j++) to[j] = t->padding[j] ? -GF_INFINITY : from[j];
    from = to;
  }
  gf_row_softmax(to, from, seen);
  /* A row of NaN is NaN throughout: softmax over hidden keys alone. */
  fill(to, seen, n, seen > 0 && to[0] == to[0] ? 0.0f : GF_NAN);
}

/* Workspace: what a matrix product needs, the packed keys and values, one block of scores. */
typedef struct {
  float *product, *k_panels, *v_panels, *block;
} room;

/* The block of queries from i0: scores, weights and output rows. What is kept is computed where it will stay; the rest
 * goes through the block, where each step takes the place of the one before. */
static void forward_block(const head *t, float *out, float *scores, float *weights, const room *space, int i0) {
  const gf_attention *p = t->p;
  size_t at = t->square + (size_t)i0 * p->Tk;
  float *s = scores ? scores + at : space->block, *w = weights ? weights + at : space->block;
  const float *used = t->dropout ? space->block : w;
  int rows = min(QUERIES, p->Tq - i0), Tk = p->Tk, n = visible(p, i0 + rows);
  int scored = scores && p->mask.score_hidden ? Tk : n;
  gf_product qk = {.c = s, .ldc = Tk, .a = t->q + (size_t)i0 * p->q.time, .lda = p->q.time, .b = space->k_panels,
                   .ldb = p->D, .b_layout = GF_B_PANELS, .M = rows, .N = scored, .K = p->D,
                   .workspace = space->product};
  gf_multiply(&qk);
  for (int r = 0; r < rows; r++, s += Tk, w += Tk) {
    gf_row_scale(s, scored, p->scale);
    weigh(t, w, s, i0 + r, n);
    if (scores && !p->mask.score_hidden) fill(s, visible(p, i0 + r + 1), Tk, -GF_INFINITY);
    if (weights) fill(w, n, Tk, n > 0 && w[0] == w[0] ? 0.0f : GF_NAN);
    if (t->dropout)
      for (int j = 0; j < n; j++) space->block[r * Tk + j] = w[j] * t->dropout[(size_t)(i0 + r) * Tk + j];
  }
  gf_product wv = {.c = out + (size_t)i0 * p->out.time, .ldc = p->out.time, .a = used, .lda = Tk, .b = space->v_panels,
                   .ldb = Tk, .b_layout = GF_B_PANELS, .M = rows, .N = p->Dv, .K = n, .workspace = space->product};
  gf_multiply(&wv);
}

void gf_attention_forward(float *out, float *scores, float *weights, float *workspace, const float *q, const float *k,
                          const float *v, const float *dropout, const gf_attention *p) {
  float *k_panels = workspace + product_workspace(p, 0), *v_panels = k_panels + (size_t)gf_panels_size(p->Tk, p->D);
  room space = {workspace, k_panels, v_panels, v_panels + (size_t)gf_panels_size(p->Dv, p->Tk)};
  for (int b = 0; b < p->B; b++)
    for (int h = 0; h < p->H; h++) {
      head t = head_of(p, q, k, v, dropout, b, h);
      gf_pack_panels(k_panels, t.k, p->k.time, GF_B_TRANSPOSED, p->Tk, p->D);
      gf_pack_panels(v_panels, t.v, p->v.time, GF_B_ROWS, p->Dv, p->Tk);
      for (int i = 0; i < p->Tq; i += QUERIES)
        forward_block(&t, out + row_at(p->out, b, h), scores, weights, &space, i);
    }
}

/* Through the softmax of one query: ds = w (dw - sum over j of dw[j] w[j]), with dw on entry and ds on return. */
static void softmax_backward(float *dw, const float *w, int n) {
  float mean = gf_row_dot(dw, w, n);
  for (int j = 0; j < n; j++) dw[j] = w[j] * (dw[j] - mean);
}

/* One sentence and head. ds and used are [Tq,Tk] blocks of workspace: the scores' gradient, and the weights after
 * dropout. */
static void backward_head(const head *t, float *dq, float *dk, float *dv, float *dscores, float *dweights, float *ds,
                          float *used, float *workspace, const float *dout, const float *weights) {
  const gf_attention *p = t->p;
  int Tq = p->Tq, Tk = p->Tk, cells = Tq * Tk; /* as many as weights has at least, which is in memory */
  /* out = used v  =>  dused = dout v^T,  dv += used^T dout */
  gf_product to_weights = {.c = ds, .ldc = Tk, .a = dout, .lda = p->out.time, .b = t->v, .ldb = p->v.time,
                           .b_layout = GF_B_TRANSPOSED, .M = Tq, .N = Tk, .K = p->Dv, .workspace = workspace};
  gf_multiply(&to_weights);
  memcpy(used, weights + t->square, sizeof(float) * cells);
  if (t->dropout) /* used = weights dropout  =>  dweights = dused dropout */
    for (int i = 0; i < cells; i++) used[i] *= t->dropout[i], ds[i] *= t->dropout[i];
  if (dv) {
    gf_product to_values = {.c = dv, .ldc = p->v.time, .a = used, .lda = Tk, .a_transposed = 1, .b = dout,
                            .ldb = p->out.time, .M = Tk, .N = p->Dv, .K = Tq, .accumulate = 1, .workspace = workspace};
    gf_multiply(&to_values);
  }
  if (dweights) gf_accumulate(dweights + t->square, ds, cells);
  for (int i = 0; i < Tq; i++) softmax_backward(ds + (size_t)i * Tk, weights + t->square + (size_t)i * Tk, Tk);
  if (dscores) gf_accumulate(dscores + t->square, ds, cells);
  /* scores = scale q k^T  =>  dq += scale ds k,  dk += scale ds^T q */
  for (int i = 0; i < cells; i++) ds[i] *= p->scale;
  if (dq) {
    gf_product to_queries = {.c = dq, .ldc = p->q.time, .a = ds, .lda = Tk, .b = t->k, .ldb = p->k.time, .M = Tq,
                             .N = p->D, .K = Tk, .accumulate = 1, .workspace = workspace};
    gf_multiply(&to_queries);
  }
  if (dk) {
    gf_product to_keys = {.c = dk, .ldc = p->k.time, .a = ds, .lda = Tk, .a_transposed = 1, .b = t->q,
                          .ldb = p->q.time, .M = Tk, .N = p->D, .K = Tq, .accumulate = 1, .workspace = workspace};
    gf_multiply(&to_keys);
  }
}

void gf_attention_backward(float *dq, float *dk, float *dv, float *dscores, float *dweights, float *workspace,
                           const float *dout, const float *weights, const float *q, const float *k, const float *v,
                           const float *dropout, const gf_attention *p) {
  size_t square = (size_t)p->Tq * p->Tk;
  float *ds = workspace + product_workspace(p, 1), *used = ds + square;
  for (int b = 0; b < p->B; b++)
    for (int h = 0; h < p->H; h++) {
      head t = head_of(p, q, k, v, dropout, b, h);
      backward_head(&t, dq ? dq + row_at(p->q, b, h) : NULL, dk ? dk + row_at(p->k, b, h) : NULL,
                    dv ? dv + row_at(p->v, b, h) : NULL, dscores, dweights, ds, used, workspace,
                    dout + row_at(p->out, b, h), weights);
    }
}
