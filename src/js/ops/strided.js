import { describe, expect, formatShape, expectInteger } from '../errors.js'
import { record } from '../autograd.js'
import { cell, product, sumOf } from '../explain.js'
import { indexOf, offsetOf, range, sizeOf } from '../shape.js'
import { MAX_WALKED_AXES } from './broadcast.js'
import { expectTensor } from './checks.js'
import { to } from './convert.js'

/**
 * Shapes rearranged: what PyTorch shows as a view with strides is a copy here, made by one kernel that walks any of
 * them.
 *
 * @typedef {import('../tensor.js').Tensor} Tensor
 *
 * How the cells of a result lie in what it is made of: floats from one to the next along each axis, and before the
 * first.
 * @typedef {{ shape: number[], steps: number[], offset: number }} Arrangement
 */

/** Floats from one cell to the next along each axis. @param {readonly number[]} shape @returns {number[]} */
export function getStrides(shape) {
  let step = 1
  return shape.reduceRight((/** @type {number[]} */ list, side) => {
    list.unshift(step)
    step *= side
    return list
  }, [])
}

/**
 * The axes that gf_strided_copy walks: those of length 1 are left out, and neighbors that lie together in both tensors
 * are joined.
 * @param {string} where @param {readonly number[]} shape
 * @param {readonly number[]} to steps of what is written @param {readonly number[]} from steps of what is read
 * @returns {number[]} rank, sides, steps of each
 * @throws {import('../errors.js').GlassformerError} 'shape' for more axes than the kernel counts
 */
export function mergeStridedAxes(where, shape, to, from) {
  /** @type {{ side: number, to: number, from: number }[]} */ const axes = []
  shape.forEach((side, axis) => {
    if (side === 1) return
    const own = { side, to: to[axis], from: from[axis] }, last = axes.at(-1)
    const isJoined = last?.to === side * own.to && last.from === side * own.from
    if (isJoined) Object.assign(last, own, { side: last.side * side })
    else axes.push(own)
  })
  if (!axes.length) axes.push({ side: 1, to: 1, from: 1 })
  expect(axes.length <= MAX_WALKED_AXES, 'shape', () => `${where}: at most ${MAX_WALKED_AXES} axes can be rearranged, ` +
    `got ${axes.length} that are longer than 1 and apart in ${formatShape(shape)}; reshape it first`)
  return [axes.length, ...axes.map(a => a.side), ...axes.map(a => a.to), ...axes.map(a => a.from)]
}

/**
 * The cells of a result that show one cell of x: those whose steps add up to its place.
 * @param {Arrangement} arrangement @param {number} place @returns {number[][]}
 */
function showing({ shape, steps, offset }, place) {
  const order = range(shape.length).sort((a, b) => Math.abs(steps[b]) - Math.abs(steps[a]))
  /** How far the axes after each one reach, down and up. @type {[number, number][]} */ const reach = []
  let down = 0, up = 0
  for (const axis of [...order].reverse()) {
    reach.unshift([down, up])
    const far = steps[axis] * (shape[axis] - 1)
    down += Math.min(0, far)
    up += Math.max(0, far)
  }
  let found = [{ left: place - offset, index: shape.map(() => 0) }]
  order.forEach((axis, n) => {
    const [low, high] = reach[n]
    found = found.flatMap(({ left, index }) => range(shape[axis]).flatMap(i => {
      const rest = left - i * steps[axis], at = [...index]
      at[axis] = i
      return rest >= low && rest <= high ? [{ left: rest, index: at }] : []
    }))
  })
  return found.filter(({ left }) => left === 0).map(({ index }) => index)
}

/** @param {any} node @param {readonly number[]} index @returns {number[]} */
const sourceOf = ({ inputs: { x }, saved: { steps, offset } }, index) =>
  indexOf(x.shape, index.reduce((place, i, axis) => place + i * steps[axis], offset))

