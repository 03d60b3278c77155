/** The output of a cell: limits while the worker records it, and validation when the page receives it. */

import { printed } from './print.js'

/** @import { CellError, Outcome, Output } from './runner.js' */

/** The maximum number of characters that a cell may print. */
export const MAX_CHARACTERS = 200000
/** The maximum number of points that a cell may plot. */
export const MAX_POINTS = 10000
/** Empty lines cost the page something, too. */
const CHARACTERS_PER_OUTPUT = 50
/** Distances between larger numbers overflow. */
const MAX_COORDINATE = 1e300
/** The maximum length of a displayed error message. */
const MAX_MESSAGE = 2000

/** @param {any} value @returns {boolean} */
const isNumbers = value => Array.isArray(value) && value.flat(Infinity).every(one => typeof one === 'number')

/** A deep copy that holds nothing but data; undefined where that is impossible. @param {any} value */
function dataOf(value) {
  try {
    return JSON.parse(JSON.stringify(value ?? null))
  } catch {
    return undefined
  }
}

/** @param {any} points @returns {number[][]} */
function checkedPoints(points) {
  const rows = points?.toArray?.() ?? points
  if (!Array.isArray(rows) || !rows.every(row => isNumbers(row) && [2, 3].includes(row.length))) {
    throw new TypeError('plot: expected rows of 2 or 3 numbers')
  }
  if (rows.length === 0) throw new RangeError('plot: expected at least one row, got none')
  if (rows.length > MAX_POINTS) {
    throw new RangeError(`plot: expected at most ${MAX_POINTS} points, got ${rows.length}`)
  }
  const other = rows.findIndex(row => row.length !== rows[0].length)
  if (other >= 0) throw new TypeError(`plot: row 0 has ${rows[0].length} numbers, row ${other} has ${rows[other].length}`)
  rows.forEach((row, at) => {
    const wrong = row.find((/** @type {number} */ x) => !(Math.abs(x) <= MAX_COORDINATE))
    if (wrong !== undefined) throw new RangeError(`plot: expected finite numbers up to 1e300, got ${wrong} in row ${at}`)
  })
  return rows
}

/** Records the output of a cell. A cell may change every built-in prototype, so `push` is not relied upon. */
export function createRecorder() {
  /** @type {Output[]} */ let outputs = []
  let [characters, points] = [0, 0]
  return {
    /** Starts a new cell. */
    reset() {
      outputs = []
      characters = 0
      points = 0
    },
    get outputs() { return outputs },
    /** @param {any} value @param {Parameters<typeof printed>[1]} [options] */
    print(value, options) {
      const formatted = printed(value, options)
      characters += formatted.text.length + CHARACTERS_PER_OUTPUT
      if (characters > MAX_CHARACTERS) {
        throw new RangeError(`print: a cell may print at most ${MAX_CHARACTERS} characters`)
      }
      const isTensor = formatted.numbers.length > 0
      const plain = isTensor ? {} : { value: dataOf(value) }
      const numbers = isTensor ? formatted.numbers : isNumbers(value) ? value.flat(Infinity) : []
      outputs[outputs.length] = { kind: 'text', text: formatted.text, numbers, ...plain }
    },
    /** Records rows of two or three coordinates to plot. @param {any} rows */
    plot(rows) {
      const checked = checkedPoints(rows)
      points += checked.length
      if (points > MAX_POINTS) throw new RangeError(`plot: a cell may plot at most ${MAX_POINTS} points`)
      outputs[outputs.length] = { kind: 'plot', points: checked }
    }
  }
}

/** The line of the cell where an error was thrown, if the stack says so. @param {unknown} stack */
const lineOf = stack => Number(/<anonymous>:(\d+)/.exec(String(stack))?.[1]) || null

/**
 * An error as text. A cell can throw anything, even values that cannot be read.
 * @param {any} problem @returns {CellError}
 */
export function describeError(problem) {
  /** @template T @param {() => T} read @param {T} otherwise */
  const tried = (read, otherwise) => {
    try {
      return read()
    } catch {
      return otherwise
    }
  }
  const name = tried(() => problem.name, undefined)
  const message = tried(() => String(problem?.message ?? problem), 'a value was thrown that cannot be written as text')
  return {
    name: typeof name === 'string' ? name.slice(0, 100) : 'Error', message: message.slice(0, MAX_MESSAGE),
    line: tried(() => lineOf(problem?.stack), null)
  }
}

/** @param {any} one @returns {boolean} */
function isOutput(one) {
  if (one?.kind === 'text') return typeof one.text === 'string' && isNumbers(one.numbers)
  if (one?.kind !== 'plot') return false
  try {
    return checkedPoints(one.points) === one.points
  } catch {
    return false
  }
}

/** Whether a message from the worker has the expected form. @param {any} data @returns {data is Outcome} */
export function isOutcome(data) {
  const error = data?.error
  return Array.isArray(data?.output) && data.output.every(isOutput) &&
    (error === undefined || [error?.name, error?.message].every(text => typeof text === 'string'))
}
