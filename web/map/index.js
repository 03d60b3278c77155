/** The map: every room with a thumbnail of its tensor, connected as the numbers flow. A click enters a room. */

import { fullRoomName } from '../lib/room_name.js'
import { HOUSE } from '../rooms/house.js'
import { outputOf, roomOf } from '../rooms/index.js'
import { mountList } from './list.js'
import { mountTowers } from './towers.js'
import { createScale } from '../lib/color.js'
import { handleInternalClick, h } from '../lib/dom.js'
import { createSlicedWorker } from '../lib/scheduling.js'
import { formatShape } from '../lib/number.js'
import { NotLoaded, getDescription } from '../lib/run.js'
import { thumbnail } from '../lib/thumbnail.js'

/** @import { Context, Mode, Room, Run, View } from '../types.d.ts' */

/** @typedef {{ update: (here: Room, shapeOf: ((room: Room) => string) | null) => void }} MapLayout */

/** @typedef {WeakMap<Room, ReturnType<typeof thumbnail>>} Thumbnails */

/** Thumbnails outlive the texts around them, so another language redraws nothing. */
/** @type {WeakMap<Element, Thumbnails>} */
const thumbnailsByContainer = new WeakMap()

/** @param {Room} room @param {HTMLElement} slot @param {Thumbnails} pictures */
function getThumbnail(room, slot, pictures) {
  const picture = pictures.get(room) ?? thumbnail(slot)
  pictures.set(room, picture)
  slot.append(picture.element)
  return picture
}

/** @typedef {ReturnType<typeof createDoor>} Door */

/**
 * A room's link with its thumbnail; the layouts add the rest.
 * @param {Room} room @param {Pick<Context, 't' | 'enterRoom'>} context @param {Thumbnails} pictures
 */
function createDoor(room, { t, enterRoom }, pictures) {
  const slot = h('span', { className: 'stamp' })
  const link = h('a', { onclick: handleInternalClick(() => enterRoom(room.id)) }, slot)
  return {
    room, link, stamp: slot, name: fullRoomName(room, t), shortName: t(`stages.${room.words}.name`),
    element: h('li', { 'data-room': room.id, 'data-wire': room.words === 'memory' ? 'from' : '' }, link),
    picture: getThumbnail(room, slot, pictures)
  }
}

/** Rooms above all others: the house, and the explanation of the answer. @param {Door} door */
const isHome = ({ room }) => room.id === HOUSE.id || room.stage === 'attribution'

/** Rooms that look inside of the whole model, which are listed by name: no thumbnail says what they are. */
const INSIDE = ['patching', 'ablation', 'head_scores', 'residual_stream']

/** Restarts the highlight of a changed thumbnail. @param {Element} slot */
function highlightChange(slot) {
  slot.classList.remove('is-changed')
  requestAnimationFrame(() => slot.classList.add('is-changed'))
}

/** The shape of a room's output. @param {Run} run @param {Room} room */
function shapeOf(run, room) {
  const name = outputOf(room)
  const tensor = name && getDescription(run, name)
  if (!tensor) return ''
  return tensor.shape[0] === 1 ? tensor.shape.slice(1).join('×') : formatShape(tensor.shape)
}

/** Scrolls to the current room. @param {HTMLElement} link */
const scrollToLink = link => link.scrollIntoView({ block: 'nearest', inline: 'center' })

/**
 * Mounts the map.
 * @param {Element} container
 * @param {Pick<Context, 't' | 'enterRoom' | 'href'>} context
 * @param {(link: HTMLElement) => void} [showLink] makes the link of the current room visible
 */
export function mountMap(container, context, showLink = scrollToLink) {
  const pictures = thumbnailsByContainer.get(container) ?? new WeakMap()
  thumbnailsByContainer.set(container, pictures)
  /** @type {Room[]} */ let rooms = []
  /** @type {Door[]} */ let doors = []
  /** @type {MapLayout | undefined} */ let layout
  /** Rooms whose values are not loaded. @type {Set<Room>} */ const unloadedRooms = new Set()
  const unloadedNote = h('p', { className: 'note map-blank', hidden: true }, context.t('map.blank'))
  /** @type {Room | null} */ let current = null
  /** @type {{ view: View, mode: Mode }} */ let lastView
  container.setAttribute('aria-label', context.t('map.label'))

  /** @param {Room[]} next */
  function build(next) {
    rooms = next
    current = null
    doors = rooms.map(room => createDoor(room, context, pictures))
    const homeDoors = doors.filter(isHome), insideDoors = doors.filter(({ room }) => INSIDE.includes(room.stage))
    const namedDoors = [...homeDoors, ...insideDoors], otherDoors = doors.filter(door => !namedDoors.includes(door))
    const layoutContainer = h('div', { className: 'plan' })
    namedDoors.forEach(({ link, shortName }) => link.append(h('span', { className: 'home-name' }, shortName)))
    const createList = (/** @type {Door[]} */ list) => h('ol', { className: 'map-home' }, list.map(({ element }) => element))
    unloadedRooms.clear()
    unloadedNote.hidden = true
    container.replaceChildren(createList(homeDoors), unloadedNote, layoutContainer,
      ...(insideDoors.length ? [createList(insideDoors)] : []))
    layout = (otherDoors.some(({ room }) => room.layer !== undefined) ? mountTowers : mountList)(layoutContainer,
      otherDoors, context)
  }
  /** @param {Room} room */
  function scrollToRoom(room) {
    if (current === room) return
    current = room
    const { link } = doors[rooms.indexOf(room)]
    requestAnimationFrame(() => showLink(link))
  }
  /** @param {Door} door */
  function updateThumbnail({ room, picture, stamp: slot }) {
    const { view, mode } = lastView
    const thumbnailPicture = computePicture(view, room)
    slot.classList.toggle('is-off', !thumbnailPicture)
    unloadedNote.hidden = unloadedRooms.size === 0
    if (thumbnailPicture &&
      picture.update(thumbnailPicture.part, createScale(thumbnailPicture.domain, mode))) highlightChange(slot)
  }
  /** The picture of a thumbnail; null where its values are not loaded. @param {View} view @param {Room} room */
  function computePicture(view, room) {
    unloadedRooms.delete(room)
    try {
      return view.picture(room, {})
    } catch (error) {
      if (!(error instanceof NotLoaded)) throw error
      unloadedRooms.add(room)
      return null
    }
  }
  /** Thumbnails are drawn after the figure. */
  const draw = createSlicedWorker(updateThumbnail)
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
      layout?.update(here, run && (room => shapeOf(run, room)))
      scrollToRoom(here)
    }
  }
}
