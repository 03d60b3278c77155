import { describe, expect, expectOptions } from '../errors.js'
import { TensorSource } from '../trace/edits.js'
import { vectorCells } from './activations.js'
import { Measurements, expectGiven } from './measure.js'
import { axisNames } from './patch.js'
import { findRows, toMap } from './targets.js'

/**
 * @typedef {import('../engine/engine.js').Engine} Engine
 * @typedef {import('../tensor/tensor.js').Tensor} Tensor
 * @typedef {import('./targets.js').Row} Row
 *
 * @typedef {object} AblateOptions
 * @property {import('./measure.js').Model} model a module, which is called with the input, or a function of the input
 * @property {any} input such as ids
 * @property {import('./measure.js').Metric} metric
 * @property {import('./targets.js').Targets} [targets] as for patch; default: 'heads'
 * @property {'zero' | 'mean' | 'resample'} [method] 'zero' (default); 'mean': each channel's mean over all positions of
 *   the inputs of `dataset`; 'resample': the values of these inputs at the same positions, and the mean of the metrics
 * @property {readonly any[]} [dataset] inputs; for 'resample' with as many tokens as `input`
 * @property {import('./targets.js').Positions} [positions] 'all' (default), 'each', or a list of positions
 * @property {Record<string, import('../nn/module.js').Module>} [modules] names of the modules that a function calls
 * @property {readonly string[]} [keepAttention] see gf.trace; default: none, or all if targets are names
 * @property {(fraction: number) => void} [onProgress] is called after every run
 * @property {import('../platform.d.ts').Signal} [signal] an AbortSignal
 *
 * As a PatchMap, with the metric of the unchanged run as `baseline`.
 * @typedef {{ values: any[], axes: string[], rows: { name: string, layer: number | null }[],
 *   baseline: number }} AblationMap
 */

const OPTIONS = ['model', 'input', 'metric', 'targets', 'method', 'dataset', 'positions', 'modules', 'keepAttention',
  'onProgress', 'signal']

/** Tensors by name as the source of edits. */
class Means extends TensorSource {
  /** @param {Engine} engine @param {Map<string, Tensor>} tensors */
  constructor(engine, tensors) {
    super()
    this.means = { engine, isDisposed: false, get: (/** @type {string} */ name) => tensors.get(name) }
  }

  /** @returns {any} */
  get recording() {
    return this.means
  }
}

/**
 * The means of the rows' tensors over a dataset, in the shapes of the input's run.
 * @param {Measurements} runs @param {Row[]} rows @param {readonly any[]} dataset
 * @param {import('../trace/trace.js').Trace} base the input's run @returns {Map<string, Tensor>}
 */
function averageDataset(runs, rows, dataset, base) {
  /** @type {Map<string, { sums: Float64Array, count: number }>} */ const totals = new Map()
  for (const input of dataset) runs.inspect(input, trace => {
    for (const { name, axis } of rows) {
      const { shape, values } = trace.get(name), { channels, cells } = vectorCells(shape, axis)
      const total = totals.get(name) ?? { sums: new Float64Array(channels), count: 0 }
      expect(channels === total.sums.length, 'shape',
        () => `ablate: ${name} must have as many channels in every input of dataset`)
      cells.forEach((cell, i) => { total.sums[i % channels] += values[cell] })
      total.count += cells.length / channels
      totals.set(name, total)
    }
  })
  return new Map(rows.map(({ name, axis }) => {
    const { sums, count } = /** @type {{ sums: Float64Array, count: number }} */ (totals.get(name))
    const { shape } = base.get(name), tensor = runs.engine.keep(runs.engine.empty(shape)), { values } = tensor
    const { channels, cells } = vectorCells(shape, axis)
    cells.forEach((cell, i) => { values[cell] = sums[i % channels] / count })
    return [name, tensor]
  }))
}

/**
 * Ablation: runs the model with one place at a time set to zero, to a mean, or to what it is for other inputs, and
 * measures the answer. It shows what a part causes here, not what it is for: later parts may make up for it, and zero
 * may be a value that the model never sees (prefer 'mean' or 'resample').
 * @param {Engine} engine @param {AblateOptions} options
 * @returns {Promise<AblationMap>}
 * @throws {import('../errors.js').GlassformerError} 'type' for 'mean' or 'resample' without a dataset, 'shape' for a
 *   dataset of other lengths; the signal's reason when it is aborted
 * @example
 * const model = new gf.nn.TransformerEncoder(new gf.nn.TransformerEncoderLayer(8, 2), 3)
 * const { values } = await gf.interpret.ablate({ model, input: gf.randn([1, 4, 8]), metric: y => y.at(0, 3, 0) })
 * values.map(heads => heads.length)               // [2, 2, 2]
 */
export async function ablate(engine, options) {
  const where = 'ablate', checked = expectOptions(where, options, OPTIONS)
  const { targets = 'heads', method = 'zero', positions = 'all', dataset = [], modules, onProgress, signal } = checked
  const [model, input, metric] = ['model', 'input', 'metric'].map(name => expectGiven(where, checked, name))
  expect(['zero', 'mean', 'resample'].includes(method), 'type',
    () => `${where}: method must be 'zero', 'mean' or 'resample', got ${describe(method)}`)
  expect(Array.isArray(dataset) && (method === 'zero' || dataset.length > 0), 'type',
    () => `${where}: dataset must be an array of inputs, got ${describe(checked.dataset)}`)
  const keepAttention = checked.keepAttention ?? (Array.isArray(targets) ? undefined : [])
  const runs = new Measurements(where, engine, { model, metric, modules, keepAttention, onProgress, signal })
  return runs.withRuns([input], async base => {
    const rows = findRows(where, base.trace, targets, positions), baseline = runs.measure(base)
    const sites = rows.flatMap(own => own.sites.flat())
    /** @param {TensorSource | null} from @returns {(site: import('./targets.js').Site) => number} */
    const measureFrom = from => site => (
      runs.measureEdited(input, [from ? { ...site, from } : { ...site, value: 0 }], base))
    const describeValues = (/** @type {number[]} */ values) => ({
      values: toMap(rows, values, targets === 'heads', positions !== 'all'), axes: axisNames(targets, positions),
      rows: rows.map(({ name, layer }) => ({ name, layer })), baseline
    })
    if (method === 'zero') return describeValues(await runs.forEach(sites, measureFrom(null)))
    if (method === 'mean') {
      const means = averageDataset(runs, rows, dataset, base.trace)
      try {
        return describeValues(await runs.forEach(sites, measureFrom(new Means(engine, means))))
      } finally {
        for (const tensor of means.values()) tensor.dispose()
      }
    }
    const sums = sites.map(() => 0)
    for (const [n, other] of dataset.entries()) {
      runs.onProgress = onProgress && (fraction => onProgress((n + fraction) / dataset.length))
      /** @type {number[]} */
      const values = await runs.withRuns([other], source => runs.forEach(sites, measureFrom(source.trace)))
      values.forEach((value, i) => { sums[i] += value })
    }
    return describeValues(sums.map(sum => sum / dataset.length))
  })
}
