/* glassformer.h - the public interface of the kernels, and the conventions that all of them follow.
 *
 * Buffers   Row-major float32 unless stated otherwise. The caller allocates them; they must not overlap and need no
 *           alignment. Parameters are ordered: outputs, caches and workspace, inputs, parameters, sizes. Kernels keep
 *           no state between calls, except gf_matmul_in_pairs.
 * Letters   B batch, H heads, T time (Tq queries, Tk keys), C channels, D head size (Dv of values), V vocabulary, N
 *           rows; of a matrix product, [M,K] times [K,N].
 * Sizes     Any size may be 0; a kernel reads and writes only what the shapes cover. No buffer holds more than 2^30
 *           values, so indices, counts and strides fit an int. Workspace sizes may exceed that; they are doubles, and
 *           the caller has to check them.
 * Gradients A backward function ADDS to every gradient buffer (+=). NULL skips a gradient where there are several.
 * Errors    A return value reports only errors that C alone can detect (an id outside the table, out of memory). The
 *           caller checks shapes and ranges. Nothing is printed, nothing exits.
 * Bits      Every sum has a fixed order and every operation rounds separately, so results are bit-identical on every
 *           machine, except in the build with relaxed SIMD. NaN and infinity follow IEEE 754.
 */
#ifndef GLASSFORMER_H
#define GLASSFORMER_H

#include <stddef.h>
#include <stdint.h>

#include "ops/binary.h"
#include "ops/unary.h"

/* A build of some kernels lists those that it exports. */
#ifndef GF_EXPORT
#define GF_EXPORT __attribute__((used, visibility("default")))
#endif

/* Status codes. Functions that return a count or a position return a value >= 0 on success instead of GF_OK. */
typedef enum { GF_OK = 0, GF_NO_MEMORY = -1, GF_BAD_INPUT = -2 } gf_status;

/* Memory ----------------------------------------------------------------------------------------------------------- */

/* Allocates `bytes` bytes (at least 1). Returns NULL if out of memory. Free the block with gf_free. */
GF_EXPORT void *gf_alloc(size_t bytes);
GF_EXPORT void gf_free(void *block);
#ifdef __wasm_atomics__
/* Sets the stack pointer of this instance. Instances that share a memory need separate stacks; `end` is the upper end
 * of the new one. */
GF_EXPORT void gf_set_stack(void *end);
#endif

/* cos(x), with an absolute error of at most 2^-53 for |x| <= 1e6. Learning-rate schedules use it because Math.cos
 * differs between engines. */
GF_EXPORT double gf_cos(double x);

/* Text ------------------------------------------------------------------------------------------------------------- */

/* Text is UTF-8. Each maximal invalid subpart counts as one U+FFFD, as in TextDecoder. A long text can be passed in
 * windows: GF_TEXT_START marks the first, GF_TEXT_END the last, and a short text has both flags. The tokens at the end
 * of a window may depend on the text after it, so the next window starts done[0] bytes after the start of this one. */
enum {
  GF_TEXT_START = 1,
  GF_TEXT_END = 2,
  GF_TEXT_DROP_PUNCTUATION = 4 /* leave out the tokens , ? ! . */
};
/* Why a call stopped: at the end of the text, because it needs the following text, or because spans is full. If done[0]
 * is 0, NEEDS_TEXT asks for a longer window and NEEDS_ROOM for more spans. */
typedef enum { GF_TEXT_DONE = 0, GF_TEXT_NEEDS_TEXT = 1, GF_TEXT_NEEDS_ROOM = 2 } gf_text_stop;
/* Replaces the end of a span if the token differs from the text: a quotation mark that becomes `` or ''. */
enum { GF_TOKEN_OPENING_QUOTE = -1, GF_TOKEN_CLOSING_QUOTE = -2 };

/* A cache slot of a recently seen token. With the cache, a caller can reuse one string object per token. */
typedef struct {
  uint64_t first, last, middle, bytes;
} gf_token_slot;
enum { GF_TOKEN_SLOTS = 4096, GF_TOKEN_SLOT_BYTES = 32 }; /* the number of slots, and sizeof(gf_token_slot) */

/* Python's str.split() and NLTK 3.8's word_tokenize(text, preserve_line=True). Both return the number of tokens. spans
 * [room,3]: the start and end of each token in UTF-16 code units from the start of this window, ascending, and its
 *   cache slot p. p > 0: the token is the one last stored in slot p; p < 0: it is now stored in slot -p; 0: not cached.
 * done [3]: the processed bytes and UTF-16 units, and a gf_text_stop.
 * cache [GF_TOKEN_SLOTS]: all zero before the first window; NULL: no cache.
 * text [bytes]: may be NULL if empty. */
GF_EXPORT int gf_whitespace(int32_t *spans, int32_t *done, gf_token_slot *cache, const uint8_t *text, int bytes,
                            int room, int flags);
GF_EXPORT int gf_words(int32_t *spans, int32_t *done, gf_token_slot *cache, const uint8_t *text, int bytes, int room,
                       int flags);

