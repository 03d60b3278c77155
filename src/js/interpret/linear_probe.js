import { describe, expect, expectBoolean, expectInteger, expectNumber, expectOptions } from '../errors.js'
import { Linear } from '../nn/linear.js'
import { crossEntropy } from '../ops/cross_entropy.js'
import { linear } from '../ops/linear.js'
import { ACTIVATION_OPTIONS, chooseVectors, collectActivations, readActivationOptions } from './activations.js'
import { createStages, fit, holdOut, permutation, withSeed } from './fit.js'
import { expectGiven } from './measure.js'

/**
 * @typedef {import('../engine/engine.js').Engine} Engine
 * @typedef {import('../tensor/tensor.js').Tensor} Tensor
 * @typedef {import('./activations.js').Activations} Activations
 * @typedef {import('./measure.js').Measurements} Measurements
 * @typedef {string | number | boolean} Label
 *
 * @typedef {import('./activations.js').ActivationOptions & ProbeOptions} LinearProbeOptions
 *
 * @typedef {object} ProbeOptions
 * @property {readonly any[]} labels for each input its class, a number or a string; or an array with one for each
 *   vector that is read (with position 'all', one for each position), null for those that are left out
 * @property {number} [testSize] 0.2: the share of the inputs that is held out
 * @property {number} [l2] 0.01: the penalty is l2 / 2 times the sum of the squared weights of standardized channels
 * @property {number} [steps] 500 @property {number} [learningRate] 0.1, of Adam; falls to 0
 * @property {boolean} [control] false; true trains a second probe on shuffled labels
 * @property {number} [seed] 0: of the split and of the shuffled labels
 *
 * Shares of the vectors of one part. majority: those of the class that is most frequent in training, what a probe
 * without activations gets. control: what the probe for shuffled labels gets of these.
 * @typedef {{ count: number, accuracy: number, majority: number, control?: number }} ProbePart
 *
 * probe: from a vector [C] to logits [classes], in the order of `classes`; loss: what was minimized: the mean cross
 * entropy of the training part and the penalty; test: null if nothing is held out.
 * @typedef {{ probe: Linear, classes: Label[], loss: number, train: ProbePart, test: ProbePart | null }} LinearProbe
 *
 * Vectors [N, C] with the numbers of their classes.
 * @typedef {{ values: Float32Array, labels: number[] }} Part
 */

const WHERE = 'linearProbe'
const OPTIONS = [...ACTIVATION_OPTIONS, 'labels', 'testSize', 'l2', 'steps', 'learningRate', 'control', 'seed']

/**
 * The label of each vector.
 * @param {unknown} labels @param {Activations} activations @param {number} count of inputs @returns {(Label | null)[]}
 */
function readLabels(labels, { sources }, count) {
  expect(Array.isArray(labels) && labels.length === count, 'shape',
    () => `${WHERE}: labels must be an array of ${count}, one for each input, got ${describe(labels)}`)
  const isLabel = (/** @type {unknown} */ label) => label === null || ['string', 'boolean'].includes(typeof label) || Number.isFinite(label)
  return labels.flatMap((own, i) => {
    const vectors = sources.filter(({ input }) => input === i).length, list = [own].flat(Infinity)
    const all = list.length === 1 && vectors > 1 && !Array.isArray(own) ? Array(vectors).fill(own) : list
    expect(all.length === vectors, 'shape', () => `${WHERE}: labels[${i}] must be one label or an array of ${vectors}, one for ` +
      `each vector of inputs[${i}], got ${describe(own)}`)
    all.forEach(label => expect(isLabel(label), 'type',
      () => `${WHERE}: labels[${i}] must be a string, a number or null, got ${describe(label)}`))
    return all
  })
}

/** Distinct labels in order. @param {readonly Label[]} labels */
const sortLabels = labels => [...new Set(labels)].sort((a, b) => (
  typeof a === 'number' && typeof b === 'number' ? a - b : String(a) < String(b) ? -1 : 1))

