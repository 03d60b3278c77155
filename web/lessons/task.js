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
  /** @type {string | null} */ let statusText = null
  // The longest result has its lines from the start, with any number: what the reader drags below never moves.
  const space = results.map(result => h('p', { className: 'lesson-said' }, renderProse(result.replace(/\{.*?\}/g, '0.00'))))
  const box = h('div', { className: 'lesson-space' }, status, space)
  const element = h('div', { className: 'lesson-question is-task' }, h('p', { className: 'lesson-ask' }, renderProse(text)), button, box)
  /**
   * On a phone there are no lines for a result until it is written. Then the page scrolls by what it adds, and a
   * shorter result takes no line away: what the reader drags below never moves there either.
   * @param {string} result
   */
  function write(result) {
    const { offsetHeight } = box
    status.replaceChildren(...renderProse(result))
    const growth = box.offsetHeight - offsetHeight
    if (statusText === null || growth === 0) return
    box.style.minHeight = `${Math.max(offsetHeight, box.offsetHeight)}px`
    if (growth > 0) scrollBy(0, growth)
  }
  return {
    element,
    show({ isAnswered, text: result }) {
      element.classList.toggle('is-done', isAnswered)
      if (result !== statusText) write(result)
      status.classList.toggle('is-hint', !isAnswered)
      statusText = result
    }
  }
}
