import { GATHER, SCATTER, SCATTER_ADD } from '../engine/constants.js'
import { describe, expect, formatShape } from '../errors.js'
import { needsSaving, record } from '../autograd/autograd.js'
import { cell, productTerm, sumOf } from '../trace/explain.js'
import { indicesOf, range, sameShape, sliceShape, sizeOf } from '../tensor/shape.js'
import { tensor } from '../tensor/from_values.js'
import { Tensor } from '../tensor/tensor.js'
import { expectTensor, toIdTensor, expectSameEngine, copyIdsForBackward } from './checks.js'
import { to } from './convert.js'
import { narrow } from './narrow.js'
import { flattenAxes } from './sides.js'
import { axisOf, expand, expectMovable, runAsInt } from './strided.js'

/** Operations that read or write values along an axis by their indices. */

/**
 * isShared: whether one list of indices is used for all rows; origin: the indices before they were copied.
 * @typedef {{ dim: number, indices: Tensor, isShared: boolean, origin: { indices: Tensor } }} Selection
 */

/**
 * Calls the kernel for x [outer, C, inner] and the picked values.
 * @param {import('../engine/engine.js').Engine} engine @param {number} picked address @param {number} x address
 * @param {readonly number[]} shape of x @param {Selection} selection @param {number} mode
 */
function callGather({ c }, picked, x, shape, { dim, indices, isShared }, mode) {
  const outer = sizeOf(shape, dim), inner = sizeOf(sliceShape(shape, dim + 1))
  const K = isShared ? indices.numel() : indices.shape[dim]
  const steps = isShared ? [0, 1, 0] : [K * inner, inner, 1]
  c.gf_gather(picked, x, indices.dataPtr(), outer, shape[dim], inner, K, ...steps, mode)
}

/**
 * The index in x of a picked cell.
 * @param {Selection} selection @param {readonly number[]} index @returns {number[]}
 */
function getSource({ dim, indices, isShared }, index) {
  const source = [...index]
  source[dim] = isShared ? indices.at(index[dim]) : indices.at(...index)
  return source
}

/**
 * The indices of all picked cells that come from one cell of x.
 * @param {Selection} selection @param {readonly number[]} index of x @returns {number[][]}
 */
function findPicked(selection, index) {
  const { dim, indices, isShared } = selection, K = isShared ? indices.numel() : indices.shape[dim]
  const candidates = range(K).map(k => index.map((i, axis) => (axis === dim ? k : i)))
  return candidates.filter(candidate => getSource(selection, candidate)[dim] === index[dim])
}

/**
 * The axes of picked cells. The axis that they were picked along keeps its meaning only if the indices are the same
 * everywhere.
 * @param {import('../trace/axes.js').Axes} axes of x
 * @param {Selection} selection
 * @returns {import('../trace/axes.js').Axis[]}
 */
const selectedAxes = (axes, { dim, indices, isShared }) => axes.map((axis, i) => {
  if (i !== dim) return axis
  const { first = 0, indices: earlier, ...rest } = axis
  return isShared ? { ...rest, indices: Array.from(indices.values, index => earlier?.[index] ?? index + first) } : { name: 'choice' }
})

/** @param {string} name @returns {import('../autograd/autograd.js').Operation} */
const lookup = name => ({
  name,
  isSelection: true,
  axes: ({ inputs: { x }, saved }, of) => selectedAxes(of(x), saved),
  parameters: ({ saved: { dim, indices } }) => ({ dim, index: indices.toArray() }),
  /* out[k] = x[index[k]]  =>  dx[index[k]] += dout[k] */
  backward({ inputs: { x }, outputs: { out }, saved }, gradient) {
    callGather(out.engine, gradient(out), gradient(x), x.shape, saved, SCATTER_ADD)
  },
  explain: ({ inputs: { x }, saved }, _, index) => sumOf('out = x', [productTerm(cell(x, getSource(saved, index), 'x'))]),
  explainGradient: ({ outputs: { out }, saved }, _, index, d) => (
    { formula: 'dx = Σ dout', terms: findPicked(saved, index).map(at => productTerm(d(out, at, 'dout'))) })
})

