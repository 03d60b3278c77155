import { expectInteger, expectNumber, expectOptions } from '../errors.js'
import { Module } from '../nn/module.js'
import { matmul } from '../ops/matmul.js'
import { randn } from '../tensor/random.js'
import { ACTIVATION_OPTIONS, chooseVectors, collectActivations, columnsOf, readActivationOptions } from './activations.js'
import { createStages, fit, holdOut, permutation, withSeed } from './fit.js'
import { rankColumn } from './top_activations.js'

/**
 * @typedef {import('../engine/engine.js').Engine} Engine
 * @typedef {import('../tensor/tensor.js').Tensor} Tensor
 * @typedef {import('./activations.js').Activations} Activations
 * @typedef {import('./measure.js').Measurements} Measurements
 *
 * @typedef {object} SaeOptions
 * @property {number} [features] how many; 4 times the channels
 * @property {number} [l1] 1: what one unit of a feature costs, where vectors are scaled to a mean squared norm of one
 *   for each channel
 * @property {number} [steps] 2000 @property {number} [batchSize] 128 vectors
 * @property {number} [learningRate] 0.05 / √channels, of Adam; falls to 0
 * @property {number} [testSize] 0.1: the share of the inputs that is held out
 * @property {number} [top] 5: how many texts are listed for a feature
 * @property {number} [seed] 0: of the weights, the batches and the split
 *
 * Of the vectors of one part. explainedVariance: 1 − Σ ‖x − x̂‖² / Σ ‖x − mean‖²; l0: the mean number of active
 * features.
 * @typedef {{ count: number, explainedVariance: number, l0: number }} SaePart
 *
 * density: the share of all vectors in which the feature is active; texts: where it is most, as from topActivations.
 * @typedef {{ feature: number, density: number, texts: import('./top_activations.js').TopActivation[] }} SaeFeature
 *
 * sae: the module; test: null if nothing is held out; dead: the features that are active in no vector; features: all
 * others, the densest first.
 * @typedef {{ sae: SparseAutoencoder, train: SaePart, test: SaePart | null, dead: number[],
 *   features: SaeFeature[] }} SaeResult
 */

const WHERE = 'sparseAutoencoder'
/** How many vectors are encoded at once. */
const ROWS = 1024
const OPTIONS = [...ACTIVATION_OPTIONS, 'features', 'l1', 'steps', 'batchSize', 'learningRate', 'testSize',
  'top', 'seed']

/**
 * features = relu((x − b_dec) W_enc + b_enc), x̂ = features W_dec + b_dec. Row f of W_dec, a unit vector, is the
 * direction of feature f.
 */
export class SparseAutoencoder extends Module {
  /** @param {Engine} engine @param {number} channels @param {number} features */
  constructor(engine, channels, features) {
    super(engine)
    this.W_enc = this.parameter(channels, features)
    this.b_enc = this.parameter(features)
    this.W_dec = this.parameter(features, channels)
    this.b_dec = this.parameter(channels)
    this.resetParameters()
  }

  /** Random directions; the encoder starts with the same, biases are 0. */
  resetParameters() {
    const { engine, W_enc, b_enc, W_dec, b_dec } = this
    for (const bias of [b_enc, b_dec]) bias.values.fill(0)
    engine.tidy(() => engine.noGrad(() => {
      const directions = randn(engine, W_dec.shape)
      W_dec.copy_(directions.div(directions.norm({ dim: 1, keepdim: true })))
      W_enc.copy_(W_dec.transpose(0, 1))
    }))
  }

  /** @param {Tensor} x [..., channels] @returns {Tensor} [..., features] */
  encode(x) {
    return matmul(x.sub(this.b_dec), this.W_enc).add(this.b_enc).relu()
  }

  /** @param {Tensor} features [..., features] @returns {Tensor} [..., channels] */
  decode(features) {
    return matmul(features, this.W_dec).add(this.b_dec)
  }

