/* words.c - NLTK 3.8's word_tokenize(text, preserve_line=True) in one pass.
 *
 * NLTK applies 31 regular expressions to the text, one after the other, and splits the result at white space. Each
 * inserts spaces or replaces a quotation mark by `` or ''. Only white space is lost, so the result is a set of cuts in
 * the original text, and whether there is a cut before a character depends only on the characters around it. In NLTK's
 * order (S starting quotes, P punctuation, B brackets, D dashes, E ending quotes, C contractions; ␣ is U+0020, in the
 * text or inserted by an earlier rule):
 *
 *     S0  « “ ‘ „ and runs of `            cut around
 *     S1  " at the start of the text       becomes ``
 *     S2  each `` in a run of `            cut around
 *     S3  " or '' after ␣ ( [ { <          becomes ``
 *     S4  ' and one letter, not m t s d n  cut between them, when the letter ends there
 *     P0  . at the end of the text         cut around; ␣ ] ) } > " ' » ” ’ and then white space may follow
 *     P1  : or , and one character not \d  cut around : or ,; the character is used up, so in :: the second is not cut
 *     P2  : or , last, or before a last \n cut around
 *     P3  .. and longer                    cut around
 *     P4  ; @ # $ % &                      cut around
 *     P5  . at the end again               has no effect after P0
 *     P6  ? !                              cut around
 *     P7  a lone ' before ␣                cut around
 *     P8  *                                cut around
 *     B   brackets                         cut around
 *     D   each -- in a run of -            cut around
 *     E0  » ” ’                            cut around
 *     E1  each '' in a run of '            cut around
 *     E2  "                                becomes ''
 *     E3  ' 's 'm 'd before ␣              cut before
 *     E4  'll 're 've n't before ␣         cut before; all small or all capital
 *     C2  can|not d|'ye gim|me gon|na ...  cut around and between, where the word begins and ends; wan|na before \s
 *     C3  't|is, then 't|was, after ␣      cut between and after
 *
 * The order matters for rules that need a space: they see the spaces of earlier rules only. Only for ' and letters does
 * the space after them matter, so four functions "is there a space here when rule R applies?" express the whole order:
 * spaced_at_p7, _e3, _e4, _c2. Each reads at most a dozen of the following characters, except for P0, which reads up to
 * the end of the text or the next full stop.
 */
#include "scanner.h"
#include "unicode.h"
#include "utf8.h"

/* Properties of the character before the cursor. */
enum {
  AFTER_WORD = 1,       /* it is \w */
  AFTER_SPACE = 2,      /* it is ␣, or a rule before C3 inserts a ␣ after it */
  AFTER_OPENING = 4,    /* a quotation mark here opens: S3 */
  AFTER_APOSTROPHE = 8, /* it is a lone ' */
  AFTER_TIS = 16,       /* it ends a 'tis that C3 has split */
  AFTER_OTHER = 32      /* it is above ASCII, at `last`; whether it is \w is tested only when needed */
};

typedef struct {
  gf_scanner scan;
  int before; /* AFTER_... */
  int last;   /* byte offset of the character before the cursor, if it is AFTER_OTHER */
} tokenizer;

/* Kinds of characters, sixteen per row: s white space; w letters and digits; p ; @ # $ % & ? !; ( and ) all brackets;
 * comma also :; _ characters that no rule mentions; others stand for themselves. */
static const char ascii_kinds[128 + 1] =
    "_________sssss__"
    "____________ssss"
    "sp\"pppp'()*_,-._"
    "wwwwwwwwww,p(_)p"
    "pwwwwwwwwwwwwwww"
    "wwwwwwwwwww(_)_w"
    "`wwwwwwwwwwwwwww"
    "wwwwwwwwwww(_)__";
enum { END = 'e', OPENING = 'o', CLOSING = 'c', SPACE = 's', OTHER = 'u' };

