import { GATHER, SCATTER, SCATTER_ADD } from '../constants.js'
import { describe, expect, formatShape } from '../errors.js'
import { needsSaving, record } from '../autograd.js'
import { cell, product, sumOf } from '../explain.js'
import { indicesOf, range, sameShape, sliceShape, sizeOf } from '../shape.js'
import { tensor } from '../from_values.js'
import { expectTensor, toIdTensor, expectSameEngine, copyIdsForBackward } from './checks.js'
import { narrow } from './narrow.js'
import { flattenAxes } from './sides.js'
import { axisOf, expand, expectMovable, runAsInt } from './strided.js'

/** @typedef {import('../tensor.js').Tensor} Tensor */

/** Values looked up along an axis by their places there, and put to such places. */

/**
 * isShared: one list for the whole axis; origin: the places as they were given.
 * @typedef {{ dim: number, places: Tensor, isShared: boolean, origin: { places: Tensor } }} Places
 */

/**
 * Calls the kernel for x [outer, C, inner] and what is picked of it.
 * @param {import('../engine.js').Engine} engine @param {number} picked address @param {number} x address
 * @param {readonly number[]} shape of x @param {Places} at @param {number} mode
 */
function walk({ c }, picked, x, shape, { dim, places, isShared }, mode) {
  const outer = sizeOf(shape, dim), inner = sizeOf(sliceShape(shape, dim + 1))
  const K = isShared ? places.size : places.shape[dim]
  const steps = isShared ? [0, 1, 0] : [K * inner, inner, 1]
  c.gf_gather(picked, x, places.dataPtr(), outer, shape[dim], inner, K, ...steps, mode)
}

/** The place of a picked cell in x. @param {Places} at @param {readonly number[]} index @returns {number[]} */
function sourceOf({ dim, places, isShared }, index) {
  const source = [...index]
  source[dim] = isShared ? places.at(index[dim]) : places.at(...index)
  return source
}

/**
 * Every picked cell that is one cell of x. @param {Places} at @param {readonly number[]} index @returns {number[][]}
 */
function picking(at, index) {
  const K = at.isShared ? at.places.size : at.places.shape[at.dim]
  const all = range(K).map(k => index.map((i, axis) => (axis === at.dim ? k : i)))
  return all.filter(one => sourceOf(at, one)[at.dim] === index[at.dim])
}

/** @param {string} name @returns {import('../autograd.js').Operation} */
const lookup = name => ({
  name,
  axes: ({ inputs: { x } }, of) => of(x),
  parameters: ({ saved: { dim, places } }) => ({ dim, index: places.toArray() }),
  /* out[k] = x[index[k]]  =>  dx[index[k]] += dout[k] */
  backward({ inputs: { x }, outputs: { out }, saved }, gradient) {
    walk(out.engine, gradient(out), gradient(x), x.shape, saved, SCATTER_ADD)
  },
  explain: ({ inputs: { x }, saved }, _, index) => sumOf('out = x', [product(cell(x, sourceOf(saved, index), 'x'))]),
  explainGradient: ({ outputs: { out }, saved }, _, index, d) => (
    { formula: 'dx = Σ dout', terms: picking(saved, index).map(at => product(d(out, at, 'dout'))) })
})

/** @type {Record<string, import('../autograd.js').Operation>} */
const lookups = { gather: lookup('gather'), indexSelect: lookup('index_select') }

/**
 * Places along an axis, every one of them inside.
 * @param {string} where @param {Tensor} x @param {number} dim @param {any} index
 * @param {any} [src] what is put there
 * @returns {{ places: Tensor, origin: { places: Tensor } }}
 */
function placesFor(where, x, dim, index, src) {
  const { engine } = x, given = toIdTensor(engine, where, 'index', index), side = x.shape[dim]
  const ids = needsSaving(engine, x, src) ? copyIdsForBackward(given, index) : given
  const wrong = engine.c.gf_embedding_check(ids.dataPtr(), ids.size, side)
  expect(wrong < 0, 'index', () => `${where}: index must be from 0 to ${side - 1}, the indices on axis ${dim}, ` +
    `got ${ids.values[wrong]} at index ${wrong}`)
  return { places: ids, origin: { places: given } }
}

/** The axis, before index as in PyTorch. @param {string} where @param {unknown} dim @param {number} rank */
function firstOf(where, dim, rank) {
  expect(typeof dim === 'number', 'type', () => `${where}: dim comes first, then index, an int32 tensor or nested arrays; got ${describe(dim)}`)
  return axisOf(where, dim, rank)
}

