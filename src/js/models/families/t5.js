import { expect } from '../../errors.js'
import {
  ACTIVATIONS, UNSUPPORTED, readBoolean, readChoice, readDecoderStart, readInteger, readNumber, refuseUnsupported
} from '../config.js'
import { layerRows } from '../plan.js'
import { T5, T5Encoder } from '../t5.js'
import { isTied } from '../tied.js'

/** @typedef {import('../t5.js').Settings} Settings @typedef {import('../t5.js').StackSettings} StackSettings */

/**
 * Settings that a configuration may leave out.
 * @typedef {{ layers: number, heads: number, feedForwardSize: number, vocabSize: number, feedForward: string,
 *   isTied: boolean, hasBiasPerLayer: boolean }} Defaults
 */

/** The values of feed_forward_proj. */
const FEED_FORWARD = {
  'relu': { isGated: false, activation: ACTIVATIONS.relu },
  'gated-gelu': { isGated: true, activation: ACTIVATIONS.gelu_new },
  'gated-relu': { isGated: true, activation: ACTIVATIONS.relu },
  'gated-silu': { isGated: true, activation: ACTIVATIONS.silu }
}

/**
 * @param {string} name @param {Defaults} defaults @param {import('../config.js').Config} config
 * @param {(key: string) => readonly number[] | undefined} shapeOf a tensor of the file
 * @returns {Settings}
 */
function readSettings(name, defaults, config, shapeOf) {
  refuseUnsupported(config, UNSUPPORTED)
  const layers = readInteger(config, 'num_layers', defaults.layers), vocabSize = readInteger(config, 'vocab_size', defaults.vocabSize)
  const buckets = readInteger(config, 'relative_attention_num_buckets', 32)
  const maxDistance = readInteger(config, 'relative_attention_max_distance', 128)
  expect(buckets % 2 === 0 && buckets >= 4 && buckets <= 1024, 'format', () => 'config.json: ' +
    `relative_attention_num_buckets must be an even number from 4 to 1024, got ${buckets}`)
  expect(2 * maxDistance > buckets, 'format', () => 'config.json: relative_attention_max_distance must be more than half ' +
    `of relative_attention_num_buckets, got ${maxDistance} and ${buckets}`)
  return {
    name, hasBiasPerLayer: defaults.hasBiasPerLayer,
    channels: readInteger(config, 'd_model', 512),
    heads: readInteger(config, 'num_heads', defaults.heads),
    headDim: readInteger(config, 'd_kv', 64),
    feedForwardSize: readInteger(config, 'd_ff', defaults.feedForwardSize),
    layers: { encoder: layers, decoder: readInteger(config, 'num_decoder_layers', layers) },
    vocabSize, buckets, maxDistance,
    ...readChoice(config, 'feed_forward_proj', FEED_FORWARD, defaults.feedForward),
    eps: readNumber(config, 'layer_norm_epsilon', 1e-6),
    dropout: readNumber(config, 'dropout_rate', 0.1),
    isTied: isTied(config, shapeOf),
    /** Files of transformers 5 have scale_decoder_outputs; earlier versions scaled the output if the head was tied. */
    isScaled: readBoolean(config, 'scale_decoder_outputs', readBoolean(config, 'tie_word_embeddings', defaults.isTied)),
    decoderStartTokenId: readDecoderStart(config, config.pad_token_id ?? 0, vocabSize)
  }
}

/** The table of the relative position bias. */
const BIAS = 'layer.0.SelfAttention.relative_attention_bias.weight'

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

/**
 * The rows of one side's layers.
 * @param {'encoder' | 'decoder'} side @param {StackSettings} settings @returns {import('../plan.js').Row[]}
 */
