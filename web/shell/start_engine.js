/** Starts the engine, or reports why it cannot start: a missing browser feature, or a failed download. */

import { createEngine } from './engine.js'
import { MODELS } from '../models/index.js'
import { locate, locateFirstKernels, locateMoreKernels } from '../lib/resources.js'

/** @import { Problem } from '../types.d.ts' */

/** Error messages of browsers and the texts that explain them. @type {[RegExp, string][]} */
const REASONS = [
  [/no WebAssembly SIMD/, 'noSimd'], [/no WebAssembly|Content-Security-Policy/, 'noWasm'],
  [/responded with status|could not be fetched|^worker$|NetworkError|Failed to (fetch|load)/, 'unreachable'], [/./, 'broken']
]

/** @param {unknown} error @returns {Problem} */
export function describeProblem(error) {
  const message = error instanceof Error ? error.message : String(error)
  const [, word] = REASONS.find(([pattern]) => pattern.test(message)) ?? REASONS[REASONS.length - 1]
  // The library's advice after the semicolon is meant for programmers.
  return { key: `errors.${word}`, values: { message: message.replace(/^load: /, '').replace(/; [^;]*$/, '') } }
}

/** @typedef {string | ArrayBuffer} Address where a file is, or its bytes */

/**
 * The bytes of a file, requested while the worker is still loading. If the request fails, the file's URL is passed on;
 * the worker then tries again and reports the error.
 * @param {Address} address @returns {Promise<Address>}
 */
async function fetchBytes(address) {
  if (typeof address !== 'string') return address
  try {
    const response = await fetch(address)
    return response.ok ? await response.arrayBuffer() : address
  } catch {
    return address
  }
}

/**
 * @param {string[]} names of the files that the first run reads
 * @param {Promise<unknown>} texts what the page needs first; the worker loads meanwhile, other files come later
 * @param {() => Worker} spawn
 * @returns {Promise<{ engine: ReturnType<typeof createEngine> } | { problem: Problem }>}
 */
export async function startEngine(names, texts, spawn) {
  if (typeof WebAssembly !== 'object') return { problem: { key: 'errors.noWasm', values: {} } }
  if (typeof Worker !== 'function') return { problem: { key: 'errors.noWorker', values: {} } }
  const wasm = locateFirstKernels()
  const files = Object.fromEntries(MODELS.flatMap(model => model.files).map(name => [name, locate(name)]))
  try {
    const engine = createEngine(spawn)
    await texts
    const [kernels, ...first] = await Promise.all([wasm, ...names.map(name => files[name])].map(fetchBytes))
    const given = Object.fromEntries(names.map((name, i) => [name, first[i]]))
    await engine.load({ kernels: { wasm: kernels, ...locateMoreKernels() }, files, first: given })
    return { engine }
  } catch (error) {
    return { problem: describeProblem(error) }
  }
}
