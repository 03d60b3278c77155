import { describe, expect, expectBoolean, isPlain, expectOptions, runSync, expectInteger } from '../errors.js'
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
 * Where the build with relaxed SIMD is, if it is wanted and the engine has it.
 * @param {unknown} relaxed @param {unknown[]} addresses the kernels that the caller chose
 */
async function readRelaxed(relaxed, addresses) {
  if (!expectBoolean('load', 'relaxed', relaxed)) return null
  expect(addresses.every(address => address === undefined), 'type', () => 'load: relaxed chooses the kernels itself, ' +
    'so wasm and threads.wasm must be left out')
  return (await import('../engine/relaxed.js')).locateRelaxed()
}

/**
 * Loads the kernels for several threads, or for one if several are not possible.
 * @param {KernelOptions & {
 *   threads?: number | ThreadOptions, blocks?: KernelOptions['wasm'], relaxed?: boolean
 * }} [options] wasm: the kernels for one thread; threads: 1; blocks: the kernels for weights in GGUF's blocks, see
 *   load_blocks.js; relaxed: false, whether to use the kernels with relaxed SIMD where the engine has it
 * @returns {Promise<{
 *   exports: Platform.Exports, threads: Threads, blocks: KernelOptions['wasm'], addKernels: AddKernels, variant: string
 * }>} variant: 'simd128' or 'relaxed-simd'
 * @throws {import('../errors.js').GlassformerError} as loadKernels
 */
export async function loadThreads(options) {
  const { threads = 1, wasm, blocks, relaxed = false } =
    expectOptions('load', options, ['threads', 'wasm', 'blocks', 'relaxed'])
  const { count, wasm: threadsWasm, minWork } = readThreads(threads)
  const build = await readRelaxed(relaxed, [wasm, threadsWasm])
  const variant = build ? 'relaxed-simd' : 'simd128'
  /** @type {string | null} */ let reason = null
  if (count > 1) {
    try {
      const node = isNode() ? builtin('node:worker_threads') : null
      const possible = limitToCores(count, node)
      if (possible < count) reason = `there ${possible === 1 ? 'is 1 core' : `are ${possible} cores`} here`
      if (possible > 1) {
        const shared = await loadShared(node, possible, { wasm: build?.shared ?? threadsWasm, minWork, reason })
        return { ...shared, blocks, variant }
      }
    } catch (error) {
      reason = /** @type {Error} */ (error).message
    }
  }
  const exports = await loadKernels({ wasm: build?.single ?? wasm })
  return {
    exports, blocks, variant, addKernels: module => instantiateKernels(module, { memory: exports.memory }),
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
