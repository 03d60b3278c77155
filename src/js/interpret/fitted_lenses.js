import { grad } from '../autograd/autograd.js'
import { describe, expect, expectInteger, expectNumber, expectOptions } from '../errors.js'
import { linear } from '../ops/linear.js'
import { logSoftmax } from '../ops/log_softmax.js'
import { klDiv } from '../ops/losses.js'
import { Adam } from '../optim/adam.js'
import { tensor as createTensor } from '../tensor/from_values.js'
import { unitRows } from './head_circuit.js'
import { apply, findPoints, readLens } from './logit_lens.js'
import { rerunWith } from './rerun.js'

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
 * @typedef {object} TunedLensOptions
 * @property {number} [steps] 200, of Adam, each over all positions of all runs
 * @property {number} [lr] 0.003
 * @property {string} [logits] the name of the tensor with the logits; default: the runs' output
 */

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
    for (const { weight, bias } of this.translators) for (const tensor of [weight, bias]) tensor?.dispose()
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

/**
 * Fits the translator of one point.
 * @param {Tensor} x [N, C] @param {Tensor} target [N, V] log probabilities
 * @param {(x: Tensor) => Tensor} toLogits @param {{ steps: number, lr: number }} options
 */
function fitTranslator(x, target, toLogits, { steps, lr }) {
  const { engine, shape: [, C] } = x
  const weight = engine.keep(createTensor(engine, unitRows(C)).reshape(C, C).clone())
  const bias = engine.keep(engine.zeros([C]))
  const computeLoss = () => klDiv(logSoftmax(toLogits(linear(x, weight, bias)), { dim: -1 }), target,
    { reduction: 'batchmean', logTarget: true })
  const measure = () => engine.tidy(() => engine.noGrad(() => computeLoss().item())), before = measure()
  for (const tensor of [weight, bias]) tensor.requiresGrad = true
  const optimizer = new Adam([weight, bias], { lr })
  for (let step = 0; step < steps; step++) engine.tidy(() => engine.enableGrad(() => {
    optimizer.zeroGrad()
    computeLoss().backward()
    optimizer.step()
  }))
  optimizer.zeroGrad()
  for (const tensor of [weight, bias]) tensor.requiresGrad = false
  return { translator: { weight, bias }, loss: { before, after: measure() } }
}

/**
 * Fits a tuned lens (Belrose et al. 2023): for each point of the stream an affine map, beginning with the identity,
 * so that the model's last steps after it come close to the model's own distribution: least mean Kullback-Leibler
 * divergence from it, over all positions of the runs.
 * @param {Run | readonly Run[]} runs on texts that the lens is fitted to
 * @param {TunedLensOptions} [options]
 * @returns {FittedLens} read(run, options) gives what logitLens gives; losses: the divergence of each point before and
 *   after, in nats; to be disposed
 * @throws {import('../errors.js').GlassformerError} as logitLens; 'state' for runs of different models
 * @example
 * const gpt = new gf.nn.TransformerEncoderLayer(4, 1, { dimFeedforward: 8, normFirst: true }).eval()
 * const head = new gf.nn.Linear(4, 7)
 * const run = gf.observe(() => head.forward(gpt.forward(gf.randn([1, 3, 4]))), { modules: { gpt, head } })
 * const lens = gf.interpret.tunedLens(run, { steps: 20 })
 * lens.losses[0].after < lens.losses[0].before    // true
 * lens.read(run).logits.shape                     // [2, 3, 7]
 * lens.dispose()
 */
export function tunedLens(runs, options) {
  const where = 'tunedLens', { steps = 200, lr = 0.003, logits } = expectOptions(where, options, ['steps', 'lr', 'logits'])
  expectInteger(where, 'steps', steps, 0)
  expectNumber(where, 'lr', lr, 'a number > 0', v => v > 0 && v < Infinity)
  const found = readRuns(where, runs, logits), [{ names, steps: last, logits: { engine } }] = found
  const toLogits = (/** @type {Tensor} */ x) => last.reduce((y, step) => apply(step, y), x)
  const weights = last.flatMap(({ node }) => Object.values(node.inputs)).filter(tensor => tensor?.requiresGrad)
  const fitted = engine.tidy(() => {
    for (const tensor of weights) tensor.requiresGrad = false
    try {
      const target = engine.noGrad(() => logSoftmax(toLogits(joinRows(found, names.length - 1)), { dim: -1 }))
      return names.slice(0, -1).map((_, n) => fitTranslator(joinRows(found, n), target, toLogits, { steps, lr }))
    } finally {
      for (const tensor of weights) tensor.requiresGrad = true
    }
  })
  return new FittedLens(where, names, fitted.map(({ translator }) => translator), fitted.map(({ loss }) => loss))
}

/**
 * Adds the Jacobians of a run, summed over rows and positions.
 * @param {string} where @param {Run} run @param {Points} found @param {Float64Array[]} sums [C, C] for each point
 */
function addJacobians(where, run, { names, points }, sums) {
  const change = { name: names[0], change: () => {}, needsGradient: true }, { shape } = points[0].tensor
  const C = shape[shape.length - 1]
  rerunWith(where, run, change, (trace, first) => {
    const inputs = names.slice(0, -1).map((name, n) => (n ? trace.get(name) : first)), { engine } = first
    const start = engine.zeros(shape), final = trace.get(names[names.length - 1])
    for (let c = 0; c < C; c++) engine.tidy(() => {
      start.values.forEach((_, i) => { start.values[i] = Number(i % C === c) })
      const gradients = grad(final, inputs, { gradOutputs: start, retainGraph: c < C - 1 })
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
 * @param {{ logits?: string }} [options] logits: the name of the tensor with the logits; default: the runs' output
 * @returns {FittedLens} read(run, options) gives what logitLens gives; to be disposed
 * @throws {import('../errors.js').GlassformerError} as logitLens; 'state' for runs of different models
 * @example
 * const gpt = new gf.nn.TransformerEncoderLayer(4, 1, { dimFeedforward: 8, normFirst: true }).eval()
 * const head = new gf.nn.Linear(4, 7), x = gf.randn([1, 3, 4])
 * const run = gf.observe(() => head.forward(gpt.forward(x)), { modules: { gpt, head } })
 * const lens = gf.interpret.jacobianLens(run)
 * lens.translators[0].weight.shape                // [4, 4]
 * lens.dispose()
 */
export function jacobianLens(runs, options) {
  const where = 'jacobianLens', { logits } = expectOptions(where, options, ['logits'])
  const found = readRuns(where, runs, logits), [{ names, points: [{ tensor }] }] = found, { engine, shape } = tensor
  const C = shape[shape.length - 1], sums = names.slice(0, -1).map(() => new Float64Array(C * C))
  if (sums.length) [runs].flat().forEach((run, i) => addJacobians(where, run, found[i], sums))
  const rows = found.reduce((sum, { points }) => sum + points[0].tensor.numel() / C, 0)
  const translators = sums.map(values => ({
    weight: engine.keep(createTensor(engine, Float32Array.from(values, value => value / rows)).reshape(C, C).clone()),
    bias: null
  }))
  return new FittedLens(where, names, translators)
}
