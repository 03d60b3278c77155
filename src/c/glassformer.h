/* glassformer.h - every function of the kernels, and the rules that hold for all of them.
 *
 * Buffers   Row-major float32 unless said otherwise, owned by the caller, not overlapping, no alignment needed. Outputs
 *           come first, then caches and workspace, inputs, parameters, sizes. A kernel keeps nothing between calls.
 * Letters   B batch, H heads, T time (Tq queries, Tk keys), C channels, D size of a head, V vocabulary, N rows.
 * Sizes     Any size may be 0; then nothing is read or written beyond what the shape says. No buffer holds more than
 *           2^30 values, so that places, counts and strides fit an int; how much workspace a call needs may not, and is
 *           a double, for the caller to refuse.
 * Gradients A backward function ADDS to every gradient it is given (+=). One that makes several skips those that are
 *           NULL.
 * Errors    Only what C alone can see (an id outside the table, no memory) is reported, as a return value; shapes and
 *           ranges are checked by the caller. Nothing is printed, nothing exits.
 * Bits      Every sum has one fixed order and every operation its own rounding, so results are identical on every
 *           machine. NaN and infinity pass through as IEEE 754 says.
 */
#ifndef GLASSFORMER_H
#define GLASSFORMER_H

#include <stddef.h>
#include <stdint.h>

#include "ops/binary.h"
#include "ops/unary.h"

#define GF_EXPORT __attribute__((used, visibility("default")))

/* Returned by functions that can fail. Counts and positions are returned as values >= 0 instead. */
typedef enum { GF_OK = 0, GF_NO_MEMORY = -1, GF_BAD_INPUT = -2 } gf_status;

/* Memory ----------------------------------------------------------------------------------------------------------- */

/* A block of `bytes` bytes (at least 1), or NULL when there is no memory. Free it with gf_free. */
GF_EXPORT void *gf_alloc(size_t bytes);
GF_EXPORT void gf_free(void *block);
#ifdef __wasm_atomics__
/* Instances of one memory share all of it: each but the first is given a stack of its own, which ends at `end`. */
GF_EXPORT void gf_set_stack(void *end);
#endif

/* The kernels' cosine, within 2^-53 for arguments up to a million: for schedules that should not depend on the engine.
 */
GF_EXPORT double gf_cos(double x);

/* Text ------------------------------------------------------------------------------------------------------------- */

/* Text is UTF-8. Bytes that are not count as U+FFFD, one for each maximal subpart, as in TextDecoder. A long text may
 * be given in windows: the first has GF_TEXT_START, the last GF_TEXT_END, a short text both. What the last word of a
 * window becomes may depend on what follows, so the next window begins done[0] bytes after the beginning of this
 * one. */
enum {
  GF_TEXT_START = 1,
  GF_TEXT_END = 2,
  GF_TEXT_DROP_PUNCTUATION = 4 /* leave out the tokens , ? ! . */
};
/* Why a call ended before the end of the text. Nothing done and NEEDS_TEXT: give a longer window; nothing done and
 * NEEDS_ROOM: give more room for spans. */
typedef enum { GF_TEXT_DONE = 0, GF_TEXT_NEEDS_TEXT = 1, GF_TEXT_NEEDS_ROOM = 2 } gf_text_stop;
/* Stands in place of the end of a span whose token is not a piece of the text: a quotation mark written as `` or ''. */
enum { GF_TOKEN_OPENING_QUOTE = -1, GF_TOKEN_CLOSING_QUOTE = -2 };

/* A cache of tokens met lately. It lets a caller keep one object for each and use it again. */
typedef struct {
  uint64_t first, last, middle, bytes;
} gf_recent;
enum { GF_RECENT_PLACES = 4096, GF_RECENT_BYTES = 32 }; /* places, and the bytes of each */

/* Python's str.split() and NLTK 3.8's word_tokenize(text, preserve_line=True). Both return the number of tokens.
 * spans [room,3]: start and end of each in UTF-16 code units from the beginning of this window, ascending; and a place:
 *   p > 0, the token is the one that was last given place p; p < 0, it has place -p from now on; 0, it has none.
 * done [3]: bytes and UTF-16 units that are done with, and a gf_text_stop.
 * recent [GF_RECENT_PLACES], all zero before the first window, or NULL: no places.
 * text [bytes]; may be NULL when empty. */
GF_EXPORT int gf_whitespace(int32_t *spans, int32_t *done, gf_recent *recent, const uint8_t *text, int bytes, int room,
                            int flags);
GF_EXPORT int gf_words(int32_t *spans, int32_t *done, gf_recent *recent, const uint8_t *text, int bytes, int room,
                       int flags);