/* Functions that build hash tables take a seed. If it is unpredictable, no one can construct a file whose entries all
 * collide. Results do not depend on it.
 *
 * A counter of distinct tokens. gf_vocab_new returns NULL if out of memory; gf_vocab_free accepts NULL. Ids count
 * from 0 in the order of first appearance. */
typedef struct gf_vocab gf_vocab;
GF_EXPORT gf_vocab *gf_vocab_new(uint32_t seed);
GF_EXPORT void gf_vocab_free(gf_vocab *v);
/* Counts n tokens. text [bytes] holds them with one separator byte between them; utf16_lengths [n] are their
 * lengths in UTF-16 code units. ids [n] receives their ids. Returns the number of distinct tokens so far, GF_BAD_INPUT if the lengths
 * exceed the text, or GF_NO_MEMORY; tokens before the failing one are counted. */
GF_EXPORT int gf_vocab_add(int32_t *ids, gf_vocab *v, const uint8_t *text, int bytes, const int32_t *utf16_lengths,
                           int n);
/* order [V]: the ids, if `sorted` by descending count and then by code points, else in order of first appearance.
 * counts [V]: the counts in the same order. Returns V, or GF_NO_MEMORY. */
GF_EXPORT int gf_vocab_order(int32_t *order, int32_t *counts, const gf_vocab *v, int sorted);

/* Subword tokenizers ----------------------------------------------------------------------------------------------- */

/* Splits a text into words by GPT-2's pre-tokenizer. ends [room]: the end of each word in bytes. classes [GF_CLASSES]:
 * the class of each code point: 1 letter, 2 number, 3 white space, 0 other. flags: GF_TEXT_END for the last window.
 * Returns the number of words; the rest of the text needs the next window or more room. If it returns 0 before the end
 * of the text, pass a longer window. */
enum { GF_CLASSES = 262144 };
GF_EXPORT int gf_cut(int32_t *ends, const uint8_t *classes, const uint8_t *text, int bytes, int room, int flags);
/* Converts ends [n], ascending, from UTF-16 units to bytes of text [bytes]. An end inside a character becomes the end
 * of that character. */
GF_EXPORT void gf_byte_ends(int32_t *ends, int n, const uint8_t *text, int bytes);
/* spans [n,2]: the spans in UTF-16 units of the pieces that end at ends [n], ascending, in bytes of text [bytes]. A
 * piece includes every character of which it has a byte. Returns the end of the last span. */
GF_EXPORT int gf_unit_spans(int32_t *spans, const int32_t *ends, int n, const uint8_t *text, int bytes);

/* A map from pieces (byte strings) to ids. gf_pieces_new returns NULL if out of memory; gf_pieces_free accepts NULL.
 * gf_pieces_add adds n pieces, which end at ends [n] in text, with ids [n]; `continuing` pieces (WordPiece's ##) have a
 * separate map. Returns GF_OK or GF_NO_MEMORY. */
typedef struct gf_pieces gf_pieces;
GF_EXPORT gf_pieces *gf_pieces_new(uint32_t seed);
GF_EXPORT void gf_pieces_free(gf_pieces *p);
GF_EXPORT int gf_pieces_add(gf_pieces *p, const uint8_t *text, const int32_t *ends, const int32_t *ids, int n,
                            int continuing);

/* Byte-pair encoding. merges [n,4]: left id, right id, rank (the lowest is merged first), merged id; of two merges
 * of one pair, the later one counts, as in Hugging Face's library. byte_ids [256]: the id of each byte. whole_words:
 * words that are tokens regardless of the merges; may be NULL; must outlive the result. Returns NULL if out of memory;
 * gf_bpe_free accepts NULL. */
typedef struct gf_bpe gf_bpe;
GF_EXPORT gf_bpe *gf_bpe_new(const int32_t *byte_ids, const int32_t *merges, int n, const gf_pieces *whole_words,
                             uint32_t seed);
GF_EXPORT void gf_bpe_free(gf_bpe *b);
/* Merges the bytes of text, or symbols, of each of n words, which end at words [n]. ids and ends receive the id and the
 * end of each piece, in bytes (symbols), and need room for one per byte (symbol). Returns the number of pieces, or
 * GF_NO_MEMORY. */
GF_EXPORT int gf_bpe_bytes(int32_t *ids, int32_t *ends, gf_bpe *b, const uint8_t *text, const int32_t *words, int n);
GF_EXPORT int gf_bpe_symbols(int32_t *ids, int32_t *ends, gf_bpe *b, const int32_t *symbols, const int32_t *words,
                             int n);
/* WordPiece: greedy longest match in each of n words, which end at words [n] in bytes of text. A word of more than
 * `max_characters` characters, or without a match, gets the id `unknown`. ids and ends need room for one per byte.
 * Returns the number of pieces. */
GF_EXPORT int gf_wordpiece(int32_t *ids, int32_t *ends, const gf_pieces *p, const uint8_t *text, const int32_t *words,
                           int n, int unknown, int max_characters);
