import { expect, expectOptions, formatShape } from '../errors.js'
import { Dropout } from '../nn/dropout.js'
import { Embedding } from '../nn/embedding.js'
import { LayerNorm } from '../nn/layer_norm.js'
import { Linear } from '../nn/linear.js'
import { ModuleList } from '../nn/containers.js'
import { Module } from '../nn/module.js'
import { TransformerEncoderLayer } from '../nn/transformer.js'
import { add } from '../ops/binary.js'
import { linear } from '../ops/linear.js'
import { narrow } from '../ops/narrow.js'
import { unaryFunctions } from '../ops/unary.js'
import { registerLibraryCode, runLayers } from '../trace/intermediates.js'
import { convolutionAxes, headAxes, pooledAxes, tableAxes, tokenAxes, vocabularyAxes } from './axes.js'
import { Layer, createNorm, smallestWindow } from './decoder.js'
import { DisentangledStack } from './disentangled.js'
import { Head, applyHead } from './heads.js'
import { LanguageModel, buildArray } from './model.js'
import { pooledEmbedding } from './pooling.js'

/**
 * An encoder-only model, which reads in both directions, built from a description: families/<name>.js makes the
 * description from config.json. Names of modules are those of Hugging Face's BERT.
 *
 * @typedef {import('../tensor/tensor.js').Tensor} Tensor
 * @typedef {import('../engine/engine.js').Engine} Engine
 *
 * @typedef {object} EncoderDescription
 * @property {string} name of the family's class, for messages
 * @property {number} vocabSize @property {number} channels @property {number} heads @property {number} layerCount
 * @property {number} feedForwardSize @property {number} maxPositions
 * @property {(x: Tensor) => Tensor} activation
 * @property {number} eps @property {number} dropout
 * @property {number} [embeddingSize] if it is not `channels`, a projection leads to them
 * @property {number} [tokenTypes] 0: no embedding of token types
 * @property {boolean} [hasPositions] true; false: no embedding of positions
 * @property {number | null} [paddingId] RoBERTa counts positions from the id of padding on, and does not count padding
 * @property {{ groups: number, perGroup: number }} [sharing] ALBERT's layers share their weights
 * @property {boolean} [hasPooler] @property {boolean} [hasMaskedLMHead]
 * @property {import('./decoder.js').DecoderDescription} [modern] layers like those of modern decoders (ModernBERT)
 * @property {boolean} [hasHeadBias] of the projection in ModernBERT's heads
 * @property {(x: Tensor) => Tensor} [headActivation] in the masked language modeling head; default: activation
 * @property {import('./disentangled.js').Disentangled} [disentangled] attention with relative positions (DeBERTa)
 * @property {import('./heads.js').HeadDescription | null} [head]
 */

/** The normalized sum of token, position and token type embeddings. */
class Embeddings extends Module {
  static inputNames = ['ids', 'positionIds', 'tokenTypes']

  /** @param {Engine} engine @param {EncoderDescription} description */
  constructor(engine, description) {
    super(engine)
    const { vocabSize, maxPositions, tokenTypes = 0, channels, hasPositions = true, paddingId = null } = description
    const { modern, eps } = description
    const size = description.embeddingSize ?? channels, rows = maxPositions + (paddingId === null ? 0 : paddingId + 1)
    this.word_embeddings = new Embedding(engine, vocabSize, size)
    this.position_embeddings = hasPositions ? new Embedding(engine, rows, size) : null
    this.token_type_embeddings = tokenTypes ? new Embedding(engine, tokenTypes, size) : null
    this.LayerNorm = modern ? createNorm(engine, modern.norm, size) : new LayerNorm(engine, size, { eps })
    this.dropout = new Dropout(engine, description.dropout)
  }

  /** @param {Tensor} ids @param {Tensor} positionIds @param {Tensor | null} tokenTypes @returns {Tensor} */
  forward(ids, positionIds, tokenTypes) {
    let x = this.word_embeddings.forward(ids)
    if (this.token_type_embeddings && tokenTypes) x = add(x, this.token_type_embeddings.forward(tokenTypes))
    if (this.position_embeddings) x = add(x, this.position_embeddings.forward(positionIds))
    return this.dropout.forward(this.LayerNorm.forward(x))
  }
}

/** The masked language modeling head: a layer, then the token embedding as output projection. */
class MaskedLMHead extends Module {
  static inputNames = ['hidden', 'table']

