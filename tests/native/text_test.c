/* text_test.c - the text kernels under sanitizers: decoding, windows of every size, short buffers, the vocabulary. */
#include "../../src/c/text/unicode.h"
#include "../../src/c/text/utf8.h"
#include "tokenizer_check.h"

/* Texts whose tokens depend on what comes much later or earlier, and bytes that are not UTF-8. */
static const char *const texts[] = {
    "",
    " ",
    "Hello, what's a basic split?",
    "나는 최근 파리 여행을 다녀왔다",
    "안녕하세요, 세계! 오늘은 2024년 5월 1일입니다.",
    "He said \"yes.\"  )  ] \n\t ",
    "The end. ' \"quoted\" the end.' ) \xC2\xBB \n",
    "\"Hello,\" she said. ''twice'' (''thrice'') [\"x\"",
    "I can't, cannot, won't; we'll've gone'tis 'tis'twas cannot'tis wanna gonna gimme that d'ye more'n",
    "a,,b ::c ,,,,\n",
    "dash--dash --- ``` `` ''' ''''' ....... . .",
    "dogs's' dog's, n'ts shouldn't've N'T don't's 'x' '\xEA\xB0\x80 y",
    "g\xC4\xB0mme 't\xC4\xB1\xC5\xBF \xE2\x80\x9Ehurly\xE2\x80\x9D \xC2\xABx\xC2\xBB",
    "\xF0\x9F\x91\xA9\xE2\x80\x8D\xF0\x9F\x91\xA7 family, e\xCC\x81 \xF0\x9D\x92\xB3's \xE3\x80\x80wide\xC2\xA0space",
    "\xE2\x80\xE2\x80\x9C\xF0\x9F\x91 \xED\xA0\x80\xED\xB0\x80 \xC0\x80 \xFF\xFE \xF4\x90\x80\x80 \x80\x80 x\xE2\x80",
    "no\x1Cspace\x1D in\x1E here\x1F or\xC2\x85 here",
    "it's",
    "it'll",
    "\xF0\xBF\xBF\xBF\xF1\x80\x80\x80",
};
enum { TEXTS = sizeof texts / sizeof texts[0] };

static void test_malformed(void) {
  static const struct {
    const char *bytes;
    int length, code, taken;
  } cases[] = {
      {"A", 1, 'A', 1},
      {"\xC3\xA9", 2, 0xE9, 2},
      {"\xEA\xB0\x80", 3, 0xAC00, 3},
      {"\xF0\x9F\x98\x80", 4, 0x1F600, 4},
      {"\xF4\x8F\xBF\xBF", 4, 0x10FFFF, 4},
      {"\xEF\xBB\xBF", 3, 0xFEFF, 3},
      {"\x80", 1, GF_REPLACEMENT, 1},
      {"\xBF\xBF", 2, GF_REPLACEMENT, 1},
      {"\xC0\x80", 2, GF_REPLACEMENT, 1},
      {"\xC1\xBF", 2, GF_REPLACEMENT, 1},
      {"\xC3", 1, GF_REPLACEMENT, 1},
      {"\xC3(", 2, GF_REPLACEMENT, 1},
      {"\xE0\x9F\xBF", 3, GF_REPLACEMENT, 1},
      {"\xE0\xA0", 2, GF_REPLACEMENT, 2},
      {"\xED\xA0\x80", 3, GF_REPLACEMENT, 1},
      {"\xED\x9F\xBF", 3, 0xD7FF, 3},
      {"\xE2\x80(", 3, GF_REPLACEMENT, 2},
      {"\xF0\x8F\xBF\xBF", 4, GF_REPLACEMENT, 1},
      {"\xF0\x9F\x98", 3, GF_REPLACEMENT, 3},
      {"\xF0\x9F\x98\xC3", 4, GF_REPLACEMENT, 3},
      {"\xF4\x90\x80\x80", 4, GF_REPLACEMENT, 1},
      {"\xF5\x80\x80\x80", 4, GF_REPLACEMENT, 1},
      {"\xFF", 1, GF_REPLACEMENT, 1},
  };
  for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
    uint8_t *text = exactly(cases[k].bytes, (size_t)cases[k].length);
    gf_code_point p = gf_utf8_decode(text, cases[k].length);
    REQUIRE(p.code == cases[k].code && p.bytes == cases[k].taken);
    free(text);
  }
}

