import { expectBoolean, expectOptions } from '../errors.js'
import { cellsAt } from '../trace/edits.js'
import { PATCH_OPTIONS, describeMap, measureBoth, patch, readPatchOptions, scaleOf } from './patch.js'

/**
 * @typedef {import('./patch.js').PatchOptions & { compare?: boolean }} AttributionPatchOptions
 *   compare: false; with true, every patch is run too
 *
 * As a PatchMap. With `compare` also the exact map, the largest difference from it, and the correlation with it.
 * @typedef {import('./patch.js').PatchMap & { exact?: any[], maxError?: number, correlation?: number }} AttributionMap
 */

/** Pearson's correlation; NaN where all numbers of a list are equal. @param {number[]} a @param {number[]} b */
function correlationOf(a, b) {
  const centered = [a, b].map(list => {
    const mean = list.reduce((sum, v) => sum + v, 0) / list.length
    return list.map(v => v - mean)
  })
  const product = (/** @type {number[]} */ x, /** @type {number[]} */ y) => x.reduce((sum, v, i) => sum + v * y[i], 0)
  const [x, y] = centered
  return product(x, y) / Math.sqrt(product(x, x) * product(y, y))
}

/**
 * Attribution patching (Nanda 2023; Syed et al. 2023): the first-order estimate of what `patch` measures. A few runs
 * and one backward pass give, for every place, metric(corrupted) + Σ (clean − corrupted) · ∂metric / ∂corrupted. It
 * misses what is not linear, most of all saturated softmaxes and large changes such as those of the residual stream
 * at the first layers; `compare` says by how much.
 * @param {import('../engine/engine.js').Engine} engine @param {AttributionPatchOptions} options as for patch; a metric
 *   that is a function must return a tensor of one value
 * @returns {Promise<AttributionMap>}
 * @throws {import('../errors.js').GlassformerError} as patch
 * @example
 * const model = new gf.nn.TransformerEncoder(new gf.nn.TransformerEncoderLayer(8, 2), 2)
 * const map = await gf.interpret.attributionPatch({
 *   model, clean: gf.randn([1, 4, 8]), corrupted: gf.randn([1, 4, 8]), metric: output => output.index(0, 3, 0)
 * })
 * map.values[0].length                            // 4
 */
export async function attributionPatch(engine, options) {
  const where = 'attributionPatch', checked = expectOptions(where, options, [...PATCH_OPTIONS, 'compare'])
  const { compare = false, ...rest } = checked
  expectBoolean(where, 'compare', compare)
  const { runs, clean, corrupted, targets, positions, normalize } = readPatchOptions(where, engine, rest)
  const map = await runs.withRuns([clean, corrupted], async (source, base) => {
    const { rows, metrics } = measureBoth(runs, source, base, targets, positions)
    const scale = scaleOf(runs, base, metrics, normalize)
    const gradients = runs.differentiate(corrupted, rows.map(({ name }) => name))
    const values = rows.flatMap(({ name, sites }) => {
      const { values: from, shape } = source.trace.get(name), own = gradients.get(name)
      const effectOf = (/** @type {number} */ at) => (
        own?.gradient ? (from[at] - own.values[at]) * own.gradient[at] : 0)
      return sites.flat().map(({ index }) => {
        const cells = /** @type {number[]} */ (cellsAt(shape, index))
        return scale(metrics.corrupted + cells.reduce((sum, at) => sum + effectOf(at), 0))
      })
    })
    return describeMap(rows, values, targets, positions, metrics)
  })
  if (!compare) return map
  const { values: exact } = await patch(engine, rest)
  const [estimates, measured] = [map.values, exact].map(values => /** @type {number[]} */ (values.flat(2)))
  const maxError = Math.max(...estimates.map((value, i) => Math.abs(value - measured[i])))
  return { ...map, exact, maxError, correlation: correlationOf(estimates, measured) }
}