/** @param {string} name @returns {import('../autograd.js').Operation} */
const operation = name => ({
  name,
  axes: ({ inputs: { x }, saved: { from } }, of) =>
    from.map((/** @type {number} */ axis) => of(x)[axis] ?? { name: 'row' }),
  parameters: ({ saved: { parameters } }) => parameters,
  /* out[i] = x[offset + i · steps]  =>  dx[offset + i · steps] += dout[i] */
  backward({ inputs: { x }, outputs: { out }, saved: { steps, offset } }, gradient) {
    const { engine, shape } = out
    const axes = engine.pass(mergeStridedAxes(name, shape, steps, getStrides(shape)))
    engine.c.gf_strided_copy(gradient(x) + 4 * offset, gradient(out), axes, 1)
  },
  explain: (node, _, index) => sumOf('out = x', [product(cell(node.inputs.x, sourceOf(node, index), 'x'))]),
  explainGradient({ inputs: { x }, outputs: { out }, saved }, _, index, d) {
    const places = showing({ ...saved, shape: out.shape }, offsetOf(x.shape, index))
    return { formula: places.length > 1 ? 'dx = Σ dout' : 'dx = dout',
      terms: places.map(at => product(d(out, at, 'dout'))) }
  }
})

/** @type {Record<string, import('../autograd.js').Operation>} */
const operations = Object.fromEntries(['permute', 'expand', 'slice', 'flip',
  'diagonal'].map(name => [name, operation(name)]))

/**
 * Bool tensors go through the same kernels as int32.
 * @param {Tensor} x @param {(x: Tensor) => Tensor} fn
 */
export const runAsInt = (x, fn) => (x.dtype === 'bool' ? to(fn(to(x, 'int32')), 'bool') : fn(x))

/**
 * A tensor whose values can be moved about: of four bytes each.
 * @param {string} where @param {unknown} value @param {string} [name] @returns {Tensor}
 */
export function expectMovable(where, value, name = 'x') {
  const x = expectTensor(where, name, value)
  expect(['float32', 'int32', 'bool'].includes(x.dtype), 'type',
    () => `${where}: ${name} must be a float32, int32 or bool tensor, got ${describe(x)}; convert it by to()`)
  return x
}

/**
 * @param {string} name @param {Tensor} x @param {Arrangement} arrangement
 * @param {number[]} from of each axis of the result the axis of x, or −1 @param {Record<string, unknown>} parameters
 * @returns {Tensor}
 */
function arranged(name, x, { shape, steps, offset }, from, parameters) {
  return runAsInt(x, source => {
    const { engine } = source, axes = mergeStridedAxes(name, shape, getStrides(shape), steps)
    const out = engine.empty(shape, source.dtype)
    engine.c.gf_strided_copy(out.dataPtr(), source.dataPtr() + 4 * offset, engine.pass(axes), 0)
    return record(engine, operations[name], { x: source }, { out }, { steps, offset, from, parameters })
  })
}

/**
 * An axis, negative ones from the end.
 * @param {string} where @param {unknown} dim @param {number} rank @param {string} [name] @returns {number}
 */
export function axisOf(where, dim, rank, name = 'dim') {
  expect(rank > 0, 'range', () => `${where}: x is a number alone, without axes; x.reshape(1) has one`)
  const axis = expectInteger(where, name, dim, -rank, rank - 1)
  return axis < 0 ? axis + rank : axis
}

/** Numbers given one by one or as one list. @param {readonly any[]} given @returns {any[]} */
export const listed = given => (Array.isArray(given[0]) ? [...given[0]] : [...given])

/**
 * The axes in another order: torch.permute.
 * @param {Tensor} x @param {...(number | readonly number[])} dims every axis once @returns {Tensor}
 * @example
 * gf.zeros([2, 3, 4]).permute(2, 0, 1).shape      // [4, 2, 3]
 */
export function permute(x, ...dims) {
  const { shape } = expectMovable('permute', x), rank = shape.length
  const order = listed(dims).map((dim, i) => axisOf('permute', dim, rank, `dims[${i}]`))
  expect(order.length === rank && new Set(order).size === rank, 'range',
    () => `permute: dims must name each of ${rank} axes once, got ${formatShape(listed(dims))}`)
  const steps = getStrides(shape), pick = (/** @type {number[]} */ list) => order.map(axis => list[axis])
  return arranged('permute', x, { shape: pick([...shape]), steps: pick(steps), offset: 0 }, order, { dims: order })
}

/**
 * Axes of length 1 repeated, and new ones before: torch.Tensor.expand (as a copy).
 * @param {Tensor} x @param {...(number | readonly number[])} sides −1 keeps a side @returns {Tensor}
 */
