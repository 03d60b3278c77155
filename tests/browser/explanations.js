/** What the inspector tells of a cell: each number, and what it has to be by the run's own explanation. */

import { listedAxes } from '../../web/inspector/cell_index.js'
import { cellName } from '../../web/lib/cell.js'
import { indexAt, tensorNamed, valueAt } from './cells.js'
import { isPlace, isProse, labelFits, valuesIn } from './number_kinds.js'
import { tells, writes } from './writes_number.js'

const FIRST_TERMS = 24
const numbersIn = text => text.split(/[^\d.]+/).filter(part => /^\d+(\.\d+)?$/.test(part)).map(Number)
const isIn = (texts, number) => texts.flatMap(numbersIn).includes(Number(number))
const named = (steps, label) => steps.find(step => step.label === label).value

/** The numbers in the line of mathematics with numbers in it, in their order. */
function lineOf({ value, terms, steps }, at) {
  const total = terms.slice(0, 2).flatMap(term => (
    term.factors.length ? term.factors.map(factor => factor.value) : [term.value]))
  const last = steps.at(-1)?.label ?? ''
  if (last === 'exp / Σ') return [value, terms[at].factors[0].value, steps[0].value, steps[2].value]
  if (last === 'x − max − log Σ') return [value, terms[at].factors[0].value, named(steps, 'max'), named(steps, 'Σ')]
  return [value, ...total, ...(/^[÷×] /.test(last) ? numbersIn(last) : [])]
}

/** Whether a number is one that an explanation names: its value, its terms and factors, its steps. */
function isNamed({ value, explanation: { terms, steps } }, text) {
  const known = [value, ...steps.map(one => one.value), ...terms.flatMap(term => (
    [term.value, ...term.factors.map(one => one.value), ...numbersIn(term.label ?? '')]))]
  return known.some(one => writes(text, Math.abs(one)))
}

function factorFits(view, text, { term, factor, source }) {
  const { factors, label } = view.explanation.terms[term]
  if (factor < 0) {
    const isConstant = factors.some(one => !one.source && writes(text, one.value))
    return isConstant || numbersIn(text).every(x => isIn([label], x))
  }
  const from = factors.filter(one => one.source)[factor]
  const { name, index, isGradient } = from.source
  const isCells = isGradient || Object.is(valueAt(view, name, index), from.value)
  return cellName(from.source) === source && writes(text, from.value) && isCells
}

/** Kinds as in `number_kinds.js`; the view has the explained cell, its explanation and its value. */
export const TOLD = {
  name: ['.cell-name', null, ({ key }, text) => text === key],
  exact: ['[data-exact]', null, ({ value }, text) => tells(text, value)],
  short: ['.cell-value', null, ({ value }, text) => writes(text, value)],
  facts: ['.facts dd', null, (view, text) => (
    [`[${view.cell.index.join(', ')}]`, tensorNamed(view, view.cell.name).shape.join(' × ')].includes(text))],
  type: ['.facts dt', null, (view, text) => (
    ['float32', 'int32'].includes(valuesIn(view, 'inspector.exact', text)?.type))],
  place: ['.places b', 'order', (view, text, i) => {
    const axis = listedAxes(tensorNamed(view, view.cell.name))[i]
    return text === String(view.cell.index[axis]) ||
      labelFits(view, { tensor: view.cell.name, first: view.cell.index, axes: [axis], side: 0, i: 0 }, text)
  }],
  placeNumber: ['.places small', null, (view, text) => (
    view.cell.index.includes(Number(valuesIn(view, 'inspector.place', text)?.place)))],
  count: ['.terms-head', null, (view, text) => (
    Number(valuesIn(view, 'inspector.terms', text)?.count) === view.explanation.terms.length)],
  factor: ['.terms .factors', 'term', factorFits],
  product: ['.terms .product-value', 'term', ({ explanation: { terms } }, text, { term }) => (
    writes(text, terms[term].value))],
  stepName: ['.steps dt', 'step', (view, text, i) => (
    isProse(view, text) || isIn([view.explanation.steps[i].label], text))],
  step: ['.steps dd', 'step', ({ explanation }, text, i) => writes(text, explanation.steps[i].value)],
  line: ['.is-numbers', 'written', (view, _, numbers) => {
    if (/rms_norm/.test(view.explanation.op)) return numbers.every(text => isNamed(view, text))
    const wanted = lineOf({ ...view.explanation, value: view.value }, view.cell.index.at(-1))
    return numbers.length === wanted.length && numbers.every((text, i) => writes(text, Math.abs(wanted[i])))
  }],
  rule: ['.rule', null, (view, text) => (
    isProse(view, text) || (view.explanation.op === 'gelu' && text === '3') || numbersIn(text).every(x => isIn([view.explanation.formula], x)))],
  set: ['p.is-edited', null, (view, text) => ['edited', 'set.learned', 'set.given'].some(key => (
    writes(valuesIn(view, `inspector.${key}`, text)?.computed ?? '', view.explanation.computed)))],
  note: ['.made .note', null, (view, text) => {
    const start = `${view.t('inspector.rounding')}: `
    if (text.startsWith(start)) return writes(text.slice(start.length), view.explanation.rounding, 1)
    return isProse(view, text) || Number(valuesIn(view, 'inspector.notes.drawn', text)?.p) === view.state.dropout
  }],
  feeds: ['.feeds', null, ({ explanation }, text) => explanation.feeds.includes(text)],
  trail: ['.trail', null, (view, text) => text.startsWith(view.key.replace('∂', '').slice(0, -1)) || text === view.key],
  more: ['.made > .quiet', null, (view, text) => (
    Number(valuesIn(view, 'inspector.more', text)?.count) === view.explanation.terms.length - FIRST_TERMS)],
  goto: ['.actions', null, (view, text) => (
    isPlace(view, valuesIn(view, 'inspector.goto', text)?.room) || isProse(view, text))],
  nudge: ['.nudge > .quiet', null, (view, text) =>
    Number(valuesIn(view, 'inspector.nudge.do', text)?.step) === 2 ** -6],
  prose: ['.inspector', null, isProse]
}

/** A source's address, and the engine's word for a term. */
export const TOLD_ATTRIBUTES = {
  source: ['.factors button', 'term', (view, text, { term, factor }) => {
    const { source } = view.explanation.terms[term].factors.filter(one => one.source)[factor]
    return text === cellName(source)
  }],
  term: ['.terms li', 'term', ({ explanation, messages }, text, { term }) => {
    const bare = Object.values(messages.inspector.words).reduce((rest, word) => rest.replaceAll(word, ' '), text)
    return numbersIn(bare).join() === numbersIn(explanation.terms[term].label).join()
  }]
}

/** Whether what is summed makes the cell: each term the product of its factors, and, where no step follows, the sum. */
export function addsUp({ terms, steps, value }) {
  const size = terms.reduce((sum, term) => sum + Math.abs(term.value), 0)
  const products = terms.every(({ label, value: worth, factors }) => {
    if (label !== factors.map(({ symbol }) => symbol).join(' × ')) return true
    const product = factors.reduce((so, factor) => so * factor.value, 1)
    return Math.abs(product - worth) <= 1e-6 * Math.abs(worth) || Object.is(product, worth)
  })
  const sum = terms.reduce((so, term) => so + term.value, 0)
  const isSum = Object.is(sum, value) || Math.abs(sum - value) <= 1e-5 * size + 1e-9
  return products && (steps.length > 0 || terms.length === 0 || isSum)
}

/** The cell of a matrix some steps from its first. */
export const cellOf = (matrix, row, col) => ({ name: matrix.tensor, index: indexAt(matrix, row, col) })