/** @param {'gather' | 'indexSelect'} name @param {Tensor} x @param {readonly number[]} shape @param {Places} at */
function lookedUp(name, x, shape, at) {
  return runAsInt(x, source => {
    const out = source.engine.empty(shape, source.dtype)
    walk(source.engine, out.dataPtr(), source.dataPtr(), source.shape, at, GATHER)
    return record(source.engine, lookups[name], { x: source }, { out }, at)
  })
}

/**
 * Cells at the places of a list along an axis: torch.index_select.
 * @param {Tensor} x @param {number} dim @param {any} index [K], nested or an int32 tensor @returns {Tensor}
 */
export function indexSelect(x, dim, index) {
  const { shape } = expectMovable('indexSelect', x), axis = firstOf('indexSelect', dim, shape.length)
  const { places, origin } = placesFor('indexSelect', x, axis, index)
  expect(places.shape.length === 1, 'shape', () => `indexSelect: index must be a list, got ${describe(places)}`)
  const sides = shape.map((side, a) => (a === axis ? places.size : side))
  return lookedUp('indexSelect', x, sides, { dim: axis, places, isShared: true, origin })
}

/**
 * For each cell of index the one of x that it says along an axis: torch.gather.
 * @param {Tensor} x @param {number} dim @param {any} index as many axes as x, none of them longer but dim
 * @returns {Tensor}
 * @example
 * gf.tensor([[1, 2], [3, 4]]).gather(1, [[1], [0]])   // [[2], [3]]
 */
export function gather(x, dim, index) {
  const { shape } = expectMovable('gather', x), axis = firstOf('gather', dim, shape.length)
  const { places, origin } = placesFor('gather', x, axis, index), sides = places.shape
  const fits = sides.length === shape.length && sides.every((side, a) => a === axis || side <= shape[a])
  expect(fits, 'shape', () => `gather: index must have ${shape.length} axes, none but ${axis} longer than those of ` +
    `${formatShape(shape)}, got ${formatShape(sides)}`)
  const part = sides.reduce((rest, side, a) => (a === axis || side === shape[a] ? rest : narrow(rest, a, 0, side)), x)
  return lookedUp('gather', part, sides, { dim: axis, places, isShared: false, origin })
}

/** @param {string} name @param {boolean} isAdded @returns {import('../autograd.js').Operation} */
const placing = (name, isAdded) => ({
  name,
  axes: ({ inputs: { x } }, of) => of(x),
  parameters: ({ saved: { dim, places } }) => ({ dim, index: places.toArray() }),
  /*
   * out = x but out[index[k]] = src[k], or += src[k]  =>  dsrc[k] += dout[index[k]],  dx += dout, in places that stay
   */
  backward({ inputs: { x, src }, outputs: { out }, saved }, gradient) {
    const { engine } = out, { c } = engine, dx = gradient(x), dsrc = gradient(src), dout = gradient(out)
    engine.tidy(() => {
      const picked = engine.zeros(saved.places.shape), rest = engine.empty(x.shape)
      if (dx) {
        rest.values.set(engine.memory.floats(dout, rest.size))
        if (!isAdded) walk(engine, picked.dataPtr(), rest.dataPtr(), x.shape, saved, SCATTER)
        c.gf_accumulate(dx, rest.dataPtr(), rest.size)
      }
      if (!dsrc) return
      walk(engine, picked.dataPtr(), dout, x.shape, saved, GATHER)
      c.gf_accumulate(dsrc, picked.dataPtr(), picked.size)
    })
  },
  explain({ inputs: { x, src }, saved }, _, index) {
    const all = picking(saved, index), sources = (isAdded ? all : all.slice(-1)).map(
      at => product(cell(src, at, 'src')))
    const own = product(cell(x, index, 'x'))
    if (isAdded) return sumOf('out = x + Σ src', [own, ...sources])
    return sources.length ? sumOf('out = src', sources) : sumOf('out = x', [own])
  },
  explainGradient({ outputs: { out }, saved }, input, index, d) {
    if (input === 'src') return { formula: 'dsrc = dout', terms: [product(d(out, sourceOf(saved, index), 'dout'))] }
    const isPutOver = !isAdded && picking(saved, index).length > 0
    return isPutOver ? { formula: '0', terms: [] } : { formula: 'dx = dout', terms: [product(d(out, index, 'dout'))] }
  }
})

