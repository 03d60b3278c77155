import { describe, expect, isPlain, expectOptions, runSync, expectInteger } from '../errors.js'
import { besideLibrary, builtin, bytesOf, loadKernels } from '../engine/load.js'
import { instantiateKernels, startThreads } from './index.js'
import { threadsBesideModule } from '#wasm'

/** @import * as Platform from '../platform.d.ts' */

const MAX_THREADS = 64
const WASM_HINT = 'give load({ threads: { count, wasm } }) the URL, a Response or the bytes of glassformer.threads.wasm'

/**
 * The number of threads, limited to the number of cores.
 * @param {number} count @param {any} node
 * @throws {Error} if workers cannot share a memory
 */
function limitToCores(count, node) {
  const { crossOriginIsolated, navigator } = /** @type {any} */ (globalThis)
  if (crossOriginIsolated === false) {
    throw new Error('the page is not isolated; its server must send Cross-Origin-Opener-Policy: same-origin and ' +
      'Cross-Origin-Embedder-Policy: require-corp')
  }
  return Math.min(count, node ? builtin('node:os').availableParallelism() : navigator?.hardwareConcurrency ?? count)
}

/**
 * Whether to use Node's worker_threads, even if a global Worker was defined there. Deno and Bun have their own Worker.
 */
function isNode() {
  const { process, Worker } = /** @type {any} */ (globalThis)
  const { node, bun, deno } = process?.versions ?? {}
  return typeof Worker !== 'function' || Boolean(node && !bun && !deno && typeof document === 'undefined')
}

/** @param {unknown} threads @returns {ThreadOptions} */
function readThreads(threads) {
  expect(typeof threads === 'number' || isPlain(threads), 'type', () => 'load: threads must be an integer, or ' +
    `{ count, wasm, minWork }, got ${describe(threads)}`)
  if (typeof threads === 'number') return { count: expectInteger('load', 'threads', threads, 1, MAX_THREADS) }
  const { count, minWork = 0 } = expectOptions('load: threads', threads, ['count', 'wasm', 'minWork'])
  expectInteger('load', 'threads.count', count, 1, MAX_THREADS)
  expectInteger('load', 'threads.minWork', minWork)
  return /** @type {ThreadOptions} */ (threads)
}

/**
 * @typedef {import('./index.js').Threads} Threads
 * @typedef {import('./index.js').AddKernels} AddKernels
 */

/**
 * @typedef {NonNullable<Parameters<typeof loadKernels>[0]>} KernelOptions
 * @typedef {object} ThreadOptions
 * @property {number} count the number of threads, including the calling one
 * @property {KernelOptions['wasm']} [wasm] the kernels for threads; by default beside the package
 * @property {number} [minWork] the work from which on every call is split, in multiply-adds; by default long calls are,
 *   where that is measured to gain
 */

/**
 * Loads the kernels for several threads, or for one if several are not possible.
 * @param {KernelOptions & { threads?: number | ThreadOptions, blocks?: KernelOptions['wasm'] }} [options] wasm: the
 *   kernels for one thread; threads: 1; blocks: the kernels for weights in GGUF's blocks, see load_blocks.js
 * @returns {Promise<{
 *   exports: Platform.Exports, threads: Threads, blocks: KernelOptions['wasm'], addKernels: AddKernels
 * }>}
 * @throws {import('../errors.js').GlassformerError} as loadKernels
 */
export async function loadThreads(options) {
  const { threads = 1, blocks, ...rest } = expectOptions('load', options, ['threads', 'wasm', 'blocks'])
  const { count, wasm, minWork } = readThreads(threads)
  /** @type {string | null} */ let reason = null
  if (count > 1) {
    try {
      const node = isNode() ? builtin('node:worker_threads') : null
      const possible = limitToCores(count, node)
      if (possible < count) reason = `there ${possible === 1 ? 'is 1 core' : `are ${possible} cores`} here`
      if (possible > 1) return { ...await loadShared(node, possible, { wasm, minWork, reason }), blocks }
    } catch (error) {
      reason = /** @type {Error} */ (error).message
    }
  }
  const exports = await loadKernels(rest)
  return {
    exports, blocks, addKernels: module => instantiateKernels(module, { memory: exports.memory }),
    threads: { count: 1, reason, taken: 0, alone: fn => runSync('threads.alone', fn), stop() {} }
  }
}

/**
 * Loads the kernels into a memory that several threads share.
 * @param {any} node @param {number} count
 * @param {{ wasm: KernelOptions['wasm'], minWork: number | undefined, reason: string | null }} more reason: why there
 *   are not more threads
 */
async function loadShared(node, count, { wasm, ...more }) {
  const address = wasm ?? besideLibrary('glassformer.threads.wasm', threadsBesideModule, WASM_HINT)
  const source = await bytesOf(address, WASM_HINT)
  const module = source instanceof WebAssembly.Module ? source
    : await WebAssembly.compile(/** @type {BufferSource} */ (source))
  return startThreads(/** @type {any} */ (module), node, count, more)
}
