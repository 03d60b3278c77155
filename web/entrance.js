/** Where the sentences come in, with examples; for the translator the examples alone, as its fields stand above. */

import { examples as dates } from './entry.js'
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
export function entrance(container, context) {
  const { t, set } = context
  const id = uniqueId('text')
  const problem = h('p', { className: 'problem', role: 'alert', id: uniqueId('problem') })
  const area = h('textarea', {
    id, rows: '4', 'data-field': 'text', spellcheck: 'false', autocomplete: 'off', 'aria-describedby': problem.id,
    oninput: () => set({ text: area.value })
  })
  const examples = Object.entries(EXAMPLES).map(([name, text]) => h('button', {
    type: 'button', className: 'quiet', onclick: () => set({ text, sentence: 0 })
  }, t(`controls.presets.${name}`)))
  const text = h('div', {},
    h('label', { for: id }, t('controls.text.label'), h('small', {}, t('controls.text.hint'))), area, problem,
    h('div', { className: 'examples', role: 'group', 'aria-label': t('controls.presets.label') }, examples))
  const ways = h('div', {}, h('p', { className: 'entrance-title' }, t('controls.source.examples')), dates(context))
  container.append(text, ways)
  return {
    update(state, problems) {
      const own = state.model === 'sentences' ? 'text.label' : 'source.examples'
      container.setAttribute('aria-label', t(`controls.${own}`))
      text.hidden = state.model !== 'sentences'
      ways.hidden = state.model === 'sentences'
      if (area.value !== state.text) area.value = state.text
      area.rows = Math.min(8, Math.max(3, state.text.split('\n').length))
      setText(problem, problems.text ?? '')
      area.setAttribute('aria-invalid', problems.text ? 'true' : 'false')
    }
  }
}
