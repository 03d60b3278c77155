import { describe, expect, expectInteger, expectOneOf, expectOptions, formatShape } from '../errors.js'
import { range, sizeOf } from '../tensor/shape.js'
import { tensor } from '../tensor/from_values.js'
import { binaryFunctions } from './binary.js'
import { expectFloatTensor, expectSameEngine } from './checks.js'
import { indexSelect, scatterAdd } from './gather.js'
import { cat } from './join.js'
import { matmul } from './matmul.js'
import { narrow } from './narrow.js'
import { unsqueeze } from './sides.js'
import { axisOf, copyWindows, expand, expectMovable, markViewCopy } from './strided.js'
import { expectCellValue } from './where.js'

/**
 * Padding, windows that slide over axes, and the convolutions that are products with such windows.
 *
 * @typedef {import('../tensor/tensor.js').Tensor} Tensor
 * @typedef {number | readonly number[]} Sizes one number for all axes, or one for each
 * @typedef {{ dilation?: Sizes, padding?: Sizes, stride?: Sizes }} WindowOptions dilation: 1; padding: 0; stride: 1
 * @typedef {{ stride?: Sizes, padding?: Sizes | 'valid' | 'same', dilation?: Sizes, groups?: number }} ConvOptions
 *   stride: 1; padding: 0; dilation: 1; groups: 1
 */

/** The cells that padding reads, for each place before and after an axis. @param {number} i @param {number} n */
const SOURCES = {
  reflect: (/** @type {number} */ i, /** @type {number} */ n) => (i < 0 ? -i : i >= n ? 2 * (n - 1) - i : i),
  replicate: (/** @type {number} */ i, /** @type {number} */ n) => Math.min(Math.max(i, 0), n - 1),
  circular: (/** @type {number} */ i, /** @type {number} */ n) => (i + n) % n
}

/**
 * How far each mode may reach beyond an axis of n cells.
 * @type {Record<keyof typeof SOURCES, (n: number) => number>}
 */
const REACH = { reflect: n => n - 1, replicate: n => (n ? Infinity : 0), circular: n => n }

/**
 * Adds cells before and after the last axes: torch.nn.functional.pad. Negative numbers take cells away.
 * @param {Tensor} x float32, int32 or bool
 * @param {readonly number[]} pad before and after the last axis, then before and after the one before it, and so on
 * @param {{ mode?: 'constant' | 'reflect' | 'replicate' | 'circular', value?: number | boolean }} [options] mode:
 *   'constant'; value: 0, of constant cells
 * @returns {Tensor}
 * @throws {import('../errors.js').GlassformerError} 'shape' for more pairs than axes, or cells that x does not have
 * @example
 * F.pad(gf.tensor([[1, 2]]), [1, 0, 0, 1])        // [[0, 1, 2], [0, 0, 0]]
 */
export function pad(x, pad, options) {
  const { mode = 'constant', value = 0 } = expectOptions('pad', options, ['mode', 'value'])
  const { shape, dtype } = expectMovable('pad', x), rank = shape.length
  expectOneOf('pad', 'mode', mode, ['constant', ...Object.keys(SOURCES)])
  const isList = Array.isArray(pad) && pad.length % 2 === 0 && pad.length <= 2 * rank
  expect(isList, 'shape', () => `pad: pad must be a list of pairs, at most one for each of ${rank} axes, got ${Array.isArray(pad) ? formatShape(pad) : describe(pad)}`)
  pad.forEach((n, i) => expectInteger('pad', `pad[${i}]`, n, -(2 ** 31)))
  const number = expectCellValue('pad', value, dtype)
  return range(pad.length / 2).reduce((padded, pair) => {
    const axis = rank - 1 - pair, [before, after] = [pad[2 * pair], pad[2 * pair + 1]], side = shape[axis]
    expect(side + before + after >= 0, 'shape',
      () => `pad: pad takes more cells from axis ${axis} than there are, ${side}; got ${before} and ${after}`)
    return mode === 'constant' ? padConstant(padded, axis, before, after, number) : padFrom(padded, axis, before, after, mode)
  }, x)
}

