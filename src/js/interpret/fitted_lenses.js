import { grad } from '../autograd/autograd.js'
import { describe, expect, expectNumber, expectOptions } from '../errors.js'
import { linear } from '../ops/linear.js'
import { logSoftmax } from '../ops/log_softmax.js'
import { klDiv } from '../ops/losses.js'
import { tensor as createTensor } from '../tensor/from_values.js'
import { createStages, fit } from './fit.js'
import { unitRows } from './head_circuit.js'
import { apply, findPoints, readLens } from './logit_lens.js'
import { rerunWith } from './rerun.js'
import { Tasks } from './tasks.js'

/**
 * Lenses that translate the stream at a point into that at the last one, before the model's last steps.
 *
 * @typedef {import('../tensor/tensor.js').Tensor} Tensor
 * @typedef {import('../trace/observe.js').Run} Run
 * @typedef {ReturnType<typeof findPoints>} Points
 *
 * weight: [C, C], as of a linear layer; bias: [C] or none.
 * @typedef {{ weight: Tensor, bias: Tensor | null }} Translator
 *
 * @typedef {object} LensOptions
 * @property {string} [logits] the name of the tensor with the logits; default: the runs' output
 * @property {(fraction: number) => void} [onProgress] how much is done, from 0 to 1
 * @property {import('../platform.d.ts').Signal} [signal] an AbortSignal
 *
 * steps: 200, of Adam, each over all positions of all runs; lr: 0.003 at first, falling to 0.
 * @typedef {LensOptions & { steps?: number, lr?: number }} TunedLensOptions
 */

/** Channels whose derivatives are computed in one task. */
const CHANNELS_PER_TASK = 16

/** A fitted lens. */
export class FittedLens {
  #where

  /**
   * @param {string} where @param {readonly string[]} names @param {Translator[]} translators
   * @param {{ before: number, after: number }[]} [losses]
   */
  constructor(where, names, translators, losses) {
    this.#where = where
    /** The points of the stream; the last one needs no translator. */ this.names = names
    this.translators = translators
    /** Of a tuned lens for each translator, in nats. */ this.losses = losses
  }