/* Unigram language model: the most probable segmentation of each of n words (Viterbi). scores [ids] are
 * log-probabilities; a character that is not a piece gets unknown_score and the id `unknown`. GF_UNIGRAM_FUSE joins
 * consecutive unknown characters, GF_UNIGRAM_SINGLE rounds sums to float32, GF_UNIGRAM_SPLIT excludes pieces that are a
 * whole word of several characters. Returns the number of pieces, or GF_NO_MEMORY. */
enum { GF_UNIGRAM_SINGLE = 1, GF_UNIGRAM_FUSE = 2, GF_UNIGRAM_SPLIT = 4 };
GF_EXPORT int gf_unigram(int32_t *ids, int32_t *ends, const gf_pieces *p, const double *scores, const uint8_t *text,
                         const int32_t *words, int n, double unknown_score, int unknown, int flags);
/* The lattice of gf_unigram for one word. arcs [room,3]: the start, end and id of each piece in search order, with
 * arc_scores [room]. last [bytes+1]: the last arc of the best segmentation up to each byte, -1 where no piece ends;
 * totals [bytes+1]: the score of that segmentation, else 0. Returns the number of arcs, of which at most `room` are
 * written, or GF_NO_MEMORY. */
GF_EXPORT int gf_unigram_lattice(int32_t *arcs, double *arc_scores, int room, int32_t *last, double *totals,
                                 const gf_pieces *p, const double *scores, const uint8_t *text, int bytes,
                                 double unknown_score, int unknown, int flags);
/* Training of a unigram language model by expectation maximization, on n words that occur counts [n] times.
 * gf_unigram_expect (E step): expected [ids] += the expected count of each piece over all segmentations; returns the
 * log-likelihood, or NaN if out of memory. gf_unigram_maximize (M step): scores [n] from expected [n], all positive;
 * the buffers may be the same. gf_unigram_losses: losses [n] = the decrease of the mean log-likelihood per piece
 * without piece k, which occurs frequency [n] times and is segmented into ids, which end at ends [n], without it. */
GF_EXPORT double gf_unigram_expect(double *expected, const gf_pieces *p, const double *scores, const uint8_t *text,
                                   const int32_t *words, const int32_t *counts, int n);
GF_EXPORT void gf_unigram_maximize(double *scores, const double *expected, int n);
GF_EXPORT void gf_unigram_losses(double *losses, const double *frequency, const int32_t *ids, const int32_t *ends,
                                 int n);
/* Learns merges until there are `size` symbols or no pair occurs `min_count` times. merges [2 size,4]: left symbol,
 * right symbol, merged symbol, count of the pair. text holds the symbols of n words, which end at ends [n] and occur
 * counts [n] times; it is overwritten. The initial symbols 0 .. alphabet_size-1 have the bytes that end at
 * alphabet_ends [alphabet_size]; those from `initial` on only continue a word. If `likelihood`, pairs are scored as
 * in WordPiece. Returns the number of merges, or GF_NO_MEMORY. */
GF_EXPORT int gf_bpe_train(int32_t *merges, int32_t *text, const int32_t *ends, const int32_t *counts, int n,
                           const uint8_t *alphabet, const int32_t *alphabet_ends, int alphabet_size, int initial,
                           int size, int min_count, int likelihood, uint32_t seed);

/* Random numbers: PyTorch's CPU generator, bit for bit ------------------------------------------------------------- */

/* The state of mt19937, and the second value of a Box-Muller pair, which PyTorch saves for the next call. */
typedef struct {
  double saved_normal;
  int32_t has_saved_normal;
  int32_t position; /* index of the next word; 624: generate the next 624 words */
  uint32_t words[624];
} gf_generator;

/* sizeof(gf_generator). */
GF_EXPORT int gf_generator_size(void);
/* torch.manual_seed, which uses only the low 32 bits of a seed. */
GF_EXPORT void gf_seed(gf_generator *g, uint32_t seed);
/* Tensor.uniform_(low, high): out [n]. */
GF_EXPORT void gf_uniform(float *out, gf_generator *g, int n, float low, float high);
/* torch.rand(n, dtype=float64): out [n] doubles. */
GF_EXPORT void gf_uniform_double(double *out, gf_generator *g, int n);
/* Tensor.normal_(mean, std): out [n]. As in PyTorch, n < 16 selects a scalar algorithm and n >= 16 a vectorized one. */
GF_EXPORT void gf_normal(float *out, gf_generator *g, int n, double mean, double std);
/* torch.bernoulli(p): out [n] is 1 with probability p [n], else 0. */
GF_EXPORT void gf_bernoulli(float *out, gf_generator *g, const float *p, int n);
/* torch.multinomial: samples out [N,n] classes from the rows of p [N,C], which need not sum to 1. work [C], order [C].
 * Samples with replacement if `replacement` is set, else without (n <= C). */
GF_EXPORT void gf_multinomial(int32_t *out, gf_generator *g, float *work, int32_t *order, const float *p, int N, int C,
                              int n, int replacement);
