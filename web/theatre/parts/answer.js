/** The reader's sentence and the model's answers, now and at earlier steps. */

import { h, syncChildren, setText, uniqueId } from '../../lib/dom.js'

/** @import { Seen } from '../../../src/training/training_record.js' */
/** @import { Translate } from '../../types.d.ts' */

/**
 * @param {Element} container
 * @param {{ t: Translate, named(text: string): string, ask(sentence: string): void, seek(step: number): void }} context
 */
export function mountAnswers(container, { t, named, ask, seek }) {
  const id = uniqueId('sentence')
  const problem = h('p', { className: 'problem', role: 'alert', id: uniqueId('problem') })
  /** @type {HTMLInputElement} */
  const input = h('input', {
    id, 'type': 'text', 'autocomplete': 'off', 'spellcheck': 'false', 'aria-describedby': problem.id,
    'data-field': 'sentence', 'oninput': () => ask(input.value)
  })
  const current = h('output', { className: 'theatre-answer', for: id })
  const list = h('ol', { className: 'theatre-answers' })
  container.append(h('label', { for: id }, t('theatre.sentence')), input, problem,
    h('p', { className: 'theatre-now' }, h('span', {}, t('theatre.answer')), current),
    h('p', { className: 'theatre-before' }, t('theatre.before')), list)
  const createLine = () => h('li', {}, h('button', { type: 'button', className: 'theatre-step' }), h('span'))
  return {
    /** @param {string} sentence */
    fill(sentence) {
      input.value = sentence
    },
    /** @param {Seen} seen @param {{ step: number, problem: string }} facts */
    update(seen, { step, problem: problemText }) {
      const currentAnswer = seen.answers.findLast(answer => answer.step <= step)
      setText(current, problemText ? '' : named(currentAnswer?.text ?? ''))
      setText(problem, problemText)
      input.setAttribute('aria-invalid', problemText ? 'true' : 'false')
      syncChildren(list, seen.answers, createLine, (element, answer) => {
        setText(element.children[0], t('theatre.stepNumber', { step: answer.step }))
        element.children[0].onclick = () => seek(answer.step)
        setText(element.children[1], named(answer.text))
        if (answer === currentAnswer) element.setAttribute('aria-current', 'step')
        else element.removeAttribute('aria-current')
      })
    }
  }
}
