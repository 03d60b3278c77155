/** Where the sentences come in: the text and the examples. */

import { PRESETS } from './state.js'
import { h, setText, uniqueId } from './lib/dom.js'

const EXAMPLES = {
  english: PRESETS.english.join('\n'), korean: PRESETS.korean.join('\n'),
  all: [...PRESETS.english, ...PRESETS.korean].join('\n')
}

/**
 * Mounts the entrance.
 * @param {Element} container
 * @param {{ t: Function, set(patch: object): void }} context
 */
export function entrance(container, { t, set }) {
  const id = uniqueId('text')
  const problem = h('p', { className: 'problem', role: 'alert', id: uniqueId('problem') })
  const area = h('textarea', {
    id, rows: '4', spellcheck: 'false', autocomplete: 'off', 'aria-describedby': problem.id,
    oninput: () => set({ text: area.value })
  })
  const examples = Object.entries(EXAMPLES).map(([name, text]) => h('button', {
    type: 'button', className: 'quiet', onclick: () => set({ text, sentence: 0 })
  }, t(`controls.presets.${name}`)))
  container.append(
    h('label', { for: id }, t('controls.text.label'), h('small', {}, t('controls.text.hint'))), area, problem,
    h('div', { className: 'examples', role: 'group', 'aria-label': t('controls.presets.label') }, examples))
  return {
    update(state, problems) {
      if (area.value !== state.text) area.value = state.text
      area.rows = Math.min(8, Math.max(3, state.text.split('\n').length))
      setText(problem, problems.text ?? '')
      area.setAttribute('aria-invalid', problems.text ? 'true' : 'false')
    }
  }
}