/* torch.randint(low, low + range, n): out [n] doubles, exact while |value| < 2^53. */
GF_EXPORT void gf_randint(double *out, gf_generator *g, int n, double low, double range);
/* torch.randperm(n): out [n] int32. */
GF_EXPORT void gf_randperm(int32_t *out, gf_generator *g, int n);
/* torch.nn.init.trunc_normal_(mean, std, a, b): out [n]. */
GF_EXPORT void gf_trunc_normal(float *out, gf_generator *g, int n, double mean, double std, double a, double b);
/* The mask of F.dropout(x, p) in training: mask [n] is 1 / (1 - p) with probability 1 - p, else 0. */
GF_EXPORT void gf_dropout_mask(float *mask, gf_generator *g, int n, double p);

/* Elementwise operations ------------------------------------------------------------------------------------------- */

/* For each line of ops/unary.h: out [n] from x [n], and dx [n] += from dout, x and out [n]. p and q are the scalar
 * parameters of the operation; most ignore them. */
#define GF_DECLARE_UNARY(name, ...)                                                                                   \
  GF_EXPORT void gf_##name##_forward(float *out, const float *x, int n, float p, float q);                            \
  GF_EXPORT void gf_##name##_backward(float *dx, const float *dout, const float *x, const float *out, int n, float p, \
                                      float q);
GF_UNARY(GF_DECLARE_UNARY)
/* For each line of ops/binary.h, with broadcasting: out from a and b; da and db += from dout, out, a and b, summed over
 * the broadcast axes; either may be NULL. axes is [rank, sizes, strides of a, strides of b] with rank values each, rank
 * from 1 to 16: the sizes of out, and strides in values, 0 along a broadcast axis; along the last axis they are 0 or 1.
 */
#define GF_DECLARE_BINARY(name, ...)                                                                             \
  GF_EXPORT void gf_##name##_forward(float *out, const float *a, const float *b, const int32_t *axes);           \
  GF_EXPORT void gf_##name##_backward(float *da, float *db, const float *dout, const float *out, const float *a, \
                                      const float *b, const int32_t *axes);
GF_BINARY(GF_DECLARE_BINARY)
/* The dtypes of buffers that are passed as void. A bool is a byte, 0 or 1. */
enum { GF_FLOAT32 = 0, GF_INT32 = 1, GF_FLOAT64 = 2, GF_BOOL = 3, GF_FLOAT16 = 4, GF_BFLOAT16 = 5, GF_INT8 = 6 };
/* Converts x [n] of dtype x_type to out [n] of dtype out_type, rounding to nearest, ties to even. Conversion to int32
 * truncates, saturates, and maps NaN to 0; conversion to bool maps everything except 0 to 1. */
GF_EXPORT void gf_convert(void *out, int out_type, const void *x, int x_type, int n);
enum {
  GF_EQ = 0,
  GF_NE = 1,
  GF_LT = 2,
  GF_LE = 3,
  GF_GT = 4,
  GF_GE = 5,
  GF_AND = 6,
  GF_OR = 7,
  GF_XOR = 8 /* AND, OR and XOR treat every value except 0 as true */
};
/* out (bool) = a compared with b, broadcast by axes as for ops/binary.h. */
GF_EXPORT void gf_compare(uint8_t *out, const void *a, const void *b, const int32_t *axes, int a_type, int b_type,
                          int comparison);
enum { GF_INT_ADD = 0, GF_INT_SUB = 1, GF_INT_MUL = 2, GF_INT_POW = 3, GF_INT_MAXIMUM = 4, GF_INT_MINIMUM = 5 };
enum { GF_INT_AND = 6 };
/* out (int32) of a and b (int32 or bool) modulo 2^32, broadcast by axes as for ops/binary.h. A negative power is
 * truncated to an integer. */
GF_EXPORT void gf_int_arithmetic(int32_t *out, const void *a, const void *b, const int32_t *axes, int a_type,
                                 int b_type, int kind);
/* out += x, n values. */
GF_EXPORT void gf_accumulate(float *out, const float *x, int n);
/* out [outer,B,middle,A,inner] = x [outer,A,middle,B,inner] with the axes A and B transposed. Backward takes the same
 * sizes: dx has the shape of x and dout that of out. */
GF_EXPORT void gf_transpose_forward(float *out, const float *x, int outer, int A, int middle, int B, int inner);
GF_EXPORT void gf_transpose_backward(float *dx, const float *dout, int outer, int A, int middle, int B, int inner);
/* x *= factor, n values. */
GF_EXPORT void gf_scale(float *x, int n, float factor);
/* The sums of n values, of their absolute values and of their squares, accumulated in double; the maximum absolute
 * value, NaN if any value is. */
GF_EXPORT double gf_sum(const float *x, int n);
GF_EXPORT double gf_sum_absolute(const float *x, int n);
GF_EXPORT double gf_sum_squares(const float *x, int n);
GF_EXPORT float gf_max_absolute(const float *x, int n);
/* x = min(max(x, low), high), n values. */
GF_EXPORT void gf_clamp(float *x, int n, float low, float high);
/* out [n] = x [n] mask [n] with a mask of gf_dropout_mask; backward: dx += dout mask. */
GF_EXPORT void gf_dropout_forward(float *out, const float *x, const float *mask, int n);
GF_EXPORT void gf_dropout_backward(float *dx, const float *dout, const float *mask, int n);
/* GELU of n values: exact (erf), or the tanh approximation. */
GF_EXPORT void gf_gelu_forward(float *out, const float *x, int n);
GF_EXPORT void gf_gelu_backward(float *dx, const float *dout, const float *x, int n);
GF_EXPORT void gf_gelu_tanh_forward(float *out, const float *x, int n);
GF_EXPORT void gf_gelu_tanh_backward(float *dx, const float *dout, const float *x, int n);

