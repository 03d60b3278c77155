/** Every kind of number in the inspector, and the check of its text with the explanation of the cell made in Node. */

import { listedAxes } from '../../web/inspector/cell_index.js'
import { cellName } from '../../web/lib/cell.js'
import { formatBrief } from '../../web/lib/number.js'
import { cellIndex, findTensor, valueAt } from './cells.js'
import { isRoomName, isPageText, isLabelRight, matchMessage } from './text_view.js'
import { isExactly, isRoundedTo } from './writes_number.js'

const FIRST_TERMS = 24
const parseNumbers = text => text.split(/[^\d.]+/).filter(part => /^\d+(\.\d+)?$/.test(part)).map(Number)
const hasNumber = (texts, number) => texts.flatMap(parseNumbers).includes(Number(number))
const stepValue = (steps, label) => steps.find(step => step.label === label).value

/** Whether a number is written with a power of ten, which makes two products wider than the panel. */
const hasPower = number => formatBrief(number).includes('e')

/** The numbers of the formula with numbers, in their order. */
function expectedNumbers({ value, terms, steps }, at) {
  const [one = [], two = []] = terms.slice(0, 2).map(term => (
    term.factors.length ? term.factors.map(factor => factor.value) : [term.value]))
  const total = [...one, ...two].some(hasPower) ? one : [...one, ...two]
  const last = steps.at(-1)?.label ?? ''
  if (last === 'exp / Σ') return [value, terms[at].factors[0].value, steps[0].value, steps[2].value]
  if (last === 'x − max − log Σ') return [value, terms[at].factors[0].value, stepValue(steps, 'max'), stepValue(steps, 'Σ')]
  return [value, ...total, ...(/^[÷×] /.test(last) ? parseNumbers(last) : [])]
}

/** Whether a number is in an explanation: as its value, a term, a factor or a step. */
function isExplainedNumber({ value, explanation: { terms, steps } }, text) {
  const values = [value, ...steps.map(step => step.value), ...terms.flatMap(term => (
    [term.value, ...term.factors.map(factor => factor.value), ...parseNumbers(term.label ?? '')]))]
  return values.some(value => isRoundedTo(text, Math.abs(value)))
}

function isFactorRight(view, text, { term, factor, source }) {
  const { factors, label } = view.explanation.terms[term]
  if (factor < 0) {
    const isConstant = factors.some(factorItem => !factorItem.source && isRoundedTo(text, factorItem.value))
    return isConstant || parseNumbers(text).every(x => hasNumber([label], x))
  }
  const factorItem = factors.filter(factorItem => factorItem.source)[factor]
  const { name, index, isGradient } = factorItem.source
  const hasCellValue = isGradient || Object.is(valueAt(view, name, index), factorItem.value)
  return cellName(factorItem.source) === source && isRoundedTo(text, factorItem.value) && hasCellValue
}

