import { describe, expect, GlassformerError, shapeText } from '../errors.js'
import { Module } from '../nn/module.js'
import { binaryFunctions } from '../ops/binary.js'
import { toIdTensor } from '../ops/checks.js'
import { comparisons } from '../ops/compare.js'
import { to } from '../ops/convert.js'
import { cumsum } from '../ops/cumsum.js'
import { narrow } from '../ops/narrow.js'
import { reductions } from '../ops/reduce.js'
import { where } from '../ops/where.js'
import { sameShape } from '../shape.js'
import { Tensor } from '../tensor.js'

/**
 * Which places of B sentences hold tokens, not padding.
 * @typedef {object} Kept
 * @property {Uint8Array} keep [B, T], 1 for tokens
 * @property {number} B @property {number} T
 * @property {Tensor | null} tensor the same as a bool tensor while a forward is exported: what is made of the mask is
 *   then computed by operations, so that the graph depends on it, as on any other input
 */

/** What the models of files have in common: sentences as ids, and padding on either side. */
export class LanguageModel extends Module {
  static inputNames = ['ids']

  /** The ids that end an answer. @type {readonly number[]} */ ends = []
  /** Tokens that no answer of generate may hold. @type {readonly number[]} */ never = []
  /** What it was read as. @type {import('./index.js').Origin | null} @internal */ origin = null

  /**
   * The answer to a text, where a model gives any.
   * @param {any} _ids @param {any} [_options] @returns {any}
   */
  generate(_ids, _options) {
    throw new GlassformerError('state', `${this.constructor.name}: it reads whole texts and gives no next token`)
  }

  /**
   * Ids as a table of sentences; a single sentence will do.
   * @param {string} name @param {unknown} ids
   * @returns {Tensor} [B, T]
   */
  sentences(name, ids) {
    const where = this.constructor.name, tensor = toIdTensor(this.engine, where, name, ids)
    expect(tensor.shape.length === 1 || tensor.shape.length === 2, 'shape',
      () => `${where}: ${name} must have shape [B, T], or [T] for one sentence, got ${shapeText(tensor.shape)}`)
    return tensor.shape.length === 2 ? tensor : tensor.reshape(1, tensor.shape[0])
  }

  /**
   * @param {unknown} mask [B, T]: 1 or true for tokens, 0 or false for padding; may be left out
   * @param {readonly number[]} shape of the ids
   * @returns {Kept | null} null where there is no padding
   */
  kept(mask, [B, T]) {
    if (mask === undefined || mask === null) return null
    const where = this.constructor.name, isExported = mask instanceof Tensor && this.engine.trace?.isExport
    const rows = /** @type {any} */ (mask instanceof Tensor ? mask.toArray() : mask)
    const given = /** @type {any[]} */ (Array.isArray(rows?.[0]) ? rows : [rows])
    const fits = Array.isArray(rows) && given.length === B && given.every(row => Array.isArray(row) && row.length === T)
    expect(fits, 'shape', () => `${where}: attentionMask must have shape ${shapeText([B, T])}, got ` +
      (mask instanceof Tensor || !Array.isArray(mask) ? describe(mask) : `${given.length} rows of ${given[0]?.length}`))
    const flat = given.flat()
    for (const value of flat) expect([0, 1, true, false].includes(value), 'type',
      () => `${where}: attentionMask must be 1 for tokens and 0 for padding, got ${describe(value)}`)
    const tensor = isExported ? comparisons.ne(mask.shape.length === 2 ? mask : mask.reshape(B, T), 0) : null
    return flat.every(Boolean) && !tensor ? null : { keep: Uint8Array.from(flat, Number), B, T, tensor }
  }

  /**
   * The position of each token: how many tokens stand before it, padding not counted.
   * @param {readonly number[]} shape of the ids @param {Kept | null} kept null counts everything
   * @param {number} [past] tokens before them
   * @returns {Tensor} [B, T]
   */
  places([B, T], kept, past = 0) {
    if (kept?.tensor) {
      const counted = cumsum(to(kept.tensor, 'float32'), 1), own = past ? narrow(counted, 1, past, T) : counted
      return to(binaryFunctions.maximum(binaryFunctions.sub(own, 1), 0), 'int32')
    }
    const places = new Int32Array(B * T), all = past + T
    for (let b = 0; b < B; b++) for (let t = 0, place = -1; t < all; t++) {
      if (!kept || kept.keep[b * all + t]) place++
      if (t >= past) places[b * T + t - past] = Math.max(0, place)
    }
    return toIdTensor(this.engine, this.constructor.name, 'places', places).reshape(B, T)
  }

