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
 * @typedef {object} Reading
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
export const translateWords = t => name => t(`inspector.words.${name}`)

/**
 * A term's label with every symbol replaced by its value, which links to the cell it comes from.
 * @param {string} label @param {Factor[]} factors @param {Pick<Reading, 'go' | 'has'>} view
 */
function worth(label, factors, { go, has }) {
  let rest = label
  const parts = factors.flatMap(({ symbol, value, source }) => {
    const at = rest.indexOf(symbol)
    if (at < 0) return []
    const before = rest.slice(0, at)
    rest = rest.slice(at + symbol.length)
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
function lengthOf(size, max) {
  if (size === Infinity) return 100
  return max ? Math.max(1, (size / max) * 100) : 0
}

/** @param {Term} term @param {number} max @param {Reading} view */
function term({ label, value, factors }, max, view) {
  const bar = h('span', { className: value < 0 ? 'bar is-negative' : 'bar' })
  bar.style.setProperty('width', `${lengthOf(Math.abs(value), max)}%`)
  return h('li', { title: convertLabel(label, translateWords(view.t)) },
    h('span', { className: 'factors' }, worth(label, factors, view)),
    h('span', { className: 'equals' }, '='), h('span', { className: 'product-value' }, formatBrief(value)),
    h('span', { className: 'track' }, bar))
}

/**
 * Which lines of all are displayed, with buttons for the previous and next page.
 * @param {number} page @param {number} count of all terms @param {Pick<Reading, 't' | 'change'>} view
 */
function pager(page, count, { t, change }) {
  const first = page * PAGE_TERMS, last = Math.min(count, first + PAGE_TERMS)
  /** @param {number} by @param {string} sign @param {'back' | 'on'} word @param {boolean} isEnd */
  const step = (by, sign, word, isEnd) => h('button', {
    'type': 'button', 'className': 'place-step', 'data-keep': `${word}-terms`, 'disabled': isEnd,
    'aria-label': t(`inspector.turn.${word}`), 'onclick': () => change({ page: page + by })
  }, sign)
  return h('p', { className: 'terms-page' }, step(-1, '‹', 'back', first === 0),
    h('span', {}, t('inspector.turn.at', { first: first + 1, last, count })), step(1, '›', 'on', last === count))
}

/**
 * The list of terms, by position or by magnitude: the first few, or one page of them.
 * @param {CellExplanation} explanation @param {Reading} view
 */
function termList({ terms, count = terms.length }, view) {
  const { t, sorted, page, change } = view
  const max = Math.max(...terms.map(({ value }) => Math.abs(value)).filter(size => !Number.isNaN(size)), 0)
  const order = sorted ? [...terms].sort((a, b) => Math.abs(b.value) - Math.abs(a.value)) : terms
  const isWhole = count === terms.length, at = isWhole && page !== null ? page : null
  const visible = at === null ? order.slice(0, FIRST_TERMS) : order.slice(at * PAGE_TERMS, (at + 1) * PAGE_TERMS)
  /** @param {boolean} by @param {string} word */
  const choose = (by, word) => h('button', {
    'type': 'button', 'className': 'quiet', 'data-keep': `sort-${by}`, 'aria-pressed': String(sorted === by),
    'onclick': () => change({ sorted: by, page: at && 0 })
  }, t(`inspector.${word}`))
  return [
    h('div', { className: 'terms-head' }, h('span', {}, t('inspector.terms', { count })),
      terms.length > 2 ? h('span', {}, choose(false, 'order'), choose(true, 'size')) : ''),
    h('ol', { className: 'terms', start: (at ?? 0) * PAGE_TERMS + 1 }, visible.map(one => term(one, max, view))),
    at !== null && order.length > PAGE_TERMS ? pager(at, order.length, view) : '',
    at === null && isWhole && visible.length < order.length
      ? h('button', { type: 'button', className: 'quiet', onclick: () => change({ page: 0 }) },
          t('inspector.more', { count: order.length - visible.length })) : '',
    count > terms.length ? h('p', { className: 'note' }, t('inspector.some', { count })) : ''
  ]
}

/** A value copied from another cell. */
const COPIED = /^out = x\d*$/

/** Stands for what has no formula. */
const WITHOUT_FORMULA = ['drawn', 'started']

/**
 * The formula of each use as MathML, with its sentence.
 * @param {Pick<Explanation, 'formulas' | 'note'>} explanation
 * @param {Translate} t
 */
export function formulaList({ formulas, note }, t) {
  // Uses that contribute nothing to a gradient are left out beside those that do.
  const relevant = formulas.some(one => one !== '0') ? formulas.filter(one => one !== '0') : formulas
  const lines = WITHOUT_FORMULA.includes(note?.name ?? '') ? [] : relevant.flatMap(one => one.split(BETWEEN_LINES))
  return [
    ...lines.map(line => h('p', { className: 'rule' }, renderFormula(convertFormula(line, translateWords(t))))),
    note ? h('p', { className: 'note' }, t(`inspector.notes.${note.name}`, note.values)) : ''
  ]
}

/** Reports sizes after layout, so that reading them does not force another layout. */
const sizes = globalThis.ResizeObserver && new ResizeObserver(entries => {
  for (const { target } of entries) {
    if (target.scrollWidth > target.clientWidth) target.setAttribute('tabindex', '0')
    else target.removeAttribute('tabindex')
  }
})

/** Makes a formula that is wider than its container scrollable with the keyboard. @param {Element} element */
export function makeScrollable(element) {
  for (const rule of element.querySelectorAll('.rule')) sizes?.observe(rule)
}

/** @param {Explanation['steps']} list @param {Translate} t */
function steps(list, t) {
  /** @param {string} label */
  const name = label => renderFormula(convertFormula(label.replace(INDICES, ''), translateWords(t)))
  return h('dl', { className: 'steps' }, list.map(({ label, value }) => (
    [h('dt', {}, name(label)), h('dd', {}, Math.abs(value) < 0.0005 ? formatBrief(value) : formatFixed(value, 4))])))
}

/** The note on values that are not computed, by the role of their tensor. @type {Record<string, string>} */
const ORIGINS = { buffer: 'fixed', inverse_temperature: 'fixed', cut_mask: 'cut' }

/**
 * Where a value that was not computed comes from, or the previous value of an edited one.
 * @param {Cell} cell @param {CellExplanation} explanation @param {Pick<Reading, 't' | 'run'>} view
 */
function originText({ name }, { edited, computed }, { t, run }) {
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
 * @param {Reading} view
 */
export function explanationSection(explanation, cell, view) {
  const { t } = view
  if (explanation.none) return h('p', { className: 'note given' }, t(`inspector.${explanation.none}`))
  if (explanation.op === 'given' && !cell.isGradient) {
    const isSet = explanation.edited
    return h('p', { className: isSet ? 'note is-edited' : 'note given' }, originText(cell, explanation, view))
  }
  const { edited, computed, rounding } = explanation
  const isTaken = explanation.formulas.length > 0 && explanation.formulas.every(one => COPIED.test(one))
  const numbers = numbersFormula(edited ? { ...explanation, value: computed } : explanation, cell.index)
  return h('section', { className: 'made' },
    edited ? h('p', { className: 'note is-edited' }, t('inspector.edited', { computed: formatBrief(computed) })) : '',
    h('h3', {}, t(cell.isGradient ? 'inspector.derived' : 'inspector.made')),
    isTaken ? h('p', { className: 'note' }, t('inspector.taken')) : formulaList(explanation, t),
    numbers && !isTaken ? h('p', { className: 'rule is-numbers' }, renderFormula(numbers)) : '',
    explanation.terms.length ? termList(explanation, view) : '',
    explanation.steps.length ? steps(explanation.steps, t) : '',
    rounding && !edited ? h('p', { className: 'note' }, `${t('inspector.rounding')}: ${formatBrief(rounding)}`) : '')
}
