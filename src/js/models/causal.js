import { describe, expect, expectInteger } from '../errors.js'
import { generate } from '../decoding/generate.js'
import { Cache } from '../ops/attention_cache.js'
import { narrow } from '../ops/narrow.js'
import { withDefaults } from './generation_config.js'
import { LanguageModel } from './model.js'

/** @typedef {import('../tensor/tensor.js').Tensor} Tensor */

/** Number of prompt tokens in one forward pass. */
const PREFILL_CHUNK = 32
/**
 * Options of forward. attentionMask: [B, T] for all tokens so far, 0 or false for padding, on either side; cache: keys
 * and values of the tokens before ids; positionIds: [B, T], by default the number of tokens before each one;
 * logitsToKeep: compute logits for this many last positions, by default for all;
 * totalLength: of the sequence, if ids do not end it: some rotary frequencies depend on it
 * @typedef {{ attentionMask?: any, cache?: Cache | null, positionIds?: any, logitsToKeep?: number,
 *   totalLength?: number }} ForwardOptions
 */
/**
 * What forward returns: logits [B, T, V], or those of its classification head, or startLogits and endLogits [B, T];
 * hidden [B, T, C], after the final norm; embedding [B, C], if the model has the modules of a sentence embedding and no
 * cache is given.
 * @typedef {{ logits?: Tensor, hidden: Tensor, embedding?: Tensor, startLogits?: Tensor, endLogits?: Tensor }} Outputs
 */
export const FORWARD_OPTIONS = ['attentionMask', 'cache', 'positionIds', 'logitsToKeep', 'totalLength']

/** The base of decoder-only models, which continue a text from left to right. */
export class Causal extends LanguageModel {
  /** @type {'encoder' | 'decoder' | 'encoder-decoder'} */ static architecture = 'decoder'

  /** Maximum sequence length. @type {number} */ maxPositions = 0
  /** Its classification head, instead of the language modeling head. @type {import('./heads.js').Head | null} */
  head = null

  /**
   * The inputs of forward, checked: ids as a batch, their positions and the attention mask.
   * @param {unknown} ids @param {ForwardOptions} options
   * @param {number} [window] some layers hide keys this many positions or more away
   */
  prepareInputs(ids, { attentionMask, cache, positionIds }, window) {
    expect(cache === undefined || cache === null || cache instanceof Cache, 'type',
      () => `${this.where}: cache must be a gf.decoding.Cache, got ${describe(cache)}`)
    const tokens = this.toBatch('ids', ids), [B, T] = tokens.shape, past = cache?.length ?? 0
    this.checkLength(past + T, this.maxPositions)
    const mask = this.readAttentionMask(attentionMask, [B, past + T])
    const attnMask = this.paddingMask(mask, { past, isCausal: true, window })
    const given = this.readPositionIds(positionIds, [B, T], this.maxPositions)
    const positions = given ?? this.positionIds([B, T], mask, past)
    return { tokens, positionIds: positions, attnMask, mask, past }
  }

  /**
   * The hidden states that logits are computed for: all, or those of the last `count` positions.
   * @param {Tensor} hidden [B, T, C] @param {unknown} count @returns {Tensor}
   */
  lastPositions(hidden, count) {
    const T = hidden.shape[1]
    if (count === undefined || count === null) return hidden
    const length = Math.min(T, expectInteger(this.where, 'logitsToKeep', count, 1))
    return length === T ? hidden : narrow(hidden, 1, T - length, length)
  }

  /**
   * Continues a text by greedy decoding, sampling or beam search, up to the model's maximum length.
   * @param {Tensor | number[] | number[][]} ids one prompt, or several, which are continued one after the other
   * @param {import('../decoding/generate.js').GenerateOptions} [options] end: the model's eosTokenIds by default
   * @returns {any} the new ids: number[], for several prompts number[][]; with a signal a promise of it
   */
  generate(ids, options) {
    expect(!this.head, 'state', () => `${this.where}: the model has a classification head and cannot generate`)
    const logits = (/** @type {number[][]} */ rows, /** @type {Cache | null} */ cache) =>
      this.suppressTokens(nextLogits(this, rows, cache), this.suppressedTokenIds)
    return generate(this.engine, logits, ids, withDefaults(this, options),
      { ends: this.eosTokenIds, maxPositions: this.maxPositions })
  }
}

/**
 * The logits of the last position. With a cache a long prompt is processed in chunks, which bounds the memory of
 * intermediate tensors; the bits are the same.
 * @param {Causal} model @param {number[][]} rows @param {Cache | null} cache
 * @returns {Tensor} [B, 1, V]
 */
function nextLogits(model, rows, cache) {
  const last = cache ? Math.floor((rows[0].length - 1) / PREFILL_CHUNK) * PREFILL_CHUNK : 0
  const options = { cache, logitsToKeep: 1, totalLength: (cache?.length ?? 0) + rows[0].length }
  const slice = (/** @type {number} */ from) => rows.map(row =>
    row.slice(from, cache ? from + PREFILL_CHUNK : undefined))
  for (let from = 0; from < last; from += PREFILL_CHUNK) {
    model.engine.tidy(() => void model.forward(slice(from), options))
  }
  return /** @type {any} */ (model.forward(slice(last), options)).logits
}
