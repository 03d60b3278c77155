/**
 * The cell that is explained before the reader selects one: the largest value of the room's output, or the one that the
 * room specifies.
 */

import { getDescription, nullIfNotRetained } from '../lib/run.js'
import { cellIndexOf } from '../lib/slice.js'
import { outputOf } from '../rooms/index.js'
import { stageOf } from '../lib/stage_registry.js'

/** @import { Cell, Run, Slice, Stage, View } from '../types.d.ts' */

/** @type {(keyof View)[]} */
const VIEW_KEYS = ['sentence', 'head', 'layer', 'part', 'row', 'step']
/** @type {WeakMap<Run, { key: string, cell: Cell | null }>} */ const cellByRun = new WeakMap()

/** @param {Slice} part @param {[number, number]} range @param {[number, number]} [columns] of the displayed head */
function indexOfLargest({ values, cols }, [first, end], [from, to] = [0, cols]) {
  let bestIndex = -1
  for (let i = first; i < end; i++) {
    const isCandidate = Number.isFinite(values[i]) && i % cols >= from && i % cols < to
    if (isCandidate && (bestIndex < 0 || values[i] > values[bestIndex])) bestIndex = i
  }
  return bestIndex
}

/**
 * The cells to choose from; in a room that displays one step at a time, those of that step.
 * @param {Slice} part @param {Stage} stage @param {Run} run @param {View} view @returns {[number, number]}
 */
function cellRange({ rows, cols, values }, stage, run, view) {
  const row = run.decoding?.rows[view.row] ?? view.row
  return stage.pickers.includes('row') && row < rows ? [row * cols, (row + 1) * cols] : [0, values.length]
}

/** @param {Run} run @param {View} view @returns {Cell | null} */
function findFirstCell(run, view) {
  const { room } = view
  if (room.opening) return room.opening
  const stage = stageOf(room.stage)
  const name = outputOf(room) && getDescription(run, outputOf(room))?.name
  /** @type {Slice[]} */
  /** @type {Record<string, any>} */ const data = nullIfNotRetained(() => stage.data(run, view)) ?? {}
  const parts = Object.values(data).flat().filter(part => part?.axis && part.values)
  const part = parts.findLast(slice => slice.name === name) ?? parts.at(-1)
  const index = part ? indexOfLargest(part, cellRange(part, stage, run, view), data.headColumns) : -1
  return !part || index < 0 ? null
    : { name: part.name, index: cellIndexOf(part, Math.floor(index / part.cols), index % part.cols) }
}

/**
 * @param {Run} run
 * @param {View} view
 * @returns {Cell | null}
 */
export function getFirstCell(run, view) {
  const key = [view.room.id, ...VIEW_KEYS.map(name => view[name])].join()
  const cached = cellByRun.get(run)
  if (cached?.key === key) return cached.cell
  const cell = findFirstCell(run, view)
  cellByRun.set(run, { key, cell })
  return cell
}
