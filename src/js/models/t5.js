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
import { ACTIVATIONS, NEVER, meaning, real, refuseOthers, startOf, truth, whole } from './config.js'
import { times } from './model.js'
import { layerRows } from './plan.js'
import { Seq2Seq } from './seq2seq.js'
import { isTied } from './tied.js'

/** @typedef {import('../tensor.js').Tensor} Tensor */
/** @typedef {import('../ops/attention_cache.js').Cache} Cache */
/** @typedef {ReturnType<typeof settings>} Settings */

/** What feed_forward_proj says of the layers' second half. */
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
function settings(config, shapeOf) {
  refuseOthers(config, NEVER)
  const layers = whole(config, 'num_layers', 6), words = whole(config, 'vocab_size', 32128)
  const buckets = whole(config, 'relative_attention_num_buckets', 32)
  const farthest = whole(config, 'relative_attention_max_distance', 128)
  expect(buckets % 2 === 0 && buckets >= 4 && buckets <= 1024, 'format', () => 'config.json: ' +
    `relative_attention_num_buckets must be an even number from 4 to 1024, got ${buckets}`)
  expect(2 * farthest > buckets, 'format', () => 'config.json: relative_attention_max_distance must be more than half ' +
    `of relative_attention_num_buckets, so many distances have one each, got ${farthest} of ${buckets}`)
  return {
    channels: whole(config, 'd_model', 512),
    heads: whole(config, 'num_heads', 8),
    size: whole(config, 'd_kv', 64),
    inner: whole(config, 'd_ff', 2048),
    layers: { encoder: layers, decoder: whole(config, 'num_decoder_layers', layers) },
    words, buckets, farthest,
    ...meaning(config, 'feed_forward_proj', FEED_FORWARD, 'relu'),
    eps: real(config, 'layer_norm_epsilon', 1e-6),
    dropout: real(config, 'dropout_rate', 0.1),
    isTied: isTied(config, shapeOf),
    /** Files of transformers 5 say it of itself; before it went with the tying, which is the rule. */
    isScaled: truth(config, 'scale_decoder_outputs', truth(config, 'tie_word_embeddings', true)),
    start: startOf(config, config.pad_token_id ?? 0, words)
  }
}

/** Attention without biases and without 1 / √D. */
class Attention extends Module {
  static inputNames = ['x', 'memory']

  /** @param {import('../engine.js').Engine} engine @param {Settings} given */
  constructor(engine, { channels, heads, size, dropout }) {
    super(engine)
    for (const name of /** @type {const} */ (['q', 'k', 'v'])) {
      this[name] = new Linear(engine, channels, heads * size, { bias: false })
    }
    this.o = new Linear(engine, heads * size, channels, { bias: false })
    this.heads = heads
    this.dropout = dropout
  }

  /** @type {Linear} */ q = /** @type {any} */ (null)
  /** @type {Linear} */ k = /** @type {any} */ (null)
  /** @type {Linear} */ v = /** @type {any} */ (null)

  /**
   * @param {Tensor} x @param {Tensor} memory what keys and values are of
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

/** One or two projections up, one down. */
class FeedForward extends Module {
  static inputNames = ['x']

  /** @param {import('../engine.js').Engine} engine @param {Settings} given */
  constructor(engine, { channels, inner, isGated, activation, dropout }) {
    super(engine)
    const up = () => new Linear(engine, channels, inner, { bias: false })
    /** @type {Linear | null} */ this.wi = isGated ? null : up()
    /** @type {Linear | null} */ this.wi_0 = isGated ? up() : null
    /** @type {Linear | null} */ this.wi_1 = isGated ? up() : null
    this.wo = new Linear(engine, inner, channels, { bias: false })
    this.dropout = new Dropout(engine, dropout)
    this.activation = activation
  }

  /** @param {Tensor} x @returns {Tensor} */
  forward(x) {
    const { wi, wi_0: first, wi_1: second } = this
    const inner = first && second ? mul(this.activation(first.forward(x)), second.forward(x))
      : this.activation(/** @type {Linear} */ (wi).forward(x))
    return this.wo.forward(this.dropout.forward(this.tag('activation', inner)))
  }
}

/** Pre-norm sub-layers: attention to itself, for answers to what was read, feed-forward. */
class Block extends Module {
  static inputNames = ['x', 'own', 'memory', 'cross']

  /** @param {import('../engine.js').Engine} engine @param {Settings} given @param {boolean} isDecoder */
  constructor(engine, given, isDecoder) {
    super(engine)
    const norm = () => new RMSNorm(engine, given.channels, { eps: given.eps })
    this.SelfAttention = new Attention(engine, given)
    this.norm1 = norm()
    this.EncDecAttention = isDecoder ? new Attention(engine, given) : null
    this.norm2 = isDecoder ? norm() : null
    this.DenseReluDense = new FeedForward(engine, given)
    this.norm3 = norm()
    this.dropout = new Dropout(engine, given.dropout)
  }

  /**
   * @param {Tensor} x @param {any} own options of the attention to itself
   * @param {Tensor} [memory] @param {any} [cross] options of the attention to it
   * @returns {Tensor}
   */
  forward(x, own, memory, cross) {
    const step = (/** @type {Tensor} */ before, /** @type {Tensor} */ made) => add(before, this.dropout.forward(made))
    const seen = this.norm1.forward(x)
    let y = step(x, this.SelfAttention.forward(seen, seen, own))
    if (memory && this.EncDecAttention && this.norm2) {
      y = step(y, this.EncDecAttention.forward(this.norm2.forward(y), memory, cross))
    }
    return step(y, this.DenseReluDense.forward(this.norm3.forward(y)))
  }
}

/** Blocks that share one table of relative positions. */
class Stack extends Module {
  static hasSubmodules = true
  static inputNames = ['x', 'mask', 'memory']

