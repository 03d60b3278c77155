/** The reader's sentence and the model's answers, now and at earlier steps. */

import { h, keep, setText, uniqueId } from '../../lib/dom.js'

/** @import { Seen } from '../training_record.js' */
/** @import { Translate } from '../../types.d.ts' */

/**
 * @param {Element} container
 * @param {{ t: Translate, ask(sentence: string): void, seek(step: number): void }} context
 */
export function answers(container, { t, ask, seek }) {
  const id = uniqueId('sentence')
  const problem = h('p', { className: 'problem', role: 'alert', id: uniqueId('problem') })
  /** @type {HTMLInputElement} */
  const input = h('input', {
    id, 'type': 'text', 'autocomplete': 'off', 'spellcheck': 'false', 'aria-describedby': problem.id,
    'data-field': 'sentence', 'oninput': () => ask(input.value)
  })
  const now = h('output', { className: 'theatre-answer', for: id })
  const list = h('ol', { className: 'theatre-answers' })
  container.append(h('label', { for: id }, t('theatre.sentence')), input, problem,
    h('p', { className: 'theatre-now' }, h('span', {}, t('theatre.answer')), now),
    h('p', { className: 'theatre-before' }, t('theatre.before')), list)
  const line = () => h('li', {}, h('button', { type: 'button', className: 'theatre-step' }), h('span'))
  return {
    /** @param {string} sentence */
    fill(sentence) {
      input.value = sentence
    },
    /** @param {Seen} seen @param {{ step: number, problem: string }} facts */
    update(seen, { step, problem: said }) {
      const here = seen.answers.findLast(one => one.step <= step)
      setText(now, said ? '' : here?.text ?? '')
      setText(problem, said)
      input.setAttribute('aria-invalid', said ? 'true' : 'false')
      keep(list, seen.answers, line, (element, one) => {
        setText(element.children[0], t('theatre.stepNumber', { step: one.step }))
        element.children[0].onclick = () => seek(one.step)
        setText(element.children[1], one.text)
        if (one === here) element.setAttribute('aria-current', 'step')
        else element.removeAttribute('aria-current')
      })
    }
  }
}
