import { describe, expect, expectEngine, expectList, expectOptions, formatShape, expectInteger } from '../errors.js'
import { record } from '../autograd/autograd.js'
import { cell, productTerm, sumOf } from '../trace/explain.js'
import { range, sliceShape } from '../tensor/shape.js'
import { Tensor } from '../tensor/tensor.js'
import { to } from './convert.js'
import { narrow } from './narrow.js'
import { flattenAxes, unsqueeze } from './sides.js'
import { axisOf, expand, toList, expectMovable, getStrides, markViewCopy, mergeStridedAxes } from './strided.js'

/** Operations that join and split tensors along an axis. */

/** @typedef {import('../trace/axes.js').Axes} Axes */

/** The number of the part that contains an index. @param {number[]} starts of the parts @param {number} i */
const findPart = (starts, i) => starts.findLastIndex(start => start <= i)

/**
 * The axes of a part that has none, such as the zeros of a padding: those of the part beside it, which has other cells
 * along the axis that is joined.
 * @param {string} key of the part beside it
 * @returns {(node: import('../autograd/autograd.js').Node, of: (tensor: Tensor) => Axes) => Axes}
 */
const axesBeside = key => ({ inputs, saved: { dim } }, of) =>
  of(inputs[key] ?? inputs.x0).map((axis, i) => (i === dim ? { name: axis.name } : axis))

/** @type {import('../autograd/autograd.js').Operation} */
const op = {
  name: 'cat',
  inputAxes: { x0: axesBeside('x1'), x2: axesBeside('x1') },
  axes: ({ inputs: { x0 } }, of) => of(x0),
  parameters: ({ saved: { dim } }) => ({ dim }),
  backward({ inputs, outputs: { out }, saved: { dim, starts } }, gradient) {
    Object.values(inputs).forEach((x, n) => {
      const dx = gradient(x)
      if (dx) copyPart(out, gradient(out), dx, x.shape, dim, starts[n], true)
    })
  },
  explain({ inputs, saved: { dim, starts } }, _, index) {
    const n = findPart(starts, index[dim]), at = [...index]
    at[dim] -= starts[n]
    return sumOf(`out = x${n}`, [productTerm(cell(inputs[`x${n}`], at, `x${n}`))])
  },
  explainGradient({ outputs: { out }, saved: { dim, starts } }, input, index, d) {
    const at = [...index]
    at[dim] += starts[Number(input.slice(1))]
    return { formula: `d${input} = dout`, terms: [productTerm(d(out, at, 'dout'))] }
  }
}

/**
 * Copies a part into the whole, or adds the corresponding cells of the whole to the part.
 * @param {Tensor} whole @param {number} address of the whole @param {number} part its address
 * @param {readonly number[]} shape of the part @param {number} dim @param {number} start @param {boolean} isBack
 */
function copyPart({ engine, shape: all }, address, part, shape, dim, start, isBack) {
  const outer = getStrides(all), inner = getStrides(shape), target = address + 4 * start * outer[dim]
  const [to, from, first, second] = isBack ? [part, target, inner, outer] : [target, part, outer, inner]
  engine.c.gf_strided_copy(to, from, engine.pass(mergeStridedAxes('cat', shape, first, second)), isBack ? 1 : 0)
}

/**
 * Concatenates tensors along an axis: torch.cat.
 * @param {readonly Tensor[]} tensors with equal sides on all other axes @param {{ dim?: number }} [options] dim: 0
 * @returns {Tensor}
 * @example
 * gf.cat([gf.ones([1, 2]), gf.zeros([1, 2])], { dim: 0 })   // [[1, 1], [0, 0]]
 */
export function cat(tensors, options) {
  const { dim = 0 } = expectOptions('cat', options, ['dim'])
  const list = expectList('cat', 'tensors', tensors, t => t instanceof Tensor,
    'a tensor').map((t, i) => expectMovable('cat', t, `tensors[${i}]`))
  expect(list.length > 0, 'shape', () => 'cat: tensors must not be empty')
  const [{ engine, shape, dtype }] = list
  expectEngine('cat', engine, list)
  const axis = axisOf('cat', dim, shape.length)
  list.forEach((t, i) => expect(t.dtype === dtype && t.shape.length === shape.length &&
    t.shape.every((side, a) => a === axis || side === shape[a]), 'shape',
  () => `cat: tensors[${i}] must be like the first, ${describe(list[0])}, except on axis ${axis}; got ${describe(t)}`))
  if (dtype === 'bool') return to(cat(list.map(t => to(t, 'int32')), options), 'bool')
  const sides = list.map(t => t.shape[axis])
  let total = 0
  const starts = sides.map(side => (total += side) - side)
  const out = engine.empty(shape.map((side, a) => (a === axis ? total : side)), dtype)
  list.forEach((t, n) => copyPart(out, out.dataPtr(), t.dataPtr(), t.shape, axis, starts[n], false))
  const inputs = Object.fromEntries(list.map((t, n) => [`x${n}`, t]))
  return record(engine, op, inputs, { out }, { dim: axis, starts })
}

/**
 * Joins tensors of one shape along a new axis: torch.stack.
 * @param {readonly Tensor[]} tensors @param {{ dim?: number }} [options] dim: 0 @returns {Tensor}
 * @example
 * gf.stack([gf.tensor([1, 2]), gf.tensor([3, 4])])   // [[1, 2], [3, 4]]
 */
