import { describe, expect, optionsOf } from '../errors.js'
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
import { Causal, FORWARD } from './causal.js'
import { ACTIVATIONS, NEVER, expectDivides, meaning, real, refuseOthers, truth, whole } from './config.js'
import { times } from './model.js'
import { layerRows } from './plan.js'
import { isTied } from './tied.js'

/** @typedef {import('../tensor.js').Tensor} Tensor */
/** @typedef {import('../ops/attention_cache.js').Cache} Cache */
/** @typedef {ReturnType<typeof settings>} Settings */

/**
 * How fast the pairs of channels turn; newer files have it in an object.
 * @param {import('./config.js').Config} config
 */
function baseOf(config) {
  for (const name of ['rope_scaling', 'rope_parameters']) {
    const given = config[name] ?? {}
    const type = typeof given === 'object' ? given.rope_type ?? given.type ?? 'default' : given
    expect(type === 'default', 'format',
      () => `config.json: ${name} of type ${describe(type)} is not understood; expected none or "default"`)
  }
  const { rope_theta: inside } = config.rope_parameters ?? {}
  const base = real({ rope_theta: config.rope_theta ?? inside }, 'rope_theta', 10000)
  expect(base > 0, 'format', () => `config.json: rope_theta must be more than 0, got ${base}`)
  return base
}

/**
 * @param {import('./config.js').Config} config
 * @param {(key: string) => readonly number[] | undefined} shapeOf a tensor of the file
 */
function settings(config, shapeOf) {
  refuseOthers(config, {
    ...NEVER, partial_rotary_factor: [1], pretraining_tp: [1], sliding_window: [], rope_interleaved: [false]
  })
  const channels = whole(config, 'hidden_size', 4096), heads = whole(config, 'num_attention_heads', 32)
  const kvHeads = whole(config, 'num_key_value_heads', heads)
  expectDivides('num_attention_heads', heads, 'num_key_value_heads', kvHeads)
  if (!config.head_dim) expectDivides('hidden_size', channels, 'num_attention_heads', heads)
  const size = whole(config, 'head_dim', channels / heads)
  expect(size % 2 === 0, 'format',
    () => `config.json: a head must have an even number of channels, which turn in pairs, got ${size}`)
  return {
    channels, heads, kvHeads, size,
    inner: whole(config, 'intermediate_size', 11008),
    layers: whole(config, 'num_hidden_layers', 32),
    words: whole(config, 'vocab_size', 32000),
    positions: whole(config, 'max_position_embeddings', 2048),
    activation: meaning(config, 'hidden_act', ACTIVATIONS, 'silu'),
    eps: real(config, 'rms_norm_eps', 1e-6),
    base: baseOf(config),
    /** Hugging Face's files have pairs half a head apart, llama2.c's side by side. */
    layout: meaning(config, 'rotary_layout', { half: 'half', interleaved: 'interleaved' }, 'half'),
    hasBias: truth(config, 'attention_bias', false),
    hasInnerBias: truth(config, 'mlp_bias', false),
    isTied: isTied(config, shapeOf)
  }
}

/** Attention with queries and keys turned by their places; several heads of queries share one of keys and values. */
class Attention extends Module {
  static inputNames = ['x', 'positions']

  /** @param {import('../engine.js').Engine} engine @param {Settings} given */
  constructor(engine, { channels, heads, kvHeads, size, hasBias: bias, base, layout }) {
    super(engine)
    this.q_proj = new Linear(engine, channels, heads * size, { bias })
    this.k_proj = new Linear(engine, channels, kvHeads * size, { bias })
    this.v_proj = new Linear(engine, channels, kvHeads * size, { bias })
    this.o_proj = new Linear(engine, heads * size, channels, { bias })
    this.given = { heads, kvHeads, base, layout: /** @type {'half' | 'interleaved'} */ (layout) }
  }

  /**
   * @param {Tensor} x [B, T, C] @param {Tensor} positions [B, T]
   * @param {{ attnMask?: Tensor, cache?: Cache }} options
   * @returns {Tensor} [B, T, C]
   */
  forward(x, positions, { attnMask, cache }) {
    const { heads, kvHeads, base, layout } = this.given
    const turn = { positions, base, layout }, v = this.tag('v', this.v_proj.forward(x))
    const q = this.tag('q', rotary(this.q_proj.forward(x), { ...turn, heads }))
    const k = this.tag('k', rotary(this.k_proj.forward(x), { ...turn, heads: kvHeads }))
    const { out } = multiheadAttention(q, k, v, heads, {
      attnMask, isCausal: true, kvHeads, needWeights: false, cache: cache?.of(this), where: 'Llama'
    })
    return this.o_proj.forward(this.tag('heads', out))
  }
}

/** down(activation(gate(x)) × up(x)) (Shazeer 2020). */
class FeedForward extends Module {
  static inputNames = ['x']

