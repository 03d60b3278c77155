/** A question and its state: answered correctly, or wrong with a hint. */

import { h, uniqueId } from '../lib/dom.js'
import { parseNumber } from '../lib/edit_links.js'
import { formatFixed } from '../lib/number.js'
import { isPresenting } from '../lib/present.js'
import { renderProse } from '../lib/prose.js'

/** @import { Translate } from '../types.d.ts' */

/**
 * The state of a question: wrong answers so far, and the correct one once it is revealed.
 * @typedef {object} Result
 * @property {(string | number)[]} wrong
 * @property {string | number | null | undefined} right
 * @property {string | number | null} [value] the answer that was accepted, null where it was revealed
 * @property {boolean} isAnswered
 * @property {string} text the text about the answer
 * @typedef {{ element: HTMLElement, show: (result: Result) => void }} AnswerInput to answer
 */

/** Whether options would take many lines on a phone, one below the other. @param {{ text: string }[]} options */
const isCrowded = options => options.length > 4 && options.filter(({ text }) => text.length > 8).length > 2

/**
 * Multiple choice.
 * @param {{ id: string, text: string }[]} options @param {Translate} t @param {(number: string) => void} answer
 * @returns {AnswerInput}
 */
function createChoice(options, t, answer) {
  const buttons = options.map(({ id, text }) => h('button', {
    'type': 'button', 'className': 'lesson-option', 'data-option': id, 'onclick': () => answer(id)
  }, text))
  return {
    element: h('div', { className: isCrowded(options) ? 'lesson-options is-crowded' : 'lesson-options' }, buttons),
    show({ wrong, right, isAnswered }) {
      for (const button of buttons) {
        const { option = '' } = button.dataset
        button.classList.toggle('is-wrong', wrong.includes(option))
        button.classList.toggle('is-right', option === right)
        button.setAttribute('aria-disabled', String(isAnswered))
      }
    }
  }
}

/** A number in the format of answers. @param {string | number} right */
const formatAnswer = right => formatFixed(Number(right), Number.isInteger(right) ? 0 : 2)

/**
 * A number field; input that is no number is reported and does not count as a wrong answer. Once it is answered, Enter
 * leads to the next step.
 * @param {Translate} t @param {(number: number) => void} answer @param {(text: string) => void} showProblem
 * @param {() => void} [next]
 * @returns {AnswerInput}
 */
function createField(t, answer, showProblem, next) {
  const input = h('input', {
    'type': 'text', 'inputmode': 'decimal', 'autocomplete': 'off', 'size': '8', 'aria-label': t('player.number'),
    'onkeydown': event => {
      if (event.key !== 'Enter' || !input.readOnly) return
      event.preventDefault()
      // Whoever holds the key too long has not read the reason yet.
      if (!event.repeat) next?.()
    }
  })
  const send = h('button', { type: 'submit', className: 'lesson-option' }, t('player.check'))
  const element = h('form', { className: 'lesson-options', onsubmit: event => {
    event.preventDefault()
    const number = parseNumber(input.value)
    if (number !== null) return answer(number)
    showProblem(t(input.value.trim() ? 'player.noNumber' : 'player.noAnswer', { text: input.value.trim() }))
  } }, input, send)
  return {
    element,
    show({ wrong, right, value, isAnswered }) {
      input.classList.toggle('is-wrong', !isAnswered && wrong.length > 0)
      input.classList.toggle('is-right', isAnswered)
      // The reader's own number, if it was accepted.
      const shown = typeof value === 'number' && !wrong.includes(value) ? value : right
      if (isAnswered && shown !== null && shown !== undefined) input.value = formatAnswer(shown)
      input.readOnly = isAnswered
      send.setAttribute('aria-disabled', String(isAnswered))
    }
  }
}

/**
 * Scrolls a lesson's words, where they scroll, so that an element's end is visible. On slides it is the bar that
 * scrolls.
 * @param {HTMLElement} element
 */
function scrollToEnd(element) {
  const box = element.closest(isPresenting() ? '.lesson-bar' : '.lesson'), ways = box?.querySelector('.lesson-ways')?.getBoundingClientRect()
  if (!box) return
  const { top, bottom } = box.getBoundingClientRect(), isAtFoot = ways && ways.top > (top + bottom) / 2
  const floor = isAtFoot ? Math.min(ways.top, bottom) : bottom
  box.scrollTop += Math.max(0, element.getBoundingClientRect().bottom - floor + 8)
}

/**
 * @typedef {object} QuestionActions
 * @property {(number: string | number) => void} answer
 * @property {() => void} [reveal] displays the answer
 * @property {() => void} [next] leads to the next step
 */

/**
 * @param {object} question
 * @param {string} question.text
 * @param {{ id: string, text: string }[] | null} question.options null where a number is asked for
 * @param {Translate} t
 * @param {QuestionActions} actions
 */
export function createQuestion({ text, options }, t, { answer, reveal, next }) {
  const questionText = h('p', { className: 'lesson-ask', id: uniqueId('ask') }, renderProse(text))
  const status = h('p', { className: 'lesson-said', role: 'status' })
  /** Input that is no number, until something is answered. */
  let problemText = ''
  /** What the status says: the page joins some of its words, so its own text may differ. */
  let statusText = ''
  /** @type {Result} */ let lastResult = { wrong: [], right: null, isAnswered: false, text: '' }
  const answerInput = options ? createChoice(options, t, answer) : createField(t, number => {
    problemText = ''
    answer(number)
  }, text => {
    problemText = text
    show(lastResult)
  }, next)
  const revealButton = h('button', { type: 'button', className: 'quiet lesson-reveal', hidden: true, onclick: reveal },
    t('player.reveal'))
  if (options) answerInput.element.setAttribute('role', 'group')
  answerInput.element.setAttribute('aria-labelledby', questionText.id)
  answerInput.element.append(revealButton)
  /** @param {Result} result */
  function show(result) {
    const text = result.isAnswered ? result.text : problemText || result.text
    // Another wrong answer may have the same reason; it still moves what is below the options.
    const isNew = text !== statusText || result.wrong.length !== lastResult.wrong.length
    lastResult = result
    answerInput.show(result)
    revealButton.hidden = result.isAnswered || result.wrong.length === 0
    if (isNew) status.replaceChildren(...renderProse(text))
    statusText = text
    status.classList.toggle('is-hint', !result.isAnswered)
    if (isNew && text) scrollToEnd(status)
  }
  return { element: h('div', { className: 'lesson-question' }, questionText, answerInput.element, status), show }
}
