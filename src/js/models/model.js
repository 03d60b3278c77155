import { GlassformerError, describe, expect, expectBoolean, expectOneOf, expectOptions, formatShape } from '../errors.js'
import { Module } from '../nn/module.js'
import { binaryFunctions } from '../ops/binary.js'
import { toIdTensor } from '../ops/checks.js'
import { comparisons } from '../ops/compare.js'
import { to } from '../ops/convert.js'
import { cumsum } from '../ops/cumsum.js'
import { matmul } from '../ops/matmul.js'
import { narrow } from '../ops/narrow.js'
import { reductions } from '../ops/reduce.js'
import { where } from '../ops/where.js'
import { sameShape } from '../tensor/shape.js'
import { POOLINGS, pool } from './pooling.js'
import { Tensor } from '../tensor/tensor.js'

/**
 * A checked attention mask: the positions of a batch that hold tokens, not padding.
 * @typedef {object} AttentionMask
 * @property {Uint8Array} isToken [B, T], 1 for tokens
 * @property {number} B @property {number} T
 * @property {Tensor | null} exportedTensor the same as a bool tensor while a forward is exported: masks and positions
 *   are then computed by operations, so that the graph depends on the attention mask as on any other input
 */

/**
 * The number of tokens that each query can see.
 * @param {Tensor} tokens bool [B, T] @param {number} past @param {boolean} isCausal
 * @returns {Tensor} [B, 1, T - past, 1], or [B, 1, 1, 1] if all queries see the same
 */
function countTokens(tokens, past, isCausal) {
  const [B, T] = tokens.shape, numbers = to(tokens, 'float32')
  if (!isCausal) return reductions.sum(numbers, { dim: 1 }).reshape(B, 1, 1, 1)
  const counts = cumsum(numbers, 1)
  return (past ? narrow(counts, 1, past, T - past) : counts).reshape(B, 1, T - past, 1)
}

/** The base of all models that gf.models.load reads: batches of ids, with padding on either side. */
export class LanguageModel extends Module {
  static inputNames = ['ids']
  /** What the model is made of. @type {'encoder' | 'decoder' | 'encoder-decoder'} */ static architecture = 'encoder'

  /** Maximum length of a sequence. @type {number} */ maxPositions = Infinity

  /** Ids that end the generated sequence. @type {readonly number[]} */ eosTokenIds = []
  /** Defaults of generate's options, from generation_config.json. @type {Readonly<Record<string, any>>} */
  generationDefaults = {}
  /** The tokenizer of its files, with which generate finds `stop` texts. @type {any} @internal */ ownTokenizer = null
  /** Ids that generate never chooses. @type {readonly number[]} */ suppressedTokenIds = []
  /**
   * The family, settings and configuration that the model was loaded with.
   * @type {import('./index.js').Origin | null} @internal
   */
  origin = null

  /** The labels of a classification head by id, from id2label in config.json. @type {readonly string[] | null} */
  labels = null

  /**
   * How the embedding of a sequence is made, from modules.json.
   * @type {import('./pooling.js').Pooling | null} @internal
   */
  pooling = null

  /** What the model is made of. @returns {'encoder' | 'decoder' | 'encoder-decoder'} */
  get architecture() {
    return /** @type {typeof LanguageModel} */ (this.constructor).architecture
  }

  /**
   * The axes of tensors that operations cannot derive, for gf.observe.
   * @param {{ ids: string, decoderIds: string }} _streams names of the streams that are read
   * @returns {Record<string, import('../trace/axes.js').Axis[]>} by name @internal
   */
  axes(_streams) {
    return {}
  }

  /**
   * Tables that are computed and not in the state dict, by their names in a run.
   * @returns {Record<string, Tensor>} @internal
   */
  get computedTables() {
    return {}
  }

  /** The name of the class, for messages. @returns {string} @internal */
  get where() {
    return this.constructor.name
  }

  /**
   * Generates tokens; models that cannot generate throw.
   * @param {any} _ids @param {any} [_options] @returns {any}
   */
  generate(_ids, _options) {
    throw new GlassformerError('state', `${this.where}: the model is an encoder and cannot generate`)
  }