/** @type {Record<string, import('../autograd/autograd.js').Operation>} */
const lookups = { gather: lookup('gather'), indexSelect: lookup('index_select') }

/**
 * Indices along an axis; 'index' for one that is outside.
 * @param {string} where @param {Tensor} x @param {number} dim @param {any} index
 * @param {any} [src] the values to write
 * @returns {{ indices: Tensor, origin: { indices: Tensor } }}
 */
function expectIndices(where, x, dim, index, src) {
  const { engine } = x, original = toIdTensor(engine, where, 'index', index), side = x.shape[dim]
  const ids = needsSaving(engine, x, src) ? copyIdsForBackward(original, index) : original
  const wrong = engine.c.gf_embedding_check(ids.dataPtr(), ids.numel(), side)
  expect(wrong < 0, 'index', () => `${where}: index must be from 0 to ${side - 1}, the indices on axis ${dim}, ` +
    `got ${ids.values[wrong]} at index ${wrong}`)
  return { indices: ids, origin: { indices: original } }
}

/** The axis, which comes before index as in PyTorch. @param {string} where @param {unknown} dim @param {number} rank */
function firstOf(where, dim, rank) {
  expect(typeof dim === 'number', 'type', () => `${where}: dim comes first, then index, an int32 tensor or nested arrays; got ${describe(dim)}`)
  return axisOf(where, dim, rank)
}

/**
 * @param {'gather' | 'indexSelect'} name
 * @param {Tensor} x @param {readonly number[]} shape @param {Selection} selection
 */
function lookUp(name, x, shape, selection) {
  return runAsInt(x, source => {
    const out = source.engine.empty(shape, source.dtype)
    callGather(source.engine, out.dataPtr(), source.dataPtr(), source.shape, selection, GATHER)
    return record(source.engine, lookups[name], { x: source }, { out }, selection)
  })
}

/**
 * Selects the cells with some indices along an axis: torch.index_select.
 * @param {Tensor} x @param {number} dim @param {any} index [K], an array or an int32 tensor @returns {Tensor}
 */
export function indexSelect(x, dim, index) {
  const { shape } = expectMovable('indexSelect', x), axis = firstOf('indexSelect', dim, shape.length)
  const { indices, origin } = expectIndices('indexSelect', x, axis, index)
  expect(indices.shape.length === 1, 'shape', () => `indexSelect: index must have one axis, got ` +
    `${describe(indices)}; F.embedding(index, x) takes rows of x by indices of any shape, x.index(index) too`)
  const sides = shape.map((side, a) => (a === axis ? indices.numel() : side))
  return lookUp('indexSelect', x, sides, { dim: axis, indices, isShared: true, origin })
}

/**
 * Selects for each cell of index the cell of x with that index along an axis: torch.gather.
 * @param {Tensor} x @param {number} dim @param {any} index with as many axes as x, none but dim longer than in x
 * @returns {Tensor}
 * @example
 * gf.tensor([[1, 2], [3, 4]]).gather(1, [[1], [0]])   // [[2], [3]]
 */
export function gather(x, dim, index) {
  const { shape } = expectMovable('gather', x), axis = firstOf('gather', dim, shape.length)
  const { indices, origin } = expectIndices('gather', x, axis, index), sides = indices.shape
  const fits = sides.length === shape.length && sides.every((side, a) => a === axis || side <= shape[a])
  expect(fits, 'shape', () => `gather: index must have ${shape.length} axes, none but ${axis} longer than those of ` +
    `${formatShape(shape)}, got ${formatShape(sides)}`)
  const part = sides.reduce((rest, side, a) => (a === axis || side === shape[a] ? rest : narrow(rest, a, 0, side)), x)
  return lookUp('gather', part, sides, { dim: axis, indices, isShared: false, origin })
}

/**
 * Adds int32 values to the cells with the given indices.
 * @param {Tensor} out @param {Tensor} src @param {Selection} selection
 * @throws {import('../errors.js').GlassformerError} 'range' for a sum that does not fit into int32
 */
