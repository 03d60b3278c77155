import { describe, expect, expectBoolean, expectOptions } from '../errors.js'
import { Measurements, expectGiven } from './measure.js'
import { sameShape } from '../tensor/shape.js'
import { findRows, toMap } from './targets.js'

/**
 * @typedef {import('./measure.js').Metric} Metric
 * @typedef {import('./measure.js').Model} Model
 * @typedef {import('./targets.js').Targets} Targets
 * @typedef {import('./targets.js').Positions} Positions
 *
 * @typedef {object} PatchOptions
 * @property {Model} model a module, which is called with the input, or a function of the input
 * @property {any} clean the input whose values are put in, such as ids
 * @property {any} corrupted the input of the run that is changed, with as many tokens
 * @property {Targets} [targets] 'residual': the residual stream where each layer reads it; 'attention', 'feedForward':
 *   what these sub-layers add to it; 'heads': the output of every head; or names of tensors. Default: 'residual'
 * @property {Metric} metric
 * @property {Positions} [positions] 'each': one run per position (default); 'all': all positions in one run; or a list
 *   of positions
 * @property {boolean} [normalize] false; with true, 0 is the corrupted run and 1 the clean one
 * @property {Record<string, import('../nn/module.js').Module>} [modules] names of the modules that a function calls
 * @property {readonly string[]} [keepAttention] see gf.trace; default: none, or all if targets are names
 * @property {(fraction: number) => void} [onProgress] is called after every run
 * @property {import('../platform.d.ts').Signal} [signal] an AbortSignal
 *
 * A map of the metric. values: [layer][position], of heads [layer][position][head]; without positions if all were
 * patched together; axes: their names; rows: the tensor and the layer of each row; clean, corrupted: the metric of the
 * two runs, not normalized.
 * @typedef {{ values: any[], axes: string[], rows: { name: string, layer: number | null }[], clean: number,
 *   corrupted: number }} PatchMap
 */

/** Two metrics that differ by a smaller share of their size, or of that of the logits, may do so by rounding. */
const MIN_DIFFERENCE = 1e-5

export const PATCH_OPTIONS = ['model', 'clean', 'corrupted', 'targets', 'metric', 'positions', 'normalize', 'modules',
  'keepAttention', 'onProgress', 'signal']

/** @param {string} where @param {import('../engine/engine.js').Engine} engine @param {any} options checked */
export function readPatchOptions(where, engine, options) {
  const { targets = 'residual', positions = 'each', normalize = false, modules, onProgress, signal } = options
  const [model, clean, corrupted, metric] =
    ['model', 'clean', 'corrupted', 'metric'].map(name => expectGiven(where, options, name))
  const keepAttention = options.keepAttention ?? (Array.isArray(targets) ? undefined : [])
  const runs = new Measurements(where, engine, { model, metric, modules, keepAttention, onProgress, signal })
  return { runs, clean, corrupted, targets, positions, normalize: expectBoolean(where, 'normalize', normalize) }
}

/**
 * The places to patch, and the metric of both runs.
 * @param {Measurements} runs @param {ReturnType<Measurements['trace']>} source the clean run
 * @param {ReturnType<Measurements['trace']>} base the corrupted run
 * @param {Targets} targets @param {Positions} positions
 */
export function measureBoth(runs, source, base, targets, positions) {
  const { where } = runs, rows = findRows(where, base.trace, targets, positions)
  for (const { name } of rows) {
    const [a, b] = [source, base].map(run => run.trace.get(name))
    expect(sameShape(a.shape, b.shape), 'shape', () => `${where}: clean and corrupted must have the same number of tokens, ` +
      `got ${describe(a)} and ${describe(b)} as ${name}`)
  }
  return { rows, metrics: { clean: runs.measure(source), corrupted: runs.measure(base) } }
}

/**
 * 0 for the corrupted run and 1 for the clean one.
 * @param {Measurements} runs @param {ReturnType<Measurements['trace']>} base the corrupted run
 * @param {{ clean: number, corrupted: number }} metrics @param {boolean} normalize
 * @returns {(value: number) => number}
 */
export function scaleOf({ where, sizeOf }, base, { clean, corrupted }, normalize) {
  if (!normalize) return value => value
  const size = Math.max(Math.abs(clean), Math.abs(corrupted), sizeOf(base))
  expect(Math.abs(clean - corrupted) > MIN_DIFFERENCE * size, 'range', () => `${where}: normalize needs a metric that differs ` +
    `between clean and corrupted by more than rounding, got ${clean} and ${corrupted}`)
  return value => (value - corrupted) / (clean - corrupted)
}

/**
 * A map with its axes.
 * @param {import('./targets.js').Row[]} rows @param {number[]} values @param {Targets} targets
 * @param {Positions} positions @param {{ clean: number, corrupted: number }} metrics @returns {PatchMap}
 */
export const describeMap = (rows, values, targets, positions, metrics) => ({
  values: toMap(rows, values, targets === 'heads', positions !== 'all'), axes: axisNames(targets, positions),
  rows: rows.map(({ name, layer }) => ({ name, layer })), ...metrics
})

/** The names of a map's axes. @param {Targets} targets @param {Positions} positions */
export const axisNames = (targets, positions) => [Array.isArray(targets) ? 'tensor' : 'layer',
  ...(positions === 'all' ? [] : ['position']), ...(targets === 'heads' ? ['head'] : [])]

/**
 * Activation patching (causal tracing: Meng et al. 2022; Heimersheim & Nanda 2024): runs the model on `corrupted`, with
 * the values of one place of the `clean` run put in, and measures the answer; once for each layer and position (and
 * head). What restores the clean answer carries the information that differs between the inputs. Runs are in eval mode
 * and leave models, inputs and gradients unchanged.
 * @param {import('../engine/engine.js').Engine} engine @param {PatchOptions} options
 * @returns {Promise<PatchMap>}
 * @throws {import('../errors.js').GlassformerError} 'shape' if clean and corrupted differ in length, 'range' to
 *   normalize metrics that differ by rounding alone, 'index' for unknown names; the signal's reason when it is aborted
 * @example
 * const model = new gf.nn.TransformerEncoder(new gf.nn.TransformerEncoderLayer(8, 2), 2)
 * const map = await gf.interpret.patch({
 *   model, clean: gf.randn([1, 4, 8]), corrupted: gf.randn([1, 4, 8]), metric: output => output.at(0, 3, 0)
 * })
 * map.axes                                        // ['layer', 'position']
 * map.values.length                               // 2
 */
export async function patch(engine, options) {
  const where = 'patch', checked = expectOptions(where, options, PATCH_OPTIONS)
  const { runs, clean, corrupted, targets, positions, normalize } = readPatchOptions(where, engine, checked)
  return runs.withRuns([clean, corrupted], async (source, base) => {
    const { rows, metrics } = measureBoth(runs, source, base, targets, positions)
    const scale = scaleOf(runs, base, metrics, normalize)
    const values = await runs.forEach(rows.flatMap(({ sites }) => sites.flat()),
      site => scale(runs.measureEdited(corrupted, [{ ...site, from: source.trace }], base)))
    return describeMap(rows, values, targets, positions, metrics)
  })
}
