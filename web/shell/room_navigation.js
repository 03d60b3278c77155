/** Links from a room to the previous and next one of the tour, with the rooms that they skip. */

import { handleInternalClick, h } from '../lib/dom.js'
import { roomName, partName } from '../lib/room_name.js'
import { isIdle } from '../rooms/idle.js'

/** @import { Context, Room, Run } from '../types.d.ts' */

const SHORTCUTS = { prev: 'ArrowLeft', next: 'ArrowRight' }

/** @typedef {{ element: HTMLElement, flow?: HTMLElement, update: () => void }} RoomLink to a neighbour */
/** @typedef {{ step: number, direction: 'prev' | 'next', word: string }} Direction */

/**
 * Whether a room's links may lead to another: along the tour, or within a layer that is off it.
 * @param {Room} from @param {Room} to
 */
const canLead = (from, to) => (
  Boolean(to.isOnTour || (!from.isOnTour && to.layer === from.layer && to.tower === from.tower)))

/**
 * A link to a neighboring room: where it is, if in another part of the model, and which rooms are skipped.
 * @param {Room} from @param {Room[]} rooms @param {Room[]} idle @param {Direction} to @param {Context} context
 * @returns {RoomLink}
 */
function createRoomLink(from, rooms, idle, { step, direction, word }, { t, enterRoom: enter, href }) {
  const index = rooms.indexOf(from)
  const candidates = step < 0 ? rooms.slice(0, index).reverse() : rooms.slice(index + 1)
  const room = candidates.find(candidate => canLead(from, candidate) && !idle.includes(candidate))
  if (!room) return { element: h('span'), update() {} }
  const flow = h('span', { className: 'shape' })
  const part = partName(room, t)
  const skippedRooms = step > 0 ? candidates.slice(0, candidates.indexOf(room)) : []
  const idleNotes = skippedRooms.filter(room => canLead(from, room)).map(room => t('frame.idle', { name: roomName(room, t) }))
  const notes = [...idleNotes, ...(skippedRooms.length > idleNotes.length ? [t('frame.skips')] : [])]
  const element = h('a', {
    'className': `way-${direction}`, 'rel': direction, 'aria-keyshortcuts': SHORTCUTS[direction],
    'onclick': handleInternalClick(() => enter(room.id))
  }, h('small', {}, t(word)), part === partName(from, t) ? '' : h('span', { className: 'way-part' }, part),
  h('b', {}, roomName(room, t)), flow, notes.map(text => h('span', { className: 'way-skips' }, text)))
  return { element, flow, update: () => element.setAttribute('href', href(room.id)) }
}

/** Mounts the links of a room. @param {Room} room @param {Context} context */
export function roomLinks(room, context) {
  const { t } = context
  /** @type {Direction[]} */
  const directions = [
    { step: -1, direction: 'prev', word: 'frame.previous' },
    { step: 1, direction: 'next', word: context.rooms().indexOf(room) ? 'frame.next' : 'frame.start' }
  ]
  const keysHint = h('p', { className: 'ways-keys' }, t('frame.keys'))
  const element = h('nav', { 'className': 'ways', 'aria-label': t('frame.ways') })
  /** @type {{ rooms: Room[], idle: Room[], ways: RoomLink[] }} */
  let current = { rooms: [], idle: [], ways: [] }
  /** @param {Run | null} run */
  function update(run) {
    const rooms = context.rooms()
    const idle = run ? rooms.filter(candidate => isIdle(run, candidate)) : current.idle
    const ids = (/** @type {Room[]} */ list) => list.map(({ id }) => id).join()
    if (rooms !== current.rooms || ids(idle) !== ids(current.idle)) {
      const links = directions.map(direction => createRoomLink(room, rooms, idle, direction, context))
      current = { rooms, idle, ways: links }
      element.replaceChildren(...links.map(way => way.element), keysHint)
    }
    current.ways.forEach(way => way.update())
  }
  update(context.run())
  return {
    element, update,
    /** The container for the output that the next room receives. */
    flow: () => current.ways[1].flow
  }
}