  /** @param {import('../engine.js').Engine} engine @param {Settings} given */
  constructor(engine, { channels, inner, hasInnerBias: bias, activation }) {
    super(engine)
    this.gate_proj = new Linear(engine, channels, inner, { bias })
    this.up_proj = new Linear(engine, channels, inner, { bias })
    this.down_proj = new Linear(engine, inner, channels, { bias })
    this.activation = activation
  }

  /** @param {Tensor} x @returns {Tensor} */
  forward(x) {
    const gate = this.tag('activation', this.activation(this.gate_proj.forward(x)))
    return this.down_proj.forward(mul(gate, this.up_proj.forward(x)))
  }
}

class Layer extends Module {
  static inputNames = ['x', 'positions']

  /** @param {import('../engine.js').Engine} engine @param {Settings} given */
  constructor(engine, given) {
    super(engine)
    this.input_layernorm = new RMSNorm(engine, given.channels, { eps: given.eps })
    this.self_attn = new Attention(engine, given)
    this.post_attention_layernorm = new RMSNorm(engine, given.channels, { eps: given.eps })
    this.mlp = new FeedForward(engine, given)
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

/** Llama (Touvron et al. 2023) and its relatives: SmolLM, TinyStories of llama2.c. */
export class Llama extends Causal {
  static hasSubmodules = true

  /** @param {import('../engine.js').Engine} engine @param {Settings} given */
  constructor(engine, given) {
    super(engine)
    this.embed_tokens = new Embedding(engine, given.words, given.channels)
    this.layers = new ModuleList(engine, times(given.layers, () => new Layer(engine, given)))
    this.norm = new RMSNorm(engine, given.channels, { eps: given.eps })
    this.lm_head = given.isTied ? null : new Linear(engine, given.channels, given.words, { bias: false })
    this.positions = given.positions
  }

  /**
   * @param {Tensor | number[] | number[][]} ids [B, T], or [T] for one sentence
   * @param {import('./causal.js').ForwardOptions} [options]
   * @returns {{ logits: Tensor, hidden: Tensor }} [B, T, V], and what the final norm gives [B, T, C]
   */
  forward(ids, options) {
    const { attentionMask, cache, logitsToKeep } = optionsOf('Llama', options, FORWARD)
    const { tokens, places, attnMask } = this.causalInputs(ids, attentionMask, cache)
    const x = runLayers(this.layers, this.embed_tokens.forward(tokens),
      (layer, made) => layer.forward(made, places, { attnMask, cache }))
    const hidden = this.norm.forward(x)
    const told = this.lastOf(hidden, logitsToKeep)
    return { logits: this.lm_head ? this.lm_head.forward(told) : linear(told, this.embed_tokens.weight), hidden }
  }
}

registerLibraryCode(Attention, FeedForward, Layer, Llama)

/**
 * How the rows of queries and keys that llama2.c's files have are written for Hugging Face, pairs half a head apart.
 * @param {string} key @param {Settings} given
 */
const pairsOf = (key, { layout, size }) =>
  (layout === 'interleaved' && /\.[qk]_proj\./.test(key) ? { pairs: size } : {})

/** @param {Settings} given */
function layerTable(given) {
  const { hasBias, hasInnerBias } = given
  const names = [
    ...['q', 'k', 'v', 'o'].map(name => ({ key: `self_attn.${name}_proj`, bias: hasBias })),
    ...['gate', 'up', 'down'].map(name => ({ key: `mlp.${name}_proj`, bias: hasInnerBias })),
    ...['input_layernorm', 'post_attention_layernorm'].map(key => ({ key, bias: false }))
  ]
  const kinds = (/** @type {boolean} */ bias) => (bias ? ['weight', 'bias'] : ['weight'])
  const keys = names.flatMap(({ key, bias }) => kinds(bias).map(kind => `${key}.${kind}`))
  return Object.fromEntries(keys.map(key => [key, { own: key, ...pairsOf(key, given) }]))
}

/** @type {import('./index.js').Kind<Settings>} */
export const llama = {
  type: 'llama',
  prefixes: ['model.'],
  table: { keys: ['embed_tokens.weight'], isTied: false },
  skipped: [/rotary_emb\.(inv_freq|(cos|sin)_cached)$/],
  Model: Llama,
  settings,
  written: given => ({
    settings: given,
    config: { architectures: ['LlamaForCausalLM'], tie_word_embeddings: given.isTied, rotary_layout: undefined },
    keyOf: key => (key === 'lm_head.weight' ? key : `model.${key}`)
  }),
  rows: given => [
    { key: 'embed_tokens.weight', own: 'embed_tokens.weight', others: given.isTied ? ['lm_head.weight'] : [] },
    ...layerRows(given.layers, 'layers.{n}.', 'layers.{n}.', layerTable(given)),
    { key: 'norm.weight', own: 'norm.weight' },
    ...(given.isTied ? [] : [{ key: 'lm_head.weight', own: 'lm_head.weight' }])
  ]
}
