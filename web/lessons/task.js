/** What the reader is to reach in a figure, and whether it is reached. */

import { h } from '../lib/dom.js'
import { renderProse } from '../lib/prose.js'

/** @import { Translate } from '../types.d.ts' */

/**
 * @param {string} text what to do @param {Translate} t @param {() => void} reveal does it for the reader
 * @returns {{ element: HTMLElement, show: (result: import('./question.js').Result) => void }}
 */
export function createTask(text, t, reveal) {
  const status = h('p', { className: 'lesson-said', role: 'status' })
  const button = h('button', { type: 'button', className: 'quiet lesson-reveal', onclick: reveal }, t('player.show'))
  let statusText = ''
  const element = h('div', { className: 'lesson-question is-task' }, h('p', { className: 'lesson-ask' }, renderProse(text)), button, status)
  return {
    element,
    show({ isAnswered, text: result }) {
      button.hidden = isAnswered
      element.classList.toggle('is-done', isAnswered)
      if (result !== statusText) status.replaceChildren(...renderProse(result))
      status.classList.toggle('is-hint', !isAnswered)
      statusText = result
    }
  }
}
