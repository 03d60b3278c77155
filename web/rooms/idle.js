/** Rooms that change nothing under the current settings: their output equals their input, cell by cell. */

/** @import { Room, Run } from '../types.d.ts' */

/**
 * Input and output by stage.
 * @type {Record<string, [string, string]>}
 */
const PAIRS = {
  scale: ['dots', 'scores'], mask: ['scores', 'masked'], dropout: ['before', 'after'],
  attention_dropout: ['weights', 'kept']
}

/** @type {WeakMap<Run, Map<string, boolean>>} */ const cache = new WeakMap()

/** @param {Run} run @param {Room} room */
function compare(run, { stage, parts }) {
  const [before, after] = (PAIRS[stage] ?? []).map(part => run.tensors.get(parts[part])?.data)
  return Boolean(before && after && before.length === after.length && before.every((value, i) => value === after[i]))
}

/**
 * Whether the input and output of a room are equal in a run.
 * @param {Run} run @param {Room} room
 */
export function isIdle(run, room) {
  if (!(room.stage in PAIRS)) return false
  const rooms = cache.get(run) ?? new Map()
  cache.set(run, rooms)
  if (!rooms.has(room.id)) rooms.set(room.id, compare(run, room))
  return rooms.get(room.id)
}
