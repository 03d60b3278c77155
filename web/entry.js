/** Where source and target of the translator come in, with examples for a reader whose words it does not know. */

import { DATES, TWOFOLD } from './state.js'
import { h, setText, uniqueId } from './lib/dom.js'
import { written } from './model/dates.js'

/** The ways to write a date, as buttons. */
export function examples({ t, set, language }) {
  return h('div', { className: 'examples', role: 'group', 'aria-label': t('controls.presets.label') },
    DATES.map((source) => h('button', {
      type: 'button', className: 'quiet', lang: 'en', onclick: () => set({ source, target: '' })
    }, source, source === TWOFOLD ? h('small', { lang: language() }, ` ${t('controls.source.twofold')}`) : '')))
}

function field(name, { t, set }) {
  const id = uniqueId(name)
  const problem = h('p', { className: 'problem', role: 'alert', id: uniqueId('problem') })
  const input = h('input', {
    id, type: 'text', spellcheck: 'false', autocomplete: 'off', 'aria-describedby': problem.id, 'data-field': name,
    oninput: () => set({ [name]: input.value })
  })
  const hint = h('small')
  const help = h('div', { className: 'help' }, problem)
  const element = h('div', { className: `field is-${name}` },
    h('label', { for: id }, t(`controls.${name}.label`), hint), input, help)
  return {
    element, input, hint, help,
    update(state, problems) {
      if (input.value !== state[name]) input.value = state[name]
      setText(problem, problems[name] ?? '')
      element.classList.toggle('is-wrong', Boolean(problems[name]))
      input.setAttribute('aria-invalid', problems[name] ? 'true' : 'false')
    }
  }
}

/** The model's own answer as text. */
function answerOf(run) {
  if (!run?.decoding || run.decoding.kind === 'given') return ''
  return written(run.decoding.steps.map(({ token }) => token))
}

/**
 * Mounts the two fields.
 * @param {{ t: Function, set(patch: object): void }} context
 */
export function entry(context) {
  const { t, set } = context
  const source = field('source', context)
  const target = field('target', context)
  const clear = h('button', { type: 'button', className: 'quiet clear', onclick: () => {
    set({ target: '' })
    target.input.focus()
  } }, t('controls.target.clear'))
  target.element.append(clear)
  target.help.append(h('p', { className: 'known-words' }, t('controls.target.known')))
  source.help.append(h('p', { className: 'known-words' }, t('controls.source.known')),
    h('p', { className: 'known-words' }, t('controls.source.learned')), examples(context))
  return {
    element: h('div', { className: 'entry' }, source.element,
      h('span', { className: 'entry-arrow', 'aria-hidden': 'true' }, '→'), target.element),
    /** @param {object} state @param {Record<string, string>} problems texts by control @param {object | null} run */
    update(state, problems, run) {
      source.update(state, problems)
      target.update(state, problems)
      const isGiven = state.target.trim() !== ''
      clear.hidden = !isGiven
      setText(target.hint, t(isGiven ? 'controls.target.given' : 'controls.target.produced'))
      const answer = answerOf(run)
      if (answer || !run) target.input.placeholder = answer
      /** The answer to what was read last is none to what stands there now. */
      target.element.classList.toggle('is-old', Object.keys(problems).length > 0)
    }
  }
}