  /**
   * The hidden states that `embed` pools: those of the last layer, of encoder-decoders the encoder's.
   * @param {any} ids @param {any} options of forward @returns {Tensor} [B, T, C] @internal
   */
  hiddenOf(ids, options) {
    return /** @type {any} */ (this.forward(ids, options)).hidden
  }

  /**
   * A vector for each sequence: the mean of the tokens' hidden states, or the first or last one.
   * @param {Tensor | number[] | number[][]} ids [B, T], or [T] for one sequence
   * @param {{ attentionMask?: any, tokenTypeIds?: any, pooling?: 'mean' | 'cls' | 'last', normalize?: boolean }}
   *   [options]
   *   pooling: that of its files (sentence-transformers), else 'mean'; normalize: whether its length becomes 1, by
   * default as in its files, else false
   * @returns {Tensor} [B, C]
   */
  embed(ids, options) {
    const given = expectOptions(`${this.where}: embed`, options, ['attentionMask', 'tokenTypeIds', 'pooling', 'normalize'])
    const { attentionMask, pooling, normalize, ...others } = given, own = /** @type {any} */ (this.pooling)
    const modes = pooling === undefined && own ? own.modes
      : [POOLINGS[expectOneOf(`${this.where}: embed`, 'pooling', pooling ?? 'mean', Object.keys(POOLINGS))]]
    const isNormalized = expectBoolean(`${this.where}: embed`, 'normalize', normalize ?? own?.isNormalized ?? false)
    const hidden = this.hiddenOf(ids, { attentionMask, ...others })
    expect(hidden.shape[1] > 0, 'shape', () => `${this.where}: ids must have at least one token, which is pooled`)
    return pool(hidden, this.readAttentionMask(attentionMask, hidden.shape.slice(0, 2)), { modes, isNormalized })
  }

  /**
   * Explicit positions, checked.
   * @param {unknown} positionIds @param {readonly number[]} shape of the ids @param {number} max
   * @returns {Tensor | null} [B, T]; null if there are none @internal
   */
  readPositionIds(positionIds, shape, max) {
    if (positionIds === undefined || positionIds === null) return null
    const positions = this.toBatch('positionIds', positionIds), [B, T] = shape
    expect(positions.shape[1] === T && (positions.shape[0] === B || positions.shape[0] === 1), 'shape',
      () => `${this.where}: positionIds must have shape ${formatShape(shape)}, got ${formatShape(positions.shape)}`)
    const wrong = Array.from(positions.values).find(position => position < 0 || position >= max)
    expect(wrong === undefined, 'range', () => `${this.where}: positionIds must be from 0 to ${max - 1}, got ${wrong}`)
    return positions.shape[0] === B ? positions : positions.expand(B, T).contiguous()
  }

  /**
   * Ids as a batch; a single sequence becomes a batch of one.
   * @param {string} name @param {unknown} ids
   * @returns {Tensor} [B, T] @internal
   */
  toBatch(name, ids) {
    const where = this.where, tensor = toIdTensor(this.engine, where, name, ids)
    expect(tensor.shape.length === 1 || tensor.shape.length === 2, 'shape',
      () => `${where}: ${name} must have shape [B, T], or [T] for one sequence, got ${formatShape(tensor.shape)}`)
    return tensor.shape.length === 2 ? tensor : tensor.reshape(1, tensor.shape[0])
  }

  /**
   * Checks an attention mask.
   * @param {unknown} mask [B, T]: 1 or true for tokens, 0 or false for padding; optional
   * @param {readonly number[]} shape of the ids
   * @returns {AttentionMask | null} null if there is no padding @internal
   */
  readAttentionMask(mask, [B, T]) {
    if (mask === undefined || mask === null) return null
    const where = this.where, isExported = mask instanceof Tensor && this.engine.trace?.isExport
    const rows = /** @type {any} */ (mask instanceof Tensor ? mask.toArray() : mask)
    const maskRows = /** @type {any[]} */ (Array.isArray(rows?.[0]) ? rows : [rows])
    const hasShape = Array.isArray(rows) && maskRows.length === B &&
      maskRows.every(row => Array.isArray(row) && row.length === T)
    expect(hasShape, 'shape', () => `${where}: attentionMask must have shape ${formatShape([B, T])}, got ` +
      (mask instanceof Tensor || !Array.isArray(mask) ? describe(mask) : `${maskRows.length} rows of ${maskRows[0]?.length}`))
    const values = maskRows.flat()
    for (const value of values) expect([0, 1, true, false].includes(value), 'type',
      () => `${where}: attentionMask must be 1 for tokens and 0 for padding, got ${describe(value)}`)
    const exportedTensor = isExported ? comparisons.ne(mask.shape.length === 2 ? mask : mask.reshape(B, T), 0) : null
    if (values.every(Boolean) && !exportedTensor) return null
    return { isToken: Uint8Array.from(values, Number), B, T, exportedTensor }
  }

