import { expect } from '../errors.js'
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
import { registerLibraryCode, runLayers } from '../intermediates.js'
import { ACTIVATIONS, UNSUPPORTED, readChoice, readNumber, refuseUnsupported, readDecoderStart, readBoolean, readInteger } from './config.js'
import { buildArray } from './model.js'
import { layerRows } from './plan.js'
import { Seq2Seq } from './seq2seq.js'
import { isTied } from './tied.js'

/** @typedef {import('../tensor.js').Tensor} Tensor */
/** @typedef {import('../ops/attention_cache.js').Cache} Cache */
/** @typedef {ReturnType<typeof readSettings>} Settings */

/** The values of feed_forward_proj. */
const FEED_FORWARD = {
  'relu': { isGated: false, activation: ACTIVATIONS.relu },
  'gated-gelu': { isGated: true, activation: ACTIVATIONS.gelu_new },
  'gated-relu': { isGated: true, activation: ACTIVATIONS.relu },
  'gated-silu': { isGated: true, activation: ACTIVATIONS.silu }
}

/**
 * @param {import('./config.js').Config} config
 * @param {(key: string) => readonly number[] | undefined} shapeOf a tensor of the file
 */
function readSettings(config, shapeOf) {
  refuseUnsupported(config, UNSUPPORTED)
  const layers = readInteger(config, 'num_layers', 6), vocabSize = readInteger(config, 'vocab_size', 32128)
  const buckets = readInteger(config, 'relative_attention_num_buckets', 32)
  const maxDistance = readInteger(config, 'relative_attention_max_distance', 128)
  expect(buckets % 2 === 0 && buckets >= 4 && buckets <= 1024, 'format', () => 'config.json: ' +
    `relative_attention_num_buckets must be an even number from 4 to 1024, got ${buckets}`)
  expect(2 * maxDistance > buckets, 'format', () => 'config.json: relative_attention_max_distance must be more than half ' +
    `of relative_attention_num_buckets, got ${maxDistance} and ${buckets}`)
  return {
    channels: readInteger(config, 'd_model', 512),
    heads: readInteger(config, 'num_heads', 8),
    headDim: readInteger(config, 'd_kv', 64),
    feedForwardSize: readInteger(config, 'd_ff', 2048),
    layers: { encoder: layers, decoder: readInteger(config, 'num_decoder_layers', layers) },
    vocabSize, buckets, maxDistance,
    ...readChoice(config, 'feed_forward_proj', FEED_FORWARD, 'relu'),
    eps: readNumber(config, 'layer_norm_epsilon', 1e-6),
    dropout: readNumber(config, 'dropout_rate', 0.1),
    isTied: isTied(config, shapeOf),
    /** Files of transformers 5 have scale_decoder_outputs; earlier versions scaled the output if the head was tied. */
    isScaled: readBoolean(config, 'scale_decoder_outputs', readBoolean(config, 'tie_word_embeddings', true)),
    decoderStartTokenId: readDecoderStart(config, config.pad_token_id ?? 0, vocabSize)
  }
}

/** Attention without biases and without 1 / √D. */
class Attention extends Module {
  static inputNames = ['x', 'memory']

  /** @param {import('../engine.js').Engine} engine @param {Settings} settings */
  constructor(engine, { channels, heads, headDim, dropout }) {
    super(engine)
    for (const name of /** @type {const} */ (['q', 'k', 'v'])) {
      this[name] = new Linear(engine, channels, heads * headDim, { bias: false })
    }
    this.o = new Linear(engine, heads * headDim, channels, { bias: false })
    this.heads = heads
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
    const isKnown = entry?.isMemory && entry.length > 0, q = this.tag('q', this.q.forward(x))
    const k = isKnown ? null : this.tag('k', this.k.forward(memory))
    const v = isKnown ? null : this.tag('v', this.v.forward(memory))
    const { out } = multiheadAttention(q, k, v, this.heads, {
      ...options, scale: 1, needWeights: false, cache: entry, dropoutP: this.training ? this.dropout : 0, where: 'T5'
    })
    return this.o.forward(this.tag('heads', out))
  }
}

/** The feed-forward network, gated or not. */
class FeedForward extends Module {
  static inputNames = ['x']

  /** @param {import('../engine.js').Engine} engine @param {Settings} settings */
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
class Block extends Module {
  static inputNames = ['x', 'selfOptions', 'memory', 'crossOptions']

