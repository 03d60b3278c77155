/**
 * Runs the cells of a notebook one after the other, in one global scope, and other code of the reader. Started by
 * cell_frame.js, whose policy allows `eval` and forbids fetching and importing. In addition, all globals that reach the
 * network, the page or storage are removed before any code of the reader runs; the language and the library remain.
 */

import { load } from '../../src/js/index.js'
import { createRecorder, describeError } from './output.js'
import { toScript } from './script.js'

/** @import { Outcome } from './runner.js' */

/** The globals that remain besides the library. */
const ALLOWED = new Set(`Object Function Array Number parseFloat parseInt Infinity NaN undefined Boolean String Symbol Date
  Promise RegExp Error AggregateError EvalError RangeError ReferenceError SyntaxError TypeError URIError globalThis JSON
  Math Intl ArrayBuffer Uint8Array Int8Array Uint16Array Int16Array Uint32Array Int32Array Float32Array Float64Array
  Uint8ClampedArray BigUint64Array BigInt64Array DataView Map BigInt Set WeakMap WeakSet WeakRef Proxy Reflect
  isFinite isNaN structuredClone performance Iterator`.split(/\s+/))

/** @type {any} */ const scope = self
const { eval: evaluate } = scope
const respond = scope.postMessage.bind(scope)
const recorder = createRecorder()
const { print, plot } = recorder

/** Removes all other globals from the global object and its prototypes. */
function removeGlobals() {
  for (let prototype = scope; prototype &&
    prototype !== Object.prototype; prototype = Object.getPrototypeOf(prototype)) {
    for (const name of [...Object.getOwnPropertyNames(prototype), ...Object.getOwnPropertySymbols(prototype)]) {
      if (typeof name === 'string' && !ALLOWED.has(name) && name !== 'constructor') Reflect.deleteProperty(prototype, name)
    }
  }
  // What cannot be deleted is overwritten, and only the cells can evaluate code.
  for (const name of Object.getOwnPropertyNames(scope)) {
    if (!ALLOWED.has(name)) Reflect.defineProperty(scope, name, { value: undefined })
  }
  const functionKinds = [function () {}, async function () {}, function* () {}, async function* () {}]
  for (const kind of functionKinds) {
    Object.defineProperty(Object.getPrototypeOf(kind), 'constructor', { value: undefined })
  }
  Reflect.defineProperty(scope, 'Function', { value: undefined })
}

/** Runs a cell; its variables remain for the next. @param {{ code: string }} request */
const runCell = ({ code }) => void evaluate(toScript(code))

/**
 * Runs code of the reader and records what it prints.
 * @param {() => Partial<Outcome> | void} run @returns {Outcome}
 */
function recordOutcome(run) {
  recorder.reset()
  const start = performance.now()
  try {
    const more = run()
    return { output: recorder.outputs, milliseconds: performance.now() - start, ...more }
  } catch (problem) {
    return { output: recorder.outputs, error: describeError(problem) }
  }
}

/**
 * Runs code and always responds, even if it has changed the built-ins that this code uses.
 * @param {() => Partial<Outcome> | void} run
 */
function runAndRespond(run) {
  try {
    respond(recordOutcome(run))
  } catch {
    respond({ output: [], error: { name: 'Error', message: 'what the cell put out cannot leave its worker', line: null } })
  }
}

/**
 * What code of the reader is run with.
 * @typedef {{ gf: import('../types.d.ts').Library, evaluate: (code: string) => any, scope: any,
 *   countOutputs: () => number }} CellTools countOutputs: how many there are so far
 */

/**
 * Responds to the page: to a cell with what it prints, to other requests with what `answer` adds to that.
 * @param {(request: any, tools: CellTools) => Partial<Outcome>} answer
 */
export function serveCells(answer) {
  /** @type {CellTools} */ let tools
  scope.onmessage = async (/** @type {MessageEvent} */ { data }) => {
    if (data.wasm) {
      try {
        tools = { gf: await load({ wasm: data.wasm }), evaluate, scope, countOutputs: () => recorder.outputs.length }
        Object.assign(scope, { gf: tools.gf, print, plot, console: { log: print } })
        for (const name of ['gf', 'print', 'plot', 'console']) ALLOWED.add(name)
        evaluate('1')
        removeGlobals()
        respond({ isReady: true })
      } catch (problem) {
        const error = /** @type {Error} */ (problem)
        respond({ failure: error.message, isRefused: error instanceof EvalError })
      }
      return
    }
    runAndRespond(() => ('code' in data ? runCell(data) : answer(data, tools)))
  }
}
