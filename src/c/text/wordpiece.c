/* wordpiece.c - WordPiece: the longest piece that a word begins with, then the longest that continues it, and so on
 * (Schuster and Nakajima 2012; as BERT applies it). A word that cannot be cut this way, or is too long, is unknown as a
 * whole.
 */
#include "pieces.h"
#include "utf8.h"

/* The byte after the longest piece that begins at byte i and ends before `end`, and its id; -1 when there is none. */
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

static int characters(const uint8_t *text, int start, int end) {
  int count = 0;
  for (int i = start; i < end; count++) i += gf_utf8_decode(text + i, end - i).bytes;
  return count;
}

int gf_wordpiece(int32_t *ids, int32_t *ends, const gf_pieces *p, const uint8_t *text, const int32_t *words, int n,
                 int unknown, int longest) {
  int count = 0, start = 0;
  for (int k = 0; k < n; start = words[k++]) {
    if (words[k] == start) continue;
    int from = count, at = characters(text, start, words[k]) > longest ? -1 : start;
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
