/** The cell that is taken apart before the reader points at one: the largest number of what the room passes on. */

import { outputOf } from './building.js'
import { tensorOf } from './lib/run.js'
import { indexOf } from './lib/slice.js'

const LOOKED_AT = ['stage', 'sentence', 'head', 'part', 'row', 'step']
const known = new WeakMap()

function largest({ values }, first, end) {
  let best = -1
  for (let i = first; i < end; i++) {
    if (Number.isFinite(values[i]) && (best < 0 || values[i] > values[best])) best = i
  }
  return best
}

/** The cells to choose from: of a room that shows one step at a time, those of that step. */
function lookedAt({ rows, cols, values }, { stage }, { row }) {
  return stage.pickers.includes('row') && row < rows ? [row * cols, (row + 1) * cols] : [0, values.length]
}

function find(room, run, state) {
  const name = outputOf(room) && tensorOf(run, outputOf(room))?.name
  const parts = Object.values(room.stage.data(run, state) ?? {}).filter((part) => part?.axis && part.values)
  const part = parts.findLast((one) => one.name === name) ?? parts.at(-1)
  const at = part ? largest(part, ...lookedAt(part, room, state)) : -1
  return at < 0 ? null : { name: part.name, index: indexOf(part, Math.floor(at / part.cols), at % part.cols) }
}

/**
 * @param {import('./building.js').Room} room
 * @param {object} run
 * @param {object} state what is looked at
 * @returns {import('./lib/cell.js').Cell | null}
 */
export function openingCell(room, run, state) {
  const key = LOOKED_AT.map((name) => state[name]).join()
  if (known.get(run)?.key !== key) known.set(run, { key, cell: find(room, run, state) })
  return known.get(run).cell
}