/** @param {Tensor} x @param {number} axis @param {number} before @param {number} after @param {number} value */
function padConstant(x, axis, before, after, value) {
  const side = x.shape[axis], start = Math.min(Math.max(0, -before), side)
  const length = Math.max(0, side + Math.min(before, 0) + Math.min(after, 0))
  const inner = before < 0 || after < 0 ? narrow(x, axis, start, length) : x
  const constant = (/** @type {number} */ n) => {
    const sides = x.shape.map((side, a) => (a === axis ? n : side)), out = x.engine.empty(sides, x.dtype)
    out.values.fill(value)
    return out
  }
  const parts = [...(before > 0 ? [constant(before)] : []), inner, ...(after > 0 ? [constant(after)] : [])]
  return parts.length === 1 ? inner : cat(parts, { dim: axis })
}

/**
 * @param {Tensor} x @param {number} axis @param {number} before @param {number} after
 * @param {keyof typeof SOURCES} mode
 */
function padFrom(x, axis, before, after, mode) {
  const side = x.shape[axis], max = REACH[mode](side)
  expect(before <= max && after <= max, 'shape', () => `pad: mode '${mode}' can add at most ${max} cells to axis ${axis}, ` +
    `which has ${side}, got ${before} and ${after}`)
  if (!before && !after) return x
  return indexSelect(x, axis, range(side + before + after).map(i => SOURCES[mode](i - before, side)))
}

/**
 * One number for each of n axes.
 * @param {string} where @param {string} name @param {unknown} value @param {number} n @param {number} low
 * @returns {number[]}
 */
function toSizes(where, name, value, n, low) {
  const list = Array.isArray(value) ? value : range(n).map(() => value)
  expect(list.length === n, 'shape', () => `${where}: ${name} must be a number or a list of ${n}, got ${formatShape(list)}`)
  return list.map((side, i) => expectInteger(where, Array.isArray(value) ? `${name}[${i}]` : name, side, low))
}

/**
 * How often a window fits along an axis.
 * @param {string} where @param {number} side @param {number} size @param {number} stride @param {number} dilation
 */
function countWindows(where, side, size, stride, dilation) {
  const reach = dilation * (size - 1) + 1
  expect(reach <= side, 'shape', () => `${where}: a kernel that reaches over ${reach} cells does not fit into ${side}, padding included`)
  return Math.floor((side - reach) / stride) + 1
}

/** Pads the last axes alike before and after. @param {Tensor} x @param {readonly number[]} padding by axis */
const padAxes = (x, padding) => (padding.some(Boolean) ? pad(x, [...padding].reverse().flatMap(n => [n, n])) : x)

/**
 * Windows over the last axes of x [N, C, ...sides].
 * @param {string} where @param {Tensor} x @param {readonly number[]} kernel @param {readonly number[]} stride
 * @param {readonly number[]} dilation
 * @returns {{ columns: Tensor, counts: number[] }} columns [N, C × kernel, windows]
 */
function toColumns(where, x, kernel, stride, dilation) {
  const { shape: [N, C, ...sides] } = x, n = kernel.length
  const counts = kernel.map((size, i) => countWindows(where, sides[i], size, stride[i], dilation[i]))
  const windows = kernel.map((size, i) => (
    { axis: 2 + i, count: counts[i], size, stride: stride[i], dilation: dilation[i] }))
  const order = [0, 1, ...range(n).map(i => 2 + n + i), ...range(n).map(i => 2 + i)]
  const columns = copyWindows(x, windows, order).reshape([N, C * sizeOf(kernel), sizeOf(counts)])
  return { columns: markViewCopy(columns, false), counts }
}

/**
 * Adds a batch axis for one that is missing.
 * @param {string} where @param {unknown} given @param {number} rank @param {string} axes
 */
function toBatch(where, given, rank, axes) {
  const x = expectFloatTensor(where, 'x', given), isSingle = x.shape.length === rank - 1
  expect(isSingle || x.shape.length === rank, 'shape', () => `${where}: x must have shape ${axes}, got ${describe(x)}`)
  return { x: isSingle ? unsqueeze(x, 0) : x, isSingle }
}

/**
 * The windows of images as columns: torch.nn.functional.unfold.
 * @param {Tensor} x [N, C, H, W] or [C, H, W] @param {Sizes} kernelSize @param {WindowOptions} [options] dilation: 1;
 *   padding: 0, with zeros; stride: 1
 * @returns {Tensor} [N, C × kernel cells, windows]
 * @throws {import('../errors.js').GlassformerError} 'shape' for a kernel that does not fit
 * @example
 * F.unfold(gf.ones([1, 3, 8, 8]), 4, { stride: 4 }).shape   // [1, 48, 4]
 */
