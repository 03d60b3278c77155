import { optionsOf } from '../errors.js'
import { Dropout } from '../nn/dropout.js'
import { Embedding } from '../nn/embedding.js'
import { LayerNorm } from '../nn/layer_norm.js'
import { Linear } from '../nn/linear.js'
import { ModuleList } from '../nn/containers.js'
import { TransformerEncoderLayer } from '../nn/transformer.js'
import { add } from '../ops/binary.js'
import { linear } from '../ops/linear.js'
import { Causal, FORWARD } from './causal.js'
import { registerLibraryCode, runLayers } from '../intermediates.js'
import { ACTIVATIONS, NEVER, expectDivides, meaning, real, refuseOthers, truth, whole } from './config.js'
import { times } from './model.js'
import { both, layerRows } from './plan.js'
import { isTied } from './tied.js'

/** @typedef {import('../tensor.js').Tensor} Tensor */
/** @typedef {ReturnType<typeof settings>} Settings */

/**
 * @param {import('./config.js').Config} config
 * @param {(key: string) => readonly number[] | undefined} shapeOf a tensor of the file
 */
function settings(config, shapeOf) {
  refuseOthers(config, { ...NEVER, add_cross_attention: [false] })
  const channels = whole(config, 'n_embd', 768), heads = whole(config, 'n_head', 12)
  expectDivides('n_embd', channels, 'n_head', heads)
  const first = shapeOf('h.0.attn.c_attn.weight')
  return {
    channels, heads,
    layers: whole(config, 'n_layer', 12),
    inner: whole(config, 'n_inner', 4 * channels),
    positions: whole(config, 'n_positions', config.n_ctx ?? 1024),
    words: whole(config, 'vocab_size', 50257),
    activation: meaning(config, 'activation_function', ACTIVATIONS, 'gelu_new'),
    eps: real(config, 'layer_norm_epsilon', 1e-5),
    dropout: real(config, 'resid_pdrop', 0.1),
    isScaled: truth(config, 'scale_attn_weights', true),
    isScaledByLayer: truth(config, 'scale_attn_by_inverse_layer_idx', false),
    isTied: isTied(config, shapeOf),
    /** OpenAI's Conv1D keeps weights as [inputs, outputs]; files of nn.Linear (minGPT, nanoGPT) do not. */
    isTransposed: first?.[0] === channels
  }
}

/** GPT-2 (Radford et al. 2019): embeddings of words and places, pre-norm layers, the word table again as head. */
export class GPT2 extends Causal {
  static hasSubmodules = true

  /** @param {import('../engine.js').Engine} engine @param {Settings} given */
  constructor(engine, given) {
    super(engine)
    const { channels: C, heads, layers, inner, eps, dropout, activation } = given
    this.wte = new Embedding(engine, given.words, C)
    this.wpe = new Embedding(engine, given.positions, C)
    this.drop = new Dropout(engine, dropout)
    this.h = new ModuleList(engine, times(layers, n => {
      const layer = new TransformerEncoderLayer(engine, C, heads, {
        dimFeedforward: inner, dropout, activation, layerNormEps: eps, normFirst: true
      })
      layer.self_attn.scale = (given.isScaled ? 1 / Math.sqrt(C / heads) : 1) / (given.isScaledByLayer ? n + 1 : 1)
      return layer
    }))
    this.ln_f = new LayerNorm(engine, C, { eps })
    this.positions = given.positions
    this.lm_head = given.isTied ? null : new Linear(engine, C, given.words, { bias: false })
  }

  /**
   * @param {Tensor | number[] | number[][]} ids [B, T], or [T] for one sentence
   * @param {import('./causal.js').ForwardOptions} [options]
   * @returns {{ logits: Tensor, hidden: Tensor }} [B, T, V], and what the final norm gives [B, T, C]
   */
  forward(ids, options) {
    const { attentionMask, cache, logitsToKeep } = optionsOf('GPT2', options, FORWARD)
    const { tokens, places, attnMask } = this.causalInputs(ids, attentionMask, cache)
    const given = { srcMask: attnMask, isCausal: true, cache }
    const x = this.drop.forward(add(this.wte.forward(tokens), this.wpe.forward(places)))
    const hidden = this.ln_f.forward(runLayers(this.h, x, (layer, made) => layer.forward(made, given)))
    const told = this.lastOf(hidden, logitsToKeep)
    return { logits: this.lm_head ? this.lm_head.forward(told) : linear(told, this.wte.weight), hidden }
  }
}

registerLibraryCode(GPT2)

/** @param {boolean} transposed */
const layerTable = transposed => ({
  ...both('ln_1', 'norm1'),
  'attn.c_attn.weight': { own: 'self_attn.in_proj_weight', transposed },
  'attn.c_attn.bias': 'self_attn.in_proj_bias',
  'attn.c_proj.weight': { own: 'self_attn.out_proj.weight', transposed },
  'attn.c_proj.bias': 'self_attn.out_proj.bias',
  ...both('ln_2', 'norm2'),
  'mlp.c_fc.weight': { own: 'linear1.weight', transposed },
  'mlp.c_fc.bias': 'linear1.bias',
  'mlp.c_proj.weight': { own: 'linear2.weight', transposed },
  'mlp.c_proj.bias': 'linear2.bias'
})

/** @type {import('./index.js').Kind<Settings>} */
export const gpt2 = {
  type: 'gpt2',
  prefixes: ['transformer.'],
  table: { keys: ['wte.weight'], isTied: true },
  /** Masks and what comes of tying. */ skipped: [/\.attn\.(masked_)?bias$/],
  Model: GPT2,
  settings,
  written: given => ({
    settings: { ...given, isTransposed: true },
    config: { architectures: ['GPT2LMHeadModel'], n_positions: given.positions, tie_word_embeddings: given.isTied },
    keyOf: key => (key === 'lm_head.weight' ? key : `transformer.${key}`)
  }),
  rows: ({ layers, isTransposed, isTied }) => [
    { key: 'wte.weight', own: 'wte.weight', others: isTied ? ['lm_head.weight'] : [] },
    { key: 'wpe.weight', own: 'wpe.weight' },
    ...layerRows(layers, 'h.{n}.', 'h.{n}.', layerTable(isTransposed)),
    ...layerRows(1, '', '', both('ln_f', 'ln_f')),
    ...(isTied ? [] : [{ key: 'lm_head.weight', own: 'lm_head.weight' }])
  ]
}
