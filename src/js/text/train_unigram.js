import { UNIGRAM_SPLIT } from '../engine/constants.js'
import { addPieces, memoryError, packBytes, withBuffers } from './kernel_memory.js'
import { createNormalizer } from './normalizers.js'
import { createPreTokenizer } from './pretokenizers.js'
import { Tokenizer } from './tokenizer.js'
import { specialToken, tokenizerJson } from './tokenizer_json.js'
import { checkVocabSize, countWords, readTrainOptions, sortByCodePoint } from './training.js'
import { encodeUtf8 } from './utf8.js'
import { createWordSplitter } from './word_splitter.js'

/** Maximum length of a piece in characters. */
const MAX_PIECE_LENGTH = 16
/** Maximum number of seed pieces. */
const MAX_SEEDS = 1_000_000
/** Number of EM iterations between two prunings. */
const EM_ROUNDS = 2
/** Pieces with a smaller expected count are dropped. */
const MIN_EXPECTED = 0.5
/** The fraction of pieces that remains after a pruning. */
const PRUNING_FRACTION = 0.75
/** Before the last pruning there are this many times the pieces of the result. */
const FINAL_MARGIN = 1.1

/** The current pieces and their scores. @typedef {{ pieces: string[], scores: Float64Array }} State */
/**
 * The words of the training text as a kernel reads them, and their counts.
 * @typedef {{ bytes: Uint8Array, ends: Int32Array, counts: Int32Array }} Corpus
 */

/** The steps of the training on one corpus. */
class UnigramTrainer {
  #engine
  #corpus
  /** The first pieces are single characters, which are never dropped: how many. */ #characterCount

  /** @param {import('../engine/kernels.js').Kernels} engine @param {Corpus} corpus @param {number} characterCount */
  constructor(engine, corpus, characterCount) {
    this.#engine = engine
    this.#corpus = corpus
    this.#characterCount = characterCount
  }

  /**
   * Copies pieces and scores to memory of the kernels for the duration of a call.
   * @template T @param {State} state @param {(set: number, scores: number, workspace: number) => T} use workspace: one
   *   double for each piece, all 0
   * @returns {T}
   */
  #withPieces({ pieces, scores }, use) {
    const { c, memory, seed } = this.#engine
    const set = c.gf_pieces_new(seed)
    if (!set) throw memoryError('trainUnigram')
    try {
      addPieces(this.#engine, set, 'trainUnigram', pieces.map((piece, id) => ({ bytes: encodeUtf8(piece), id })), 0)
      return withBuffers(memory, [scores, new Float64Array(pieces.length)],
        (table, workspace) => use(set, table, workspace))
    } finally {
      c.gf_pieces_free(set)
    }
  }

  /**
   * An EM iteration: updates scores and drops pieces with a small expected count. @param {State} state
   * @returns {State}
   */
  improve(state) {
    const { c, memory } = this.#engine
    const { bytes, ends, counts } = this.#corpus
    const n = state.pieces.length
    return this.#withPieces(state, (set, scores, workspace) =>
      withBuffers(memory, [ends, counts, bytes], (words, numbers, text) => {
        const likelihood = c.gf_unigram_expect(workspace, set, scores, text, words, numbers, ends.length)
        if (Number.isNaN(likelihood)) throw memoryError('trainUnigram')
        const expected = memory.doubles(workspace, n).slice()
        const indices = state.pieces.map((_, i) => i)
          .filter(i => i < this.#characterCount || expected[i] >= MIN_EXPECTED)
        memory.doubles(workspace, indices.length).set(indices.map(i => Math.max(expected[i], MIN_EXPECTED)))
        c.gf_unigram_maximize(scores, workspace, indices.length)
        return { pieces: indices.map(i => state.pieces[i]), scores: memory.doubles(scores, indices.length).slice() }
      }))
  }

