/** The layout of a model with layers: towers side by side, floors of rooms as thumbnails. */

import { h, setText, svg, targetOf } from '../lib/dom.js'
import { drawConnector } from '../lib/connector.js'

/** @import { Door, Plan } from './index.js' */
/** @import { Context, Room, Translate } from '../types.d.ts' */

/** @typedef {{ layer?: number, block: string, doors: Door[] }} DoorFloor */

/** The rooms of one tower in floors: adjacent rooms of the same layer and block. @param {Door[]} doors */
function floorsOf(doors) {
  /** @type {DoorFloor[]} */ const floors = []
  for (const door of doors) {
    const { layer, block } = door.room
    const last = floors.at(-1)
    if (last && last.layer === layer && last.block === block) last.doors.push(door)
    else floors.push({ layer, block, doors: [door] })
  }
  return floors
}

/**
 * The room whose shape represents its floor: the one with a picture in the whole house.
 * @param {Pick<DoorFloor, 'doors'>} floor
 */
const spokesman = ({ doors }) => (
  doors.find(({ room }) => ['weights', 'cross', 'activation'].includes(room.stage)) ?? doors[doors.length - 1]).room

/** @param {DoorFloor} floor @param {Translate} t */
function buildFloor({ layer, block, doors }, t) {
  const shape = h('small', { className: 'shape' })
  const name = t(`map.blocks.${block}`)
  for (const { link, name: full } of doors) {
    link.setAttribute('aria-label', full)
    link.title = full
  }
  const reads = doors.some(({ room }) => room.stage === 'cross')
  const element = h('section', { 'className': 'floor', 'data-block': block, 'data-layer': layer,
    'data-wire': reads ? 'to' : '' },
  h('h3', {}, h('span', {}, name), shape), h('ol', {}, doors.map(door => door.element)))
  return { element, shape, room: spokesman({ doors }), block, layer }
}

/**
 * The connector from the top of the encoder to every cross-attention, through the gap between the towers.
 * @param {Element} wire @param {Element} root
 */
const drawMemoryWire = (wire, root) => drawConnector(wire, root, root.querySelector('[data-wire="from"] .stamp'),
  root.querySelectorAll('[data-wire="to"]'))

/**
 * @param {Element} container
 * @param {Door[]} doors
 * @param {Pick<Context, 't'>} context @returns {Plan}
 */
export function towers(container, doors, { t }) {
  /** @type {ReturnType<typeof buildFloor>[]} */ const floors = []
  const names = [...new Set(doors.map(({ room }) => room.tower))]
  /** @param {string | undefined} tower */
  const buildTower = tower => {
    const own = floorsOf(doors.filter(({ room }) => room.tower === tower)).map(floor => buildFloor(floor, t))
    floors.push(...own)
    const storeys = own.map(({ element, layer }, i) => {
      const starts = layer !== undefined && own[i - 1]?.layer !== layer
      return starts ? [h('p', { className: 'storey' }, t('map.layer', { number: layer + 1 })), element] : element
    })
    const heading = names.length > 1 ? h('h2', {}, t(`map.${tower}`)) : ''
    return h('section', { 'className': 'tower', 'data-tower': tower }, heading, storeys)
  }
  const wire = svg('path', { class: 'memory-wire' })
  const here = h('p', { 'className': 'map-here', 'aria-hidden': 'true' })
  const root = h('div', { className: 'towers' },
    svg('svg', { 'class': 'memory', 'aria-hidden': 'true' }, wire), names.map(buildTower))
  container.classList.add('has-towers')
  container.replaceChildren(root, here)
  new ResizeObserver(() => drawMemoryWire(wire, root)).observe(root)
  let lastShape = ''
  /** @param {string} text */
  const say = text => setText(here, text)
  /** @param {Event} event */
  const doorOf = event => doors.find(({ link }) => link.contains(targetOf(event)))
  for (const type of ['pointerover', 'focusin']) root.addEventListener(type, event => {
    const door = doorOf(event)
    if (door) say(door.name)
  })
  for (const type of ['pointerleave', 'focusout']) root.addEventListener(type, () => say(lastShape))
  return {
    /** @param {Room} room the current one @param {((room: Room) => string) | null} shapeOf */
    update(room, shapeOf) {
      lastShape = doors.find(door => door.room === room)?.name ?? ''
      say(lastShape)
      if (shapeOf) for (const floor of floors) setText(floor.shape, shapeOf(floor.room))
    }
  }
}
