/** The layout of a worksheet: questions with room for answers, then the key on a page of its own. */

import { h } from '../lib/dom.js'
import { formatBrief } from '../lib/number.js'
import { renderProse } from '../lib/prose.js'

/** @import { Translate } from '../types.d.ts' */
/** @import { Figure, Item, Worksheet } from './worksheet.js' */

const MAX_COLUMNS = 13

/**
 * Numbers in the format of `brief`: on paper nobody can look up whether 0.00 is 0.
 * @param {Figure} figure @param {Translate} t
 * @param {{ isKey?: boolean, isRinged?: boolean }} how isRinged: whether a ring may point at the answer
 */
function renderTable(figure, t, { isKey = false, isRinged = true }) {
  const { name, rowLabels, colLabels, cells, isCut, isGradient, isWhole } = figure
  /** @param {number} from */
  const columns = from => colLabels.slice(from, from + MAX_COLUMNS)
  const starts = Array.from({ length: Math.ceil(colLabels.length / MAX_COLUMNS) }, (_, i) => i * MAX_COLUMNS)
  const lines = starts.flatMap(from => [
    h('tr', {}, h('th'), columns(from).map(text => h('th', { scope: 'col' }, text))),
    ...cells.map((row, i) => h('tr', {}, h('th', { scope: 'row' }, rowLabels[i]),
      row.slice(from, from + MAX_COLUMNS).map(({ value, isBlank, isPointed }) => (
        h('td', { className: isPointed && isRinged ? 'is-ringed' : '' }, isBlank && !isKey ? '' : formatBrief(value))))))
  ])
  const caption = [h('code', {}, name), isCut ? ' …' : '', isGradient ? ` · ${t('inspector.backward')}` : '']
  return h('figure', { className: isWhole && isRinged ? 'is-ringed' : '' }, h('figcaption', {}, caption),
    h('table', {}, h('tbody', {}, lines)))
}

/** @param {Item} item @param {Translate} t */
function renderQuestion({ title, text, ask, hint, options, figures, answerFigures }, t) {
  const intro = [h('h2', {}, title), h('p', {}, renderProse(text)), figures.map(figure => renderTable(figure, t, {}))].flat()
  if (!ask) return h('li', { className: 'worksheet-lead' }, intro)
  return h('li', {}, intro, h('p', { className: 'worksheet-ask' }, renderProse(ask)),
    hint ? h('p', { className: 'worksheet-hint' }, renderProse(hint)) : null,
    options ? h('ul', {}, options.map(option => h('li', {}, option))) : h('p', { className: 'worksheet-line' }),
    answerFigures.filter(({ isCut }) => !isCut).map(figure => renderTable(figure, t, { isRinged: false })))
}

/** @param {Item} item @param {Translate} t */
const renderSolution = ({ title, answer, why, figures, answerFigures }, t) => h('li', {}, h('h2', {}, title),
  h('p', { className: 'worksheet-answer' }, answer), h('p', {}, renderProse(why)),
  [...figures, ...answerFigures].filter(({ cells }) => cells.flat().some(({ isBlank }) => isBlank))
    .map(figure => renderTable(figure, t, { isKey: true })))

/** @param {Worksheet} sheet @param {Translate} t */
export function renderWorksheet({ title, text, tokens, items }, t) {
  /**
   * @param {string} name @param {Item[]} list @param {(item: Item, t: Translate) => HTMLElement} renderItem
   * @param {...Node} header
   */
  const renderPage = (name, list, renderItem, ...header) => (
    h('section', { className: `worksheet-${name}` }, ...header, h('ol', {}, list.map(item => renderItem(item, t)))))
  return h('article', { className: 'worksheet', lang: document.documentElement.lang },
    renderPage('questions', items, renderQuestion, h('h1', {}, title), h('p', { className: 'worksheet-name' }, t('player.sheet.name')),
      h('p', {}, t('player.sheet.text', { text })),
      h('p', { className: 'worksheet-tokens' }, tokens.map(token => h('span', {}, token)))),
    renderPage('key', items.filter(({ ask }) => ask), renderSolution, h('h1', {}, t('player.sheet.key', { title }))))
}

/** Prints a sheet instead of the page, which is restored afterwards. @param {HTMLElement} sheet */
export function printSheet(sheet) {
  const { documentElement: root, body } = document
  for (const oldSheet of document.querySelectorAll('.worksheet')) oldSheet.remove()
  body.append(sheet)
  root.toggleAttribute('data-worksheet', true)
  addEventListener('afterprint', () => {
    root.toggleAttribute('data-worksheet', false)
    sheet.remove()
  }, { once: true })
  window.print()
}
