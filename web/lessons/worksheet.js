/**
 * A lesson on paper: its questions with the reader's own numbers, figures with blanks, and what is right of each. What
 * an answer would tell stays blank wherever it is said before the key.
 */

import { fixed } from '../lib/number.js'
import { labelsOf, tensorOf } from '../lib/run.js'
import { slice } from '../lib/slice.js'
import { translator } from '../lib/text.js'
import { stateOf } from './steps.js'

/** @import { Language, Run, State } from '../types.d.ts' */
/** @import { Lesson, Place } from './index.js' */

/**
 * @typedef {object} Figure rows of a tensor; a cell that is blank has its number on the key alone
 * @property {string} name the tensor, and which of its rows
 * @property {string[]} rowLabels
 * @property {string[]} colLabels
 * @property {{ value: number, isBlank: boolean, isPointed: boolean }[][]} cells isPointed: where one cell of a row is
 * @property {boolean} isCut whether there is more of it
 * @property {string} token what stands above the cell that is pointed at, and its place
 *
 * @typedef {object} Item a question on paper
 * @property {string} title
 * @property {string} text
 * @property {string} ask
 * @property {string[] | null} options null where a number is asked for
 * @property {string} answer
 * @property {Figure[]} given what the question is about
 * @property {Figure[]} seen where its answer is seen: blank but on the key
 *
 * @typedef {{ title: string, text: string, tokens: string[], items: Item[] }} Worksheet text: what the model reads
 */

export const BLANK = '____'
const [MOST_ROWS, MOST_COLS] = [8, 12]
/** Tokens are all of them shown, as far as a line of a paper can be gone on with. */
const MOST_TOKENS = 36

/**
 * Where along an axis a part begins that holds a place.
 * @param {number | null} at @param {number} size @param {number} count
 */
const startFor = (at, size, count) => Math.max(0, Math.min((at ?? 0) - (count >> 1), size - count))

/**
 * The cells around those that are pointed at: of a row, that row; else of many.
 * @param {Run} run @param {Place} place
 */
function cutOf(run, place) {
  if (place.tensor === undefined) return null
  const tensor = tensorOf(run, place.tensor), { length } = tensor.shape
  const [row, col] = [length - 2, length - 1], at = place.index[row] ?? null
  const words = labelsOf(run, tensor, col)
  const rows = row < 0 || at !== null ? 1 : Math.min(MOST_ROWS, tensor.shape[row])
  const cols = Math.min(words && rows === 1 ? MOST_TOKENS : MOST_COLS, tensor.shape[col])
  const [rowStart, colStart] = [at ?? 0, startFor(place.index[col], tensor.shape[col], cols)]
  const names = row < 0 ? undefined : labelsOf(run, tensor, row)?.slice(rowStart, rowStart + rows)
  const part = slice(tensor, {
    row, col, rows, cols, rowStart, colStart, fixed: place.index.map(one => one ?? 0),
    ...(names && { rowLabels: names }), ...(words && { colLabels: words.slice(colStart, colStart + cols) })
  })
  const isCut = cols < tensor.shape[col] || (row >= 0 && at === null && rows < tensor.shape[row])
  const axes = tensor.shape.map((_, axis) => (axis === col || (axis === row && at === null) ? ':' : place.index[axis] ?? 0))
  return { part, isCut, name: `${part.name}[${axes.join(', ')}]` }
}

/**
 * @param {Run} run @param {Place | undefined} place
 * @param {(value: number) => boolean} isHidden @returns {Figure[]} none where no cells are pointed at
 */
function figureOf(run, place, isHidden) {
  const cut = place && cutOf(run, place)
  if (!cut || place.tensor === undefined) return []
  const { part, isCut, name } = cut, at = place.index[part.axis[1]]
  const cells = Array.from({ length: part.rows }, (_, row) => Array.from({ length: part.cols }, (_, col) => {
    const value = part.values[row * part.cols + col]
    return { value, isBlank: isHidden(value), isPointed: at === part.start[1] + col }
  }))
  const token = at === null ? '' : placed(part.colLabels[at - part.start[1]], at)
  return [{ name, rowLabels: part.rowLabels, colLabels: part.colLabels, cells, isCut, token }]
}

