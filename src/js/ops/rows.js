import { describe, expect } from '../errors.js'
import { sizeOf } from '../shape.js'

/**
 * Operations along any axes by kernels that know only rows: the axes in question are brought to the end, as a copy, by
 * exchanging neighbouring groups of axes until they are there.
 *
 * @typedef {import('../tensor.js').Tensor} Tensor
 * @typedef {import('../engine.js').Engine} Engine
 * @typedef {[outer: number, A: number, middle: number, B: number, inner: number]} Exchange as gf_transpose takes it
 * @typedef {{ axes: number[], N: number, C: number, steps: Exchange[] }} Rows
 */

/**
 * An axis, counted from the end if negative. A scalar counts as having one.
 * @param {string} where @param {Tensor} x @param {unknown} dim @returns {number}
 */
export function axisOf(where, x, dim) {
  const rank = Math.max(x.shape.length, 1), fits = Number.isInteger(dim) && Number(dim) >= -rank && Number(dim) < rank
  expect(fits, typeof dim === 'number' ? 'range' : 'type',
    () => `${where}: dim must be an integer from ${-rank} to ${rank - 1}, got ${describe(dim)}`)
  return Number(dim) < 0 ? Number(dim) + rank : Number(dim)
}

/**
 * One axis or several; all of them when none is given, as in PyTorch by an empty list, too.
 * @param {string} where @param {Tensor} x @param {unknown} dim a number, a list of them, undefined or null
 * @returns {number[]}
 */
export function axesOf(where, x, dim) {
  const isAll = dim === undefined || dim === null || (Array.isArray(dim) && dim.length === 0)
  if (isAll) return x.shape.map((_, axis) => axis)
  const axes = (Array.isArray(dim) ? dim : [dim]).map(one => axisOf(where, x, one))
  const twice = axes.find((axis, i) => axes.indexOf(axis) < i)
  expect(twice === undefined, 'range', () => `${where}: dim names axis ${twice} twice`)
  return axes.filter(axis => axis < x.shape.length)
}

/**
 * How x becomes rows of the cells along these axes.
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
 * Runs `use` on the address of `size` float32 cells at `from` as rows. Copies made for that end with it.
 * @template T @param {Engine} engine @param {number} from @param {number} size
 * @param {Rows} rows @param {(address: number) => T} use @returns {T}
 */
export function withRows(engine, from, size, { steps }, use) {
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
 * Lets `make` write rows, from zeros, and adds them to cells at `to` in their own order.
 * @param {Engine} engine @param {number} to @param {number} size
 * @param {Rows} rows @param {(address: number) => void} make
 */
export function addRows(engine, to, size, { steps }, make) {
  if (!steps.length) {
    make(to)
    return
  }
  let rows = engine.zeros([size])
  make(rows.dataPtr())
  for (const [i, step] of [...steps.entries()].reverse()) {
    const before = i ? engine.zeros([size]) : null
    engine.c.gf_transpose_backward(before?.dataPtr() ?? to, rows.dataPtr(), ...step)
    rows.dispose()
    if (before) rows = before
  }
}

/**
 * Lets `make` write rows, and puts them at `to` in the order of their cells.
 * @param {Engine} engine @param {number} to @param {number} size
 * @param {Rows} rows @param {(address: number) => void} make
 */
export function putRows(engine, to, size, { steps }, make) {
  if (!steps.length) {
    make(to)
    return
  }
  let rows = engine.empty([size])
  make(rows.dataPtr())
  for (const [i, [outer, A, middle, B, inner]] of [...steps.entries()].reverse()) {
    const before = i ? engine.empty([size]) : null
    engine.c.gf_transpose_forward(before?.dataPtr() ?? to, rows.dataPtr(), outer, B, middle, A, inner)
    rows.dispose()
    if (before) rows = before
  }
}

/**
 * The cells along the axes for one cell of the rest, in order.
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
