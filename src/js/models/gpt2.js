import { expectOptions } from '../errors.js'
import { Dropout } from '../nn/dropout.js'
import { Embedding } from '../nn/embedding.js'
import { LayerNorm } from '../nn/layer_norm.js'
import { Linear } from '../nn/linear.js'
import { ModuleList } from '../nn/containers.js'
import { TransformerEncoderLayer } from '../nn/transformer.js'
import { add } from '../ops/binary.js'
import { linear } from '../ops/linear.js'
import { headAxes, lmHeadAxes, tableAxes, tokenAxes, vocabularyAxes } from './axes.js'
import { Causal, FORWARD_OPTIONS } from './causal.js'
import { registerLibraryCode, runLayers } from '../trace/intermediates.js'
import { ACTIVATIONS, UNSUPPORTED, checkDivides, readChoice, readNumber, refuseUnsupported, readBoolean, readInteger } from './config.js'
import { Head, applyHead } from './heads.js'
import { pooledEmbedding } from './pooling.js'
import { buildArray } from './model.js'
import { keyRows, layerRows, weightAndBias } from './plan.js'
import { isTied } from './tied.js'

/** @typedef {import('../tensor/tensor.js').Tensor} Tensor */
/** @typedef {ReturnType<typeof readSettings> & { head?: import('./heads.js').HeadDescription | null }} Settings */

/**
 * @param {import('./config.js').Config} config
 * @param {(key: string) => readonly number[] | undefined} shapeOf a tensor of the file
 */
function readSettings(config, shapeOf) {
  refuseUnsupported(config, { ...UNSUPPORTED, add_cross_attention: [false] })
  const channels = readInteger(config, 'n_embd', 768), heads = readInteger(config, 'n_head', 12)
  checkDivides('n_embd', channels, 'n_head', heads)
  const projection = shapeOf('h.0.attn.c_attn.weight')
  return {
    channels, heads,
    layers: readInteger(config, 'n_layer', 12),
    feedForwardSize: readInteger(config, 'n_inner', 4 * channels),
    maxPositions: readInteger(config, 'n_positions', config.n_ctx ?? shapeOf('wpe.weight')?.[0] ?? 1024),
    vocabSize: readInteger(config, 'vocab_size', 50257),
    activation: readChoice(config, 'activation_function', ACTIVATIONS, 'gelu_new'),
    eps: readNumber(config, 'layer_norm_epsilon', 1e-5),
    dropout: readNumber(config, 'resid_pdrop', 0.1),
    isScaled: readBoolean(config, 'scale_attn_weights', true),
    isScaledByLayer: readBoolean(config, 'scale_attn_by_inverse_layer_idx', false),
    isTied: isTied(config, shapeOf),
    /** OpenAI's Conv1D stores weights as [inputs, outputs]; files of nn.Linear (minGPT, nanoGPT) do not. */
    isTransposed: projection?.[0] === channels,
    /** nanoGPT can leave the biases out, also those of norms. */
    hasBias: !projection || shapeOf('h.0.attn.c_attn.bias') !== undefined
  }
}

/** GPT-2 (Radford et al. 2019): token and position embeddings, pre-norm layers, a head tied to the token embedding. */
export class GPT2 extends Causal {
  static runsSubmodules = true

  /** @param {import('../engine/engine.js').Engine} engine @param {Settings} settings */
  constructor(engine, settings) {
    super(engine)
    const { channels: C, heads, layers, feedForwardSize, eps, dropout, activation, hasBias: bias } = settings
    this.wte = new Embedding(engine, settings.vocabSize, C)
    this.wpe = new Embedding(engine, settings.maxPositions, C)
    this.drop = new Dropout(engine, dropout)
    this.h = new ModuleList(engine, buildArray(layers, n => {
      const layer = new TransformerEncoderLayer(engine, C, heads, {
        dimFeedforward: feedForwardSize, dropout, activation, layerNormEps: eps, normFirst: true, bias
      })
      const scale = settings.isScaled ? 1 / Math.sqrt(C / heads) : 1
      layer.self_attn.scale = scale / (settings.isScaledByLayer ? n + 1 : 1)
      return layer
    }))
    this.ln_f = new LayerNorm(engine, C, { eps, bias })
    this.maxPositions = settings.maxPositions
    this.head = settings.head ? new Head(engine, C, settings.head) : null
    this.lm_head = settings.isTied || this.head ? null : new Linear(engine, C, settings.vocabSize, { bias: false })
  }

