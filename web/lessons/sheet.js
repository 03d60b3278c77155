/** A worksheet as it is printed: questions with room for answers, then the key on a page of its own. */

import { h } from '../lib/dom.js'
import { fixed } from '../lib/number.js'
import { prose } from '../lib/prose.js'

/** @import { Translate } from '../types.d.ts' */
/** @import { Figure, Item, Worksheet } from './worksheet.js' */

const IN_A_LINE = 14

/** @param {Figure} figure @param {boolean} isKey */
function table({ name, rowLabels, colLabels, cells, isCut }, isKey) {
  /** @param {number} from */
  const columns = from => colLabels.slice(from, from + IN_A_LINE)
  const starts = Array.from({ length: Math.ceil(colLabels.length / IN_A_LINE) }, (_, i) => i * IN_A_LINE)
  const lines = starts.flatMap(from => [
    h('tr', {}, h('th'), columns(from).map(text => h('th', { scope: 'col' }, text))),
    ...cells.map((row, i) => h('tr', {}, h('th', { scope: 'row' }, rowLabels[i]),
      row.slice(from, from + IN_A_LINE).map(({ value, isBlank, isPointed }) => (
        h('td', { className: isPointed && (isKey || !isBlank) ? 'is-ringed' : '' }, isBlank && !isKey ? '' : fixed(value))))))
  ])
  return h('figure', {}, h('figcaption', {}, h('code', {}, name), isCut ? ' …' : ''), h('table', {}, h('tbody', {}, lines)))
}

/** @param {Item} item */
const question = ({ title, text, ask, options, given, seen }) => h('li', {}, h('h2', {}, title), h('p', {}, prose(text)),
  given.map(figure => table(figure, false)), h('p', { className: 'worksheet-ask' }, prose(ask)),
  options ? h('ul', {}, options.map(option => h('li', {}, option))) : h('p', { className: 'worksheet-line' }),
  seen.map(figure => table(figure, false)))

/** @param {Item} item */
const solution = ({ title, answer, given, seen }) => h('li', {}, h('h2', {}, title),
  h('p', { className: 'worksheet-answer' }, answer),
  [...given, ...seen].filter(({ cells }) => cells.flat().some(({ isBlank }) => isBlank))
    .map(figure => table(figure, true)))

/** @param {Worksheet} sheet @param {Translate} t */
export function paper({ title, text, tokens, items }, t) {
  /** @param {string} name @param {(item: Item) => HTMLElement} shown @param {...Node} top */
  const page = (name, shown, ...top) => (
    h('section', { className: `worksheet-${name}` }, ...top, h('ol', {}, items.map(shown))))
  return h('article', { className: 'worksheet', lang: document.documentElement.lang },
    page('questions', question, h('h1', {}, title), h('p', { className: 'worksheet-name' }, t('lesson.sheet.name')),
      h('p', {}, t('lesson.sheet.text', { text })),
      h('p', { className: 'worksheet-tokens' }, tokens.map(token => h('span', {}, token)))),
    page('key', solution, h('h1', {}, t('lesson.sheet.key', { title }))))
}

/** Prints a sheet in place of the page, which comes back afterwards. @param {HTMLElement} sheet */
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
