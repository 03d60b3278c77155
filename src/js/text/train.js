import { describe, expect, optionsOf, wholeNumber } from '../errors.js'
import { ALPHABET, LETTERS } from './byte_letters.js'
import { bpe, special } from './files.js'
import { noMemory, packed, passing } from './handles.js'
import { literal } from './pattern.js'
import { GPT2 } from './pretokenizers.js'
import { wellFormed } from './scan.js'
import { Tokenizer } from './tokenizer.js'

/**
 * @typedef {object} TrainOptions
 * @property {number} vocabSize how many tokens there are to be, specials included; fewer when the text does not have them
 * @property {string[]} [specials] marks with ids of their own, the first ones; they are found in a text as they are written
 * @property {number} [minFrequency] how often a pair has to occur to be joined; default 1
 */

const encoder = new TextEncoder()
const OPTIONS = ['vocabSize', 'specials', 'minFrequency']

/**
 * @param {string} where @param {unknown} text @param {unknown} options @param {number} letters that there are at least
 */
function checked(where, text, options, letters) {
  const { vocabSize, specials = [], minFrequency = 1 } = /** @type {TrainOptions} */ (optionsOf(where, options, OPTIONS))
  const texts = Array.isArray(text) ? text : [text]
  texts.forEach((one, i) => expect(typeof one === 'string', 'type', () => Array.isArray(text)
    ? `${where}: text[${i}] must be a string, got ${describe(one)}`
    : `${where}: text must be a string or an array of strings, got ${describe(one)}`))
  expect(Array.isArray(specials), 'type', () => `${where}: specials must be an array of strings, got ${describe(specials)}`)
  specials.forEach((token, i) => {
    expect(typeof token === 'string' && token !== '', 'type',
      () => `${where}: specials[${i}] must be a string that is not empty, got ${describe(token)}`)
    expect(specials.indexOf(token) === i, 'range', () => `${where}: specials[${i}] is ${describe(token)} again`)
  })
  wholeNumber(where, 'vocabSize', vocabSize, letters + specials.length, 2 ** 24)
  wholeNumber(where, 'minFrequency', minFrequency, 1)
  return { texts: texts.map(wellFormed), vocabSize, specials, minFrequency }
}

/**
 * How often each word occurs, in the order of first appearance; specials are no words.
 * @param {readonly string[]} texts @param {readonly string[]} specials @param {(text: string) => string[]} cut
 */
function countWords(texts, specials, cut) {
  /** @type {Map<string, number>} */ const counts = new Map()
  const between = specials.length ? new RegExp(specials.map(literal).join('|'), 'gu') : undefined
  for (const part of between ? texts.flatMap(text => text.split(between)) : texts) {
    for (const word of cut(part)) counts.set(word, (counts.get(word) ?? 0) + 1)
  }
  return counts
}

/**
 * Learns merges in the kernel.
 * @param {import('../engine.js').Engine} engine @param {string} where
 * @param {readonly (readonly number[] | Uint8Array)[]} words in symbols @param {readonly number[]} counts
 * @param {readonly Uint8Array[]} alphabet the bytes of each symbol; those from `plain` on only continue a word
 * @param {{ plain: number, size: number, least: number, likelihood: boolean }} how
 * @returns {Int32Array} left, right, made, count of each merge
 */
function learnMerges({ c, memory }, where, words, counts, alphabet, { plain, size, least, likelihood }) {
  const total = words.reduce((sum, word) => sum + word.length, 0)
  const text = new Int32Array(total), ends = new Int32Array(words.length)
  let at = 0
  for (const [i, word] of words.entries()) {
    text.set(word, at)
    ends[i] = at += word.length
  }
  const letters = packed(alphabet)
  const arrays = [new Int32Array(8 * size), text, ends, Int32Array.from(counts), letters.bytes, letters.ends]
  return passing(memory, arrays, (merges, symbols, places, numbers, bytes, byteEnds) => {
    const n = c.gf_bpe_train(merges, symbols, places, numbers, words.length, bytes, byteEnds, alphabet.length, plain,
      size, least, likelihood ? 1 : 0)
    if (n < 0) throw noMemory(where)
    return memory.ints(merges, 4 * n).slice()
  })
}

/**
 * Learns byte-level byte-pair encoding, as GPT-2 has it: the 256 bytes come first, then one token for each merge. The
 * pair that occurs most often is joined first; of equals the one whose tokens are older.
 * @param {import('../engine.js').Engine} engine
 * @param {string | string[]} text
 * @param {TrainOptions} options
 * @returns {Tokenizer} its `merges` know how often each pair occurred
 * @throws {GlassformerError} 'type' and 'range' for arguments that are not as described; 'memory'
 */
export function trainBPE(engine, text, options) {
  const where = 'trainBPE'
  const { texts, vocabSize, specials, minFrequency } = checked(where, text, options, LETTERS.length)
  const words = countWords(texts, specials, part => part.match(GPT2) ?? [])
  const bytes = [...words.keys()].map(word => encoder.encode(word))
  const order = new Map(ALPHABET.map((letter, i) => [letter, i]))
  const symbolOf = LETTERS.map(letter => /** @type {number} */ (order.get(letter)))
  const alphabet = ALPHABET.map(letter => Uint8Array.of(LETTERS.indexOf(letter)))
  const merges = learnMerges(engine, where, bytes.map(word => Array.from(word, byte => symbolOf[byte])), [...words.values()],
    alphabet, { plain: 256, size: vocabSize - specials.length, least: minFrequency, likelihood: false })

  const tokens = [...ALPHABET]
  const n = merges.length / 4
  const pairs = Array.from({ length: n }, (_, i) => {
    const [left, right, made] = merges.subarray(4 * i)
    tokens[made] = tokens[left] + tokens[right]
    return [tokens[left], tokens[right]]
  })
  const vocab = Object.fromEntries([...specials, ...tokens].map((token, id) => [token, id]))
  const byteLevel = { type: 'ByteLevel', add_prefix_space: false, trim_offsets: true, use_regex: true }
  return new Tokenizer(engine, {
    version: '1.0',
    truncation: null,
    padding: null,
    added_tokens: specials.map(special),
    normalizer: null,
    pre_tokenizer: byteLevel,
    post_processor: null,
    decoder: byteLevel,
    model: bpe(vocab, pairs)
  }, { counts: Int32Array.from({ length: n }, (_, i) => merges[4 * i + 3]) })
}