  /** @param {Engine} engine @param {EncoderDescription} description */
  constructor(engine, description) {
    super(engine)
    const { channels, vocabSize, eps, embeddingSize = channels, modern, hasHeadBias = true } = description
    this.dense = new Linear(engine, channels, embeddingSize, { bias: hasHeadBias })
    this.activation = description.headActivation ?? description.activation
    this.LayerNorm = modern ? createNorm(engine, modern.norm, embeddingSize)
      : new LayerNorm(engine, embeddingSize, { eps })
    this.bias = this.parameter(vocabSize)
  }

  /** @param {Tensor} hidden @param {Tensor} table [V, C] @returns {Tensor} */
  forward(hidden, table) {
    return linear(this.LayerNorm.forward(this.activation(this.dense.forward(hidden))), table, this.bias)
  }
}

/** The layers of a description. @param {Engine} engine @param {EncoderDescription} description @returns {Module[]} */
function createLayers(engine, description) {
  const { channels, heads, layerCount, feedForwardSize, eps, dropout, activation, modern, sharing } = description
  if (modern) return modern.layers.map(layer => new Layer(engine, modern, layer))
  return buildArray(sharing ? sharing.groups * sharing.perGroup : layerCount, () => (
    new TransformerEncoderLayer(engine, channels, heads, {
      dimFeedforward: feedForwardSize, dropout, activation, layerNormEps: eps
    })))
}

/** BERT and relatives: a bidirectional encoder. */
export class Encoder extends LanguageModel {
  static runsSubmodules = true

  /** @param {Engine} engine @param {EncoderDescription} description */
  constructor(engine, description) {
    super(engine)
    const { channels: C, embeddingSize = C, head = null, disentangled, modern } = description
    this.description = description
    this.maxPositions = description.maxPositions
    this.embeddings = new Embeddings(engine, description)
    this.projection = embeddingSize === C ? null : new Linear(engine, embeddingSize, C)
    this.stack = disentangled ? new DisentangledStack(engine, description, disentangled) : null
    this.layer = this.stack ? null : new ModuleList(engine, createLayers(engine, description))
    this.norm = modern ? createNorm(engine, modern.norm, C) : null
    this.pooler = description.hasPooler ? new Linear(engine, C, C) : null
    this.predictions = description.hasMaskedLMHead ? new MaskedLMHead(engine, description) : null
    this.head = head ? new Head(engine, C, head) : null
  }

  /** The name of the family's class, for messages. @internal */
  get where() {
    return this.description.name
  }

  /**
   * @param {{ ids: string }} streams names of the streams that are read
   * @returns {Record<string, import('../trace/axes.js').Axis[]>} @internal
   */
  axes({ ids: stream }) {
    const path = 'embeddings'
    return {
      [`${path}.word_embeddings.weight`]: vocabularyAxes(stream),
      [`${path}.position_embeddings.weight`]: tableAxes('position'), [`${path}.position_embeddings.output`]: tokenAxes(stream),
      [`${path}.token_type_embeddings.weight`]: tableAxes('type'), [`${path}.token_type_embeddings.output`]: tokenAxes(stream),
      ...convolutionAxes('stack.conv.conv', stream),
      'pooler.output': pooledAxes, 'tanh': pooledAxes, ...headAxes(this.head, stream)
    }
  }

