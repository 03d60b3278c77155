/** The rooms of the page: the house, which exists before any run, then those of the displayed run. */

import { modelOf } from '../models/index.js'
import { deriveRooms } from './derive.js'
import { segmentationStages } from './entry.js'
import { HOUSE } from './house.js'

/** @import { Room, Run, Structure } from '../types.d.ts' */

const EMPTY = [HOUSE]

/** The rooms by structure, and by the key of `otherDependencies`. @type {WeakMap<Structure, Map<string, Room[]>>} */
const cache = new WeakMap()
/** Equal lists of rooms are shared. The page and its twin need two, returning to an earlier state a few more. */
/** @type {Map<string, Room[]>} */
const lists = new Map()
const MAX_LISTS = 8

/** @param {string} key @param {Room[]} rooms */
function sharedList(key, rooms) {
  const list = lists.get(key) ?? rooms
  lists.delete(key)
  lists.set(key, list)
  if (lists.size > MAX_LISTS) lists.delete([...lists.keys()][0])
  return list
}

/**
 * A key for everything besides the structure that rooms depend on: equal modules may have different tokenizers.
 * @param {Run} run
 */
const otherDependencies = ({ settings: { model }, hints, passes, streams }) => JSON.stringify([
  model, hints, passes.some(({ kind }) => kind === 'token'),
  ...Object.entries(streams).map(([name, stream]) => (
    [name, stream.isBatch, stream.isAnswer, segmentationStages(stream)]))
])

/**
 * The rooms of a run; runs of the same structure share one list.
 * @param {Run | null} run
 * @returns {Room[]}
 */
export function roomsOf(run) {
  if (!run) return EMPTY
  const byKey = cache.get(run.structure) ?? new Map(), key = otherDependencies(run)
  cache.set(run.structure, byKey)
  if (!byKey.has(key)) {
    const { model } = run.settings
    const rooms = [HOUSE, ...(modelOf(model).rooms ?? deriveRooms)(run)]
    byKey.set(key, sharedList(`${model}${JSON.stringify(rooms)}`, rooms))
  }
  return byKey.get(key)
}

/**
 * The room with an id, or the first of a kind: by the name of its words, or of its stage.
 * @param {Room[]} rooms @param {string} name
 */
export const findRoomNamed = (rooms, name) => rooms.find(({ id }) => id === name) ??
  rooms.find(({ words }) => words === name) ?? rooms.find(({ stage }) => stage === name)

/**
 * The room of an id; where this run has none, the first at the same place, or the house.
 * @param {Room[]} rooms
 * @param {string} name
 */
export function roomOf(rooms, name) {
  const room = findRoomNamed(rooms, name)
  if (room) return room
  for (let place = name; place.includes('.');) {
    place = place.slice(0, place.lastIndexOf('.'))
    const near = rooms.find(({ id }) => id === place || id.startsWith(`${place}.`))
    if (near) return near
  }
  return rooms[0]
}

/**
 * The room to enter when a new run lacks the current one: the last room before it that still exists.
 * @param {Room[]} rooms @param {string} name
 * @param {Room[]} before the previous rooms
 */
export function roomNear(rooms, name, before) {
  const at = before.findIndex(({ id }) => id === name)
  const near = before.slice(0, at + 1).findLast(({ id }) => rooms.some(room => room.id === id))
  return roomOf(rooms, near?.id ?? name)
}

/** The output of a room, or undefined. @param {Room} room */
export const outputOf = ({ tensors }) => tensors[0]

/**
 * The room that a tensor belongs to, or undefined.
 * @param {Room[]} rooms @param {string} name @param {Run} [run]
 */
export function roomOfTensor(rooms, name, run) {
  const resolved = run?.aliases?.get(name) ?? name
  return rooms.find(({ tensors }) => tensors.includes(resolved))
}
