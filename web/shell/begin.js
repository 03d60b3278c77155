/** The engine's beginning, or why there is none: in words for readers, whatever a browser lacks or a network loses. */

import { createEngine } from './engine.js'
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

/** @returns {Promise<{ engine: ReturnType<typeof createEngine> } | { problem: Problem }>} */
export async function begin() {
  if (typeof WebAssembly !== 'object') return { problem: { key: 'errors.noWasm', values: {} } }
  if (typeof Worker !== 'function') return { problem: { key: 'errors.noWorker', values: {} } }
  const { worker, ...files } = resources()
  try {
    const engine = createEngine(new Worker(worker))
    await engine.load(files)
    return { engine }
  } catch (error) {
    return { problem: problemOf(error) }
  }
}