  /** @param {import('../engine.js').Engine} engine @param {Settings} given @param {'encoder' | 'decoder'} side */
  constructor(engine, given, side) {
    super(engine)
    this.isDecoder = side === 'decoder'
    this.relative_attention_bias = new Embedding(engine, given.buckets, given.heads)
    this.block = new ModuleList(engine, times(given.layers[side], () => new Block(engine, given, this.isDecoder)))
    this.final_layer_norm = new RMSNorm(engine, given.channels, { eps: given.eps })
    this.dropout = new Dropout(engine, given.dropout)
    this.farthest = given.farthest
  }

  /**
   * What is added to the scores for where a key stands.
   * @param {number} queries @param {number} past keys before them
   */
  bias(queries, past) {
    const { isDecoder, farthest, relative_attention_bias: table } = this, keys = queries + past
    const form = { bidirectional: !isDecoder, maxDistance: farthest, numBuckets: table.numEmbeddings, past }
    const buckets = this.engine.registerAuxiliary(relativePositionBuckets(this.engine, queries, keys, form))
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
    const y = runLayers(this.block, this.dropout.forward(x), (block, made) => block.forward(made, self, memory, cross))
    return this.dropout.forward(this.final_layer_norm.forward(y))
  }
}

/** T5 (Raffel et al. 2020): relative positions, norms without mean, no biases. */
export class T5 extends Seq2Seq {
  static hasSubmodules = true

  /** @param {import('../engine.js').Engine} engine @param {Settings} given */
  constructor(engine, given) {
    super(engine)
    this.shared = new Embedding(engine, given.words, given.channels)
    this.encoder = new Stack(engine, given, 'encoder')
    this.decoder = new Stack(engine, given, 'decoder')
    this.lm_head = given.isTied ? null : new Linear(engine, given.channels, given.words, { bias: false })
    this.start = given.start
    this.scale = given.isScaled ? given.channels ** -0.5 : 1
  }

  /** @param {Tensor} ids @param {import('./model.js').Kept | null} kept @returns {Tensor} */
  read(ids, kept) {
    return this.encoder.forward(this.shared.forward(ids), this.paddingMask(kept))
  }

  /** @param {Tensor} ids @param {Tensor} memory @param {{ keyPaddingMask?: any, cache?: Cache | null }} options */
  answer(ids, memory, options) {
    const hidden = this.decoder.forward(this.shared.forward(ids), undefined, memory, options)
    const read = this.scale === 1 ? hidden : mul(hidden, this.scale)
    const logits = this.lm_head ? this.lm_head.forward(read) : linear(read, this.shared.weight)
    return { logits, hidden }
  }
}

registerLibraryCode(Attention, FeedForward, Block, Stack, T5)

/** @param {number} last the place of the feed-forward among the sub-layers @param {boolean} isGated */
const blockTable = (last, isGated) => Object.fromEntries([
  ...['q', 'k', 'v', 'o'].map(name => [`layer.0.SelfAttention.${name}.weight`, `SelfAttention.${name}.weight`]),
  ['layer.0.layer_norm.weight', 'norm1.weight'],
  ...(last === 1 ? [] : [
    ...['q', 'k', 'v', 'o'].map(name => [`layer.1.EncDecAttention.${name}.weight`, `EncDecAttention.${name}.weight`]),
    ['layer.1.layer_norm.weight', 'norm2.weight']
  ]),
  ...[...(isGated ? ['wi_0', 'wi_1'] : ['wi']), 'wo'].map(name =>
    [`layer.${last}.DenseReluDense.${name}.weight`, `DenseReluDense.${name}.weight`]),
  [`layer.${last}.layer_norm.weight`, 'norm3.weight']
])

/** @type {import('./index.js').Kind<Settings>} */
export const t5 = {
  type: 't5',
  prefixes: ['transformer.'],
  table: { keys: ['shared.weight', 'encoder.embed_tokens.weight', 'decoder.embed_tokens.weight'], isTied: true },
  /** A table that early files hold and nothing ever read. */
  skipped: [/^decoder\.block\.0\.layer\.1\.EncDecAttention\.relative_attention_bias\.weight$/],
  Model: T5,
  settings,
  written: given => ({
    settings: given,
    config: {
      architectures: ['T5ForConditionalGeneration'], decoder_start_token_id: given.start, tie_word_embeddings: given.isTied,
      ...(given.isScaled !== given.isTied && { scale_decoder_outputs: given.isScaled })
    },
    keyOf: key => key
  }),
  rows: ({ layers, isGated, isTied }) => [
    {
      key: 'shared.weight', own: 'shared.weight',
      others: ['encoder.embed_tokens.weight', 'decoder.embed_tokens.weight', ...(isTied ? ['lm_head.weight'] : [])]
    },
    ...(/** @type {const} */ (['encoder', 'decoder'])).flatMap((side, i) => [
      {
        key: `${side}.block.0.layer.0.SelfAttention.relative_attention_bias.weight`,
        own: `${side}.relative_attention_bias.weight`
      },
      ...layerRows(layers[side], `${side}.block.{n}.`, `${side}.block.{n}.`, blockTable(i + 1, isGated)),
      { key: `${side}.final_layer_norm.weight`, own: `${side}.final_layer_norm.weight` }
    ]),
    ...(isTied ? [] : [{ key: 'lm_head.weight', own: 'lm_head.weight' }])
  ]
}
