/**
 * Runs the cells of a notebook one after the other, in one global scope. Started by cell_frame.js, whose policy allows
 * `eval` and forbids fetching and importing. In addition, all globals that reach the network, the page or storage are
 * removed before the first cell runs; the language and the library remain.
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

/** @param {string} code @returns {Outcome} */
function runCell(code) {
  recorder.reset()
  const start = performance.now()
  try {
    evaluate(toScript(code))
    return { output: recorder.outputs, milliseconds: performance.now() - start }
  } catch (problem) {
    return { output: recorder.outputs, error: describeError(problem) }
  }
}

/**
 * Runs a cell and always responds, even if the cell has changed the built-ins that this code uses.
 * @param {string} code
 */
function runAndRespond(code) {
  try {
    respond(runCell(code))
  } catch {
    respond({ output: [], error: { name: 'Error', message: 'what the cell put out cannot leave its worker', line: null } })
  }
}

/** @param {MessageEvent} event */
scope.onmessage = async ({ data }) => {
  if (data.wasm) {
    try {
      Object.assign(scope, { gf: await load({ wasm: data.wasm }), print, plot, console: { log: print } })
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
  runAndRespond(data.code)
}
