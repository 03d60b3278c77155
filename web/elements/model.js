/** `<glass-model>`: the map of a model. Pressing a stage there opens its room below. */

import { h } from '../lib/dom.js'
import { mountMap } from '../map/index.js'
import towers from '../style/towers.css'
import elementStyles from '../style/element_model.css'
import { expectHead, readState } from './attributes.js'
import { loadAllStages } from './stages.js'

/** @import { Root } from './start.js' */
/** @import { Context, Room } from '../types.d.ts' */

/**
 * @param {Root} root @param {(type: string, detail: object) => void} emit @param {Context} context
 * @returns {import('./figure.js').Companion}
 */
function mountPlan({ t, element }, emit, context) {
  const box = h('nav', { className: 'map' })
  element.toggleAttribute('data-map', true)
  /** The rooms whose thumbnails can be drawn. @type {Room[] | null} */ let loadedRooms = null
  const enterRoom = (/** @type {string} */ id) => {
    const room = /** @type {Room} */ (context.rooms().find(one => one.id === id))
    emit('select', { room: id, stage: room.stage, name: t(`stages.${room.words}.name`) })
    context.enterRoom(id)
  }
  // Nobody but the reader scrolls the page around an element.
  const map = mountMap(box, { ...context, enterRoom }, () => {})
  /** @type {import('./figure.js').Companion['update']} */
  function update(run, view) {
    if (!run) return
    const rooms = context.rooms()
    if (loadedRooms === rooms) return map.update(run, view(), context.theme().mode)
    loadAllStages(rooms).then(() => {
      loadedRooms = rooms
      if (context.rooms() === rooms) map.update(run, view(), context.theme().mode)
    }).catch(context.reportError)
  }
  return { elements: [box], update }
}

/** @type {import('./start.js').Planner} */
export function planModel(host, root, emit) {
  const state = readState(host)
  return {
    key: JSON.stringify([root.language, state.model]), state, styles: [towers, elementStyles], emits: type => type !== 'select',
    check: room => expectHead(host.getAttribute('head'), room),
    mountCompanion: context => mountPlan(root, emit, context)
  }
}
