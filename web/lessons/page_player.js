/** The lesson player of the page, where a lesson leads to others, is printed, and remembers what the reader did. */

import { h, setText } from '../lib/dom.js'
import { togglePresenting } from '../lib/present.js'
import { recordAnswer } from './answers.js'
import { mountPlayer } from './player.js'
import { saveProgress } from './progress.js'
import { createScrollKeeper } from './scroll_keeper.js'

/** @import { Context, State } from '../types.d.ts' */

/**
 * Buttons that show or hide the map and the sums, and turn the slide mode on and off.
 * @type {import('./player.js').Extras['createViewButtons']}
 */
function createViewButtons(button, t) {
  const { documentElement } = document
  const panels = button('panels', () => (
    panels.setAttribute('aria-pressed', String(documentElement.toggleAttribute('data-panels')))))
  panels.setAttribute('aria-pressed', String(documentElement.hasAttribute('data-panels')))
  return [panels, button('present', () => togglePresenting(), [
    h('span', { className: 'is-off' }, t('player.present')), h('span', { className: 'is-on' }, t('player.presentEnd'))])]
}

/** @type {import('./player.js').Extras['createHandIn']} */
function createHandIn(button, { t, reportError }) {
  const status = h('p', { className: 'note lesson-saved', role: 'status' })
  async function save() {
    const { saveAnswers } = await import('./answer_file.js')
    setText(status, saveAnswers(t('player.answers.name')) ? t('player.answers.saved') : '')
  }
  return [button('save', () => { save().catch(reportError) }, t('player.answers.save')), status]
}

/** Where the small figure of a step begins; 0 where there is none. */
const figureTop = () => document.querySelector('.lesson-figure')?.getBoundingClientRect().top ?? 0

/** On a phone, the slider that has reached a result or the end stays under the finger: what is above it scrolls. */
function createFigureKeeper() {
  /** The place of the figure before a step is drawn, and the step drawn last. */
  let topBefore = 0, drawnStep = ''
  const keepFigure = () => scrollBy(0, figureTop() - topBefore)
  /** The result of a task has no lines until it is written, and a shorter one takes none away. */
  function keepTask() {
    const space = document.querySelector('.is-task .lesson-space')
    if (!(space instanceof HTMLElement) || figureTop() === topBefore) return
    space.style.minHeight = `${space.offsetHeight}px`
    keepFigure()
  }
  return {
    /** Before a step is drawn. @param {string} step */
    onStep(step) {
      topBefore = figureTop()
      if (step === drawnStep) queueMicrotask(keepTask)
      drawnStep = step
    },
    onEnd() { queueMicrotask(keepFigure) }
  }
}

/**
 * @param {HTMLElement} container @param {HTMLElement} stage @param {Context} context
 * @param {() => State | null} getOrigin the state in which the reader opened the lesson; null for a link from elsewhere
 */
export function mountPagePlayer(container, stage, context, getOrigin) {
  const { onStep, onEnd } = createFigureKeeper()
  return mountPlayer(container, stage, context, {
    root: document.documentElement, scrollKeeper: createScrollKeeper(), scrollToTop: () => scrollTo({ top: 0 }),
    onAnswer: recordAnswer, onEnd,
    onStep(...step) {
      onStep(step.slice(0, 2).join())
      return saveProgress(...step)
    },
    extras: {
      getOrigin, createViewButtons, createHandIn,
      print: async (...request) => (await import('./print_worksheet.js')).printWorksheet(...request)
    }
  })
}