/* Tables of text take a seed, any number that whoever writes a file cannot foresee: it decides where things stand in
 * their hash tables, so that no file can be made whose entries all want one place. Results do not depend on it.
 *
 * Distinct tokens and how often each was seen. gf_vocab_new returns NULL when there is no memory; gf_vocab_free takes
 * NULL too. Ids count from 0 in the order of first appearance. */
typedef struct gf_vocab gf_vocab;
GF_EXPORT gf_vocab *gf_vocab_new(uint32_t seed);
GF_EXPORT void gf_vocab_free(gf_vocab *v);
/* Counts n tokens. text [bytes] holds them with one byte between each and the next; units [n] are their lengths in
 * UTF-16 code units. ids [n] receives their ids. Returns the number of distinct tokens so far, GF_BAD_INPUT when the
 * lengths go past the text, or GF_NO_MEMORY; the tokens before the one that failed are counted. */
GF_EXPORT int gf_vocab_add(int32_t *ids, gf_vocab *v, const uint8_t *text, int bytes, const int32_t *units, int n);
/* order [V]: the ids, sorted by count, highest first, then by code points; or unsorted, as first seen. counts [V]: the
 * count of each, in the same order. Returns V, or GF_NO_MEMORY. */
GF_EXPORT int gf_vocab_order(int32_t *order, int32_t *counts, const gf_vocab *v, int sorted);

/* Tokenizers that cut words into pieces ---------------------------------------------------------------------------- */

/* GPT-2's rule for cutting a text into words. ends [room]: the byte after each. classes [GF_CLASSES]: 1 for letters, 2
 * for numbers, 3 for white space, 0 for the rest. Returns how many; what is left over needs the next window (flags
 * GF_TEXT_END: this is the last) or more room. Nothing done before the end: give a longer window. */
enum { GF_CLASSES = 262144 };
GF_EXPORT int gf_cut(int32_t *ends, const uint8_t *classes, const uint8_t *text, int bytes, int room, int flags);
/* ends [n], ascending, in UTF-16 units of text [bytes], are replaced by bytes: the end of the character that has the
 * last of these units. */
GF_EXPORT void gf_byte_ends(int32_t *ends, int n, const uint8_t *text, int bytes);
/* spans [n,2] in UTF-16 units of pieces that end at ends [n], ascending, in bytes of text [bytes]: a piece has every
 * character of which it has a byte. Returns the end of the last. */
GF_EXPORT int gf_unit_spans(int32_t *spans, const int32_t *ends, int n, const uint8_t *text, int bytes);

/* A set of pieces: byte strings with ids. gf_pieces_new returns NULL when there is no memory; gf_pieces_free takes NULL
 * too. gf_pieces_add: piece k of n ends at ends [n] in text and has id ids [n]; `continuing` ones are apart from the
 * others. Returns GF_OK or GF_NO_MEMORY. */
typedef struct gf_pieces gf_pieces;
GF_EXPORT gf_pieces *gf_pieces_new(uint32_t seed);
GF_EXPORT void gf_pieces_free(gf_pieces *p);
GF_EXPORT int gf_pieces_add(gf_pieces *p, const uint8_t *text, const int32_t *ends, const int32_t *ids, int n,
                            int continuing);

/* Byte-pair encoding. merges [n,4]: left, right, rank (the lowest goes first), made; the first of two alike counts.
 * of_byte [256]: the id of each byte. whole: words that are one piece of these are that piece, or NULL; it has to live
 * as long. NULL when there is no memory. */
typedef struct gf_bpe gf_bpe;
GF_EXPORT gf_bpe *gf_bpe_new(const int32_t *of_byte, const int32_t *merges, int n, const gf_pieces *whole,
                             uint32_t seed);
GF_EXPORT void gf_bpe_free(gf_bpe *b);
/* Joins the bytes of text, or symbols, inside each of n words, which end at words [n]. ids and ends have room for as
 * many as there are bytes (symbols); ends are where each piece ends, in bytes (symbols). Returns how many, or
 * GF_NO_MEMORY. */
GF_EXPORT int gf_bpe_bytes(int32_t *ids, int32_t *ends, gf_bpe *b, const uint8_t *text, const int32_t *words, int n);
GF_EXPORT int gf_bpe_symbols(int32_t *ids, int32_t *ends, gf_bpe *b, const int32_t *symbols, const int32_t *words,
                             int n);
/* WordPiece: the longest piece each time, in each of n words, which end at words [n] in bytes of text. A word of more
 * than `longest` characters, or that cannot be cut, has the id `unknown`. ids and ends have room for as many as there
 * are bytes. Returns how many. */
GF_EXPORT int gf_wordpiece(int32_t *ids, int32_t *ends, const gf_pieces *p, const uint8_t *text, const int32_t *words,
                           int n, int unknown, int longest);
