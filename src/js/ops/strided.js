import { describe, expect, formatShape, expectInteger } from '../errors.js'
import { record } from '../autograd/autograd.js'
import { cell, productTerm, sumOf } from '../trace/explain.js'
import { indexOf, offsetOf, range, sizeOf } from '../tensor/shape.js'
import { MAX_WALKED_AXES } from './broadcast.js'
import { expectTensor } from './checks.js'
import { to } from './convert.js'

/**
 * Operations that PyTorch implements as views with strides. Here they are copies, made by one kernel for any strides.
 *
 * @typedef {import('../tensor/tensor.js').Tensor} Tensor
 *
 * The positions of a result's cells in the source: the step along each axis in floats, and the offset of the first
 * cell.
 * @typedef {{ shape: number[], steps: number[], offset: number }} Arrangement
 */

/** The strides of a shape, in floats. @param {readonly number[]} shape @returns {number[]} */
export function getStrides(shape) {
  let step = 1
  return shape.reduceRight((/** @type {number[]} */ list, side) => {
    list.unshift(step)
    step *= side
    return list
  }, [])
}

/**
 * The axes for gf_strided_copy: axes of length 1 are left out, and neighbors that are contiguous in both tensors are
 * merged.
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
    const isContiguous = last?.to === side * own.to && last.from === side * own.from
    if (isContiguous) Object.assign(last, own, { side: last.side * side })
    else axes.push(own)
  })
  if (!axes.length) axes.push({ side: 1, to: 1, from: 1 })
  expect(axes.length <= MAX_WALKED_AXES, 'shape', () => `${where}: at most ${MAX_WALKED_AXES} axes can be rearranged, ` +
    `got ${axes.length} that are longer than 1 and apart in ${formatShape(shape)}; reshape it first`)
  return [axes.length, ...axes.map(a => a.side), ...axes.map(a => a.to), ...axes.map(a => a.from)]
}

/**
 * The indices of all cells of a result that are copies of one cell of x.
 * @param {Arrangement} arrangement @param {number} source the offset in x @returns {number[][]}
 */
function findCopies({ shape, steps, offset }, source) {
  const order = range(shape.length).sort((a, b) => Math.abs(steps[b]) - Math.abs(steps[a]))
  /** How far the axes after each one reach, down and up. @type {[number, number][]} */ const reach = []
  let down = 0, up = 0
  for (const axis of [...order].reverse()) {
    reach.unshift([down, up])
    const far = steps[axis] * (shape[axis] - 1)
    down += Math.min(0, far)
    up += Math.max(0, far)
  }
  let found = [{ left: source - offset, index: shape.map(() => 0) }]
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
const getSource = ({ inputs: { x }, saved: { steps, offset } }, index) =>
  indexOf(x.shape, index.reduce((position, i, axis) => position + i * steps[axis], offset))

/** @param {string} name @returns {import('../autograd/autograd.js').Operation} */
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
  explain: (node, _, index) => sumOf('out = x', [productTerm(cell(node.inputs.x, getSource(node, index), 'x'))]),
  explainGradient({ inputs: { x }, outputs: { out }, saved }, _, index, d) {
    const copies = findCopies({ ...saved, shape: out.shape }, offsetOf(x.shape, index))
    return { formula: copies.length > 1 ? 'dx = Σ dout' : 'dx = dout',
      terms: copies.map(at => productTerm(d(out, at, 'dout'))) }
  }
})

/** @type {Record<string, import('../autograd/autograd.js').Operation>} */
const operations = Object.fromEntries(['permute', 'expand', 'slice', 'flip',
  'diagonal', 'unfold'].map(name => [name, operation(name)]))

/**
 * Runs a function on a bool tensor converted to int32, for kernels of four-byte values.
 * @param {Tensor} x @param {(x: Tensor) => Tensor} fn
 */
export const runAsInt = (x, fn) => (x.dtype === 'bool' ? to(fn(to(x, 'int32')), 'bool') : fn(x))

/**
 * A float32, int32 or bool tensor, or an error that names the argument.
 * @param {string} where @param {unknown} value @param {string} [name] @returns {Tensor}
 */
export function expectMovable(where, value, name = 'x') {
  const x = expectTensor(where, name, value)
  expect(['float32', 'int32', 'bool'].includes(x.dtype), 'type',
    () => `${where}: ${name} must be a float32, int32 or bool tensor, got ${describe(x)}; convert it by to()`)
  return x
}

/**
 * Copies cells of x in an arrangement and records the operation.
 * @param {string} name @param {Tensor} x @param {Arrangement} arrangement
 * @param {number[]} from for each axis of the result the axis of x, or −1 @param {Record<string, unknown>} parameters
 * @returns {Tensor}
 */
function copyArranged(name, x, { shape, steps, offset }, from, parameters) {
  const copy = runAsInt(x, source => {
    const { engine } = source, axes = mergeStridedAxes(name, shape, getStrides(shape), steps)
    const out = engine.empty(shape, source.dtype)
    engine.c.gf_strided_copy(out.dataPtr(), source.dataPtr() + 4 * offset, engine.pass(axes), 0)
    return record(engine, operations[name], { x: source }, { out }, { steps, offset, from, parameters })
  })
  return name === 'flip' ? copy : markViewCopy(copy)
}

