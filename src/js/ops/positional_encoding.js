import { CONCATENATED, INTERLEAVED, LOG, LOG_FLOAT, POWER } from '../engine/constants.js'
import { expect, expectNumber, expectOneOf, expectOptions, expectInteger } from '../errors.js'
import { record } from '../autograd/autograd.js'
import { constant } from '../trace/explain.js'

const LAYOUTS = { interleaved: INTERLEAVED, concatenated: CONCATENATED }
const METHODS = { 'direct': POWER, 'log': LOG, 'log-float32': LOG_FLOAT }

/**
 * The pair of a column, and whether the column is the pair's sine.
 * @param {number} column @param {number} d @param {string} layout
 */
function pairOf(column, d, layout) {
  if (layout === 'interleaved') return { pair: column >> 1, isSine: column % 2 === 0 }
  const sines = (d + 1) >> 1
  return column < sines ? { pair: column, isSine: true } : { pair: column - sines, isSine: false }
}

/**
 * The frequency of a pair, and the angle of a position.
 * @param {number} k @param {number} pair @param {number} d @param {number} base @param {string} method
 */
function angleOf(k, pair, d, base, method) {
  if (method !== 'log-float32') {
    const frequency = 1 / base ** ((2 * pair) / d)
    return { frequency, angle: k * frequency }
  }
  const frequency = Math.fround(Math.exp(Math.fround(2 * pair * Math.fround(-Math.log(base) / d))))
  return { frequency, angle: Math.fround(k * frequency) }
}

/** @type {import('../autograd/autograd.js').Operation} */
const op = {
  name: 'positional_encoding',
  axes: () => [{ name: 'position' }, { name: 'channel' }],
  parameters: ({ saved: { dModel, base, layout, method } }) => ({ dModel, base, layout, method }),
  backward() {},
  explain({ saved: { dModel, base, layout, method } }, _, [k, column]) {
    const { pair, isSine } = pairOf(column, dModel, layout)
    const { frequency, angle } = angleOf(k, pair, dModel, base, method)
    const computed = isSine ? Math.sin(angle) : Math.cos(angle)
    return {
      parameters: { pair, isSine },
      formula: `${isSine ? 'sin' : 'cos'}(k / ${base}^(2·${pair}/${dModel}))`,
      terms: [{ label: 'k × frequency', value: angle, factors: [constant('k', k), constant('frequency', frequency)] }],
      steps: [{ label: 'angle', value: angle }, { label: isSine ? 'sin' : 'cos', value: computed }],
      computed
    }
  },
  explainGradient: () => ({ formula: '0', terms: [] })
}

/**
 * The recorded computation of an existing table, for a trace that starts later.
 * @param {import('../tensor/tensor.js').Tensor} table @param {Parameters<typeof positionalEncoding>[3]} [options]
 * @returns {import('../autograd/autograd.js').Node}
 */
export function originOf(table, { base = 10000, layout = 'interleaved', method = 'log' } = {}) {
  const saved = { dModel: table.shape[1], base, layout, method }
  return { op, inputs: {}, outputs: { out: table }, saved, trace: null, at: table.engine.writeCount }
}

/** For larger angles rounding affects the float32 sine. */
const MAX_ANGLE = 2 ** 26

/**
 * Throws for angles that are too large. With a base below 1 the frequency grows from pair to pair.
 * @param {number} maxLength @param {number} dModel @param {number} base
 */
function checkAngles(maxLength, dModel, base) {
  const pairs = Math.ceil(dModel / 2), fastest = base < 1 ? base ** (-2 * (pairs - 1) / dModel) : 1
  const largest = (maxLength - 1) * fastest
  expect(largest <= MAX_ANGLE, 'range', () => `positionalEncoding: ${maxLength} positions with base ${base} make ` +
    `angles up to ${largest.toPrecision(3)}, expected at most 2^26: beyond it sines are dominated by rounding`)
}

const OPTIONS = ['base', 'layout', 'method', 'dtype']

/**
 * Sinusoidal positional encodings, computed in float64 (Vaswani et al. 2017, section 3.5), in every form of the
 * notebooks.
 * @param {import('../engine/engine.js').Engine} engine
 * @param {number} maxLength positions 0 .. maxLength-1
 * @param {number} dModel
 * @param {object} [options]
 * @param {number} [options.base] 10000
 * @param {'interleaved' | 'concatenated'} [options.layout] 'interleaved' (default) alternates sines and cosines,
 *   'concatenated' has all sines first; with an odd dModel there is one more sine than cosines
 * @param {'log' | 'direct' | 'log-float32'} [options.method] 'log' (default) computes k · exp(−2i ln base / d),
 *   'direct' k / base^(2i/d), 'log-float32' the same as 'log' with torch's rounding of the angle, as in the notebooks
 *   (the error is 4e-4 at position 4999)
 * @param {'float32' | 'float64'} [options.dtype] 'float32' (default), or 'float64' as in NumPy
 * @returns {import('../tensor/tensor.js').Tensor} [maxLength, dModel]
 * @throws {import('../errors.js').GlassformerError} 'type' or 'range' for an invalid argument
 * @example
 * gf.positionalEncoding(2, 2)                     // [[0, 1], [0.8415, 0.5403]]
 */
export function positionalEncoding(engine, maxLength, dModel, options) {
  const { base = 10000, layout = 'interleaved', method = 'log', dtype = 'float32' } =
    /** @type {NonNullable<typeof options>} */ (expectOptions('positionalEncoding', options, OPTIONS))
  expectInteger('positionalEncoding', 'maxLength', maxLength)
  expectInteger('positionalEncoding', 'dModel', dModel)
  expectNumber('positionalEncoding', 'base', base, 'a finite number > 0', v => v > 0 && v < Infinity)
  checkAngles(maxLength, dModel, base)
  expectOneOf('positionalEncoding', 'layout', layout, Object.keys(LAYOUTS))
  expectOneOf('positionalEncoding', 'method', method, Object.keys(METHODS))
  expectOneOf('positionalEncoding', 'dtype', dtype, ['float32', 'float64'])
  const table = engine.empty([maxLength, dModel], 'float64')
  engine.c.gf_positional_encoding(table.dataPtr(), maxLength, dModel, base, LAYOUTS[layout], METHODS[method])
  if (dtype === 'float64') return table
  const out = engine.empty([maxLength, dModel])
  engine.c.gf_round_to_float(out.dataPtr(), table.dataPtr(), out.numel())
  table.dispose()
  return record(engine, op, {}, { out }, { dModel, base, layout, method })
}
