/** The layout of a worksheet and of its key. */

import { createScale, probabilityDomain, signedDomain } from '../lib/color.js'
import { h } from '../lib/dom.js'
import { formatDecimal } from '../lib/number.js'
import { renderProse } from '../lib/prose.js'
import { fullRoomName } from '../lib/room_name.js'

/** @import { Translate } from '../types.d.ts' */
/** @import { Figure, Item, Worksheet } from './worksheet.js' */

const MAX_COLUMNS = 13

/**
 * What a table shows: the room of its tensor and the head, or, where there is no room, the tensor's name.
 * @param {Figure} figure @param {Translate} t
 */
function renderCaption({ name, room, head, isCut, isGradient }, t) {
  const words = [room && fullRoomName(room, t), head !== null && `${t('inspector.axes.head')} ${head}`,
    isGradient && t('inspector.backward')].filter(Boolean).join(' · ')
  return h('figcaption', {}, words || h('code', {}, name), isCut ? ' …' : '')
}

/**
 * Numbers as decimals: on paper nobody can look up whether 0.00 is 0.
 * @param {Figure} figure @param {Translate} t
 * @param {{ isKey?: boolean, isRinged?: boolean }} how isRinged: whether a ring may point at the answer
 */
function renderTable(figure, t, { isKey = false, isRinged = true }) {
  const { rowLabels, colLabels, cells, isWhole, isProbability } = figure
  const max = Math.max(...cells.flat().map(({ value }) => Math.abs(value)).filter(Number.isFinite))
  const scale = createScale(isProbability ? probabilityDomain() : signedDomain(max), 'light')
  /** @param {{ value: number, isBlank: boolean, isPointed: boolean }} cell */
  function renderCell({ value, isBlank, isPointed }) {
    const className = isPointed && isRinged ? 'is-ringed' : ''
    if (isBlank && !isKey) return h('td', { className })
    const { css, ink } = scale.at(value)
    return h('td', { className, style: { 'background-color': css, 'color': ink } }, formatDecimal(value + 0))
  }
  /** @param {number} from */
  const columns = from => colLabels.slice(from, from + MAX_COLUMNS)
  const starts = Array.from({ length: Math.ceil(colLabels.length / MAX_COLUMNS) }, (_, i) => i * MAX_COLUMNS)
  const lines = starts.flatMap(from => [
    h('tr', {}, h('th'), columns(from).map(text => h('th', { scope: 'col' }, text))),
    ...cells.map((row, i) => h('tr', {}, h('th', { scope: 'row' }, rowLabels[i]), row.slice(from, from + MAX_COLUMNS).map(renderCell)))
  ])
  return h('figure', { className: isWhole && isRinged ? 'is-ringed' : '' }, renderCaption(figure, t),
    h('table', {}, h('tbody', {}, lines)))
}

/** @param {Figure[]} figures @param {Translate} t */
const renderCellsToFill = (figures, t) => (figures.length ? [h('p', {}, t('player.sheet.fill')),
  ...figures.map(figure => renderTable(figure, t, { isRinged: false }))] : [])

/** @param {Item['drawing']} drawing */
const renderDrawing = drawing => drawing && h('div', { className: 'worksheet-drawing', inert: true }, drawing.element)

/** @param {Item} item @param {Translate} t */
function renderItem({ title, text, ask, task, hint, options, figures, answerFigures, hasCellsToFill, drawing }, t) {
  const intro = [h('h2', {}, title), h('p', {}, renderProse(text)), renderDrawing(drawing),
    figures.map(figure => renderTable(figure, t, {}))].flat()
  if (task) intro.push(h('p', { className: 'worksheet-task' }, renderProse(t('player.sheet.task', { ask: task }))),
    h('p', { className: 'worksheet-line' }, t('player.sheet.reached')))
  if (!ask) return h('li', { className: task ? '' : 'worksheet-lead' }, intro)
  return h('li', {}, intro, h('p', { className: 'worksheet-ask' }, renderProse(ask)),
    hint ? h('p', { className: 'worksheet-hint' }, renderProse(hint)) : null,
    options ? h('ul', {}, options.map(option => h('li', {}, option))) : h('p', { className: 'worksheet-line' }),
    renderCellsToFill(hasCellsToFill ? answerFigures.filter(({ isCut }) => !isCut) : [], t))
}

/** @param {Item} item @param {Translate} t */
const renderSolution = ({ title, isQuestion, task, answer, why, solvedDrawing, solutions, figures, answerFigures }, t) => h('li', { className: isQuestion || task ? '' : 'worksheet-lead' },
  h('h2', {}, title), isQuestion ? h('p', { className: 'worksheet-answer' }, answer) : [], renderDrawing(solvedDrawing),
  why ? h('p', {}, renderProse(why)) : [],
  solutions.map(text => h('p', { className: 'worksheet-solution' }, renderProse(text))),
  [...figures, ...answerFigures].filter(({ cells }) => cells.flat().some(({ isBlank }) => isBlank))
    .map(figure => renderTable(figure, t, { isKey: true })))

/** @param {string} name @param {Node[]} items @param {...Node} header */
const renderSheet = (name, items, ...header) => h('article', { className: `worksheet worksheet-${name}`, lang: document.documentElement.lang },
  ...header, h('ol', {}, items))

/** The questions, with room for answers. @param {Worksheet} sheet @param {Translate} t */
export const renderQuestions = ({ title, text, tokens, items }, t) => renderSheet('questions', items.map(item => renderItem(item, t)),
  h('h1', {}, title), h('p', { className: 'worksheet-name' }, t('player.sheet.name')), h('p', {}, t('player.sheet.text', { text })),
  h('p', { className: 'worksheet-tokens' }, tokens.map(token => h('span', {}, token))))

/** The answers with their reasons. @param {Worksheet} sheet @param {Translate} t */
export const renderKey = ({ title, text, items }, t) => renderSheet('key', items.filter(({ isQuestion, task, solutions }) => isQuestion || task || solutions.length).map(item => renderSolution(item, t)),
  h('h1', {}, t('player.sheet.key', { title })), h('p', {}, t('player.sheet.text', { text })),
  h('p', { className: 'worksheet-hint' }, t('player.sheet.rounding')))

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