  /** @param {import('../engine.js').Engine} engine @param {Settings} settings @param {boolean} isDecoder */
  constructor(engine, settings, isDecoder) {
    super(engine)
    const norm = () => new RMSNorm(engine, settings.channels, { eps: settings.eps })
    this.SelfAttention = new Attention(engine, settings)
    this.norm1 = norm()
    this.EncDecAttention = isDecoder ? new Attention(engine, settings) : null
    this.norm2 = isDecoder ? norm() : null
    this.DenseReluDense = new FeedForward(engine, settings)
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

/** Blocks that share one relative position bias. */
class Stack extends Module {
  static hasSubmodules = true
  static inputNames = ['x', 'mask', 'memory']

  /** @param {import('../engine.js').Engine} engine @param {Settings} settings @param {'encoder' | 'decoder'} side */
  constructor(engine, settings, side) {
    super(engine)
    this.isDecoder = side === 'decoder'
    this.relative_attention_bias = new Embedding(engine, settings.buckets, settings.heads)
    const createBlock = () => new Block(engine, settings, this.isDecoder)
    this.block = new ModuleList(engine, buildArray(settings.layers[side], createBlock))
    this.final_layer_norm = new RMSNorm(engine, settings.channels, { eps: settings.eps })
    this.dropout = new Dropout(engine, settings.dropout)
    this.maxDistance = settings.maxDistance
  }

  /**
   * The relative position bias, which is added to the scores: [1, H, queries, keys].
   * @param {number} queries @param {number} past number of keys in the cache
   */
  bias(queries, past) {
    const { isDecoder, maxDistance, relative_attention_bias: table } = this, keys = queries + past
    const options = { bidirectional: !isDecoder, maxDistance, numBuckets: table.numEmbeddings, past }
    const buckets = this.engine.registerAuxiliary(relativePositionBuckets(this.engine, queries, keys, options))
    return table.forward(buckets).transpose(0, 2).transpose(1, 2).reshape(1, table.embeddingDim, queries, keys)
  }

  /**
   * @param {Tensor} x @param {Tensor | undefined} mask @param {Tensor} [memory]
   * @param {{ keyPaddingMask?: any, cache?: Cache | null }} [options]
   * @returns {Tensor}
   */
  forward(x, mask, memory, { keyPaddingMask, cache } = {}) {
    const bias = this.bias(x.shape[1], cache?.length ?? 0), attnMask = mask ? add(bias, mask) : bias
    const self = { attnMask, isCausal: this.isDecoder, cache }, cross = { keyPaddingMask, cache }
    const y = runLayers(this.block, this.dropout.forward(x),
      (block, hidden) => block.forward(hidden, self, memory, cross))
    return this.dropout.forward(this.final_layer_norm.forward(y))
  }
}

/** T5 (Raffel et al. 2020): relative position bias, RMS norms, no biases. */
export class T5 extends Seq2Seq {
  static hasSubmodules = true

  /** @param {import('../engine.js').Engine} engine @param {Settings} settings */
  constructor(engine, settings) {
    super(engine)
    this.shared = new Embedding(engine, settings.vocabSize, settings.channels)
    this.encoder = new Stack(engine, settings, 'encoder')
    this.decoder = new Stack(engine, settings, 'decoder')
    this.lm_head = settings.isTied ? null : new Linear(engine, settings.channels, settings.vocabSize, { bias: false })
    this.decoderStartTokenId = settings.decoderStartTokenId
    this.scale = settings.isScaled ? settings.channels ** -0.5 : 1
  }

  /** @param {Tensor} ids @param {import('./model.js').AttentionMask | null} mask @returns {Tensor} */
  encode(ids, mask) {
    return this.encoder.forward(this.shared.forward(ids), this.paddingMask(mask))
  }

  /** @param {Tensor} ids @param {Tensor} memory @param {{ keyPaddingMask?: any, cache?: Cache | null }} options */
  decode(ids, memory, options) {
    const hidden = this.decoder.forward(this.shared.forward(ids), undefined, memory, options)
    const scaled = this.scale === 1 ? hidden : mul(hidden, this.scale)
    const logits = this.lm_head ? this.lm_head.forward(scaled) : linear(scaled, this.shared.weight)
    return { logits, hidden }
  }
}

registerLibraryCode(Attention, FeedForward, Block, Stack, T5)

/** @param {number} feedForwardIndex index of the feed-forward sub-layer @param {boolean} isGated */
const blockTable = (feedForwardIndex, isGated) => Object.fromEntries([
  ...['q', 'k', 'v', 'o'].map(name => [`layer.0.SelfAttention.${name}.weight`, `SelfAttention.${name}.weight`]),
  ['layer.0.layer_norm.weight', 'norm1.weight'],
  ...(feedForwardIndex === 1 ? [] : [
    ...['q', 'k', 'v', 'o'].map(name => [`layer.1.EncDecAttention.${name}.weight`, `EncDecAttention.${name}.weight`]),
    ['layer.1.layer_norm.weight', 'norm2.weight']
  ]),
  ...[...(isGated ? ['wi_0', 'wi_1'] : ['wi']), 'wo'].map(name =>
    [`layer.${feedForwardIndex}.DenseReluDense.${name}.weight`, `DenseReluDense.${name}.weight`]),
  [`layer.${feedForwardIndex}.layer_norm.weight`, 'norm3.weight']
])

/** @type {import('./index.js').Family<Settings>} */
export const t5 = {
  type: 't5',
  prefixes: ['transformer.'],
  table: { keys: ['shared.weight', 'encoder.embed_tokens.weight', 'decoder.embed_tokens.weight'], isTied: true },
  /** Present in early files and never used. */
  ignored: [/^decoder\.block\.0\.layer\.1\.EncDecAttention\.relative_attention_bias\.weight$/],
  Model: T5,
  readSettings,
  toHuggingFace: settings => ({
    settings,
    config: {
      architectures: ['T5ForConditionalGeneration'], decoder_start_token_id: settings.decoderStartTokenId, tie_word_embeddings: settings.isTied,
      ...(settings.isScaled !== settings.isTied && { scale_decoder_outputs: settings.isScaled })
    },
    toKey: key => key
  }),
  rows: ({ layers, isGated, isTied }) => [
    {
      key: 'shared.weight', target: 'shared.weight',
      aliases: ['encoder.embed_tokens.weight', 'decoder.embed_tokens.weight', ...(isTied ? ['lm_head.weight'] : [])]
    },
    ...(/** @type {const} */ (['encoder', 'decoder'])).flatMap((side, i) => [
      {
        key: `${side}.block.0.layer.0.SelfAttention.relative_attention_bias.weight`,
        target: `${side}.relative_attention_bias.weight`
      },
      ...layerRows(layers[side], `${side}.block.{n}.`, `${side}.block.{n}.`, blockTable(i + 1, isGated)),
      { key: `${side}.final_layer_norm.weight`, target: `${side}.final_layer_norm.weight` }
    ]),
    ...(isTied ? [] : [{ key: 'lm_head.weight', target: 'lm_head.weight' }])
  ]
}
