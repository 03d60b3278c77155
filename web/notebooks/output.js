/** The output of a cell: limits while the worker records it, and validation when the page receives it. */

import { formatAll } from './print.js'

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
/** The maximum length of an error's name and code. */
const MAX_NAME = 100

/** @param {any} value @returns {boolean} */
const areNumbers = value => Array.isArray(value) && value.flat(Infinity).every(item => typeof item === 'number')

/** A deep copy that holds nothing but data; undefined where that is impossible. @param {any} value */
function copyData(value) {
  try {
    return JSON.parse(JSON.stringify(value ?? null))
  } catch {
    return undefined
  }
}

/** @param {any} points @returns {number[][]} */
function checkPoints(points) {
  const rows = points?.toArray?.() ?? points
  if (!Array.isArray(rows) || !rows.every(row => areNumbers(row) && [2, 3].includes(row.length))) {
    throw new TypeError('plot: expected rows of 2 or 3 numbers')
  }
  if (rows.length === 0) throw new RangeError('plot: expected at least one row, got none')
  if (rows.length > MAX_POINTS) {
    throw new RangeError(`plot: expected at most ${MAX_POINTS} points, got ${rows.length}`)
  }
  const wrongRow = rows.findIndex(row => row.length !== rows[0].length)
  if (wrongRow >= 0) throw new TypeError(`plot: row 0 has ${rows[0].length} numbers, row ${wrongRow} has ${rows[wrongRow].length}`)
  rows.forEach((row, index) => {
    const wrongValue = row.find((/** @type {number} */ x) => !(Math.abs(x) <= MAX_COORDINATE))
    if (wrongValue !== undefined) throw new RangeError(`plot: expected finite numbers up to 1e300, got ${wrongValue} in row ${index}`)
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
    /** @param {any[]} values the last one may be options, see formatAll */
    print(...values) {
      const formatted = formatAll(values)
      characters += formatted.text.length + CHARACTERS_PER_OUTPUT
      if (characters > MAX_CHARACTERS) {
        throw new RangeError(`print: a cell may print at most ${MAX_CHARACTERS} characters`)
      }
      const { printed } = formatted, isTensor = formatted.numbers.length > 0
      const value = printed.length === 1 ? printed[0] : printed
      const plain = isTensor ? {} : { value: copyData(value) }
      const numbers = isTensor ? formatted.numbers : areNumbers(value) ? value.flat(Infinity) : []
      outputs[outputs.length] = { kind: 'text', text: formatted.text, numbers, ...plain }
    },
    /** Records rows of two or three coordinates to plot. @param {any} rows */
    plot(rows) {
      const checkedPoints = checkPoints(rows)
      points += checkedPoints.length
      if (points > MAX_POINTS) throw new RangeError(`plot: a cell may plot at most ${MAX_POINTS} points`)
      outputs[outputs.length] = { kind: 'plot', points: checkedPoints }
    }
  }
}

/** The line of a cell in a stack: in Chromium, and in Firefox. */
const CELL_LINE = /(?:<anonymous>|> eval):(\d+)/

/** The line where an error was thrown, if the stack says so. @param {unknown} stack @param {RegExp} pattern */
const findLine = (stack, pattern) => Number(pattern.exec(String(stack))?.[1]) || null

/**
 * An error as text. A cell can throw anything, even values that cannot be read.
 * @param {any} problem @param {RegExp} [line] matches the line of the reader's code in a stack
 * @returns {CellError}
 */
export function describeError(problem, line = CELL_LINE) {
  /** @template T @param {() => T} read @param {T} fallback */
  const tryRead = (read, fallback) => {
    try {
      return read()
    } catch {
      return fallback
    }
  }
  const [name, code] = ['name', 'code'].map(key => tryRead(() => problem[key], undefined))
  const message = tryRead(() => String(problem?.message ?? problem), 'a value was thrown that cannot be written as text')
  return {
    name: typeof name === 'string' ? name.slice(0, MAX_NAME) : 'Error', message: message.slice(0, MAX_MESSAGE),
    line: tryRead(() => findLine(problem?.stack, line), null),
    ...(typeof code === 'string' && { code: code.slice(0, MAX_NAME) })
  }
}

/** @param {any} output @returns {boolean} */
function isOutput(output) {
  if (output?.kind === 'text') return typeof output.text === 'string' && areNumbers(output.numbers)
  if (output?.kind !== 'plot') return false
  try {
    return checkPoints(output.points) === output.points
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