export function unfold(x, kernelSize, options) {
  const { dilation = 1, padding = 0, stride = 1 } = expectOptions('unfold', options, ['dilation', 'padding', 'stride'])
  const { x: images, isSingle } = toBatch('unfold', x, 4, '[N, C, H, W] or [C, H, W]')
  const kernel = toSizes('unfold', 'kernelSize', kernelSize, 2, 1), by = toSizes('unfold', 'stride', stride, 2, 1)
  const padded = padAxes(images, toSizes('unfold', 'padding', padding, 2, 0))
  const { columns } = toColumns('unfold', padded, kernel, by, toSizes('unfold', 'dilation', dilation, 2, 1))
  return isSingle ? columns.reshape(columns.shape.slice(1)) : columns
}

/**
 * Sums columns into the images whose windows they are, the adjoint of unfold: torch.nn.functional.fold.
 * @param {Tensor} x [N, C × kernel cells, windows] or [C × kernel cells, windows] @param {Sizes} outputSize [H, W]
 * @param {Sizes} kernelSize @param {WindowOptions} [options] dilation: 1; padding: 0; stride: 1
 * @returns {Tensor} [N, C, H, W]
 * @throws {import('../errors.js').GlassformerError} 'shape' when the windows are not as many as fit
 */
export function fold(x, outputSize, kernelSize, options) {
  const { dilation = 1, padding = 0, stride = 1 } = expectOptions('fold', options, ['dilation', 'padding', 'stride'])
  const { x: columns, isSingle } = toBatch('fold', x, 3, '[N, C × kernel cells, windows]'), [N, rows, L] = columns.shape
  const sides = toSizes('fold', 'outputSize', outputSize, 2, 1), kernel = toSizes('fold', 'kernelSize', kernelSize, 2, 1)
  const by = toSizes('fold', 'stride', stride, 2, 1), gap = toSizes('fold', 'dilation', dilation, 2, 1)
  const around = toSizes('fold', 'padding', padding, 2, 0), padded = sides.map((side, i) => side + 2 * around[i])
  const counts = padded.map((side, i) => countWindows('fold', side, kernel[i], by[i], gap[i])), K = sizeOf(kernel), C = rows / K
  expect(Number.isInteger(C) && L === sizeOf(counts), 'shape', () => `fold: x must have shape [N, C × ${K}, ${sizeOf(counts)}] for ` +
    `these sizes, got ${describe(x)}`)
  const cells = range(kernel[0]).flatMap(i => range(kernel[1]).flatMap(j => range(counts[0]).flatMap(
    p => range(counts[1]).map(q => (p * by[0] + i * gap[0]) * padded[1] + q * by[1] + j * gap[1]))))
  const { engine } = x, index = expand(tensor(engine, Int32Array.from(cells), { shape: [1, 1, K * L] }), [N, C, K * L])
  const summed = scatterAdd(engine.zeros([N, C, sizeOf(padded)]), 2, index, columns.reshape(N, C, K * L))
  const inner = sides.reduce((rest, side, i) => (around[i] ? narrow(rest, 2 + i, around[i], side) : rest),
    summed.reshape([N, C, ...padded]))
  return isSingle ? inner.reshape(inner.shape.slice(1)) : inner
}

/**
 * Windows along one axis, as a further last axis: torch.Tensor.unfold.
 * @param {Tensor} x @param {number} dim @param {number} size of a window @param {number} step between windows
 * @returns {Tensor} a copy
 */
export function unfoldAxis(x, dim, size, step) {
  const { shape } = expectMovable('unfold', x), axis = axisOf('unfold', dim, shape.length)
  expectInteger('unfold', 'size', size, 1, shape[axis])
  const count = countWindows('unfold', shape[axis], size, expectInteger('unfold', 'step', step, 1), 1)
  return copyWindows(x, [{ axis, count, size, stride: step, dilation: 1 }], range(shape.length + 1))
}

/**
 * @param {string} where @param {number} n the number of axes that windows slide over @param {unknown} given
 * @param {unknown} kernels @param {unknown} shift @param {unknown} options @returns {Tensor}
 */
