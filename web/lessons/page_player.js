/** The lesson player of the page, where a lesson leads to others, is printed, and remembers what the reader did. */

import { recordAnswer } from './answers.js'
import { mountPlayer } from './player.js'
import { saveProgress } from './progress.js'
import { createScrollKeeper } from './scroll_keeper.js'

/** @import { Context } from '../types.d.ts' */

/** @param {HTMLElement} container @param {HTMLElement} stage @param {Context} context */
export const mountPagePlayer = (container, stage, context) => mountPlayer(container, stage, context, {
  root: document.documentElement, scrollKeeper: createScrollKeeper(), scrollToTop: () => scrollTo({ top: 0 }),
  onAnswer: recordAnswer, onStep: saveProgress, onEnd() {},
  extras: {
    print: async (...request) => (await import('./print_worksheet.js')).printWorksheet(...request),
    save: async question => (await import('./answer_file.js')).saveAnswers(question)
  }
})
