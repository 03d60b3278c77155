import { describe, expect, isPlain, expectOptions, runSync, expectInteger } from '../errors.js'
import { besideLibrary, builtin, bytesOf, loadKernels } from '../load.js'
import { startThreads } from './index.js'
import { threadsBesideModule } from '#wasm'

/** @import * as Platform from '../platform.d.ts' */

/** As many as anybody's machine has. */
const MOST_THREADS = 64
const GIVE = 'give load({ threads: { count, wasm } }) the URL, a Response or the bytes of glassformer.threads.wasm'

/**
 * How many of so many threads the machine has cores for. @param {number} count @param {any} node
 * @throws {Error} where workers cannot share a memory
 */
function threadsHere(count, node) {
  const { crossOriginIsolated, navigator } = /** @type {any} */ (globalThis)
  if (crossOriginIsolated === false) {
    throw new Error('the page is not isolated; its server must send Cross-Origin-Opener-Policy: same-origin and ' +
      'Cross-Origin-Embedder-Policy: require-corp')
  }
  return Math.min(count, node ? builtin('node:os').availableParallelism() : navigator?.hardwareConcurrency ?? count)
}

/**
 * Whether threads are those of Node, which others may have given a page's Worker; Deno and Bun have one of their own.
 */
function isNode() {
  const { process, Worker } = /** @type {any} */ (globalThis)
  const { node, bun, deno } = process?.versions ?? {}
  return typeof Worker !== 'function' || Boolean(node && !bun && !deno && typeof document === 'undefined')
}

/** @param {unknown} threads @returns {ThreadOptions} */
function readThreads(threads) {
  expect(typeof threads === 'number' || isPlain(threads), 'type', () => 'load: threads must be an integer, or ' +
    `{ count, wasm, leastWork }, got ${describe(threads)}`)
  if (typeof threads === 'number') return { count: expectInteger('load', 'threads', threads, 1, MOST_THREADS) }
  const { count, leastWork = 0 } = expectOptions('load: threads', threads, ['count', 'wasm', 'leastWork'])
  expectInteger('load', 'threads.count', count, 1, MOST_THREADS)
  expectInteger('load', 'threads.leastWork', leastWork)
  return /** @type {ThreadOptions} */ (threads)
}

/** @typedef {import('./index.js').Threads} Threads */

/**
 * @typedef {NonNullable<Parameters<typeof loadKernels>[0]>} KernelOptions
 * @typedef {object} ThreadOptions
 * @property {number} count how many, with the calling one
 * @property {KernelOptions['wasm']} [wasm] where the kernels for several are; by default beside the package
 * @property {number} [leastWork] multiply-adds from which on a call is divided
 */

/**
 * The kernels for so many threads, or for one where that cannot be.
 * @param {KernelOptions & { threads?: number | ThreadOptions }} [options] wasm: where the kernels are; threads: 1
 * @returns {Promise<{ exports: Platform.Exports, threads: Threads }>}
 * @throws {import('../errors.js').GlassformerError} as loadKernels
 */
export async function loadThreads(options) {
  const { threads = 1, ...rest } = expectOptions('load', options, ['threads', 'wasm'])
  const { count, wasm, leastWork } = readThreads(threads)
  /** @type {string | null} */ let reason = null
  if (count > 1) {
    try {
      const node = isNode() ? builtin('node:worker_threads') : null
      const here = threadsHere(count, node)
      if (here < count) reason = `there ${here === 1 ? 'is 1 core' : `are ${here} cores`} here`
      if (here > 1) return await loadShared(node, here, { wasm, leastWork, reason })
    } catch (error) {
      reason = /** @type {Error} */ (error).message
    }
  }
  return { exports: await loadKernels(rest), threads: { count: 1, reason, taken: 0, alone: fn => runSync('threads.alone', fn), stop() {} } }
}

/**
 * The kernels in a memory that several threads share.
 * @param {any} node @param {number} count
 * @param {{ wasm: KernelOptions['wasm'], leastWork: number | undefined, reason: string | null }} more reason: why they
 *   are not more
 */
async function loadShared(node, count, { wasm, ...more }) {
  const at = wasm ?? besideLibrary('glassformer.threads.wasm', threadsBesideModule, GIVE)
  const source = await bytesOf(at, GIVE)
  const module = source instanceof WebAssembly.Module ? source
    : await WebAssembly.compile(/** @type {BufferSource} */ (source))
  return startThreads(/** @type {any} */ (module), node, count, more)
}