/**
 * The mean and the standard deviation of each channel; 1 for a channel that does not vary.
 * @param {ArrayLike<number>} values [N, C] @param {number} C
 */
function standardize(values, C) {
  const N = values.length / C, mean = new Float64Array(C), std = new Float64Array(C)
  for (let i = 0; i < values.length; i++) mean[i % C] += values[i] / N
  for (let i = 0; i < values.length; i++) std[i % C] += (values[i] - mean[i % C]) ** 2 / N
  return { mean, std: std.map((variance, c) => (variance > (1e-6 * mean[c]) ** 2 ? Math.sqrt(variance) : 1)) }
}

/**
 * Minimizes the mean cross entropy and the penalty. The problem is convex, so it starts at zero.
 * @param {Measurements} runs
 * @param {{ values: Float32Array, labels: ArrayLike<number>, channels: number, classes: number }} samples
 * @param {{ l2: number, steps: number, learningRate: number }} options
 * @returns {Promise<{ probe: Linear, loss: number }>} the probe takes vectors that are not standardized
 */
async function fitProbe(runs, { values, labels, channels: C, classes }, { l2, ...options }) {
  const { engine } = runs, { mean, std } = standardize(values, C)
  const probe = withSeed(engine, 0, () => new Linear(engine, C, classes)), { weight, bias } = probe
  const offset = /** @type {Tensor} */ (bias), y = Int32Array.from(labels)
  for (const parameter of [weight, offset]) parameter.values.fill(0)
  const x = engine.keep(engine.empty([y.length, C]))
  x.values.set(values.map((value, i) => (value - mean[i % C]) / std[i % C]))
  const computeLoss = () => crossEntropy(linear(x, weight, offset), y).add(weight.square().sum().mul(l2 / 2))
  try {
    await fit(runs, { params: [weight, offset], ...options }, computeLoss)
    const loss = engine.tidy(() => engine.noGrad(() => computeLoss().item()))
    weight.values.forEach((value, i) => {
      weight.values[i] = value / std[i % C]
      offset.values[Math.floor(i / C)] -= value / std[i % C] * mean[i % C]
    })
    for (const parameter of [weight, offset]) parameter.touch()
    return { probe, loss }
  } finally {
    x.dispose()
  }
}

/** The share of vectors whose largest logit is that of their label. @param {Linear} probe @param {Part} part */
const accuracyOf = ({ engine, weight, bias }, { values, labels }) => engine.tidy(() => engine.noGrad(() => {
  const x = engine.empty([labels.length, values.length / labels.length])
  x.values.set(values)
  const chosen = linear(x, weight, bias).argmax({ dim: 1 }).values
  return labels.filter((label, n) => label === Number(chosen[n])).length / labels.length
}))

/** The most frequent of some numbers, the smaller of equals. @param {readonly number[]} labels */
function mostFrequent(labels) {
  const counts = labels.reduce((map, label) => map.set(label, (map.get(label) ?? 0) + 1), new Map())
  return [...counts].sort(([a, m], [b, n]) => n - m || a - b)[0][0]
}

/** @param {readonly number[]} labels @param {number} one */
const shareOf = (labels, one) => labels.filter(label => label === one).length / labels.length

/**
 * The labels in random order, where there are any.
 * @param {Engine} engine @param {readonly (number | null)[]} labels @param {number} seed
 */
function shuffleLabels(engine, labels, seed) {
  const used = labels.flatMap((label, n) => (label === null ? [] : [n])), shuffled = [...labels]
  withSeed(engine, seed, () => permutation(engine, used.length)).forEach((from, i) => {
    shuffled[used[i]] = labels[used[from]]
  })
  return shuffled
}

/**
 * The vectors with labels of the inputs that are held out, or of the others.
 * @param {Activations} activations @param {readonly (number | null)[]} labels
 * @param {(input: number) => boolean} includes
 * @returns {Part}
 */
