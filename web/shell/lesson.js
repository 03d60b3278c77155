/** Opens and closes the lesson player, which is loaded with the first lesson. */

import { findLesson } from '../lessons/index.js'
import { lazyImport } from '../lib/lazy_import.js'

/** @import { Context, State } from '../types.d.ts' */

/**
 * @param {{ lesson: HTMLElement, stage: HTMLElement }} page
 * @param {Context} context
 */
export function mountLessons({ lesson, stage }, context) {
  /** The state in which the reader opened the lesson: of the opening or of a room. @type {State | null} */
  let origin = null
  /** @type {ReturnType<typeof import('../lessons/page_player.js').mountPagePlayer> | undefined} */ let player
  const load = lazyImport(async () => {
    player = (await import('../lessons/page_player.js')).mountPagePlayer(lesson, stage, context, () => origin)
    update()
  }, context.reportError)
  function update() {
    const isOn = Boolean(findLesson(context.get().lesson)) && !context.get().embed
    document.documentElement.toggleAttribute('data-lesson', isOn)
    if (!isOn) {
      origin = context.get()
      player?.leave()
    }
    lesson.hidden = !isOn && !lesson.hasChildNodes()
    if (!isOn) return
    if (player) player.update(context.run())
    else load()
  }
  return {
    update,
    keepText: () => player?.keepText(),
    /** The state as a link. @param {State} state */
    addressed: state => player?.addressed(state) ?? state
  }
}
