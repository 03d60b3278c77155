import { describe, expect, expectBoolean, expectInteger, expectOptions } from '../errors.js'
import { ACTIVATION_OPTIONS, collectActivations, columnsOf, readActivationOptions } from './activations.js'

/**
 * @typedef {object} HistogramOptions
 * @property {number} [bins] 50 @property {readonly [number, number]} [range] of the bins: [min, max] of the activations
 * @property {boolean} [perChannel] false; true describes every channel as well
 *
 * counts: of the values in each bin; std: with the divisor n − 1, as x.std(); zeros: the share of values that are 0.
 * @typedef {{ counts: Uint32Array, min: number, max: number, mean: number, std: number, zeros: number }} Distribution
 *
 * edges: of the bins, each without its right edge but for the last; count: of values; dead: the channels that are 0 in
 * every vector, such as neurons that never fire; channels: with perChannel, of each channel, in the same bins.
 * @typedef {Distribution & { edges: Float64Array, count: number, dead: number[],
 *   channels?: Distribution[] }} ActivationHistogram
 */

const WHERE = 'activationHistogram'
const OPTIONS = [...ACTIVATION_OPTIONS, 'bins', 'range', 'perChannel']

/**
 * The edges of bins of equal width. A range of one value gets half a unit on each side, as in numpy.histogram.
 * @param {readonly number[]} range @param {number} bins
 */
function createEdges([low, high], bins) {
  const [from, to] = low === high ? [low - 0.5, high + 0.5] : [low, high]
  return Float64Array.from({ length: bins + 1 }, (_, i) => (i === bins ? to : from + (to - from) * i / bins))
}

/** The bin of a value, −1 outside of the edges. @param {Float64Array} edges @param {number} value */
function binOf(edges, value) {
  const bins = edges.length - 1, [from] = edges, to = edges[bins]
  if (value < from || value > to) return -1
  let bin = Math.min(bins - 1, Math.floor((value - from) / (to - from) * bins))
  // The division rounds.
  if (value < edges[bin]) bin--
  else if (bin < bins - 1 && value >= edges[bin + 1]) bin++
  return bin
}

/** @param {Float32Array} values @param {Float64Array} edges @returns {Distribution} */
function describeValues(values, edges) {
  const counts = new Uint32Array(edges.length - 1), n = values.length
  let sum = 0, min = Infinity, max = -Infinity, zeros = 0, squares = 0
  for (const value of values) {
    const bin = binOf(edges, value)
    if (bin >= 0) counts[bin]++
    sum += value
    min = Math.min(min, value)
    max = Math.max(max, value)
    if (value === 0) zeros++
  }
  const mean = sum / n
  for (const value of values) squares += (value - mean) ** 2
  return { counts, min, max, mean, std: Math.sqrt(squares / (n - 1)), zeros: zeros / n }
}

/** @param {unknown} range @returns {asserts range is [number, number]} */
function expectRange(range) {
  const isRange = Array.isArray(range) && range.length === 2 && range.every(Number.isFinite) && range[0] < range[1]
  expect(isRange, Array.isArray(range) ? 'range' : 'type',
    () => `${WHERE}: range must be [min, max] with min < max, got ${Array.isArray(range) ? `[${range}]` : describe(range)}`)
}

/** The smallest and the largest value. @param {Float32Array} values */
const extremesOf = values => [Math.min, Math.max].map(choose => values.reduce((a, b) => choose(a, b)))

/**
 * The distribution of the activations of one place over inputs, and the channels that are always 0 there (dead neurons,
 * where the place is after a ReLU).
 * @param {import('../engine/engine.js').Engine} engine
 * @param {import('./activations.js').ActivationOptions & HistogramOptions} options position: 'all' by default
 * @returns {Promise<ActivationHistogram>}
 * @throws {import('../errors.js').GlassformerError} 'index' for an unknown name, 'range' for activations that are not
 *   finite; the signal's reason when it is aborted
 * @example
 * const model = new gf.nn.TransformerEncoderLayer(4, 1, { dimFeedforward: 8 }), inputs = [gf.randn([1, 3, 4])]
 * const place = { model, name: 'activation', inputs }
 * const { counts, edges, zeros } = await gf.interpret.activationHistogram({ ...place, bins: 5 })
 * edges.length                                    // 6
 * counts.reduce((sum, count) => sum + count)      // 24
 * zeros > 0                                       // true
 */
export async function activationHistogram(engine, options) {
  const checked = expectOptions(WHERE, options, OPTIONS), { bins = 50, range, perChannel = false } = checked
  const { runs, place, inputs, position } = readActivationOptions(WHERE, engine, checked, 'all')
  expectInteger(WHERE, 'bins', bins, 1, 2 ** 16)
  expectBoolean(WHERE, 'perChannel', perChannel)
  if (range !== undefined) expectRange(range)
  const activations = await collectActivations(runs, place, inputs, position), { values } = activations
  const edges = createEdges(range ?? extremesOf(values), bins)
  const columns = columnsOf(activations)
  const dead = [...columns.keys()].filter(c => columns[c].every(value => value === 0))
  const channels = perChannel ? columns.map(column => describeValues(column, edges)) : undefined
  return { ...describeValues(values, edges), edges, count: values.length, dead, ...(channels && { channels }) }
}
