/* utf8.c - decoding UTF-8, valid or not.
 *
 * The lead byte gives the number of continuation bytes (10xxxxxx) and the highest bits:
 *
 *     0xxxxxxx                              1 byte, U+0000 .. U+007F
 *     110xxxxx 10xxxxxx                     2 bytes, from U+0080
 *     1110xxxx 10xxxxxx 10xxxxxx            3 bytes, from U+0800
 *     11110xxx 10xxxxxx 10xxxxxx 10xxxxxx   4 bytes, from U+10000
 *
 * Overlong forms, the surrogates U+D800 .. U+DFFF and code points above U+10FFFF are invalid; for each lead byte, the
 * range of the second byte excludes them. Each maximal invalid subpart becomes one U+FFFD: the longest prefix of some
 * valid sequence, else a single byte. TextDecoder does the same, so counts of UTF-16 units agree with its strings.
 */
#include "utf8.h"

typedef struct {
  uint8_t length, low, high; /* bytes in the sequence, and the range of the second of them */
} sequence;

static sequence sequence_of(uint8_t lead) {
  if (lead < 0xC2) return (sequence){1, 0, 0}; /* a stray continuation byte, or an overlong two-byte form */
  if (lead < 0xE0) return (sequence){2, 0x80, 0xBF};
  if (lead < 0xF0) return (sequence){3, lead == 0xE0 ? 0xA0 : 0x80, lead == 0xED ? 0x9F : 0xBF};
  if (lead < 0xF5) return (sequence){4, lead == 0xF0 ? 0x90 : 0x80, lead == 0xF4 ? 0x8F : 0xBF};
  return (sequence){1, 0, 0};
}

gf_code_point gf_utf8_decode(const uint8_t *text, int32_t bytes) {
  uint8_t lead = text[0];
  if (lead < 0x80) return (gf_code_point){lead, 1};
  sequence s = sequence_of(lead);
  if (s.length == 1) return (gf_code_point){GF_REPLACEMENT, 1};
  int32_t code = lead & (0x7F >> s.length);
  for (int32_t i = 1; i < s.length; i++) {
    uint8_t low = i == 1 ? s.low : 0x80, high = i == 1 ? s.high : 0xBF;
    if (i >= bytes || text[i] < low || text[i] > high) return (gf_code_point){GF_REPLACEMENT, i};
    code = code << 6 | (text[i] & 0x3F);
  }
  return (gf_code_point){code, s.length};
}
