/* allocation_test.c - the n-th block that a text kernel asks for is not to be had, or none from the n-th on, for every
 * n: it says so, keeps nothing, and does what was asked when it is asked again. build.sh links it with --wrap, so that
 * every block comes by here. */
#include "require.h"

enum { WORDS = 600, LETTERS = 256, SIZE = 320, ROOM = 8 * WORDS, ALL = -1 };

static int left = ALL; /* blocks that are given still */
static int is_lasting; /* whether none is given after one was refused */
static int refused;    /* blocks that were not given */
static int live;       /* blocks given and not freed */

void *__real_malloc(size_t bytes);
void *__real_calloc(size_t count, size_t bytes);
void *__real_realloc(void *block, size_t bytes);
void __real_free(void *block);

static int is_refused(void) {
  if (left == ALL) return 0;
  if (left > 0) return left--, 0;
  if (!is_lasting) left = ALL;
  return ++refused;
}

static void *counted(void *block) {
  REQUIRE(block);
  live++;
  return block;
}

void *__wrap_malloc(size_t bytes) { return is_refused() ? NULL : counted(__real_malloc(bytes)); }
void *__wrap_calloc(size_t count, size_t bytes) { return is_refused() ? NULL : counted(__real_calloc(count, bytes)); }
void *__wrap_realloc(void *block, size_t bytes) {
  if (is_refused()) return NULL;
  live -= block != NULL;
  return counted(__real_realloc(block, bytes));
}
void __wrap_free(void *block) {
  live -= block != NULL;
  __real_free(block);
}

/* 600 different words one after the other, where they end, and how often they occur. */
static uint8_t text[ROOM];
static int32_t ends[WORDS], numbers[WORDS], counts[WORDS], bytes;

static void write_words(void) {
  for (int k = 0; k < WORDS; k++) {
    ends[k] = bytes += snprintf((char *)text + bytes, sizeof text - (size_t)bytes, "w%dth", k * 7);
    numbers[k] = k;
    counts[k] = 1 + k % 3;
  }
}

/* What a call gives once there is memory. */
#define ONCE_THERE_IS(result, call)    \
  do {                                 \
    result = call;                     \
    if (result != GF_NO_MEMORY) break; \
    left = ALL;                        \
    result = call;                     \
  } while (0)

static void vocabulary(void) {
  static uint8_t lines[2 * ROOM];
  static int32_t ids[WORDS], units[WORDS], order[WORDS], seen[WORDS];
  int at = 0, made;
  for (int k = 0, start = 0; k < WORDS; start = ends[k++]) {
    memcpy(lines + at, text + start, (size_t)(units[k] = ends[k] - start));
    at += units[k];
    lines[at++] = ' ';
  }
  gf_vocab *v = gf_vocab_new(7);
  if (!v) return;
  ONCE_THERE_IS(made, gf_vocab_add(ids, v, lines, at - 1, units, WORDS));
  REQUIRE(made == WORDS && !memcmp(ids, numbers, sizeof ids));
  ONCE_THERE_IS(made, gf_vocab_order(order, seen, v, 1));
  REQUIRE(made == WORDS && seen[0] >= seen[WORDS - 1] && seen[WORDS - 1] >= 1);
  gf_vocab_free(v);
}

/* All words as pieces. */
static gf_pieces *words_as_pieces(void) {
  int made;
  gf_pieces *p = gf_pieces_new(7);
  if (p) ONCE_THERE_IS(made, gf_pieces_add(p, text, ends, numbers, WORDS, 0));
  return p;
}

/* The text as one word is cut into its words again, each way. */
static void unigram(void) {
  static double scores[WORDS], expected[WORDS], totals[ROOM + 1];
  static int32_t ids[ROOM], own[ROOM], last[ROOM + 1];
  gf_pieces *p = words_as_pieces();
  if (!p) return;
  int made;
  for (int k = 0; k < WORDS; k++) scores[k] = -1;
  ONCE_THERE_IS(made, gf_unigram(ids, own, p, scores, text, &bytes, 1, -30, WORDS, 0));
  REQUIRE(made == WORDS && !memcmp(own, ends, sizeof ends) && !memcmp(ids, numbers, sizeof numbers));
  ONCE_THERE_IS(made, gf_unigram_lattice(NULL, NULL, 0, last, totals, p, scores, text, bytes, -30, WORDS, 0));
  REQUIRE(made > WORDS && totals[bytes] == -WORDS);
  memset(expected, 0, sizeof expected);
  double likelihood = gf_unigram_expect(expected, p, scores, text, ends, counts, WORDS);
  if (likelihood != likelihood) {
    left = ALL;
    likelihood = gf_unigram_expect(expected, p, scores, text, ends, counts, WORDS);
  }
  REQUIRE(likelihood < 0 && expected[0] > 0.5 && expected[0] <= counts[0]);
  gf_pieces_free(p);
}

static int32_t learned[8 * SIZE], merges;

static int learn(int likelihood) {
  static int32_t symbols[ROOM], letter_ends[LETTERS];
  static uint8_t alphabet[LETTERS];
  for (int k = 0; k < LETTERS; k++) alphabet[k] = (uint8_t)k, letter_ends[k] = k + 1;
  for (int i = 0; i < bytes; i++) symbols[i] = text[i];
  return gf_bpe_train(learned, symbols, ends, counts, WORDS, alphabet, letter_ends, LETTERS, LETTERS, SIZE, 2,
                      likelihood, 7);
}

static void learning(void) {
  for (int likelihood = 0; likelihood < 2; likelihood++) {
    ONCE_THERE_IS(merges, learn(likelihood));
    REQUIRE(merges == SIZE - LETTERS);
  }
}

/* Words that repeat, and a long one, for which there is a heap. */
static void joining(void) {
  static int32_t ids[ROOM], own[ROOM], of_byte[LETTERS], table[4 * SIZE];
  for (int k = 0; k < LETTERS; k++) of_byte[k] = k;
  for (int k = 0; k < merges; k++)
    memcpy(table + 4 * k, (int32_t[]){learned[4 * k], learned[4 * k + 1], k, learned[4 * k + 2]}, sizeof(int32_t[4]));
  gf_pieces *p = words_as_pieces();
  gf_bpe *b = p ? gf_bpe_new(of_byte, table, merges, p, 7) : NULL;
  if (b) {
    int made;
    ONCE_THERE_IS(made, gf_bpe_bytes(ids, own, b, text, ends, WORDS));
    REQUIRE(made == WORDS && !memcmp(own, ends, sizeof ends));
    for (int n = 1; n >= 0; n--) {
      const int32_t whole = n ? bytes / 2 : bytes, half = bytes / 2;
      made = gf_bpe_bytes(ids, own, b, text, &whole, 1);
      REQUIRE(made == GF_NO_MEMORY || own[made - 1] == whole);
      ONCE_THERE_IS(made, gf_bpe_bytes(ids, own, b, text, &half, 1));
      REQUIRE(made > WORDS / 2 && own[made - 1] == half);
    }
  }
  gf_bpe_free(b);
  gf_pieces_free(p);
}

int main(void) {
  void (*const works[])(void) = {vocabulary, unigram, learning, joining};
  write_words();
  for (size_t k = 0; k < sizeof works / sizeof works[0]; k++) {
    for (is_lasting = 0; is_lasting < 2; is_lasting++) {
      int n = 0;
      do {
        left = n++;
        refused = 0;
        works[k]();
        left = ALL;
        REQUIRE(live == 0);
      } while (refused);
    }
  }
  return 0;
}
