/**
 * A lesson on paper: its questions with the reader's own numbers, figures with blanks, and the answers with their
 * reasons. What would reveal an answer is blank wherever it appears before the key.
 */

import { formatFixed } from '../lib/number.js'
import { getAxisLabels, getTensor } from '../lib/run.js'
import { slice } from '../lib/slice.js'
import { translator } from '../lib/text.js'
import { stateOf, placeholderValues } from './steps.js'

/** @import { Language, Run, State } from '../types.d.ts' */
/** @import { Cells, Lesson, Now, Pointer, Step } from './index.js' */

/**
 * @typedef {object} Figure rows of a tensor; a cell that is blank has its number on the key alone
 * @property {string} name the tensor, and which of its rows
 * @property {string[]} rowLabels
 * @property {string[]} colLabels
 * @property {{ value: number, isBlank: boolean, isPointed: boolean }[][]} cells isPointed: where one cell of a row is
 * @property {boolean} isCut whether there is more of it
 * @property {boolean} isGradient of the loss by the named tensor
 * @property {boolean} isWhole whether all of it is pointed at
 * @property {string} token the label of the cell that is pointed at, with its position
 *
 * @typedef {object} Item a question on paper, or a step that leads to one
 * @property {string} title
 * @property {string} text
 * @property {string} [ask] left out where nothing is asked
 * @property {string} hint the hint after a wrong answer, if there is one
 * @property {string[] | null} options null where a number is asked for
 * @property {string} answer
 * @property {string} why the explanation
 * @property {Figure[]} given what the question is about
 * @property {Figure[]} seen where its answer is seen: blank but on the key, and only there if there is more of it than
 *   a paper holds, since nobody could fill that in
 *
 * @typedef {{ title: string, text: string, tokens: string[], items: Item[] }} Worksheet text: what the model reads
 */

export const BLANK = '____'
const [MAX_ROWS, MAX_COLS] = [12, 12]
/** All tokens are displayed, as far as a line of paper can be continued. */
const MAX_TOKENS = 36

/**
 * The start of a window along an axis that contains an index.
 * @param {number | null} at @param {number} size @param {number} count
 */
const startFor = (at, size, count) => Math.max(0, Math.min((at ?? 0) - (count >> 1), size - count))

/**
 * The cells around those that are pointed at: of a row, that row; else several rows.
 * @param {Run} run @param {Cells} place @param {Float32Array} [gradient] in place of the values
 */
function cutOf(run, place, gradient) {
  const known = getTensor(run, place.tensor), tensor = gradient ? { ...known, data: gradient } : known
  const { length } = tensor.shape
  const [row, col] = [length - 2, length - 1], at = place.index[row] ?? null
  const words = getAxisLabels(run, tensor, col)
  const rows = row < 0 || at !== null ? 1 : Math.min(MAX_ROWS, tensor.shape[row])
  const { columns } = place
  const cols = columns?.length ?? Math.min(words && rows === 1 ? MAX_TOKENS : MAX_COLS, tensor.shape[col])
  const [rowStart, colStart] = [at ?? 0, columns ? 0 : startFor(place.index[col], tensor.shape[col], cols)]
  const names = row < 0 ? undefined : getAxisLabels(run, tensor, row)?.slice(rowStart, rowStart + rows)
  const part = slice(tensor, {
    row, col, rows, cols, rowStart, colStart, fixed: place.index.map(one => one ?? 0),
    ...(names && { rowLabels: names }), ...(columns && { order: columns }),
    ...(words && { colLabels: columns ? words : words.slice(colStart, colStart + cols) })
  })
  const isCut = cols < tensor.shape[col] || (row >= 0 && at === null && rows < tensor.shape[row])
  const axes = tensor.shape.map((_, axis) => (axis === col || (axis === row && at === null) ? ':' : place.index[axis] ?? 0))
  return { part, isCut, name: `${part.name}[${axes.join(', ')}]` }
}

/**
 * @param {Run} run @param {Cells} place @param {boolean} isBlank
 * @param {Float32Array} [gradient] in place of the values @returns {Figure}
 */
function figureOf(run, place, isBlank, gradient) {
  const { part, isCut, name } = cutOf(run, place, gradient), [row, col] = part.axis, at = place.index[col]
  const cells = Array.from({ length: part.rows }, (_, i) => Array.from({ length: part.cols }, (_, j) => (
    { value: part.values[i * part.cols + j], isBlank, isPointed: at === part.start[1] + j })))
  const token = at === null ? '' : placed(part.colLabels[at - part.start[1]], at)
  const isWhole = at === null && place.index[row] === null
  const { rowLabels, colLabels } = part
  return { name, rowLabels, colLabels, cells, isCut, isWhole, isGradient: Boolean(gradient), token }
}

/**
 * What a step displays on paper: its `paper`, else what it points at, if those are cells.
 * @param {Step['paper']} paper @param {Pointer | undefined} point @param {Run} run @param {Now} now @returns {Cells[]}
 */
function cellsOf(paper, point, run, now) {
  if (paper) return paper(run, now)
  const place = point?.(run, now)
  return place?.tensor === undefined ? [] : [place]
}