/**
 * Notes that a tensor is a copy of what is a view in PyTorch: in-place operations refuse it.
 * @param {Tensor} copy @param {boolean} [isCopyOfView]
 */
export function markViewCopy(copy, isCopyOfView = true) {
  if (copy.storage) copy.storage.isCopyOfView = isCopyOfView
  return copy
}

/**
 * An axis; negative numbers count from the end.
 * @param {string} where @param {unknown} dim @param {number} rank @param {string} [name] @returns {number}
 */
export function axisOf(where, dim, rank, name = 'dim') {
  expect(rank > 0, 'range', () => `${where}: x is a scalar without axes; x.reshape(1) has one`)
  const axis = expectInteger(where, name, dim, -rank, rank - 1)
  return axis < 0 ? axis + rank : axis
}

/** Numbers that were passed as arguments or as one array. @param {readonly any[]} args @returns {any[]} */
export const toList = args => (Array.isArray(args[0]) ? [...args[0]] : [...args])

/**
 * Reorders axes, as a copy: torch.permute.
 * @param {Tensor} x @param {...(number | readonly number[])} dims every axis once @returns {Tensor}
 * @example
 * gf.zeros([2, 3, 4]).permute(2, 0, 1).shape      // [4, 2, 3]
 */
export function permute(x, ...dims) {
  const { shape } = expectMovable('permute', x), rank = shape.length
  const order = toList(dims).map((dim, i) => axisOf('permute', dim, rank, `dims[${i}]`))
  expect(order.length === rank && new Set(order).size === rank, 'range',
    () => `permute: dims must name each of ${rank} axes once, got ${formatShape(toList(dims))}`)
  const steps = getStrides(shape), reorder = (/** @type {number[]} */ list) => order.map(axis => list[axis])
  return copyArranged('permute', x, { shape: reorder([...shape]), steps: reorder(steps), offset: 0 }, order, { dims: order })
}

/**
 * Repeats axes of length 1, and adds axes at the front, as a copy: torch.Tensor.expand.
 * @param {Tensor} x @param {...(number | readonly number[])} sides −1 leaves a side unchanged @returns {Tensor}
 */
export function expand(x, ...sides) {
  const own = expectMovable('expand', x).shape, requested = toList(sides), before = requested.length - own.length
  const shape = requested.map((side, axis) =>
    expectInteger('expand', `shape[${axis}]`, side, -1) < 0 ? own[axis - before] ?? -1 : side)
  const fits = before >= 0 && shape.every((side, axis) => side >= 0 &&
    (axis < before || own[axis - before] === 1 || own[axis - before] === side))
  expect(fits, 'shape', () => `expand: ${describe(x)} cannot be expanded to ${formatShape(requested)}`)
  const all = getStrides(own), steps = shape.map(
    (side, axis) => (axis < before || own[axis - before] !== side ? 0 : all[axis - before]))
  return copyArranged('expand', x, { shape, steps, offset: 0 }, shape.map((_, axis) => axis - before), { shape })
}

/**
 * Every `step`-th cell from `start` up to, but not including, `end`: x[:, start:end:step] for one axis.
 * @param {Tensor} x @param {number} dim @param {number} start negative numbers count from the end; out of range is
 *   clamped
 * @param {number} [end] default: the side of the axis @param {number} [step] 1 @returns {Tensor}
 * @example
 * gf.tensor([0, 1, 2, 3, 4]).slice(0, 1, 5, 2)    // [1, 3]
 */
export function slice(x, dim, start, end = 2 ** 31 - 1, step = 1) {
  const { shape } = expectMovable('slice', x), axis = axisOf('slice', dim, shape.length), side = shape[axis]
  // slice(1) of an array leaves out the first element; here it would be all of axis 1.
  expect(start !== undefined, 'type', () => 'slice: start must be an integer, got undefined; write ' +
    `x.slice(dim, start, end), and x.slice(0, ${describe(dim)}) for x[${describe(dim)}:]`)
  expectInteger('slice', 'step', step, 1)
  const clampIndex = (/** @type {number} */ i, /** @type {string} */ name) => {
    expectInteger('slice', name, i, -(2 ** 31))
    return Math.min(Math.max(i < 0 ? i + side : i, 0), side)
  }
  const first = clampIndex(start, 'start'), count = Math.max(0, Math.ceil((clampIndex(end, 'end') - first) / step))
  return copySlice(x, axis, first, count, step)
}

/** @param {Tensor} x @param {number} axis @param {number} first @param {number} count @param {number} step */
function copySlice(x, axis, first, count, step) {
  const { shape } = x, steps = getStrides(shape), sides = [...shape], offset = count ? first * steps[axis] : 0
  sides[axis] = count
  const parameters = { dim: axis, start: first, end: first + count * step, step }
  steps[axis] *= step
  return copyArranged('slice', x, { shape: sides, steps, offset }, range(sides.length), parameters)
}

