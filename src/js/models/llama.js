import { describe, expect, expectOptions } from '../errors.js'
import { Embedding } from '../nn/embedding.js'
import { Linear } from '../nn/linear.js'
import { ModuleList } from '../nn/containers.js'
import { Module } from '../nn/module.js'
import { RMSNorm } from '../nn/rms_norm.js'
import { multiheadAttention } from '../ops/attention.js'
import { add, mul } from '../ops/binary.js'
import { linear } from '../ops/linear.js'
import { rotary } from '../ops/rotary.js'
import { registerLibraryCode, runLayers } from '../intermediates.js'
import { Causal, FORWARD_OPTIONS } from './causal.js'
import { ACTIVATIONS, UNSUPPORTED, checkDivides, readChoice, readNumber, refuseUnsupported, readBoolean, readInteger } from './config.js'
import { buildArray } from './model.js'
import { layerRows } from './plan.js'
import { isTied } from './tied.js'

/** @typedef {import('../tensor.js').Tensor} Tensor */
/** @typedef {import('../ops/attention_cache.js').Cache} Cache */
/** @typedef {ReturnType<typeof readSettings>} Settings */

/**
 * The base of the rotary frequencies; newer files have it in rope_parameters.
 * @param {import('./config.js').Config} config
 */
function readRopeBase(config) {
  for (const name of ['rope_scaling', 'rope_parameters']) {
    const scaling = config[name] ?? {}
    const type = typeof scaling === 'object' ? scaling.rope_type ?? scaling.type ?? 'default' : scaling
    expect(type === 'default', 'format',
      () => `config.json: ${name} of type ${describe(type)} is not supported; expected none or "default"`)
  }
  const { rope_theta: nestedTheta } = config.rope_parameters ?? {}
  const base = readNumber({ rope_theta: config.rope_theta ?? nestedTheta }, 'rope_theta', 10000)
  expect(base > 0, 'format', () => `config.json: rope_theta must be more than 0, got ${base}`)
  return base
}

/**
 * @param {import('./config.js').Config} config
 * @param {(key: string) => readonly number[] | undefined} shapeOf a tensor of the file
 */
function readSettings(config, shapeOf) {
  refuseUnsupported(config, {
    ...UNSUPPORTED, partial_rotary_factor: [1], pretraining_tp: [1], sliding_window: [], rope_interleaved: [false]
  })
  const channels = readInteger(config, 'hidden_size', 4096), heads = readInteger(config, 'num_attention_heads', 32)
  const kvHeads = readInteger(config, 'num_key_value_heads', heads)
  checkDivides('num_attention_heads', heads, 'num_key_value_heads', kvHeads)
  if (!config.head_dim) checkDivides('hidden_size', channels, 'num_attention_heads', heads)
  const headDim = readInteger(config, 'head_dim', channels / heads)
  expect(headDim % 2 === 0, 'format',
    () => `config.json: a head must have an even number of channels, which are rotated in pairs, got ${headDim}`)
  return {
    channels, heads, kvHeads, headDim,
    feedForwardSize: readInteger(config, 'intermediate_size', 11008),
    layers: readInteger(config, 'num_hidden_layers', 32),
    vocabSize: readInteger(config, 'vocab_size', 32000),
    maxPositions: readInteger(config, 'max_position_embeddings', 2048),
    activation: readChoice(config, 'hidden_act', ACTIVATIONS, 'silu'),
    eps: readNumber(config, 'rms_norm_eps', 1e-6),
    base: readRopeBase(config),
    /** In Hugging Face's files the channels of a pair are half a head apart, in llama2.c's adjacent. */
    layout: readChoice(config, 'rotary_layout', { half: 'half', interleaved: 'interleaved' }, 'half'),
    hasBias: readBoolean(config, 'attention_bias', false),
    hasMlpBias: readBoolean(config, 'mlp_bias', false),
    isTied: isTied(config, shapeOf)
  }
}

