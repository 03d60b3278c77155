/**
 * Runs the cells of a notebook, one after the other, in one global scope. Whatever a cell could reach the network, the
 * page or the disk by is taken away before the first of them runs; what is left is the language and the library.
 *
 * The page's policy stays strict, since a worker from an address has the policy of its own response and not that of
 * the page: here, and nowhere else, text becomes code. A worker made of a page in one file inherits that page's policy,
 * so there cells are only read.
 */

import { load } from '../../src/js/index.js'
import { printed } from './print.js'
import { scriptOf } from './script.js'

/** @import { Outcome, Output } from './runner.js' */

/** All that a cell finds besides the library. */
const KEPT = new Set(`Object Function Array Number parseFloat parseInt Infinity NaN undefined Boolean String Symbol Date
  Promise RegExp Error AggregateError EvalError RangeError ReferenceError SyntaxError TypeError URIError globalThis JSON
  Math Intl ArrayBuffer Uint8Array Int8Array Uint16Array Int16Array Uint32Array Int32Array Float32Array Float64Array
  Uint8ClampedArray BigUint64Array BigInt64Array DataView Map BigInt Set WeakMap WeakSet WeakRef Proxy Reflect
  isFinite isNaN structuredClone performance Iterator`.split(/\s+/))

/** @type {any} */ const scope = self
const { eval: evaluate } = scope
const send = scope.postMessage.bind(scope)
/** @type {Output[]} */ let output = []

/** @param {any} value @returns {boolean} */
const isNumbers = value => Array.isArray(value) && value.flat(Infinity).every(one => typeof one === 'number')

/** Notes what a cell prints. @param {any} value @param {Parameters<typeof printed>[1]} [options] */
function print(value, options) {
  const made = printed(value, options)
  const isTensor = made.numbers.length > 0
  const plain = isTensor ? {} : { value: JSON.parse(JSON.stringify(value ?? null)) }
  const numbers = isTensor ? made.numbers : isNumbers(value) ? value.flat(Infinity) : []
  output.push({ kind: 'text', text: made.text, numbers, ...plain })
}

/** Notes points to be drawn: rows of two or three coordinates. @param {any} points */
function plot(points) {
  const rows = points?.toArray?.() ?? points
  const isDrawn = Array.isArray(rows) && rows.every(row => isNumbers(row) && [2, 3].includes(row.length))
  if (!isDrawn) throw new TypeError('plot: expected rows of 2 or 3 numbers')
  output.push({ kind: 'plot', points: rows })
}

/** Takes everything away that is not kept, from the global object and what it inherits from. */
function close() {
  for (let at = scope; at && at !== Object.prototype; at = Object.getPrototypeOf(at)) {
    for (const name of [...Object.getOwnPropertyNames(at), ...Object.getOwnPropertySymbols(at)]) {
      if (typeof name === 'string' && !KEPT.has(name) && name !== 'constructor') Reflect.deleteProperty(at, name)
    }
  }
  // What cannot be deleted is hidden; and nobody makes code of a text but the cells themselves.
  for (const name of Object.getOwnPropertyNames(scope)) {
    if (!KEPT.has(name)) Reflect.defineProperty(scope, name, { value: undefined })
  }
  const kinds = [function () {}, async function () {}, function* () {}, async function* () {}]
  for (const kind of kinds) {
    Object.defineProperty(Object.getPrototypeOf(kind), 'constructor', { value: undefined })
  }
  Reflect.defineProperty(scope, 'Function', { value: undefined })
}

/** Where in its cell an error came from, if its trace says so. @param {unknown} error */
const lineOf = error => Number(/<anonymous>:(\d+)/.exec(String(/** @type {Error} */ (error)?.stack))?.[1]) || null

/** @param {string} code @returns {Outcome} */
function runCell(code) {
  output = []
  const start = performance.now()
  try {
    evaluate(scriptOf(code))
    return { output, milliseconds: performance.now() - start }
  } catch (problem) {
    const error = /** @type {Error} */ (problem)
    const name = error?.name ?? 'Error'
    return { output, error: { name, message: String(error?.message ?? error), line: lineOf(error) } }
  }
}

/** @param {MessageEvent} event */
scope.onmessage = async ({ data }) => {
  if (data.wasm) {
    try {
      Object.assign(scope, { gf: await load({ wasm: data.wasm }), print, plot })
      for (const name of ['gf', 'print', 'plot']) KEPT.add(name)
      evaluate('1')
      close()
      send({ isReady: true })
    } catch (problem) {
      const error = /** @type {Error} */ (problem)
      send({ failure: error.message, isRefused: error instanceof EvalError })
    }
    return
  }
  send(runCell(data.code))
}