/* Embeddings and positions ----------------------------------------------------------------------------------------- */

/* Returns the index of the first of n ids outside 0 .. V-1, or -1. The functions below do not check ids. */
GF_EXPORT int gf_embedding_check(const int32_t *ids, int n, int V);
/* out [n,C] = weight[ids]: the rows ids [n] of weight [V,C]. */
GF_EXPORT void gf_embedding_forward(float *out, const int32_t *ids, const float *weight, int n, int C);
/* gf_embedding_forward for a weight in panels (gf_repack) of dtype `type`, or packed by gf_int8_pack (GF_INT8). */
GF_EXPORT void gf_embedding_panels(float *out, const int32_t *ids, const void *weight, int n, int C, int type);
/* dweight [V,C] at the rows ids [n] += dout [n,C], except for the row padding_idx (-1: no padding row). */
GF_EXPORT void gf_embedding_backward(float *dweight, const float *dout, const int32_t *ids, int padding_idx, int n,
                                     int C);

typedef enum { GF_INTERLEAVED = 0, GF_CONCATENATED = 1 } gf_position_layout;
typedef enum { GF_POWER = 0, GF_LOG = 1, GF_LOG_FLOAT = 2 } gf_position_method;
/* Sinusoidal encodings of the positions 0 .. L-1: out [L,d] doubles. layout is a gf_position_layout, method a
 * gf_position_method; see positional_encoding.c. */
GF_EXPORT void gf_positional_encoding(double *out, int L, int d, double base, int layout, int method);
/* out [n] = x [n] rounded to float32. */
GF_EXPORT void gf_round_to_float(float *out, const double *x, int n);

/* Rotary position embedding of 2 half channels of every head. gf_rotary_frequencies: out [half] = 1 / base^(i/half).
 * gf_rotary_table: cosines and sines [n,half] of positions [n] times frequencies [half]. */
GF_EXPORT void gf_rotary_frequencies(float *out, int half, double base);
GF_EXPORT void gf_rotary_table(float *cosines, float *sines, const int32_t *positions, const float *frequencies, int n,
                               int half);
/* out [B,H,T,heads,D] = x with the pairs of the first R channels rotated. Row t of batch element b uses row b*batch + t
 * of the tables [.,R/2]. Pairs are channels 2i and 2i + 1 if `interleaved`, else i and i + R/2. */
GF_EXPORT void gf_rotary_forward(float *out, const float *x, const float *cosines, const float *sines, int batch, int B,
                                 int H, int T, int heads, int D, int R, int interleaved);
GF_EXPORT void gf_rotary_backward(float *dx, const float *dout, const float *cosines, const float *sines, int batch,
                                  int B, int H, int T, int heads, int D, int R, int interleaved);
/* ALiBi biases for attention: out [H,Tq,Tk]. Query i is at position past + i of the keys. */
GF_EXPORT void gf_alibi(float *out, int H, int Tq, int Tk, int past);

/* Copying, indexing and sorting ------------------------------------------------------------------------------------ */

/* out = x, or out += x if `accumulate`, at every index of axes: [rank, sizes, strides of out, strides of x]. Strides
 * may be 0 or negative. */
GF_EXPORT void gf_strided_copy(float *out, const float *x, const int32_t *axes, int accumulate);
/* Gathers from, or scatters into, x [outer,C,inner] along C. With c = index[o*index_outer + k*index_k + i*index_inner]:
 * GF_GATHER: picked[o,k,i] = x[o,c,i]; GF_SCATTER: x[o,c,i] = picked[o,k,i]; GF_SCATTER_ADD: +=. picked
 * [outer,K,inner]. Check the indices with gf_embedding_check first. */
enum { GF_GATHER = 0, GF_SCATTER = 1, GF_SCATTER_ADD = 2 };
GF_EXPORT void gf_gather(float *picked, float *x, const int32_t *index, int outer, int C, int inner, int K,
                         int index_outer, int index_k, int index_inner, int mode);
/* out [n] = mask [n] ? a : b. A step of 0 broadcasts one value, 1 reads [n]. Backward for one operand: dx [n] += dout
 * where mask equals `expected` (1 for a, 0 for b). */
GF_EXPORT void gf_where_forward(float *out, const uint8_t *mask, const float *a, const float *b, int a_step, int b_step,
                                int n);
