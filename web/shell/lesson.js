/** Opens and closes the lesson player, which is loaded with the first lesson. */

import { findLesson } from '../lessons/index.js'
import { lazyImport } from '../lib/lazy_import.js'
import { problemsOf } from '../models/index.js'
import { defaults } from '../models/state.js'

/** @import { Context, State } from '../types.d.ts' */

/**
 * @param {{ lesson: HTMLElement, stage: HTMLElement }} page
 * @param {Context} context
 */
export function mountLessons({ lesson, stage }, context) {
  /** The state in which the reader opened the lesson: of the opening or of a room. @type {State | null} */
  let origin = null
  /** The lesson that is displayed; '' for none. */ let opened = ''
  /** @type {ReturnType<typeof import('../lessons/page_player.js').mountPagePlayer> | undefined} */ let player
  const load = lazyImport(async () => {
    player = (await import('../lessons/page_player.js')).mountPagePlayer(lesson, stage, context, () => origin)
    update()
  }, context.reportError)
  function update() {
    const state = context.get(), isOn = Boolean(findLesson(state.lesson)) && !state.embed
    const isNew = isOn && opened !== state.lesson
    opened = isOn ? state.lesson : ''
    // A lesson waits for a run, which a text that cannot be read never gets.
    if (isNew && problemsOf(state).source) return context.set({ source: defaults().source })
    document.documentElement.toggleAttribute('data-lesson', isOn)
    if (!isOn) {
      origin = state
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
