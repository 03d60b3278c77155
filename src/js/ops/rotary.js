import { describe, expect, expectNumber, expectOneOf, expectOptions, formatShape, expectInteger } from '../errors.js'
import { record } from '../autograd/autograd.js'
import { cell, constant, productTerm, sumOf } from '../trace/explain.js'
import { range, sliceShape, sizeOf } from '../tensor/shape.js'
import { tensor } from '../tensor/from_values.js'
import { Tensor } from '../tensor/tensor.js'
import { expectFloatTensor, toIdTensor } from './checks.js'

/** @typedef {import('../engine/engine.js').Engine} Engine */

/**
 * The pair that a channel belongs to, and the channels of both; null for a channel that is not rotated.
 * @param {any} saved @param {number} c
 * @returns {{ pair: number, first: number, second: number, isFirst: boolean } | null}
 */
function pairOf({ D, dims, interleaved }, c) {
  const start = c - (c % D), d = c % D, half = dims / 2
  if (d >= dims) return null
  const pair = interleaved ? Math.floor(d / 2) : d % half, isFirst = interleaved ? d % 2 === 0 : d < half
  const first = start + (interleaved ? 2 * pair : pair)
  return { pair, first, second: first + (interleaved ? 1 : half), isFirst }
}

/** The row of the cos and sin tables for a cell. @param {any} saved @param {readonly number[]} index */
const tableRow = ({ batch }, index) => index[0] * batch + index[index.length - 2]

/**
 * The two terms of a rotated cell, or the only one of a copied cell: of x forward, of its gradient backward.
 * @param {import('../autograd/autograd.js').Node} node @param {readonly number[]} index
 * @param {(at: number[], symbol: string) => import('../trace/explain.js').Factor} of @param {boolean} isBack
 */
function rotateCell({ inputs: { cos, sin }, saved }, index, of, isBack) {
  const found = pairOf(saved, index[index.length - 1]), row = tableRow(saved, index)
  if (!found) return { terms: [productTerm(of([...index], 'x'))], parameters: {}, isFirst: null }
  const { pair, first, second, isFirst } = found
  const at = (/** @type {number} */ c) => [...index.slice(0, -1), c]
  const [own, other] = isFirst ? [of(at(first), 'a'), of(at(second), 'b')] : [of(at(second), 'b'), of(at(first), 'a')]
  const sine = cell(sin, [row, pair], 'sin'), isSubtracted = isFirst !== isBack
  return {
    terms: [
      productTerm(own, cell(cos, [row, pair], 'cos')),
      isSubtracted ? productTerm(constant('−1', -1), other, sine) : productTerm(other, sine)
    ],
    parameters: {
      pair, position: saved.positions[row], layout: saved.layout,
      ...(saved.frequencies ? { frequency: saved.frequencies[pair] } : { base: saved.base })
    },
    isFirst
  }
}

/** @type {import('../autograd/autograd.js').Operation} */
const op = {
  name: 'rotary',
  inputAxes: { cos: [{ name: 'position' }, { name: 'channel' }], sin: [{ name: 'position' }, { name: 'channel' }] },
  axes: ({ inputs: { x } }, of) => of(x),
  // With custom frequencies the base has no effect.
  parameters: ({ saved: { base, layout, heads, frequencies, D, dims, scale } }) => ({
    ...(frequencies ? { frequencies: [...frequencies] } : { base }), layout, heads, ...(dims !== D && { dims }),
    ...(scale !== 1 && { scale })
  }),
  backward({ inputs: { x, cos, sin }, outputs: { out }, saved: { sizes } }, gradient) {
    out.engine.c.gf_rotary_backward(gradient(x), gradient(out), cos.dataPtr(), sin.dataPtr(), ...sizes)
  },
  explain(node, _, index) {
    const factor = (/** @type {number[]} */ at, /** @type {string} */ symbol) => cell(node.inputs.x, at, symbol)
    const { terms, parameters, isFirst } = rotateCell(node, index, factor, false)
    const formula = isFirst === null ? 'out = x' : isFirst ? 'out = a × cos θ − b × sin θ' : 'out = b × cos θ + a × sin θ'
    return { ...sumOf(formula, terms), parameters }
  },
  explainGradient(node, input, index, d) {
    const { terms, isFirst } = rotateCell(node, index, (at, symbol) => d(node.outputs.out, at, `d${symbol}`), true)
    const formula = isFirst === null ? 'dx = dout' : isFirst ? 'dx = da × cos θ + db × sin θ' : 'dx = db × cos θ − da × sin θ'
    return { formula, terms }
  }
}

/**
 * The latest tables, cached since all layers of a model use the same ones. isSaved: backward may read them.
 * @type {WeakMap<Engine, { key: string, tables: Tensor[], isSaved: boolean }>}
 */
const latest = new WeakMap()

/**
 * Tables of cosines and sines for all positions.
 * @param {Engine} engine @param {Int32Array} positions @param {number} half
 * @param {number} base @param {readonly number[] | undefined} customFrequencies frequencies @param {number} scale
 */
