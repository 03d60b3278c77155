import { expect, expectOptions } from '../errors.js'
import { generate, readOptions, readPrompts } from '../decoding/generate.js'
import { withDefaults } from './generation_config.js'
import { LanguageModel, buildArray } from './model.js'

/** @typedef {import('../ops/attention_cache.js').Cache} Cache */
/** @typedef {import('../tensor/tensor.js').Tensor} Tensor */

/**
 * keyPaddingMask: of the memory; source: the ids of the encoder, by which a classification head finds the end token
 * @typedef {{ keyPaddingMask?: boolean[][] | Tensor, cache?: Cache | null, source?: Tensor }} DecodeOptions
 */

/**
 * The target of a model that classifies its source: the source, moved to the right by the start token.
 * @param {Tensor} source int32 [B, T] @param {number} start @returns {number[][]}
 */
const shiftRight = ({ values, shape: [B, T] }, start) =>
  buildArray(B, b => [start, ...values.subarray(b * T, (b + 1) * T)].slice(0, T))

/** The base of encoder-decoder models. */
export class Seq2Seq extends LanguageModel {
  /** @type {'encoder' | 'decoder' | 'encoder-decoder'} */ static architecture = 'encoder-decoder'

  /** The token that the decoder starts with. */ decoderStartTokenId = 0
  /** The first generated token, if one is forced. @type {number | null} */ forcedBosTokenId = null
  /** Maximum length of the source and of the target. */ maxPositions = Infinity
  /** Its classification head, instead of the language modeling head. @type {import('./heads.js').Head | null} */
  head = null

  /**
   * @param {Tensor} _ids [B, S] @param {import('./model.js').AttentionMask | null} _attentionMask
   * @returns {Tensor} memory [B, S, C], the output of the encoder
   */
  encode(_ids, _attentionMask) {
    throw new TypeError('encode is not defined')
  }

  /**
   * @param {Tensor} _ids [B, T], the target so far, without the tokens in the cache @param {Tensor} _memory
   * @param {DecodeOptions} _options
   * @returns {{ logits?: Tensor, hidden: Tensor, startLogits?: Tensor, endLogits?: Tensor }}
   */
  decode(_ids, _memory, _options) {
    throw new TypeError('decode is not defined')
  }

  /**
   * @param {Tensor | number[] | number[][]} ids [B, S], or [S] for one sequence
   * @param {{ attentionMask?: any, decoderIds?: any }} [options] attentionMask: [B, S], 0 or false for padding, which
   *   gets no attention; padding still counts in Marian's positions, as in Hugging Face's class, so it should be on the
   *   right; decoderIds: [B, T], the target so far, by default decoderStartTokenId, or the source moved to the right if
   *   the model has a classification head
   * @returns {{ logits?: Tensor, hidden: Tensor, startLogits?: Tensor, endLogits?: Tensor }} logits [B, T, V], or those
   *   of its classification head; hidden [B, T, C], the output of the decoder
   */
  forward(ids, options) {
    const { attentionMask, decoderIds } = expectOptions(this.where, options, ['attentionMask', 'decoderIds'])
    const tokens = this.toBatch('ids', ids), mask = this.readAttentionMask(attentionMask, tokens.shape)
    const { decoderStartTokenId: start } = this, defaultIds = () => (this.head ? shiftRight(tokens, start)
      : buildArray(tokens.shape[0], () => [start]))
    const decoderInput = this.toBatch('decoderIds', decoderIds ?? defaultIds())
    this.checkBatchSize('decoderIds', decoderInput, tokens)
    const memory = this.encode(tokens, mask)
    return this.decode(decoderInput, memory, { keyPaddingMask: this.keyPaddingMask(mask), source: tokens })
  }

  /** The encoder's output. @param {any} ids @param {any} options @returns {Tensor} @internal */
  hiddenOf(ids, { attentionMask }) {
    const tokens = this.toBatch('ids', ids)
    return this.encode(tokens, this.readAttentionMask(attentionMask, tokens.shape))
  }

  /**
   * Generates the target for a source by greedy decoding, sampling or beam search, up to the model's maximum length.
   * @param {Tensor | number[] | number[][]} ids one source, or several, which are processed one after the other
   * @param {import('../decoding/generate.js').GenerateOptions} [given] end: the model's eosTokenIds by default; seed:
   *   sequence i is sampled with seed + i
   * @returns {any} number[], for several sources number[][]; with a signal a promise of it
   */
  generate(ids, given) {
    const options = withDefaults(this, given)
    expect(!this.head, 'state', () => `${this.where}: the model has a classification head and cannot generate`)
    const { prompts, isSingle } = readPrompts(ids), { seed, signal } = readOptions(options)
    const hasSeed = seed !== undefined && seed !== null
    const generateRow = (/** @type {number[]} */ row, /** @type {number} */ i) => generateOne(this, row,
      hasSeed ? { ...options, seed: BigInt.asUintN(64, BigInt(seed) + BigInt(i)) } : options)
    if (signal) return runSequentially(prompts, generateRow).then(outputs => (isSingle ? outputs[0] : outputs))
    const outputs = prompts.map(generateRow)
    return isSingle ? outputs[0] : outputs
  }
}

/**
 * Runs asynchronous tasks one after the other.
 * @template T, A @param {readonly T[]} list @param {(item: T, i: number) => Promise<A>} run
 */
async function runSequentially(list, run) {
  const results = []
  for (const [i, item] of list.entries()) results.push(await run(item, i))
  return results
}

/** The memory repeated for every row of a batch. @param {Tensor} memory [1, S, C] @param {number} rows */
function repeatRows(memory, rows) {
  const [, S, C] = memory.shape, out = memory.engine.empty([rows, S, C])
  for (let b = 0; b < rows; b++) out.values.set(memory.values, b * memory.numel())
  return out
}

/** @param {Seq2Seq} model @param {readonly number[]} row @param {any} options */
function generateOne(model, row, options) {
  const { engine } = model
  const memory = engine.keep(engine.tidy(() => engine.noGrad(() => model.encode(model.toBatch('ids', row), null))))
  const nextLogits = (/** @type {number[][]} */ rows, /** @type {Cache | null} */ cache) => {
    const isFirst = (cache?.length ?? 0) + rows[0].length === 1
    const { logits } = /** @type {{ logits: Tensor }} */ (model.decode(model.toBatch('ids', rows), repeatRows(memory, rows.length), { cache }))
    if (isFirst && model.forcedBosTokenId !== null) return model.forceToken(logits, model.forcedBosTokenId)
    return model.suppressTokens(logits, model.suppressedTokenIds)
  }
  const release = () => memory.dispose()
  try {
    const generated = generate(engine, nextLogits, [model.decoderStartTokenId], options,
      { ends: model.eosTokenIds, maxPositions: model.maxPositions })
    if (generated instanceof Promise) return generated.finally(release)
    release()
    return generated
  } catch (error) {
    release()
    throw error
  }
}
