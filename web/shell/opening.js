/** Whether the opening is displayed instead of the rooms. */

import { h } from '../lib/dom.js'
import { opening } from '../opening/index.js'
import { OPENING } from './state.js'

/** @import { Context } from '../types.d.ts' */

/** @param {HTMLElement} house @param {Context} context */
export function openingSwitch(house, context) {
  const container = h('main', { className: 'opening-slot', tabindex: '-1' })
  house.after(container)
  /** @type {ReturnType<typeof opening> | null} */ let inside = null
  /** @type {string | null} */ let language = null
  function leave() {
    inside?.destroy()
    inside = null
    container.replaceChildren()
  }
  const isOn = () => {
    const { room, lesson, theatre } = context.get()
    return room === OPENING && !lesson && !theatre
  }
  return {
    container, isOn,
    update() {
      document.documentElement.toggleAttribute('data-opening', isOn())
      if (!isOn()) return leave()
      if (!inside || language !== context.language()) {
        leave()
        language = context.language()
        inside = opening(container, context)
      }
      inside.update(context.run())
    }
  }
}