function getTables(engine, positions, half, base, customFrequencies, scale) {
  const key = `${half}|${base}|${customFrequencies}|${scale}|${positions.join()}`, cached = latest.get(engine)
  const isUsable = cached?.key === key && cached.tables.every(table => !table.disposed)
  // A trace may edit its inputs, so it gets its own tables.
  if (isUsable && !engine.trace) {
    cached.isSaved ||= engine.gradEnabled
    return cached.tables
  }
  const n = positions.length, tables = [0, 1].map(() => engine.freeWithTrace(engine.keep(engine.empty([n, half]))))
  engine.tidy(() => {
    const ids = tensor(engine, positions, {})
    const frequencies = customFrequencies ? tensor(engine, [...customFrequencies]) : engine.empty([half])
    if (!customFrequencies) engine.c.gf_rotary_frequencies(frequencies.dataPtr(), half, base)
    engine.c.gf_rotary_table(tables[0].dataPtr(), tables[1].dataPtr(), ids.dataPtr(), frequencies.dataPtr(), n, half)
    if (scale !== 1) for (const table of tables) engine.c.gf_scale(table.dataPtr(), n * half, scale)
  })
  if (engine.trace) return tables
  if (cached && !cached.isSaved) for (const table of cached.tables) table.dispose()
  latest.set(engine, { key, tables, isSaved: engine.gradEnabled })
  return tables
}

const OPTIONS = ['positions', 'base', 'layout', 'heads', 'frequencies', 'dims', 'scale']

/**
 * Rotary position embedding (Su et al. 2021): every pair of channels is rotated by position × frequency.
 * @param {Tensor} x [..., T, C], such as q or k as [B, H, T, D], or with heads [B, T, heads·D]
 * @param {object} [options]
 * @param {any} [options.positions] [T], or [B, T] where sequences differ; default: 0 .. T-1
 * @param {number} [options.base] 10000; pair i is rotated by base^(−2i/dims) per position
 * @param {'half' | 'interleaved'} [options.layout] 'half': channels i and i + dims/2 are a pair, as in Hugging Face's
 *   models; 'interleaved': 2i and 2i + 1, as in the paper
 * @param {number} [options.heads] 1; the number of heads side by side in the channels
 * @param {readonly number[]} [options.frequencies] [dims/2], instead of those from base
 * @param {number} [options.dims] D; only the first dims channels of every head are rotated, the others are copied
 * @param {number} [options.scale] 1; factor of cosines and sines (YaRN, Peng et al. 2023; LongRoPE, Ding et al. 2024)
 * @returns {Tensor} of the same shape
 * @throws {import('../errors.js').GlassformerError} 'shape' for an odd number of channels and positions that do not
 *   fit
 * @example
 * F.rotary(gf.ones([1, 1, 2, 2]))                 // [[[[1, 1], [-0.3012, 1.3818]]]]
 */
export function rotary(x, options) {
  const { positions, base = 10000, layout = 'half', heads = 1, frequencies, scale = 1, ...given } = expectOptions('rotary', options, OPTIONS)
  const { engine, shape } = expectFloatTensor('rotary', 'x', x), rank = shape.length
  expect(rank >= 2, 'shape', () => `rotary: x must have shape [..., T, C], got ${formatShape(shape)}`)
  const T = shape[rank - 2], C = shape[rank - 1], B = rank > 2 ? shape[0] : 1
  const D = C / expectInteger('rotary', 'heads', heads, 1), dims = given.dims ?? D, half = dims / 2
  expect(Number.isInteger(D) && (given.dims !== undefined || D % 2 === 0), 'shape',
    () => `rotary: x must have an even number of channels for each of ${heads} heads, got ${formatShape(shape)}`)
  expect(dims % 2 === 0 && dims >= 0 && dims <= D, 'range', () => `rotary: dims must be an even number up to the ${D} channels of a head, got ${describe(dims)}`)
  expectNumber('rotary', 'scale', scale, 'a number', Number.isFinite)
  expectNumber('rotary', 'base', base, 'a number > 0', v => v > 0 && v < Infinity)
  const interleaved = expectOneOf('rotary', 'layout', layout, ['half', 'interleaved']) === 'interleaved' ? 1 : 0
  const list = readPositions(engine, positions, B, T, shape)
  if (frequencies !== undefined) expect(Array.isArray(frequencies) && frequencies.length === half, 'shape',
    () => `rotary: frequencies must be ${half} numbers, one for each pair`)
  const [cos, sin] = getTables(engine, list, half, base, frequencies, scale), batch = list.length > T ? T : 0
  const sizes = [batch, B, sizeOf(sliceShape(shape, rank > 2 ? 1 : 0, -2)), T, heads, D, dims, interleaved]
  const out = engine.empty(shape)
  engine.c.gf_rotary_forward(out.dataPtr(), x.dataPtr(), cos.dataPtr(), sin.dataPtr(), ...sizes)
  return record(engine, op, { x, cos, sin }, { out },
    {
      sizes, batch, D, dims, heads, base, layout, interleaved, frequencies, scale, positions: list,
      origin: positions instanceof Tensor ? { positions } : undefined
    })
}

/**
 * The position of every row of the tables.
 * @param {Engine} engine @param {any} positions @param {number} B @param {number} T @param {readonly number[]} shape
 * @returns {Int32Array}
 */
function readPositions(engine, positions, B, T, shape) {
  if (positions === undefined || positions === null) return Int32Array.from(range(T))
  const ids = toIdTensor(engine, 'rotary', 'positions', positions), sides = ids.shape
  const fits = sides.at(-1) === T && (sides.length === 1 || (sides.length === 2 && (sides[0] === 1 || sides[0] === B)))
  expect(fits, 'shape', () => `rotary: positions must have shape ${formatShape([T])} or ${formatShape([B, T])} ` +
    `to go with x ${formatShape(shape)}, got ${formatShape(sides)}`)
  const list = Int32Array.from(ids.values)
  if (ids !== positions) ids.dispose()
  return list
}
