import { UNIGRAM_FUSE, UNIGRAM_SINGLE } from '../constants.js'
import { GlassformerError, describe, expect } from '../errors.js'
import { byteTokens } from './bpe_model.js'
import { ByWords } from './by_words.js'
import { idsIn } from './fields.js'
import { noMemory, owned, passing, pieces } from './handles.js'
import { sourceOfString } from './source.js'

const encoder = new TextEncoder()
/** How much worse an unknown character is than the worst piece. */
const UNKNOWN_PENALTY = 10

/**
 * What a SentencePiece .model says of its pieces beyond a tokenizer.json.
 * @typedef {{ control: number[], unused: number[], userDefined: number[], bytes: number[] }} PieceKinds
 */

/** The unigram language model: the most probable pieces (T5, XLM-R). */
export class UnigramModel {
  #engine
  #list
  #lattice
  #byWords
  #unknown
  /** The token of each byte, for characters that have none. @type {number[] | undefined} */ #bytes
  /** The ids by which others know the pieces, where they are not their places. @type {number[] | undefined} */ #ids

  /**
   * @param {import('../kernels.js').Kernels} engine
   * @param {any} json the `model` of a tokenizer.json
   * @param {Map<string, number>} vocab
   * @throws {GlassformerError} 'format' when scores are missing
   */
  constructor(engine, json, vocab) {
    const list = /** @type {[string, number][]} */ (json.vocab)
    expect(Array.isArray(list) && list.length > 0 &&
      list.every(one => typeof one?.[0] === 'string' && typeof one[1] === 'number'), 'format',
    () => 'tokenizer: model.vocab must be a list of pieces and scores')
    const unknown = json.unk_id ?? -1
    expect(Number.isInteger(unknown) && unknown < list.length, 'format',
      () => `tokenizer: model.unk_id must be an id of the vocabulary, got ${describe(json.unk_id)}`)
    this.#engine = engine
    this.#list = list
    this.#unknown = unknown
    this.#ids = json.ids && idsIn('tokenizer: model', json, 'ids')
    expect(!this.#ids || this.#ids.length === list.length, 'format',
      () => `tokenizer: model.ids must be ${list.length}, one for each piece, got ${this.#ids?.length}`)
    this.#bytes = json.byte_fallback ? byteTokens(vocab) : undefined
    const { scores, usable, unknownScore, single } = json.kinds ? scoresOfSentencePiece(list, unknown, json.kinds)
      : { ...scoresOfList(list), single: false }
    const handle = pieces(engine, this, list.flatMap(([piece], id) =>
      usable(id) && piece ? [{ bytes: encoder.encode(piece), id, continuing: false }] : []))
    const table = engine.memory.alloc(8 * scores.length)
    engine.memory.doubles(table, scores.length).set(scores)
    owned(engine, this, table, 'gf_free', 'tokenizer')
    const flags = (single ? UNIGRAM_SINGLE : 0) | (this.#bytes ? 0 : UNIGRAM_FUSE)
    this.#byWords = new ByWords(engine, (ids, ends, text, words, n) =>
      engine.c.gf_unigram(ids, ends, handle, table, text, words, n, unknownScore, unknown, flags))
    this.#lattice = (/** @type {number[]} */ [arcs, scores, room, last, totals, text, bytes]) =>
      engine.c.gf_unigram_lattice(arcs, scores, room, last, totals, handle, table, text, bytes, unknownScore, unknown,
        flags)
  }

