/* pieces.c - building the trie of pieces.h. */
#include "pieces.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { INITIAL_EDGES = 1024, INITIAL_NODES = 512, MAX_NODES = 1 << 24 };

void gf_pieces_free(gf_pieces *p) {
  if (!p) return;
  free(p->edges);
  free(p->ids);
  free(p);
}

gf_pieces *gf_pieces_new(uint32_t seed) {
  gf_pieces *p = calloc(1, sizeof *p);
  if (!p) return NULL;
  p->edges = calloc(INITIAL_EDGES, sizeof *p->edges);
  p->ids = malloc(INITIAL_NODES * sizeof *p->ids);
  if (!p->edges || !p->ids) {
    gf_pieces_free(p);
    return NULL;
  }
  p->mask = INITIAL_EDGES - 1;
  p->factor = gf_hash_factor(seed);
  p->node_room = INITIAL_NODES;
  p->nodes = 2;
  p->ids[GF_PIECES_START] = p->ids[GF_PIECES_CONTINUE] = -1;
  return p;
}

static bool grow_edges(gf_pieces *p) {
  gf_pieces_edge *old_edges = p->edges;
  uint32_t room = p->mask + 1;
  gf_pieces_edge *edges = calloc((size_t)room * 2, sizeof *edges);
  if (!edges) return false;
  p->edges = edges;
  p->mask = room * 2 - 1;
  for (uint32_t k = 0; k < room; k++)
    if (old_edges[k].child) p->edges[gf_pieces_slot(p, old_edges[k].key)] = old_edges[k];
  free(old_edges);
  return true;
}

static bool reserve(gf_pieces *p) {
  if (p->nodes == MAX_NODES) return false;
  if (p->nodes == p->node_room) {
    int32_t *ids = realloc(p->ids, (size_t)p->node_room * 2 * sizeof *ids);
    if (!ids) return false;
    p->ids = ids;
    p->node_room *= 2;
  }
  return (uint32_t)p->nodes < p->mask / 3 * 2 || grow_edges(p);
}

int32_t gf_pieces_insert(gf_pieces *p, int32_t node, const uint8_t *text, int32_t bytes) {
  for (int32_t i = 0; i < bytes; i++) {
    int32_t next = gf_pieces_step(p, node, text[i]);
    if (!next) {
      if (!reserve(p)) return -1;
      uint32_t key = (uint32_t)node << 8 | text[i];
      next = p->nodes++;
      p->ids[next] = -1;
      p->edges[gf_pieces_slot(p, key)] = (gf_pieces_edge){key, next};
    }
    node = next;
  }
  return node;
}

int gf_pieces_add(gf_pieces *p, const uint8_t *text, const int32_t *ends, const int32_t *ids, int n, int continuing) {
  int32_t at = 0;
  for (int k = 0; k < n; k++) {
    int32_t node = gf_pieces_insert(p, continuing ? GF_PIECES_CONTINUE : GF_PIECES_START, text + at, ends[k] - at);
    if (node < 0) return GF_NO_MEMORY;
    p->ids[node] = ids[k];
    at = ends[k];
  }
  return GF_OK;
}
