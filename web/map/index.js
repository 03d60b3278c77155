/** The building: every room with a stamp of its tensor, wired as the numbers flow. Click a room to enter it. */

import { placeName } from '../lib/place.js'
import { outputOf, roomOf } from '../rooms/index.js'
import { list } from './list.js'
import { towers } from './towers.js'
import { scale } from '../lib/color.js'
import { following, h } from '../lib/dom.js'
import { inSlices } from '../lib/later.js'
import { dimensions } from '../lib/number.js'
import { Unread, describedOf } from '../lib/run.js'
import { thumb } from '../lib/thumb.js'

/** The stamps outlive the words around them: in another language nothing is drawn again. */
const pictures = new WeakMap()

function pictureOf(room, stamp) {
  if (!pictures.has(room)) pictures.set(room, thumb(stamp))
  const picture = pictures.get(room)
  stamp.append(picture.element)
  return picture
}

/** A room's link with its stamp; what else stands in it is the plan's business. */
function door(room, { t, enter }) {
  const stamp = h('span', { className: 'stamp' })
  const link = h('a', { onclick: following(() => enter(room.id)) }, stamp)
  return {
    room, link, stamp, name: placeName(room, t), shortName: t(`stages.${room.words}.name`),
    element: h('li', { 'data-room': room.id, 'data-wire': room.words === 'memory' ? 'from' : '' }, link),
    picture: pictureOf(room, stamp)
  }
}

/** Restarts the pulse of a stamp. */
function pulse(stamp) {
  stamp.classList.remove('is-changed')
  requestAnimationFrame(() => stamp.classList.add('is-changed'))
}

/** What a room passes on, as a shape. */
function shapeOf(run, room) {
  const name = outputOf(room)
  const tensor = name && describedOf(run, name)
  if (!tensor) return ''
  return tensor.shape[0] === 1 ? tensor.shape.slice(1).join('×') : dimensions(tensor.shape)
}

/**
 * Mounts the map.
 * @param {Element} container
 * @param {{ t: Function, enter(room: string): void, href(room: string): string }} context
 */
export function map(container, context) {
  let rooms = null
  let doors = []
  let plan = null
  let current = null
  let shown = null
  container.setAttribute('aria-label', context.t('map.label'))

  function build(next) {
    rooms = next
    current = null
    doors = rooms.map(room => door(room, context))
    const [home, ...inside] = doors
    const place = h('div', { className: 'plan' })
    home.link.append(h('span', { className: 'home-name' }, home.shortName))
    container.replaceChildren(h('ol', { className: 'map-home' }, home.element), place)
    plan = (inside.some(({ room }) => room.layer !== undefined) ? towers : list)(place, inside, context)
  }
  function enter(room) {
    if (current === room) return
    current = room
    const { link } = doors[rooms.indexOf(room)]
    requestAnimationFrame(() => link.scrollIntoView({ block: 'nearest', inline: 'center' }))
  }
  function stampOf({ room, picture, stamp }) {
    const { view, mode } = shown
    const stamped = stampNow(view, room)
    stamp.classList.toggle('is-off', !stamped)
    if (stamped && picture.update(stamped.part, scale(stamped.domain, mode))) pulse(stamp)
  }
  /** What a stamp shows; where its numbers are not here, nothing. */
  function stampNow(view, room) {
    try {
      return view.picture(room, {})
    } catch (error) {
      if (error instanceof Unread) return null
      throw error
    }
  }
  /** Stamps are drawn after the figure that the reader looks at. */
  const draw = inSlices(stampOf)
  return {
    /** @param {object | null} run @param {object} view what is looked at @param {'light' | 'dark'} mode */
    update(run, view, mode) {
      if (rooms !== view.rooms) build(view.rooms)
      const here = roomOf(rooms, view.room.id)
      doors.forEach(({ room, link }) => {
        link.setAttribute('href', context.href(room.id))
        if (room === here) link.setAttribute('aria-current', 'step')
        else link.removeAttribute('aria-current')
      })
      shown = { view, mode }
      draw(run ? doors : [])
      plan.update(here, run && (room => shapeOf(run, room)))
      enter(here)
    }
  }
}
