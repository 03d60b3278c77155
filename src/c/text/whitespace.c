/* whitespace.c - Python's str.split(): the maximal runs of characters that are not white space.
 *
 * White space above ASCII has one of four lead bytes (C2 for U+0085 and U+00A0, E1 for U+1680, E2 for U+20xx, E3 for
 * U+3000); Hangul and Chinese characters have others and are skipped without decoding.
 */
#include "scanner.h"
#include "unicode.h"
#include "utf8.h"

/* The number of bytes from byte i on that are printable ASCII. */
static int count_printable(const uint8_t *text, int i, int bytes) {
  int start = i;
  while (i < bytes && text[i] > ' ' && text[i] < 0x80) i++;
  return i - start;
}

int gf_whitespace(int32_t *spans, int32_t *done, gf_token_slot *cache, const uint8_t *text, int bytes, int room,
                  int flags) {
  gf_scanner s = gf_scan(spans, cache, text, bytes, room, flags);
  while (s.at < bytes && !s.stop) {
    int run = count_printable(text, s.at, bytes), threes = run ? 0 : gf_utf8_three_byte_run(text + s.at, bytes - s.at);
    if (run + threes) {
      gf_scan_advance(&s, run + threes, run + threes / 3);
      continue;
    }
    gf_code_point p = gf_utf8_decode(text + s.at, bytes - s.at);
    if (gf_is_space(p.code)) gf_scan_space(&s, p.bytes);
    else gf_scan_advance(&s, p.bytes, gf_utf16_units(p.code));
  }
  return gf_scan_finish(&s, done);
}