static char kind_of(int32_t code) {
  if (gf_is_space(code)) return SPACE;
  switch (code) {
    case 0xAB:
    case 0x201C:
    case 0x2018:
    case 0x201E:
      return OPENING;
    case 0xBB:
    case 0x201D:
    case 0x2019:
      return CLOSING;
    default:
      return OTHER;
  }
}

static gf_code_point decode(const tokenizer *t, int i) { return gf_utf8_decode(t->scan.text + i, t->scan.bytes - i); }

/* The kind of the character at byte i. The end of a window counts as END even if the text continues: then the scanner
 * rewinds and the word is read again with the next window. */
static char kind_at(const tokenizer *t, int i) {
  if (i >= t->scan.bytes) return END;
  uint8_t c = t->scan.text[i];
  return c < 0x80 ? ascii_kinds[c] : kind_of(decode(t, i).code);
}

static bool is_at(const tokenizer *t, int i, char c) { return i < t->scan.bytes && t->scan.text[i] == (uint8_t)c; }

static bool is_letter_at(const tokenizer *t, int i, char small) {
  return i < t->scan.bytes && (t->scan.text[i] | 32) == small;
}

static bool is_word_at(const tokenizer *t, int i) { return i < t->scan.bytes && gf_is_word(decode(t, i).code); }

/* Spaces ---------------------------------------------------------------------------------------------------------- */

/* P0: whether the full stop at byte i is the last one. A quotation mark after ␣ has become `` by S3, which must not
 * follow. If the window ends inside a character, more text is needed. */
static bool is_final_stop(tokenizer *t, int i) {
  const uint8_t *text = t->scan.text;
  int end = t->scan.bytes;
  if (i == 0 && (t->scan.flags & GF_TEXT_START)) return false;
  for (i++; i < end; i++) {
    char kind = kind_at(t, i);
    bool quote = kind == '"' || (kind == '\'' && is_at(t, i + 1, '\''));
    if (quote && text[i - 1] == ' ') return false;
    if (kind == CLOSING) i += decode(t, i).bytes - 1;
    else if (kind != '\'' && kind != '"' && kind != ')' && text[i] != ' ') break;
  }
  while (i < end && kind_at(t, i) == SPACE) i += decode(t, i).bytes;
  bool ends_text = t->scan.flags & GF_TEXT_END, whole = end - i >= 4;
  if (i < end && (ends_text || whole || text[i] < 0x80)) return false;
  if (!ends_text) t->scan.stop = GF_TEXT_NEEDS_TEXT;
  return true;
}

/* P1 and P2: whether the first : or , of a run, at byte i, is split off. */
static bool is_pause(const tokenizer *t, int i) {
  return i + 1 >= t->scan.bytes || !gf_is_digit(decode(t, i + 1).code);
}

/* S4: whether the lone ' at byte i is split from a single letter after it. With (?i), U+017F matches s. */
static bool is_before_one_letter(const tokenizer *t, int i) {
  if (!is_word_at(t, i + 1)) return false;
  gf_code_point letter = decode(t, i + 1);
  if (is_word_at(t, i + 1 + letter.bytes)) return false;
  switch (letter.code) {
    case 'm':
    case 't':
    case 's':
    case 'd':
    case 'n':
    case 'M':
    case 'T':
    case 'S':
    case 'D':
    case 'N':
      return false;
    default:
      return letter.code != 0x17F;
  }
}

/* Whether there is a ␣ at byte i, after a letter or a lone ', when P7 applies. */
static bool spaced_at_p7(tokenizer *t, int i) {
  switch (kind_at(t, i)) {
    case SPACE:
      return is_at(t, i, ' ');
    case OPENING:
    case '`':
    case 'p':
      return true;
    case '.':
      return is_at(t, i + 1, '.') || is_final_stop(t, i);
    case ',':
      return is_pause(t, i);
    default:
      return false;
  }
}