/* The unigram language model: the most probable pieces of each of n words. scores [ids] are logarithms; a character
 * that is no piece has unknown_score and the id `unknown`; those in a row are one with GF_UNIGRAM_FUSE.
 * GF_UNIGRAM_SINGLE: sums are rounded to float32. GF_UNIGRAM_SPLIT: no word of several characters is one piece. Returns
 * how many, or GF_NO_MEMORY. */
enum { GF_UNIGRAM_SINGLE = 1, GF_UNIGRAM_FUSE = 2, GF_UNIGRAM_SPLIT = 4 };
GF_EXPORT int gf_unigram(int32_t *ids, int32_t *ends, const gf_pieces *p, const double *scores, const uint8_t *text,
                         const int32_t *words, int n, double unknown_score, int unknown, int flags);
/* The same search in one word, to be seen: arcs [room,3] are the pieces that it looked at, start, end and id, in the
 * order in which it did, with arc_scores [room]. last [bytes+1]: the arc that the best cut up to each byte ends with, -1
 * where no piece ends; totals [bytes+1]: the score of that cut, 0 where there is none. Returns how many arcs there are,
 * of which no more than `room` are written, or GF_NO_MEMORY. */
GF_EXPORT int gf_unigram_lattice(int32_t *arcs, double *arc_scores, int room, int32_t *last, double *totals,
                                 const gf_pieces *p, const double *scores, const uint8_t *text, int bytes,
                                 double unknown_score, int unknown, int flags);
/* Learning a unigram language model of words that occur counts [n] times. gf_unigram_expect: how often each piece is
 * expected in all cuts, added to expected [ids]; returns the logarithm of the words' probability, NaN without memory.
 * gf_unigram_maximize: scores [n] of what is expected [n], at least a little; they may be the same memory.
 * gf_unigram_losses [n]: how much less probable the words are without piece k, which occurs frequency [n] times and is
 * cut otherwise into ids, which end at ends [n]. */
GF_EXPORT double gf_unigram_expect(double *expected, const gf_pieces *p, const double *scores, const uint8_t *text,
                                   const int32_t *words, const int32_t *counts, int n);
GF_EXPORT void gf_unigram_maximize(double *scores, const double *expected, int n);
GF_EXPORT void gf_unigram_losses(double *losses, const double *frequency, const int32_t *ids, const int32_t *ends,
                                 int n);
/* Learns merges until there are `size` symbols or no pair occurs `least` times. merges [2 size,4]: left, right, made,
 * and how often the pair occurred. text: the symbols of n words, which end at ends [n] and occur counts [n] times; it
 * is overwritten. Symbols 0 .. letters-1 have the bytes that end at alphabet_ends [letters]; those from `plain` on only
 * continue a word. likelihood: WordPiece's choice. Returns the number of merges, or GF_NO_MEMORY. */
GF_EXPORT int gf_bpe_train(int32_t *merges, int32_t *text, const int32_t *ends, const int32_t *counts, int n,
                           const uint8_t *alphabet, const int32_t *alphabet_ends, int letters, int plain, int size,
                           int least, int likelihood, uint32_t seed);

/* Random numbers: PyTorch's CPU generator, bit for bit ------------------------------------------------------------- */

/* The state: mt19937 and the second half of a scalar normal pair, which PyTorch keeps for the next call. */
typedef struct {
  double saved_normal;
  int32_t has_saved_normal;
  int32_t position; /* next word of `words`; 624 means: generate anew */
  uint32_t words[624];
} gf_generator;

/* Bytes of a gf_generator. */
GF_EXPORT int gf_generator_size(void);
/* torch.manual_seed: only the low 32 bits of a seed count. */
GF_EXPORT void gf_seed(gf_generator *g, uint32_t seed);
/* Tensor.uniform_(low, high): out [n]. */
GF_EXPORT void gf_uniform(float *out, gf_generator *g, int n, float low, float high);
/* torch.rand(n, dtype=float64): out [n] doubles. */
GF_EXPORT void gf_uniform_double(double *out, gf_generator *g, int n);
/* Tensor.normal_(mean, std): out [n]. From 16 values on PyTorch draws differently; both ways are here. */
GF_EXPORT void gf_normal(float *out, gf_generator *g, int n, double mean, double std);
/* torch.bernoulli(p): out [n] is 1 with probability p [n], else 0. */
GF_EXPORT void gf_bernoulli(float *out, gf_generator *g, const float *p, int n);
/* torch.multinomial: out [N,n] classes drawn from the rows of p [N,C], which need not sum to 1. work [C], order [C].
 * Each class once (n <= C), or, with `replacement`, as often as it comes. */
