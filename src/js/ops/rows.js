import { describe, expect } from '../errors.js'
import { sizeOf } from '../tensor/shape.js'

/**
 * Applies kernels for rows along any axes: these axes are moved to the end, as a copy, by repeatedly exchanging
 * neighboring groups of axes.
 *
 * @typedef {import('../tensor/tensor.js').Tensor} Tensor
 * @typedef {import('../engine/engine.js').Engine} Engine
 * @typedef {[outer: number, A: number, middle: number, B: number, inner: number]} Exchange arguments of gf_transpose
 * @typedef {{ axes: number[], N: number, C: number, steps: Exchange[] }} Rows
 */

/**
 * An axis; negative numbers count from the end. A scalar counts as having one axis.
 * @param {string} where @param {Tensor} x @param {unknown} dim @returns {number}
 */
export function axisOf(where, x, dim) {
  const rank = Math.max(x.shape.length, 1), fits = Number.isInteger(dim) && Number(dim) >= -rank && Number(dim) < rank
  expect(fits, typeof dim === 'number' ? 'range' : 'type',
    () => `${where}: dim must be an integer from ${-rank} to ${rank - 1}, got ${describe(dim)}`)
  return Number(dim) < 0 ? Number(dim) + rank : Number(dim)
}

/**
 * The axes of an option dim: one, several, or all for undefined, null or an empty array.
 * @param {string} where @param {Tensor} x @param {unknown} dim
 * @returns {number[]}
 */
export function axesOf(where, x, dim) {
  const isAll = dim === undefined || dim === null || (Array.isArray(dim) && dim.length === 0)
  if (isAll) return x.shape.map((_, axis) => axis)
  const axes = (Array.isArray(dim) ? dim : [dim]).map(axis => axisOf(where, x, axis))
  const twice = axes.find((axis, i) => axes.indexOf(axis) < i)
  expect(twice === undefined, 'range', () => `${where}: dim names axis ${twice} twice`)
  return axes.filter(axis => axis < x.shape.length)
}

/**
 * The exchanges that turn x into rows of the cells along some axes.
 * @param {readonly number[]} shape @param {number[]} axes @returns {Rows}
 */
export function rowsAlong(shape, axes) {
  /** @type {{ side: number, isRow: boolean }[]} */ let groups = []
  const push = (/** @type {typeof groups} */ list, /** @type {number} */ side, /** @type {boolean} */ isRow) => {
    const last = list.at(-1)
    if (last?.isRow === isRow) last.side *= side
    else list.push({ side, isRow })
  }
  shape.forEach((side, axis) => push(groups, side, axes.includes(axis)))
  /** @type {Exchange[]} */ const steps = []
  for (;;) {
    const at = groups.findIndex((group, i) => group.isRow && i + 1 < groups.length)
    if (at < 0) break
    const sides = groups.map(group => group.side)
    steps.push([sizeOf(sides.slice(0, at)), sides[at], 1, sides[at + 1], sizeOf(sides.slice(at + 2))])
    const moved = [...groups.slice(0, at), groups[at + 1], groups[at], ...groups.slice(at + 2)]
    groups = []
    for (const { side, isRow } of moved) push(groups, side, isRow)
  }
  const C = sizeOf(axes.map(axis => shape[axis]))
  return { axes, N: sizeOf(shape.filter((_, axis) => !axes.includes(axis))), C, steps }
}

/**
 * Calls `use` with the address of the cells at `from` arranged in rows, which may be a temporary copy.
 * @template T @param {Engine} engine @param {number} from @param {number} size
 * @param {Rows} rows @param {(address: number) => T} use @returns {T}
 */
export function readRows(engine, from, size, { steps }, use) {
  /** @type {Tensor[]} */ const copies = []
  for (const step of steps) {
    const copy = engine.empty([size])
    engine.c.gf_transpose_forward(copy.dataPtr(), from, ...step)
    copies.push(copy)
    from = copy.dataPtr()
  }
  const result = use(from)
  for (const copy of copies) copy.dispose()
  return result
}

/**
 * Lets `fill` add to rows of zeros, and adds these to the cells at `to` in their own order.
 * @param {Engine} engine @param {number} to @param {number} size
 * @param {Rows} rows @param {(address: number) => void} fill
 */
export function addRows(engine, to, size, { steps }, fill) {
  if (!steps.length) {
    fill(to)
    return
  }
  let rows = engine.zeros([size])
  fill(rows.dataPtr())
  for (const [i, step] of [...steps.entries()].reverse()) {
    const previous = i ? engine.zeros([size]) : null
    engine.c.gf_transpose_backward(previous?.dataPtr() ?? to, rows.dataPtr(), ...step)
    rows.dispose()
    if (previous) rows = previous
  }
}

/**
 * Lets `fill` write rows, and copies them to the cells at `to` in their own order.
 * @param {Engine} engine @param {number} to @param {number} size
 * @param {Rows} rows @param {(address: number) => void} fill
 */
export function writeRows(engine, to, size, { steps }, fill) {
  if (!steps.length) {
    fill(to)
    return
  }
  let rows = engine.empty([size])
  fill(rows.dataPtr())
  for (const [i, [outer, A, middle, B, inner]] of [...steps.entries()].reverse()) {
    const previous = i ? engine.empty([size]) : null
    engine.c.gf_transpose_forward(previous?.dataPtr() ?? to, rows.dataPtr(), outer, B, middle, A, inner)
    rows.dispose()
    if (previous) rows = previous
  }
}

/**
 * The indices of the cells along some axes, for one index of the other axes, in order.
 * @param {readonly number[]} shape @param {number[]} axes @param {readonly number[]} rest the index of the other axes
 * @returns {number[][]}
 */
export function cellsAlong(shape, axes, rest) {
  let next = 0
  /** @type {number[][]} */ let indices = [[]]
  shape.forEach((side, axis) => {
    const own = axes.includes(axis) ? Array.from({ length: side }, (_, i) => i) : [rest[next++]]
    indices = indices.flatMap(head => own.map(i => [...head, i]))
  })
  return indices
}
