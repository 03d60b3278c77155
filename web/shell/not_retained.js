/** What replaces a figure whose matrices were not retained, with a button that retains them. */

import { h, setText } from '../lib/dom.js'
import { formatBytes } from '../import/format_bytes.js'
import { chosenLayers } from '../models/imported/retained_layers.js'

/** @import { Context, Room, Run } from '../types.d.ts' */

/** The maximum number of layers that the reader's choice contains. */
const MAX_CHOSEN = 8

/**
 * @param {Room} room @param {Pick<Context, 't' | 'get' | 'set'>} context
 */
export function createNotRetainedNote({ layer = 0 }, { t, get, set }) {
  const note = h('p')
  const button = h('button', { 'type': 'button', 'className': 'primary', 'data-action': 'keep', 'onclick': () => {
    const otherLayers = chosenLayers(get()).filter(number => number !== layer)
    set({ kept: [layer, ...otherLayers].slice(0, MAX_CHOSEN).join() })
  } }, t('frame.keepLayer', { layer }))
  const element = h('div', { className: 'unkept', hidden: true }, note, h('p', {}, button))
  return {
    element,
    /** @param {Run | null} run a run that has not retained everything */
    update(run) {
      element.hidden = !run
      const { layers = [], of: layerCount = 0, total = 0, room: available = 0 } = run?.retained ?? {}
      const layerList = layers.join(', '), count = layers.length
      if (run) setText(note, t('frame.unkept', { kept: layerList, count, of: layerCount, total: formatBytes(total), room: formatBytes(available) }))
    }
  }
}