export function stack(tensors, options) {
  const { dim = 0 } = expectOptions('stack', options, ['dim'])
  const list = expectList('stack', 'tensors', tensors, t => t instanceof Tensor, 'a tensor')
  expect(list.length > 0, 'shape', () => 'stack: tensors must not be empty')
  const shape = formatShape(list[0].shape)
  list.forEach((t, i) => expect(formatShape(t.shape) === shape, 'shape',
    () => `stack: tensors[${i}] must have shape ${shape} as the first, got ${formatShape(t.shape)}`))
  const axis = axisOf('stack', dim, list[0].shape.length + 1)
  return cat(list.map(t => unsqueeze(t, axis)), { dim: axis })
}

/**
 * Splits along an axis into parts of `size` cells, the last perhaps smaller, or into parts of the given sizes:
 * torch.split.
 * @param {Tensor} x @param {number | readonly number[]} size @param {{ dim?: number }} [options] dim: 0
 * @returns {Tensor[]}
 */
export function split(x, size, options) {
  const { dim = 0 } = expectOptions('split', options, ['dim'])
  const { shape } = expectMovable('split', x), axis = axisOf('split', dim, shape.length), side = shape[axis]
  const sizes = Array.isArray(size) ? size : splitEvenly(side, expectInteger('split', 'size', size, 1))
  sizes.forEach((n, i) => expectInteger('split', `size[${i}]`, n))
  const total = sizes.reduce((a, b) => a + b, 0)
  expect(total === side, 'shape', () => `split: sizes must add up to ${side}, the side of axis ${axis}, got ${total}`)
  let start = 0
  return sizes.map(n => narrow(x, axis, (start += n) - n, n))
}

/**
 * The sizes of the parts of an axis, the last of which may be smaller; one empty part for an empty axis.
 * @param {number} side @param {number} size
 */
const splitEvenly = (side, size) => range(Math.max(1, Math.ceil(side / size))).map(i => Math.min(size, side - i * size))

/**
 * Splits along an axis into at most n parts of equal size, the last perhaps smaller: torch.chunk.
 * @param {Tensor} x @param {number} n @param {{ dim?: number }} [options] dim: 0 @returns {Tensor[]}
 */
export function chunk(x, n, options) {
  const { dim = 0 } = expectOptions('chunk', options, ['dim'])
  const { shape } = expectMovable('chunk', x), axis = axisOf('chunk', dim, shape.length)
  return split(x, Math.max(1, Math.ceil(shape[axis] / expectInteger('chunk', 'n', n, 1))), { dim: axis })
}

/**
 * Repeats the tensor along each axis: torch.Tensor.repeat.
 * @param {Tensor} x @param {...(number | readonly number[])} times for each axis, starting with new axes @returns
 *   {Tensor}
 */
export function repeat(x, ...times) {
  const { shape } = expectMovable('repeat', x), list = toList(times), before = list.length - shape.length
  expect(before >= 0, 'shape', () => `repeat: times must be given for each of ${shape.length} axes, got ${formatShape(
    list)}`)
  list.forEach((n, i) => expectInteger('repeat', `times[${i}]`, n))
  const own = [...range(before).map(() => 1), ...shape]
  const wide = expand(x.reshape(own.flatMap(side => [1, side])), own.flatMap((side, i) => [list[i], side]))
  return markViewCopy(wide.reshape(own.map((side, i) => side * list[i])), false)
}

/**
 * Repeats each cell n times along an axis: torch.repeat_interleave.
 * @param {Tensor} x @param {number} n @param {{ dim?: number }} [options] dim: default: of the flattened tensor
 * @returns {Tensor}
 */
export function repeatInterleave(x, n, options) {
  const { dim } = expectOptions('repeatInterleave', options, ['dim'])
  expectInteger('repeatInterleave', 'n', n)
  if (dim === undefined) return repeatInterleave(flattenAxes(expectMovable('repeatInterleave', x)), n, { dim: 0 })
  const { shape } = expectMovable('repeatInterleave', x), axis = axisOf('repeatInterleave', dim, shape.length)
  const spread = [...sliceShape(shape, 0, axis + 1), n, ...sliceShape(shape, axis + 1)]
  const repeated = expand(unsqueeze(x, axis + 1), spread)
  return markViewCopy(repeated.reshape(shape.map((side, a) => (a === axis ? side * n : side))), false)
}

/**
 * Shifts cells along axes; those that leave enter at the other end: torch.roll.
 * @param {Tensor} x @param {number | readonly number[]} shifts
 * @param {number | readonly number[]} [dims] default: of the flattened tensor
 * @returns {Tensor}
 */
export function roll(x, shifts, dims) {
  const { shape } = expectMovable('roll', x)
  if (dims === undefined) return roll(flattenAxes(x), shifts, 0).reshape(shape)
  const by = toList([shifts]), axes = toList([dims])
  expect(by.length === axes.length, 'shape',
    () => `roll: there must be as many shifts as dims, got ${by.length} and ${axes.length}`)
  return by.reduce((moved, shift, i) => {
    const axis = axisOf('roll', axes[i], shape.length, `dims[${i}]`), side = shape[axis]
    const first = side ? (((-expectInteger('roll', `shifts[${i}]`, shift, -(2 ** 31))) % side) + side) % side : 0
    return first ? cat([narrow(moved, axis, first, side - first), narrow(moved, axis, 0, first)], { dim: axis }) : moved
  }, x)
}
