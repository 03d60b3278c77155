/** A question and what becomes of it: chosen, wrong with a hint, right. */

import { h, setText, uniqueId } from '../lib/dom.js'
import { prose } from '../lib/prose.js'
import { typed } from '../lib/edits.js'

/** @import { Translate } from '../types.d.ts' */

/**
 * What has become of a question: answers that were wrong, the right one once it is told.
 * @typedef {object} Result
 * @property {(string | number)[]} wrong
 * @property {string | number | null | undefined} right
 * @property {boolean} isOver
 * @property {string} text what is said of it
 * @typedef {{ element: HTMLElement, show: (result: Result) => void }} Way to answer
 */

/**
 * One of a few.
 * @param {{ id: string, text: string }[]} options @param {Translate} t @param {(given: string) => void} answer
 * @returns {Way}
 */
function choice(options, t, answer) {
  const buttons = options.map(({ id, text }) => h('button', {
    'type': 'button', 'className': 'lesson-option', 'data-option': id, 'onclick': () => answer(id)
  }, text))
  return {
    element: h('div', { className: 'lesson-options' }, buttons),
    show({ wrong, right, isOver }) {
      for (const button of buttons) {
        const { option = '' } = button.dataset
        button.classList.toggle('is-wrong', wrong.includes(option))
        button.classList.toggle('is-right', option === right)
        button.setAttribute('aria-disabled', String(isOver))
      }
    }
  }
}

/** A number. @param {Translate} t @param {(given: number) => void} answer @returns {Way} */
function field(t, answer) {
  const input = h('input', {
    'type': 'text', 'inputmode': 'decimal', 'autocomplete': 'off', 'size': '8', 'aria-label': t('lesson.number')
  })
  const send = h('button', { type: 'submit', className: 'lesson-option' }, t('lesson.check'))
  const element = h('form', { className: 'lesson-options', onsubmit: event => {
    event.preventDefault()
    answer(typed(input.value) ?? Number.NaN)
  } }, input, send)
  return {
    element,
    show({ right, isOver }) {
      if (isOver && right !== null) input.value = String(right).replace('-', '−')
      input.readOnly = isOver
      send.setAttribute('aria-disabled', String(isOver))
    }
  }
}

/**
 * @param {object} asked
 * @param {string} asked.text
 * @param {{ id: string, text: string }[] | null} asked.options null where a number is asked for
 * @param {Translate} t
 * @param {(given: string | number) => void} answer
 * @param {() => void} reveal
 */
export function question({ text, options }, t, answer, reveal) {
  const asking = h('p', { className: 'lesson-ask', id: uniqueId('ask') }, prose(text))
  const ways = options ? choice(options, t, answer) : field(t, answer)
  const said = h('p', { className: 'lesson-said', role: 'status' })
  const help = h('button', { type: 'button', className: 'quiet lesson-reveal', hidden: true, onclick: reveal },
    t('lesson.reveal'))
  if (options) ways.element.setAttribute('role', 'group')
  ways.element.setAttribute('aria-labelledby', asking.id)
  ways.element.append(help)
  return {
    element: h('div', { className: 'lesson-question' }, asking, ways.element, said),
    /** @param {Result} result */
    show(result) {
      ways.show(result)
      help.hidden = result.isOver || result.wrong.length === 0
      if (said.textContent !== result.text) said.replaceChildren(...prose(result.text))
      said.classList.toggle('is-hint', !result.isOver)
      if (!result.text) setText(said, '')
    }
  }
}
