/** The rooms of the page: those of the displayed run, after the whole house, which exists before any run. */

import { modelOf } from '../models/index.js'
import { deriveRooms } from './derive.js'
import { segmentationStages } from './entry.js'

/** @import { Room, Run, Structure } from '../types.d.ts' */

/** The first room: the whole house. @type {Room} */
export const HOUSE = {
  id: 'house', stage: 'house', words: 'house', parts: {}, tensors: [], block: 'house', isOnTour: true, from: [],
  aside: 'reading'
}
const EMPTY = [HOUSE]

/** The rooms by structure, and by what else they depend on. @type {WeakMap<Structure, Map<string, Room[]>>} */
const cache = new WeakMap()
/** Cached lists: the page and its twin need two, going back and forth a few more. */
/** @type {Map<string, Room[]>} */
const lists = new Map()
const MAX_LISTS = 8

/** @param {string} key @param {Room[]} rooms */
function listed(key, rooms) {
  const list = lists.get(key) ?? rooms
  lists.delete(key)
  lists.set(key, list)
  if (lists.size > MAX_LISTS) lists.delete([...lists.keys()][0])
  return list
}

/**
 * What the rooms depend on besides the structure: two models of the same modules may have different tokenizers.
 * @param {Run} run
 */
const otherwise = ({ settings: { model }, hints, passes, streams }) => JSON.stringify([
  model, hints, passes.some(({ kind }) => kind === 'token'),
  ...Object.entries(streams).map(([name, one]) => [name, one.isBatch, one.isAnswer, segmentationStages(one)])
])

/**
 * The rooms of a run; runs of the same structure share one list.
 * @param {Run | null} run
 * @returns {Room[]}
 */
export function roomsOf(run) {
  if (!run) return EMPTY
  const ones = cache.get(run.structure) ?? new Map(), key = otherwise(run)
  cache.set(run.structure, ones)
  if (!ones.has(key)) {
    const { model } = run.settings
    const rooms = [HOUSE, ...(modelOf(model).rooms ?? deriveRooms)(run)]
    ones.set(key, listed(`${model}${JSON.stringify(rooms)}`, rooms))
  }
  return ones.get(key)
}

/**
 * The room of an id; where this run has none, the first at the same place, or the house.
 * @param {Room[]} rooms
 * @param {string} name
 */
export function roomOf(rooms, name) {
  const room = rooms.find(({ id }) => id === name)
  if (room) return room
  for (let place = name; place.includes('.');) {
    place = place.slice(0, place.lastIndexOf('.'))
    const near = rooms.find(({ id }) => id === place || id.startsWith(`${place}.`))
    if (near) return near
  }
  return rooms[0]
}

/**
 * The room to enter when a run does not have the current one: the last one before it that still exists.
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
export function homeOf(rooms, name, run) {
  const resolved = run?.aliases?.get(name) ?? name
  return rooms.find(({ tensors }) => tensors.includes(resolved))
}