GF_EXPORT void gf_multinomial(int32_t *out, gf_generator *g, float *work, int32_t *order, const float *p, int N, int C,
                              int n, int replacement);
/* torch.randint(low, low + range, n): out [n] doubles, exact while |value| < 2^53. */
GF_EXPORT void gf_randint(double *out, gf_generator *g, int n, double low, double range);
/* torch.randperm(n): out [n] int32. */
GF_EXPORT void gf_randperm(int32_t *out, gf_generator *g, int n);
/* torch.nn.init.trunc_normal_: out [n] between a and b. */
GF_EXPORT void gf_trunc_normal(float *out, gf_generator *g, int n, double mean, double std, double a, double b);
/* The mask of F.dropout(x, p) while training: scale [n] is 1 / (1 - p) with probability 1 - p, else 0. */
GF_EXPORT void gf_dropout_mask(float *mask, gf_generator *g, int n, double p);

/* Element by element ----------------------------------------------------------------------------------------------- */

/* For each line of ops/unary.h: out [n] from x [n], and dx [n] += from dout, x and out [n]. p and q are the two numbers
 * the line may use. */
#define GF_DECLARE_UNARY(name, ...)                                                                                   \
  GF_EXPORT void gf_##name##_forward(float *out, const float *x, int n, float p, float q);                            \
  GF_EXPORT void gf_##name##_backward(float *dx, const float *dout, const float *x, const float *out, int n, float p, \
                                      float q);
GF_UNARY(GF_DECLARE_UNARY)
/* For each line of ops/binary.h, with broadcasting: out from a and b; da and db += from dout, out, a and b, summed over
 * the axes along which an operand is repeated; either may be NULL. axes is [rank, sides, steps of a, steps of b], rank
 * of each from 1 to 16: sides are those of out, steps are in floats and 0 along an axis that is repeated; along the
 * last axis they are 0 or 1. */
#define GF_DECLARE_BINARY(name, ...)                                                                             \
  GF_EXPORT void gf_##name##_forward(float *out, const float *a, const float *b, const int32_t *axes);           \
  GF_EXPORT void gf_##name##_backward(float *da, float *db, const float *dout, const float *out, const float *a, \
                                      const float *b, const int32_t *axes);
GF_BINARY(GF_DECLARE_BINARY)
/* The types of values, where a function takes them as void. bool is a byte, 0 or 1. */
enum { GF_FLOAT32 = 0, GF_INT32 = 1, GF_FLOAT64 = 2, GF_BOOL = 3, GF_FLOAT16 = 4, GF_BFLOAT16 = 5, GF_INT8 = 6 };
/* out [n] of one type = x [n] of another, rounded to the nearest. To int32 the fraction is cut off, what is too large
 * becomes the largest, NaN 0; to bool everything but 0 is 1. */
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
  GF_XOR = 8 /* of what is not 0 */
};
/* out, as bool, of a and b, with axes as above. */
GF_EXPORT void gf_compare(uint8_t *out, const void *a, const void *b, const int32_t *axes, int a_type, int b_type,
                          int comparison);
enum { GF_INT_ADD = 0, GF_INT_SUB = 1, GF_INT_MUL = 2, GF_INT_POW = 3, GF_INT_MAXIMUM = 4, GF_INT_MINIMUM = 5 };
/* out of a and b, int32 or bool, with axes as above; modulo 2^32. A negative power is cut off to a whole number. */
GF_EXPORT void gf_int_arithmetic(int32_t *out, const void *a, const void *b, const int32_t *axes, int a_type,
                                 int b_type, int kind);
/* out += x, n values. */
GF_EXPORT void gf_accumulate(float *out, const float *x, int n);
/* x [outer,A,middle,B,inner] with its axes A and B exchanged: out [outer,B,middle,A,inner]. The sizes are the same for
 * backward, which has dout in the place of out and dx in that of x. */
GF_EXPORT void gf_transpose_forward(float *out, const float *x, int outer, int A, int middle, int B, int inner);
GF_EXPORT void gf_transpose_backward(float *dx, const float *dout, int outer, int A, int middle, int B, int inner);
/* x *= factor, n values. */
GF_EXPORT void gf_scale(float *x, int n, float factor);
/* The sum of n values, their absolute values, or their squares, in double; and the largest absolute value. */
GF_EXPORT double gf_sum(const float *x, int n);
GF_EXPORT double gf_sum_absolute(const float *x, int n);
GF_EXPORT double gf_sum_squares(const float *x, int n);
GF_EXPORT float gf_max_absolute(const float *x, int n);
/* x = min(max(x, low), high), n values. */
GF_EXPORT void gf_clamp(float *x, int n, float low, float high);
/* out [n] = x [n] mask [n], where mask holds 0 or 1 / (1 - p); backward dx += dout mask. */
GF_EXPORT void gf_dropout_forward(float *out, const float *x, const float *mask, int n);
GF_EXPORT void gf_dropout_backward(float *dx, const float *dout, const float *mask, int n);
/* GELU of n values, exact (erf) or with the tanh approximation. */
GF_EXPORT void gf_gelu_forward(float *out, const float *x, int n);
GF_EXPORT void gf_gelu_backward(float *dx, const float *dout, const float *x, int n);
GF_EXPORT void gf_gelu_tanh_forward(float *out, const float *x, int n);
GF_EXPORT void gf_gelu_tanh_backward(float *dx, const float *dout, const float *x, int n);