  /** @param {Tensor} x [..., channels] @returns {Tensor} its reconstruction */
  forward(x) {
    return this.decode(this.encode(x))
  }
}

/**
 * Trains on vectors that are centered and scaled to a mean squared norm of one for each channel, and gives the weights
 * the scale of the activations in the end. Gradients along a direction are left out, since its length is fixed (Bricken
 * et al. 2023).
 * @param {Measurements} runs @param {SparseAutoencoder} sae @param {Float32Array} vectors [N, C]
 * @param {{ l1: number, steps: number, batchSize: number, learningRate: number, seed: number }} options
 */
async function fitAutoencoder(runs, sae, vectors, { l1, batchSize, seed, ...options }) {
  const { engine } = runs, { W_dec: decoder, b_enc: encoderBias, b_dec: decoderBias } = sae, [, C] = decoder.shape
  const { mean, scale } = standardize(vectors, C), { steps } = options
  const batches = sampleBatches(engine, vectors.length / C, batchSize, steps, seed)
  const computeLoss = (/** @type {number} */ step) => {
    const x = engine.empty([batchSize, C]), first = step * batchSize
    for (let i = 0; i < batchSize; i++) for (let c = 0; c < C; c++) {
      x.values[i * C + c] = (vectors[batches[first + i] * C + c] - mean[c]) * scale
    }
    const features = sae.encode(x)
    return sae.decode(features).sub(x).square().sum().add(features.sum().mul(l1)).div(batchSize)
  }
  const beforeUpdate = () => {
    const gradient = /** @type {Tensor} */ (decoder.grad)
    gradient.copy_(gradient.sub(decoder.mul(gradient.mul(decoder).sum({ dim: 1, keepdim: true }))))
  }
  const afterUpdate = () => { decoder.copy_(decoder.div(decoder.norm({ dim: 1, keepdim: true }))) }
  await fit(runs, { params: sae.parameters(), ...options }, computeLoss, { beforeUpdate, afterUpdate })
  encoderBias.values.forEach((value, f) => { encoderBias.values[f] = value / scale })
  decoderBias.values.forEach((value, c) => { decoderBias.values[c] = mean[c] + value / scale })
  for (const bias of [encoderBias, decoderBias]) bias.touch()
}

/**
 * The mean of vectors, and the factor that gives them a mean squared norm of one for each channel.
 * @param {Float32Array} vectors [N, C] @param {number} C
 */
function standardize(vectors, C) {
  const N = vectors.length / C, mean = new Float64Array(C)
  vectors.forEach((value, i) => { mean[i % C] += value / N })
  const variance = vectors.reduce((sum, value, i) => sum + (value - mean[i % C]) ** 2, 0) / vectors.length
  return { mean, scale: variance > 0 ? 1 / Math.sqrt(variance) : 1 }
}

/**
 * The vectors of each batch: all in random order, then all in another order.
 * @param {Engine} engine @param {number} count @param {number} size @param {number} steps @param {number} seed
 */
const sampleBatches = (engine, count, size, steps, seed) => withSeed(engine, seed + 1, () => {
  const batches = new Int32Array(size * steps)
  for (let at = 0; at < batches.length; at += count) {
    batches.set(permutation(engine, count).slice(0, batches.length - at), at)
  }
  return batches
})

/**
 * The features of vectors, a few vectors at a time, and how well they are reconstructed.
 * @param {SparseAutoencoder} sae @param {Float32Array} vectors [N, C]
 * @returns {{ features: Float32Array, part: SaePart }} features: [N, F]
 */