  /**
   * What to add to the scores so that nobody attends to padding. A query that would attend to nothing, in front of the
   * first token of a decoder or in a sentence of padding alone, attends to itself: it would be NaN, and a NaN spreads
   * to those that give it no weight.
   * @param {Kept | null} kept @param {{ past?: number, isCausal?: boolean }} [options] past: keys before those of the
   *   queries; isCausal: queries attend to what stands before them and to themselves
   * @returns {Tensor | undefined} [B, 1, T - past, T]
   */
  paddingMask(kept, { past = 0, isCausal = false } = {}) {
    if (!kept) return undefined
    const { keep, B, T, tensor } = kept, queries = T - past
    if (tensor) return this.#maskOf(tensor, past, isCausal)
    const mask = this.engine.empty([B, 1, queries, T]), values = mask.values.fill(-Infinity)
    for (let b = 0; b < B; b++) for (let i = 0; i < queries; i++) {
      const own = past + i, row = keep.subarray(b * T, (b + 1) * T), at = (b * queries + i) * T
      for (let j = 0; j < T; j++) if (row[j]) values[at + j] = 0
      if (!row.subarray(0, isCausal ? own + 1 : T).includes(1)) values[at + own] = 0
    }
    return mask
  }

  /**
   * The same by operations.
   * @param {Tensor} tokens bool [B, T] @param {number} past @param {boolean} isCausal @returns {Tensor}
   */
  #maskOf(tokens, past, isCausal) {
    const { engine, shape: [B, T] } = tokens, { logicalAnd, logicalOr, eq } = comparisons, queries = T - past
    const counted = isCausal && cumsum(to(tokens, 'float32'), 1)
    const count = counted ? (past ? narrow(counted, 1, past, queries) : counted).reshape(B, 1, queries, 1)
      : reductions.sum(to(tokens, 'float32'), { dim: 1 }).reshape(B, 1, 1, 1)
    const self = engine.registerAuxiliary(engine.empty([1, 1, queries, T], 'bool'))
    self.values.fill(0)
    for (let i = 0; i < queries; i++) self.values[i * T + past + i] = 1
    return where(logicalOr(tokens.reshape(B, 1, 1, T), logicalAnd(eq(count, 0), self)), 0, -Infinity)
  }

  /**
   * Logits in which some tokens have no chance.
   * @param {Tensor} logits [B, T, V] @param {readonly number[]} never @returns {Tensor} itself, changed
   */
  without(logits, never) {
    const V = logits.shape[2], { values } = logits
    for (const id of never) for (let at = id; at < values.length; at += V) values[at] = -Infinity
    return logits
  }

  /**
   * Logits in which one token alone has a chance.
   * @param {Tensor} logits [B, T, V] @param {number} id @returns {Tensor} itself, changed
   */
  withOnly(logits, id) {
    const V = logits.shape[2], { values } = logits
    for (let at = 0; at < values.length; at++) values[at] = at % V === id ? 0 : -Infinity
    return logits
  }

  /** @param {number} T @param {number} most places that the model has embeddings for */
  expectPlaces(T, most) {
    expect(T <= most, 'range', () => `${this.constructor.name}: ids has ${T} positions, but the model has at most ${most}`)
  }

  /**
   * The same for attention of another sequence.
   * @param {Kept | null} kept @returns {boolean[][] | Tensor | undefined} [B, T], true for padding
   */
  hiddenKeys(kept) {
    if (!kept) return undefined
    const { keep, B, T, tensor } = kept
    if (tensor) return comparisons.eq(tensor, 0)
    return times(B, b => Array.from(keep.subarray(b * T, (b + 1) * T), one => !one))
  }

  /** @param {string} name @param {Tensor} ids @param {Tensor} other of as many sentences */
  expectSentences(name, ids, other) {
    expect(ids.shape[0] === other.shape[0], 'shape', () =>
      `${this.constructor.name}: ${name} must have ${other.shape[0]} sentences as ids has, got ${shapeText(ids.shape)}`)
  }

  /** Whether two tables of ids are of one shape. @param {string} name @param {Tensor} ids @param {Tensor} other */
  expectShape(name, ids, other) {
    expect(sameShape(ids.shape, other.shape), 'shape', () =>
      `${this.constructor.name}: ${name} must have shape ${shapeText(other.shape)}, got ${shapeText(ids.shape)}`)
  }
}

/**
 * Numbers 0 .. n - 1 with what is made for each.
 * @template T @param {number} n @param {(i: number) => T} make @returns {T[]}
 */
export const times = (n, make) => Array.from({ length: n }, (_, i) => make(i))
