/** The door to the training theatre, which is fetched when somebody goes in. */

import { h } from '../lib/dom.js'

/**
 * @param {HTMLElement} house what the theatre stands in place of
 * @param {object} context
 * @param {(error: Error) => void} fails
 */
export function theatreDoor(house, context, fails) {
  let inside = null, language = null
  const container = h('main', { className: 'theatre' })
  house.after(container)

  async function enter() {
    language = context.language()
    inside?.destroy()
    inside = null
    const { theatre } = await import('../theatre/index.js')
    const made = await theatre(container, context)
    if (language !== context.language()) return made.destroy()
    inside = made
    inside.update(context.get())
  }
  function leave() {
    inside?.destroy()
    inside = null
    language = null
    container.replaceChildren()
  }
  return {
    /** @param {{ theatre: string }} state */
    update(state) {
      document.documentElement.toggleAttribute('data-theatre', state.theatre !== '')
      if (state.theatre === '') return language && leave()
      if (language !== context.language()) enter().catch(fails)
      else inside?.update(state)
    }
  }
}
