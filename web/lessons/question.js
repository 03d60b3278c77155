/** A question and its state: answered correctly, or wrong with a hint. */

import { h, uniqueId } from '../lib/dom.js'
import { parseNumber } from '../lib/edits.js'
import { formatFixed } from '../lib/number.js'
import { renderProse } from '../lib/prose.js'

/** @import { Translate } from '../types.d.ts' */

/**
 * The state of a question: wrong answers so far, and the correct one once it is revealed.
 * @typedef {object} Result
 * @property {(string | number)[]} wrong
 * @property {string | number | null | undefined} right
 * @property {boolean} isOver
 * @property {string} text the text about the answer
 * @typedef {{ element: HTMLElement, show: (result: Result) => void }} Way to answer
 */

/** Whether options would take many lines on a phone, one below the other. @param {{ text: string }[]} options */
const isCrowded = options => options.length > 4 && options.filter(({ text }) => text.length > 8).length > 2

/**
 * Multiple choice.
 * @param {{ id: string, text: string }[]} options @param {Translate} t @param {(number: string) => void} answer
 * @returns {Way}
 */
function choice(options, t, answer) {
  const buttons = options.map(({ id, text }) => h('button', {
    'type': 'button', 'className': 'lesson-option', 'data-option': id, 'onclick': () => answer(id)
  }, text))
  return {
    element: h('div', { className: isCrowded(options) ? 'lesson-options is-crowded' : 'lesson-options' }, buttons),
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

/** A number in the format of answers. @param {string | number} right */
const formatAnswer = right => (Number.isInteger(right) ? formatFixed(Number(right), 0) : formatFixed(Number(right)))

/**
 * A number field; input that is no number is reported and does not count as a wrong answer.
 * @param {Translate} t @param {(number: number) => void} answer @param {(text: string) => void} complain
 * @returns {Way}
 */
function field(t, answer, complain) {
  const input = h('input', {
    'type': 'text', 'inputmode': 'decimal', 'autocomplete': 'off', 'size': '8', 'aria-label': t('lesson.number')
  })
  const send = h('button', { type: 'submit', className: 'lesson-option' }, t('lesson.check'))
  const element = h('form', { className: 'lesson-options', onsubmit: event => {
    event.preventDefault()
    const number = parseNumber(input.value)
    if (number !== null) return answer(number)
    complain(t(input.value.trim() ? 'lesson.noNumber' : 'lesson.noAnswer', { text: input.value.trim() }))
  } }, input, send)
  return {
    element,
    show({ right, isOver }) {
      if (isOver && right !== null && right !== undefined) input.value = formatAnswer(right)
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
 * @param {(number: string | number) => void} answer
 * @param {() => void} reveal
 */
export function question({ text, options }, t, answer, reveal) {
  const asking = h('p', { className: 'lesson-ask', id: uniqueId('ask') }, renderProse(text))
  const status = h('p', { className: 'lesson-said', role: 'status' })
  /** Input that is no number, until something is answered. */
  let complaint = ''
  /** @type {Result} */ let last = { wrong: [], right: null, isOver: false, text: '' }
  const ways = options ? choice(options, t, answer) : field(t, number => {
    complaint = ''
    answer(number)
  }, text => {
    complaint = text
    show(last)
  })
  const help = h('button', { type: 'button', className: 'quiet lesson-reveal', hidden: true, onclick: reveal },
    t('lesson.reveal'))
  if (options) ways.element.setAttribute('role', 'group')
  ways.element.setAttribute('aria-labelledby', asking.id)
  ways.element.append(help)
  /** @param {Result} result */
  function show(result) {
    last = result
    const text = result.isOver ? result.text : complaint || result.text
    ways.show(result)
    help.hidden = result.isOver || result.wrong.length === 0
    if (status.textContent !== text) status.replaceChildren(...renderProse(text))
    status.classList.toggle('is-hint', !result.isOver)
  }
  return { element: h('div', { className: 'lesson-question' }, asking, ways.element, status), show }
}