  /**
   * Segments words: returns the ids of all pieces, and the index after the last piece of each word.
   * @param {number} set @param {number} scores @param {Uint8Array} bytes @param {Int32Array} words
   * @param {number} flags
   */
  #segment(set, scores, bytes, words, flags) {
    const { c, memory } = this.#engine
    const buffer = new Int32Array(2 * bytes.length)
    return withBuffers(memory, [buffer, words, bytes], (ids, wordsAddress, text) => {
      const ends = ids + 4 * bytes.length
      const count = c.gf_unigram(ids, ends, set, scores, text, wordsAddress, words.length, -1e9, -1, flags)
      if (count < 0) throw memoryError('trainUnigram')
      const pieceEnds = memory.ints(ends, count)
      let at = 0
      const wordEnds = Int32Array.from(words, end => {
        while (pieceEnds[at] <= end) at++
        return at
      })
      return { ids: memory.ints(ids, count).slice(), ends: wordEnds }
    })
  }

  /**
   * Drops the pieces whose loss costs the least likelihood, so that `size` remain.
   * @param {State} state @param {number} size @returns {State}
   */
  prune(state, size) {
    const { c, memory } = this.#engine
    const n = state.pieces.length
    const losses = this.#withPieces(state, (set, scores, workspace) => {
      const { ids, ends } = this.#segment(set, scores, this.#corpus.bytes, this.#corpus.ends, 0)
      const frequency = new Float64Array(n)
      this.#corpus.counts.forEach((count, word) => {
        for (let i = word ? ends[word - 1] : 0; i < ends[word]; i++) frequency[ids[i]] += count
      })
      const spelled = packBytes(state.pieces.map(encodeUtf8))
      const splits = this.#segment(set, scores, spelled.bytes, spelled.ends, UNIGRAM_SPLIT)
      return withBuffers(memory, [frequency, splits.ids, splits.ends], (frequencies, pieceIds, pieceEnds) => {
        c.gf_unigram_losses(workspace, frequencies, pieceIds, pieceEnds, n)
        return memory.doubles(workspace, n).slice()
      })
    })
    const indices = state.pieces.map((_, i) => i)
    const removable = indices.slice(this.#characterCount).sort((a, b) => losses[b] - losses[a])
    const keptIndices = new Set(removable.slice(0, size - this.#characterCount))
    const remaining = indices.filter(i => i < this.#characterCount || keptIndices.has(i))
    return { pieces: remaining.map(i => state.pieces[i]), scores: Float64Array.from(remaining, i => state.scores[i]) }
  }
}

/**
 * Returns the seed pieces: all characters, and the substrings that occur more than once, by descending count * length.
 * @param {ReadonlyMap<string, number>} words
 */
function seedPieces(words) {
  /** @type {Map<string, number>} */ const characterCounts = new Map()
  /** @type {Map<string, number>} */ const substringCounts = new Map()
  for (const [word, count] of words) {
    const characters = [...word]
    for (let i = 0; i < characters.length; i++) {
      let piece = characters[i]
      characterCounts.set(piece, (characterCounts.get(piece) ?? 0) + count)
      for (let j = i + 1; j < Math.min(characters.length, i + MAX_PIECE_LENGTH); j++) {
        piece += characters[j]
        substringCounts.set(piece, (substringCounts.get(piece) ?? 0) + count)
      }
    }
  }
  const candidates = [...substringCounts].filter(([, count]) => count > 1)
    .map(([piece, count]) => /** @type {const} */ ([piece, count * [...piece].length]))
    .sort((a, b) => b[1] - a[1]).slice(0, MAX_SEEDS)
  const alphabet = sortByCodePoint(characterCounts.keys())
  const weights = [...alphabet.map(character => /** @type {number} */ (characterCounts.get(character))),
    ...candidates.map(([, weight]) => weight)]
  return { alphabet, pieces: [...alphabet, ...candidates.map(([piece]) => piece)], weights: Float64Array.from(weights) }
}

/**
 * Trains a unigram language model, as SentencePiece does (Kudo 2018): starting from all substrings that occur more than
 * once, it alternates EM iterations with prunings of the pieces whose loss costs the least likelihood. Every character
 * of the text remains a piece.
 * @param {import('../engine/kernels.js').Kernels} engine
 * @param {string | string[]} text
 * @param {import('./training.js').TrainOptions} options
 * @returns {Tokenizer}
 * @throws {GlassformerError} 'type' and 'range' for arguments that are not as described; 'memory'
 */
export function trainUnigram(engine, text, options) {
  const where = 'trainUnigram', unknown = '<unk>'
  const { texts, vocabSize, specials: userSpecials } = readTrainOptions(where, text, options, ['vocabSize', 'specials'])
  const specials = userSpecials.includes(unknown) ? userSpecials : [unknown, ...userSpecials]
  // A word includes the space before it; line feeds are words by themselves.
  const metaspace = { type: 'Metaspace', replacement: '▁', prepend_scheme: 'first', split: true }
  const preTokenizer = {
    type: 'Sequence',
    pretokenizers: [
      { type: 'Split', pattern: { Regex: '\\n+' }, behavior: 'Isolated', invert: false },
      metaspace
    ]
  }
  const splitWords = createWordSplitter(createNormalizer(null), createPreTokenizer(preTokenizer))
  const words = countWords(texts, specials, splitWords)
  const { alphabet, pieces, weights } = seedPieces(words)
  checkVocabSize(where, vocabSize, alphabet.length + specials.length, `${alphabet.length} characters and the specials`)
  const size = vocabSize - specials.length
  const corpus = { ...packBytes(Array.from(words.keys(), encodeUtf8)),
    counts: Int32Array.from(words.values()) }
  const trainer = new UnigramTrainer(engine, corpus, alphabet.length)
  const scores = withBuffers(engine.memory, [weights], table => {
    engine.c.gf_unigram_maximize(table, table, weights.length)
    return engine.memory.doubles(table, weights.length).slice()
  })

  /** @type {State} */ let state = { pieces, scores }
  for (;;) {
    for (let round = 0; round < EM_ROUNDS; round++) state = trainer.improve(state)
    if (state.pieces.length <= size * FINAL_MARGIN) break
    const fewer = Math.floor(state.pieces.length * PRUNING_FRACTION)
    state = trainer.prune(state, Math.max(Math.floor(size * FINAL_MARGIN), fewer))
  }
  if (state.pieces.length > size) state = trainer.prune(state, size)
  const result = state
  const sortedPieces = result.pieces.map((piece, i) => /** @type {[string, number]} */ ([piece, result.scores[i]]))
    .sort((a, b) => b[1] - a[1])
  return new Tokenizer(engine, tokenizerJson({
    added_tokens: specials.map(specialToken),
    pre_tokenizer: preTokenizer,
    decoder: metaspace,
    model: {
      type: 'Unigram',
      unk_id: specials.indexOf(unknown),
      vocab: [...specials.map(token => /** @type {[string, number]} */ ([token, 0])), ...sortedPieces],
      byte_fallback: false
    }
  }))
}
