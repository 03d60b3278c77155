/**
 * The cell that is explained before the reader selects one: the largest value of the room's output, or the one that the
 * room specifies.
 */

import { describedOf, orNull } from '../lib/run.js'
import { indexOf } from '../lib/slice.js'
import { outputOf } from '../rooms/index.js'
import { stageOf } from '../stages/index.js'

/** @import { Cell, Run, Slice, Stage, View } from '../types.d.ts' */

/** @type {(keyof View)[]} */
const VIEW_KEYS = ['sentence', 'head', 'layer', 'part', 'row', 'step']
/** @type {WeakMap<Run, { key: string, cell: Cell | null }>} */ const cellByRun = new WeakMap()

/** @param {Slice} part @param {number} first @param {number} end */
function largest({ values }, first, end) {
  let best = -1
  for (let i = first; i < end; i++) {
    if (Number.isFinite(values[i]) && (best < 0 || values[i] > values[best])) best = i
  }
  return best
}

/**
 * The cells to choose from; in a room that displays one step at a time, those of that step.
 * @param {Slice} part @param {Stage} stage @param {Run} run @param {View} view @returns {[number, number]}
 */
function lookedAt({ rows, cols, values }, stage, run, view) {
  const row = run.decoding?.rows[view.row] ?? view.row
  return stage.pickers.includes('row') && row < rows ? [row * cols, (row + 1) * cols] : [0, values.length]
}

/** @param {Run} run @param {View} view @returns {Cell | null} */
function find(run, view) {
  const { room } = view
  if (room.opening) return room.opening
  const stage = stageOf(room.stage)
  const name = outputOf(room) && describedOf(run, outputOf(room))?.name
  /** @type {Slice[]} */
  /** @type {Record<string, any>} */ const data = orNull(() => stage.data(run, view)) ?? {}
  const parts = Object.values(data).flat().filter(part => part?.axis && part.values)
  const part = parts.findLast(one => one.name === name) ?? parts.at(-1)
  const at = part ? largest(part, ...lookedAt(part, stage, run, view)) : -1
  return !part || at < 0 ? null : { name: part.name, index: indexOf(part, Math.floor(at / part.cols), at % part.cols) }
}

/**
 * @param {Run} run
 * @param {View} view
 * @returns {Cell | null}
 */
export function firstCell(run, view) {
  const key = [view.room.id, ...VIEW_KEYS.map(name => view[name])].join()
  const last = cellByRun.get(run)
  if (last?.key === key) return last.cell
  const cell = find(run, view)
  cellByRun.set(run, { key, cell })
  return cell
}