GF_EXPORT void gf_where_backward(float *dx, const float *dout, const uint8_t *mask, int wanted, int n);
/* Cumulative sums along C: out and x [outer,C,inner]. */
GF_EXPORT void gf_cumsum_forward(float *out, const float *x, int outer, int C, int inner);
GF_EXPORT void gf_cumsum_backward(float *dx, const float *dout, int outer, int C, int inner);
/* Stable argsort of x [outer,C,inner] along C: order [outer,k,inner] receives the indices of the first k values. NaN
 * sorts as the largest. workspace [2 C]. */
GF_EXPORT void gf_sort(int32_t *order, int32_t *workspace, const float *x, int outer, int C, int inner, int k,
                       int descending);

/* Matrix product and linear layer ---------------------------------------------------------------------------------- */

enum {
  GF_TRANSPOSE_A = 1, /* a is stored [K,M] */
  GF_TRANSPOSE_B = 2, /* b is stored [N,K] */
  GF_PANELS_B = 4,    /* b is in panels (gf_repack) */
  GF_ACCUMULATE = 8,  /* out += */
  GF_FLOAT16_B = 16,  /* the panels of b are float16, all finite */
  GF_BFLOAT16_B = 32  /* the panels of b are bfloat16 */
};
/* Selects the instruction order of the inner loop: two products before their two sums (1, the default), or each sum
 * directly after its product (0), which some engines run faster. The results have the same bits. */
GF_EXPORT void gf_matmul_in_pairs(int enabled);
/* The workspace of gf_matmul, in floats. With float32 panels (GF_PANELS_B), N = 0 is enough. */
GF_EXPORT double gf_matmul_workspace(int M, int N, int K);
/* out [M,N] = a [M,K] b [K,N] + bias [N] (NULL: none). Each cell is summed in the order of k. flags: the enum above. */
GF_EXPORT void gf_matmul(float *out, float *workspace, const float *a, const void *b, const float *bias, int M, int N,
                         int K, int flags);
/* gf_matmul for the block of out with rows m .. m + rows and columns n .. n + columns; with panels n is a multiple of
 * 8. The workspace is that of gf_matmul for [rows,K] by [K,columns]. */
GF_EXPORT void gf_matmul_part(float *out, float *workspace, const float *a, const void *b, const float *bias, int M,
                              int N, int K, int flags, int m, int rows, int n, int columns);
/* Packs a weight [N,K] (a transposed b) of dtype GF_FLOAT32, GF_FLOAT16 or GF_BFLOAT16 into panels [ceil(N/8)][K][8] in
 * place, or back if `unpack`. weight has gf_panels_size(N, K) values, workspace 8 K of the same dtype. Returns 0, and
 * changes nothing, if a float16 value is not finite; else 1. */
GF_EXPORT double gf_panels_size(int N, int K);
GF_EXPORT int gf_repack(void *weight, void *workspace, int N, int K, int type, int unpack);
/* The bytes of an int8 weight [N,K]. 32 adjacent values of a row share a scale; int8.c describes the layout. */
GF_EXPORT double gf_int8_size(int N, int K);
/* Quantizes rows [count,K] into rows first .. first + count of weight. Returns the index in `rows` of the first row
 * with a value that is not finite, or -1. */
GF_EXPORT int gf_int8_pack(void *weight, const float *rows, int first, int count, int K);
/* The dequantized value at [row,column] of a weight with K columns. */
GF_EXPORT double gf_int8_read(const void *weight, int row, int column, int K);
/* Dequantizes rows first .. first + count of weight to out [count,K]. */
GF_EXPORT void gf_int8_rows(float *out, const void *weight, int first, int count, int K);
/* out [M,N] = x [M,K] W^T + bias [N] (NULL: none) for an int8 weight W [N,K]. x is quantized to int16 in blocks of 32
 * with a scale each; a value that is not finite makes its row of out NaN. workspace: gf_int8_workspace floats. */
GF_EXPORT double gf_int8_workspace(int M, int K);
GF_EXPORT void gf_int8_product(float *out, float *workspace, const float *x, const void *weight, const float *bias,
                               int M, int N, int K);
/* out [M,K] = x after the rounding of gf_int8_product, to integers up to `max`, which is 32767 there. */
GF_EXPORT void gf_int8_rounded(float *out, const float *x, int M, int K, int max);
/* dbias [C] += the column sums of dout [N,C]. */
GF_EXPORT void gf_bias_backward(float *dbias, const float *dout, int N, int C);

/* Reductions ------------------------------------------------------------------------------------------------------- */

enum {
  GF_SUM = 0,
  GF_MEAN = 1,
  GF_MAX = 2,
  GF_MIN = 3,
  GF_PROD = 4,
  GF_VAR = 5,
  GF_STD = 6, /* of GF_VAR and GF_STD, p is the correction: the divisor is C - p */
  GF_LOGSUMEXP = 7,
  GF_NORM = 8 /* p is the exponent, infinity included */
};
/* Reduces the rows of x [N,C] to out [N]. GF_MAX and GF_MIN need C > 0. work [C] is needed by GF_LOGSUMEXP only, else
 * it may be NULL. */