/* Embedding and position ------------------------------------------------------------------------------------------- */

/* The position of the first of n ids outside 0 .. V-1, or -1 when all are inside. Call it before the two below. */
GF_EXPORT int gf_embedding_check(const int32_t *ids, int n, int V);
/* out [n,C] = the rows ids [n] of weight [V,C]. */
GF_EXPORT void gf_embedding_forward(float *out, const int32_t *ids, const float *weight, int n, int C);
/* The same from a weight that gf_rearrange has turned into panels, or from one of gf_int8_pack (GF_INT8). */
GF_EXPORT void gf_embedding_panels(float *out, const int32_t *ids, const void *weight, int n, int C, int type);
/* dweight [V,C] += dout [n,C] at those rows; the row padding_idx gets nothing (-1: none is left out). */
GF_EXPORT void gf_embedding_backward(float *dweight, const float *dout, const int32_t *ids, int padding_idx, int n,
                                     int C);

typedef enum { GF_INTERLEAVED = 0, GF_CONCATENATED = 1 } gf_position_layout;
typedef enum { GF_POWER = 0, GF_LOG = 1, GF_LOG_FLOAT = 2 } gf_position_method;
/* Sinusoidal positions 0 .. L-1 in d dimensions, in double: out [L,d] doubles. */
GF_EXPORT void gf_positional_encoding(double *out, int L, int d, double base, int layout, int method);
/* out [n] = x [n] rounded to float32. */
GF_EXPORT void gf_round_to_float(float *out, const double *x, int n);

/* frequencies [half]: 1 / base^(i/half). Cosines and sines [n,half] of positions [n] times them. */
GF_EXPORT void gf_rotary_frequencies(float *out, int half, double base);
GF_EXPORT void gf_rotary_table(float *cosines, float *sines, const int32_t *positions, const float *frequencies, int n,
                               int half);
/* x [B,H,T,heads,D] with every pair of a head's channels turned; row t of sentence b uses row b*batch + t of the tables
 * [.,D/2]. Pairs are D/2 apart, or neighbours. */
GF_EXPORT void gf_rotary_forward(float *out, const float *x, const float *cosines, const float *sines, int batch, int B,
                                 int H, int T, int heads, int D, int interleaved);
GF_EXPORT void gf_rotary_backward(float *dx, const float *dout, const float *cosines, const float *sines, int batch,
                                  int B, int H, int T, int heads, int D, int interleaved);
/* Linear biases for attention [H,Tq,Tk]; query i stands at place past + i among the keys. */
GF_EXPORT void gf_alibi(float *out, int H, int Tq, int Tk, int past);

/* Moving values about ---------------------------------------------------------------------------------------------- */

/* to = from, or += from, for every index of the axes [rank, sides, steps of to, steps of from]; steps may be 0 or
 * negative. */
GF_EXPORT void gf_strided_copy(float *out, const float *x, const int32_t *axes, int accumulate);
/* Between x [outer,C,inner] and picked [outer,K,inner]: picked = x at the places index says along C, or x there =
 * picked, or += picked. The place for [o,k,i] is at o*index_outer + k*index_k + i*index_inner, checked by
 * gf_embedding_check. */
enum { GF_GATHER = 0, GF_SCATTER = 1, GF_SCATTER_ADD = 2 };
GF_EXPORT void gf_gather(float *picked, float *x, const int32_t *index, int outer, int C, int inner, int K,
                         int index_outer, int index_k, int index_inner, int mode);
/* out [n] = a where mask [n] holds, else b; a step of 0 keeps to one number. Backward for one of the two: dx += dout
 * where the mask is as wanted. */
GF_EXPORT void gf_where_forward(float *out, const uint8_t *mask, const float *a, const float *b, int a_step, int b_step,
                                int n);
GF_EXPORT void gf_where_backward(float *dx, const float *dout, const uint8_t *mask, int wanted, int n);
/* Running sums along C of x [outer,C,inner]. */
GF_EXPORT void gf_cumsum_forward(float *out, const float *x, int outer, int C, int inner);
GF_EXPORT void gf_cumsum_backward(float *dx, const float *dout, int outer, int C, int inner);
/* The order of x [outer,C,inner] along C: the places of the first k in it, order [outer,k,inner]. Equal values
 * stay as they stood; NaN counts as the largest. workspace: 2 C. */
