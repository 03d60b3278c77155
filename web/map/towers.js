/** The layout of a model with layers: towers side by side, floors of rooms as thumbnails. */

import { h, setText, svg, targetOf } from '../lib/dom.js'
import { drawConnector } from '../lib/connector.js'

/** @import { Door, MapLayout } from './index.js' */
/** @import { Context, Room, Translate } from '../types.d.ts' */

/** @typedef {{ layer?: number, block: string, doors: Door[] }} DoorFloor */

/** The rooms of one tower in floors: adjacent rooms of the same layer and block. @param {Door[]} doors */
function groupIntoFloors(doors) {
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
 * The room whose shape is displayed for its floor: the one with a picture in the overview.
 * @param {Pick<DoorFloor, 'doors'>} floor
 */
const representativeRoom = ({ doors }) => (
  doors.find(({ room }) => ['weights', 'cross', 'activation'].includes(room.stage)) ?? doors[doors.length - 1]).room

/** @param {DoorFloor} floor @param {Translate} t */
function buildFloor({ layer, block, doors }, t) {
  const shape = h('small', { className: 'shape' })
  const name = t(`map.blocks.${block}`)
  for (const { link, name: fullName } of doors) {
    link.setAttribute('aria-label', fullName)
    link.title = fullName
  }
  const readsMemory = doors.some(({ room }) => room.stage === 'cross')
  const element = h('section', { 'className': 'floor', 'data-block': block, 'data-layer': layer,
    'data-wire': readsMemory ? 'to' : '' },
  h('h3', {}, h('span', {}, name), shape), h('ol', {}, doors.map(door => door.element)))
  return { element, shape, room: representativeRoom({ doors }), block, layer }
}

/**
 * The connector from the top of the encoder to every cross-attention, through the gap between the towers.
 * @param {Element} memoryPath @param {Element} root
 */
const drawMemoryWire = (memoryPath, root) => drawConnector(memoryPath, root, root.querySelector('[data-wire="from"] .stamp'),
  root.querySelectorAll('[data-wire="to"]'))

/**
 * @param {Element} container
 * @param {Door[]} doors
 * @param {Pick<Context, 't'>} context @returns {MapLayout}
 */
export function mountTowers(container, doors, { t }) {
  /** @type {ReturnType<typeof buildFloor>[]} */ const floors = []
  const names = [...new Set(doors.map(({ room }) => room.tower))]
  /** @param {string | undefined} tower */
  const buildTower = tower => {
    const towerFloors = groupIntoFloors(doors.filter(({ room }) => room.tower === tower)).map(floor =>
      buildFloor(floor, t))
    floors.push(...towerFloors)
    const elements = towerFloors.map(({ element, layer }, i) => {
      const isNewLayer = layer !== undefined && towerFloors[i - 1]?.layer !== layer
      return isNewLayer ? [h('p', { className: 'storey' }, t('map.layer', { number: layer })), element] : element
    })
    const heading = names.length > 1 ? h('h2', {}, t(`map.${tower}`)) : ''
    return h('section', { 'className': 'tower', 'data-tower': tower }, heading, elements)
  }
  const memoryPath = svg('path', { class: 'memory-wire' })
  const caption = h('p', { 'className': 'map-here', 'aria-hidden': 'true' })
  const root = h('div', { className: 'towers' },
    svg('svg', { 'class': 'memory', 'aria-hidden': 'true' }, memoryPath), names.map(buildTower))
  container.classList.add('has-towers')
  container.replaceChildren(root, caption)
  new ResizeObserver(() => drawMemoryWire(memoryPath, root)).observe(root)
  let lastShape = ''
  /** @param {string} text */
  const setCaption = text => setText(caption, text)
  /** @param {Event} event */
  const findDoor = event => doors.find(({ link }) => link.contains(targetOf(event)))
  for (const type of ['pointerover', 'focusin']) root.addEventListener(type, event => {
    const door = findDoor(event)
    if (door) setCaption(door.name)
  })
  for (const type of ['pointerleave', 'focusout']) root.addEventListener(type, () => setCaption(lastShape))
  return {
    /** @param {Room} room the current one @param {((room: Room) => string) | null} shapeOf */
    update(room, shapeOf) {
      lastShape = doors.find(door => door.room === room)?.name ?? ''
      setCaption(lastShape)
      if (shapeOf) for (const floor of floors) setText(floor.shape, shapeOf(floor.room))
    }
  }
}
