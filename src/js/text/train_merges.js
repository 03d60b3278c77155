import { expectBoolean } from '../errors.js'
import { ALPHABET, LETTERS } from './byte_letters.js'
import { bertProcessing } from './files.js'
import { noMemory, packed, passing } from './handles.js'
import { bpe, byteLevel, special } from './merges_files.js'
import { normalizer } from './normalizers.js'
import { GPT2, pretokenizer } from './pretokenizers.js'
import { Tokenizer } from './tokenizer.js'
import { checkSize, checked, countWords, sorted, tokenizerJson } from './training.js'
import { wordsOf } from './words_of.js'

/**
 * @typedef {import('./training.js').TrainOptions & { minFrequency?: number }} BPEOptions minFrequency: how often a pair
 *   has to occur to be joined; default 1
 */
/**
 * @typedef {BPEOptions & { lowercase?: boolean }} WordPieceOptions lowercase (default false): small letters without
 * accents, as BERT's uncased models have it; Hangul comes apart into jamo then
 */

const encoder = new TextEncoder()

/**
 * Learns merges in the kernel.
 * @param {import('../kernels.js').Kernels} engine @param {string} where
 * @param {readonly number[][]} words in symbols @param {readonly number[]} counts
 * @param {readonly Uint8Array[]} alphabet the bytes of each symbol; those from `plain` on only continue a word
 * @param {{ plain: number, size: number, least: number, likelihood: boolean }} how
 * @returns {number[][]} left, right, made, count of each merge
 */
function learnMerges({ c, memory, seed }, where, words, counts, alphabet, { plain, size, least, likelihood }) {
  const text = Int32Array.from(words.flat())
  let end = 0
  const ends = Int32Array.from(words, word => end += word.length)
  const letters = packed(alphabet)
  const arrays = [new Int32Array(8 * size), text, ends, Int32Array.from(counts), letters.bytes, letters.ends]
  return passing(memory, arrays, (merges, symbols, places, numbers, bytes, byteEnds) => {
    const n = c.gf_bpe_train(merges, symbols, places, numbers, words.length, bytes, byteEnds, alphabet.length, plain,
      size, least, likelihood ? 1 : 0, seed)
    if (n < 0) throw noMemory(where)
    return Array.from({ length: n }, (_, i) => [...memory.ints(merges + 16 * i, 4)])
  })
}

/**
 * Learns byte-level byte-pair encoding, as GPT-2 has it: the 256 bytes come first, then one token for each merge. The
 * pair that occurs most often is joined first; of equals the one whose tokens are older.
 * @param {import('../kernels.js').Kernels} engine
 * @param {string | string[]} text
 * @param {BPEOptions} options
 * @returns {Tokenizer} its `merges` know how often each pair occurred
 * @throws {GlassformerError} 'type' and 'range' for arguments that are not as described; 'memory'
 * @example
 * const tokenizer = gf.text.trainBPE('low lower lowest', { vocabSize: 260 })
 * tokenizer.decode(tokenizer.encode('lower').ids)   // 'lower'
 */
export function trainBPE(engine, text, options) {
  const where = 'trainBPE'
  const { texts, vocabSize, specials, minFrequency } = checked(where, text, options,
    ['vocabSize', 'specials', 'minFrequency'])
  checkSize(where, vocabSize, LETTERS.length + specials.length, '256 bytes and the specials')
  const words = countWords(texts, specials, part => part.match(GPT2()) ?? [])
  const order = new Map(ALPHABET.map((letter, i) => [letter, i]))
  const symbolOf = LETTERS.map(letter => /** @type {number} */ (order.get(letter)))
  const symbols = Array.from(words.keys(), word => Array.from(encoder.encode(word), byte => symbolOf[byte]))
  const alphabet = ALPHABET.map(letter => Uint8Array.of(LETTERS.indexOf(letter)))
  const learned = learnMerges(engine, where, symbols, [...words.values()], alphabet,
    { plain: LETTERS.length, size: vocabSize - specials.length, least: minFrequency, likelihood: false })

  const tokens = [...ALPHABET]
  const pairs = learned.map(([left, right, made]) => {
    tokens[made] = tokens[left] + tokens[right]
    return [tokens[left], tokens[right]]
  })
  const vocab = Object.fromEntries([...specials, ...tokens].map((token, id) => [token, id]))
  const bytes = byteLevel({})
  return new Tokenizer(engine, tokenizerJson({
    added_tokens: specials.map(special), pre_tokenizer: bytes, decoder: bytes, model: bpe(vocab, pairs)
  }), mergesOf(learned, tokens, specials.length))
}