GF_EXPORT void gf_sort(int32_t *order, int32_t *workspace, const float *x, int outer, int C, int inner, int k,
                       int descending);

/* Matrix product and linear layer ---------------------------------------------------------------------------------- */

enum {
  GF_TRANSPOSE_A = 1, /* a is stored [K,M] */
  GF_TRANSPOSE_B = 2, /* b is stored [N,K] */
  GF_PANELS_B = 4,    /* b was arranged by gf_rearrange */
  GF_ACCUMULATE = 8,  /* out += */
  GF_FLOAT16_B = 16,  /* panels of b hold float16, all of them finite */
  GF_BFLOAT16_B = 32  /* ... or bfloat16 */
};
/* In which order products and sums come, for the same bits: in pairs (1, from the start), or one by one (0) for engines
 * that run it faster. */
GF_EXPORT void gf_matmul_in_pairs(int enabled);
/* Floats of workspace that gf_matmul needs; with GF_PANELS_B of float32 an N of 0 will do. */
GF_EXPORT double gf_matmul_workspace(int M, int N, int K);
/* out [M,N] = a [M,K] b [K,N] + bias [N] (NULL: none), each cell summed from left to right. */
GF_EXPORT void gf_matmul(float *out, float *workspace, const float *a, const void *b, const float *bias, int M, int N,
                         int K, int flags);
/* The same only for some rows of out, from m on, and columns, from n on: a multiple of 8 with panels.
 * Workspace as for a product of that size. */
GF_EXPORT void gf_matmul_part(float *out, float *workspace, const float *a, const void *b, const float *bias, int M,
                              int N, int K, int flags, int m, int rows, int n, int columns);
/* Turns a weight [N,K] of GF_FLOAT32, GF_FLOAT16 or GF_BFLOAT16, a transposed b, into panels for many products, in its
 * own place, or back. Eight rows take the place that they had: weight has room for gf_panels_size values, workspace for
 * 8 K. 0 if float16 stayed as it was, because not all of it is finite. */
GF_EXPORT double gf_panels_size(int N, int K);
GF_EXPORT int gf_repack(void *weight, void *workspace, int N, int K, int type, int unpack);
/* Weights of 8 bits, 32 neighbours with a scale: int8.c says how they lie. Bytes of a weight [N,K]. */
GF_EXPORT double gf_int8_size(int N, int K);
/* Rows [count,K] become those of weight from `first` on: the first row that holds what is not finite, or -1. */
GF_EXPORT int gf_int8_pack(void *weight, const float *rows, int first, int count, int K);
GF_EXPORT double gf_int8_read(const void *weight, int row, int column, int K);
/* out [count,K]: the values of its rows from `first` on. */
GF_EXPORT void gf_int8_rows(float *out, const void *weight, int first, int count, int K);
/* out [M,N] = x [M,K] times the weight transposed + bias [N] (NULL: none), x rounded to 16 bits, 32 neighbours with a
 * scale; workspace has gf_int8_workspace floats. What is not finite in x makes its row NaN. */
GF_EXPORT double gf_int8_workspace(int M, int K);
GF_EXPORT void gf_int8_product(float *out, float *workspace, const float *x, const void *weight, const float *bias,
                               int M, int N, int K);
/* out [M,K]: x as gf_int8_product rounds it. */
GF_EXPORT void gf_int8_rounded(float *out, const float *x, int M, int K);
/* dbias [C] += the column sums of dout [N,C]. */
GF_EXPORT void gf_bias_backward(float *dbias, const float *dout, int N, int C);

/* Reducing --------------------------------------------------------------------------------------------------------- */

enum {
  GF_SUM = 0,
  GF_MEAN = 1,
  GF_MAX = 2,
  GF_MIN = 3,
  GF_PROD = 4,
  GF_VAR = 5,
  GF_STD = 6, /* p is what is taken off the count */
  GF_LOGSUMEXP = 7,
  GF_NORM = 8 /* p is the exponent, infinity included */
};
/* out [N] of the rows of x [N,C]; the extremes need C > 0. work [C] is used by GF_LOGSUMEXP, else it may be NULL. */
GF_EXPORT void gf_reduce_forward(float *out, float *work, const float *x, int N, int C, int kind, double p);
/* GF_SUM, GF_MEAN, GF_MAX, GF_MIN, GF_VAR or GF_STD of each column: out [outer,C] of x [outer,R,C]. */
GF_EXPORT void gf_reduce_columns(float *out, const float *x, int outer, int R, int C, int kind, double p);
/* Whom the derivative of an extreme goes to: the first, each of its equals a share, or NaNs counting as equals, too. */
typedef enum { GF_TIES_TO_FIRST = 0, GF_TIES_SHARED = 1, GF_TIES_SHARED_WITH_NANS = 2 } gf_tie_rule;
/* dx [N,C] += the derivative times dout [N]; shared is a gf_shared, of extremes. */
GF_EXPORT void gf_reduce_backward(float *dx, const float *dout, const float *out, const float *x, int N, int C,
                                  int kind, double p, int ties);