/** Attention with rotary position embedding (RoPE) and grouped queries: several query heads share a key-value head. */
class Attention extends Module {
  static inputNames = ['x', 'positions']

  /** @param {import('../engine.js').Engine} engine @param {Settings} settings */
  constructor(engine, { channels, heads, kvHeads, headDim, hasBias: bias, base, layout }) {
    super(engine)
    this.q_proj = new Linear(engine, channels, heads * headDim, { bias })
    this.k_proj = new Linear(engine, channels, kvHeads * headDim, { bias })
    this.v_proj = new Linear(engine, channels, kvHeads * headDim, { bias })
    this.o_proj = new Linear(engine, heads * headDim, channels, { bias })
    this.options = { heads, kvHeads, base, layout: /** @type {'half' | 'interleaved'} */ (layout) }
  }

  /**
   * @param {Tensor} x [B, T, C] @param {Tensor} positions [B, T]
   * @param {{ attnMask?: Tensor, cache?: Cache }} options
   * @returns {Tensor} [B, T, C]
   */
  forward(x, positions, { attnMask, cache }) {
    const { heads, kvHeads, base, layout } = this.options
    const rotaryOptions = { positions, base, layout }, v = this.tag('v', this.v_proj.forward(x))
    const q = this.tag('q', rotary(this.q_proj.forward(x), { ...rotaryOptions, heads }))
    const k = this.tag('k', rotary(this.k_proj.forward(x), { ...rotaryOptions, heads: kvHeads }))
    const { out } = multiheadAttention(q, k, v, heads, {
      attnMask, isCausal: true, kvHeads, needWeights: false, cache: cache?.of(this), where: 'Llama'
    })
    return this.o_proj.forward(this.tag('heads', out))
  }
}

/** The gated feed-forward network: down(activation(gate(x)) × up(x)) (Shazeer 2020). */
class FeedForward extends Module {
  static inputNames = ['x']

  /** @param {import('../engine.js').Engine} engine @param {Settings} settings */
  constructor(engine, { channels, feedForwardSize, hasMlpBias: bias, activation }) {
    super(engine)
    this.gate_proj = new Linear(engine, channels, feedForwardSize, { bias })
    this.up_proj = new Linear(engine, channels, feedForwardSize, { bias })
    this.down_proj = new Linear(engine, feedForwardSize, channels, { bias })
    this.activation = activation
  }

  /** @param {Tensor} x @returns {Tensor} */
  forward(x) {
    const gate = this.tag('activation', this.activation(this.gate_proj.forward(x)))
    return this.down_proj.forward(mul(gate, this.up_proj.forward(x)))
  }
}

/** A pre-norm layer: attention, then the feed-forward network, each with a residual connection. */
class Layer extends Module {
  static inputNames = ['x', 'positions']

  /** @param {import('../engine.js').Engine} engine @param {Settings} settings */
  constructor(engine, settings) {
    super(engine)
    this.input_layernorm = new RMSNorm(engine, settings.channels, { eps: settings.eps })
    this.self_attn = new Attention(engine, settings)
    this.post_attention_layernorm = new RMSNorm(engine, settings.channels, { eps: settings.eps })
    this.mlp = new FeedForward(engine, settings)
  }

  /**
   * @param {Tensor} x @param {Tensor} positions @param {{ attnMask?: Tensor, cache?: Cache }} options
   * @returns {Tensor}
   */
  forward(x, positions, options) {
    const y = add(x, this.self_attn.forward(this.input_layernorm.forward(x), positions, options))
    this.tag('residual1', y)
    return add(y, this.mlp.forward(this.post_attention_layernorm.forward(y)))
  }
}

/** Llama (Touvron et al. 2023) and relatives such as SmolLM and the TinyStories models of llama2.c. */
export class Llama extends Causal {
  static hasSubmodules = true

