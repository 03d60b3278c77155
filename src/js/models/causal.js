import { describe, expect, expectInteger } from '../errors.js'
import { generate } from '../decoding/generate.js'
import { Cache } from '../ops/attention_cache.js'
import { narrow } from '../ops/narrow.js'
import { LanguageModel } from './model.js'

/** @typedef {import('../tensor.js').Tensor} Tensor */

/** Tokens of a prompt that go through a model at a time. */
const PIECE = 32
/**
 * What a forward of theirs can be told. attentionMask: [B, T] of all tokens so far, 0 or false for padding, on either
 * side; cache: of earlier passes, which ids go on from; logitsToKeep: logits of so many last tokens alone, all by
 * default
 * @typedef {{ attentionMask?: any, cache?: Cache | null, logitsToKeep?: number }} ForwardOptions
 */
export const FORWARD = ['attentionMask', 'cache', 'logitsToKeep']

/** What models have in common that go on with a text, from left to right. */
export class Causal extends LanguageModel {
  /** How many places there are, or undefined for any number. @type {number} */ positions = 0

  /**
   * What a forward needs to go on.
   * @param {unknown} ids @param {unknown} attentionMask of all tokens so far
   * @param {Cache | null | undefined} cache
   */
  causalInputs(ids, attentionMask, cache) {
    expect(cache === undefined || cache === null || cache instanceof Cache, 'type',
      () => `${this.constructor.name}: cache must be a gf.decoding.Cache, got ${describe(cache)}`)
    const tokens = this.sentences('ids', ids), [B, T] = tokens.shape, past = cache?.length ?? 0
    this.expectPlaces(past + T, this.positions)
    const kept = this.kept(attentionMask, [B, past + T])
    const attnMask = this.paddingMask(kept, { past, isCausal: true })
    return { tokens, places: this.places([B, T], kept, past), attnMask }
  }

  /**
   * What logits are asked of: everything, or the last tokens.
   * @param {Tensor} hidden [B, T, C] @param {unknown} count @returns {Tensor}
   */
  lastOf(hidden, count) {
    const T = hidden.shape[1]
    if (count === undefined || count === null) return hidden
    const kept = Math.min(T, expectInteger(this.constructor.name, 'logitsToKeep', count, 1))
    return kept === T ? hidden : narrow(hidden, 1, T - kept, kept)
  }

  /**
   * How a text goes on: greedy, drawn or by beams; at most to the last place the model knows.
   * @param {Tensor | number[] | number[][]} ids one text, or several, which are continued one after the other
   * @param {import('../decoding/generate.js').GenerateOptions} [options] end: by default the model's own
   * @returns {any} the ids that were added: number[], for several texts number[][]; with a signal a promise of it
   */
  generate(ids, options) {
    const logits = (/** @type {number[][]} */ given, /** @type {Cache | null} */ cache) =>
      this.without(next(this, given, cache), this.never)
    return generate(this.engine, logits, ids, options, { ends: this.ends, maxPositions: this.positions })
  }
}

/**
 * The logits of the last token. A long text goes through a cache piece by piece, so that what is computed for it
 * never takes much room beside the weights; the bits are the same.
 * @param {Causal} model @param {number[][]} rows @param {Cache | null} cache
 * @returns {Tensor} [B, 1, V]
 */
function next(model, rows, cache) {
  const last = cache ? Math.floor((rows[0].length - 1) / PIECE) * PIECE : 0, options = { cache, logitsToKeep: 1 }
  const part = (/** @type {number} */ from) => rows.map(row => row.slice(from, cache ? from + PIECE : undefined))
  for (let from = 0; from < last; from += PIECE) model.engine.tidy(() => void model.forward(part(from), options))
  return /** @type {any} */ (model.forward(part(last), options)).logits
}
