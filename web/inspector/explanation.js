/**
 * The explanation of a cell: its formula, the same with numbers, every term with links to its factors, and the steps.
 */

import { cellName } from '../lib/cell.js'
import { h } from '../lib/dom.js'
import { renderFormula } from '../lib/formula.js'
import { formatBrief, formatFixed } from '../lib/number.js'
import { convertFormula, convertLabel } from '../lib/engine_formula.js'
import { getDescription } from '../lib/run.js'
import { numbersFormula } from './numbers.js'

/** @typedef {Explanation['terms'][number]} Term */
/** @typedef {Term['factors'][number]} Factor */

/**
 * How an explanation is displayed.
 * @typedef {object} ExplanationView
 * @property {Translate} t
 * @property {Run} run the run it is of
 * @property {(cell: Cell) => void} go opens the cell of a factor
 * @property {(cell: Cell) => boolean} has whether the run has a cell; a missing one gets no link
 * @property {boolean} sorted terms by size
 * @property {number | null} page the page of the terms, if more than the first few are requested
 * @property {(patch: { sorted?: boolean, page?: number | null }) => void} change changes the two before
 */

/** @import { Cell, CellExplanation, Explanation, Run, Translate } from '../types.d.ts' */

const FIRST_TERMS = 24
/** Terms per page: a table of all 8,192 would block the page for seconds. */
const PAGE_TERMS = 120
const INDICES = /\[[^\]]*\]/g
const BETWEEN_LINES = ',  '

/**
 * Returns a function that translates words in the engine's formulas.
 * @param {Translate} t @returns {(name: string) => string}
 */
export const createWordTranslator = t => name => t(`inspector.words.${name}`)

/**
 * A term's label with every symbol replaced by its value, which links to the cell it comes from.
 * @param {string} label @param {Factor[]} factors @param {Pick<ExplanationView, 'go' | 'has'>} view
 */
function renderProductWithLinks(label, factors, { go, has }) {
  let rest = label
  const parts = factors.flatMap(({ symbol, value, source }) => {
    const position = rest.indexOf(symbol)
    if (position < 0) return []
    const before = rest.slice(0, position)
    rest = rest.slice(position + symbol.length)
    if (!source || !has(source)) return [before, formatBrief(value)]
    const props = { type: 'button', className: 'cell-link', title: cellName(source), onclick: () => go(source) }
    return [before, h('button', props, formatBrief(value))]
  })
  return [...parts, rest]
}

/**
 * The length of a bar in percent of the longest; beside an infinite value all others have length 0.
 * @param {number} size @param {number} max
 */
function barLength(size, max) {
  if (size === Infinity) return 100
  return max ? Math.max(1, (size / max) * 100) : 0
}

/** @param {Term} term @param {number} max @param {ExplanationView} view */
function renderTerm({ label, value, factors }, max, view) {
  const bar = h('span', { className: value < 0 ? 'bar is-negative' : 'bar' })
  bar.style.setProperty('width', `${barLength(Math.abs(value), max)}%`)
  return h('li', { title: convertLabel(label, createWordTranslator(view.t)) },
    h('span', { className: 'factors' }, renderProductWithLinks(label, factors, view)),
    h('span', { className: 'equals' }, '='), h('span', { className: 'product-value' }, formatBrief(value)),
    h('span', { className: 'track' }, bar))
}

/**
 * Which lines of all are displayed, with buttons for the previous and next page.
 * @param {number} page @param {number} count of all terms @param {Pick<ExplanationView, 't' | 'change'>} view
 */
function renderPager(page, count, { t, change }) {
  const first = page * PAGE_TERMS, last = Math.min(count, first + PAGE_TERMS)
  /** @param {number} sortBySize @param {string} sign @param {'back' | 'on'} word @param {boolean} isEnd */
  const step = (sortBySize, sign, word, isEnd) => h('button', {
    'type': 'button', 'className': 'place-step', 'data-keep': `${word}-terms`, 'disabled': isEnd,
    'aria-label': t(`inspector.turn.${word}`), 'onclick': () => change({ page: page + sortBySize })
  }, sign)
  return h('p', { className: 'terms-page' }, step(-1, '‹', 'back', first === 0),
    h('span', {}, t('inspector.turn.at', { first: first + 1, last, count })), step(1, '›', 'on', last === count))
}

/**
 * The list of terms, by position or by magnitude: the first few, or one page of them.
 * @param {CellExplanation} explanation @param {ExplanationView} view
 */
function renderTerms({ terms, count = terms.length }, view) {
  const { t, sorted, page, change } = view
  const max = Math.max(...terms.map(({ value }) => Math.abs(value)).filter(size => !Number.isNaN(size)), 0)
  const order = sorted ? [...terms].sort((a, b) => Math.abs(b.value) - Math.abs(a.value)) : terms
  const isWhole = count === terms.length, shownPage = isWhole && page !== null ? page : null
  const visible = shownPage === null ? order.slice(0, FIRST_TERMS)
    : order.slice(shownPage * PAGE_TERMS, (shownPage + 1) * PAGE_TERMS)
  /** @param {boolean} by @param {string} word */
  const createSortButton = (by, word) => h('button', {
    'type': 'button', 'className': 'quiet', 'data-keep': `sort-${by}`, 'aria-pressed': String(sorted === by),
    'onclick': () => change({ sorted: by, page: shownPage && 0 })
  }, t(`inspector.${word}`))
  return [
    h('div', { className: 'terms-head' }, h('span', {}, t('inspector.terms', { count })),
      terms.length > 2 ? h('span', {}, createSortButton(false, 'order'), createSortButton(true, 'size')) : ''),
    h('ol', { className: 'terms', start: (shownPage ?? 0) * PAGE_TERMS + 1 }, visible.map(item => renderTerm(item, max, view))),
    shownPage !== null && order.length > PAGE_TERMS ? renderPager(shownPage, order.length, view) : '',
    shownPage === null && isWhole && visible.length < order.length
      ? h('button', { type: 'button', className: 'quiet', onclick: () => change({ page: 0 }) },
          t('inspector.more', { count: order.length - visible.length })) : '',
    count > terms.length ? h('p', { className: 'note' }, t('inspector.some', { count })) : ''
  ]
}

