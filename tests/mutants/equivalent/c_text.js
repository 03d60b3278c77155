// Changes that no test can see: the text kernels, src/c/text.

/** @type {Record<string, string>} */
export default {
  'src/c/text/utf8.h: while (i + 2 < bytes && text[i] >= 0xE4 && text[i] < 0xF0 && text[i] != 0xED && (text[i + 1] & 0xC0) == 0x80 && [>= -> >]':
    'what is not counted at once is decoded one by one, to the same',
  'src/c/text/bpe_train.c: if (child + 1 < t->heap.count && precedes(t, heap[child + 1], heap[child])) child++; [< -> <=]':
    'behind the heap stands what is being let down, which comes to rest here either way',
  'src/c/text/pieces.c: enum { INITIAL_EDGES = 1024, INITIAL_NODES = 512, MAX_NODES = 1 << 24 }; [1 -> 2]': 'room that is made larger when it is needed',
  'src/c/text/unigram_train.c: double high = a > b ? a : b, low = a > b ? b : a; [> -> >=]': 'of two equal numbers either is the larger',
  'src/c/text/scanner.h: .text = text, .bytes = bytes, .flags = flags, .token = -1, .spans = spans, .cache = cache, .room = room}; [1 -> 2]':
    'what is read of it is only whether it is below 0',
  'src/c/text/bpe.c: return n <= MAX_SHORT ? merge_short(b, ids, ends, n) : merge_long(b, ids, ends, n); [<= -> <]':
    'both join a word in the same way, which has a test; only how long it takes differs',
  'src/c/text/bpe.c: if (!make_room(b, n)) return -1; [1 -> 2]': 'what is read of it is only whether it is below 0',
  'src/c/text/bpe_train.c: memset(slots, -1, room * sizeof *slots); [1 -> 2]':
    'of an empty slot only whether it is below 0 is read',
  'src/c/text/vocab.c: memset(slots, -1, (size_t)room * sizeof *slots); [1 -> 2]':
    'of an empty slot only whether it is below 0 is read',
  'src/c/text/bpe_train.c: int32_t best = -1; [1 -> 2]': 'what is read of it is only whether it is below 0',
  'src/c/text/bpe_train.c: for (; t->slots[slot] >= 0; slot = (slot + 1) & t->mask) { [+ -> -]':
    'slots are tried in either direction, as long as it is always the same',
  'src/c/text/token_cache.h: if (bytes >= 4) return (gf_token_slot){gf_load32(token), gf_load32(token + n - 4), 0, n}; [0 -> 1]':
    'the same for all tokens of as many bytes, which are compared with no others',
  'src/c/text/unigram_train.c: if (alpha[i] <= LOG_ZERO) continue; [<= -> <]':
    'goes on from where no piece ends: e to the NOTHING is 0, and nothing is added',
  'src/c/text/whitespace.c: if (run + threes) { [+ -> -]': 'one of the two is 0',
  'src/c/text/utf8.c: return (sequence){1, 0, 0}; [0 -> 1]': 'of one byte no second one has a range',
  'src/c/text/vocab.c: if (v->arena_room - v->arena_size <= (size_t)bytes) { [<= -> <]':
    'room that is just enough will do',
  'src/c/text/bpe.c: uint64_t hash = (r->first + r->bytes) * 0x9E3779B97F4A7C15u ^ r->last * 0xC2B2AE3D27D4EB4Fu ^ r->middle; [+ -> -]':
    'another place among those of words met before: what stands there is compared',
  'src/c/text/bpe.c: uint64_t hash = (r->first + r->bytes) * 0x9E3779B97F4A7C15u ^ r->last * 0xC2B2AE3D27D4EB4Fu ^ r->middle; [* -> /]':
    'another place among those of words met before: what stands there is compared',
  'src/c/text/bpe.c: return &b->cache[(hash ^ hash >> 29) * 0x9E3779B97F4A7C15u >> 32 & (CACHE_SLOTS - 1)]; [* -> /]':
    'another place among those of words met before: what stands there is compared',
  'src/c/text/bpe.c: return &b->cache[(hash ^ hash >> 29) * 0x9E3779B97F4A7C15u >> 32 & (CACHE_SLOTS - 1)]; [1 -> 2]':
    'half of the places for words met before: what stands there is compared',
  'src/c/text/token_cache.h: uint64_t hash = (r.first + r.bytes) * 0x9E3779B97F4A7C15u ^ r.last * 0xC2B2AE3D27D4EB4Fu ^ r.middle; [+ -> -]':
    'another place among those of tokens met before: what stands there is compared',
  'src/c/text/token_cache.h: uint64_t hash = (r.first + r.bytes) * 0x9E3779B97F4A7C15u ^ r.last * 0xC2B2AE3D27D4EB4Fu ^ r.middle; [* -> /]':
    'another place among those of tokens met before: what stands there is compared',
  'src/c/text/token_cache.h: int slot = (int)((hash ^ hash >> 29) * 0x9E3779B97F4A7C15u >> 32) & (GF_TOKEN_SLOTS - 1); [* -> /]':
    'another place among those of tokens met before: what stands there is compared',
  'src/c/text/token_cache.h: int slot = (int)((hash ^ hash >> 29) * 0x9E3779B97F4A7C15u >> 32) & (GF_TOKEN_SLOTS - 1); [1 -> 2]':
    'half of the places for tokens met before: what stands there is compared',
  'src/c/text/vocab.c: return difference ? difference < 0 : left->bytes < right->bytes; [< -> <=]':
    'there are no two equal tokens',
  'src/c/text/vocab.c: size_t shorter = (size_t)(left->bytes < right->bytes ? left->bytes : right->bytes); [< -> <=]':
    'of two equal numbers either is the least',
  'src/c/text/vocab.c: int64_t middle = start + run < n ? start + run : n, end = start + 2 * run < n ? start + 2 * run : n; [< -> <=]':
    'of two equal numbers either is the end',
  'src/c/text/bpe_train.c: static bool older(const pair *a, const pair *b) { return a->left != b->left ? a->left < b->left : a->right < b->right; } [< -> <=]':
    'there are no two equal pairs',
  'src/c/text/bpe_train.c: return a.count != b.count ? a.count > b.count : older(pair_at(t, a.pair), pair_at(t, b.pair)); [> -> >=]':
    'the counts differ there',
  'src/c/text/bpe_train.c: void *items = room < INT32_MAX / 2 ? realloc(l->items, (size_t)room * l->size) : NULL; [< -> <=]':
    'there is no memory for as much as that',
  'src/c/text/bpe.c: return a->rank != b->rank ? a->rank < b->rank : a->at < b->at; [< -> <=]':
    'the ranks differ there, and what waits twice at a place is the same',
  'src/c/text/unigram_train.c: return low <= LOG_ZERO || high - low > 50 ? high : high + gf_log1p(gf_exp(low - high)); [> -> >=]':
    'e to the -50 is far below the last bit',
  'src/c/text/unigram_train.c: return low <= LOG_ZERO || high - low > 50 ? high : high + gf_log1p(gf_exp(low - high)); [<= -> <]':
    'NOTHING is more than 50 below everything else',
  'src/c/text/token_cache.h: return (gf_token_slot){gf_load64(token), gf_load64(token + n - 8), n > 16 ? gf_load64(token + 8) : 0, n}; [> -> >=]':
    'of 16 bytes the middle is known already',
  'src/c/text/token_cache.h: if (bytes >= 8) [>= -> >]':
    'of 8 bytes the first 4 and the last 4 are all',
  'src/c/text/bpe.c: if (!(node = gf_pieces_step(b->whole_words, node, word[i]))) return -1; [1 -> 2]':
    'what is read of it is only whether it is below 0',
  'src/c/text/pieces.c: if (!reserve(p)) return -1; [1 -> 2]': 'what is read of it is only whether it is below 0',
  'src/c/text/vocab.c: if (!reserve(v, bytes)) return -1; [1 -> 2]':
    'what is read of it is only whether it is below 0',
  'src/c/text/bpe.c: int best = -1, lowest = NO_RANK; [1 -> 2]': 'what is read of it is only whether it is below 0',
  'src/c/text/wordpiece.c: if (at >= 0) continue; [>= -> >]': 'a word has bytes, so that its end is not 0',
  'src/c/text/bpe.c: memset(b->merges, -1, slots * sizeof *b->merges); [1 -> 2]':
    'of an empty slot only whether it is below 0 is read',
  'src/c/text/bpe.c: b->next[i] = i + 1 < n ? i + 1 : -1; [1 -> 2]':
    'what is read of it is only whether it is below 0; the other 1s have a test',
  'src/c/text/bpe.c: b->next[right] = -1; [1 -> 2]': 'what is read of it is only whether it is below 0',
  'src/c/text/bpe.c: int32_t id = b->whole_words ? find_whole_word(b, word, bytes) : -1; [1 -> 2]':
    'what is read of it is only whether it is below 0',
  'src/c/text/bpe_train.c: if (!p) return -1; [1 -> 2]': 'what is read of it is only whether it is below 0',
  'src/c/text/bpe_train.c: return -1; [1 -> 2]': 'what is read of it is only whether it is below 0',
  'src/c/text/bpe_train.c: if (!to) return -1; [1 -> 2]': 'what is read of it is only whether it is below 0',
  'src/c/text/bpe_train.c: if (node < 0) return -1; [1 -> 2]': 'what is read of it is only whether it is below 0',
  'src/c/text/bpe_train.c: if (!merged) return -1; [1 -> 2]': 'what is read of it is only whether it is below 0',
  'src/c/text/bpe_train.c: memset(t.slots, -1, (t.mask + 1) * sizeof *t.slots); [1 -> 2]':
    'of an empty slot only whether it is below 0 is read; the other 1 has a test',
  'src/c/text/unigram.c: for (int i = 0; i <= bytes; i++) last[i] = -1; [1 -> 2]':
    'what is read of it is only whether it is below 0',
  'src/c/text/unigram.c: for (int i = 0; i <= bytes; i++) best_to[i] = (best){0, -1, -1}; [1 -> 2]':
    'what is read of it is only whether it is below 0',
  'src/c/text/vocab.c: memset(v->slots, -1, FIRST_SLOTS * sizeof *v->slots); [1 -> 2]':
    'of an empty slot only whether it is below 0 is read',
  'src/c/text/wordpiece.c: int found = -1; [1 -> 2]': 'what is read of it is only whether it is below 0',
  'src/c/text/wordpiece.c: int from = count, at = count_characters(text, start, words[k]) > max_characters ? -1 : start; [1 -> 2]':
    'what is read of it is only whether it is below 0',
  'src/c/text/bpe.c: if (b->next[right] >= 0) b->previous[b->next[right]] = w.at; [>= -> >]':
    'nothing is followed by the first symbol',
  'src/c/text/bpe_train.c: for (; t->slots[slot] >= 0; slot = (slot + 1) & t->mask) { [1 -> 2]':
    'looks at every second slot, of which enough are empty',
  'src/c/text/bpe.c: b->room = 0; [0 -> 1]': 'words that need it have many more symbols',
  'src/c/text/bpe_train.c: t.starts = malloc(((size_t)n * 2 + 1) * sizeof *t.starts); [1 -> 2]': 'room for one more',
  'src/c/text/bpe.c: if (best + 1 < n) look_up_pair(b, ids, best, ranks, merged); [+ -> -]':
    'nobody reads what the last symbol and the one that was behind it would become',
  'src/c/text/bpe.c: if (best + 1 < n) look_up_pair(b, ids, best, ranks, merged); [< -> <=]':
    'nobody reads what the last symbol and the one that was behind it would become',
  'src/c/text/bpe.c: if (child >= b->heap_size) break; [>= -> >]':
    'behind the heap stands what is being let down, which comes to rest here either way',
  'src/c/text/bpe.c: if (child + 1 < b->heap_size && comes_first(&b->heap[child + 1], &b->heap[child])) child++; [< -> <=]':
    'behind the heap stands what is being let down, which comes to rest here either way',
  'src/c/text/bpe.c: if (child + 1 < b->heap_size && comes_first(&b->heap[child + 1], &b->heap[child])) child++; [+ -> -]':
    'behind the heap stands what is being let down, which comes to rest here either way; the other + has a test',
  'src/c/text/bpe.c: if (at < 0 || b->next[at] < 0) return; [< -> <=]':
    'no symbol is followed by the first; what is done with the first itself has a test',
  'src/c/text/bpe.c: if (at < 0 || b->next[at] < 0) return; [0 -> 1]':
    'no symbol is followed by the first; what is done with the first itself has a test',
  'src/c/text/bpe.c: if (n <= b->room) return true; [<= -> <]': 'room of the same size is made anew',
  'src/c/text/bpe.c: for (int i = 0; i + 1 < n; i++) push_pair(b, i); [< -> <=]':
    'behind the last symbol is none that it could be joined with',
  'src/c/text/bpe.c: if (b->symbols[w.at] != w.left || right < 0 || b->symbols[right] != w.right) continue; [< -> <=]':
    'no symbol is followed by the first',
  'src/c/text/bpe.c: if (b->symbols[w.at] != w.left || right < 0 || b->symbols[right] != w.right) continue; [0 -> 1]':
    'no symbol is followed by the first',
  'src/c/text/bpe.c: if (b->next[right] >= 0) b->previous[b->next[right]] = w.at; [0 -> 1]':
    'no symbol is followed by the first',
  'src/c/text/bpe.c: if (!b->cache || bytes > MAX_CACHED_BYTES) return encode_word(b, ids, ends, word, bytes); [> -> >=]':
    'a word of as many bytes is joined anew each time, to the same',
  'src/c/text/bpe.c: if (count < 0) return count; [< -> <=]': 'a word has bytes, and at least one piece',
  'src/c/text/bpe.c: if (count < 0) return count; [0 -> 1]': 'a word has bytes, and at least one piece',
  'src/c/text/bpe.c: if (found < 0) return GF_NO_MEMORY; [< -> <=]': 'a word has bytes, and at least one piece',
  'src/c/text/bpe.c: if (found < 0) return GF_NO_MEMORY; [0 -> 1]': 'a word has bytes, and at least one piece',
  'src/c/text/bpe.c: if (!b->cache && n >= MIN_CACHED_WORDS) b->cache = calloc(CACHE_SLOTS, sizeof *b->cache); [>= -> >]':
    'words are joined to the same with places and without',
  'src/c/text/bpe.c: while (slots < (uint32_t)n * 2) slots *= 2; [< -> <=]': 'a table of twice the size',
  'src/c/text/bpe_train.c: if (child >= t->heap.count) break; [>= -> >]':
    'behind the heap stands what is being let down, which comes to rest here either way',
  'src/c/text/bpe_train.c: if (child + 1 < t->heap.count && precedes(t, heap[child + 1], heap[child])) child++; [+ -> -]':
    'behind the heap stands what is being let down, which comes to rest here either way; the other + has a test',
  'src/c/text/bpe_train.c: if ((uint32_t)t->pairs.count > t->mask / 2 && !grow_slots(t)) t->failed = true; [> -> >=]':
    'the table grows one pair earlier',
  'src/c/text/bpe_train.c: if (p->last_occurrence < 0 || ((occurrence *)t->occurrences.items)[p->last_occurrence].word != word) { [< -> <=]':
    'a word that is met twice is gone through once more when the pair is no longer there',
  'src/c/text/bpe_train.c: if (p->last_occurrence < 0 || ((occurrence *)t->occurrences.items)[p->last_occurrence].word != word) { [0 -> 1]':
    'a word that is met twice is gone through once more when the pair is no longer there',
  'src/c/text/bpe_train.c: p->changed = true; [true -> false]':
    'waits several times, and is passed over after the first',
  'src/c/text/bpe_train.c: t->changed.count = 0; [0 -> 1]':
    'the first of them waits once more each round, and is passed over',
  'src/c/text/bpe_train.c: double highest = 0; [0 -> 1]': 'the first pair is taken whatever it has',
  'src/c/text/bpe_train.c: for (int32_t i = 0; i < combined.bytes; i++) { [< -> <=]':
    'a byte more is kept behind a symbol, and read by nobody',
  'src/c/text/bpe_train.c: pair_at(t, chosen)->last_occurrence = -1; [1 -> 2]': 'what is read of it is only whether it is below 0',
  'src/c/text/bpe_train.c: if (!s) return false; [false -> true]':
    'it is known already that there was no memory, and no training begins',
  'src/c/text/bpe_train.c: if (!to) return false; [false -> true]':
    'it is known already that there was no memory, and no training begins',
  'src/c/text/bpe_train.c: t.slots = malloc((t.mask + 1) * sizeof *t.slots); [1 -> 2]': 'room for one more',
  'src/c/text/pieces.c: return (uint32_t)p->nodes < p->mask / 3 * 2 || grow_edges(p); [* -> /]':
    'the table grows earlier',
  'src/c/text/pieces.c: return (uint32_t)p->nodes < p->mask / 3 * 2 || grow_edges(p); [< -> <=]':
    'the table grows one node later',
  'src/c/text/pieces.h: while (p->edges[slot].child && p->edges[slot].key != key) slot = (slot + 1) & p->mask; [+ -> -]':
    'slots are tried in either direction, as long as it is always the same',
  'src/c/text/token_cache.h: return (gf_token_slot){gf_load64(token), gf_load64(token + n - 8), n > 16 ? gf_load64(token + 8) : 0, n}; [0 -> 1]':
    'the same for all tokens of as many bytes, which are compared with no others',
  'src/c/text/token_cache.h: if (!cache || bytes > 24) return 0; [> -> >=]':
    'a token of as many bytes is cut out anew each time, to the same',
  'src/c/text/scanner.h: s->token = -1; [1 -> 2]': 'what is read of it is only whether it is below 0',
  'src/c/text/spans.c: enum { OTHER = 0, LETTER = 1, NUMBER = 2, SPACE = 3, END = 4 }; [1 -> 2]':
    'a name for what the table says, which nobody reads',
  'src/c/text/unigram.c: for (int i = 0, k = count - 1; i < k; i++, k--) { [< -> <=]':
    'the one in the middle changes places with itself',
  'src/c/text/unigram.c: int longest = 0, count = 0; [0 -> 1]': 'room for one more; the other 0 has a test',
  'src/c/text/unigram.c: if (words[k] - start > longest) longest = words[k] - start; [> -> >=]':
    'of two equal numbers either is the largest',
  'src/c/text/unigram.c: if (words[k] - start > longest) longest = words[k] - start; [- -> +]':
    'room for more than the longest; the other - has a test',
  'src/c/text/unigram.c: best *best_to = malloc(((size_t)longest + 1) * sizeof *best_to); [1 -> 2]': 'room for one more',
  'src/c/text/unigram.c: best *best_to = malloc(((size_t)bytes + 1) * sizeof *best_to); [1 -> 2]': 'room for one more',
  'src/c/text/unigram_train.c: if (id < 0 || beta[j + 1] <= LOG_ZERO) continue; [<= -> <]':
    'goes on to where no piece begins: e to the NOTHING is 0, and nothing is added',
  'src/c/text/unigram_train.c: int longest = 0; [0 -> 1]': 'room for one more',
  'src/c/text/unigram_train.c: if (words[k] - start > longest) longest = words[k] - start; [> -> >=]':
    'of two equal numbers either is the largest',
  'src/c/text/unigram_train.c: if (words[k] - start > longest) longest = words[k] - start; [- -> +]':
    'room for more than the longest; the other - has a test',
  'src/c/text/unigram_train.c: double *alpha = malloc(((size_t)longest + 1) * 2 * sizeof *alpha), likelihood = 0; [1 -> 2]':
    'room for one more',
  'src/c/text/utf8.c: if (lead < 0xC2) return (sequence){1, 0, 0}; /* a stray continuation byte, or an overlong two-byte form */ [0 -> 1]':
    'of one byte no second one has a range',
  'src/c/text/vocab.c: for (int32_t i = 0; i < bytes; i++) h = (h ^ token[i]) * 16777619u; [* -> /]':
    'another place to begin to look at, always the same',
  'src/c/text/vocab.c: for (int32_t i = 0; i < bytes; i++) h = (h ^ token[i]) * 16777619u; [0 -> 1]':
    'another place to begin to look at, always the same',
  'src/c/text/vocab.c: if (v->slot_room > INT32_MAX / 4) return false; [> -> >=]': 'the room is a power of two',
  'src/c/text/vocab.c: int32_t room = v->entry_room ? v->entry_room * 2 : FIRST_SLOTS / 2; [/ -> *]':
    'more room at first',
  'src/c/text/vocab.c: return v->size < v->slot_room / 3 * 2 || grow_slots(v); [* -> /]': 'the table grows earlier',
  'src/c/text/vocab.c: return v->size < v->slot_room / 3 * 2 || grow_slots(v); [< -> <=]':
    'the table grows one token later',
  'src/c/text/vocab.c: return difference ? difference < 0 : left->bytes < right->bytes; [0 -> 1]':
    'the difference is no 0 there',
  'src/c/text/vocab.c: for (int64_t run = 1; run < n; run *= 2) { [< -> <=]':
    'one more pass leaves what is in order as it is',
  'src/c/text/vocab.c: for (int64_t start = 0; start < n; start += 2 * run) { [< -> <=]':
    'behind the last there is nothing to merge',
  'src/c/text/vocab.c: ranked *all = malloc(((size_t)n * 2 + 1) * sizeof *all); [1 -> 2]': 'room for one more',
  'src/c/text/wordpiece.c: if (at >= 0) ends[count++] = at; [>= -> >]': 'a piece has bytes, so that its end is not 0',
  'src/c/text/wordpiece.c: if (at >= 0) ends[count++] = at; [0 -> 1]': 'a piece has bytes, so that its end is not 0',
  'src/c/text/wordpiece.c: if (at >= 0) continue; [0 -> 1]': 'a word has bytes, so that its end is not 0',
  'src/c/text/words.c: return c < 0x80 ? ascii_kinds[c] : kind_of(decode(t, i).code); [< -> <=]':
    'a byte that begins no character has a kind of its own then, for which nobody asks',
  'src/c/text/words.c: static const char ascii_kinds[128 + 1] = [1 -> 2]': 'a byte more, which nobody reads'
}