/** @param {readonly number[][]} learned @param {readonly string[]} tokens @param {number} first the id of token 0 */
const mergesOf = (learned, tokens, first) => learned.map(([left, right, made, count]) => (
  /** @type {import('./tokenizer.js').Merge} */ ({
    pair: [tokens[left], tokens[right]], token: tokens[made], ids: [first + left, first + right, first + made], count
  })))

const PREFIX = '##'

/**
 * Learns WordPiece, as BERT has it: [UNK] and the other specials come first, then the letters, those that continue a
 * word with ##, then one token for each merge. The pair that occurs most often for how often its two tokens occur is
 * joined first: count(pair) / (count(left) count(right)).
 * @param {import('../kernels.js').Kernels} engine
 * @param {string | string[]} text
 * @param {WordPieceOptions} options
 * @returns {Tokenizer} its `merges` tell how its tokens were made; cutting does not use them
 * @throws {GlassformerError} 'type' and 'range' for arguments that are not as described; 'memory'
 */
export function trainWordPiece(engine, text, options) {
  const where = 'trainWordPiece', unknown = '[UNK]'
  const { texts, vocabSize, specials: given, minFrequency, lowercase } =
    checked(where, text, options, ['vocabSize', 'specials', 'minFrequency', 'lowercase'])
  expectBoolean(where, 'lowercase', lowercase)
  const specials = given.includes(unknown) ? given : [unknown, ...given]
  const rewriting = { type: 'BertNormalizer', clean_text: true, handle_chinese_chars: true, strip_accents: null,
    lowercase }
  const cutting = { type: 'BertPreTokenizer' }
  const words = countWords(texts, specials, wordsOf(normalizer(rewriting), pretokenizer(cutting)))

  const first = new Set(), later = new Set()
  for (const word of words.keys()) [...word].forEach((letter, i) => (i ? later : first).add(letter))
  const plain = sorted(first), continuing = sorted(later)
  const letters = [...plain, ...continuing.map(letter => PREFIX + letter)]
  checkSize(where, vocabSize, letters.length + specials.length, `${letters.length} letters and the specials`)
  const order = new Map(letters.map((letter, i) => [letter, i]))
  const symbols = Array.from(words.keys(), word =>
    Array.from(word, (letter, i) => /** @type {number} */ (order.get(i ? PREFIX + letter : letter))))
  const learned = learnMerges(engine, where, symbols, [...words.values()],
    [...plain, ...continuing].map(letter => encoder.encode(letter)),
    { plain: plain.length, size: vocabSize - specials.length, least: minFrequency, likelihood: true })

  const tokens = letters
  for (const [left, right, made] of learned) tokens[made] = tokens[left] + tokens[right].slice(PREFIX.length)
  const all = [...specials, ...tokens]
  const vocab = Object.fromEntries(all.map((token, id) => [token, id]))
  return new Tokenizer(engine, tokenizerJson({
    added_tokens: specials.map(special),
    normalizer: rewriting,
    pre_tokenizer: cutting,
    post_processor: bertProcessing(vocab),
    decoder: { type: 'WordPiece', prefix: PREFIX, cleanup: true },
    model: {
      type: 'WordPiece', unk_token: unknown, continuing_subword_prefix: PREFIX, max_input_chars_per_word: 100, vocab
    }
  }), mergesOf(learned, tokens, specials.length))
}