/** Kinds as in `number_kinds.js`; the view has the explained cell, its explanation and its value. */
export const INSPECTOR_KINDS = {
  name: ['.cell-name', null, ({ key }, text) => text === key],
  exact: ['[data-exact]', null, ({ value }, text) => isExactly(text, value)],
  short: ['.cell-value', null, ({ value }, text) => isRoundedTo(text, value)],
  facts: ['.facts dd', null, (view, text) => (
    [`[${view.cell.index.join(', ')}]`, findTensor(view, view.cell.name).shape.join(' × ')].includes(text))],
  type: ['.facts dt', null, (view, text) => (
    ['float32', 'int32'].includes(matchMessage(view, 'inspector.exact', text)?.type))],
  place: ['.places b', 'order', (view, text, i) => {
    const axis = listedAxes(findTensor(view, view.cell.name))[i]
    const { name: tensor, index: first } = view.cell, at = first[axis]
    const context = { tensor, first, axes: [axis], side: 0, i: 0 }
    // The position of a token that occurs more than once comes after it, as a text of its own.
    return text === String(at) || [text, `${text} (${at})`].some(name => isLabelRight(view, context, name))
  }],
  placeNumber: ['.places small', null, (view, text) => (
    view.cell.index.includes(Number(matchMessage(view, 'inspector.place', text)?.place)))],
  count: ['.terms-head', null, (view, text) => (
    Number(matchMessage(view, 'inspector.terms', text)?.count) === view.explanation.terms.length)],
  factor: ['.terms .factors', 'term', isFactorRight],
  product: ['.terms .product-value', 'term', ({ explanation: { terms } }, text, { term }) => (
    isRoundedTo(text, terms[term].value))],
  stepName: ['.steps dt', 'step', (view, text, i) => (
    isPageText(view, text) || hasNumber([view.explanation.steps[i].label], text))],
  step: ['.steps dd', 'step', ({ explanation }, text, i) => isRoundedTo(text, explanation.steps[i].value)],
  line: ['.is-numbers', 'written', (view, _, numbers) => {
    if (/rms_norm/.test(view.explanation.op)) return numbers.every(text => isExplainedNumber(view, text))
    const expected = expectedNumbers({ ...view.explanation, value: view.value }, view.cell.index.at(-1))
    return numbers.length === expected.length && numbers.every((text, i) => isRoundedTo(text, Math.abs(expected[i])))
  }],
  rule: ['.rule', null, (view, text) => (
    isPageText(view, text) || (view.explanation.op === 'gelu' && text === '3') || parseNumbers(text).every(x => hasNumber([view.explanation.formula], x)))],
  set: ['p.is-edited', null, (view, text) => ['edited', 'set.learned', 'set.given'].some(key => (
    isRoundedTo(matchMessage(view, `inspector.${key}`, text)?.computed ?? '', view.explanation.computed)))],
  note: ['.made .note', null, (view, text) => {
    const start = `${view.t('inspector.rounding')}: `
    if (text.startsWith(start)) return isRoundedTo(text.slice(start.length), view.explanation.rounding, 1)
    return isPageText(view, text) || Number(matchMessage(view, 'inspector.notes.drawn', text)?.p) === view.state.dropout
  }],
  feeds: ['.feeds', null, ({ explanation }, text) => explanation.users.includes(text)],
  trail: ['.trail', null, (view, text) => text.startsWith(view.key.replace('∂', '').slice(0, -1)) || text === view.key],
  more: ['.made > .quiet', null, (view, text) => (
    Number(matchMessage(view, 'inspector.more', text)?.count) === view.explanation.terms.length - FIRST_TERMS)],
  goto: ['.actions', null, (view, text) => (
    isRoomName(view, matchMessage(view, 'inspector.goto', text)?.room) || isPageText(view, text))],
  nudge: ['.nudge > .quiet', null, (view, text) =>
    [2 ** -6, 2 ** -8].includes(Number(matchMessage(view, 'inspector.nudge.do', text)?.step))],
  prose: ['.inspector', null, isPageText]
}

/** The kinds of attributes: the cell that a factor was read from, and the label of a term. */
export const INSPECTOR_ATTRIBUTES = {
  source: ['.factors button', 'term', (view, text, { term, factor }) => {
    const { source } = view.explanation.terms[term].factors.filter(factorItem => factorItem.source)[factor]
    return text === cellName(source)
  }],
  term: ['.terms li', 'term', ({ explanation, messages }, text, { term }) => {
    const withoutWords = Object.values(messages.inspector.words).reduce((rest, word) => rest.replaceAll(word, ' '), text)
    return parseNumbers(withoutWords).join() === parseNumbers(explanation.terms[term].label).join()
  }]
}

/** Whether each term is the product of its factors, and the value their sum, unless further steps follow. */
export function termsGiveValue({ terms, steps, value }) {
  const magnitude = terms.reduce((sum, term) => sum + Math.abs(term.value), 0)
  const products = terms.every(({ label, value: termValue, factors }) => {
    if (label !== factors.map(({ symbol }) => symbol).join(' × ')) return true
    const product = factors.reduce((product, factor) => product * factor.value, 1)
    return Math.abs(product - termValue) <= 1e-6 * Math.abs(termValue) || Object.is(product, termValue)
  })
  const sum = terms.reduce((total, term) => total + term.value, 0)
  const isSum = Object.is(sum, value) || Math.abs(sum - value) <= 1e-5 * magnitude + 1e-9
  return products && (steps.length > 0 || terms.length === 0 || isSum)
}

/** The cell in a row and a column of a displayed matrix. */
export const matrixCell = (matrix, row, col) => ({ name: matrix.tensor, index: cellIndex(matrix, row, col) })