  /**
   * @param {{ ids: string }} streams names of the streams that are read
   * @returns {Record<string, import('../trace/axes.js').Axis[]>} @internal
   */
  axes({ ids: stream }) {
    return {
      'wte.weight': vocabularyAxes(stream), 'wpe.weight': tableAxes('position'), 'wpe.output': tokenAxes(stream),
      ...lmHeadAxes(stream), ...headAxes(this.head, stream)
    }
  }

  /**
   * @param {Tensor | number[] | number[][]} ids [B, T], or [T] for one sequence
   * @param {import('./causal.js').ForwardOptions} [options]
   * @returns {import('./causal.js').Outputs}
   */
  forward(ids, options) {
    const checked = expectOptions('GPT2', options, FORWARD_OPTIONS), { cache, logitsToKeep } = checked
    const { tokens, positionIds, attnMask, mask } = this.prepareInputs(ids, checked)
    const layerOptions = { srcMask: attnMask, isCausal: true, cache }
    const x = this.drop.forward(add(this.wte.forward(tokens), this.wpe.forward(positionIds)))
    const hidden = this.ln_f.forward(runLayers(this.h, x, (layer, y) => layer.forward(y, layerOptions)))
    if (this.head) return { hidden, ...applyHead(this.head, hidden, tokens) }
    const lastHidden = this.lastPositions(hidden, logitsToKeep)
    const logits = this.lm_head ? this.lm_head.forward(lastHidden) : linear(lastHidden, this.wte.weight)
    return { logits, hidden, ...pooledEmbedding(this, hidden, mask, cache) }
  }
}

registerLibraryCode(GPT2)

/** A table without the rows of biases. @param {Record<string, any>} table @param {boolean} hasBias */
const withBiases = (table, hasBias) => (hasBias ? table
  : Object.fromEntries(Object.entries(table).filter(([key]) => !key.endsWith('.bias'))))

/** @param {boolean} isTransposed */
const layerTable = isTransposed => ({
  ...weightAndBias('ln_1', 'norm1'),
  'attn.c_attn.weight': { target: 'self_attn.in_proj_weight', isTransposed },
  'attn.c_attn.bias': 'self_attn.in_proj_bias',
  'attn.c_proj.weight': { target: 'self_attn.out_proj.weight', isTransposed },
  'attn.c_proj.bias': 'self_attn.out_proj.bias',
  ...weightAndBias('ln_2', 'norm2'),
  'mlp.c_fc.weight': { target: 'linear1.weight', isTransposed },
  'mlp.c_fc.bias': 'linear1.bias',
  'mlp.c_proj.weight': { target: 'linear2.weight', isTransposed },
  'mlp.c_proj.bias': 'linear2.bias'
})

/** @type {import('./index.js').Family<Settings>} */
export const gpt2 = {
  type: 'gpt2',
  prefixes: ['transformer.'],
  tokenEmbedding: { keys: ['wte.weight'], isTiedByDefault: true },
  /** Causal masks. */ ignored: [/\.attn\.(masked_)?bias$/],
  heads: {
    sequence: { out: 'score', pool: 'last', hasBias: false }, token: { out: 'classifier' }, question: { out: 'qa_outputs' }
  },
  Model: GPT2,
  readSettings,
  toHuggingFace: settings => ({
    settings: { ...settings, isTransposed: true },
    config: { architectures: ['GPT2LMHeadModel'], n_positions: settings.maxPositions, tie_word_embeddings: settings.isTied },
    toKey: key => (key === 'lm_head.weight' ? key : `transformer.${key}`)
  }),
  rows: ({ layers, isTransposed, isTied, hasBias }) => [
    { key: 'wte.weight', target: 'wte.weight', aliases: isTied ? ['lm_head.weight'] : [] },
    { key: 'wpe.weight', target: 'wpe.weight' },
    ...layerRows(layers, 'h.{n}.', 'h.{n}.', withBiases(layerTable(isTransposed), hasBias)),
    ...keyRows(withBiases(weightAndBias('ln_f', 'ln_f'), hasBias)),
    ...(isTied ? [] : [{ key: 'lm_head.weight', target: 'lm_head.weight' }])
  ]
}
