import { expectBoolean } from '../errors.js'
import { ALPHABET, BYTE_CHARACTERS } from './byte_level.js'
import { memoryError, packBytes, withBuffers } from './kernel_memory.js'
import { createNormalizer } from './normalizers.js'
import { GPT2_WORDS, createPreTokenizer } from './pretokenizers.js'
import { Tokenizer } from './tokenizer.js'
import { BERT_PRE_TOKENIZER, bertJson, bertNormalizer, bpeModel, byteLevelPart, specialToken, toVocab, tokenizerJson } from './tokenizer_json.js'
import { checkVocabSize, countWords, readTrainOptions, sortByCodePoint } from './training.js'
import { encodeUtf8 } from './utf8.js'
import { createWordSplitter } from './word_splitter.js'

/**
 * @typedef {import('./training.js').TrainOptions & { minFrequency?: number }} BPEOptions minFrequency: the minimum
 *   count of a pair to be merged; default 1
 */
/**
 * @typedef {BPEOptions & { lowercase?: boolean }} WordPieceOptions lowercase (default false): whether to lowercase and
 *   strip accents, as BERT's uncased models do, which decomposes Hangul into jamo
 */

/**
 * Learns merges.
 * @param {import('../engine/kernels.js').Kernels} engine @param {string} where
 * @param {readonly number[][]} words in symbols @param {readonly number[]} counts
 * @param {readonly Uint8Array[]} alphabet the bytes of each symbol; those from `initial` on only continue a word
 * @param {{ initial: number, size: number, minCount: number, likelihood: boolean }} settings
 * @returns {number[][]} the left symbol, right symbol, merged symbol and count of each merge
 */
function learnMerges({ c, memory, seed }, where, words, counts, alphabet, { initial, size, minCount, likelihood }) {
  const text = Int32Array.from(words.flat())
  let end = 0
  const ends = Int32Array.from(words, word => end += word.length)
  const packed = packBytes(alphabet)
  const arrays = [new Int32Array(8 * size), text, ends, Int32Array.from(counts), packed.bytes, packed.ends]
  return withBuffers(memory, arrays, (merges, symbols, wordEnds, wordCounts, bytes, byteEnds) => {
    const n = c.gf_bpe_train(merges, symbols, wordEnds, wordCounts, words.length, bytes, byteEnds, alphabet.length,
      initial, size, minCount, likelihood ? 1 : 0, seed)
    if (n < 0) throw memoryError(where)
    return Array.from({ length: n }, (_, i) => [...memory.ints(merges + 16 * i, 4)])
  })
}

/**
 * Trains byte-level byte-pair encoding, as in GPT-2: the vocabulary is the specials, the 256 bytes, and one token for
 * each merge. The most frequent pair is merged first; of equal counts, the pair with the lower ids.
 * @param {import('../engine/kernels.js').Kernels} engine
 * @param {string | string[]} text
 * @param {BPEOptions} options
 * @returns {Tokenizer} its `merges` have counts
 * @throws {GlassformerError} 'type' and 'range' for arguments that are not as described; 'memory'
 * @example
 * const tokenizer = gf.text.trainBPE('low lower lowest', { vocabSize: 260 })
 * tokenizer.decode(tokenizer.encode('lower').ids)   // 'lower'
 */