  /**
   * The position of each token: the number of tokens before it, without padding.
   * @param {readonly number[]} shape of the ids @param {AttentionMask | null} mask null: no padding
   * @param {number} [past] number of tokens in the cache
   * @returns {Tensor} [B, T] @internal
   */
  positionIds([B, T], mask, past = 0) {
    if (mask?.exportedTensor) {
      const counts = cumsum(to(mask.exportedTensor, 'float32'), 1)
      const current = past ? narrow(counts, 1, past, T) : counts
      return to(binaryFunctions.maximum(binaryFunctions.sub(current, 1), 0), 'int32')
    }
    const positionIds = new Int32Array(B * T), total = past + T
    for (let b = 0; b < B; b++) for (let t = 0, position = -1; t < total; t++) {
      if (!mask || mask.isToken[b * total + t]) position++
      if (t >= past) positionIds[b * T + t - past] = Math.max(0, position)
    }
    return toIdTensor(this.engine, this.where, 'positionIds', positionIds).reshape(B, T)
  }

  /**
   * Positions from the id of padding on, for models that do not count tokens of padding, wherever they are.
   * @param {Tensor} tokens [B, T] @param {number} paddingId @param {number} [past] number of tokens in the cache
   * @returns {Tensor} [B, T] @internal
   */
  positionsWithoutPadding(tokens, paddingId, past = 0) {
    const { engine, shape: [B, T] } = tokens
    if (engine.trace?.isExport) {
      const isToken = to(comparisons.ne(tokens, paddingId), 'float32')
      const counts = past ? binaryFunctions.add(cumsum(isToken, 1), past) : cumsum(isToken, 1)
      return to(binaryFunctions.add(binaryFunctions.mul(counts, isToken), paddingId), 'int32')
    }
    const ids = tokens.values, positions = new Int32Array(B * T).fill(paddingId)
    for (let b = 0; b < B; b++) for (let at = b * T, position = paddingId + past; at < (b + 1) * T; at++) {
      if (ids[at] !== paddingId) positions[at] = ++position
    }
    return toIdTensor(engine, this.where, 'positionIds', positions).reshape(B, T)
  }

  /**
   * The additive mask that hides padding: 0 or -inf. A query without any visible key, such as padding on the left of a
   * decoder's batch or a sequence of padding alone, attends to itself: otherwise its softmax is NaN, and 0 * NaN
   * spreads to the other positions.
   * @param {AttentionMask | null} mask @param {{ past?: number, isCausal?: boolean, window?: number }} [options] past:
   *   number of keys in the cache; isCausal: queries attend to earlier positions and to themselves; window: some layers
   *   hide keys this many positions or more away; Infinity by default
   * @returns {Tensor | undefined} [B, 1, T - past, T] @internal
   */
  paddingMask(mask, { past = 0, isCausal = false, window = Infinity } = {}) {
    if (!mask) return undefined
    const { isToken, B, T, exportedTensor } = mask, queries = T - past
    if (exportedTensor) return this.#paddingMaskByOps(exportedTensor, past, isCausal, window)
    const out = this.engine.empty([B, 1, queries, T]), values = out.values.fill(-Infinity)
    for (let b = 0; b < B; b++) for (let i = 0; i < queries; i++) {
      const self = past + i, row = isToken.subarray(b * T, (b + 1) * T), at = (b * queries + i) * T
      for (let j = 0; j < T; j++) if (row[j]) values[at + j] = 0
      const end = isCausal ? self + 1 : Math.min(T, self + window)
      if (!row.subarray(Math.max(0, self + 1 - window), end).includes(1)) values[at + self] = 0
    }
    return out
  }

