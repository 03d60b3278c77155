/** Rows of large tables: only the requested ones leave the engine. */

/** @import { LibraryRun, SomeRows } from '../types.d.ts' */

/** How many of the rows with the largest values are reported. */
const LARGEST_ROWS = 5

/** The extent of each table of a run. @type {WeakMap<LibraryRun, Map<string, SomeRows['extent']>>} */
const extentsByRun = new WeakMap()

/**
 * The largest magnitude in a table, and the rows with its largest values.
 * @param {ArrayLike<number>} values @param {number} cols
 */
export function extentOf(values, cols) {
  /** @type {{ row: number, size: number }[]} */ let best = []
  for (let row = 0, at = 0; at < values.length; row++) {
    let size = 0
    for (const end = at + cols; at < end; at++) {
      const own = Math.abs(values[at])
      if (own > size && own < Infinity) size = own
    }
    if (best.length < LARGEST_ROWS || size > best[LARGEST_ROWS - 1].size) {
      best = [...best, { row, size }].sort((a, b) => b.size - a.size || a.row - b.row).slice(0, LARGEST_ROWS)
    }
  }
  return { peak: best[0]?.size ?? 0, largest: best.map(({ row }) => row) }
}

/** @param {LibraryRun} run @param {string} name @param {number[]} rows @returns {SomeRows} */
export function someRows(run, name, rows) {
  const { values, shape: [, cols] } = run.tensor(name), data = new Float32Array(rows.length * cols)
  rows.forEach((row, i) => data.set(values.subarray(row * cols, (row + 1) * cols), i * cols))
  const extents = extentsByRun.get(run) ?? new Map()
  extentsByRun.set(run, extents)
  if (!extents.has(name)) extents.set(name, extentOf(values, cols))
  return { rows: data, extent: extents.get(name) }
}