/* Where the first largest, or smallest, of each row of x [N,C] stands, C > 0; the first NaN counts as more extreme. */
GF_EXPORT void gf_argmax(int32_t *out, const float *x, int N, int C, int is_min);
/* GF_SUM, GF_MAX or GF_MIN of rows of int32 or bool; the extremes need C > 0. Returns 0 if a sum does not fit into
 * int32, else 1. */
GF_EXPORT int gf_reduce_int(int32_t *out, const void *x, int type, int N, int C, int kind);

/* Normalising ------------------------------------------------------------------------------------------------------ */

/* Softmax and its logarithm over rows of C: all tensors [N,C]. A row of only -infinity gives NaN, as in PyTorch. */
GF_EXPORT void gf_softmax_forward(float *out, const float *x, int N, int C);
GF_EXPORT void gf_softmax_backward(float *dx, const float *dout, const float *out, int N, int C);
GF_EXPORT void gf_log_softmax_forward(float *out, const float *x, int N, int C);
GF_EXPORT void gf_log_softmax_backward(float *dx, const float *dout, const float *out, int N, int C);
/* Layer norm over rows of C: out and x [N,C]; weight and bias [C] may be NULL. mean and rstd [N] are what
 * backward needs; NULL where nobody will ask. dweight and dbias [C]. */
GF_EXPORT void gf_layer_norm_forward(float *out, float *mean, float *rstd, const float *x, const float *weight,
                                     const float *bias, int N, int C, double eps);
GF_EXPORT void gf_layer_norm_backward(float *dx, float *dweight, float *dbias, const float *dout, const float *x,
                                      const float *mean, const float *rstd, const float *weight, int N, int C);

/* Root mean square norm over rows of C, as layer norm without mean and bias. rstd [N] and weight [C] may be NULL. */
GF_EXPORT void gf_rms_norm_forward(float *out, float *rstd, const float *x, const float *weight, int N, int C,
                                   double eps);
GF_EXPORT void gf_rms_norm_backward(float *dx, float *dweight, const float *dout, const float *x, const float *rstd,
                                    const float *weight, int N, int C);

/* Attention -------------------------------------------------------------------------------------------------------- */

/* Where query, key, value and output rows lie: the row of sentence b, head h, time t starts at
 * b * batch + h * head + t * time floats. Both [B,H,T,D] and [B,T,H*D] are such layouts. */
typedef struct {
  int32_t batch, head, time;
} gf_strides;

/* Masks, each may be absent. A cell's mask is their sum; -infinity hides. Query i stands at place past + i among the
 * keys. */
typedef struct {
  const float *additive;  /* added to the scores, or NULL; cell (b,h,i,j) at b*batch + h*head + i*Tk + j */
  int32_t additive_batch; /* floats, 0 to share */
  int32_t additive_head;  /* floats, 0 to share */
  const uint8_t *padding; /* [B,Tk], 1 hides the key, or NULL */
  int32_t causal;         /* 1 hides the keys after the query's own place */
  int32_t past;           /* the place of the first query; 0: aligned at the top left */
  int32_t window;         /* n > 0 hides the keys n or more places away from the query; 0: none */
  int32_t save_hidden;    /* 1: kept dots and scores hold those of causally hidden keys, too; 0: -infinity there */
} gf_mask;

/* The steps of attention, each made of the one before; all [B,H,Tq,Tk], each may be NULL. */
typedef struct {
  float *dots;    /* q . k */
  float *scores;  /* dots scale */
  float *masked;  /* scores + mask */
  float *weights; /* softmax(masked), before dropout */
} gf_attention_steps;
typedef enum { GF_FROM_START = 0, GF_FROM_DOTS = 1, GF_FROM_SCORES, GF_FROM_MASKED, GF_FROM_WEIGHTS } gf_attention_from;

/* Each of the H / group heads of k and v serves `group` heads of q, one after the other. */
typedef struct {
  int32_t B, H, Tq, Tk, D, Dv, group;
  int32_t capacity; /* 0: k and v are rows; else they lie in a cache for so many keys (gf_cache_rows) */
  int32_t from;     /* gf_attention_from: the step that is given; later ones are made from it */
  float scale;
  gf_strides q, k, v, out; /* in a cache, batch and head of k and v are those of its blocks */
  gf_mask mask;
} gf_attention;