/* ... when E3 applies. Before a lone ', S4 and P7 insert one. */
static bool spaced_at_e3(tokenizer *t, int i) {
  switch (kind_at(t, i)) {
    case END:
    case '*':
    case '(':
    case ')':
    case CLOSING:
    case '"':
      return true;
    case '-':
      return is_at(t, i + 1, '-');
    case '\'':
      return is_at(t, i + 1, '\'') || is_before_one_letter(t, i) || spaced_at_p7(t, i + 1);
    default:
      return spaced_at_p7(t, i);
  }
}

/* E3: whether the lone ' at byte i begins a clitic or ends a word. */
static bool is_clitic(tokenizer *t, int i) {
  if (is_before_one_letter(t, i) || spaced_at_e3(t, i + 1)) return true;
  bool letter = is_letter_at(t, i + 1, 's') || is_letter_at(t, i + 1, 'm') || is_letter_at(t, i + 1, 'd');
  return letter && spaced_at_e3(t, i + 2);
}

/* ... when E4 applies. */
static bool spaced_at_e4(tokenizer *t, int i) { return spaced_at_e3(t, i) || (is_at(t, i, '\'') && is_clitic(t, i)); }

/* E4: whether 'll, 're or 've is at byte i. */
static bool is_long_clitic(tokenizer *t, int i) {
  static const char pairs[][3] = {"ll", "LL", "re", "RE", "ve", "VE"};
  for (int k = 0; k < 6; k++)
    if (is_at(t, i + 1, pairs[k][0]) && is_at(t, i + 2, pairs[k][1])) return spaced_at_e4(t, i + 3);
  return false;
}

/* E4: whether n't is at byte i. */
static bool is_not(tokenizer *t, int i) {
  bool letters = (is_at(t, i, 'n') && is_at(t, i + 2, 't')) || (is_at(t, i, 'N') && is_at(t, i + 2, 'T'));
  return letters && is_at(t, i + 1, '\'') && spaced_at_e4(t, i + 3);
}

/* ... when C2 applies, after a letter. */
static bool spaced_at_c2(tokenizer *t, int i) {
  return spaced_at_e4(t, i) || (is_at(t, i, '\'') && is_long_clitic(t, i)) || is_not(t, i);
}

/* \b after a letter; n't has been split off by then. */
static bool ends_word(tokenizer *t, int i) { return !is_word_at(t, i) || is_not(t, i); }

/* Contractions ---------------------------------------------------------------------------------------------------- */

/* The length in bytes of the match of `word`, in lower case, at byte i under (?i), or 0. Python folds U+0130 and U+0131
 * to i and U+017F to s. */
static int match(const tokenizer *t, int i, const char *word) {
  int start = i;
  for (; *word; word++) {
    if (*word == '\'' ? is_at(t, i, '\'') : is_letter_at(t, i, *word)) {
      i++;
      continue;
    }
    if (*word != 'i' && *word != 's') return 0;
    int32_t code = i < t->scan.bytes ? decode(t, i).code : 0;
    if (*word == 'i' ? code != 0x130 && code != 0x131 : code != 0x17F) return 0;
    i += 2;
  }
  return i - start;
}

static int length(const char *word) {
  int n = 0;
  while (word[n]) n++;
  return n;
}

/* Emits the two tokens of a contraction, of `first` and `second` bytes; each letter is one UTF-16 unit. */
static void take_pair(tokenizer *t, const char *const pair[2], int first, int second) {
  gf_scan_end_token(&t->scan);
  gf_scan_advance(&t->scan, first, length(pair[0]));
  gf_scan_end_token(&t->scan);
  gf_scan_advance(&t->scan, second, length(pair[1]));
  gf_scan_end_token(&t->scan);
}

/* C2 at the start of a word. The last pair needs white space after it, the others only the end of the word. */
static bool take_contraction(tokenizer *t) {
  static const char *const pairs[][2] = {{"can", "not"}, {"d", "'ye"},  {"gim", "me"},  {"gon", "na"},
                                         {"got", "ta"},  {"lem", "me"}, {"more", "'n"}, {"wan", "na"}};
  int at = t->scan.at;
  for (int k = 0; k < 8; k++) {
    if (!is_letter_at(t, at, pairs[k][0][0])) continue;
    int first = match(t, at, pairs[k][0]), second = first ? match(t, at + first, pairs[k][1]) : 0;
    if (!second) continue;
    int end = at + first + second;
    if (!(k == 7 ? kind_at(t, end) == SPACE || spaced_at_c2(t, end) : ends_word(t, end))) continue;
    take_pair(t, pairs[k], first, second);
    t->before = AFTER_WORD | AFTER_SPACE;
    return true;
  }
  return false;
}

