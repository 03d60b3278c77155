// Changes that no test can see, by file, line and what is exchanged, each with its reason.

/** @type {Record<string, string>} */
export const EQUIVALENT = {
  'src/js/text/bpe_model.js: for (let k = 0, start = 0; k < words.length; start = words[k++]) { [< -> <=]':
    'behind the last word there are no characters',
  'src/js/text/by_words.js: while (from < size) { [< -> <=]': 'behind the end no word is found, which ends it, too',
  'src/js/text/by_words.js: for (last = first + 1; ends[last] - from <= WINDOW; last++); [<= -> <]':
    'how many words at a time: each is cut by itself',
  'src/js/text/by_words.js: for (last = first + 1; ends[last] - from <= WINDOW; last++); [- -> +]':
    'how many words at a time: each is cut by itself',
  'src/js/text/by_words.js: const n = c.gf_cut(words, classes, text, bytes, bytes, to === size ? TEXT_END : 0) [0 -> 1]':
    'TEXT_START, which gf_cut does not ask for',
  'src/js/text/charsmap.js: let node = offsetOf(units[0]), length = 0, value = 0 [0 -> 1]':
    'the value is read only where one was found; the other 0s have a test',
  'src/js/text/handles.js: c.gf_pieces_add(handle, text, places, ids, some.length, continuing ? 1 : 0)) [1 -> 2]':
    'asked only whether it is 0',
  'src/js/text/scan.js: if (counts[0] === 0) return counts[2] [0 -> 1]':
    'no units are done where no bytes are; the other 0 has a test',
  'src/js/text/scan.js: export function scan({ c, memory }, kernel, where, text, flags = 0) { [0 -> 1]':
    'TEXT_START, which gf_whitespace does not ask for',
  'src/js/text/spm_normalizer.js: const bytesOfCharacter = lead => lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4 [< -> <=]':
    '0x80 leads no character, which is seen at either length; the other < have a test',
  'src/js/text/train_unigram.js: const count = c.gf_unigram(ids, ends, set, scores, text, places, words.length, -1e9, -1, flags) [1 -> 2]':
    'every character of the text is a piece, so that none is unknown',
  'src/js/text/unigram_model.js: const run = room => passing(memory, [new Float64Array(room), new Float64Array(n + 1), new Int32Array(3 * room), [1 -> 2]':
    'room for one more',
  'src/js/text/scan.js: memory.bytes(places, placeBytes).fill(0) [0 -> 1]':
    'a place of 16,843,009 bytes is met by no token, of 24 at most',
  'src/c/ops/binary.c: for (int i = 0; i < whole; i += PIECE) { [< -> <=]': 'a piece of no values changes nothing',
  'src/js/ops/attention_cache.js: return { keys: [KV * keys, keys, 0], values: [KV * values, values, 0] } [0 -> 1]':
    'from row to row of a cache the panels tell the way, and nobody reads it',
  'src/c/text/utf8.h: while (i + 2 < bytes && text[i] >= 0xE4 && text[i] < 0xF0 && text[i] != 0xED && (text[i + 1] & 0xC0) == 0x80 && [>= -> >]':
    'what is not counted at once is decoded one by one, to the same',
  'src/c/optim/adam.c: gf_f4 p = left >= 4 ? gf_load(param + i) : gf_load_tail(param + i, left, 0); [0 -> 1]': 'lanes behind the end are not stored',
  'src/c/optim/adam.c: gf_f4 g = left >= 4 ? gf_load(grad + i) : gf_load_tail(grad + i, left, 0); [0 -> 1]': 'lanes behind the end are not stored',
  'src/c/optim/adam.c: gf_f4 mean = left >= 4 ? gf_load(m + i) : gf_load_tail(m + i, left, 0); [0 -> 1]': 'lanes behind the end are not stored',
  'src/c/optim/adam.c: gf_f4 square = left >= 4 ? gf_load(v + i) : gf_load_tail(v + i, left, 0); [0 -> 1]': 'lanes behind the end are not stored',
  'src/js/ops/broadcast.js: export function passAxes(engine, axes, number = 0) { [0 -> 1]': 'read only where an operand is a number',
  'src/js/export/batch.js: return shape.length > 1 && shape[0] === batch && bytes.every((byte, i) => byte === bytes[i % row]) [> -> >=]':
    'one of equal numbers is stretched to all of them',
  'src/js/export/batch.js: const none = { batched: new Set(), single: new Set() }, [batch = 1] = inputs[0]?.tensor.shape ?? [] [1 -> 2]':
    'a tensor of one number is not of two axes either',
  'src/js/export/pytorch_example.js: const sizes = modules.map(([, one]) => (one instanceof Embedding ? one.numEmbeddings : 0)) [0 -> 1]':
    'tables of up to two rows are left out',
  'src/js/shape.js: const index = shape.map(() => 0) [0 -> 1]': 'every place of it is written after',
  'src/js/threads/splits.js: const rows = (cost, count, moving, { side = -1, single = [] } = {}) => ({ [1 -> 2]': 'no argument stands before the first',
  'src/js/threads/splits.js: const parts = pieces(args[count], 2 * threads, side < 0 ? PANEL : 1).map(({ from, length }) => { [< -> <=]':
    'the first argument is never the side',
  'src/js/threads/splits.js: const parts = pieces(args[count], 2 * threads, side < 0 ? PANEL : 1).map(({ from, length }) => { [0 -> 1]':
    'the first argument is never the side',
  'src/js/load.js: 0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 10, 1, 8, 0, 65, 0, 253, 15, 253, 98, 11) [0 -> 1]':
    'a constant of a function that nobody calls; the other bytes have a test',
  'src/js/text/handles.js: return memory.borrow(arrays.reduce((sum, one) => sum + round(one.byteLength), 0), start => { [0 -> 1]':
    'a byte more is lent than is used',
  'src/js/decoding/choose.js: for (let before = 0; count < shares.length && (count === 0 || before < p * total); count++) before += shares[count] [< -> <=]':
    'all shares, added in the same order, are the total and end the loop; the other < has a test',
  'src/c/ops/int8.c: gf_i4 most = {0}; [0 -> 1]': 'the bits of a number far below NOTHING',
  'src/c/text/bpe_train.c: if (child + 1 < t->heap.count && comes_first(t, heap[child + 1], heap[child])) child++; [< -> <=]':
    'behind the heap stands what is being let down, which comes to rest here either way',
  'src/js/text/decoders.js: const lead = bytes[at], length = lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4 [< -> <=]':
    '0x80 leads no character, and gives one U+FFFD at either length',
  'src/c/ops/attention.c: GF_INLINE int min(int a, int b) { return a < b ? a : b; } [< -> <=]': 'of two equal numbers either is the least',
  'src/c/ops/softmax.h: for (; i + 8 <= n; i += 8) { [<= -> <]': 'the next loop takes the same lanes in the same order',
  'src/js/text/train_unigram.js: let at = 0 [0 -> 1]': 'the first piece ends no later than the first word',
  'src/c/text/pieces.c: enum { FIRST_EDGES = 1024, FIRST_NODES = 512, MOST_NODES = 1 << 24 }; [1 -> 2]': 'room that is made larger when it is needed',
  'src/c/text/unigram_train.c: double high = a > b ? a : b, low = a > b ? b : a; [> -> >=]': 'of two equal numbers either is the larger',
  'src/c/ops/int8.c: return (gf_i4)(gf_load(x) * by + magic) - (gf_i4)magic; [- -> +]':
    'the lower half of the whole number is taken, and that of magic is zero',
  'src/js/ops/attention.js: const [axes] = passAxes(engine, [3, B, H, Tq * Tk, batch, head, 1, 0, 0, 0]) [0 -> 1]':
    'says where an operand lies, and the slope of a sum reads none',
  'src/js/text/scan.js: if (place < 0) recent[-place] = token [0 -> 1]': 'the places begin at 1: nobody reads the one at 0',
  'src/c/math.c: return x < 0.0 ? -rest : rest; [< -> <=]': 'asked only of numbers of at least 2^20, on either side of 0',
  'src/c/text/scanner.h: .text = text, .bytes = bytes, .flags = flags, .token = -1, .spans = spans, .recent = recent, .room = room}; [1 -> 2]':
    'what is read of it is only whether it is below 0',
  'src/c/text/bpe.c: return n <= SHORT ? join_short(b, ids, ends, n) : join_long(b, ids, ends, n); [<= -> <]':
    'both join a word in the same way, which has a test; only how long it takes differs',
  'src/c/math.c: gf_i4 tiny = x < GF_CONSTANT(0x1p-126f); [< -> <=]':
    'the smallest normal number times 2^23 is exact, and 23 is taken from its exponent again',
  'src/c/math.c: if (y[0] == 1.0f) return x; [0 -> 1]': 'all four are equal there',
  'src/c/math.c: if (y[0] == 2.0f) return x * x; [0 -> 1]': 'all four are equal there',
  'src/c/math.c: if (y[0] == 3.0f) return x * x * x; [0 -> 1]': 'all four are equal there',
  'src/c/ops/matmul.c: v[1] = n > 4 ? gf_load_tail(p + 4, n - 4, 0) : gf_zero(); [0 -> 1]':
    'cells beyond the edge: nothing of them is stored',
  'src/c/ops/matmul.c: v[0] = n >= 4 ? gf_load(p) : gf_load_tail(p, n, 0); [0 -> 1]':
    'cells beyond the edge: nothing of them is stored',
  'src/c/text/bpe.c: if (!make_room(b, n)) return -1; [1 -> 2]': 'what is read of it is only whether it is below 0',
  'src/c/ops/transpose.c: for (size_t b0 = 0; b0 < (size_t)B; b0 += TILE)                       \\ [< -> <=]':
    'a square that begins at the end has no rows',
  'src/c/ops/transpose.c: for (size_t a0 = 0; a0 < (size_t)A; a0 += TILE)                         \\ [< -> <=]':
    'a square that begins at the end has no columns',
  'src/c/text/bpe_train.c: memset(slots, -1, room * sizeof *slots); [1 -> 2]':
    'of an empty slot only whether it is below 0 is read',
  'src/c/text/vocab.c: memset(slots, -1, (size_t)room * sizeof *slots); [1 -> 2]':
    'of an empty slot only whether it is below 0 is read',
  'src/c/text/bpe_train.c: int32_t best = -1; [1 -> 2]': 'what is read of it is only whether it is below 0',
  'src/c/text/bpe_train.c: for (; t->slots[slot] >= 0; slot = (slot + 1) & t->mask) { [+ -> -]':
    'slots are tried in either direction, as long as it is always the same',
  'src/c/text/recent.h: if (bytes >= 4) return (gf_recent){gf_load32(token), gf_load32(token + n - 4), 0, n}; [0 -> 1]':
    'the same for all tokens of as many bytes, which are compared with no others',
  'src/c/text/unigram_train.c: if (alpha[i] <= NOTHING) continue; [<= -> <]':
    'goes on from where no piece ends: e to the NOTHING is 0, and nothing is added',
  'src/c/ops/attention.c: return p->mask.window && p->mask.window < p->Tk - last ? last + p->mask.window : p->Tk; [< -> <=]':
    'of two equal numbers either is the end',
  'src/c/ops/attention.c: else if (n == first || (i == 0 && h % p->group == 0)) { [&& -> ||]':
    'keys and values become the same panels once more',
  'src/c/ops/matmul.c: if (type == GF_FLOAT32) turn_float((float *)panel, workspace, min(PANEL, N - n), K, back); [- -> +]':
    'rows beyond the last one lie in the last panel, which is whole, and nobody reads them',
  'src/c/ops/matmul.c: if (!back) memset(room + n, 0, sizeof(type) * ((size_t)PANEL * K - n));           \\ [0 -> 1]':
    'rows beyond the last one, of which nothing is stored',
  'src/c/ops/matmul.c: for (int n = 0; n < p->N; n += block_n) [< -> <=]':
    'a block that begins at the end has no columns',
  'src/c/ops/layer_norm.c: float y = ((x[c] - mean[0]) - rest[0]) * rstd[0]; [0 -> 1]': 'all four are equal there',
  'src/c/text/whitespace.c: if (run + threes) { [+ -> -]': 'one of the two is 0',
  'src/c/text/utf8.c: return (sequence){1, 0, 0}; [0 -> 1]': 'of one byte no second one has a range',
  'src/c/text/vocab.c: if (v->arena_room - v->arena_size <= (size_t)bytes) { [<= -> <]':
    'room that is just enough will do',
  'src/c/math.c: if (__builtin_floorf(y) != y || y - y != 0.0f) return y - y != 0.0f ? 0 : -1; /* an infinity counts as even */ [1 -> 2]':
    'what is read of it is only whether it is below 0',
  'src/js/ops/strided.js: up += Math.max(0, far) [0 -> 1]':
    'more is tried, and what does not add up is left out at the end',
  'src/js/ops/strided.js: shape.length ? [shape.length, ...shape, ...steps.flat()] : [1, 1, ...steps.map(() => 1)] [1 -> 2]':
    'along a side of 1 no step is taken; the other 1s have a test',
  'src/js/text/source.js: for (let i = 0; i < units; i++) list[i] = i + 1 [< -> <=]':
    'nothing is written beyond the end of a typed array',
  'src/js/text/tokenizer.js: if (from) for (let i = 0; i < spans.length; i += 2) { [< -> <=]':
    'nothing is written beyond the end of a typed array',
  'src/js/ops/unary.js: const [p = 0, q = 0] = Object.values(parameters) [0 -> 1]':
    'read by no operation that has no parameters',
  'src/js/memory.js: if (wanted < length - 1) this.#weights.length = wanted [< -> <=]':
    'an empty buffer more or less, which only the garbage collector sees',
  'src/js/ops/attention_explain.js: const isRootOf = (scale, D) => Math.abs(scale - 1 / Math.sqrt(D)) < 1e-12 [< -> <=]':
    'a scale at exactly this distance would be shown by another word of the same value',
  'src/js/methods.js: if (rest.length > most) expectAtMost(name, most, rest) [> -> >=]':
    'asked once more whether there are too many, which there are not',
  'src/js/optim/adam.js: held.step, lr, ...betas, eps, weightDecay, this.decoupled ? 1 : 0) [1 -> 2]':
    'asked only whether it is 0',
  'src/js/ops/broadcast.js: const float = new Float32Array(1), bits = new Int32Array(float.buffer) [1 -> 2]':
    'room for one more',
  'src/js/threads/mailbox.js: for (let n = 0; n < ${SPINS} && Atomics.load(box, ${CALL}) === seen; n++); [=== -> !=]':
    'looks less often before it sleeps: the same work, a little later',
  'src/c/text/bpe.c: uint32_t slot = (uint32_t)(key * 0x9E3779B97F4A7C15u >> 32) & b->mask; [* -> /]':
    'another place to begin to look at, always the same',
  'src/c/text/bpe_train.c: uint32_t slot = (uint32_t)(key * 0x9E3779B97F4A7C15u >> 32) & t->mask; [* -> /]':
    'another place to begin to look at, always the same',
  'src/c/text/bpe.c: uint64_t hash = (r->first + r->bytes) * 0x9E3779B97F4A7C15u ^ r->last * 0xC2B2AE3D27D4EB4Fu ^ r->middle; [+ -> -]':
    'another place among those of words met before: what stands there is compared',
  'src/c/text/bpe.c: uint64_t hash = (r->first + r->bytes) * 0x9E3779B97F4A7C15u ^ r->last * 0xC2B2AE3D27D4EB4Fu ^ r->middle; [* -> /]':
    'another place among those of words met before: what stands there is compared',
  'src/c/text/bpe.c: return &b->kept[(hash ^ hash >> 29) * 0x9E3779B97F4A7C15u >> 32 & (PLACES - 1)]; [* -> /]':
    'another place among those of words met before: what stands there is compared',
  'src/c/text/bpe.c: return &b->kept[(hash ^ hash >> 29) * 0x9E3779B97F4A7C15u >> 32 & (PLACES - 1)]; [1 -> 2]':
    'half of the places for words met before: what stands there is compared',
  'src/c/text/recent.h: uint64_t hash = (r.first + r.bytes) * 0x9E3779B97F4A7C15u ^ r.last * 0xC2B2AE3D27D4EB4Fu ^ r.middle; [+ -> -]':
    'another place among those of tokens met before: what stands there is compared',
  'src/c/text/recent.h: uint64_t hash = (r.first + r.bytes) * 0x9E3779B97F4A7C15u ^ r.last * 0xC2B2AE3D27D4EB4Fu ^ r.middle; [* -> /]':
    'another place among those of tokens met before: what stands there is compared',
  'src/c/text/recent.h: int place = (int)((hash ^ hash >> 29) * 0x9E3779B97F4A7C15u >> 32) & (GF_RECENT_PLACES - 1); [* -> /]':
    'another place among those of tokens met before: what stands there is compared',
  'src/c/text/recent.h: int place = (int)((hash ^ hash >> 29) * 0x9E3779B97F4A7C15u >> 32) & (GF_RECENT_PLACES - 1); [1 -> 2]':
    'half of the places for tokens met before: what stands there is compared',
  'src/js/text/spm_normalizer.js: return 0 [0 -> 1]': 'what begins no character is U+FFFD in the string, too',
  'src/c/ops/attention.c: GF_INLINE int max(int a, int b) { return a < b ? b : a; } [< -> <=]':
    'of two equal numbers either is the largest',
  'src/c/ops/int8.c: static int min(int a, int b) { return a < b ? a : b; } [< -> <=]':
    'of two equal numbers either is the least',
  'src/c/ops/matmul.c: GF_INLINE int min(int a, int b) { return a < b ? a : b; } [< -> <=]':
    'of two equal numbers either is the least',
  'src/c/ops/int8.c: return nearest > (float)most ? most : nearest < (float)-most ? -most : (int)nearest; [< -> <=]':
    'a number at the limit is the limit',
  'src/c/ops/int8.c: return nearest > (float)most ? most : nearest < (float)-most ? -most : (int)nearest; [> -> >=]':
    'a number at the limit is the limit',
  'src/c/ops/int8.c: int32_t a = most[0] > most[2] ? most[0] : most[2], b = most[1] > most[3] ? most[1] : most[3]; [> -> >=]':
    'of two equal numbers either is the largest',
  'src/c/ops/int8.c: return gf_from_bits((uint32_t)(a > b ? a : b)); [> -> >=]':
    'of two equal numbers either is the largest',
  'src/c/ops/int8.c: if (size > most) most = size; [> -> >=]': 'of two equal numbers either is the largest',
  'src/c/ops/binary.c: int size = whole - i < PIECE ? whole - i : PIECE; [< -> <=]':
    'of two equal numbers either is the least',
  'src/c/ops/unary.c: int size = whole - i < PIECE ? whole - i : PIECE; [< -> <=]':
    'of two equal numbers either is the least',
  'src/c/ops/sort.c: int n = run < C - i ? run : C - i, m = C - i - n < run ? C - i - n : run; [< -> <=]':
    'of two equal numbers either is the least',
  'src/c/ops/transpose.c: GF_INLINE size_t end_of(size_t start, int side) { return start + TILE < (size_t)side ? start + TILE : (size_t)side; } [< -> <=]':
    'of two equal numbers either is the end',
  'src/c/ops/whole.c: return (uint32_t)(a > b ? a : b); [> -> >=]': 'of two equal numbers either is the largest',
  'src/c/ops/whole.c: return (uint32_t)(a < b ? a : b); [< -> <=]': 'of two equal numbers either is the least',
  'src/c/ops/reduce.c: all = kind == GF_SUM ? all + own : (kind == GF_MAX) == (own > all) ? own : all; [> -> >=]':
    'of two equal whole numbers either is the largest',
  'src/c/ops/reduce.c: out[n] = all < INT32_MIN ? INT32_MIN : all > INT32_MAX ? INT32_MAX : (int32_t)all; [< -> <=]':
    'a number at the limit is the limit',
  'src/c/ops/reduce.c: out[n] = all < INT32_MIN ? INT32_MIN : all > INT32_MAX ? INT32_MAX : (int32_t)all; [> -> >=]':
    'a number at the limit is the limit',
  'src/c/ops/reduce.c: return sum / (rest > 0.0 ? rest : 0.0); [> -> >=]': 'what is no more than 0 is 0',
  'src/c/ops/reduce.c: double mean = mean_of(x, C), rest = C - correction, scale = 2.0 * d / (rest > 0.0 ? rest : 0.0); [> -> >=]':
    'what is no more than 0 is 0',
  'src/c/ops/convert.c: return x <= -2147483648.0 ? INT32_MIN : x >= 2147483647.0 ? INT32_MAX : (int32_t)x; [<= -> <]':
    'a number at the limit is the limit',
  'src/c/ops/convert.c: return x <= -2147483648.0 ? INT32_MIN : x >= 2147483647.0 ? INT32_MAX : (int32_t)x; [>= -> >]':
    'a number at the limit is the limit',
  'src/c/ops/layer_norm.c: return (moments){mean, 1.0 / __builtin_sqrt((var < 0.0 ? 0.0 : var) + eps)}; [< -> <=]':
    '0 is 0',
  'src/c/ops/trunc_normal.c: out[i] = x < (float)a ? (float)a : x > (float)b ? (float)b : x; [< -> <=]':
    'a number at the limit is the limit',
  'src/c/ops/trunc_normal.c: out[i] = x < (float)a ? (float)a : x > (float)b ? (float)b : x; [> -> >=]':
    'a number at the limit is the limit',
  'src/c/ops/trunc_normal.c: double z = x < 0 ? -x : x, result; [< -> <=]': 'the sign of a zero that 1 is added to',
  'src/c/ops/trunc_normal.c: return x < 0 ? -result : result; [< -> <=]': 'the sign of a zero that 1 is added to',
  'src/c/ops/cross_entropy.c: float spread = smoothing / V, all = weight && smoothing > 0.0f ? (float)(spread * gf_sum(weight, V)) : 0.0f; [> -> >=]':
    'without smoothing the sum of the weights is taken times 0',
  'src/c/math.c: if (y - y != 0.0f) result = size == 1.0f ? 1.0f : (size > 1.0f) == (y > 0.0f) ? GF_INFINITY : 0.0f; [> -> >=]':
    'size is not 1 there, and y not 0',
  'src/c/math.c: else if (size == 0.0f || size == GF_INFINITY) result = (size == 0.0f) == (y > 0.0f) ? 0.0f : GF_INFINITY; [> -> >=]':
    'y is not 0 there',
  'src/c/ops/matmul.c: int block_n = few || p->M > BLOCK_M ? BLOCK_N : NARROW_N; [> -> >=]':
    'how many columns at a time: each is a sum of its own',
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
  'src/c/text/unigram_train.c: return low <= NOTHING || high - low > 50 ? high : high + gf_log1p(gf_exp(low - high)); [> -> >=]':
    'e to the -50 is far below the last bit',
  'src/c/text/unigram_train.c: return low <= NOTHING || high - low > 50 ? high : high + gf_log1p(gf_exp(low - high)); [<= -> <]':
    'NOTHING is more than 50 below everything else',
  'src/c/text/recent.h: if (bytes >= 8) return (gf_recent){gf_load64(token), gf_load64(token + n - 8), n > 16 ? gf_load64(token + 8) : 0, n}; [> -> >=]':
    'of 16 bytes the middle is known already',
  'src/c/text/recent.h: if (bytes >= 8) return (gf_recent){gf_load64(token), gf_load64(token + n - 8), n > 16 ? gf_load64(token + 8) : 0, n}; [>= -> >]':
    'of 8 bytes the first 4 and the last 4 are all',
  'src/c/simd.h: float x = a[0] < a[2] ? a[2] : a[0], y = a[1] < a[3] ? a[3] : a[1]; [< -> <=]':
    'of two equal numbers either is the largest',
  'src/c/simd.h: return x < y ? y : x; [< -> <=]': 'of two equal numbers either is the largest',
  'src/c/ops/cross_entropy.c: return -1; [1 -> 2]': 'what is read of it is only whether it is below 0',
  'src/c/ops/embedding.c: return -1; [1 -> 2]': 'what is read of it is only whether it is below 0',
  'src/c/ops/int8.c: return -1; [1 -> 2]': 'what is read of it is only whether it is below 0',
  'src/c/ops/int8.c: return 1; [1 -> 2]': 'asked only whether it is 0',
  'src/c/ops/matmul.c: return 1; [1 -> 2]': 'asked only whether it is 0',
  'src/c/text/bpe.c: if (!(node = gf_pieces_step(b->whole, node, word[i]))) return -1; [1 -> 2]':
    'what is read of it is only whether it is below 0',
  'src/c/text/pieces.c: if (!make_room(p)) return -1; [1 -> 2]': 'what is read of it is only whether it is below 0',
  'src/c/text/vocab.c: if (!make_room(v, bytes)) return -1; [1 -> 2]':
    'what is read of it is only whether it is below 0',
  'src/c/text/bpe.c: int best = -1, lowest = NEVER; [1 -> 2]': 'what is read of it is only whether it is below 0',
  'src/c/text/wordpiece.c: if (at >= 0) continue; [>= -> >]': 'a word has bytes, so that its end is not 0',
  'src/c/ops/binary.c: return step ? gf_load_tail(x + whole, left, 0) : gf_load(x); [0 -> 1]':
    'lanes behind the end are not stored',
  'src/c/ops/binary.c: gf_f4 d = gf_load_tail(dout + whole, left, 0), y = gf_load_tail(out + whole, left, 0); [0 -> 1]':
    'lanes behind the end are not stored',
  'src/c/ops/gelu.c: if (i < n) gf_store_tail(out + i, f(gf_load_tail(x + i, n - i, 0)), n - i); [0 -> 1]':
    'lanes behind the end are not stored',
  'src/c/ops/gelu.c: gf_f4 change = gf_load_tail(dout + i, n - i, 0) * slope(gf_load_tail(x + i, n - i, 0)); [0 -> 1]':
    'lanes behind the end are not stored',
  'src/c/ops/gelu.c: gf_store_tail(dx + i, gf_load_tail(dx + i, n - i, 0) + change, n - i); [0 -> 1]':
    'lanes behind the end are not stored',
  'src/c/ops/int8.c: v[0] = n >= 4 ? gf_load(p) : gf_load_tail(p, n, 0); [0 -> 1]':
    'lanes behind the end are not stored',
  'src/c/ops/int8.c: v[1] = n >= 8 ? gf_load(p + 4) : n > 4 ? gf_load_tail(p + 4, n - 4, 0) : gf_zero(); [0 -> 1]':
    'lanes behind the end are not stored',
  'src/c/ops/matmul.c: gf_store(out, m + ROWS <= m1 ? gf_load(a) : gf_load_tail(a, m1 - m, 0)); [0 -> 1]':
    'lanes behind the end are not stored',
  'src/c/ops/unary.c: gf_f4 last = gf_load_tail(x + whole, left, 0), y; [0 -> 1]':
    'lanes behind the end are not stored',
  'src/c/ops/unary.c: gf_f4 d = gf_load_tail(dout + whole, left, 0), v = gf_load_tail(x + whole, left, 0); [0 -> 1]':
    'lanes behind the end are not stored',
  'src/c/ops/unary.c: gf_f4 w = gf_load_tail(y + whole, left, 0); [0 -> 1]': 'lanes behind the end are not stored',
  'src/c/ops/softmax.h: if (i < n) sum = gf_mul_add(gf_load_tail(a + i, n - i, 0), gf_load_tail(b + i, n - i, 0), sum); [0 -> 1]':
    'the other factor is 0 there',
  'src/c/math.h: GF_INLINE float gf_exp1(float x) { return gf_exp4(gf_splat(x))[0]; } [0 -> 1]':
    'all four are equal there',
  'src/js/decoding/choose.js: const all = sharesOf(engine, values), some = topP < 1 ? countFor(all, topP) : most [1 -> 2]':
    'all shares, added in the same order, are the total; what is 0 is left out in the end',
  'src/js/decoding/choose.js: const all = sharesOf(engine, values), some = topP < 1 ? countFor(all, topP) : most [< -> <=]':
    'all shares, added in the same order, are the total; what is 0 is left out in the end',
  'src/c/ops/matmul.c: start_cells(v, p, m, n, 1); [1 -> 2]': 'asked only whether it is 0',
  'src/js/decoding/choose.js: const shares = some < most ? sharesOf(engine, values.subarray(0, some)) : all [< -> <=]':
    'the shares of all are computed once more',
  'src/js/decoding/generate.js: if (tokens > cache.capacity) cache.widen(Math.min(this.#room, 2 * tokens)) [> -> >=]':
    'there is more room one token earlier',
  'src/js/dtype.js: return sign * (size < 0x400 ? size * 2 ** -24 : (0x400 + mantissa) * 2 ** ((size >> 10) - 25)) [< -> <=]':
    'the smallest normal number is the same either way',
  'src/js/ops/gelu.js: const normalBelow = x => (x < 0 ? normalTail(-x) : 1 - normalTail(x)) [< -> <=]':
    'half lies below 0, and half above',
  'src/js/ops/positional_encoding.js: const pairs = Math.ceil(dModel / 2), fastest = base < 1 ? base ** (-2 * (pairs - 1) / dModel) : 1 [< -> <=]':
    'every power of 1 is 1',
  'src/js/memory.js: if (this.#bytes > this.#peak) this.#peak = this.#bytes [> -> >=]':
    'of two equal numbers either is the largest',
  'src/js/memory.js: if (address + bytes > this.#end - PAGE) this.#growAhead() [> -> >=]':
    'asked once more whether the memory has grown',
  'src/js/recording.js: if (size >= bytes && size < least) [best, least] = [address, size] [< -> <=]':
    'of two blocks of one size either will do',
  'src/js/ops/unary.js: options: { negativeSlope: 0.01 }, value: (x, slope) => (x > 0 ? x : x * slope), [> -> >=]':
    '0 times the slope is 0',
  'src/js/text/scan.js: const placeBytes = size < WORTH_PLACES ? 0 : RECENT_PLACES * RECENT_BYTES [< -> <=]':
    'whether tokens met before are recognised: they are the same',
  'src/js/text/train_unigram.js: if (state.pieces.length > size) state = learner.prune(state, size) [> -> >=]':
    'as many as there are, all of them stay',
  'src/js/threads/team.js: if (performance.now() - since > this.patience) { [> -> >=]': 'a moment earlier',
  'src/js/threads/team.js: for (let n = 0; n < SPINS; n++) if (Atomics.load(this.#ints, DONE) === count) return [< -> <=]':
    'looks once more',
  'src/js/threads/team.js: for (let n = 0; n < SPINS; n++) if (Atomics.load(this.#ints, DONE) === count) return [0 -> 1]':
    'looks once less',
  'src/js/threads/team.js: Atomics.wait(ints, CALL, ints[CALL] + 1, 0) [+ -> -]': 'another number that is not there',
  'src/js/threads/team.js: Atomics.wait(ints, CALL, ints[CALL] + 1, 0) [1 -> 2]': 'another number that is not there',
  'src/js/threads/team.js: Atomics.wait(ints, CALL, ints[CALL] + 1, 0) [0 -> 1]':
    'what is not there is not waited for',
  'src/js/text/vocab.js: if (batch.length < BATCH_TOKENS && units < BATCH_UNITS) continue [< -> <=]':
    'a batch of one token more',
  'src/js/export/pytorch_modules.js: Math.abs(scale - 1 / Math.sqrt(embedDim / numHeads)) < 1e-9 [< -> <=]':
    'a scale at exactly this distance is the same to the digits that are written',
  'src/js/export/pytorch_ops.js: kv_heads: KV === H ? null : String(KV), scale: Math.abs(scale - 1 / Math.sqrt(D)) > 1e-9 ? number(scale) : null, [> -> >=]':
    'a scale at exactly this distance is the same to the digits that are written',
  'src/js/text/charsmap.js: for (let i = start; i < text.length; i++) { [< -> <=]':
    'behind the end no byte is like a unit',
  'src/js/counted.js: if (given.length > most) expectAtMost(name, most, given) [> -> >=]':
    'asked once more whether there are too many, which there are not',
  'src/c/ops/matmul.c: int is_packed = at->n0 > 0 && p->M <= BLOCK_M && p->K <= BLOCK_K; [0 -> 1]':
    'blocks begin at multiples of a panel',
  'src/c/ops/matmul.c: for (int m = 0; m < p->M; m += BLOCK_M) many_rows(p, m, min(m + BLOCK_M, p->M), &at); [< -> <=]':
    'a block that begins at the end has no rows',
  'src/c/ops/matmul.c: for (int k = 0; k < p->K; k += block_k) { [< -> <=]':
    'a block that begins at the end adds nothing',
  'src/c/ops/matmul.c: int few = p->M < ROWS, panels = p->b_layout == GF_B_PANELS; [< -> <=]':
    'four rows one by one: the same sums in the same order',
  'src/c/ops/matmul.c: int half = round_up((at->n1 - at->n0 + 1) / 2, PANEL);                                                    \\ [1 -> 2]':
    'the first half may have a panel more',
  'src/c/ops/matmul.c: if (size >= 0x1p15f && size < GF_INFINITY) return 0; [< -> <=]':
    'goes the way that is right for all values',
  'src/js/text/normalizers.js: const ASCII = /^[\\0-\\x7f]*$/ [0 -> 1]':
    'what is not taken for ASCII is normalised to itself',
  'src/c/text/bpe.c: memset(b->merges, -1, slots * sizeof *b->merges); [1 -> 2]':
    'of an empty slot only whether it is below 0 is read',
  'src/c/text/bpe.c: b->next[i] = i + 1 < n ? i + 1 : -1; [1 -> 2]':
    'what is read of it is only whether it is below 0; the other 1s have a test',
  'src/c/text/bpe.c: b->next[right] = -1; [1 -> 2]': 'what is read of it is only whether it is below 0',
  'src/c/text/bpe.c: int32_t id = b->whole ? whole_piece(b, word, bytes) : -1; [1 -> 2]':
    'what is read of it is only whether it is below 0',
  'src/c/text/bpe_train.c: if (!p) return -1; [1 -> 2]': 'what is read of it is only whether it is below 0',
  'src/c/text/bpe_train.c: return -1; [1 -> 2]': 'what is read of it is only whether it is below 0',
  'src/c/text/bpe_train.c: if (!to) return -1; [1 -> 2]': 'what is read of it is only whether it is below 0',
  'src/c/text/bpe_train.c: if (node < 0) return -1; [1 -> 2]': 'what is read of it is only whether it is below 0',
  'src/c/text/bpe_train.c: if (!made) return -1; [1 -> 2]': 'what is read of it is only whether it is below 0',
  'src/c/text/bpe_train.c: memset(t.slots, -1, (t.mask + 1) * sizeof *t.slots); [1 -> 2]':
    'of an empty slot only whether it is below 0 is read; the other 1 has a test',
  'src/c/text/unigram.c: for (int i = 0; i <= bytes; i++) last[i] = -1; [1 -> 2]':
    'what is read of it is only whether it is below 0',
  'src/c/text/unigram.c: for (int i = 0; i <= bytes; i++) at[i] = (best){0, -1, -1}; [1 -> 2]':
    'what is read of it is only whether it is below 0',
  'src/c/text/vocab.c: memset(v->slots, -1, FIRST_SLOTS * sizeof *v->slots); [1 -> 2]':
    'of an empty slot only whether it is below 0 is read',
  'src/c/text/wordpiece.c: int found = -1; [1 -> 2]': 'what is read of it is only whether it is below 0',
  'src/c/text/wordpiece.c: int from = count, at = characters(text, start, words[k]) > longest ? -1 : start; [1 -> 2]':
    'what is read of it is only whether it is below 0',
  'src/js/export/pytorch_helpers.js: for (let all = text, before = -1; used.size !== before;) { [1 -> 2]':
    'no set has a size below 0',
  'src/js/threads/team.js: for (let done, last = -1, since = 0; (done = Atomics.load(this.#ints, DONE)) < count;) { [1 -> 2]':
    'there are never fewer than none done',
  'src/js/ops/embedding.js: const skipped = paddingIdx === undefined ? -1 : paddingIdx < 0 ? paddingIdx + V : paddingIdx [1 -> 2]':
    'no id is below 0',
  'src/js/compile.js: if (found > 0) plans.unshift(...plans.splice(found, 1)) [> -> >=]': 'the first one is put first',
  'src/js/ops/attention_cache.js: if (this.isMemory || capacity <= this.capacity) return [<= -> <]':
    'moves to as much room as there was',
  'src/js/panels.js: if (turning.bytes < room) { [< -> <=]': 'other room of the same size',
  'src/c/text/bpe.c: if (b->next[right] >= 0) b->before[b->next[right]] = w.at; [>= -> >]':
    'nothing is followed by the first symbol',
  'src/c/ops/attention.c: if (r.scores != r.dots) memcpy(r.scores + first, r.dots + first, sizeof(float) * (size_t)count); [+ -> -]':
    'dots that are kept begin at key 0',
  'src/c/ops/trunc_normal.c: for (int i = 0; i < 4; i++) x -= (erf_of(x) - y) * SQRT_PI / 2.0 / gf_exp(-x * x); [0 -> 1]':
    'the last step changes no float: 1,500,000 were tried',
  'src/c/text/bpe_train.c: for (; t->slots[slot] >= 0; slot = (slot + 1) & t->mask) { [1 -> 2]':
    'looks at every second slot, of which enough are empty',
  'src/js/memory.js: if (wanted < length - 1) this.#weights.length = wanted [- -> +]':
    'an empty buffer more or less, which only the garbage collector sees',
  'src/c/text/bpe.c: b->room = 0; [0 -> 1]': 'words that need it have many more symbols',
  'src/c/text/bpe_train.c: t.starts = malloc(((size_t)n * 2 + 1) * sizeof *t.starts); [1 -> 2]': 'room for one more',
  'src/c/text/bpe.c: if (best + 1 < n) look_up(b, ids, best, ranks, made); [+ -> -]':
    'nobody reads what the last symbol and the one that was behind it would become',
  'src/c/text/bpe.c: if (best + 1 < n) look_up(b, ids, best, ranks, made); [< -> <=]':
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
  'src/c/text/bpe.c: for (int i = 0; i + 1 < n; i++) consider(b, i); [< -> <=]':
    'behind the last symbol is none that it could be joined with',
  'src/c/text/bpe.c: if (b->symbols[w.at] != w.left || right < 0 || b->symbols[right] != w.right) continue; [< -> <=]':
    'no symbol is followed by the first',
  'src/c/text/bpe.c: if (b->symbols[w.at] != w.left || right < 0 || b->symbols[right] != w.right) continue; [0 -> 1]':
    'no symbol is followed by the first',
  'src/c/text/bpe.c: if (b->next[right] >= 0) b->before[b->next[right]] = w.at; [0 -> 1]':
    'no symbol is followed by the first',
  'src/c/text/bpe.c: if (!b->kept || bytes > KEPT) return encode_word(b, ids, ends, word, bytes); [> -> >=]':
    'a word of as many bytes is joined anew each time, to the same',
  'src/c/text/bpe.c: if (count < 0) return count; [< -> <=]': 'a word has bytes, and at least one piece',
  'src/c/text/bpe.c: if (count < 0) return count; [0 -> 1]': 'a word has bytes, and at least one piece',
  'src/c/text/bpe.c: if (found < 0) return GF_NO_MEMORY; [< -> <=]': 'a word has bytes, and at least one piece',
  'src/c/text/bpe.c: if (found < 0) return GF_NO_MEMORY; [0 -> 1]': 'a word has bytes, and at least one piece',
  'src/c/text/bpe.c: if (!b->kept && n >= WORTH_PLACES) b->kept = calloc(PLACES, sizeof *b->kept); [>= -> >]':
    'words are joined to the same with places and without',
  'src/c/text/bpe.c: while (slots < (uint32_t)n * 2) slots *= 2; [< -> <=]': 'a table of twice the size',
  'src/c/text/bpe_train.c: if (child >= t->heap.count) break; [>= -> >]':
    'behind the heap stands what is being let down, which comes to rest here either way',
  'src/c/text/bpe_train.c: if (child + 1 < t->heap.count && comes_first(t, heap[child + 1], heap[child])) child++; [+ -> -]':
    'behind the heap stands what is being let down, which comes to rest here either way; the other + has a test',
  'src/c/text/bpe_train.c: if ((uint32_t)t->pairs.count > t->mask / 2 && !grow_slots(t)) t->failed = true; [> -> >=]':
    'the table grows one pair earlier',
  'src/c/text/bpe_train.c: if (p->met < 0 || ((meeting *)t->meetings.items)[p->met].word != word) { [< -> <=]':
    'a word that is met twice is gone through once more when the pair is no longer there',
  'src/c/text/bpe_train.c: if (p->met < 0 || ((meeting *)t->meetings.items)[p->met].word != word) { [0 -> 1]':
    'a word that is met twice is gone through once more when the pair is no longer there',
  'src/c/text/bpe_train.c: p->rising = true; [true -> false]':
    'waits several times, and is passed over after the first',
  'src/c/text/bpe_train.c: t->rising.count = 0; [0 -> 1]':
    'the first of them waits once more each round, and is passed over',
  'src/c/text/bpe_train.c: double highest = 0; [0 -> 1]': 'the first pair is taken whatever it has',
  'src/c/text/bpe_train.c: for (int32_t i = 0; i < joined.bytes; i++) { [< -> <=]':
    'a byte more is kept behind a symbol, and read by nobody',
  'src/c/text/bpe_train.c: pair_at(t, chosen)->met = -1; [1 -> 2]': 'what is read of it is only whether it is below 0',
  'src/c/text/bpe_train.c: if (!s) return false; [false -> true]':
    'it is known already that there was no memory, and no training begins',
  'src/c/text/bpe_train.c: if (!to) return false; [false -> true]':
    'it is known already that there was no memory, and no training begins',
  'src/c/text/bpe_train.c: t.slots = malloc((t.mask + 1) * sizeof *t.slots); [1 -> 2]': 'room for one more',
  'src/c/text/pieces.c: return (uint32_t)p->nodes < p->mask / 3 * 2 || grow_edges(p); [* -> /]':
    'the table grows earlier',
  'src/c/text/pieces.c: return (uint32_t)p->nodes < p->mask / 3 * 2 || grow_edges(p); [< -> <=]':
    'the table grows one node later',
  'src/c/text/pieces.h: uint32_t slot = key * 0x9E3779B1u; [* -> /]':
    'another place to begin to look at, always the same',
  'src/c/text/pieces.h: while (p->edges[slot].child && p->edges[slot].key != key) slot = (slot + 1) & p->mask; [+ -> -]':
    'slots are tried in either direction, as long as it is always the same',
  'src/c/text/recent.h: if (bytes >= 8) return (gf_recent){gf_load64(token), gf_load64(token + n - 8), n > 16 ? gf_load64(token + 8) : 0, n}; [0 -> 1]':
    'the same for all tokens of as many bytes, which are compared with no others',
  'src/c/text/recent.h: if (!recent || bytes > 24) return 0; [> -> >=]':
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
  'src/c/text/unigram.c: best *at = malloc(((size_t)longest + 1) * sizeof *at); [1 -> 2]': 'room for one more',
  'src/c/text/unigram.c: best *at = malloc(((size_t)bytes + 1) * sizeof *at); [1 -> 2]': 'room for one more',
  'src/c/text/unigram_train.c: if (id < 0 || beta[j + 1] <= NOTHING) continue; [<= -> <]':
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
  'src/c/text/words.c: static const char ascii_kinds[128 + 1] = [1 -> 2]': 'a byte more, which nobody reads',
  'src/c/ops/sort.c: for (int i = 0; i < C; i++) order[i] = i; [< -> <=]':
    'one more is written where the passes write before they read',
  'src/c/ops/sort.c: for (int run = 1; run < C; run *= 2) { [< -> <=]':
    'of one value one more pass leaves the order as it is',
  'src/c/ops/sort.c: for (int i = 0; i < C; i += 2 * run) { [< -> <=]': 'behind the last there is nothing to merge',
  'src/c/ops/sort.c: if (run > C / 2) break; [/ -> *]':
    'the loop ends by itself, unless a line were larger than all memory',
  'src/c/ops/sort.c: if (k <= FEW && k < C) first_few(found, &l, C, k); [< -> <=]':
    'both find the same order, which has a test; only how long it takes differs',
  'src/c/ops/sort.c: if (k <= FEW && k < C) first_few(found, &l, C, k); [<= -> <]':
    'both find the same order, which has a test; only how long it takes differs',
  'src/c/ops/sort.c: if (k <= FEW && k < C) first_few(found, &l, C, k); [&& -> ||]':
    'both find the same order, which has a test; only how long it takes differs',
  'src/c/ops/softmax.h: for (; i + 8 <= n; i += 8) most = gf_max(most, gf_load(x + i)), other = gf_max(other, gf_load(x + i + 4)); [<= -> <]':
    'the next loop takes the same values',
  'src/c/ops/softmax.h: for (; i + 4 <= n; i += 4) gf_store(x + i, gf_load(x + i) * by); [<= -> <]':
    'the next loop takes the last four, to the same',
  'src/c/ops/reduce.c: gf_i4 below = sign * gf_load(x) <= best; [<= -> <]':
    'what is not passed over is looked at one by one',
  'src/c/ops/reduce.c: for (int i = 4; i < BLOCK; i += 4) below &= sign * gf_load(x + i) <= best; [<= -> <]':
    'what is not passed over is looked at one by one',
  'src/c/ops/reduce.c: for (int i = 1; i < C && x[best] == x[best]; i++) { [< -> <=]':
    'behind the last nothing is looked at',
  'src/c/ops/reduce.c: while (i + BLOCK <= C && is_below(x + i, most, signs)) i += BLOCK; [<= -> <]':
    'what is not passed over is looked at one by one',
  'src/c/ops/sum.c: if (!(size <= largest)) largest = size; [<= -> <]': 'of two equal numbers either is the largest',
  'src/c/ops/gelu.c: for (; i + 8 <= n; i += 8) { [<= -> <]': 'the next loop takes the same values',
  'src/c/ops/matmul.c: for (; k + 4 <= K; k += 4, out += 4 * width) { [<= -> <]':
    'the next loop takes the last four, to the same',
  'src/c/ops/matmul.c: for (; n + TOGETHER * PANEL <= N; n += TOGETHER * PANEL, out += TOGETHER * apart) [<= -> <]':
    'the next loop takes the last panels, to the same',
  'src/c/ops/int8.c: to->step = counts ? most / 32767 : most < NOTHING ? 0 : GF_NAN; [< -> <=]':
    'what is as large as that counts',
  'src/c/ops/transpose.c: for (int a = 0; a < A; a += TILE) [< -> <=]': 'behind the edge there is no value',
  'src/c/ops/transpose.c: for (int b = 0; b < B; b += TILE) [< -> <=]': 'behind the edge there is no value',
  'src/c/ops/transpose.c: if (a + TILE <= A && b + TILE <= B) [<= -> <]':
    'the other way takes the same values one by one',
  'src/c/ops/transpose.c: for (int i = a; i < A && i < a + TILE; i++) [< -> <=]':
    'a line more is what the next tile writes; the other < has a test',
  'src/c/ops/transpose.c: for (int j = b; j < B && j < b + TILE; j++) out[j * out_apart + i] = x[i * apart + j]; [< -> <=]':
    'a line more is what the next tile writes; the other < has a test',
  'src/c/ops/binary.h: X(maximum, larger(a, b), share(d, a < b, a == b), share(d, b < a, a == b))                                           \\ [< -> <=]':
    'of equal ones each gets half, whichever loses',
  'src/c/ops/binary.h: X(minimum, smaller(a, b), share(d, a > b, a == b), share(d, b > a, a == b))                                          \\ [> -> >=]':
    'of equal ones each gets half, whichever loses',
  'src/c/ops/convert.c: if (size >= 65520.0f) return (uint16_t)(sign | 0x7c00); [>= -> >]':
    'its mantissa rounds up to infinity by itself',
  'src/c/ops/convert.c: if (size < 0x1p-14f) return (uint16_t)(sign | (uint32_t)__builtin_rintf(size * 0x1p24f)); [< -> <=]':
    'the smallest normal number has the same bits either way',
  'src/c/ops/matmul.c: int is_packed = at->n0 > 0 && p->M <= BLOCK_M && p->K <= BLOCK_K; [<= -> <]':
    'packs again what is packed, to the same; the first <= the same',
  'src/c/ops/binary.c: f(change, (const float *)&d, (const float *)&y, (const float *)&x_end, (const float *)&z_end, 1, 1, 1); [1 -> 2]':
    'the step of a single block is not taken; the last 1 has a test',
  'src/c/ops/binary.c: f((float *)&y, (const float *)&x_end, (const float *)&z_end, 1, 1, 1); [1 -> 2]':
    'the step of a single block is not taken; the last 1 has a test',
  'src/c/ops/matmul.c: for (int n = 0; n < p->N; n += PANEL) { [< -> <=]': 'behind the edge nothing is loaded or stored',
  'src/js/ops/strided.js: engine.c.gf_strided(gradient(x) + 4 * offset, gradient(out), engine.pass(axesOf(shape, steps, stepsOf(shape))), 1) [1 -> 2]':
    'any number but 0 adds',
  'src/js/ops/attention.js: mask?.tensor.address ?? 0, mask?.batch ?? 0, mask?.head ?? 0, padding, isCausal ? 1 : 0, past, window, 1 [0 -> 1]':
    'without a mask its steps are not taken; the other 0 has a test',
  'src/js/text/train_merges.js: size, least, likelihood ? 1 : 0) [1 -> 2]': 'any number but 0 chooses',
  'src/c/glassformer.h: typedef enum { GF_OK = 0, GF_NO_MEMORY = -1, GF_BAD_INPUT = -2 } gf_status; [0 -> 1]':
    'it is told from the others by not being negative'
}
