import { expectOptions } from '../errors.js'
import { Dropout } from '../nn/dropout.js'
import { Embedding } from '../nn/embedding.js'
import { Linear } from '../nn/linear.js'
import { ModuleList } from '../nn/containers.js'
import { Module } from '../nn/module.js'
import { RMSNorm } from '../nn/rms_norm.js'
import { multiheadAttention } from '../ops/attention.js'
import { add, mul } from '../ops/binary.js'
import { linear } from '../ops/linear.js'
import { relativePositionBuckets } from '../ops/position_bias.js'
import { registerLibraryCode, runLayers } from '../trace/intermediates.js'
import { headAxes, lmHeadAxes, relativeAxes, tokenAxes, vocabularyAxes } from './axes.js'
import { Head, applyHead } from './heads.js'
import { LanguageModel, buildArray } from './model.js'
import { pooledEmbedding } from './pooling.js'
import { Seq2Seq } from './seq2seq.js'

/** @typedef {import('../tensor/tensor.js').Tensor} Tensor */
/** @typedef {import('../ops/attention_cache.js').Cache} Cache */

/**
 * @typedef {object} Settings
 * @property {string} name of the family's class, for messages
 * @property {number} channels @property {number} heads @property {number} headDim @property {number} feedForwardSize
 * @property {{ encoder: number, decoder: number }} layers
 * @property {number} vocabSize @property {number} buckets @property {number} maxDistance
 * @property {boolean} hasBiasPerLayer whether every layer has a relative position bias of its own
 * @property {boolean} isGated @property {(x: Tensor) => Tensor} activation
 * @property {number} eps @property {number} dropout
 * @property {boolean} isTied whether the head is the token embedding @property {boolean} isScaled
 * @property {number} decoderStartTokenId
 * @property {import('./heads.js').HeadDescription | null} [head]
 *
 * @typedef {Omit<Settings, 'decoderStartTokenId'>} StackSettings of one side
 */

/** Attention without biases and without 1 / √D. */
class T5Attention extends Module {
  static inputNames = ['x', 'memory']

  /** @param {import('../engine/engine.js').Engine} engine @param {StackSettings} settings */
  constructor(engine, { channels, heads, headDim, dropout }) {
    super(engine)
    for (const name of /** @type {const} */ (['q', 'k', 'v'])) {
      this[name] = new Linear(engine, channels, heads * headDim, { bias: false })
    }
    this.o = new Linear(engine, heads * headDim, channels, { bias: false })
    this.numHeads = heads
    this.dropout = dropout
  }

  /** @type {Linear} */ q = /** @type {any} */ (null)
  /** @type {Linear} */ k = /** @type {any} */ (null)
  /** @type {Linear} */ v = /** @type {any} */ (null)

  /**
   * @param {Tensor} x @param {Tensor} memory the input of keys and values
   * @param {{ attnMask?: any, keyPaddingMask?: any, isCausal?: boolean, cache?: Cache | null }} options
   * @returns {Tensor}
   */
  forward(x, memory, { cache, ...options }) {
    const entry = cache?.of(this, memory === x ? undefined : memory.shape[1])
    const isCached = entry?.isMemory && entry.length > 0, q = this.tag('q', this.q.forward(x))
    const k = isCached ? null : this.tag('k', this.k.forward(memory))
    const v = isCached ? null : this.tag('v', this.v.forward(memory))
    const { out } = multiheadAttention(q, k, v, this.numHeads, {
      ...options, scale: 1, needWeights: false, cache: entry, dropoutP: this.training ? this.dropout : 0, where: 'T5'
    })
    return this.o.forward(this.tag('heads', out))
  }
}

/** The feed-forward network, gated or not. */
class T5FeedForward extends Module {
  static inputNames = ['x']

  /** @param {import('../engine/engine.js').Engine} engine @param {StackSettings} settings */
  constructor(engine, { channels, feedForwardSize, isGated, activation, dropout }) {
    super(engine)
    const up = () => new Linear(engine, channels, feedForwardSize, { bias: false })
    /** @type {Linear | null} */ this.wi = isGated ? null : up()
    /** @type {Linear | null} */ this.wi_0 = isGated ? up() : null
    /** @type {Linear | null} */ this.wi_1 = isGated ? up() : null
    this.wo = new Linear(engine, feedForwardSize, channels, { bias: false })
    this.dropout = new Dropout(engine, dropout)
    this.activation = activation
  }

  /** @param {Tensor} x @returns {Tensor} */
  forward(x) {
    const { wi, wi_0: gate, wi_1: up } = this
    const hidden = gate && up ? mul(this.activation(gate.forward(x)), up.forward(x))
      : this.activation(/** @type {Linear} */ (wi).forward(x))
    return this.wo.forward(this.dropout.forward(this.tag('activation', hidden)))
  }
}

