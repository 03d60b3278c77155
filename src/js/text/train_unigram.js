import { UNIGRAM_SPLIT } from '../constants.js'
import { noMemory, packed, passing } from './handles.js'
import { special } from './merges_files.js'
import { normalizer } from './normalizers.js'
import { pretokenizer } from './pretokenizers.js'
import { Tokenizer } from './tokenizer.js'
import { wordsOf } from './words_of.js'
import { checkSize, checked, countWords, sorted, tokenizerJson } from './training.js'

/** Characters of the longest piece. */
const LONGEST = 16
/** Pieces to begin with, at most. */
const MOST_SEEDS = 1_000_000
/** Rounds of expectation and maximisation between two prunings. */
const ROUNDS = 2
/** What is expected less often than this is dropped. */
const RARE = 0.5
/** What is left of the pieces after each pruning. */
const SHRINKING = 0.75
/** Before the last choice there are a few more than wanted. */
const ALMOST = 1.1

const encoder = new TextEncoder()

/** The pieces of a text so far, with their scores. @typedef {{ pieces: string[], scores: Float64Array }} State */
/**
 * The words of a text as the kernels read them.
 * @typedef {{ bytes: Uint8Array, ends: Int32Array, counts: Int32Array }} Corpus
 */

/** Learning, step by step, over one corpus. */
class Learner {
  #engine
  #corpus
  /** How many pieces at the beginning of the list are single characters, which stay. */ #letters

  /** @param {import('../kernels.js').Kernels} engine @param {Corpus} corpus @param {number} letters */
  constructor(engine, corpus, letters) {
    this.#engine = engine
    this.#corpus = corpus
    this.#letters = letters
  }

