/** Links from a room to the previous and next one of the tour, with the rooms that they skip. */

import { following, h } from '../lib/dom.js'
import { ownName, partName } from '../lib/room_name.js'
import { isIdle } from '../rooms/idle.js'

/** @import { Context, Room, Run } from '../types.d.ts' */

const SHORTCUTS = { prev: 'ArrowLeft', next: 'ArrowRight' }

/** @typedef {{ element: HTMLElement, flow?: HTMLElement, update: () => void }} Way to a neighbour */
/** @typedef {{ step: number, direction: 'prev' | 'next', word: string }} Direction */

/**
 * Whether a room's links may lead to another: along the tour, or within a layer that is off it.
 * @param {Room} from @param {Room} to
 */
const leads = (from, to) => (
  Boolean(to.isOnTour || (!from.isOnTour && to.layer === from.layer && to.tower === from.tower)))

/**
 * A link to a neighboring room: where it is, if in another part of the model, and which rooms are skipped.
 * @param {Room} from @param {Room[]} rooms @param {Room[]} idle @param {Direction} to @param {Context} context
 * @returns {Way}
 */
function wayTo(from, rooms, idle, { step, direction, word }, { t, enter, href }) {
  const at = rooms.indexOf(from)
  const side = step < 0 ? rooms.slice(0, at).reverse() : rooms.slice(at + 1)
  const room = side.find(one => leads(from, one) && !idle.includes(one))
  if (!room) return { element: h('span'), update() {} }
  const flow = h('span', { className: 'shape' })
  const part = partName(room, t)
  const passed = step > 0 ? side.slice(0, side.indexOf(room)) : []
  const still = passed.filter(one => leads(from, one)).map(one => t('frame.idle', { name: ownName(one, t) }))
  const skips = [...still, ...(passed.length > still.length ? [t('frame.skips')] : [])]
  const element = h('a', {
    'className': `way-${direction}`, 'rel': direction, 'aria-keyshortcuts': SHORTCUTS[direction],
    'onclick': following(() => enter(room.id))
  }, h('small', {}, t(word)), part === partName(from, t) ? '' : h('span', { className: 'way-part' }, part),
  h('b', {}, ownName(room, t)), flow, skips.map(text => h('span', { className: 'way-skips' }, text)))
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
  const keys = h('p', { className: 'ways-keys' }, t('frame.keys'))
  const element = h('nav', { 'className': 'ways', 'aria-label': t('frame.ways') })
  /** @type {{ rooms: Room[], idle: Room[], ways: Way[] }} */
  let current = { rooms: [], idle: [], ways: [] }
  /** @param {Run | null} run */
  function update(run) {
    const rooms = context.rooms()
    const idle = run ? rooms.filter(one => isIdle(run, one)) : current.idle
    const ids = (/** @type {Room[]} */ list) => list.map(({ id }) => id).join()
    if (rooms !== current.rooms || ids(idle) !== ids(current.idle)) {
      const ways = directions.map(one => wayTo(room, rooms, idle, one, context))
      current = { rooms, idle, ways }
      element.replaceChildren(...ways.map(way => way.element), keys)
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