/** A value copied from another cell. */
const COPY_FORMULA = /^out = x\d*$/

/** Notes of values that have no formula. */
const NOTES_WITHOUT_FORMULA = ['drawn', 'started']

/**
 * The formula of each use as MathML, with its sentence.
 * @param {Pick<Explanation, 'formulas' | 'note'>} explanation
 * @param {Translate} t
 */
export function renderRules({ formulas, note }, t) {
  // Uses that contribute nothing to a gradient are left out beside those that do.
  const nonzeroFormulas = formulas.some(item => item !== '0') ? formulas.filter(item => item !== '0') : formulas
  const lines = NOTES_WITHOUT_FORMULA.includes(note?.name ?? '') ? [] : nonzeroFormulas.flatMap(item => item.split(BETWEEN_LINES))
  return [
    ...lines.map(line => h('p', { className: 'rule' }, renderFormula(convertFormula(line, createWordTranslator(t))))),
    note ? h('p', { className: 'note' }, t(`inspector.notes.${note.name}`, note.values)) : ''
  ]
}

/** Reports sizes after layout, so that reading them does not force another layout. */
const widthObserver = globalThis.ResizeObserver && new ResizeObserver(entries => {
  for (const { target } of entries) {
    if (target.scrollWidth > target.clientWidth) target.setAttribute('tabindex', '0')
    else target.removeAttribute('tabindex')
  }
})

/** Makes a formula that is wider than its container scrollable with the keyboard. @param {Element} element */
export function makeScrollable(element) {
  for (const rule of element.querySelectorAll('.rule')) widthObserver?.observe(rule)
}

/** @param {Explanation['steps']} list @param {Translate} t */
function renderSteps(list, t) {
  /** @param {string} label */
  const name = label => renderFormula(convertFormula(label.replace(INDICES, ''), createWordTranslator(t)))
  return h('dl', { className: 'steps' }, list.map(({ label, value }) => (
    [h('dt', {}, name(label)), h('dd', {}, Math.abs(value) < 0.0005 ? formatBrief(value) : formatFixed(value, 4))])))
}

/** The note on values that are not computed, by the role of their tensor. @type {Record<string, string>} */
const ORIGINS = { buffer: 'fixed', inverse_temperature: 'fixed', cut_mask: 'cut' }

/**
 * Where a value that was not computed comes from, or the previous value of an edited one.
 * @param {Cell} cell @param {CellExplanation} explanation @param {Pick<ExplanationView, 't' | 'run'>} view
 */
function describeSource({ name }, { edited, computed }, { t, run }) {
  const origin = ORIGINS[getDescription(run, name).role]
  const values = { computed: formatBrief(computed) }
  if (edited && origin) return t('inspector.edited', values)
  const source = run.isTrained && !run.randomTensors?.includes(name) ? 'learned' : 'given'
  return edited ? t(`inspector.set.${source}`, values) : t(`inspector.${origin ?? source}`)
}

/**
 * The section that explains a cell.
 * @param {CellExplanation} explanation
 * @param {Cell} cell
 * @param {ExplanationView} view
 */
export function renderExplanation(explanation, cell, view) {
  const { t } = view
  if (explanation.missingReason) return h('p', { className: 'note given' }, t(`inspector.${explanation.missingReason}`))
  if (explanation.op === 'given' && !cell.isGradient) {
    const isEdited = explanation.edited
    return h('p', { className: isEdited ? 'note is-edited' : 'note given' }, describeSource(cell, explanation, view))
  }
  const { edited, computed, rounding } = explanation
  const isCopy = explanation.formulas.length > 0 && explanation.formulas.every(item => COPY_FORMULA.test(item))
  const numbers = numbersFormula(edited ? { ...explanation, value: computed } : explanation, cell.index)
  return h('section', { className: 'made' },
    edited ? h('p', { className: 'note is-edited' }, t('inspector.edited', { computed: formatBrief(computed) })) : '',
    h('h3', {}, t(cell.isGradient ? 'inspector.derived' : 'inspector.made')),
    isCopy ? h('p', { className: 'note' }, t('inspector.taken')) : renderRules(explanation, t),
    numbers && !isCopy ? h('p', { className: 'rule is-numbers' }, renderFormula(numbers)) : '',
    explanation.terms.length ? renderTerms(explanation, view) : '',
    explanation.steps.length ? renderSteps(explanation.steps, t) : '',
    rounding && !edited ? h('p', { className: 'note' }, `${t('inspector.rounding')}: ${formatBrief(rounding)}`) : '')
}
