/* unicode.h - the three character classes of Python's regular expressions, for every code point. */
#ifndef GF_TEXT_UNICODE_H
#define GF_TEXT_UNICODE_H

#include <stdbool.h>
#include <stdint.h>

bool gf_is_word(int32_t code);  /* \w: letters, numbers of every kind, and the underscore */
bool gf_is_digit(int32_t code); /* \d: decimal digits */
bool gf_is_space(int32_t code); /* \s, where str.split() splits, too */

#endif