function convolve(where, n, given, kernels, shift, options) {
  const { stride = 1, padding = 0, dilation = 1, groups = 1 } =
    expectOptions(where, options, ['stride', 'padding', 'dilation', 'groups'])
  const axes = n === 1 ? 'L' : 'H, W', { x, isSingle } = toBatch(where, given, n + 2, `[N, C, ${axes}] or [C, ${axes}]`)
  const weight = expectFloatTensor(where, 'weight', kernels), bias = shift === undefined || shift === null ? null
    : expectFloatTensor(where, 'bias', shift)
  expectSameEngine(where, x, weight, bias)
  const [O, perGroup, ...kernel] = weight.shape, C = x.shape[1]
  expectInteger(where, 'groups', groups, 1)
  expect(weight.shape.length === n + 2 && perGroup * groups === C && O % groups === 0, 'shape', () => `${where}: weight must have ` +
    `shape [O, C / groups, ${n === 1 ? 'K' : 'KH, KW'}] for x ${formatShape(x.shape)} and ${groups} groups, got ${formatShape(weight.shape)}`)
  expect(!bias || (bias.shape.length === 1 && bias.numel() === O), 'shape',
    () => `${where}: bias must have shape [${O}], one number for each output channel, got ${describe(bias)}`)
  const by = toSizes(where, 'stride', stride, n, 1), gap = toSizes(where, 'dilation', dilation, n, 1)
  const { columns, counts } = toColumns(where, padForKernel(where, x, padding, kernel, by, gap), kernel, by, gap)
  const [N, rows, L] = columns.shape
  const products = groups === 1 ? matmul(weight.reshape(O, rows), columns)
    : matmul(weight.reshape(groups, O / groups, rows / groups),
        columns.reshape(N, groups, rows / groups, L)).reshape(N, O, L)
  const out = bias ? binaryFunctions.add(products, bias.reshape(O, 1)) : products
  return out.reshape(isSingle ? [O, ...counts] : [N, O, ...counts])
}

/**
 * @param {string} where @param {Tensor} x @param {unknown} padding @param {readonly number[]} kernel
 * @param {readonly number[]} stride @param {readonly number[]} dilation
 */
function padForKernel(where, x, padding, kernel, stride, dilation) {
  if (typeof padding !== 'string') return padAxes(x, toSizes(where, 'padding', padding, kernel.length, 0))
  if (expectOneOf(where, 'padding', padding, ['valid', 'same']) === 'valid') return x
  expect(stride.every(n => n === 1), 'range', () => `${where}: padding 'same' needs stride 1, got ${formatShape(stride)}`)
  const totals = kernel.map((size, i) => dilation[i] * (size - 1))
  return pad(x, totals.map(total => [Math.floor(total / 2), Math.ceil(total / 2)]).reverse().flat())
}

/**
 * Convolution along one axis, as a product with its windows: torch.nn.functional.conv1d.
 * @param {Tensor} x [N, C, L] or [C, L] @param {Tensor} weight [O, C / groups, K] @param {Tensor | null} [bias] [O]
 * @param {ConvOptions} [options] stride: 1; padding: 0, zeros before and after, or 'same'; dilation: 1; groups: 1
 * @returns {Tensor} [N, O, windows]
 * @throws {import('../errors.js').GlassformerError} 'shape' when weight or bias do not fit
 */
export function conv1d(x, weight, bias, options) {
  return convolve('conv1d', 1, x, weight, bias, options)
}

/**
 * Convolution of images, as a product with their windows: torch.nn.functional.conv2d.
 * @param {Tensor} x [N, C, H, W] or [C, H, W] @param {Tensor} weight [O, C / groups, KH, KW]
 * @param {Tensor | null} [bias] [O]
 * @param {ConvOptions} [options] stride: 1; padding: 0, zeros before and after, or 'same'; dilation: 1; groups: 1
 * @returns {Tensor} [N, O, rows of windows, columns of windows]
 * @throws {import('../errors.js').GlassformerError} 'shape' when weight or bias do not fit
 * @example
 * F.conv2d(gf.ones([1, 3, 8, 8]), gf.ones([16, 3, 4, 4]), null, { stride: 4 }).shape   // [1, 16, 2, 2]
 */
export function conv2d(x, weight, bias, options) {
  return convolve('conv2d', 2, x, weight, bias, options)
}
