/* whitespace.c - Python's str.split(): the longest stretches of characters that are not white space.
 *
 * White space above ASCII begins with one of four lead bytes (U+0085 and U+00A0 with C2, U+1680 with E1, the U+20xx
 * with E2, U+3000 with E3); Hangul and Chinese characters begin with others and are passed over without being decoded.
 */
#include "scanner.h"
#include "unicode.h"
#include "utf8.h"

/* Bytes from byte i on that are printable ASCII. */
static int printable(const uint8_t *text, int i, int bytes) {
  int start = i;
  while (i < bytes && text[i] > ' ' && text[i] < 0x80) i++;
  return i - start;
}

int gf_whitespace(int32_t *spans, int32_t *done, gf_recent *recent, const uint8_t *text, int bytes, int room,
                  int flags) {
  gf_scanner s = gf_scan(spans, recent, text, bytes, room, flags);
  while (s.at < bytes && !s.stop) {
    int run = printable(text, s.at, bytes), threes = run ? 0 : gf_utf8_threes(text + s.at, bytes - s.at);
    if (run + threes) {
      gf_scan_take(&s, run + threes, run + threes / 3);
      continue;
    }
    gf_code_point p = gf_utf8_decode(text + s.at, bytes - s.at);
    if (gf_is_space(p.code)) gf_scan_space(&s, p.bytes);
    else gf_scan_take(&s, p.bytes, gf_utf16_units(p.code));
  }
  return gf_scan_finish(&s, done);
}