/** @param {unknown} answer */
const asText = answer => (typeof answer === 'number' && !Number.isInteger(answer) ? formatFixed(answer) : String(answer))

/** A token with its position. @param {string} token @param {number} place */
const placed = (token, place) => `${token} (${place})`

const NAMES = /\{(\w+)/g
/** @param {string} text */
const namesIn = text => [...text.matchAll(NAMES)].map(match => match[1])

/**
 * The values that reveal an answer: for a number all equal ones; else those that the question does not contain.
 * @param {Record<string, string>} values with the answer
 * @param {string} own of the question's text
 * @param {string[]} answers the correct one as a value and as text
 * @param {boolean} isNumber
 */
function revealing(values, own, answers, isNumber) {
  const texts = isNumber ? [] : namesIn(own)
  return Object.entries(values).filter(([name, value]) => answers.includes(value) && !texts.includes(name))
    .map(([name, value]) => `${name}=${value}`)
}

/**
 * A step on paper, with the correct answer, from the runs before and after the answer.
 * @param {Lesson} lesson @param {Step} step @param {Record<string, any>} own words of the step
 * @param {Page} page
 */
async function item(lesson, step, own, { state: here, language, runOf, gradientOf }) {
  const { ask } = step
  /** @param {string | { ko: string, en: string }} link */
  const stateFor = link => stateOf(lesson, typeof link === 'string' ? link : link[language], here, language)
  const state = stateFor(step.state), before = await runOf(state)
  const then = typeof step.then === 'function' ? step.then(before, { state }) : step.then
  const seen = then === undefined ? state : stateFor(then)
  const after = then === undefined ? before : await runOf(seen)
  const now = { state, before: null }, later = { state: seen, before: then === undefined ? null : before }
  const right = ask?.answer(after, later)
  const options = ask?.options?.(before, now).map(({ id, text }) => ({ id, text: text ?? own.options[id] })) ?? null
  const answer = ask ? options?.find(({ id }) => id === right)?.text ?? asText(right) : ''
  const values = placeholderValues(step, own, before, now), found = placeholderValues(step, own, after, later)
  /** @param {Cells} place */
  const given = async place => (
    figureOf(before, place, false, place.isGradient ? await gradientOf(state, place.tensor) : undefined))
  return {
    right, values, words: own,
    told: ask ? revealing(found, `${own.paper ?? own.text}${own.ask}`, [String(right), answer, answer.replace(/ \(\d+\)$/, '')], !options) : [],
    item: {
      title: own.title, options: options && options.map(({ text }) => text), answer,
      why: own.wrong ? translator(own)(own.paperWhy ? 'paperWhy' : 'wrong', found) : '',
      given: await Promise.all(cellsOf(step.paper, step.point, before, now).map(given)),
      seen: then === undefined ? []
        : cellsOf(step.paperThen, step.pointThen ?? step.point, after, later).map(place => figureOf(after, place, true))
    }
  }
}

/**
 * @typedef {object} Page
 * @property {State} state with the reader's input
 * @property {Language} language
 * @property {(state: State) => Promise<Run>} runOf
 * @property {(state: State, tensor: string) => Promise<Float32Array>} gradientOf
 */

/**
 * @param {Lesson} lesson @param {{ title: string, steps: Record<string, any> }} words @param {Page} page
 * @returns {Promise<Worksheet>}
 */
export async function worksheet(lesson, words, page) {
  /** @type {Awaited<ReturnType<typeof item>>[]} */ const all = []
  for (const step of lesson.steps) {
    if (step.ask || step.paper) all.push(await item(lesson, step, words.steps[step.id], page))
  }
  const hidden = new Set(all.flatMap(({ told }) => told))
  const answers = new Set(all.map(({ item }) => item.answer))
  // A count may equal any number; one with decimals in a figure is the very number that is asked for.
  const rights = new Set(all.map(({ right }) => right).filter(right => right !== undefined && !Number.isInteger(right)))
  const numbers = new Set(all.filter(({ right }) => rights.has(right)).map(({ item }) => item.answer))
  /** @param {[string, string]} said */
  const isTold = ([name, value]) => hidden.has(`${name}=${value}`) || numbers.has(value)
  const [stream] = Object.values((await page.runOf(stateOf(lesson, '', page.state, page.language))).streams)
  return {
    title: words.title, text: stream.texts[0], tokens: stream.tokens[0],
    items: all.map(({ item, values, words: own }) => {
      const speak = translator(own, { strict: false })
      const open = Object.fromEntries(Object.entries(values)
        .map(texts => [texts[0], isTold(texts) ? BLANK : texts[1]]))
      // A ring around a token that is asked for elsewhere would reveal it.
      const given = item.given.map(({ cells, ...one }) => ({ ...one, cells: cells.map(row => row.map(cell => (
        { ...cell, isBlank: rights.has(cell.value), isPointed: cell.isPointed && !answers.has(one.token) }))) }))
      return {
        ...item, given, text: speak(own.paper ? 'paper' : 'text', open), hint: own.hint ? speak('hint', open) : '',
        ...(own.ask && { ask: speak('ask', open) })
      }
    })
  }
}