GF_EXPORT void gf_reduce_forward(float *out, float *work, const float *x, int N, int C, int kind, double p);
/* GF_SUM, GF_MEAN, GF_MAX, GF_MIN, GF_VAR or GF_STD over R: out [outer,C] of x [outer,R,C]. */
GF_EXPORT void gf_reduce_columns(float *out, const float *x, int outer, int R, int C, int kind, double p);
/* How the gradient of a maximum or minimum is split among tied values: all to the first, equal shares, or equal shares
 * with NaNs counted as tied. */
typedef enum { GF_TIES_TO_FIRST = 0, GF_TIES_SHARED = 1, GF_TIES_SHARED_WITH_NANS = 2 } gf_tie_rule;
/* dx [N,C] += the derivative times dout [N]. ties is a gf_tie_rule, used by GF_MAX and GF_MIN. */
GF_EXPORT void gf_reduce_backward(float *dx, const float *dout, const float *out, const float *x, int N, int C,
                                  int kind, double p, int ties);
/* out [N] = the index of the first maximum (or minimum, if `is_min`) of each row of x [N,C], C > 0. If a row has a NaN,
 * the index of its first NaN. */
GF_EXPORT void gf_argmax(int32_t *out, const float *x, int N, int C, int is_min);
/* GF_SUM, GF_MAX or GF_MIN of the rows of x [N,C] of dtype int32 or bool; GF_MAX and GF_MIN need C > 0. Returns 0 if a
 * sum overflows int32, else 1. */
GF_EXPORT int gf_reduce_int(int32_t *out, const void *x, int type, int N, int C, int kind);

/* Normalization ---------------------------------------------------------------------------------------------------- */

/* Softmax and log-softmax over C; all tensors are [N,C]. A row of only -infinity gives NaN, as in PyTorch. */
GF_EXPORT void gf_softmax_forward(float *out, const float *x, int N, int C);
GF_EXPORT void gf_softmax_backward(float *dx, const float *dout, const float *out, int N, int C);
GF_EXPORT void gf_log_softmax_forward(float *out, const float *x, int N, int C);
GF_EXPORT void gf_log_softmax_backward(float *dx, const float *dout, const float *out, int N, int C);
/* Layer norm over C: out and x [N,C]; weight and bias [C] may be NULL. mean and rstd [N] are saved for backward; pass
 * NULL for both in inference. dweight and dbias [C]. */
GF_EXPORT void gf_layer_norm_forward(float *out, float *mean, float *rstd, const float *x, const float *weight,
                                     const float *bias, int N, int C, double eps);
GF_EXPORT void gf_layer_norm_backward(float *dx, float *dweight, float *dbias, const float *dout, const float *x,
                                      const float *mean, const float *rstd, const float *weight, int N, int C);

/* RMS norm over C: out and x [N,C]; weight [C] may be NULL. rstd [N] is saved for backward; NULL in inference. */
GF_EXPORT void gf_rms_norm_forward(float *out, float *rstd, const float *x, const float *weight, int N, int C,
                                   double eps);
GF_EXPORT void gf_rms_norm_backward(float *dx, float *dweight, const float *dout, const float *x, const float *rstd,
                                    const float *weight, int N, int C);

/* Attention -------------------------------------------------------------------------------------------------------- */

/* Strides of queries, keys, values or outputs, in floats: the row of batch element b, head h, time t starts at
 * b * batch + h * head + t * time. They describe both [B,H,T,D] and [B,T,H*D]. */
typedef struct {
  int32_t batch, head, time;
} gf_strides;

/* Attention masks, all optional and combined. Query i is at position past + i of the keys. */
typedef struct {
  const float
      *additive; /* added to the scores, or NULL; (b,h,i,j) is at b*additive_batch + h*additive_head + i*Tk + j */
  int32_t additive_batch; /* stride in floats, 0 to broadcast */
  int32_t additive_head;  /* stride in floats, 0 to broadcast */
  const uint8_t *padding; /* key padding mask [B,Tk], 1 masks the key, or NULL */
  int32_t causal;         /* 1: a query attends only to keys up to its own position */
  int32_t past;           /* the position of the first query; 0: aligned at the top left */
  int32_t window;         /* n > 0: a query attends only to keys less than n positions away; 0: no window */
} gf_mask;

/* The intermediate steps of attention, each computed from the one before; all [B,H,Tq,Tk], each may be NULL. */
typedef struct {
  float *dots;    /* q k^T, also of masked keys */
  float *scores;  /* scale dots, also of masked keys */
  float *masked;  /* scores + mask */
  float *weights; /* softmax(masked), before dropout */
} gf_attention_steps;
typedef enum { GF_FROM_START = 0, GF_FROM_DOTS = 1, GF_FROM_SCORES, GF_FROM_MASKED, GF_FROM_WEIGHTS } gf_attention_from;

/* The parameters of an attention call. k and v have H / group heads: `group` consecutive heads of q share one (GQA). */
typedef struct {
  int32_t B, H, Tq, Tk, D, Dv, group;
  int32_t capacity; /* 0: k and v are rows; else they are a cache with room for that many keys (gf_cache_copy) */
  int32_t from;     /* gf_attention_from: the step that the caller provides; later steps are computed from it */
  float scale;
  gf_strides q, k, v, out; /* of a cache, batch and head are the strides of its blocks */
  gf_mask mask;
} gf_attention;