  /** @param {import('../engine.js').Engine} engine @param {Settings} settings */
  constructor(engine, settings) {
    super(engine)
    this.embed_tokens = new Embedding(engine, settings.vocabSize, settings.channels)
    this.layers = new ModuleList(engine, buildArray(settings.layers, () => new Layer(engine, settings)))
    this.norm = new RMSNorm(engine, settings.channels, { eps: settings.eps })
    this.lm_head = settings.isTied ? null : new Linear(engine, settings.channels, settings.vocabSize, { bias: false })
    this.maxPositions = settings.maxPositions
  }

  /**
   * @param {Tensor | number[] | number[][]} ids [B, T], or [T] for one sequence
   * @param {import('./causal.js').ForwardOptions} [options]
   * @returns {{ logits: Tensor, hidden: Tensor }} logits [B, T, V]; hidden [B, T, C], after the final norm
   */
  forward(ids, options) {
    const { attentionMask, cache, logitsToKeep } = expectOptions('Llama', options, FORWARD_OPTIONS)
    const { tokens, positionIds, attnMask } = this.prepareInputs(ids, attentionMask, cache)
    const x = runLayers(this.layers, this.embed_tokens.forward(tokens),
      (layer, y) => layer.forward(y, positionIds, { attnMask, cache }))
    const hidden = this.norm.forward(x)
    const lastHidden = this.lastPositions(hidden, logitsToKeep)
    const logits = this.lm_head ? this.lm_head.forward(lastHidden) : linear(lastHidden, this.embed_tokens.weight)
    return { logits, hidden }
  }
}

registerLibraryCode(Attention, FeedForward, Layer, Llama)

/**
 * How save reorders the rows of llama2.c's query and key projections: Hugging Face has pairs half a head apart.
 * @param {string} key @param {Settings} settings
 */
const interleavedRows = (key, { layout, headDim }) =>
  (layout === 'interleaved' && /\.[qk]_proj\./.test(key) ? { interleavedHeadDim: headDim } : {})

/** @param {Settings} settings */
function layerTable(settings) {
  const { hasBias, hasMlpBias } = settings
  const names = [
    ...['q', 'k', 'v', 'o'].map(name => ({ key: `self_attn.${name}_proj`, bias: hasBias })),
    ...['gate', 'up', 'down'].map(name => ({ key: `mlp.${name}_proj`, bias: hasMlpBias })),
    ...['input_layernorm', 'post_attention_layernorm'].map(key => ({ key, bias: false }))
  ]
  const suffixes = (/** @type {boolean} */ bias) => (bias ? ['weight', 'bias'] : ['weight'])
  const keys = names.flatMap(({ key, bias }) => suffixes(bias).map(suffix => `${key}.${suffix}`))
  return Object.fromEntries(keys.map(key => [key, { target: key, ...interleavedRows(key, settings) }]))
}

/** @type {import('./index.js').Family<Settings>} */
export const llama = {
  type: 'llama',
  prefixes: ['model.'],
  table: { keys: ['embed_tokens.weight'], isTied: false },
  ignored: [/rotary_emb\.(inv_freq|(cos|sin)_cached)$/],
  Model: Llama,
  readSettings,
  toHuggingFace: settings => ({
    settings,
    config: { architectures: ['LlamaForCausalLM'], tie_word_embeddings: settings.isTied, rotary_layout: undefined },
    toKey: key => (key === 'lm_head.weight' ? key : `model.${key}`)
  }),
  rows: settings => [
    { key: 'embed_tokens.weight', target: 'embed_tokens.weight', aliases: settings.isTied ? ['lm_head.weight'] : [] },
    ...layerRows(settings.layers, 'layers.{n}.', 'layers.{n}.', layerTable(settings)),
    { key: 'norm.weight', target: 'norm.weight' },
    ...(settings.isTied ? [] : [{ key: 'lm_head.weight', target: 'lm_head.weight' }])
  ]
}