  /**
   * Lends the kernels the pieces and their scores.
   * @template T @param {State} state @param {(set: number, scores: number, workspace: number) => T} use workspace: as
   *   many doubles as there are pieces, all 0
   * @returns {T}
   */
  #with({ pieces, scores }, use) {
    const { c, memory, seed } = this.#engine
    const set = c.gf_pieces_new(seed)
    if (!set) throw noMemory('trainUnigram')
    try {
      const { bytes, ends } = packed(pieces.map(piece => encoder.encode(piece)))
      const added = passing(memory, [ends, Int32Array.from(pieces.keys()), bytes], (places, ids, text) =>
        c.gf_pieces_add(set, text, places, ids, pieces.length, 0))
      if (added < 0) throw noMemory('trainUnigram')
      return passing(memory, [scores, new Float64Array(pieces.length)],
        (table, workspace) => use(set, table, workspace))
    } finally {
      c.gf_pieces_free(set)
    }
  }

  /**
   * Expectation and maximisation: better scores, without the pieces that are rarely expected. @param {State} state
   * @returns {State}
   */
  improve(state) {
    const { c, memory } = this.#engine
    const { bytes, ends, counts } = this.#corpus
    const n = state.pieces.length
    return this.#with(state, (set, scores, workspace) =>
      passing(memory, [ends, counts, bytes], (words, numbers, text) => {
        const likelihood = c.gf_unigram_expect(workspace, set, scores, text, words, numbers, ends.length)
        if (Number.isNaN(likelihood)) throw noMemory('trainUnigram')
        const expected = memory.doubles(workspace, n).slice()
        const kept = state.pieces.map((_, i) => i).filter(i => i < this.#letters || expected[i] >= RARE)
        memory.doubles(workspace, kept.length).set(kept.map(i => Math.max(expected[i], RARE)))
        c.gf_unigram_maximize(scores, workspace, kept.length)
        return { pieces: kept.map(i => state.pieces[i]), scores: memory.doubles(scores, kept.length).slice() }
      }))
  }

  /**
   * The ids of the best cut of each word, and where each cut ends among them.
   * @param {number} set @param {number} scores @param {Uint8Array} bytes @param {Int32Array} words
   * @param {number} flags
   */
  #cut(set, scores, bytes, words, flags) {
    const { c, memory } = this.#engine
    const room = new Int32Array(2 * bytes.length)
    return passing(memory, [room, words, bytes], (ids, places, text) => {
      const ends = ids + 4 * bytes.length
      const count = c.gf_unigram(ids, ends, set, scores, text, places, words.length, -1e9, -1, flags)
      if (count < 0) throw noMemory('trainUnigram')
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
   * Without the pieces that are missed least, so that `size` are left. @param {State} state @param {number} size
   * @returns {State}
   */
  prune(state, size) {
    const { c, memory } = this.#engine
    const n = state.pieces.length
    const losses = this.#with(state, (set, scores, workspace) => {
      const { ids, ends } = this.#cut(set, scores, this.#corpus.bytes, this.#corpus.ends, 0)
      const frequency = new Float64Array(n)
      this.#corpus.counts.forEach((count, word) => {
        for (let i = word ? ends[word - 1] : 0; i < ends[word]; i++) frequency[ids[i]] += count
      })
      const own = packed(state.pieces.map(piece => encoder.encode(piece)))
      const other = this.#cut(set, scores, own.bytes, own.ends, UNIGRAM_SPLIT)
      return passing(memory, [frequency, other.ids, other.ends], (frequencies, others, otherEnds) => {
        c.gf_unigram_losses(workspace, frequencies, others, otherEnds, n)
        return memory.doubles(workspace, n).slice()
      })
    })
    const places = state.pieces.map((_, i) => i)
    const longer = places.slice(this.#letters).sort((a, b) => losses[b] - losses[a])
    const kept = new Set(longer.slice(0, size - this.#letters))
    const all = places.filter(i => i < this.#letters || kept.has(i))
    return { pieces: all.map(i => state.pieces[i]), scores: Float64Array.from(all, i => state.scores[i]) }
  }
}

/**
 * What to begin with: all characters, and what occurs more than once, the longest and most frequent first.
 * @param {ReadonlyMap<string, number>} words
 */
function seeds(words) {
  /** @type {Map<string, number>} */ const letters = new Map()
  /** @type {Map<string, number>} */ const longer = new Map()
  for (const [word, count] of words) {
    const characters = [...word]
    for (let i = 0; i < characters.length; i++) {
      let piece = characters[i]
      letters.set(piece, (letters.get(piece) ?? 0) + count)
      for (let j = i + 1; j < Math.min(characters.length, i + LONGEST); j++) {
        piece += characters[j]
        longer.set(piece, (longer.get(piece) ?? 0) + count)
      }
    }
  }
  const weighed = [...longer].filter(([, count]) => count > 1)
    .map(([piece, count]) => /** @type {const} */ ([piece, count * [...piece].length]))
    .sort((a, b) => b[1] - a[1]).slice(0, MOST_SEEDS)
  const order = sorted(letters.keys())
  const weights = [...order.map(letter => /** @type {number} */ (letters.get(letter))),
    ...weighed.map(([, weight]) => weight)]
  return { letters: order, pieces: [...order, ...weighed.map(([piece]) => piece)], weights: Float64Array.from(weights) }
}

/**
 * Learns a unigram language model, as SentencePiece does: it begins with every stretch that occurs more than once, and,
 * in turn, weighs pieces by how often they are expected and drops those that are missed least. Every character of the
 * text stays a piece.
 * @param {import('../kernels.js').Kernels} engine
 * @param {string | string[]} text
 * @param {import('./training.js').TrainOptions} options
 * @returns {Tokenizer}
 * @throws {GlassformerError} 'type' and 'range' for arguments that are not as described; 'memory'
 */
export function trainUnigram(engine, text, options) {
  const where = 'trainUnigram', unknown = '<unk>'
  const { texts, vocabSize, specials: given } = checked(where, text, options, ['vocabSize', 'specials'])
  const specials = given.includes(unknown) ? given : [unknown, ...given]
  // Words begin with their space, lines with themselves.
  const cutting = {
    type: 'Sequence',
    pretokenizers: [
      { type: 'Split', pattern: { Regex: '\\n+' }, behavior: 'Isolated', invert: false },
      { type: 'Metaspace', replacement: '▁', prepend_scheme: 'first', split: true }
    ]
  }
  const words = countWords(texts, specials, wordsOf(normalizer(null), pretokenizer(cutting)))
  const { letters, pieces, weights } = seeds(words)
  checkSize(where, vocabSize, letters.length + specials.length, `${letters.length} characters and the specials`)
  const size = vocabSize - specials.length
  const corpus = { ...packed(Array.from(words.keys(), word => encoder.encode(word))),
    counts: Int32Array.from(words.values()) }
  const learner = new Learner(engine, corpus, letters.length)
  const scores = passing(engine.memory, [weights], table => {
    engine.c.gf_unigram_maximize(table, table, weights.length)
    return engine.memory.doubles(table, weights.length).slice()
  })

  /** @type {State} */ let state = { pieces, scores }
  for (;;) {
    for (let round = 0; round < ROUNDS; round++) state = learner.improve(state)
    if (state.pieces.length <= size * ALMOST) break
    state = learner.prune(state, Math.max(Math.floor(size * ALMOST), Math.floor(state.pieces.length * SHRINKING)))
  }
  if (state.pieces.length > size) state = learner.prune(state, size)
  const last = state
  const ranked = last.pieces.map((piece, i) => /** @type {[string, number]} */ ([piece, last.scores[i]]))
    .sort((a, b) => b[1] - a[1])
  return new Tokenizer(engine, tokenizerJson({
    added_tokens: specials.map(special),
    pre_tokenizer: cutting,
    decoder: { type: 'Metaspace', replacement: '▁', prepend_scheme: 'first', split: true },
    model: {
      type: 'Unigram',
      unk_id: specials.indexOf(unknown),
      vocab: [...specials.map(token => /** @type {[string, number]} */ ([token, 0])), ...ranked],
      byte_fallback: false
    }
  }))
}
