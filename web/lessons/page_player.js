/** The lesson player of the page, where a lesson leads to others, is printed, and remembers what the reader did. */

import { recordAnswer } from './answers.js'
import { mountPlayer } from './player.js'
import { saveProgress } from './progress.js'
import { createScrollKeeper } from './scroll_keeper.js'

/** @import { Context, State } from '../types.d.ts' */

/**
 * @param {HTMLElement} container @param {HTMLElement} stage @param {Context} context
 * @param {() => State | null} getOrigin the state in which the reader opened the lesson; null for a link from elsewhere
 */
export const mountPagePlayer = (container, stage, context, getOrigin) => mountPlayer(container, stage, context, {
  root: document.documentElement, scrollKeeper: createScrollKeeper(), scrollToTop: () => scrollTo({ top: 0 }),
  onAnswer: recordAnswer, onStep: saveProgress, onEnd() {},
  extras: {
    getOrigin,
    print: async (...request) => (await import('./print_worksheet.js')).printWorksheet(...request),
    save: async question => (await import('./answer_file.js')).saveAnswers(question)
  }
})