/** One layer with pre-norm sub-layers: self-attention, cross-attention in the decoder, feed-forward. */
class T5Block extends Module {
  static inputNames = ['x', 'selfOptions', 'memory', 'crossOptions']

  /** @param {import('../engine/engine.js').Engine} engine @param {StackSettings} settings @param {boolean} isDecoder */
  constructor(engine, settings, isDecoder) {
    super(engine)
    const norm = () => new RMSNorm(engine, settings.channels, { eps: settings.eps })
    this.relative_attention_bias = settings.hasBiasPerLayer
      ? new Embedding(engine, settings.buckets, settings.heads) : null
    this.SelfAttention = new T5Attention(engine, settings)
    this.norm1 = norm()
    this.EncDecAttention = isDecoder ? new T5Attention(engine, settings) : null
    this.norm2 = isDecoder ? norm() : null
    this.DenseReluDense = new T5FeedForward(engine, settings)
    this.norm3 = norm()
    this.dropout = new Dropout(engine, settings.dropout)
  }

  /**
   * @param {Tensor} x @param {any} selfOptions options of the self-attention
   * @param {Tensor} [memory] @param {any} [crossOptions] options of the cross-attention
   * @returns {Tensor}
   */
  forward(x, selfOptions, memory, crossOptions) {
    const addResidual = (/** @type {Tensor} */ residual, /** @type {Tensor} */ out) =>
      add(residual, this.dropout.forward(out))
    const normed = this.norm1.forward(x)
    let y = addResidual(x, this.SelfAttention.forward(normed, normed, selfOptions))
    if (memory && this.EncDecAttention && this.norm2) {
      y = addResidual(y, this.EncDecAttention.forward(this.norm2.forward(y), memory, crossOptions))
    }
    return addResidual(y, this.DenseReluDense.forward(this.norm3.forward(y)))
  }
}

/**
 * The relative position bias, which is added to the scores.
 * @param {Embedding} table @param {Tensor} buckets [queries, keys] @returns {Tensor} [1, H, queries, keys]
 */
const biasOf = (table, buckets) =>
  table.forward(buckets).transpose(0, 2).transpose(1, 2).reshape(1, table.embeddingDim, ...buckets.shape)

/** Blocks, which share one relative position bias or have one each. */
class T5Stack extends Module {
  static runsSubmodules = true
  static inputNames = ['x', 'mask', 'memory']

  /**
   * @param {import('../engine/engine.js').Engine} engine
   * @param {StackSettings} settings
   * @param {'encoder' | 'decoder'} side
   */
  constructor(engine, settings, side) {
    super(engine)
    this.isDecoder = side === 'decoder'
    this.relative_attention_bias = settings.hasBiasPerLayer ? null
      : new Embedding(engine, settings.buckets, settings.heads)
    const createBlock = () => new T5Block(engine, settings, this.isDecoder)
    this.block = new ModuleList(engine, buildArray(settings.layers[side], createBlock))
    this.final_layer_norm = new RMSNorm(engine, settings.channels, { eps: settings.eps })
    this.dropout = new Dropout(engine, settings.dropout)
    this.settings = settings
  }

  /**
   * @param {Tensor} x @param {Tensor | undefined} mask @param {Tensor} [memory]
   * @param {{ keyPaddingMask?: any, cache?: Cache | null }} [options]
   * @returns {Tensor}
   */
  forward(x, mask, memory, { keyPaddingMask, cache } = {}) {
    const { isDecoder, relative_attention_bias: shared, settings: { maxDistance, buckets: numBuckets } } = this
    const queries = x.shape[1], past = cache?.length ?? 0
    const options = { bidirectional: !isDecoder, maxDistance, numBuckets, past }
    const buckets = this.engine.freeWithTrace(
      relativePositionBuckets(this.engine, queries, queries + past, options))
    const maskWithBias = (/** @type {Embedding} */ table) =>
      (mask ? add(biasOf(table, buckets), mask) : biasOf(table, buckets))
    const sharedMask = shared && maskWithBias(shared), crossOptions = { keyPaddingMask, cache }
    const y = runLayers(this.block, this.dropout.forward(x), (block, hidden) => {
      const attnMask = sharedMask ?? maskWithBias(/** @type {any} */ (block).relative_attention_bias)
      return block.forward(hidden, { attnMask, isCausal: isDecoder, cache }, memory, crossOptions)
    })
    return this.dropout.forward(this.final_layer_norm.forward(y))
  }
}

/**
 * The axes of one side's relative position biases.
 * @param {StackSettings} settings @param {'encoder' | 'decoder'} side @param {string} of the stream
 * @returns {Record<string, import('../trace/axes.js').Axis[]>}
 */