const sideRows = (side, { layers, isGated, hasBiasPerLayer }) => [
  ...(hasBiasPerLayer
    ? layerRows(layers[side], `${side}.block.{n}.`, `${side}.block.{n}.`, { [BIAS]: 'relative_attention_bias.weight' })
    : [{ key: `${side}.block.0.${BIAS}`, target: `${side}.relative_attention_bias.weight` }]),
  ...layerRows(layers[side], `${side}.block.{n}.`, `${side}.block.{n}.`, blockTable(side === 'encoder' ? 1 : 2, isGated)),
  { key: `${side}.final_layer_norm.weight`, target: `${side}.final_layer_norm.weight` }
]

/**
 * The encoder alone.
 * @param {string} type @param {string} name @param {Defaults} defaults
 * @returns {import('../index.js').Family<StackSettings>}
 */
const encoderOnly = (type, name, defaults) => ({
  type,
  prefixes: [],
  /** Hugging Face's class does not read the decoder of a whole model either. */
  ignored: [/^decoder\./],
  Model: T5Encoder,
  readSettings(config, shapeOf) {
    const { decoderStartTokenId: _, ...settings } = readSettings(name, defaults, config, shapeOf)
    return settings
  },
  toHuggingFace: settings => ({ settings, config: { architectures: [`${name}EncoderModel`] }, toKey: key => key }),
  rows: settings => [
    { key: 'shared.weight', target: 'shared.weight', aliases: ['encoder.embed_tokens.weight'] },
    ...sideRows('encoder', settings)
  ]
})

/**
 * T5 or a relative.
 * @param {string} type @param {string} name @param {Defaults} defaults
 * @returns {import('../index.js').Family<Settings>}
 */
const t5Family = (type, name, defaults) => ({
  type,
  prefixes: ['transformer.'],
  tokenEmbedding: {
    keys: ['shared.weight', 'encoder.embed_tokens.weight', 'decoder.embed_tokens.weight'], isTiedByDefault: defaults.isTied
  },
  /** Present in early files and never used. */
  ignored: [/^decoder\.block\.0\.layer\.1\.EncDecAttention\.relative_attention_bias\.weight$/],
  heads: {
    sequence: {
      dense: 'classification_head.dense', out: 'classification_head.out_proj', pool: 'eos', prefix: 'transformer.'
    },
    question: { out: 'qa_outputs' }
  },
  encoderOnly: encoderOnly(type, name, defaults),
  Model: T5,
  readSettings: (config, shapeOf) => readSettings(name, defaults, config, shapeOf),
  toHuggingFace: settings => ({
    settings,
    config: {
      architectures: [`${name}ForConditionalGeneration`], decoder_start_token_id: settings.decoderStartTokenId,
      tie_word_embeddings: settings.isTied,
      ...(settings.isScaled !== settings.isTied && { scale_decoder_outputs: settings.isScaled })
    },
    toKey: key => key
  }),
  rows: settings => [
    {
      key: 'shared.weight', target: 'shared.weight',
      aliases: ['encoder.embed_tokens.weight', 'decoder.embed_tokens.weight', ...(settings.isTied ? ['lm_head.weight'] : [])]
    },
    ...sideRows('encoder', settings), ...sideRows('decoder', settings),
    ...(settings.isTied || settings.head ? [] : [{ key: 'lm_head.weight', target: 'lm_head.weight' }])
  ]
})

const MULTILINGUAL = { layers: 8, heads: 6, feedForwardSize: 1024, vocabSize: 250112, feedForward: 'gated-gelu', isTied: false }

/** T5 (Raffel et al. 2020), FLAN-T5 and pko-t5. */
export const t5 = t5Family('t5', 'T5', {
  layers: 6, heads: 8, feedForwardSize: 2048, vocabSize: 32128, feedForward: 'relu', isTied: true, hasBiasPerLayer: false
})
/** mT5 (Xue et al. 2020). */
export const mt5 = t5Family('mt5', 'MT5', { ...MULTILINGUAL, hasBiasPerLayer: false })
/** umT5 (Chung et al. 2023). */
export const umt5 = t5Family('umt5', 'UMT5', { ...MULTILINGUAL, hasBiasPerLayer: true })
