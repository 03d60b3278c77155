/** What the reader is to reach in a figure, and whether it is reached. */

import { h } from '../lib/dom.js'
import { renderProse } from '../lib/prose.js'

/** @import { Translate } from '../types.d.ts' */

/**
 * @param {string} text what to do @param {string[]} results what may be written about it
 * @param {Translate} t @param {() => void} reveal does it for the reader
 * @returns {{ element: HTMLElement, show: (result: import('./question.js').Result) => void }}
 */
export function createTask(text, results, t, reveal) {
  const status = h('p', { className: 'lesson-said', role: 'status' })
  const button = h('button', { type: 'button', className: 'quiet lesson-reveal', onclick: reveal }, t('player.show'))
  let statusText = ''
  // The longest result has its lines from the start, with any number: what the reader drags below never moves.
  const space = results.map(result => h('p', { className: 'lesson-said' }, renderProse(result.replace(/\{.*?\}/g, '0.00'))))
  const element = h('div', { className: 'lesson-question is-task' }, h('p', { className: 'lesson-ask' }, renderProse(text)), button,
    h('div', { className: 'lesson-space' }, status, space))
  return {
    element,
    show({ isAnswered, text: result }) {
      element.classList.toggle('is-done', isAnswered)
      if (result !== statusText) status.replaceChildren(...renderProse(result))
      status.classList.toggle('is-hint', !isAnswered)
      statusText = result
    }
  }
}