static int encode(uint8_t *out, int32_t code) {
  if (code < 0x80) return out[0] = (uint8_t)code, 1;
  int n = code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
  for (int i = n - 1; i > 0; i--, code >>= 6) out[i] = (uint8_t)(0x80 | (code & 0x3F));
  out[0] = (uint8_t)((0xF00 >> n) | code);
  return n;
}

static void test_every_code_point(void) {
  for (int32_t code = 0; code < 0x110000; code++) {
    uint8_t text[4];
    int n = encode(text, code);
    gf_code_point p = gf_utf8_decode(text, n);
    int surrogate = code >= 0xD800 && code < 0xE000;
    REQUIRE(p.code == (surrogate ? GF_REPLACEMENT : code) && p.bytes == (surrogate ? 1 : n));
    REQUIRE(gf_utf16_units(code) == 1 + (code > 0xFFFF));
    REQUIRE(!(gf_is_space(code) && gf_is_word(code)));
    REQUIRE(!gf_is_digit(code) || gf_is_word(code));
  }
}

static void test_windows(kernel *scan) {
  for (int k = 0; k < TEXTS; k++) {
    const uint8_t *text = (const uint8_t *)texts[k];
    for (int bytes = (int)strlen(texts[k]); bytes >= 0; bytes--) { /* every text, cut off anywhere */
      for (int drop = 0; drop < 2; drop++) {
        int flags = drop ? GF_TEXT_DROP_PUNCTUATION : 0;
        tokens whole = run(scan, text, bytes, bytes + 1, bytes, flags, 0);
        for (int window = 1; window <= bytes; window += 1 + window / 4) {
          tokens parts = run(scan, text, bytes, window, bytes % 7 ? bytes : 1, flags, window % 2);
          REQUIRE(same(&whole, &parts));
          free(parts.spans);
        }
        free(whole.spans);
      }
    }
  }
}

static void test_no_text(void) {
  int32_t done[3], spans[3];
  REQUIRE(gf_words(spans, done, NULL, NULL, 0, 1, GF_TEXT_START | GF_TEXT_END) == 0 && done[2] == GF_TEXT_DONE);
  REQUIRE(gf_whitespace(spans, done, NULL, NULL, 0, 1, GF_TEXT_START | GF_TEXT_END) == 0 && done[2] == GF_TEXT_DONE);
}

static void test_vocab(void) {
  static const char text[] = "b\na\n\nb\n\xF0\x9F\x98\x80\n\xEF\xBF\xAE\nb\na";
  static const int32_t units[] = {1, 1, 0, 1, 2, 1, 1, 1};
  int32_t ids[8], order[5], counts[5];
  uint8_t *bytes = exactly(text, sizeof text - 1);
  gf_vocab *v = gf_vocab_new(7);
  REQUIRE(v && gf_vocab_order(order, counts, v, 1) == 0);
  REQUIRE(gf_vocab_add(ids, v, bytes, sizeof text - 1, units, 8) == 5);
  REQUIRE(!memcmp(ids, (int32_t[]){0, 1, 2, 0, 3, 4, 0, 1}, sizeof ids));
  REQUIRE(gf_vocab_order(order, counts, v, 1) == 5);
  REQUIRE(!memcmp(order, (int32_t[]){0, 1, 2, 4, 3}, sizeof order));
  REQUIRE(!memcmp(counts, (int32_t[]){3, 2, 1, 1, 1}, sizeof counts));
  REQUIRE(gf_vocab_order(order, counts, v, 0) == 5);
  REQUIRE(!memcmp(order, (int32_t[]){0, 1, 2, 3, 4}, sizeof order));
  REQUIRE(gf_vocab_add(ids, v, bytes, 3, (int32_t[]){1, 9}, 2) == GF_BAD_INPUT);
  REQUIRE(gf_vocab_add(ids, v, bytes, 1, (int32_t[]){1, 0, 0}, 3) == GF_BAD_INPUT);
  gf_vocab_free(v);
  gf_vocab_free(NULL);
  free(bytes);
}

