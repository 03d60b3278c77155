import { UNIGRAM_FUSE, UNIGRAM_SINGLE } from '../engine/constants.js'
import { describe } from '../errors.js'
import { byteTokens, noTokenError } from './bpe_model.js'
import { BatchEncoder } from './batch_encoder.js'
import { expectPart, readIntegers } from './json_fields.js'
import { memoryError, freeWithOwner, withBuffers, createPieces } from './kernel_memory.js'
import { stringSource } from './text_source.js'
import { encodeUtf8 } from './utf8.js'

/** The score of an unknown character is the lowest score of a piece minus this. */
const UNKNOWN_PENALTY = 10

/**
 * The ids of special kinds of pieces in a SentencePiece .model.
 * @typedef {{ control: number[], unused: number[], userDefined: number[], bytes: number[] }} PieceKinds
 */

/** The unigram language model: the most probable segmentation (T5, XLM-R). */
export class UnigramModel {
  #engine
  #pieces
  #lattice
  #batches
  #unknown
  /** With byte fallback, the id of each byte. @type {number[] | undefined} */ #byteTokens
  /** The id of each piece, if it is not its index. @type {number[] | undefined} */ #externalIds

  /**
   * @param {import('../engine/kernels.js').Kernels} engine
   * @param {any} json the `model` of a tokenizer.json
   * @param {Map<string, number>} vocab
   * @throws {GlassformerError} 'format' if scores are missing
   */
  constructor(engine, json, vocab) {
    const vocabulary = /** @type {[string, number][]} */ (json.vocab)
    expectPart(Array.isArray(vocabulary) && vocabulary.length > 0 &&
      vocabulary.every(entry => typeof entry?.[0] === 'string' && typeof entry[1] === 'number'), () => 'model.vocab must be an array of pieces with scores')
    const unknown = json.unk_id ?? -1
    expectPart(Number.isInteger(unknown) && unknown < vocabulary.length, () => 'model.unk_id must be an id of the vocabulary', json.unk_id)
    this.#engine = engine
    this.#pieces = vocabulary
    this.#unknown = unknown
    this.#externalIds = json.ids && readIntegers('tokenizer: model', json, 'ids')
    expectPart(!this.#externalIds || this.#externalIds.length === vocabulary.length, () => `model.ids must have ${vocabulary.length} ids, one for each piece, got ${this.#externalIds?.length}`)
    this.#byteTokens = json.byte_fallback ? byteTokens(vocab) : undefined
    const { scores, isUsable, unknownScore, flags: precision } = json.kinds
      ? readSentencePieceScores(vocabulary, unknown, json.kinds) : readScores(vocabulary)
    const handle = createPieces(engine, this, vocabulary.flatMap(([piece], id) =>
      isUsable(id) && piece ? [{ bytes: encodeUtf8(piece), id, continuing: false }] : []))
    const table = engine.memory.alloc(8 * scores.length)
    engine.memory.doubles(table, scores.length).set(scores)
    freeWithOwner(engine, this, table, 'gf_free', 'tokenizer')
    const flags = precision | (this.#byteTokens ? 0 : UNIGRAM_FUSE)
    this.#batches = new BatchEncoder(engine, (ids, ends, text, words, n) =>
      engine.c.gf_unigram(ids, ends, handle, table, text, words, n, unknownScore, unknown, flags))
    this.#lattice = (/** @type {number[]} */ [arcs, scores, capacity, last, totals, text, bytes]) =>
      engine.c.gf_unigram_lattice(arcs, scores, capacity, last, totals, handle, table, text, bytes, unknownScore,
        unknown, flags)
  }

  /**
   * Encodes words.
   * @param {import('./text_source.js').Source} source
   * @param {Int32Array | undefined} ends of words, in UTF-16 units; undefined: the text is one word
   * @param {import('./batch_encoder.js').Emit} emitIds
   */
  encode(source, ends, emitIds) {
    const externalIds = this.#externalIds
    /** @type {import('./batch_encoder.js').Emit} */
    const emit = externalIds ? (ids, spans, base) => emitIds(ids.map(id => externalIds[id]), spans, base) : emitIds
    this.#batches.encodeWords(source, ends ?? Int32Array.of(source.string.length), (ids, spans, base) => {
      if (!ids.includes(this.#unknown)) emit(ids, spans, base)
      else if (this.#byteTokens) this.#emitBytes(source.string.slice(base), ids, spans, this.#byteTokens,
        (byteIds, byteSpans) => emit(byteIds, byteSpans, base))
      else if (this.#unknown >= 0) emit(ids, spans, base)
      else throw noTokenError(describe(source.string.slice(base).slice(
        ...spans.subarray(2 * ids.indexOf(-1), 2 * ids.indexOf(-1) + 2))))
    })
  }

  /**
   * Returns the lattice of a word: every piece that matches in it, and the best segmentation up to each position.
   * @param {string} word
   * @returns {import('./explanations.js').Search}
   */
  explain(word) {
    /** @type {number[]} */ const ids = []
    this.encode(stringSource(word), undefined, tokenIds => tokenIds.forEach(id => ids.push(id)))
    const { arcs, scores, last, totals } = this.#runLattice(encodeUtf8(word))
    const unitAt = unitOffsets(word)
    /** @param {number} k @returns {import('./explanations.js').Arc} */
    const arcAt = k => {
      const [start, end, id] = arcs.subarray(3 * k, 3 * k + 3), from = unitAt[start], to = unitAt[end]
      if (id === this.#unknown) return { piece: word.slice(from, to), from, to, score: scores[k] }
      return { piece: this.#pieces[id][0], id: this.#externalIds?.[id] ?? id, from, to, score: scores[k] }
    }
    const best = Array.from(last, (arc, byte) => ({ at: unitAt[byte], score: totals[byte], arc }))
      .filter(({ arc }, byte) => arc >= 0 || byte === 0)
    return { text: word, ids, arcs: Array.from(scores, (_, k) => arcAt(k)), best, path: findBestPath(arcs, last) }
  }

  /** Runs gf_unigram_lattice on the bytes of a word. @param {Uint8Array} bytes */
  #runLattice(bytes) {
    const { memory } = this.#engine, n = bytes.length
    /** @param {number} capacity */
    const run = capacity => withBuffers(memory, [new Float64Array(capacity), new Float64Array(n + 1),
      new Int32Array(3 * capacity), new Int32Array(n + 1), bytes], (scores, totals, arcs, last, text) => {
      const count = this.#lattice([arcs, scores, capacity, last, totals, text, n])
      if (count < 0) throw memoryError('tokenizer.explain')
      return {
        count, arcs: memory.ints(arcs, 3 * capacity).slice(), scores: memory.doubles(scores, capacity).slice(),
        last: memory.ints(last, n + 1).slice(), totals: memory.doubles(totals, n + 1).slice()
      }
    })
    return run(run(0).count)
  }

  /**
   * Emits tokens with unknown characters replaced by their bytes, each with the offsets of the character.
   * @param {string} string @param {Int32Array} ids @param {Int32Array} spans @param {number[]} bytes
   * @param {(ids: Int32Array, spans: Int32Array) => void} emit
   */
  #emitBytes(string, ids, spans, bytes, emit) {
    /** @type {number[]} */ const out = []
    /** @type {number[]} */ const tokenSpans = []
    ids.forEach((id, i) => {
      const [from, to] = spans.subarray(2 * i, 2 * i + 2)
      const tokenIds = id === this.#unknown ? Array.from(encodeUtf8(string.slice(from, to)), byte => bytes[byte]) : [id]
      for (const tokenId of tokenIds) {
        out.push(tokenId)
        tokenSpans.push(from, to)
      }
    })
    emit(Int32Array.from(out), Int32Array.from(tokenSpans))
  }
}

/** The UTF-16 offset of each byte that starts a character, and of the end. @param {string} word */
function unitOffsets(word) {
  /** @type {number[]} */ const units = []
  let byte = 0, unit = 0
  for (const character of word) {
    units[byte] = unit
    byte += encodeUtf8(character).length
    unit += character.length
  }
  units[byte] = unit
  return units
}

/** Finds the arcs of the best segmentation, from the end back. @param {Int32Array} arcs @param {Int32Array} last */
function findBestPath(arcs, last) {
  /** @type {number[]} */ const path = []
  for (let byte = last.length - 1; byte > 0; byte = arcs[3 * last[byte]]) path.push(last[byte])
  return path.reverse()
}

/**
 * Rounds a score as Hugging Face's library reads it: its digits as an integer, divided by a power of ten. The last bit
 * decides between segmentations with equal scores.
 * @param {number} score
 */
export function roundTwice(score) {
  const [, digits, fraction, exponent = '0'] = /^([-\d]+)\.?(\d*)(?:e(.*))?$/.exec(String(score)) ?? ['', '', '']
  const power = Number(exponent) - fraction.length
  return power < 0 ? Number(digits + fraction) / Number(`1e${-power}`) : score
}

/** @param {readonly [string, number][]} pieces */
const lowestScore = pieces => pieces.reduce((lowest, [, score]) => Math.min(lowest, score), Infinity)

/** @param {readonly [string, number][]} vocabulary */
const readScores = vocabulary => ({
  scores: Float64Array.from(vocabulary, ([, score]) => roundTwice(score)),
  isUsable: () => true,
  flags: 0,
  unknownScore: lowestScore(vocabulary) - UNKNOWN_PENALTY
})

/**
 * Reads scores as SentencePiece does, in float32. The score of user-defined symbols is near 0, so that they are always
 * chosen.
 * @param {readonly [string, number][]} vocabulary @param {number} unknown @param {PieceKinds} kinds
 */
function readSentencePieceScores(vocabulary, unknown, kinds) {
  const [control, unused, userDefined, bytes] = ['control', 'unused', 'userDefined', 'bytes'].map(
    name => readIntegers('tokenizer: model.kinds', kinds, name))
  const excluded = new Set([...control, ...unused, ...bytes, unknown])
  const userDefinedIds = new Set(userDefined)
  const scores = Float64Array.from(vocabulary, ([, score], id) => userDefinedIds.has(id) ? -0.1 : Math.fround(score))
  const normalPieces = vocabulary.filter((_, id) => !excluded.has(id) && !userDefinedIds.has(id))
  return {
    scores,
    isUsable: (/** @type {number} */ id) => !excluded.has(id),
    unknownScore: Math.fround(Math.fround(lowestScore(normalPieces)) - UNKNOWN_PENALTY),
    flags: UNIGRAM_SINGLE
  }
}