function evaluate(sae, vectors) {
  const { engine } = sae, [F, C] = sae.W_dec.shape, count = vectors.length / C, { mean } = standardize(vectors, C)
  const features = new Float32Array(count * F)
  let error = 0, total = 0
  for (let from = 0; from < count; from += ROWS) engine.tidy(() => engine.noGrad(() => {
    const own = vectors.subarray(from * C, (from + ROWS) * C), x = engine.empty([own.length / C, C])
    x.values.set(own)
    const active = sae.encode(x), { values } = sae.decode(active)
    features.set(active.values, from * F)
    own.forEach((value, i) => {
      error += (value - values[i]) ** 2
      total += (value - mean[i % C]) ** 2
    })
  }))
  const l0 = features.reduce((sum, value) => sum + Number(value > 0), 0) / count
  return { features, part: { count, explainedVariance: 1 - error / total, l0 } }
}

/**
 * A sparse autoencoder (Bricken et al. 2023): writes the activations of one place as sums of few of many directions,
 * its features, which are often easier to name than neurons. It is trained by Adam on the squared error plus l1 times
 * the sum of the features; a larger l1 gives fewer active features and a worse reconstruction. Features that are easy
 * to name need not be what the model computes with; steer(module, direction) and patching test that.
 * @param {Engine} engine @param {import('./activations.js').ActivationOptions & SaeOptions} options position: 'all' by
 *   default
 * @returns {Promise<SaeResult>}
 * @throws {import('../errors.js').GlassformerError} 'index' for an unknown name, 'range' for activations that are not
 *   finite; the signal's reason when it is aborted
 * @example
 * const model = new gf.nn.Embedding(9, 4), inputs = Array.from({ length: 9 }, (_, id) => [[id, 0]])
 * const { sae, train, features } = await gf.interpret.sparseAutoencoder({ model, module: model, inputs, steps: 50 })
 * sae.encode(gf.zeros([2, 4])).shape              // [2, 16]
 * sae.W_dec.shape                                 // [16, 4]
 * train.explainedVariance > 0.5                   // true
 * features[0].texts[0].ids.length                 // 2
 */
export async function sparseAutoencoder(engine, options) {
  const checked = expectOptions(WHERE, options, OPTIONS)
  const { runs, place, inputs, position } = readActivationOptions(WHERE, engine, checked, 'all')
  const { l1 = 1, steps = 2000, batchSize = 128, testSize = 0.1, top = 5, seed = 0 } = checked
  expectNumber(WHERE, 'l1', l1, 'a number >= 0', v => v >= 0 && Number.isFinite(v))
  for (const [name, value] of Object.entries({ steps, batchSize, top })) expectInteger(WHERE, name, value, 1)
  expectInteger(WHERE, 'seed', seed)
  const held = holdOut(WHERE, engine, inputs.length, { testSize, seed }), startStage = createStages(runs, 2)
  startStage(0)
  const activations = await collectActivations(runs, place, inputs, position), { channels: C, sources } = activations
  const count = expectInteger(WHERE, 'features', checked.features ?? 4 * C, 1)
  const sae = withSeed(engine, seed, () => new SparseAutoencoder(engine, C, count))
  const [own, test] = [false, true].map(isTest => chooseVectors(activations,
    [...sources.keys()].filter(n => held.has(sources[n].input) === isTest)))
  startStage(1)
  const learningRate = checked.learningRate ?? 0.05 / Math.sqrt(C)
  await fitAutoencoder(runs, sae, own, { l1, steps, batchSize, learningRate, seed })
  const all = evaluate(sae, activations.values), columns = columnsOf({ values: all.features, channels: count })
  const densities = columns.map(column => column.filter(value => value > 0).length / column.length)
  const alive = [...columns.keys()].filter(f => densities[f] > 0).sort((a, b) => densities[b] - densities[a])
  const texts = (/** @type {number} */ f) => rankColumn(columns[f], activations, inputs, { top, oncePerText: true })
  return {
    sae, train: evaluate(sae, own).part, test: test.length ? evaluate(sae, test).part : null,
    dead: [...columns.keys()].filter(f => densities[f] === 0),
    features: alive.map(feature => ({
      feature, density: densities[feature], texts: texts(feature).filter(({ value }) => value > 0)
    }))
  }
}
