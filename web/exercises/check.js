/** Compares the reader's function with the engine, and recognizes typical mistakes by their numbers. */

import { describeError } from '../notebooks/output.js'
import { UnreadableResult, findDifference, toLeaves } from './leaves.js'
import { createRandom } from './random.js'

/** @import { CellError } from '../notebooks/runner.js' */
/** @import { Library } from '../types.d.ts' */
/** @import { Exercise, RunValues } from './index.js' */
/** @import { Difference, Leaf } from './leaves.js' */

/**
 * @typedef {{ gf: Library, values: RunValues | null, evaluate: (code: string) => any,
 *   countOutputs: () => number }} CheckTools countOutputs: how many values have been printed so far
 *
 * @typedef {{ kind: 'nothing' } | { kind: 'unreadable', path: string, got: string }
 *   | { kind: 'error', error: CellError }} NoResult
 * @typedef {{ case: string } & (Difference | NoResult)} CaseFailure
 *
 * The result of a check; `mistake` is the typical one whose numbers the reader's are.
 * @typedef {object} Report
 * @property {boolean} passed
 * @property {{ id: string, passed: boolean, outputs: [number, number] }[]} cases outputs: the first that was printed in
 *   this case, and the one after the last
 * @property {CaseFailure | { kind: 'missing' } | null} failure the first
 * @property {string | null} mistake
 * @property {string} [shown] what the reader's function makes of the first case
 */

/** The lines of the reader's code in a stack, by the name that `toFunction` gives it. */
export const READER_LINE = /exercise\.js:(\d+)/

/**
 * Code as an expression whose value is one of its functions. Its first line stays the first, for the lines in errors.
 * @param {string} code @param {string} name @param {string} file the name of the code in stacks
 */
export const toFunction = (code, name, file) => (
  `(() => { 'use strict'; ${code}\n;return typeof ${name} === 'undefined' ? undefined : ${name} })()\n//# sourceURL=${file}`)

/**
 * The arguments of every case, new at every call, since a function may change its arguments.
 * @param {Exercise} exercise @param {Pick<CheckTools, 'gf' | 'values'>} tools
 * @returns {[string, any[]][]}
 */
export function createCases({ cases }, { gf, values }) {
  return /** @type {[string, any[]][]} */ (
    Object.entries(cases({ gf, values, random: createRandom(gf) })).filter(([, args]) => args))
}

/**
 * The results of a function by case: their numbers, or why there are none.
 * @param {(...args: any[]) => any} compute @param {Exercise} exercise @param {CheckTools} tools
 * @returns {(Leaf[] | NoResult)[]}
 */
function computeCases(compute, exercise, tools) {
  return createCases(exercise, tools).map(([, args]) => tools.gf.tidy(() => {
    try {
      const result = compute(...args)
      return result === undefined ? { kind: 'nothing' } : toLeaves(result)
    } catch (problem) {
      if (problem instanceof UnreadableResult) return { kind: 'unreadable', path: problem.path, got: problem.value }
      return { kind: 'error', error: describeError(problem, READER_LINE) }
    }
  }))
}

/** The code of a mistake. @param {Exercise} exercise @param {string} id of the mistake */
export function mistakeCode({ solution, mistakes }, id) {
  const mistake = mistakes[id]
  return typeof mistake === 'string' ? mistake : solution.replace(mistake[0], () => mistake[1])
}

/**
 * The mistake whose results are the given ones, in every case.
 * @param {Exercise} exercise @param {ReturnType<typeof computeCases>} own @param {CheckTools} tools
 */
function findMistake(exercise, own, tools) {
  /** @param {string} id */
  const isMade = id => {
    const compute = tools.evaluate(toFunction(mistakeCode(exercise, id), exercise.name, 'mistake.js'))
    const wrong = computeCases(compute, exercise, tools)
    return wrong.every((leaves, i) => {
      const ownLeaves = own[i]
      return Array.isArray(leaves) && Array.isArray(ownLeaves) && !findDifference(ownLeaves, leaves, exercise.tolerance)
    })
  }
  return Object.keys(exercise.mistakes).find(isMade) ?? null
}

/** @param {Exercise} exercise @param {any} compute @param {CheckTools} tools */
const showResult = (exercise, compute, tools) => (
  exercise.show ? { shown: exercise.show(compute, createCases(exercise, tools)[0][1]) } : {})

/**
 * Compares a function with the engine in every case.
 * @param {Exercise} exercise @param {unknown} compute the reader's function @param {CheckTools} tools
 * @returns {Report}
 */
export function checkFunction(exercise, compute, tools) {
  const { gf } = tools
  if (typeof compute !== 'function') return { passed: false, cases: [], failure: { kind: 'missing' }, mistake: null }
  return gf.tidy(() => {
    const ids = createCases(exercise, tools).map(([id]) => id)
    const expected = /** @type {Leaf[][]} */ (
      computeCases((...args) => exercise.expected(gf, ...args), exercise, tools))
    /** @type {number[]} */ const starts = []
    const own = computeCases((...args) => {
      starts.push(tools.countOutputs())
      return compute(...args)
    }, exercise, tools)
    const end = tools.countOutputs()
    const failures = own.map((result, i) => (
      Array.isArray(result) ? findDifference(result, expected[i], exercise.tolerance) : result))
    const first = failures.findIndex(Boolean)
    const cases = ids.map((id, i) => (
      { id, passed: !failures[i], outputs: /** @type {[number, number]} */ ([starts[i], starts[i + 1] ?? end]) }))
    if (first < 0) return { passed: true, cases, failure: null, mistake: null, ...showResult(exercise, compute, tools) }
    const failure = /** @type {CaseFailure} */ ({ case: ids[first], ...failures[first] })
    return { passed: false, cases, failure, mistake: findMistake(exercise, own, tools) }
  })
}

/**
 * A request to check the reader's code.
 * @typedef {object} CheckRequest
 * @property {string} check the exercise's id
 * @property {string} source the reader's code
 * @property {{ name: string, code: string }[]} parts earlier functions, in order
 * @property {RunValues | null} values
 */

/**
 * Evaluates the reader's code, after the earlier functions that it may call, and checks it.
 * @param {Exercise} exercise @param {CheckRequest} request
 * @param {import('../notebooks/cell_scope.js').CellTools} tools
 * @returns {{ report: Report } | { error: CellError }}
 */
export function checkCode(exercise, { source, parts, values }, { gf, evaluate, scope, countOutputs }) {
  for (const { name, code } of parts) {
    const value = evaluate(toFunction(code, name, `${name}.js`))
    Object.defineProperty(scope, name, { value, configurable: true, writable: true })
  }
  try {
    const compute = evaluate(toFunction(source, exercise.name, 'exercise.js'))
    return { report: checkFunction(exercise, compute, { gf, values, evaluate, countOutputs }) }
  } catch (problem) {
    return { error: describeError(problem, READER_LINE) }
  } finally {
    for (const { name } of parts) delete scope[name]
  }
}
