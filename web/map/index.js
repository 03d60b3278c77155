/** The map: every room with a thumbnail of its tensor, connected as the numbers flow. A click enters a room. */

import { fullRoomName } from '../lib/room_name.js'
import { outputOf, roomOf } from '../rooms/index.js'
import { list } from './list.js'
import { towers } from './towers.js'
import { createScale } from '../lib/color.js'
import { handleInternalClick, h } from '../lib/dom.js'
import { createSlicedWorker } from '../lib/scheduling.js'
import { formatShape } from '../lib/number.js'
import { NotLoaded, getDescription } from '../lib/run.js'
import { thumbnail } from '../lib/thumbnail.js'

/** @import { Context, Mode, Room, Run, View } from '../types.d.ts' */

/** @typedef {{ update: (here: Room, shapeOf: ((room: Room) => string) | null) => void }} Plan */

/** Thumbnails outlive the texts around them, so another language redraws nothing. */
/** @type {WeakMap<Room, ReturnType<typeof thumbnail>>} */
const pictures = new WeakMap()

/** @param {Room} room @param {HTMLElement} stamp */
function pictureOf(room, stamp) {
  const picture = pictures.get(room) ?? thumbnail(stamp)
  pictures.set(room, picture)
  stamp.append(picture.element)
  return picture
}

/** @typedef {ReturnType<typeof door>} Door */

/**
 * A room's link with its thumbnail; the layouts add the rest.
 * @param {Room} room @param {Pick<Context, 't' | 'enterRoom'>} context
 */
function door(room, { t, enterRoom: enter }) {
  const stamp = h('span', { className: 'stamp' })
  const link = h('a', { onclick: handleInternalClick(() => enter(room.id)) }, stamp)
  return {
    room, link, stamp, name: fullRoomName(room, t), shortName: t(`stages.${room.words}.name`),
    element: h('li', { 'data-room': room.id, 'data-wire': room.words === 'memory' ? 'from' : '' }, link),
    picture: pictureOf(room, stamp)
  }
}

/** Restarts the highlight of a changed thumbnail. @param {Element} stamp */
function pulse(stamp) {
  stamp.classList.remove('is-changed')
  requestAnimationFrame(() => stamp.classList.add('is-changed'))
}

/** The shape of a room's output. @param {Run} run @param {Room} room */
function shapeOf(run, room) {
  const name = outputOf(room)
  const tensor = name && getDescription(run, name)
  if (!tensor) return ''
  return tensor.shape[0] === 1 ? tensor.shape.slice(1).join('×') : formatShape(tensor.shape)
}

/**
 * Mounts the map.
 * @param {Element} container
 * @param {Pick<Context, 't' | 'enterRoom' | 'href'>} context
 */
export function map(container, context) {
  /** @type {Room[]} */ let rooms = []
  /** @type {Door[]} */ let doors = []
  /** @type {Plan | undefined} */ let plan
  /** Rooms whose values are not loaded. @type {Set<Room>} */ const blank = new Set()
  const blankNote = h('p', { className: 'note map-blank', hidden: true }, context.t('map.blank'))
  /** @type {Room | null} */ let current = null
  /** @type {{ view: View, mode: Mode }} */ let lastView
  container.setAttribute('aria-label', context.t('map.label'))

  /** @param {Room[]} next */
  function build(next) {
    rooms = next
    current = null
    doors = rooms.map(room => door(room, context))
    const [home, ...inside] = doors
    const place = h('div', { className: 'plan' })
    home.link.append(h('span', { className: 'home-name' }, home.shortName))
    blank.clear()
    blankNote.hidden = true
    container.replaceChildren(h('ol', { className: 'map-home' }, home.element), blankNote, place)
    plan = (inside.some(({ room }) => room.layer !== undefined) ? towers : list)(place, inside, context)
  }
  /** @param {Room} room */
  function enter(room) {
    if (current === room) return
    current = room
    const { link } = doors[rooms.indexOf(room)]
    requestAnimationFrame(() => link.scrollIntoView({ block: 'nearest', inline: 'center' }))
  }
  /** @param {Door} door */
  function stampOf({ room, picture, stamp }) {
    const { view, mode } = lastView
    const stamped = stampNow(view, room)
    stamp.classList.toggle('is-off', !stamped)
    blankNote.hidden = blank.size === 0
    if (stamped && picture.update(stamped.part, createScale(stamped.domain, mode))) pulse(stamp)
  }
  /** The picture of a thumbnail; null where its values are not loaded. @param {View} view @param {Room} room */
  function stampNow(view, room) {
    blank.delete(room)
    try {
      return view.picture(room, {})
    } catch (error) {
      if (!(error instanceof NotLoaded)) throw error
      blank.add(room)
      return null
    }
  }
  /** Thumbnails are drawn after the figure. */
  const draw = createSlicedWorker(stampOf)
  return {
    /** @param {Run | null} run @param {View} view what is looked at @param {Mode} mode */
    update(run, view, mode) {
      if (rooms !== view.rooms) build(view.rooms)
      const here = roomOf(rooms, view.room.id)
      doors.forEach(({ room, link }) => {
        link.setAttribute('href', context.href(room.id))
        if (room === here) link.setAttribute('aria-current', 'step')
        else link.removeAttribute('aria-current')
      })
      lastView = { view, mode }
      draw(run ? doors : [])
      plan?.update(here, run && (room => shapeOf(run, room)))
      enter(here)
    }
  }
}