/* C3 at an apostrophe. 'tis is replaced first, so its space counts for a following 'twas, but not vice versa. */
static bool take_tis(tokenizer *t) {
  static const char *const pairs[][2] = {{"'t", "is"}, {"'t", "was"}};
  for (int k = 0; k < 2; k++) {
    if (!(t->before & (k ? AFTER_SPACE | AFTER_TIS : AFTER_SPACE))) continue;
    int at = t->scan.at, first = match(t, at, pairs[k][0]), second = first ? match(t, at + first, pairs[k][1]) : 0;
    if (!second || !ends_word(t, at + first + second)) continue;
    take_pair(t, pairs[k], first, second);
    t->before = k ? AFTER_WORD : AFTER_WORD | AFTER_TIS;
    return true;
  }
  return false;
}

/* Character by character ------------------------------------------------------------------------------------------ */

static void take_alone(tokenizer *t, int bytes, int before) {
  gf_scan_end_token(&t->scan);
  gf_scan_advance(&t->scan, bytes, t->scan.text[t->scan.at] < 0x80 ? bytes : 1);
  gf_scan_end_token(&t->scan);
  t->before = before;
}

static void take_plain(tokenizer *t) {
  gf_scan_advance(&t->scan, 1, 1);
  t->before = 0;
}

/* Emits a quotation mark of 1 (") or 2 ('') characters, which NLTK replaces by `` or ''. */
static void take_marker(tokenizer *t, int bytes, int marker, int before) {
  gf_scan_end_token(&t->scan);
  gf_scan_emit(&t->scan, t->scan.unit, marker, 0, 0);
  t->scan.at += bytes;
  t->scan.unit += bytes;
  t->before = before;
}

static bool is_after_word(const tokenizer *t) {
  return t->before & AFTER_OTHER ? is_word_at(t, t->last) : t->before & AFTER_WORD;
}

static void take_word(tokenizer *t) {
  gf_scanner *s = &t->scan;
  uint8_t c = s->text[s->at] | 32;
  bool may_contract = c == 'c' || c == 'd' || c == 'g' || c == 'l' || c == 'm' || c == 'w';
  if (may_contract && !is_after_word(t) && take_contraction(t)) return;
  int end = s->at + 1;
  while (end < s->bytes && ascii_kinds[s->text[end] & 0x7F] == 'w' && s->text[end] < 0x80) end++;
  bool single = end - s->at == 1;
  if (is_at(t, end, '\'') && is_not(t, end - 1) && !(single && (t->before & AFTER_APOSTROPHE))) {
    if (!single) gf_scan_advance(s, end - 1 - s->at, end - 1 - s->at);
    gf_scan_end_token(s);
  }
  gf_scan_advance(s, end - s->at, end - s->at);
  t->before = AFTER_WORD;
}

static void take_stop(tokenizer *t) {
  int end = t->scan.at + 1;
  while (is_at(t, end, '.')) end++;
  if (end - t->scan.at > 1 || is_final_stop(t, t->scan.at)) take_alone(t, end - t->scan.at, AFTER_SPACE);
  else take_plain(t);
}

/* Takes : or , and a directly following second one, which is left unchanged. At the end of the text P2 need not
 * split it off: it is a token already. */
static void take_pause(tokenizer *t) {
  if (!is_pause(t, t->scan.at)) {
    take_plain(t);
    return;
  }
  take_alone(t, 1, AFTER_SPACE);
  if (kind_at(t, t->scan.at) == ',') take_plain(t);
}

