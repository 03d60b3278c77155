/** Rows of large tables: only the requested ones leave the engine. */

import { DTYPES } from '../../src/js/tensor/dtype.js'
import { eachPart, floatRows } from '../models/float_rows.js'

/** @import { BlockRow, LibraryRun, LibraryTensor, SomeRows } from '../types.d.ts' */

/** How many of the rows with the largest values are reported. */
const LARGEST_ROWS = 5

/** The extent of each table of a run. @type {WeakMap<LibraryRun, Map<string, SomeRows['extent']>>} */
const extentsByRun = new WeakMap()

/**
 * The largest magnitude in a table, and the rows with its largest values.
 * @param {ArrayLike<number>} all the values @param {number} cols
 */
export const extentOf = (all, cols) => extentOfParts([{ values: all, at: 0 }], cols)

/** @param {Iterable<{ values: ArrayLike<number>, at: number }>} parts whole rows @param {number} cols */
function extentOfParts(parts, cols) {
  /** @type {{ row: number, size: number }[]} */ let best = []
  for (const { values, at: first } of parts) for (let row = first / cols, at = 0; at < values.length; row++) {
    let size = 0
    for (const end = at + cols; at < end; at++) {
      const magnitude = Math.abs(values[at])
      if (magnitude > size && magnitude < Infinity) size = magnitude
    }
    if (best.length < LARGEST_ROWS || size > best[LARGEST_ROWS - 1].size) {
      best = [...best, { row, size }].sort((a, b) => b.size - a.size || a.row - b.row).slice(0, LARGEST_ROWS)
    }
  }
  return { peak: best[0]?.size ?? 0, largest: best.map(({ row }) => row) }
}

/**
 * The blocks of some rows of a weight that is stored in those of a GGUF file.
 * @param {LibraryRun} run @param {string} name @param {number[]} rows @returns {BlockRow[] | undefined}
 */
function blocksOf(run, name, rows) {
  const tensor = run.tensor(name), { block } = DTYPES[tensor.dtype], { shape: [, cols] } = tensor
  if (!block) return undefined
  const stored = tensor.bytes // only here, since reading a weight in panels rearranges it
  const { values, bytes, center, decode } = block, count = cols / values
  return rows.map(row => {
    const blocks = Array.from({ length: count }, (_, i) => decode(stored, (row * count + i) * bytes))
    const codes = new Int8Array(cols)
    blocks.forEach((each, i) => codes.set(each.codes, i * values))
    const [scales, mins] = [blocks.flatMap(each => [...each.scales]), blocks.flatMap(each => [...each.mins])]
    return { values, bytes, center, scales: Float32Array.from(scales), mins: Float32Array.from(mins), codes }
  })
}

/** @param {LibraryTensor} tensor @param {number} row */
const rowOf = (tensor, row) => (tensor.dtype === 'float32'
  ? tensor.values.subarray(row * tensor.shape[1], (row + 1) * tensor.shape[1]) : floatRows(tensor, row, 1))

/** @param {LibraryRun} run @param {string} name @param {number[]} rows @returns {SomeRows} */
export function someRows(run, name, rows) {
  const tensor = run.tensor(name), { shape: [, cols] } = tensor, data = new Float32Array(rows.length * cols)
  rows.forEach((row, i) => data.set(rowOf(tensor, row), i * cols))
  const extents = extentsByRun.get(run) ?? new Map()
  extentsByRun.set(run, extents)
  if (!extents.has(name)) extents.set(name, extentOfParts(eachPart(tensor), cols))
  return { rows: data, extent: extents.get(name), blocks: blocksOf(run, name, rows) }
}