const PLACINGS = { scatter: placing('scatter', false), scatterAdd: placing('scatter_add', true) }

/**
 * @param {'scatter' | 'scatterAdd'} where @param {Tensor} x @param {number} dim @param {any} index
 * @param {Tensor | number} src
 */
function placed(where, x, dim, index, src) {
  const { engine, shape } = expectMovable(where, x), axis = axisOf(where, dim, shape.length)
  const { places, origin } = placesFor(where, x, axis, index, src), sides = places.shape
  const at = { dim: axis, places, isShared: false, origin }
  const values = typeof src === 'number' ? filled(engine, sides, src, x.dtype) : expectTensor(where, 'src', src)
  const fits = sides.length === shape.length && sides.every((side, a) => a === axis || side === shape[a])
  expect(fits && sameShape(values.shape, sides), 'shape',
    () => `${where}: index and src must have one shape, that of x ` +
      `${formatShape(shape)} except on axis ${axis}; got ${formatShape(sides)} and ${formatShape(values.shape)}`)
  expectSameEngine(where, x, values)
  expect(values.dtype === x.dtype && x.dtype !== 'bool', 'type',
    () => `${where}: x and src must both be float32 or int32, got ${describe(x)} and ${describe(values)}`)
  const out = engine.empty(shape, x.dtype), mode = where === 'scatter' ? SCATTER : SCATTER_ADD
  expect(x.dtype === 'float32' || mode === SCATTER, 'type',
    () => `${where}: x must be a float32 tensor, got ${describe(x)}`)
  out.copyFrom(x)
  walk(engine, values.dataPtr(), out.dataPtr(), shape, at, mode)
  record(engine, PLACINGS[where], { x, src: values }, { out }, at)
  if (values !== src && !needsSaving(engine, x)) values.dispose()
  return out
}

/**
 * @param {import('../engine.js').Engine} engine @param {readonly number[]} shape @param {number} value
 * @param {any} dtype
 */
function filled(engine, shape, value, dtype) {
  const out = engine.empty(shape, dtype)
  out.values.fill(value)
  return out
}

/**
 * x with the cells that index says along an axis replaced by those of src: torch.scatter. Of several for one cell the
 * last is written, and, as in PyTorch, each of them gets the gradient of the cell.
 * @param {Tensor} x @param {number} dim @param {any} index @param {Tensor | number} src of index's shape
 * @returns {Tensor}
 */
export const scatter = (x, dim, index, src) => placed('scatter', x, dim, index, src)

/**
 * x with src added to the cells that index says along an axis: torch.scatter_add.
 * @param {Tensor} x @param {number} dim @param {any} index @param {Tensor | number} src of index's shape
 * @returns {Tensor}
 */
export const scatterAdd = (x, dim, index, src) => placed('scatterAdd', x, dim, index, src)

/**
 * The cells where a mask is true, in a row: torch.masked_select, x[mask].
 * @param {Tensor} x @param {Tensor} mask bool, broadcasts to x @returns {Tensor} [count]
 */
export function maskedSelect(x, mask) {
  const { engine, shape } = expectMovable('maskedSelect', x), given = expectTensor('maskedSelect', 'mask', mask)
  expect(given.dtype === 'bool', 'type', () => `maskedSelect: mask must be a bool tensor, got ${describe(given)}`)
  return engine.gradEnabled || engine.trace ? selected(x, expand(given, shape)) :
      engine.tidy(() => selected(x, expand(given, shape)))
}

/** @param {Tensor} x @param {Tensor} mask of its shape */
function selected(x, mask) {
  return indexSelect(flattenAxes(x), 0, nonzero(flattenAxes(mask)).reshape(-1))
}

/** How many there are depends on the values. @type {import('../autograd.js').Operation} */
const places = {
  name: 'nonzero',
  backward() {},
  explain: ({ outputs: { out } }, _, index) => (
    { formula: 'the place of an x ≠ 0', terms: [], computed: out.at(...index) }),
  explainGradient: () => ({ formula: 'no gradient: it jumps', terms: [] })
}

/**
 * The places of cells that are not 0, in order: torch.nonzero.
 * @param {Tensor} x @returns {Tensor} [count, rank] int32
 */
export function nonzero(x) {
  const { engine, shape, values } = expectTensor('nonzero', 'x', x)
  const found = indicesOf(shape).filter((_, i) => values[i] !== 0)
  const out = tensor(engine, Int32Array.from(found.flat()), { shape: [found.length, shape.length] })
  return record(engine, places, { x }, { out })
}