function addIntegers(out, src, { dim, indices }) {
  const { shape, values } = out, inner = sizeOf(sliceShape(shape, dim + 1)), C = shape[dim], K = indices.shape[dim]
  const { values: from } = src, { values: at } = indices
  for (let i = 0; i < from.length; i++) {
    const cell = (Math.floor(i / (K * inner)) * C + at[i]) * inner + i % inner, sum = values[cell] + from[i]
    expect(sum === (sum | 0), 'range', () => `scatterAdd: the sum ${sum} does not fit into int32 (−2147483648 to 2147483647)`)
    values[cell] = sum
  }
}

/** @param {string} name @param {boolean} isAdded @returns {import('../autograd/autograd.js').Operation} */
const scatterOperation = (name, isAdded) => ({
  name,
  axes: ({ inputs: { x, src }, saved: { dim } }, of) => of(x).map((axis, i) => {
    // Where nothing is known of x, which may be zeros, src describes both.
    const other = src && axis.name === 'row' ? of(src)[i] : axis, { indices: _, ...rest } = other
    return i === dim ? rest : other
  }),
  parameters: ({ saved: { dim, indices } }) => ({ dim, index: indices.toArray() }),
  /*
   * out = x but out[index[k]] = src[k], or += src[k]  =>  dsrc[k] += dout[index[k]],  dx += dout in cells that stay
   */
  backward({ inputs: { x, src }, outputs: { out }, saved }, gradient) {
    const { engine } = out, { c } = engine, dx = gradient(x), dsrc = gradient(src), dout = gradient(out)
    engine.tidy(() => {
      const picked = engine.zeros(saved.indices.shape), rest = engine.empty(x.shape)
      if (dx) {
        rest.values.set(engine.memory.floats(dout, rest.numel()))
        if (!isAdded) callGather(engine, picked.dataPtr(), rest.dataPtr(), x.shape, saved, SCATTER)
        c.gf_accumulate(dx, rest.dataPtr(), rest.numel())
      }
      if (!dsrc) return
      callGather(engine, picked.dataPtr(), dout, x.shape, saved, GATHER)
      c.gf_accumulate(dsrc, picked.dataPtr(), picked.numel())
    })
  },
  explain({ inputs: { x, src }, saved }, _, index) {
    const all = findPicked(saved, index), sources = (isAdded ? all : all.slice(-1)).map(
      at => productTerm(cell(src, at, 'src')))
    const own = productTerm(cell(x, index, 'x'))
    if (isAdded) return sumOf('out = x + Σ src', [own, ...sources])
    return sources.length ? sumOf('out = src', sources) : sumOf('out = x', [own])
  },
  explainGradient({ outputs: { out }, saved }, input, index, d) {
    if (input === 'src') return { formula: 'dsrc = dout', terms: [productTerm(d(out, getSource(saved, index), 'dout'))] }
    const isReplaced = !isAdded && findPicked(saved, index).length > 0
    return isReplaced ? { formula: '0', terms: [] } : { formula: 'dx = dout', terms: [productTerm(d(out, index, 'dout'))] }
  }
})

const SCATTERS = { scatter: scatterOperation('scatter', false), scatterAdd: scatterOperation('scatter_add', true) }

/**
 * @param {'scatter' | 'scatterAdd'} where @param {Tensor} x @param {number} dim @param {any} index
 * @param {Tensor | number} src
 * @returns {Tensor}
 */
