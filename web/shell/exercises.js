/** Opens the page of the exercises, which is loaded on first use, in place of the house. */

import { h } from '../lib/dom.js'
import { lazyImport } from '../lib/lazy_import.js'

/** @import { Context } from '../types.d.ts' */

/** @param {HTMLElement} house the element that it replaces @param {Context} context */
export function mountExercisePage(house, context) {
  /** @type {Awaited<ReturnType<typeof import('../exercises/page.js').mountExercises>> | undefined} */ let page
  const container = h('main', { className: 'exercises', tabindex: '-1', hidden: true })
  house.after(container)
  const isOn = () => context.get().exercise !== '' && !context.get().theatre
  const load = lazyImport(async () => {
    page = await (await import('../exercises/page.js')).mountExercises(container, context)
    update()
  }, context.reportError)
  function update() {
    document.documentElement.toggleAttribute('data-exercise', isOn())
    container.hidden = !isOn() || !page
    if (!isOn()) page?.rest()
    else if (page) page.update().catch(context.reportError)
    else load()
  }
  return { container, isOn, update }
}