  /**
   * @param {import('./source.js').Source} source
   * @param {Int32Array | undefined} ends where each word ends, in UTF-16 units
   * @param {import('./by_words.js').Emit} give
   */
  encode(source, ends, give) {
    const other = this.#ids
    /** @type {import('./by_words.js').Emit} */
    const emit = other ? (ids, spans, base) => give(ids.map(id => other[id]), spans, base) : give
    this.#byWords.encodeWords(source, ends ?? Int32Array.of(source.string.length), (ids, spans, base) => {
      if (!ids.includes(this.#unknown)) emit(ids, spans, base)
      else if (this.#bytes) this.#spellOut(source.string.slice(base), ids, spans, this.#bytes,
        (all, places) => emit(all, places, base))
      else if (this.#unknown >= 0) emit(ids, spans, base)
      else throw new GlassformerError('text', `tokenizer.encode: text has ` +
        `${describe(source.string.slice(base).slice(
          ...spans.subarray(2 * ids.indexOf(-1), 2 * ids.indexOf(-1) + 2)))}, which has no token, ` +
          'and no unknown token stands for it')
    })
  }

  /**
   * The lattice of a word: every piece that covers a part of it, and how good the best cut is up to each place.
   * @param {string} word
   * @returns {import('./explained.js').Search}
   */
  explain(word) {
    /** @type {number[]} */ const ids = []
    this.encode(sourceOfString(word), undefined, some => some.forEach(id => ids.push(id)))
    const { arcs, scores, last, totals } = this.#searched(encoder.encode(word))
    const unitAt = unitsOf(word)
    /** @param {number} k @returns {import('./explained.js').Arc} */
    const arcAt = k => {
      const [start, end, id] = arcs.subarray(3 * k, 3 * k + 3), from = unitAt[start], to = unitAt[end]
      if (id === this.#unknown) return { piece: word.slice(from, to), from, to, score: scores[k] }
      return { piece: this.#list[id][0], id: this.#ids ? this.#ids[id] : id, from, to, score: scores[k] }
    }
    const best = Array.from(last, (arc, byte) => ({ at: unitAt[byte], score: totals[byte], arc }))
      .filter(({ arc }, byte) => arc >= 0 || byte === 0)
    return { text: word, ids, arcs: Array.from(scores, (_, k) => arcAt(k)), best, path: pathOf(arcs, last) }
  }

  /** What the kernel tells of the search in the bytes of a word. @param {Uint8Array} bytes */
  #searched(bytes) {
    const { memory } = this.#engine, n = bytes.length
    /** @param {number} room */
    const run = room => passing(memory, [new Float64Array(room), new Float64Array(n + 1), new Int32Array(3 * room),
      new Int32Array(n + 1), bytes], (scores, totals, arcs, last, text) => {
      const count = this.#lattice([arcs, scores, room, last, totals, text, n])
      if (count < 0) throw noMemory('tokenizer.explain')
      return {
        count, arcs: memory.ints(arcs, 3 * room).slice(), scores: memory.doubles(scores, room).slice(),
        last: memory.ints(last, n + 1).slice(), totals: memory.doubles(totals, n + 1).slice()
      }
    })
    return run(run(0).count)
  }

  /**
   * Unknown characters as their bytes, each of which has the whole character.
   * @param {string} string @param {Int32Array} ids @param {Int32Array} spans @param {number[]} bytes
   * @param {(ids: Int32Array, spans: Int32Array) => void} emit
   */
  #spellOut(string, ids, spans, bytes, emit) {
    /** @type {number[]} */ const out = []
    /** @type {number[]} */ const places = []
    ids.forEach((id, i) => {
      const [from, to] = spans.subarray(2 * i, 2 * i + 2)
      const some = id === this.#unknown ? Array.from(encoder.encode(string.slice(from, to)), byte => bytes[byte]) : [id]
      for (const one of some) {
        out.push(one)
        places.push(from, to)
      }
    })
    emit(Int32Array.from(out), Int32Array.from(places))
  }
}

/** The UTF-16 unit at each byte where a character begins, and at the end. @param {string} word */
function unitsOf(word) {
  /** @type {number[]} */ const units = []
  let byte = 0, unit = 0
  for (const character of word) {
    units[byte] = unit
    byte += encoder.encode(character).length
    unit += character.length
  }
  units[byte] = unit
  return units
}

/** The arcs of the best cut, from the end back. @param {Int32Array} arcs @param {Int32Array} last */
function pathOf(arcs, last) {
  /** @type {number[]} */ const path = []
  for (let byte = last.length - 1; byte > 0; byte = arcs[3 * last[byte]]) path.push(last[byte])
  return path.reverse()
}

/** @param {readonly [string, number][]} list */
const scoresOfList = list => ({
  scores: Float64Array.from(list, ([, score]) => score),
  usable: () => true,
  unknownScore: list.reduce((least, [, score]) => Math.min(least, score), Infinity) - UNKNOWN_PENALTY
})

/**
 * Scores as SentencePiece computes with them, in float32; a symbol of the user's is worth nearly nothing, so that it is
 * always taken.
 * @param {readonly [string, number][]} list @param {number} unknown @param {PieceKinds} kinds
 */
function scoresOfSentencePiece(list, unknown, kinds) {
  const [control, unused, userDefined, bytes] = ['control', 'unused', 'userDefined', 'bytes'].map(
    name => idsIn('tokenizer: model.kinds', kinds, name))
  const apart = new Set([...control, ...unused, ...bytes, unknown])
  const own = new Set(userDefined)
  const scores = Float64Array.from(list, ([, score], id) => own.has(id) ? -0.1 : Math.fround(score))
  const least = list.reduce((lowest, [, score], id) => apart.has(id) || own.has(id) ? lowest : Math.min(lowest, score),
    Infinity)
  return {
    scores,
    usable: (/** @type {number} */ id) => !apart.has(id),
    unknownScore: Math.fround(Math.fround(least) - UNKNOWN_PENALTY),
    single: true
  }
}
