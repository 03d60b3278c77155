/* utf8.h - decoding code points from bytes that may be invalid UTF-8. */
#ifndef GF_TEXT_UTF8_H
#define GF_TEXT_UTF8_H

#include <stdint.h>

enum { GF_REPLACEMENT = 0xFFFD };

typedef struct {
  int32_t code;  /* the code point, or GF_REPLACEMENT for invalid bytes */
  int32_t bytes; /* the number of bytes read, 1 to 4 */
} gf_code_point;

/* The code point at the start of text [bytes]; bytes >= 1. */
gf_code_point gf_utf8_decode(const uint8_t *text, int32_t bytes);

/* As gf_utf8_decode, for loops: ASCII and most sequences of three bytes are decoded inline. */
static inline gf_code_point gf_utf8_next(const uint8_t *text, int32_t bytes) {
  uint8_t lead = text[0];
  if (lead < 0x80) return (gf_code_point){lead, 1};
  if (lead > 0xE0 && lead < 0xED && bytes > 2 && (text[1] & 0xC0) == 0x80 && (text[2] & 0xC0) == 0x80)
    return (gf_code_point){(lead & 0x0F) << 12 | (text[1] & 0x3F) << 6 | (text[2] & 0x3F), 3};
  return gf_utf8_decode(text, bytes);
}

/* The length in bytes of the run of valid three-byte sequences at the start of text [bytes] whose lead bytes are E4 to
 * EC, EE or EF: Hangul, Chinese characters and others. words.c and whitespace.c treat all of them as ordinary
 * characters, full-width punctuation too. Each is one UTF-16 unit. */
static inline int32_t gf_utf8_three_byte_run(const uint8_t *text, int32_t bytes) {
  int32_t i = 0;
  while (i + 2 < bytes && text[i] >= 0xE4 && text[i] < 0xF0 && text[i] != 0xED && (text[i + 1] & 0xC0) == 0x80 &&
         (text[i + 2] & 0xC0) == 0x80)
    i += 3;
  return i;
}

/* UTF-16 code units of a code point. */
static inline int32_t gf_utf16_units(int32_t code) { return code > 0xFFFF ? 2 : 1; }

#endif
