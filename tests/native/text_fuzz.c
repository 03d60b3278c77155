/* text_fuzz.c - libFuzzer: any bytes, in any windows, give the same tokens, inside the text and in order; tokenizers
 * learned from them cover them. */
#include "tokenizer_check.h"

static void check_scan(kernel *scan, const uint8_t *text, int bytes, int window, int room, int flags) {
  tokens whole = run(scan, text, bytes, bytes + 1, bytes, flags, 0);
  tokens parts = run(scan, text, bytes, window, room, flags, 1);
  REQUIRE(same(&whole, &parts));
  free(whole.spans);
  free(parts.spans);
}

/* The text as tokens of `length` units: as many ids as tokens, all below the number of distinct ones, all counted. */
static void check_vocab(const uint8_t *text, int bytes, int length) {
  int n = bytes / (length + 1);
  int32_t *units = malloc(sizeof *units * ((size_t)n + 1)), *ids = malloc(sizeof *ids * ((size_t)n + 1));
  for (int k = 0; k < n; k++) units[k] = k % (length + 1);
  gf_vocab *v = gf_vocab_new(7);
  int size = gf_vocab_add(ids, v, text, bytes, units, n);
  if (size >= 0) {
    int32_t *order = malloc(sizeof *order * ((size_t)size + 1)), *counts = malloc(sizeof *counts * ((size_t)size + 1));
    REQUIRE(gf_vocab_order(order, counts, v, 1) == size);
    int total = 0;
    for (int k = 0; k < size; k++) {
      REQUIRE(order[k] >= 0 && order[k] < size && (k == 0 || counts[k] <= counts[k - 1]));
      total += counts[k];
    }
    for (int k = 0; k < n; k++) REQUIRE(ids[k] >= 0 && ids[k] < size);
    REQUIRE(total == n);
    free(order);
    free(counts);
  }
  gf_vocab_free(v);
  free(units);
  free(ids);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size < 3) return 0;
  int window = 1 + data[0], room = data[1] % 16, flags = data[2] & GF_TEXT_DROP_PUNCTUATION;
  uint8_t *text = exactly(data + 3, size - 3);
  int bytes = (int)size - 3;
  check_scan(gf_words, text, bytes, window, room, flags);
  check_scan(gf_whitespace, text, bytes, window, room, flags);
  check_vocab(text, bytes, data[2] % 8);
  check_tokenizers(text, bytes, window, data[1]);
  free(text);
  return 0;
}