static void take_backticks(tokenizer *t) {
  do take_alone(t, is_at(t, t->scan.at + 1, '`') ? 2 : 1, AFTER_SPACE | AFTER_OPENING);
  while (is_at(t, t->scan.at, '`'));
}

static void take_quote(tokenizer *t) {
  if (t->scan.at == 0 && (t->scan.flags & GF_TEXT_START))
    take_marker(t, 1, GF_TOKEN_OPENING_QUOTE, AFTER_SPACE | AFTER_OPENING);
  else if (t->before & AFTER_OPENING) take_marker(t, 1, GF_TOKEN_OPENING_QUOTE, AFTER_SPACE);
  else take_marker(t, 1, GF_TOKEN_CLOSING_QUOTE, AFTER_SPACE);
}

static void take_apostrophe(tokenizer *t) {
  gf_scanner *s = &t->scan;
  if (is_at(t, s->at + 1, '\'')) {
    if (t->before & AFTER_OPENING) take_marker(t, 2, GF_TOKEN_OPENING_QUOTE, AFTER_SPACE);
    else take_alone(t, 2, AFTER_SPACE);
    return;
  }
  if (take_tis(t)) return;
  if (is_clitic(t, s->at) || is_long_clitic(t, s->at)) gf_scan_end_token(s);
  bool alone = is_before_one_letter(t, s->at);
  gf_scan_advance(s, 1, 1);
  if (alone) gf_scan_end_token(s);
  t->before = AFTER_APOSTROPHE;
}

static void take_space(tokenizer *t, int bytes) {
  t->before = t->scan.text[t->scan.at] == ' ' ? AFTER_SPACE | AFTER_OPENING : 0;
  gf_scan_space(&t->scan, bytes);
}

static void take_above_ascii(tokenizer *t) {
  gf_scanner *s = &t->scan;
  int threes = gf_utf8_three_byte_run(s->text + s->at, s->bytes - s->at);
  if (threes) {
    t->last = s->at + threes - 3;
    t->before = AFTER_OTHER;
    gf_scan_advance(s, threes, threes / 3);
    return;
  }
  gf_code_point p = decode(t, s->at);
  char kind = kind_of(p.code);
  if (kind == SPACE) take_space(t, p.bytes);
  else if (kind == OPENING) take_alone(t, p.bytes, AFTER_SPACE | AFTER_OPENING);
  else if (kind == CLOSING) take_alone(t, p.bytes, AFTER_SPACE);
  else {
    t->last = s->at;
    t->before = AFTER_OTHER;
    gf_scan_advance(s, p.bytes, gf_utf16_units(p.code));
  }
}

static void take(tokenizer *t) {
  uint8_t c = t->scan.text[t->scan.at];
  if (c >= 0x80) {
    take_above_ascii(t);
    return;
  }
  switch (ascii_kinds[c]) {
    case 'w':
      take_word(t);
      break;
    case SPACE:
      take_space(t, 1);
      break;
    case '\'':
      take_apostrophe(t);
      break;
    case '"':
      take_quote(t);
      break;
    case '`':
      take_backticks(t);
      break;
    case '.':
      take_stop(t);
      break;
    case ',':
      take_pause(t);
      break;
    case '(':
      take_alone(t, 1, AFTER_SPACE | AFTER_OPENING);
      break;
    case 'p':
    case '*':
    case ')':
      take_alone(t, 1, AFTER_SPACE);
      break;
    case '-':
      if (is_at(t, t->scan.at + 1, '-')) take_alone(t, 2, AFTER_SPACE);
      else take_plain(t);
      break;
    default:
      take_plain(t);
  }
}

int gf_words(int32_t *spans, int32_t *done, gf_token_slot *cache, const uint8_t *text, int bytes, int room, int flags) {
  tokenizer t = {.scan = gf_scan(spans, cache, text, bytes, room, flags)};
  if (flags & GF_TEXT_START) t.before = AFTER_SPACE;
  while (t.scan.at < bytes && !t.scan.stop) take(&t);
  return gf_scan_finish(&t.scan, done);
}