function biasAxes({ hasBiasPerLayer, layers }, side, of) {
  const owners = hasBiasPerLayer ? buildArray(layers[side], n => `${side}.block.${n}`) : [side]
  return Object.assign({}, ...owners.map(path => relativeAxes(`${path}.relative_attention_bias`, of)))
}

/** T5 (Raffel et al. 2020): relative position bias, RMS norms, no biases. */
export class T5 extends Seq2Seq {
  static runsSubmodules = true

  /** @param {import('../engine/engine.js').Engine} engine @param {Settings} settings */
  constructor(engine, settings) {
    super(engine)
    this.shared = new Embedding(engine, settings.vocabSize, settings.channels)
    this.encoder = new T5Stack(engine, settings, 'encoder')
    this.decoder = new T5Stack(engine, settings, 'decoder')
    this.head = settings.head ? new Head(engine, settings.channels, settings.head) : null
    this.lm_head = settings.isTied || this.head ? null
      : new Linear(engine, settings.channels, settings.vocabSize, { bias: false })
    this.settings = settings
    this.decoderStartTokenId = settings.decoderStartTokenId
    this.scale = settings.isScaled ? settings.channels ** -0.5 : 1
  }

  /** The name of the family's class, for messages. @internal */
  get where() {
    return this.settings.name
  }

  /**
   * @param {{ ids: string, decoderIds: string }} streams names of the streams that are read
   * @returns {Record<string, import('../trace/axes.js').Axis[]>} @internal
   */
  axes({ ids: source, decoderIds: target }) {
    return {
      'shared.weight': vocabularyAxes(source), 'shared.output:2': tokenAxes(target), ...lmHeadAxes(target),
      ...biasAxes(this.settings, 'encoder', source), ...biasAxes(this.settings, 'decoder', target), ...headAxes(this.head, target)
    }
  }

  /** @param {Tensor} ids @param {import('./model.js').AttentionMask | null} mask @returns {Tensor} */
  encode(ids, mask) {
    return this.encoder.forward(this.shared.forward(ids), this.paddingMask(mask))
  }

  /**
   * @param {Tensor} ids @param {Tensor} memory @param {import('./seq2seq.js').DecodeOptions} options
   * @returns {{ logits?: Tensor, hidden: Tensor, startLogits?: Tensor, endLogits?: Tensor }}
   */
  decode(ids, memory, options) {
    const hidden = this.decoder.forward(this.shared.forward(ids), undefined, memory, options)
    if (this.head) return { hidden, ...applyHead(this.head, hidden, options.source ?? ids) }
    const scaled = this.scale === 1 ? hidden : mul(hidden, this.scale)
    const logits = this.lm_head ? this.lm_head.forward(scaled) : linear(scaled, this.shared.weight)
    return { logits, hidden }
  }
}

/** The encoder of T5 alone, as in Hugging Face's T5EncoderModel. */
export class T5Encoder extends LanguageModel {
  static runsSubmodules = true

  /** @param {import('../engine/engine.js').Engine} engine @param {StackSettings} settings */
  constructor(engine, settings) {
    super(engine)
    this.shared = new Embedding(engine, settings.vocabSize, settings.channels)
    this.encoder = new T5Stack(engine, settings, 'encoder')
    /** @type {Head | null} */ this.head = null
    this.settings = settings
  }

  /** The name of the family's class, for messages. @internal */
  get where() {
    return `${this.settings.name}Encoder`
  }

  /**
   * @param {{ ids: string }} streams names of the streams that are read
   * @returns {Record<string, import('../trace/axes.js').Axis[]>} @internal
   */
  axes({ ids: source }) {
    return { 'shared.weight': vocabularyAxes(source), ...biasAxes(this.settings, 'encoder', source) }
  }

  /**
   * @param {Tensor | number[] | number[][]} ids [B, T], or [T] for one sequence
   * @param {{ attentionMask?: any }} [options] attentionMask: [B, T], 0 or false for padding, which gets no attention
   * @returns {{ hidden: Tensor, embedding?: Tensor, logits?: undefined }} hidden [B, T, C]; embedding [B, C],
   *   if the model has the modules of a sentence embedding
   */
  forward(ids, options) {
    const { attentionMask } = expectOptions(this.where, options, ['attentionMask'])
    const tokens = this.toBatch('ids', ids), mask = this.readAttentionMask(attentionMask, tokens.shape)
    const hidden = this.encoder.forward(this.shared.forward(tokens), this.paddingMask(mask))
    return { hidden, ...pooledEmbedding(this, hidden, mask) }
  }
}

registerLibraryCode(T5Attention, T5FeedForward, T5Block, T5Stack, T5, T5Encoder)
