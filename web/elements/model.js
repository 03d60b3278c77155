/** `<glass-model>`: the map of a model. Pressing a stage there opens its room below. */

import { h } from '../lib/dom.js'
import { mountMap } from '../map/index.js'
import towers from '../style/towers.css'
import elementStyles from '../style/element_model.css'
import { expectHead, readState } from './attributes.js'
import { loadPictures } from './stages.js'

/** @import { Root } from './start.js' */
/** @import { Context, Room } from '../types.d.ts' */

/**
 * @param {Root} root @param {(type: string, detail: object) => void} emit @param {Context} context
 * @returns {import('./figure.js').Companion}
 */
function mountPlan({ t, element }, emit, context) {
  const box = h('nav', { className: 'map' })
  element.toggleAttribute('data-map', true)
  const enterRoom = (/** @type {string} */ id) => {
    const room = /** @type {Room} */ (context.rooms().find(one => one.id === id))
    emit('select', { room: id, stage: room.stage, name: t(`stages.${room.words}.name`) })
    context.enterRoom(id)
  }
  // Nobody but the reader scrolls the page around an element.
  const map = mountMap(box, { ...context, enterRoom }, () => {})
  return { elements: [box], update: (run, view) => { if (run) map.update(run, view(), context.theme().mode) } }
}

/** @type {import('./start.js').Planner} */
export async function planModel(host, root, emit) {
  const state = readState(host)
  await loadPictures()
  return {
    key: JSON.stringify([root.language, state.model]), state, styles: [towers, elementStyles], emits: type => type !== 'select',
    check: room => expectHead(host.getAttribute('head'), room),
    mountCompanion: context => mountPlan(root, emit, context)
  }
}
