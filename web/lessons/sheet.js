/** The layout of a worksheet: questions with room for answers, then the key on a page of its own. */

import { h } from '../lib/dom.js'
import { formatBrief } from '../lib/number.js'
import { renderProse } from '../lib/prose.js'

/** @import { Translate } from '../types.d.ts' */
/** @import { Figure, Item, Worksheet } from './worksheet.js' */

const IN_A_LINE = 13

/**
 * Numbers in the format of `brief`: on paper nobody can look up whether 0.00 is 0.
 * @param {Figure} figure @param {Translate} t
 * @param {{ isKey?: boolean, isRinged?: boolean }} how isRinged: whether a ring may point at the answer
 */
function table(figure, t, { isKey = false, isRinged = true }) {
  const { name, rowLabels, colLabels, cells, isCut, isGradient, isWhole } = figure
  /** @param {number} from */
  const columns = from => colLabels.slice(from, from + IN_A_LINE)
  const starts = Array.from({ length: Math.ceil(colLabels.length / IN_A_LINE) }, (_, i) => i * IN_A_LINE)
  const lines = starts.flatMap(from => [
    h('tr', {}, h('th'), columns(from).map(text => h('th', { scope: 'col' }, text))),
    ...cells.map((row, i) => h('tr', {}, h('th', { scope: 'row' }, rowLabels[i]),
      row.slice(from, from + IN_A_LINE).map(({ value, isBlank, isPointed }) => (
        h('td', { className: isPointed && isRinged ? 'is-ringed' : '' }, isBlank && !isKey ? '' : formatBrief(value))))))
  ])
  const caption = [h('code', {}, name), isCut ? ' …' : '', isGradient ? ` · ${t('inspector.backward')}` : '']
  return h('figure', { className: isWhole && isRinged ? 'is-ringed' : '' }, h('figcaption', {}, caption),
    h('table', {}, h('tbody', {}, lines)))
}

/** @param {Item} item @param {Translate} t */
function question({ title, text, ask, hint, options, given, seen }, t) {
  const about = [h('h2', {}, title), h('p', {}, renderProse(text)), given.map(figure => table(figure, t, {}))].flat()
  if (!ask) return h('li', { className: 'worksheet-lead' }, about)
  return h('li', {}, about, h('p', { className: 'worksheet-ask' }, renderProse(ask)),
    hint ? h('p', { className: 'worksheet-hint' }, renderProse(hint)) : null,
    options ? h('ul', {}, options.map(option => h('li', {}, option))) : h('p', { className: 'worksheet-line' }),
    seen.filter(({ isCut }) => !isCut).map(figure => table(figure, t, { isRinged: false })))
}

/** @param {Item} item @param {Translate} t */
const solution = ({ title, answer, why, given, seen }, t) => h('li', {}, h('h2', {}, title),
  h('p', { className: 'worksheet-answer' }, answer), h('p', {}, renderProse(why)),
  [...given, ...seen].filter(({ cells }) => cells.flat().some(({ isBlank }) => isBlank))
    .map(figure => table(figure, t, { isKey: true })))

/** @param {Worksheet} sheet @param {Translate} t */
export function paper({ title, text, tokens, items }, t) {
  /**
   * @param {string} name @param {Item[]} list @param {(item: Item, t: Translate) => HTMLElement} shown
   * @param {...Node} top
   */
  const page = (name, list, shown, ...top) => (
    h('section', { className: `worksheet-${name}` }, ...top, h('ol', {}, list.map(item => shown(item, t)))))
  return h('article', { className: 'worksheet', lang: document.documentElement.lang },
    page('questions', items, question, h('h1', {}, title), h('p', { className: 'worksheet-name' }, t('lesson.sheet.name')),
      h('p', {}, t('lesson.sheet.text', { text })),
      h('p', { className: 'worksheet-tokens' }, tokens.map(token => h('span', {}, token)))),
    page('key', items.filter(({ ask }) => ask), solution, h('h1', {}, t('lesson.sheet.key', { title }))))
}

/** Prints a sheet instead of the page, which is restored afterwards. @param {HTMLElement} sheet */
export function print(sheet) {
  const { documentElement: root, body } = document
  for (const old of document.querySelectorAll('.worksheet')) old.remove()
  body.append(sheet)
  root.toggleAttribute('data-worksheet', true)
  addEventListener('afterprint', () => {
    root.toggleAttribute('data-worksheet', false)
    sheet.remove()
  }, { once: true })
  window.print()
}