  /**
   * @param {Tensor | number[] | number[][]} ids [B, T], or [T] for one sequence
   * @param {{ attentionMask?: any, tokenTypeIds?: any, positionIds?: any }} [options] attentionMask: [B, T], 0 or false
   *   for padding, which
   *   gets no attention; padding still counts in the positions, as in Hugging Face's BERT, so it should be on the
   *   right (RoBERTa and relatives do not count tokens of padding); tokenTypeIds: [B, T], 0 by default;
   *   positionIds: [B, T] or [T], instead of those
   * @returns {{ hidden: Tensor, pooled?: Tensor, embedding?: Tensor, logits?: Tensor, startLogits?: Tensor,
   *   endLogits?: Tensor }} hidden [B, T, C]; pooled [B, C] from the first position, if the file has a pooler;
   *   embedding [B, C], if the model has the modules of a sentence embedding; logits [B, T, V], if it has a masked
   *   language modeling head; or what its classification head gives: logits [B, labels], [B, T, labels], or the logits
   *   [B, T] of where an answer starts and ends
   */
  forward(ids, options) {
    const checked = expectOptions(this.where, options, ['attentionMask', 'tokenTypeIds', 'positionIds'])
    const { attentionMask, tokenTypeIds } = checked
    const tokens = this.toBatch('ids', ids), mask = this.readAttentionMask(attentionMask, tokens.shape), [, T] = tokens.shape
    this.checkLength(T, this.description.maxPositions)
    const tokenTypes = tokenTypesOf(this, tokens, tokenTypeIds)
    const positions = positionsOf(this, tokens, checked.positionIds)
    const embedded = this.embeddings.forward(tokens, positions, tokenTypes)
    const x = encodeLayers(this, this.projection ? this.projection.forward(embedded) : embedded, positions, mask)
    const hidden = this.norm ? this.norm.forward(x) : x
    /** @type {ReturnType<Encoder['forward']>} */ const result = { hidden }
    if (this.pooler) result.pooled = unaryFunctions.tanh(this.pooler.forward(firstPositions(this.where, hidden)))
    if (this.predictions) result.logits = this.predictions.forward(hidden, this.embeddings.word_embeddings.weight)
    Object.assign(result, pooledEmbedding(this, hidden, mask))
    return this.head ? { ...result, ...applyHead(this.head, hidden, tokens, { pooled: result.pooled, mask }) } : result
  }
}

/**
 * The position of each token.
 * @param {Encoder} model @param {Tensor} tokens [B, T] @param {unknown} positionIds given ones @returns {Tensor} [B, T]
 */
function positionsOf(model, tokens, positionIds) {
  const { paddingId = null, maxPositions } = model.description
  const rows = maxPositions + (paddingId === null ? 0 : paddingId + 1)
  const given = model.readPositionIds(positionIds, tokens.shape, rows)
  if (given) return given
  return paddingId === null ? model.positionIds(tokens.shape, null) : model.positionsWithoutPadding(tokens, paddingId)
}

/** @param {Encoder} model @param {Tensor} tokens @param {unknown} tokenTypeIds @returns {Tensor | null} [B, T] */
function tokenTypesOf(model, tokens, tokenTypeIds) {
  const { engine, description: { tokenTypes = 0 }, where } = model
  const isGiven = tokenTypeIds !== undefined && tokenTypeIds !== null
  if (!tokenTypes) {
    expect(!isGiven, 'type', () => `${where}: the model has no token types; leave tokenTypeIds out`)
    return null
  }
  const ids = isGiven ? model.toBatch('tokenTypeIds', tokenTypeIds)
    : engine.freeWithTrace(engine.zeros(tokens.shape, 'int32'))
  model.checkSameShape('tokenTypeIds', ids, tokens)
  return ids
}

/**
 * All layers.
 * @param {Encoder} model @param {Tensor} x @param {Tensor} positions
 * @param {import('./model.js').AttentionMask | null} mask
 * @returns {Tensor}
 */
function encodeLayers(model, x, positions, mask) {
  const { stack, description: { modern, sharing, layerCount } } = model, all = /** @type {any} */ (model.layer)
  if (modern) {
    const attnMask = model.paddingMask(mask, { window: smallestWindow(modern.layers) })
    return runLayers(all, x, (layer, y) => layer.forward(y, positions, { attnMask, length: x.shape[1] }))
  }
  const srcMask = model.paddingMask(mask)
  if (stack) return stack.forward(x, srcMask, mask)
  if (!sharing) return runLayers(all, x, (layer, y) => layer.forward(y, { srcMask }))
  // Consecutive layers use the same group of weights.
  const { groups, perGroup } = sharing
  const order = buildArray(layerCount, i => Math.floor(i * groups / layerCount)).flatMap(group =>
    buildArray(perGroup, j => all.at(group * perGroup + j)))
  return runLayers(order, x, (layer, y) => layer.forward(y, { srcMask }))
}

/** The first position of every sequence. @param {string} where @param {Tensor} x [B, T, C] @returns {Tensor} [B, C] */
function firstPositions(where, x) {
  const [B, T, C] = x.shape
  expect(T > 0, 'shape', () => `${where}: ids must have at least one token, which is pooled, got ${formatShape([B, T])}`)
  return narrow(x, 1, 0, 1).reshape(B, C)
}

registerLibraryCode(Embeddings, MaskedLMHead, Encoder)
