/** What came of a check: the cases, the first difference, and the mistake that it looks like. */

import { h } from '../lib/dom.js'
import { renderProse } from '../lib/prose.js'

/** @import { CellError, Output } from '../notebooks/runner.js' */
/** @import { Translate } from '../types.d.ts' */
/** @import { CaseFailure, Report } from './check.js' */

/** Significant digits of displayed numbers. */
const DIGITS = 6

/** @param {number} x */
const formatNumber = x => (Number.isFinite(x) ? String(Number(x.toPrecision(DIGITS))) : String(x))
  .replace('-', '−').replace('Infinity', '∞')

/** @param {unknown} list a shape, or names */
const formatList = list => `[${/** @type {any[]} */ (list).join(', ')}]`

/** Whether a response of the worker has the expected form. @param {any} data @returns {data is Report} */
export function isReport(data) {
  const isTyped = typeof data?.passed === 'boolean' && ['string', 'undefined'].includes(typeof data.shown) &&
    (data.mistake === null || typeof data.mistake === 'string') &&
    (data.failure === null || typeof data.failure?.kind === 'string')
  return isTyped && Array.isArray(data.cases) &&
    data.cases.every((/** @type {any} */ item) => typeof item?.id === 'string' && Array.isArray(item.outputs))
}

/** The function at the beginning of the library's message. */
const LIBRARY_FUNCTION = /^[\w.]+(?=: )/
/** Messages about an operator, and about a misspelled function. */
const OPERATOR = /cannot be used with JavaScript's/, NO_FUNCTION = /(\S+) is not a function$|^a tensor has no (\w+)/

/** What an error means in the reader's language, if the texts say. @param {CellError} error @param {Translate} t */
export function renderMeaning({ name, message, code }, t) {
  const [, called, missing = called] = NO_FUNCTION.exec(message) ?? []
  const [functionName] = LIBRARY_FUNCTION.exec(message) ?? []
  const libraryKey = OPERATOR.test(message) ? 'operator' : functionName ? code : 'other'
  const key = `errors.${missing ? 'function' : name === 'GlassformerError' ? `library.${libraryKey}` : name}`
  const text = t(key, { name: missing ?? functionName })
  return text === key ? '' : h('p', { className: 'exercise-meaning' }, text)
}

/** An error in the reader's code. @param {CellError} error @param {Translate} t */
export const formatError = ({ name, message, line }, t) => (
  [line ? t('line', { line }) : '', `${name}: ${message}`].filter(Boolean).join(' '))

/** @param {CaseFailure | { kind: 'missing' }} failure @param {string} name the function @param {Translate} t */
function formatFailure(failure, name, t) {
  if (failure.kind === 'missing' || failure.kind === 'nothing') return t(`failure.${failure.kind}`, { name })
  if (failure.kind === 'error') return formatError(failure.error, t)
  const { kind, path, got } = failure
  const part = path ? t('failure.part', { path }) : ''
  if (kind === 'unreadable') return [part, t('failure.unreadable', { got })].filter(Boolean).join(' ')
  const { expected, index = [], count = 0, total = 0 } = failure
  if (kind !== 'value') {
    return [part, t(`failure.${kind}`, { expected: formatList(expected), got: formatList(got) })].filter(Boolean).join(' ')
  }
  const place = index.length ? t('failure.at', { index: formatList(index) }) : ''
  return [part, place, t('failure.value', { got: formatNumber(Number(got)), expected: formatNumber(Number(expected)) }),
    total > 1 ? t('failure.count', { count, total }) : ''].filter(Boolean).join(' ')
}

/** Parts of the library that have what the exercises ask for. */
const WHOLE_PARTS = ['gf.nn', 'gf.functional', 'gf.optim', 'gf.decoding', 'gf.text']

/**
 * What of the engine's own code does the exercise for the reader: then the engine is compared with itself.
 * @param {string} code @param {string[]} [shortcuts]
 */
export const findShortcut = (code, shortcuts = []) => (
  [...WHOLE_PARTS, ...shortcuts].find(name => code.replace(/\/\/.*$/gm, '').includes(name)) ?? null)

/**
 * @param {Report} report
 * @param {{ name: string, tolerance: number, t: Translate, mistakes: Record<string, string>,
 *   shortcut: string | null }} options mistakes: their sentences; shortcut: what the code calls of the engine's own
 */
export function renderReport({ passed, cases, failure, mistake, shown }, { name, tolerance, t, mistakes, shortcut }) {
  const list = h('ul', { className: 'exercise-cases' }, cases.map(({ id, passed: isRight }) => (
    h('li', { className: isRight ? 'is-right' : 'is-wrong' }, isRight ? '✓ ' : '✗ ', t(`cases.${id}`)))))
  if (passed) {
    return [h('p', { className: 'exercise-verdict is-right' }, t('passed', { count: cases.length, tolerance })), list,
      shortcut ? h('p', { className: 'exercise-mistake' }, t('shortcut', { name: shortcut.replace(/^\.|\($/g, '') })) : '',
      shown ? h('p', { className: 'exercise-shown' }, t(`shown.${name}`), ' ', h('b', {}, shown)) : '']
  }
  const where = failure && 'case' in failure ? t('inCase', { name: t(`cases.${failure.case}`) }) : ''
  return [
    h('p', { className: 'exercise-verdict is-wrong' }, t('failed')), list,
    mistake && mistakes[mistake] ? h('p', { className: 'exercise-mistake' }, renderProse(mistakes[mistake])) : '',
    failure?.kind === 'error' ? renderMeaning(failure.error, t) : '',
    failure ? h('p', { className: 'exercise-difference' }, where ? h('b', {}, where) : '', ' ', formatFailure(failure, name, t)) : ''
  ]
}

/**
 * What the reader's code printed, under the case in which it did.
 * @param {Output[]} outputs @param {Report['cases']} cases empty where the code did not get so far @param {Translate} t
 */
export function renderOutputs(outputs, cases, t) {
  /** @param {number} from @param {number} [to] */
  const render = (from, to) => outputs.slice(from, to).flatMap(output => (
    output.kind === 'text' ? [h('pre', { className: 'exercise-print' }, output.text)] : []))
  const lists = cases.map(({ id, outputs: [from, to] }) => ({ id, list: render(from, to) }))
  return [...render(0, cases[0]?.outputs[0]), ...lists.filter(({ list }) => list.length).flatMap(({ id, list }) => [
    h('p', { className: 'exercise-printed' }, t(`cases.${id}`)), ...list])]
}