/**
 * `length` cells along an axis from `start` on, as a copy: torch.narrow for cells that are not contiguous.
 * @param {Tensor} x @param {number} dim @param {number} start negative numbers count from the end @param {number}
 *   length
 * @returns {Tensor}
 */
export function copyNarrow(x, dim, start, length) {
  const { shape } = expectMovable('narrow', x), axis = axisOf('narrow', dim, shape.length), side = shape[axis]
  const first = expectInteger('narrow', 'start', start, -side, side) + (start < 0 ? side : 0)
  return copySlice(x, axis, first, expectInteger('narrow', 'length', length, 0, side - first), 1)
}

/**
 * Reverses axes: torch.flip.
 * @param {Tensor} x @param {...(number | readonly number[])} dims @returns {Tensor}
 */
export function flip(x, ...dims) {
  const { shape } = expectMovable('flip', x), steps = getStrides(shape)
  const reversed = toList(dims).map((dim, i) => axisOf('flip', dim, shape.length, `dims[${i}]`))
  expect(new Set(reversed).size === reversed.length, 'range',
    () => `flip: dims must differ, got ${formatShape(toList(dims))}`)
  const offset = sizeOf(shape) ? reversed.reduce((sum, axis) => sum + (shape[axis] - 1) * steps[axis], 0) : 0
  for (const axis of reversed) steps[axis] *= -1
  return copyArranged('flip', x, { shape: [...shape], steps, offset }, range(shape.length), { dims: reversed })
}

/**
 * The cells on a diagonal of two axes, as a last axis: torch.diagonal.
 * @param {Tensor} x at least two axes @param {number} [offset] 0, the main diagonal; positive is above it
 * @param {number} [dim1] 0 @param {number} [dim2] 1 @returns {Tensor} a copy
 * @example
 * gf.diagonal(gf.tensor([[1, 2], [3, 4]]))        // [1, 4]
 */
export function diagonal(x, offset, dim1, dim2) {
  const { shape } = expectMovable('diagonal', x), by = expectInteger('diagonal', 'offset', offset ?? 0, -(2 ** 31))
  const [rows, columns] = [dim1 ?? 0, dim2 ?? 1].map((dim, i) => axisOf('diagonal', dim, shape.length, `dim${i + 1}`))
  expect(rows !== columns, 'range', () => `diagonal: dim1 and dim2 must differ, got ${rows} twice`)
  const strides = getStrides(shape), others = range(shape.length).filter(axis => axis !== rows && axis !== columns)
  const count = Math.max(0, Math.min(shape[rows] + Math.min(by, 0), shape[columns] - Math.max(by, 0)))
  const sides = [...others.map(axis => shape[axis]), count]
  const steps = [...others.map(axis => strides[axis]), strides[rows] + strides[columns]]
  const first = sizeOf(sides) ? Math.max(by, 0) * strides[columns] + Math.max(-by, 0) * strides[rows] : 0
  return copyArranged('diagonal', x, { shape: sides, steps, offset: first }, [...others, columns],
    { offset: by, dim1: rows, dim2: columns })
}

/**
 * Windows along some axes: cell [..., o, k] of a pair of new axes is the cell o × stride + k × dilation of the old
 * axis.
 * @param {Tensor} x @param {readonly { axis: number, count: number, size: number, stride: number, dilation: number }[]}
 *   windows
 * @param {readonly number[]} order of the axes of the result: those of x, where a window's axis counts its windows,
 *   then one for each window's cells
 * @returns {Tensor} a copy
 */
export function copyWindows(x, windows, order) {
  const shape = [...x.shape], strides = getStrides(shape), steps = [...strides], from = range(shape.length)
  for (const { axis, count, size, stride, dilation } of windows) {
    shape[axis] = count
    steps[axis] = strides[axis] * stride
    shape.push(size)
    steps.push(strides[axis] * dilation)
    from.push(axis)
  }
  const reorder = (/** @type {number[]} */ list) => order.map(axis => list[axis])
  return copyArranged('unfold', x, { shape: reorder(shape), steps: reorder(steps), offset: 0 }, reorder(from),
    { windows: windows.map(window => ({ ...window })), order: [...order] })
}

/**
 * The cells with equal indices on several axes, as one axis in place of the first of them.
 * @param {Tensor} x @param {readonly number[]} axes of one length, ascending @returns {Tensor}
 */
export function mergeAxes(x, axes) {
  const { shape } = x, all = getStrides(shape), [first, ...others] = axes
  const remaining = range(shape.length).filter(axis => !others.includes(axis))
  const step = axes.reduce((sum, axis) => sum + all[axis], 0)
  const steps = remaining.map(axis => (axis === first ? step : all[axis]))
  return copyArranged('diagonal', x, { shape: remaining.map(axis => shape[axis]), steps, offset: 0 }, remaining, { axes })
}
