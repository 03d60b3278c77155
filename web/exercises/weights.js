/** Weights of blocks for the cases of exercises: under short names, and in PyTorch's modules. */

import { tensorOf } from './run_values.js'

/** @import { Library, LibraryTensor } from '../types.d.ts' */
/** @import { RunValues } from './index.js' */

/** @typedef {Record<string, LibraryTensor>} BlockWeights */

/** The names of a block's weights, and the same in `nn.TransformerEncoderLayer`. */
const ENCODER_NAMES = {
  qkv: 'self_attn.in_proj_weight', qkvBias: 'self_attn.in_proj_bias', out: 'self_attn.out_proj.weight',
  outBias: 'self_attn.out_proj.bias', gamma1: 'norm1.weight', beta1: 'norm1.bias', w1: 'linear1.weight',
  b1: 'linear1.bias', w2: 'linear2.weight', b2: 'linear2.bias', gamma2: 'norm2.weight', beta2: 'norm2.bias'
}
/** The same of a block of the decoder. */
const DECODER_NAMES = {
  ...ENCODER_NAMES, crossQkv: 'multihead_attn.in_proj_weight', crossQkvBias: 'multihead_attn.in_proj_bias',
  crossOut: 'multihead_attn.out_proj.weight', crossOutBias: 'multihead_attn.out_proj.bias', gamma3: 'norm3.weight',
  beta3: 'norm3.bias'
}
const NORM_NAMES = { gamma: 'weight', beta: 'bias' }

/** @param {string} prefix @param {Record<string, string>} names */
const runNames = (prefix, names) => Object.values(names).map(name => `${prefix}.${name}`)

/** The run's names of a block of the encoder. @param {string} prefix */
export const blockNames = prefix => runNames(prefix, ENCODER_NAMES)

/**
 * @param {Library} gf @param {RunValues} values @param {string} prefix @param {Record<string, string>} names
 * @returns {BlockWeights}
 */
const pick = (gf, values, prefix, names) => Object.fromEntries(
  Object.entries(names).map(([name, own]) => [name, tensorOf(gf, values, `${prefix}.${own}`)]))

/**
 * The weights of a block of the encoder in the run.
 * @param {Library} gf @param {RunValues} values @param {string} prefix
 */
export const blockOf = (gf, values, prefix) => pick(gf, values, prefix, ENCODER_NAMES)

/**
 * Random weights of a block.
 * @param {(...shape: number[]) => LibraryTensor} random @param {number} d @param {number} hidden
 * @returns {BlockWeights}
 */
export const randomBlock = (random, d, hidden) => ({
  qkv: random(3 * d, d), qkvBias: random(3 * d), out: random(d, d), outBias: random(d), gamma1: random(d).add(1),
  beta1: random(d), w1: random(hidden, d), b1: random(hidden), w2: random(d, hidden), b2: random(d),
  gamma2: random(d).add(1), beta2: random(d)
})

/**
 * The library's block with these weights.
 * @param {Library} gf @param {BlockWeights} weights @param {number} heads
 */
export function encoderLayer(gf, weights, heads) {
  const [hidden, d] = weights.w1.shape
  const layer = new gf.nn.TransformerEncoderLayer(d, heads, { dimFeedforward: hidden, dropout: 0 })
  layer.loadStateDict(Object.fromEntries(Object.entries(ENCODER_NAMES).map(([name, own]) => [own, weights[name]])))
  return layer
}

// The whole model ----------------------------------------------------------------------------------------------------

const LAYERS = [0, 1]
/** @param {'encoder' | 'decoder'} side @param {number} layer */
const prefixOf = (side, layer) => `transformer.${side}.layers.${layer}`
const MODEL_NAMES = {
  source: 'source_embedding.weight', target: 'target_embedding.weight', out: 'output.weight', outBias: 'output.bias'
}

/** The run's names of all weights of the dates model. */
export const modelNames = [
  ...Object.values(MODEL_NAMES), ...LAYERS.flatMap(i => blockNames(prefixOf('encoder', i))),
  ...LAYERS.flatMap(i => runNames(prefixOf('decoder', i), DECODER_NAMES)),
  ...['encoder', 'decoder'].flatMap(side => runNames(`transformer.${side}.norm`, NORM_NAMES))
]

/**
 * The weights of the dates model as the reader's code gets them.
 * @param {Library} gf @param {RunValues} values
 */
export function modelOf(gf, values) {
  /** @param {string} prefix @param {Record<string, string>} names */
  const take = (prefix, names) => pick(gf, values, prefix, names)
  return {
    ...Object.fromEntries(Object.entries(MODEL_NAMES).map(([name, own]) => [name, tensorOf(gf, values, own)])),
    encoder: LAYERS.map(i => take(prefixOf('encoder', i), ENCODER_NAMES)),
    encoderNorm: take('transformer.encoder.norm', NORM_NAMES),
    decoder: LAYERS.map(i => take(prefixOf('decoder', i), DECODER_NAMES)),
    decoderNorm: take('transformer.decoder.norm', NORM_NAMES)
  }
}

/**
 * The names of such weights in PyTorch, with their tensors.
 * @param {Record<string, any>} weights @returns {Record<string, LibraryTensor>}
 */
export function stateDictOf(weights) {
  /** @param {string} prefix @param {BlockWeights} own @param {Record<string, string>} names */
  const put = (prefix, own, names) => Object.entries(names).map(([name, path]) => [`${prefix}.${path}`, own[name]])
  /** @param {'encoder' | 'decoder'} side @param {Record<string, string>} names */
  function putSide(side, names) {
    /** @type {BlockWeights[]} */ const layers = weights[side]
    return [...layers.flatMap((own, i) => put(prefixOf(side, i), own, names)),
      ...put(`transformer.${side}.norm`, weights[`${side}Norm`], NORM_NAMES)]
  }
  return Object.fromEntries([
    ...Object.entries(MODEL_NAMES).map(([name, own]) => [own, weights[name]]),
    ...putSide('encoder', ENCODER_NAMES), ...putSide('decoder', DECODER_NAMES)
  ])
}
