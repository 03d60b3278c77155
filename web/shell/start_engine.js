/** The engine's beginning, or why there is none: in words for readers, whatever a browser lacks or a network loses. */

import { createEngine } from './engine.js'
import { spawn } from './fetch_on_demand.js'
import { resources } from './resources.js'

/** @import { Problem } from '../types.d.ts' */

/** What an error says, and what is said of it. @type {[RegExp, string][]} */
const REASONS = [
  [/no WebAssembly SIMD/, 'noSimd'], [/no WebAssembly|Content-Security-Policy/, 'noWasm'],
  [/answered \d|could not be fetched|^worker$|NetworkError|Failed to (fetch|load)/, 'unreachable'], [/./, 'broken']
]

/** @param {unknown} error @returns {Problem} */
export function problemOf(error) {
  const message = error instanceof Error ? error.message : String(error)
  const [, word] = REASONS.find(([pattern]) => pattern.test(message)) ?? REASONS[REASONS.length - 1]
  // What a program should do about it, behind the semicolon, is nothing for readers.
  return { key: `errors.${word}`, values: { message: message.replace(/^load: /, '').replace(/; [^;]*$/, '') } }
}

/** @typedef {string | ArrayBuffer} Address where a file is, or its bytes */

/**
 * The bytes of a file, asked for while the worker is still on its way. If they do not come this tells where they are:
 * the worker asks again and says why.
 * @param {Address} address @returns {Promise<Address>}
 */
async function early(address) {
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
 * @param {Promise<unknown>} words the first of the page; the worker is on its way meanwhile, other files come later
 * @returns {Promise<{ engine: ReturnType<typeof createEngine> } | { problem: Problem }>}
 */
export async function begin(names, words) {
  if (typeof WebAssembly !== 'object') return { problem: { key: 'errors.noWasm', values: {} } }
  if (typeof Worker !== 'function') return { problem: { key: 'errors.noWorker', values: {} } }
  const { wasm, files } = resources()
  try {
    const engine = createEngine(() => spawn('worker'))
    await words
    const [kernels, ...first] = await Promise.all([wasm, ...names.map(name => files[name])].map(early))
    await engine.load({ wasm: kernels, files, first: Object.fromEntries(names.map((name, at) => [name, first[at]])) })
    return { engine }
  } catch (error) {
    return { problem: problemOf(error) }
  }
}