/* Floats of workspace for forward, or for backward. */
GF_EXPORT double gf_attention_workspace(const gf_attention *p, int backward);
/* out = softmax(scale q k^T + mask) v. What `kept` has room for is kept; the output has the same bits either way. From
 * a later step than the start on, that step is read and must be there. dropout [B,H,Tq,Tk] multiplies the weights, or
 * NULL. */
GF_EXPORT void gf_attention_forward(float *out, const gf_attention_steps *saved, float *workspace, const float *q,
                                    const float *k, const float *v, const float *dropout, const gf_attention *p);
/* The same for some of its blocks of 8 queries, which are counted through all heads of all sentences. */
GF_EXPORT int gf_attention_blocks(const gf_attention *p);
GF_EXPORT void gf_attention_forward_part(float *out, const gf_attention_steps *saved, float *workspace, const float *q,
                                         const float *k, const float *v, const float *dropout, const gf_attention *p,
                                         int first, int count);
/* dq, dk, dv in the layouts of q, k, v, and the gradients of the steps; each may be NULL. Not from a cache. */
GF_EXPORT void gf_attention_backward(float *dq, float *dk, float *dv, const gf_attention_steps *gradients,
                                     float *workspace, const float *dout, const float *weights, const float *q,
                                     const float *k, const float *v, const float *dropout, const gf_attention *p);
/* The same for some heads of k and v, counted through all sentences, and the heads of q that share them. */
GF_EXPORT void gf_attention_backward_part(float *dq, float *dk, float *dv, const gf_attention_steps *gradients,
                                          float *workspace, const float *dout, const float *weights, const float *q,
                                          const float *k, const float *v, const float *dropout, const gf_attention *p,
                                          int first, int count);
/* out [B,cells] = the mean over H of weights [B,H,cells]. */
GF_EXPORT void gf_attention_average(float *out, const float *weights, int B, int H, int cells);

/* A cache holds keys, or values, as panels of 8, which the matrix product reads as they are: a block for each sentence
 * and head, [ceil(capacity/8)][D][8] of keys or [ceil(D/8)][capacity][8] of values. */
enum { GF_CACHE_VALUES = 1, GF_CACHE_READ = 2 };
/* Floats of one block. */
GF_EXPORT double gf_cache_block_size(int capacity, int D, int flags);
/* Copies rows [B,H,T,D], which lie as `at` says, into the cache as those from `first` on; GF_CACHE_READ: out of it. */
GF_EXPORT void gf_cache_copy(float *cache, float *rows, const gf_strides *strides, int B, int H, int first, int T,
                             int capacity, int D, int flags);

/* Loss ------------------------------------------------------------------------------------------------------------- */

/* The position of the first target that is neither ignore_index nor inside 0 .. V-1, or -1. */
GF_EXPORT int gf_cross_entropy_check(const int32_t *target, int N, int V, int ignore_index);
/* losses [N] of logits [N,V] and target [N], 0 where ignored; log_probs [N,V] is kept for backward. Without logits
 * (NULL) log_probs are given. weight [V] counts each class so many times, or NULL. Returns the weights of the targets
 * that are not ignored, or how many they are. */
GF_EXPORT double gf_cross_entropy_forward(float *losses, float *log_probs, const float *logits, const float *weight,
                                          const int32_t *target, int N, int V, int ignore_index, float smoothing);
/* dlogits [N,V] += the derivative times dlosses [N], or, with `shared`, times one value [1] for all rows. */
GF_EXPORT void gf_cross_entropy_backward(float *dlogits, const float *dlosses, const float *log_probs,
                                         const float *weight, const int32_t *target, int N, int V, int ignore_index,
                                         float smoothing, int shared);
/* The same for given log_probs, times `scale`. */
GF_EXPORT void gf_nll_loss_backward(float *dlog_probs, const float *dlosses, const float *weight, const int32_t *target,
                                    int N, int V, int ignore_index, float scale, int shared);

/* Optimisers: one step over n values of a parameter ---------------------------------------------------------------- */

/* SGD with momentum buffer [n] (NULL without momentum). first: the buffer starts as the gradient. */
GF_EXPORT void gf_sgd_step(float *param, float *buffer, const float *grad, int n, float lr, float momentum,
                           float dampening, float weight_decay, int nesterov, int first);
/* Adam, or AdamW when `decoupled`: m, v [n] are the running moments, step counts from 1. */
GF_EXPORT void gf_adam_step(float *param, float *m, float *v, const float *grad, int n, int step, double lr,
                            double beta1, double beta2, double eps, double weight_decay, int decoupled);

#endif