/* The workspace of the forward or the backward functions, in floats. */
GF_EXPORT double gf_attention_workspace(const gf_attention *p, int backward);
/* out = softmax(scale q k^T + mask) v. Steps whose pointer in `saved` is not NULL are saved; out has the same bits
 * either way. If p->from is not GF_FROM_START, that step is read from `saved`. dropout [B,H,Tq,Tk] multiplies the
 * weights, or NULL. */
GF_EXPORT void gf_attention_forward(float *out, const gf_attention_steps *saved, float *workspace, const float *q,
                                    const float *k, const float *v, const float *dropout, const gf_attention *p);
/* gf_attention_blocks: the number of blocks of 8 queries, over all batch elements and heads.
 * gf_attention_forward_part: gf_attention_forward for blocks first .. first + count. */
GF_EXPORT int gf_attention_blocks(const gf_attention *p);
GF_EXPORT void gf_attention_forward_part(float *out, const gf_attention_steps *saved, float *workspace, const float *q,
                                         const float *k, const float *v, const float *dropout, const gf_attention *p,
                                         int first, int count);
/* dq, dk and dv += the gradients, in the layouts of q, k and v; `gradients` += those of the steps. Each may be NULL.
 * weights are the saved ones. k and v must not be a cache. */
GF_EXPORT void gf_attention_backward(float *dq, float *dk, float *dv, const gf_attention_steps *gradients,
                                     float *workspace, const float *dout, const float *weights, const float *q,
                                     const float *k, const float *v, const float *dropout, const gf_attention *p);
/* gf_attention_backward for kv heads first .. first + count, counted over all batch elements, and their query heads. */
GF_EXPORT void gf_attention_backward_part(float *dq, float *dk, float *dv, const gf_attention_steps *gradients,
                                          float *workspace, const float *dout, const float *weights, const float *q,
                                          const float *k, const float *v, const float *dropout, const gf_attention *p,
                                          int first, int count);
/* out [B,cells] = the mean over H of weights [B,H,cells]. */
GF_EXPORT void gf_attention_average(float *out, const float *weights, int B, int H, int cells);

/* A KV cache stores keys or values as the panels that the matrix product reads: a block for each batch element and
 * head, [ceil(capacity/8)][D][8] of keys or [ceil(D/8)][capacity][8] of values. */
enum { GF_CACHE_VALUES = 1, GF_CACHE_READ = 2 };
/* The floats of a block; flags: GF_CACHE_VALUES or 0. */
GF_EXPORT double gf_cache_block_size(int capacity, int D, int flags);
/* Copies rows [B,H,T,D] with the given strides to positions first .. first + T of the cache, or, with GF_CACHE_READ,
 * from them to rows. */
GF_EXPORT void gf_cache_copy(float *cache, float *rows, const gf_strides *strides, int B, int H, int first, int T,
                             int capacity, int D, int flags);

/* Loss ------------------------------------------------------------------------------------------------------------- */

/* Returns the index of the first target that is neither ignore_index nor in 0 .. V-1, or -1. */
GF_EXPORT int gf_cross_entropy_check(const int32_t *target, int N, int V, int ignore_index);
/* losses [N] of logits [N,V] and target [N]; 0 where the target is ignored. log_probs [N,V] is saved for backward; if
 * logits is NULL, it is the input. weight [V] are class weights, or NULL for 1. Returns the sum of the weights of the
 * targets that are not ignored. */
GF_EXPORT double gf_cross_entropy_forward(float *losses, float *log_probs, const float *logits, const float *weight,
                                          const int32_t *target, int N, int V, int ignore_index, float smoothing);
/* dlogits [N,V] += the derivative times dlosses [N], or, if `shared`, times the single value dlosses [1]. */
GF_EXPORT void gf_cross_entropy_backward(float *dlogits, const float *dlosses, const float *log_probs,
                                         const float *weight, const int32_t *target, int N, int V, int ignore_index,
                                         float smoothing, int shared);
/* dlog_probs [N,V] += scale times the derivative of the loss by log_probs, times dlosses. */
GF_EXPORT void gf_nll_loss_backward(float *dlog_probs, const float *dlosses, const float *weight, const int32_t *target,
                                    int N, int V, int ignore_index, float scale, int shared);

/* Optimizers: one step for the n values of a parameter ------------------------------------------------------------- */

/* SGD with a momentum buffer [n] (NULL: no momentum). If `first`, the buffer is initialized with the gradient. */
GF_EXPORT void gf_sgd_step(float *param, float *buffer, const float *grad, int n, float lr, float momentum,
                           float dampening, float weight_decay, int nesterov, int first);
/* Adam, or AdamW if `decoupled`. m and v [n] are the first and second moments, max_v [n] the largest v so far (NULL: no
 * AMSGrad); step counts from 1. */
GF_EXPORT void gf_adam_step(float *param, float *m, float *v, float *max_v, const float *grad, int n, int step,
                            double lr, double beta1, double beta2, double eps, double weight_decay, int decoupled);

#endif
