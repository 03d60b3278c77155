/* pieces.h - a trie of byte strings: the pieces of a tokenizer.
 *
 * Node 0 is the root. Node 1 is a second root, for pieces that only continue a word (WordPiece's ##). Edges are in a
 * hash table by node and byte, so memory is proportional to their number, and a piece of n bytes is found in n steps.
 */
#ifndef GF_TEXT_PIECES_H
#define GF_TEXT_PIECES_H

#include "../glassformer.h"

enum { GF_PIECES_START = 0, GF_PIECES_CONTINUE = 1 };

typedef struct {
  uint32_t key;  /* node << 8 | byte */
  int32_t child; /* 0 in a free slot: no edge leads to a root */
} gf_pieces_edge;

/* The factor of a multiplicative hash from a seed: the hash of a 32-bit number is bits 32 and up of their product.
 * Without the seed, no one can choose numbers that collide (Dietzfelbinger et al. 1997). */
static inline uint64_t gf_hash_factor(uint32_t seed) {
  uint64_t x = (seed + 1) * 0x9E3779B97F4A7C15u;
  x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9u;
  x = (x ^ x >> 27) * 0x94D049BB133111EBu;
  return x | 1;
}

struct gf_pieces {
  gf_pieces_edge *edges; /* [mask + 1], at most two thirds full */
  uint32_t mask;
  uint64_t factor;
  int32_t *ids; /* [node_room]: the id of the piece that ends at a node, or -1 */
  int32_t nodes, node_room;
};

/* The slot of an edge, or the free slot for it. */
static inline uint32_t gf_pieces_slot(const gf_pieces *p, uint32_t key) {
  uint32_t slot = (uint32_t)(key * p->factor >> 32) & p->mask;
  while (p->edges[slot].child && p->edges[slot].key != key) slot = (slot + 1) & p->mask;
  return slot;
}

/* The child of a node by a byte, or 0. */
static inline int32_t gf_pieces_step(const gf_pieces *p, int32_t node, uint8_t byte) {
  return p->edges[gf_pieces_slot(p, (uint32_t)node << 8 | byte)].child;
}

/* The node for text [bytes] from a node on, created if missing; -1 if out of memory. */
int32_t gf_pieces_insert(gf_pieces *p, int32_t node, const uint8_t *text, int32_t bytes);

#endif