  /**
   * Reads a run of the same model as logitLens does, with the same options and results.
   * @param {Run} run @param {Parameters<typeof readLens>[2]} [options]
   */
  read(run, options) {
    const translate = (/** @type {Tensor} */ x, /** @type {number} */ n) => {
      const own = this.translators[n]
      return own ? linear(x, own.weight, own.bias) : x
    }
    return readLens(this.#where, run, options, translate, this.names)
  }

  /** Frees the translators. */
  dispose() {
    this.translators.forEach(disposeTranslator)
  }
}

/**
 * The points of some runs of one model.
 * @param {string} where @param {unknown} runs @param {string} [logits] @returns {Points[]}
 */
function readRuns(where, runs, logits) {
  const list = /** @type {Run[]} */ ([runs].flat())
  expect(list.length > 0, 'type', () => `${where}: runs must be runs of a model, got ${describe(runs)}`)
  const found = list.map(run => findPoints(where, run, logits)), [{ names }] = found
  const other = found.find(own => own.names.join() !== names.join())
  expect(other === undefined, 'state', () => `${where}: all runs must have the same points, got ${other?.names.join(', ')} ` +
    `besides ${names.join(', ')}`)
  return found
}

/**
 * The vectors at a point in all runs, as rows.
 * @param {Points[]} found @param {number} n
 */
function joinRows(found, n) {
  const tensors = found.map(({ points }) => points[n].tensor), C = tensors[0].shape[tensors[0].shape.length - 1]
  const values = new Float32Array(tensors.reduce((sum, tensor) => sum + tensor.numel(), 0))
  tensors.reduce((at, tensor) => values.set(tensor.values, at) ?? at + tensor.numel(), 0)
  return createTensor(tensors[0].engine, values).reshape(values.length / C, C)
}

/** @param {Translator} translator */
const disposeTranslator = ({ weight, bias }) => [weight, bias].forEach(tensor => tensor?.dispose())

/**
 * Calls fn while some tensors need no gradient.
 * @template T @param {readonly Tensor[]} tensors @param {() => T} fn @returns {T}
 */
function withoutGradientsOf(tensors, fn) {
  const trained = tensors.filter(tensor => tensor?.requiresGrad)
  for (const tensor of trained) tensor.requiresGrad = false
  try {
    return fn()
  } finally {
    for (const tensor of trained) tensor.requiresGrad = true
  }
}

/**
 * Fits the translator of one point.
 * @param {Parameters<typeof fit>[0]} tasks @param {Tensor} x [N, C]
 * @param {(y: Tensor) => Tensor} divergenceOf of translated vectors
 * @param {{ steps: number, learningRate: number }} options
 */
async function fitTranslator(tasks, x, divergenceOf, options) {
  const { engine, shape: [, C] } = x
  const weight = engine.keep(engine.tidy(() => createTensor(engine, unitRows(C)).reshape(C, C).clone()))
  const bias = engine.keep(engine.zeros([C])), translator = { weight, bias }
  const computeLoss = () => divergenceOf(linear(x, weight, bias))
  const measure = () => engine.tidy(() => engine.noGrad(() => computeLoss().item()))
  try {
    const before = measure()
    for (const tensor of [weight, bias]) tensor.requiresGrad = true
    await fit(tasks, { params: [weight, bias], ...options }, computeLoss)
    for (const tensor of [weight, bias]) tensor.requiresGrad = false
    return { translator, loss: { before, after: measure() } }
  } catch (error) {
    disposeTranslator(translator)
    throw error
  }
}

/**
 * Fits a tuned lens (Belrose et al. 2023): for each point of the stream an affine map, beginning with the identity,
 * so that the model's last steps after it come close to the model's own distribution: least mean Kullback-Leibler
 * divergence from it, over all positions of the runs.
 * @param {Run | readonly Run[]} runs on texts that the lens is fitted to
 * @param {TunedLensOptions} [options]
 * @returns {Promise<FittedLens>} read(run, options) gives what logitLens gives; losses: the divergence of each point
 *   before and after, in nats; to be disposed
 * @throws {import('../errors.js').GlassformerError} as logitLens; 'state' for runs of different models; the signal's
 *   reason when it is aborted
 * @example
 * const gpt = new gf.nn.TransformerEncoderLayer(4, 1, { dimFeedforward: 8, normFirst: true }).eval()
 * const head = new gf.nn.Linear(4, 7)
 * const run = gf.observe(() => head.forward(gpt.forward(gf.randn([1, 3, 4]))), { modules: { gpt, head } })
 * const lens = await gf.interpret.tunedLens(run, { steps: 20 })
 * lens.losses[0].after < lens.losses[0].before    // true
 * lens.read(run).logits.shape                     // [2, 3, 7]
 * lens.dispose()
 */
export async function tunedLens(runs, options) {
  const where = 'tunedLens', given = expectOptions(where, options, ['steps', 'lr', 'logits', 'onProgress', 'signal'])
  const { steps = 200, lr: learningRate = 0.003, logits } = given
  expectNumber(where, 'lr', learningRate, 'a number > 0', v => v > 0 && v < Infinity)
  const found = readRuns(where, runs, logits), [{ names, steps: last, logits: { engine } }] = found
  const tasks = new Tasks(where, engine, given), startStage = createStages(tasks, names.length - 1)
  const weights = last.flatMap(({ node }) => Object.values(node.inputs))
  /** @type {typeof tasks.forEach} */
  const forEach = (pieces, work) => tasks.forEach(pieces, piece => withoutGradientsOf(weights, () => work(piece)))
  const logProbabilities = (/** @type {Tensor} */ x) => (
    logSoftmax(last.reduce((y, step) => apply(step, y), x), { dim: -1 }))
  const target = engine.keep(engine.tidy(() => (
    engine.noGrad(() => logProbabilities(joinRows(found, names.length - 1))))))
  const divergenceOf = (/** @type {Tensor} */ x) => klDiv(logProbabilities(x), target,
    { reduction: 'batchmean', logTarget: true })
  /** @type {Awaited<ReturnType<typeof fitTranslator>>[]} */ const fitted = []
  try {
    for (const n of names.slice(0, -1).keys()) {
      startStage(n)
      const rows = engine.keep(engine.tidy(() => joinRows(found, n)))
      try {
        fitted.push(await fitTranslator({ where, engine, forEach }, rows, divergenceOf, { steps, learningRate }))
      } finally {
        rows.dispose()
      }
    }
  } catch (error) {
    for (const { translator } of fitted) disposeTranslator(translator)
    throw error
  } finally {
    target.dispose()
  }
  return new FittedLens(where, names, fitted.map(({ translator }) => translator), fitted.map(({ loss }) => loss))
}

/**
 * Adds rows of the Jacobians of a run, summed over rows and positions.
 * @param {string} where @param {Run} run @param {Points} found @param {number} from the first channel
 * @param {Float64Array[]} sums [C, C] for each point
 */
function addJacobians(where, run, { names, points }, from, sums) {
  const change = { name: names[0], change: () => {}, needsGradient: true }, { shape } = points[0].tensor
  const C = shape[shape.length - 1]
  rerunWith(where, run, change, (trace, first) => {
    const inputs = names.slice(0, -1).map((name, n) => (n ? trace.get(name) : first)), { engine } = first
    const start = engine.zeros(shape), final = trace.get(names[names.length - 1])
    const end = Math.min(C, from + CHANNELS_PER_TASK)
    for (let c = from; c < end; c++) engine.tidy(() => {
      start.values.forEach((_, i) => { start.values[i] = Number(i % C === c) })
      const gradients = grad(final, inputs, { gradOutputs: start, retainGraph: c < end - 1 })
      gradients.forEach((gradient, n) => gradient?.values.forEach((value, i) => { sums[n][c * C + i % C] += value }))
    })
  })
}

/**
 * Fits a Jacobian lens: for each point of the stream the mean, over the positions of the runs, of the Jacobian of the
 * last point with respect to it, summed over the same and later positions. It tells where a small change would lead,
 * to first order, where the logit lens and the tuned lens tell what is there. The functions of the runs are called
 * again; one backward pass per channel and run.
 * @param {Run | readonly Run[]} runs on texts that the lens is fitted to
 * @param {LensOptions} [options]
 * @returns {Promise<FittedLens>} read(run, options) gives what logitLens gives; to be disposed
 * @throws {import('../errors.js').GlassformerError} as logitLens; 'state' for runs of different models; the signal's
 *   reason when it is aborted
 * @example
 * const gpt = new gf.nn.TransformerEncoderLayer(4, 1, { dimFeedforward: 8, normFirst: true }).eval()
 * const head = new gf.nn.Linear(4, 7), x = gf.randn([1, 3, 4])
 * const run = gf.observe(() => head.forward(gpt.forward(x)), { modules: { gpt, head } })
 * const lens = await gf.interpret.jacobianLens(run)
 * lens.translators[0].weight.shape                // [4, 4]
 * lens.dispose()
 */
export async function jacobianLens(runs, options) {
  const where = 'jacobianLens', given = expectOptions(where, options, ['logits', 'onProgress', 'signal'])
  const found = readRuns(where, runs, given.logits), [{ names, points: [{ tensor: { engine, shape } }] }] = found
  const C = shape[shape.length - 1], sums = names.slice(0, -1).map(() => new Float64Array(C * C))
  const blocks = Array.from({ length: sums.length && Math.ceil(C / CHANNELS_PER_TASK) },
    (_, i) => i * CHANNELS_PER_TASK)
  const pieces = [runs].flat().flatMap((run, i) => blocks.map(from => ({ run, points: found[i], from })))
  await new Tasks(where, engine, given).forEach(pieces, ({ run, points, from }) => (
    addJacobians(where, run, points, from, sums)))
  const rows = found.reduce((sum, { points }) => sum + points[0].tensor.numel() / C, 0)
  const translators = sums.map(values => ({ bias: null, weight: engine.keep(engine.tidy(() => (
    createTensor(engine, Float32Array.from(values, value => value / rows)).reshape(C, C).clone()))) }))
  return new FittedLens(where, names, translators)
}
