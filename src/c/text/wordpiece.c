/* wordpiece.c - WordPiece: greedy longest match. The longest piece at the start of a word, then the longest that
 * continues it, and so on (Schuster and Nakajima 2012; as in BERT). If no piece matches, or the word is too long, the
 * whole word is unknown.
 */
#include "pieces.h"
#include "utf8.h"

/* The end of the longest piece in text[i .. end), and its id; -1 if there is none. */
static int longest_piece(const gf_pieces *p, int32_t node, const uint8_t *text, int i, int end, int32_t *id) {
  int found = -1;
  for (; i < end; i++) {
    node = gf_pieces_step(p, node, text[i]);
    if (!node) break;
    if (p->ids[node] < 0) continue;
    *id = p->ids[node];
    found = i + 1;
  }
  return found;
}

static int count_characters(const uint8_t *text, int start, int end) {
  int count = 0;
  for (int i = start; i < end; count++) i += gf_utf8_decode(text + i, end - i).bytes;
  return count;
}

int gf_wordpiece(int32_t *ids, int32_t *ends, const gf_pieces *p, const uint8_t *text, const int32_t *words, int n,
                 int unknown, int max_characters) {
  int count = 0, start = 0;
  for (int k = 0; k < n; start = words[k++]) {
    if (words[k] == start) continue;
    int from = count, at = count_characters(text, start, words[k]) > max_characters ? -1 : start;
    while (at >= 0 && at < words[k]) {
      at = longest_piece(p, at == start ? GF_PIECES_START : GF_PIECES_CONTINUE, text, at, words[k], &ids[count]);
      if (at >= 0) ends[count++] = at;
    }
    if (at >= 0) continue;
    ids[from] = unknown;
    ends[from] = words[k];
    count = from + 1;
  }
  return count;
}