export function expand(x, ...sides) {
  const own = expectMovable('expand', x).shape, wanted = listed(sides), before = wanted.length - own.length
  const shape = wanted.map((side, axis) =>
    expectInteger('expand', `shape[${axis}]`, side, -1) < 0 ? own[axis - before] ?? -1 : side)
  const fits = before >= 0 && shape.every((side, axis) => side >= 0 &&
    (axis < before || own[axis - before] === 1 || own[axis - before] === side))
  expect(fits, 'shape', () => `expand: ${describe(x)} cannot be expanded to ${formatShape(wanted)}`)
  const all = getStrides(own), steps = shape.map(
    (side, axis) => (axis < before || own[axis - before] !== side ? 0 : all[axis - before]))
  return arranged('expand', x, { shape, steps, offset: 0 }, shape.map((_, axis) => axis - before), { shape })
}

/**
 * Cells from `start` up to `end`, every `step`-th: x[:, start:end:step] for one axis.
 * @param {Tensor} x @param {number} dim @param {number} start negative from the end, what is outside is cut off
 * @param {number} [end] all @param {number} [step] 1 @returns {Tensor}
 * @example
 * gf.tensor([0, 1, 2, 3, 4]).slice(0, 1, 5, 2)    // [1, 3]
 */
export function slice(x, dim, start, end = 2 ** 31 - 1, step = 1) {
  const { shape } = expectMovable('slice', x), axis = axisOf('slice', dim, shape.length), side = shape[axis]
  // An array's slice(1) would leave out the first, and here it would be all of axis 1.
  expect(start !== undefined, 'type', () => 'slice: start must be an integer, got undefined; write ' +
    `x.slice(dim, start, end), and x.slice(0, ${describe(dim)}) for x[${describe(dim)}:]`)
  expectInteger('slice', 'step', step, 1)
  const place = (/** @type {number} */ at, /** @type {string} */ name) => {
    expectInteger('slice', name, at, -(2 ** 31))
    return Math.min(Math.max(at < 0 ? at + side : at, 0), side)
  }
  const first = place(start, 'start'), count = Math.max(0, Math.ceil((place(end, 'end') - first) / step))
  return cut(x, axis, first, count, step)
}

/** @param {Tensor} x @param {number} axis @param {number} first @param {number} count @param {number} step */
function cut(x, axis, first, count, step) {
  const { shape } = x, steps = getStrides(shape), sides = [...shape], offset = count ? first * steps[axis] : 0
  sides[axis] = count
  const parameters = { dim: axis, start: first, end: first + count * step, step }
  steps[axis] *= step
  return arranged('slice', x, { shape: sides, steps, offset }, range(sides.length), parameters)
}

/**
 * `length` cells along an axis from `start` on: torch.narrow, as a copy where they do not lie together.
 * @param {Tensor} x @param {number} dim @param {number} start negative from the end @param {number} length
 * @returns {Tensor}
 */
export function cutOut(x, dim, start, length) {
  const { shape } = expectMovable('narrow', x), axis = axisOf('narrow', dim, shape.length), side = shape[axis]
  const first = expectInteger('narrow', 'start', start, -side, side) + (start < 0 ? side : 0)
  return cut(x, axis, first, expectInteger('narrow', 'length', length, 0, side - first), 1)
}

/**
 * Axes turned round: torch.flip.
 * @param {Tensor} x @param {...(number | readonly number[])} dims @returns {Tensor}
 */
export function flip(x, ...dims) {
  const { shape } = expectMovable('flip', x), steps = getStrides(shape)
  const turned = listed(dims).map((dim, i) => axisOf('flip', dim, shape.length, `dims[${i}]`))
  expect(new Set(turned).size === turned.length, 'range',
    () => `flip: dims must differ, got ${formatShape(listed(dims))}`)
  const offset = sizeOf(shape) ? turned.reduce((sum, axis) => sum + (shape[axis] - 1) * steps[axis], 0) : 0
  for (const axis of turned) steps[axis] *= -1
  return arranged('flip', x, { shape: [...shape], steps, offset }, range(shape.length), { dims: turned })
}

/**
 * Cells with the same place on several axes, on one axis in place of the first of them.
 * @param {Tensor} x @param {readonly number[]} axes of one length, ascending @returns {Tensor}
 */
export function diagonal(x, axes) {
  const { shape } = x, all = getStrides(shape), [first, ...others] = axes
  const stay = range(shape.length).filter(axis => !others.includes(axis))
  const step = axes.reduce((sum, axis) => sum + all[axis], 0)
  const steps = stay.map(axis => (axis === first ? step : all[axis]))
  return arranged('diagonal', x, { shape: stay.map(axis => shape[axis]), steps, offset: 0 }, stay, { axes })
}