/* 20000 numbers, the k-th of them k % 3 + 1 times, in an order that is not theirs. */
static void test_large_vocab(void) {
  enum { N = 20000 };
  gf_vocab *v = gf_vocab_new(7);
  for (int k = 0; k < 3 * N; k++) {
    int number = (int)((long)k * 7919 % N);
    if (k / N > number % 3) continue;
    char token[8];
    int32_t id, bytes = sprintf(token, "%d", number);
    REQUIRE(gf_vocab_add(&id, v, (uint8_t *)token, bytes, &bytes, 1) > 0);
  }
  int32_t *order = malloc(N * sizeof *order), *counts = malloc(N * sizeof *counts);
  REQUIRE(gf_vocab_order(order, counts, v, 1) == N);
  char before[8] = "";
  for (int k = 0; k < N; k++) {
    char token[8];
    int number = (int)((long)order[k] * 7919 % N);
    sprintf(token, "%d", number);
    REQUIRE(counts[k] == number % 3 + 1);
    REQUIRE(k == 0 || counts[k] < counts[k - 1] || strcmp(before, token) < 0);
    strcpy(before, token);
  }
  free(order);
  free(counts);
  gf_vocab_free(v);
}

static void test_tokenizers(void) {
  for (int k = 0; k < TEXTS; k++) {
    int bytes = (int)strlen(texts[k]);
    for (int window = 1; window < 40; window += 13)
      check_tokenizers((const uint8_t *)texts[k], bytes, window, (uint8_t)(k * 5 + window));
    for (int less = 1; less < 4 && less < bytes; less++) /* cut off in a character, or before what it goes on with */
      check_tokenizers((const uint8_t *)texts[k], bytes - less, 7, (uint8_t)(k + less));
  }
  uint8_t *long_text = malloc(3000);
  for (int i = 0; i < 3000; i++) long_text[i] = i < 600 ? 'a' : "ab \xEA\xB0\x80"[i % 6]; /* words enough to be kept */
  check_tokenizers(long_text, 3000, 100, 3);
  free(long_text);
}

/* Words of one letter, of which there are enough to be kept: nothing is joined, so that all room is needed. */
static void test_letters(void) {
  enum { N = 600 };
  uint8_t *letters = malloc(N);
  int32_t *words = malloc(N * sizeof *words);
  for (int i = 0; i < N; i++) {
    letters[i] = i < N - 1 ? 'a' + i % 7 : 'z';
    words[i] = i + 1;
  }
  check_bpe(letters, N, words, N, 0);
  check_bpe(letters, N, words, N, 1);
  free(letters);
  free(words);
}

/* 256 pairs, which is all that there is room for at first, and more of them than the table has room for at first. */
static void test_pairs(void) {
  enum { FIRST = 257, N = 8000 };
  uint8_t *text = malloc(N);
  for (int i = 0; i < FIRST; i++) text[i] = (uint8_t)i;
  for (int likelihood = 0; likelihood < 2; likelihood++)
    check_bpe(text, FIRST, (const int32_t[]){FIRST}, 1, likelihood);
  int32_t *words = malloc(N / 8 * sizeof *words);
  uint32_t state = 1;
  for (int i = 0; i < N; i++) text[i] = (uint8_t)((state = state * 1664525 + 1013904223) >> 25);
  for (int k = 0; k < N / 8; k++) words[k] = 8 * (k + 1);
  for (int likelihood = 0; likelihood < 2; likelihood++) check_bpe(text, N, words, N / 8, likelihood);
  free(text);
  free(words);
}

/* A word of no symbols is joined to none. */
static void test_empty_words(void) {
  int32_t of_byte[256] = {0}, ids[4], ends[4];
  gf_bpe *b = gf_bpe_new(of_byte, (int32_t[]){1, 2, 0, 3}, 1, NULL, 7);
  REQUIRE(b && gf_bpe_symbols(ids, ends, b, (int32_t[]){1, 2, 1, 2}, (int32_t[]){0, 1, 1, 3, 4, 4}, 6) == 4);
  REQUIRE(!memcmp(ids, (int32_t[]){1, 2, 1, 2}, sizeof ids) && !memcmp(ends, (int32_t[]){1, 2, 3, 4}, sizeof ends));
  REQUIRE(gf_bpe_symbols(ids, ends, b, (int32_t[]){1, 2, 1, 2}, (int32_t[]){0, 2, 2, 4}, 4) == 2);
  REQUIRE(ids[0] == 3 && ids[1] == 3 && ends[0] == 2 && ends[1] == 4);
  gf_bpe_free(b);
}

int main(void) {
  test_malformed();
  test_every_code_point();
  test_windows(gf_words);
  test_windows(gf_whitespace);
  test_no_text();
  test_vocab();
  test_large_vocab();
  test_tokenizers();
  test_letters();
  test_pairs();
  test_empty_words();
  puts("text: ok");
  return 0;
}
