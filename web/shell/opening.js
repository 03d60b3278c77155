/** Whether the opening is displayed instead of the rooms. */

import { mountOpening } from '../opening/index.js'
import { OPENING } from '../models/state.js'

/** @import { Context } from '../types.d.ts' */

/** @param {HTMLElement} container @param {Context} context */
export function mountOpeningSwitch(container, context) {
  /** @type {ReturnType<typeof mountOpening> | null} */ let mounted = null
  /** @type {string | null} */ let language = null
  let problem = ''
  function leave() {
    mounted?.destroy()
    mounted = null
    container.replaceChildren()
  }
  const isOn = () => {
    const { room, lesson, theatre, exercise } = context.get()
    return room === OPENING && !lesson && !theatre && !exercise
  }
  return {
    container, isOn,
    /** @param {string} [text] what is wrong with the reader's text */
    showProblem(text = '') {
      problem = text
      mounted?.showProblem(problem)
    },
    update() {
      document.documentElement.toggleAttribute('data-opening', isOn())
      if (!isOn()) return leave()
      if (mounted && language !== context.language()) leave()
      language = context.language()
      mounted ??= mountOpening(container, context)
      mounted.showProblem(problem)
      mounted.update(context.run())
    }
  }
}