  /**
   * The padding mask, computed by operations.
   * @param {Tensor} tokens bool [B, T] @param {number} past @param {boolean} isCausal @param {number} window
   * @returns {Tensor}
   */
  #paddingMaskByOps(tokens, past, isCausal, window) {
    const { engine, shape: [B, T] } = tokens, { logicalAnd, logicalOr, eq } = comparisons, queries = T - past
    const count = Number.isFinite(window) ? this.#countInWindow(tokens, past, isCausal, window)
      : countTokens(tokens, past, isCausal)
    const diagonal = engine.freeWithTrace(engine.empty([1, 1, queries, T], 'bool'))
    diagonal.values.fill(0)
    for (let i = 0; i < queries; i++) diagonal.values[i * T + past + i] = 1
    return where(logicalOr(tokens.reshape(B, 1, 1, T), logicalAnd(eq(count, 0), diagonal)), 0, -Infinity)
  }

  /**
   * The number of tokens in the window of each query.
   * @param {Tensor} tokens bool [B, T] @param {number} past @param {boolean} isCausal @param {number} window
   * @returns {Tensor} [B, 1, T - past, 1]
   */
  #countInWindow(tokens, past, isCausal, window) {
    const { engine, shape: [B, T] } = tokens, queries = T - past
    const isVisible = engine.freeWithTrace(engine.empty([T, queries]))
    for (let j = 0; j < T; j++) for (let i = 0; i < queries; i++) {
      const distance = past + i - j
      isVisible.values[j * queries + i] = Number(Math.abs(distance) < window && !(isCausal && distance < 0))
    }
    return matmul(to(tokens, 'float32'), isVisible).reshape(B, 1, queries, 1)
  }

  /**
   * Sets the logits of some tokens to -inf, in place.
   * @param {Tensor} logits [B, T, V] @param {readonly number[]} suppressedTokenIds @returns {Tensor} logits @internal
   */
  suppressTokens(logits, suppressedTokenIds) {
    const V = logits.shape[2], { values } = logits
    for (const id of suppressedTokenIds) for (let at = id; at < values.length; at += V) values[at] = -Infinity
    return logits
  }

  /**
   * Sets the logits of all tokens but one to -inf, in place.
   * @param {Tensor} logits [B, T, V] @param {number} id @returns {Tensor} logits @internal
   */
  forceToken(logits, id) {
    const V = logits.shape[2], { values } = logits
    for (let at = 0; at < values.length; at++) values[at] = at % V === id ? 0 : -Infinity
    return logits
  }

  /** @param {number} T @param {number} max positions that the model has embeddings for @internal */
  checkLength(T, max) {
    expect(T <= max, 'range', () => `${this.where}: ids has ${T} positions, and the model has at most ${max}`)
  }

  /**
   * The mask for cross-attention.
   * @param {AttentionMask | null} mask @returns {boolean[][] | Tensor | undefined} [B, T], true for padding @internal
   */
  keyPaddingMask(mask) {
    if (!mask) return undefined
    const { isToken, B, T, exportedTensor } = mask
    if (exportedTensor) return comparisons.eq(exportedTensor, 0)
    return buildArray(B, b => Array.from(isToken.subarray(b * T, (b + 1) * T), value => !value))
  }

  /** @param {string} name @param {Tensor} ids @param {Tensor} other of the same batch size @internal */
  checkBatchSize(name, ids, other) {
    expect(ids.shape[0] === other.shape[0], 'shape', () =>
      `${this.where}: ${name} must have the batch size of ids, ${other.shape[0]}, got ${formatShape(ids.shape)}`)
  }

  /** @param {string} name @param {Tensor} ids @param {Tensor} other @internal */
  checkSameShape(name, ids, other) {
    expect(sameShape(ids.shape, other.shape), 'shape', () =>
      `${this.where}: ${name} must have shape ${formatShape(other.shape)}, got ${formatShape(ids.shape)}`)
  }
}

/**
 * An array of `make(0)` to `make(n - 1)`.
 * @template T @param {number} n @param {(i: number) => T} make @returns {T[]}
 */
export const buildArray = (n, make) => Array.from({ length: n }, (_, i) => make(i))
