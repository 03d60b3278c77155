// Changes that no test can see: src/js.

/** @type {Record<string, string>} */
export default {
  'src/js/text/bpe_model.js: for (let i = 0; i < count; i++) { [< -> <=]': 'behind the end of an array nothing is written',
  'src/js/text/bpe_model.js: for (let k = 0, start = 0; k < words.length; start = words[k++]) { [< -> <=]':
    'behind the last word there are no characters',
  'src/js/text/batch_encoder.js: while (from < size) { [< -> <=]': 'behind the end no word is found, which ends it, too',
  'src/js/text/batch_encoder.js: for (last = first + 1; ends[last] - from <= WINDOW; last++); [<= -> <]':
    'how many words at a time: each is cut by itself',
  'src/js/text/batch_encoder.js: for (last = first + 1; ends[last] - from <= WINDOW; last++); [- -> +]':
    'how many words at a time: each is cut by itself',
  'src/js/text/batch_encoder.js: const n = c.gf_cut(words, classes, text, bytes, bytes, to === size ? TEXT_END : 0) [0 -> 1]':
    'TEXT_START, which gf_cut does not ask for',
  'src/js/text/charsmap.js: let node = childOffset(units[0]), length = 0, value = 0 [0 -> 1]':
    'the value is read only where one was found; the other 0s have a test',
  'src/js/text/kernel_memory.js: addPieces(engine, handle, where, pieces.filter(piece => piece.continuing), 1) [1 -> 2]':
    'asked only whether it is 0',
  'src/js/text/scan.js: if (counts[0] === 0) return counts[2] [0 -> 1]':
    'no units are done where no bytes are; the other 0 has a test',
  'src/js/text/scan.js: export function scan({ c, memory }, kernel, where, text, flags = 0) { [0 -> 1]':
    'TEXT_START, which gf_whitespace does not ask for',
  'src/js/text/utf8.js: export const characterLength = lead => lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4 [< -> <=]':
    '0x80 leads no character, which is invalid at either length; the other < have a test',
  'src/js/text/train_unigram.js: const count = c.gf_unigram(ids, ends, set, scores, text, wordsAddress, words.length, -1e9, -1, flags) [1 -> 2]':
    'every character of the text is a piece, so that none is unknown',
  'src/js/text/unigram_model.js: const run = capacity => withBuffers(memory, [new Float64Array(capacity), new Float64Array(n + 1), [1 -> 2]':
    'room for one more',
  'src/js/text/scan.js: memory.bytes(cacheAddress, cacheBytes).fill(0) [0 -> 1]':
    'a place of 16,843,009 bytes is met by no token, of 24 at most',
  'src/js/ops/attention_cache.js: return { keys: [KV * keys, keys, 0], values: [KV * values, values, 0] } [0 -> 1]':
    'from row to row of a cache the panels tell the way, and nobody reads it',
  'src/js/ops/broadcast.js: export function passAxes(engine, axes, number = 0) { [0 -> 1]': 'read only where an operand is a number',
  'src/js/export/dynamic_batch.js: return shape.length > 1 && shape[0] === batch && bytes.every((byte, i) => byte === bytes[i % row]) [> -> >=]':
    'one of equal numbers is stretched to all of them',
  'src/js/export/dynamic_batch.js: const none = { batched: new Set(), single: new Set() }, [batch = 1] = inputs[0]?.tensor.shape ?? [] [1 -> 2]':
    'a tensor of one number is not of two axes either',
  'src/js/export/pytorch_example.js: const sizes = modules.map(([, module]) => (module instanceof Embedding ? module.numEmbeddings : 0)) [0 -> 1]':
    'tables of up to two rows are left out',
  'src/js/shape.js: const index = shape.map(() => 0) [0 -> 1]': 'every place of it is written after',
  'src/js/threads/splits.js: const rows = (cost, count, moving, { side = -1, single = [] } = {}) => ({ [1 -> 2]': 'no argument stands before the first',
  'src/js/threads/splits.js: const parts = splitRange(args[count], 2 * threads, side < 0 ? PANEL : 1).map(({ from, length }) => { [< -> <=]':
    'the first argument is never the side',
  'src/js/threads/splits.js: const parts = splitRange(args[count], 2 * threads, side < 0 ? PANEL : 1).map(({ from, length }) => { [0 -> 1]':
    'the first argument is never the side',
  'src/js/load.js: 0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 10, 1, 8, 0, 65, 0, 253, 15, 253, 98, 11) [0 -> 1]':
    'a constant of a function that nobody calls; the other bytes have a test',
  'src/js/text/kernel_memory.js: return memory.borrow(arrays.reduce((sum, array) => sum + roundUp(array.byteLength), 0), start => { [0 -> 1]':
    'a byte more is lent than is used',
  'src/js/decoding/choose.js: for (let sum = 0; count < length && (count === 0 || sum < p * total); count++) sum += probabilities[count] [< -> <=]':
    'all probabilities, added in the same order, are the total and end the loop; the other < has a test',
  'src/js/text/train_unigram.js: let at = 0 [0 -> 1]': 'the first piece ends no later than the first word',
  'src/js/ops/attention.js: const [axes] = passAxes(engine, [3, B, H, Tq * Tk, batch, head, 1, 0, 0, 0]) [0 -> 1]':
    'says where an operand lies, and the slope of a sum reads none',
  'src/js/text/scan.js: if (slot < 0) cache[-slot] = token [0 -> 1]': 'the places begin at 1: nobody reads the one at 0',
  'src/js/ops/strided.js: up += Math.max(0, far) [0 -> 1]':
    'more is tried, and what does not add up is left out at the end',
  'src/js/text/text_source.js: for (let i = 0; i < units; i++) list[i] = i + 1 [< -> <=]':
    'nothing is written beyond the end of a typed array',
  'src/js/text/tokenizer.js: if (from) for (let i = 0; i < spans.length; i += 2) { [< -> <=]':
    'nothing is written beyond the end of a typed array',
  'src/js/ops/unary.js: const [p = 0, q = 0] = Object.values(parameters) [0 -> 1]':
    'read by no operation that has no parameters',
  'src/js/memory.js: if (count < length - 1) this.#ballast.length = count [< -> <=]':
    'an empty buffer more or less, which only the garbage collector sees',
  'src/js/ops/attention_explain.js: const isRootOf = (scale, D) => Math.abs(scale - 1 / Math.sqrt(D)) < 1e-12 [< -> <=]':
    'a scale at exactly this distance would be shown by another word of the same value',
  'src/js/optim/adam.js: this.decoupled ? 1 : 0) [1 -> 2]':
    'asked only whether it is 0',
  'src/js/ops/broadcast.js: const float = new Float32Array(1), bits = new Int32Array(float.buffer) [1 -> 2]':
    'room for one more',
  'src/js/threads/mailbox.js: for (let n = 0; n < ${SPINS} && Atomics.load(box, ${CALL}) === call; n++); [=== -> !=]':
    'looks less often before it sleeps: the same work, a little later',
  'src/js/text/spm_normalizer.js: return mayBeInvalid && decodeValidUtf8(bytes.subarray(at, at + length)) === undefined ? 0 : length [0 -> 1]': 'what begins no character is U+FFFD in the string, too',
  'src/js/decoding/choose.js: const all = softmaxOf(engine, values), nucleus = topP < 1 ? nucleusSize(all, topP) : k [1 -> 2]':
    'all probabilities, added in the same order, are the total; what is 0 is left out in the end',
  'src/js/decoding/choose.js: const all = softmaxOf(engine, values), nucleus = topP < 1 ? nucleusSize(all, topP) : k [< -> <=]':
    'all probabilities, added in the same order, are the total; what is 0 is left out in the end',
  'src/js/decoding/choose.js: const probabilities = count < k ? softmaxOf(engine, values.subarray(0, count)) : all [< -> <=]':
    'the probabilities of all are computed once more',
  'src/js/decoding/generate.js: if (tokens > cache.capacity) cache.reserve(Math.min(this.#maxTokens, 2 * tokens)) [> -> >=]':
    'there is more room one token earlier',
  'src/js/dtype.js: return sign * (size < 0x400 ? size * 2 ** -24 : (0x400 + mantissa) * 2 ** ((size >> 10) - 25)) [< -> <=]':
    'the smallest normal number is the same either way',
  'src/js/ops/gelu.js: export const normalBelow = x => (x < 0 ? normalTail(-x) : 1 - normalTail(x)) [< -> <=]':
    'half lies below 0, and half above',
  'src/js/ops/positional_encoding.js: const pairs = Math.ceil(dModel / 2), fastest = base < 1 ? base ** (-2 * (pairs - 1) / dModel) : 1 [< -> <=]':
    'every power of 1 is 1',
  'src/js/memory.js: if (this.#bytes > this.#peak) this.#peak = this.#bytes [> -> >=]':
    'of two equal numbers either is the largest',
  'src/js/memory.js: if (address + bytes > this.#end - PAGE) this.#growAhead() [> -> >=]':
    'asked once more whether the memory has grown',
  'src/js/recording.js: if (size >= bytes && size < minSize) [best, minSize] = [address, size] [< -> <=]':
    'of two blocks of one size either will do',
  'src/js/ops/unary.js: options: { negativeSlope: 0.01 }, value: (x, slope) => (x > 0 ? x : x * slope), [> -> >=]':
    '0 times the slope is 0',
  'src/js/text/scan.js: const cacheBytes = size < MIN_CACHED_SIZE ? 0 : TOKEN_SLOTS * TOKEN_SLOT_BYTES [< -> <=]':
    'whether tokens met before are recognised: they are the same',
  'src/js/text/train_unigram.js: if (state.pieces.length > size) state = trainer.prune(state, size) [> -> >=]':
    'as many as there are, all of them stay',
  'src/js/threads/team.js: if (waited > this.patience) { [> -> >=]': 'a moment earlier',
  'src/js/threads/team.js: for (let n = 0; n < SPINS; n++) if (Atomics.load(this.#ints, DONE) === count) return [< -> <=]':
    'looks once more',
  'src/js/threads/team.js: for (let n = 0; n < SPINS; n++) if (Atomics.load(this.#ints, DONE) === count) return [0 -> 1]':
    'looks once less',
  'src/js/threads/team.js: Atomics.wait(ints, CALL, ints[CALL] + 1, 0) [+ -> -]': 'another number that is not there',
  'src/js/threads/team.js: Atomics.wait(ints, CALL, ints[CALL] + 1, 0) [1 -> 2]': 'another number that is not there',
  'src/js/threads/team.js: Atomics.wait(ints, CALL, ints[CALL] + 1, 0) [0 -> 1]':
    'what is not there is not waited for',
  'src/js/export/pytorch_modules.js: (scale === undefined || Math.abs(scale - 1 / Math.sqrt(embedDim / numHeads)) < 1e-9) [< -> <=]':
    'a scale at exactly this distance is the same to the digits that are written',
  'src/js/export/pytorch_ops.js: scale: Math.abs(scale - 1 / Math.sqrt(D)) > 1e-9 ? numberLiteral(scale) : null, [> -> >=]':
    'a scale at exactly this distance is the same to the digits that are written',
  'src/js/text/charsmap.js: for (let i = start; i < text.length; i++) { [< -> <=]':
    'behind the end no byte is like a unit',
  'src/js/export/pytorch_helpers.js: for (let all = text, before = -1; used.size !== before;) { [1 -> 2]':
    'no set has a size below 0',
  'src/js/ops/embedding.js: const skipped = paddingIdx === undefined ? -1 : paddingIdx < 0 ? paddingIdx + V : paddingIdx [1 -> 2]':
    'no id is below 0',
  'src/js/compile.js: if (found > 0) plans.unshift(...plans.splice(found, 1)) [> -> >=]': 'the first one is put first',
  'src/js/ops/attention_cache.js: if (this.isMemory || capacity <= this.capacity) return [<= -> <]':
    'moves to as much room as there was',
  'src/js/panels.js: if (panelBuffer.bytes < bufferBytes) { [< -> <=]': 'other room of the same size',
  'src/js/memory.js: if (count < length - 1) this.#ballast.length = count [- -> +]':
    'an empty buffer more or less, which only the garbage collector sees',
  'src/js/ops/attention.js: mask?.tensor.dataPtr() ?? 0, mask?.batch ?? 0, mask?.head ?? 0, padding, isCausal ? 1 : 0, past, window, 1 [0 -> 1]':
    'without a mask its steps are not taken; the other 0 has a test'
}