/** @param {unknown} answer */
const asText = answer => (typeof answer === 'number' && !Number.isInteger(answer) ? fixed(answer) : String(answer))

/** A token as it is called where its place stands behind it. @param {string} token @param {number} place */
const placed = (token, place) => `${token} (${place})`

const NAMES = /\{(\w+)/g
/** @param {string} text */
const namesIn = text => [...text.matchAll(NAMES)].map(match => match[1])

/**
 * The values that tell an answer: where a number is asked for, all that are it; else those that the question itself
 * does not say.
 * @param {Record<string, string>} values as they are said once it is answered
 * @param {string} own what the question says
 * @param {string[]} answers the right one as it is known and as it is read
 * @param {boolean} isNumber
 */
function telling(values, own, answers, isNumber) {
  const said = isNumber ? [] : namesIn(own)
  return Object.entries(values).filter(([name, value]) => answers.includes(value) && !said.includes(name))
    .map(([name, value]) => `${name}=${value}`)
}

/**
 * A question and what is right, from the runs before and after the answer.
 * @param {Lesson} lesson @param {Lesson['steps'][number]} step @param {Record<string, any>} own words of the step
 * @param {Page} page
 */
async function asked(lesson, step, own, { state: here, language, runOf }) {
  const ask = /** @type {NonNullable<typeof step.ask>} */ (step.ask)
  /** @param {string | { ko: string, en: string }} link */
  const stateFor = link => stateOf(lesson, typeof link === 'string' ? link : link[language], here, language)
  const state = stateFor(step.state), before = await runOf(state)
  const then = typeof step.then === 'function' ? step.then(before, { state }) : step.then
  const seen = then === undefined ? state : stateFor(then)
  const after = then === undefined ? before : await runOf(seen)
  const now = { state, before: null }, later = { state: seen, before: then === undefined ? null : before }
  const right = ask.answer(after, later)
  const options = ask.options?.(before, now).map(({ id, text }) => ({ id, text: text ?? own.options[id] })) ?? null
  const answer = options?.find(({ id }) => id === right)?.text ?? asText(right)
  return {
    run: before, right, values: step.say?.(before, now) ?? {}, words: own,
    told: telling(step.say?.(after, later) ?? {}, `${own.text}${own.ask}`, [String(right), answer, answer.replace(/ \(\d+\)$/, '')], !options),
    item: {
      title: own.title, options: options && options.map(({ text }) => text), answer,
      given: figureOf(before, step.point?.(before, now), () => false),
      seen: then === undefined ? [] : figureOf(after, (step.pointThen ?? step.point)?.(after, later), () => true)
    }
  }
}

/**
 * @typedef {{ state: State, language: Language, runOf: (state: State) => Promise<Run> }} Page state: with what the
 *   reader has written
 */

/**
 * @param {Lesson} lesson @param {{ title: string, steps: Record<string, any> }} words @param {Page} page
 * @returns {Promise<Worksheet>}
 */
export async function worksheet(lesson, words, page) {
  /** @type {Awaited<ReturnType<typeof asked>>[]} */ const all = []
  for (const step of lesson.steps) if (step.ask) all.push(await asked(lesson, step, words.steps[step.id], page))
  const hidden = new Set(all.flatMap(({ told }) => told))
  const answers = new Set(all.map(({ item }) => item.answer))
  // A count may be any number; one with decimals in a figure is the very number that is asked for.
  const rights = new Set(all.map(({ right }) => right).filter(right => !Number.isInteger(right)))
  const [stream] = Object.values(all[0]?.run.streams ?? {})
  return {
    title: words.title, text: stream?.texts[0] ?? '', tokens: stream?.tokens[0] ?? [],
    items: all.map(({ item, values, words: own }) => {
      const speak = translator(own, { strict: false })
      const open = Object.fromEntries(Object.entries(values)
        .map(([name, value]) => [name, hidden.has(`${name}=${value}`) ? BLANK : value]))
      // A ring round a token that is asked for elsewhere would tell it.
      const given = item.given.map(({ cells, ...one }) => ({ ...one, cells: cells.map(row => row.map(cell => (
        { ...cell, isBlank: rights.has(cell.value), isPointed: cell.isPointed && !answers.has(one.token) }))) }))
      return { ...item, given, text: speak('text', open), ask: speak('ask', open) }
    })
  }
}