function choosePart(activations, labels, includes) {
  const { sources } = activations
  const own = [...sources.keys()].filter(n => labels[n] !== null && includes(sources[n].input))
  return { values: chooseVectors(activations, own), labels: own.map(n => Number(labels[n])) }
}

/**
 * A linear probe (Alain & Bengio 2016): softmax regression from the activations of one place to labels, which shows
 * whether the labels can be read there by a linear function. It does not show that the model uses them. Compare its
 * accuracy on held-out inputs with that of the majority class and with that for shuffled labels, which a probe with
 * many channels may learn by heart (the control tasks of Hewitt & Liang 2019 give each type of token a random label of
 * its own; pass such labels to compute their selectivity). An input that occurs twice may be in both parts.
 * @param {Engine} engine @param {LinearProbeOptions} given
 * @returns {Promise<LinearProbe>}
 * @throws {import('../errors.js').GlassformerError} 'shape' for labels that do not fit the vectors, 'range' if there is
 *   only one class to train on, 'index' for an unknown name; the signal's reason when it is aborted
 * @example
 * const model = new gf.nn.Embedding(6, 4), inputs = Array.from({ length: 30 }, (_, n) => [[n % 6]])
 * const labels = inputs.map(([[id]]) => (id % 2 ? 'odd' : 'even'))
 * const { classes, probe, test } = await gf.interpret.linearProbe({ model, module: model, inputs, labels })
 * classes                                         // ['even', 'odd']
 * probe.weight.shape                              // [2, 4]
 * test.count                                      // 6
 */
export async function linearProbe(engine, given) {
  const checked = expectOptions(WHERE, given, OPTIONS), ofInputs = expectGiven(WHERE, checked, 'labels')
  const { runs, place, inputs, position } = readActivationOptions(WHERE, engine, checked)
  const { testSize = 0.2, l2 = 0.01, steps = 500, learningRate = 0.1, control = false, seed = 0 } = checked
  expectNumber(WHERE, 'l2', l2, 'a number >= 0', v => v >= 0 && Number.isFinite(v))
  expectBoolean(WHERE, 'control', control)
  expectInteger(WHERE, 'seed', seed)
  const startStage = createStages(runs, control ? 3 : 2), options = { l2, steps, learningRate }
  const held = holdOut(WHERE, engine, inputs.length, { testSize, seed })
  startStage(0)
  const activations = await collectActivations(runs, place, inputs, position), { channels } = activations
  const all = readLabels(ofInputs, activations, inputs.length)
  const classes = sortLabels(all.flatMap(label => label ?? []))
  const labels = all.map(label => (label === null ? null : classes.indexOf(label)))
  /** @param {(number | null)[]} own */
  const fitTo = async own => {
    const parts = [false, true].map(isTest => choosePart(activations, own, input => held.has(input) === isTest))
    const [{ labels: known }] = parts
    expect(new Set(known).size > 1, 'range', () => `${WHERE}: labels must have two classes or more in the part that is ` +
      `trained on, got ${known.length ? `only ${describe(classes[known[0]])}` : 'none'}`)
    return { parts, ...await fitProbe(runs, { ...parts[0], channels, classes: classes.length }, options) }
  }
  startStage(1)
  const { parts, probe, loss } = await fitTo(labels)
  startStage(2)
  const other = control ? await fitTo(shuffleLabels(engine, labels, seed + 1)) : null
  const majority = mostFrequent(parts[0].labels)
  const [train, test] = parts.map((part, i) => (part.labels.length === 0 ? null : {
    count: part.labels.length, accuracy: accuracyOf(probe, part), majority: shareOf(part.labels, majority),
    ...(other && { control: accuracyOf(other.probe, other.parts[i]) })
  }))
  other?.probe.parameters().forEach(parameter => parameter.dispose())
  return { probe, classes, loss, train: /** @type {ProbePart} */ (train), test }
}