function scatterInto(where, x, dim, index, src) {
  if (expectMovable(where, x).dtype === 'bool' && where === 'scatter') {
    const isBool = !(src instanceof Tensor) || src.dtype === 'bool', own = src instanceof Tensor ? src : Number(Boolean(src))
    expect(isBool, 'type', () => `${where}: src must be a bool tensor as x is, got ${describe(src)}; convert it by to()`)
    return to(scatterInto(where, to(x, 'int32'), dim, index, own instanceof Tensor ? to(own, 'int32') : own), 'bool')
  }
  const { engine, shape } = x, axis = axisOf(where, dim, shape.length)
  const { indices, origin } = expectIndices(where, x, axis, index, src), sides = indices.shape
  const selection = { dim: axis, indices, isShared: false, origin }
  expect(typeof src !== 'number' || x.dtype !== 'int32' || src === (src | 0), 'range',
    () => `${where}: src must be an integer for an int32 tensor, got ${describe(src)}`)
  const values = typeof src === 'number' ? createFilled(engine, sides, src, x.dtype) : expectTensor(where, 'src', src)
  const fits = sides.length === shape.length && sides.every((side, a) => a === axis || side === shape[a])
  expect(fits && sameShape(values.shape, sides), 'shape',
    () => `${where}: index and src must have one shape, that of x ` +
      `${formatShape(shape)} except on axis ${axis}; got ${formatShape(sides)} and ${formatShape(values.shape)}`)
  expectSameEngine(where, x, values)
  expect(values.dtype === x.dtype && x.dtype !== 'bool', 'type',
    () => `${where}: x and src must both be float32 or int32, got ${describe(x)} and ${describe(values)}`)
  const out = engine.empty(shape, x.dtype), mode = where === 'scatter' ? SCATTER : SCATTER_ADD
  out.copyFrom(x)
  if (mode === SCATTER_ADD && x.dtype === 'int32') addIntegers(out, values, selection)
  else callGather(engine, values.dataPtr(), out.dataPtr(), shape, selection, mode)
  record(engine, SCATTERS[where], { x, src: values }, { out }, selection)
  if (values !== src && !needsSaving(engine, x)) values.dispose()
  return out
}

/**
 * @param {import('../engine/engine.js').Engine} engine @param {readonly number[]} shape @param {number} value
 * @param {any} dtype
 */
function createFilled(engine, shape, value, dtype) {
  const out = engine.empty(shape, dtype)
  out.values.fill(value)
  return out
}

/**
 * A copy of x in which src replaces the cells with the given indices along an axis: torch.scatter. If an index occurs
 * several times, the last value is written, and, as in PyTorch, each of them gets the gradient of the cell.
 * @param {Tensor} x @param {number} dim @param {any} index @param {Tensor | number} src of index's shape
 * @returns {Tensor}
 */
export const scatter = (x, dim, index, src) => scatterInto('scatter', x, dim, index, src)

/**
 * A copy of x with src added to the cells with the given indices along an axis: torch.scatter_add.
 * @param {Tensor} x @param {number} dim @param {any} index @param {Tensor | number} src of index's shape
 * @returns {Tensor}
 */
export const scatterAdd = (x, dim, index, src) => scatterInto('scatterAdd', x, dim, index, src)

/**
 * The cells where a mask is true, as one axis: torch.masked_select, x[mask].
 * @param {Tensor} x @param {Tensor} mask bool, broadcasts to x @returns {Tensor} [count]
 */
export function maskedSelect(x, mask) {
  const { engine, shape } = expectMovable('maskedSelect', x), boolMask = expectTensor('maskedSelect', 'mask', mask)
  expect(boolMask.dtype === 'bool', 'type', () => `maskedSelect: mask must be a bool tensor, got ${describe(boolMask)}`)
  return engine.gradEnabled || engine.trace ? selectMasked(x, expand(boolMask, shape)) :
      engine.tidy(() => selectMasked(x, expand(boolMask, shape)))
}

/** @param {Tensor} x @param {Tensor} mask of its shape */
function selectMasked(x, mask) {
  return indexSelect(flattenAxes(x), 0, nonzero(flattenAxes(mask)).reshape(-1))
}

/** @type {import('../autograd/autograd.js').Operation} */
const nonzeroOperation = {
  name: 'nonzero',
  backward() {},
  explain: ({ outputs: { out } }, _, index) => (
    { formula: 'the index of an x ≠ 0', terms: [], computed: out.at(...index) }),
  explainGradient: () => ({ formula: 'no gradient: an index changes only in jumps', terms: [] })
}

/**
 * The indices of all cells that are not 0, in order: torch.nonzero.
 * @param {Tensor} x @returns {Tensor} [count, rank] int32
 */
export function nonzero(x) {
  const { engine, shape, values } = expectTensor('nonzero', 'x', x)
  const indices = indicesOf(shape).filter((_, i) => values[i] !== 0)
  const out = tensor(engine, Int32Array.from(indices.flat()), { shape: [indices.length, shape.length] })
  return record(engine, nonzeroOperation, { x }, { out })
}