export function trainBPE(engine, text, options) {
  const where = 'trainBPE'
  const { texts, vocabSize, specials, minFrequency } = readTrainOptions(where, text, options,
    ['vocabSize', 'specials', 'minFrequency'])
  checkVocabSize(where, vocabSize, BYTE_CHARACTERS.length + specials.length, '256 bytes and the specials')
  const words = countWords(texts, specials, part => part.match(GPT2_WORDS()) ?? [])
  const symbolIds = new Map(ALPHABET.map((character, i) => [character, i]))
  const symbolOf = BYTE_CHARACTERS.map(character => /** @type {number} */ (symbolIds.get(character)))
  const symbols = Array.from(words.keys(), word => Array.from(encodeUtf8(word), byte => symbolOf[byte]))
  const alphabet = ALPHABET.map(character => Uint8Array.of(BYTE_CHARACTERS.indexOf(character)))
  const merges = learnMerges(engine, where, symbols, [...words.values()], alphabet,
    { initial: BYTE_CHARACTERS.length, size: vocabSize - specials.length, minCount: minFrequency, likelihood: false })

  const tokens = [...ALPHABET]
  const pairs = merges.map(([left, right, merged]) => {
    tokens[merged] = tokens[left] + tokens[right]
    return [tokens[left], tokens[right]]
  })
  const vocab = toVocab([...specials, ...tokens])
  const bytes = byteLevelPart({})
  return new Tokenizer(engine, tokenizerJson({
    added_tokens: specials.map(specialToken), pre_tokenizer: bytes, decoder: bytes, model: bpeModel(vocab, pairs)
  }), toMerges(merges, tokens, specials.length))
}

/** @param {readonly number[][]} merges @param {readonly string[]} tokens @param {number} first the id of token 0 */
const toMerges = (merges, tokens, first) => merges.map(([left, right, merged, count]) => (
  /** @type {import('./tokenizer.js').Merge} */ ({
    pair: [tokens[left], tokens[right]], token: tokens[merged],
    ids: [first + left, first + right, first + merged], count
  })))

const PREFIX = '##'

/**
 * Trains WordPiece, as in BERT: the vocabulary is [UNK] and the other specials, the characters that begin a word, those
 * that continue a word, with ##, and one token for each merge. The pair with the highest score is merged first:
 * count(pair) / (count(left) count(right)).
 * @param {import('../engine/kernels.js').Kernels} engine
 * @param {string | string[]} text
 * @param {WordPieceOptions} options
 * @returns {Tokenizer} its `merges` are those of the training; encoding does not use them
 * @throws {GlassformerError} 'type' and 'range' for arguments that are not as described; 'memory'
 */
export function trainWordPiece(engine, text, options) {
  const where = 'trainWordPiece', unknown = '[UNK]'
  const { texts, vocabSize, specials: userSpecials, minFrequency, lowercase } =
    readTrainOptions(where, text, options, ['vocabSize', 'specials', 'minFrequency', 'lowercase'])
  expectBoolean(where, 'lowercase', lowercase)
  const specials = userSpecials.includes(unknown) ? userSpecials : [unknown, ...userSpecials]
  const normalizer = bertNormalizer(lowercase)
  const splitWords = createWordSplitter(createNormalizer(normalizer), createPreTokenizer(BERT_PRE_TOKENIZER))
  const words = countWords(texts, specials, splitWords)

  const initialSet = new Set(), continuingSet = new Set()
  for (const word of words.keys()) [...word].forEach((character, i) => (i ? continuingSet : initialSet).add(character))
  const initial = sortByCodePoint(initialSet), continuing = sortByCodePoint(continuingSet)
  const tokens = [...initial, ...continuing.map(character => PREFIX + character)]
  checkVocabSize(where, vocabSize, tokens.length + specials.length, `${tokens.length} characters and the specials`)
  const symbolIds = new Map(tokens.map((token, i) => [token, i]))
  const symbols = Array.from(words.keys(), word =>
    Array.from(word, (character, i) => /** @type {number} */ (symbolIds.get(i ? PREFIX + character : character))))
  const merges = learnMerges(engine, where, symbols, [...words.values()],
    [...initial, ...continuing].map(encodeUtf8),
    { initial: initial.length, size: vocabSize - specials.length, minCount: minFrequency, likelihood: true })

  for (const [left, right, merged] of merges) tokens[merged] = tokens[left] + tokens[right].slice(PREFIX.length)
  const json = bertJson([...specials, ...tokens], specials, normalizer)
  return new Tokenizer(engine, json, toMerges(merges, tokens, specials.length))
}
