/**
 * The engines of the worker, each with a memory of its own, so that a run can be queried while another is computed.
 * Imported models are large enough for several threads, which need an isolated page: for them engines are started anew
 * from another build of the kernels, which is fetched then. The bits are the same.
 */

import { load } from '../../src/js/index.js'

/** @import { Library, LibraryRun } from '../types.d.ts' */

/** @typedef {string | ArrayBuffer} Address the URL of a file, or its bytes */
/** @typedef {'page' | 'twin' | 'side'} Role */
/**
 * Where the kernels are; blocks: those for GGUF's blocks, which are fetched when they are needed; threads: the builds
 * of both for threads, where they are beside the page.
 * @typedef {{ wasm: Address, blocks: Address, threads: { wasm: string, blocks: string } | null }} Kernels
 */

const MAX_THREADS = 4

/** @param {Address} address */
const toSource = address => (typeof address === 'string' ? new URL(address) : address)

/** An engine of one thread. @param {Kernels} kernels */
const startSingle = ({ wasm, blocks }) => load({ wasm: toSource(wasm), blocks: toSource(blocks) })

/** An engine of several threads, or null where that is not possible. @param {Kernels} kernels */
async function startThreaded({ threads }) {
  if (!threads || !globalThis.crossOriginIsolated) return null
  const count = Math.min(MAX_THREADS, navigator.hardwareConcurrency), wasm = toSource(threads.wasm)
  const gf = await load({ blocks: toSource(threads.blocks), wasm, threads: { count, wasm } }).catch(() => null)
  return gf && gf.threads.count > 1 ? gf : null
}

export function createEngines() {
  /** @type {Kernels} */ let kernels
  /** @type {Partial<Record<Role, Promise<Library>>>} */ let engines = {}
  /** Whether new engines have several threads. */ let isThreaded = false
  /** The engines that runs belong to. @type {WeakMap<LibraryRun, Library>} */ const engineByRun = new WeakMap()
  /** @type {Library[]} */ let running = []

  async function create() {
    const gf = isThreaded && await startThreaded(kernels) || await startSingle(kernels)
    running.push(gf)
    return gf
  }
  /** Replaces the engines by threaded ones, if that is possible. Runs keep theirs. */
  async function useThreads() {
    const threaded = await startThreaded(kernels)
    if (!threaded) return
    isThreaded = true
    running = [threaded]
    engines = { page: Promise.resolve(threaded) }
  }
  /** @type {Promise<void> | undefined} */ let change
  return {
    /** @param {Kernels} where */
    async start(where) {
      kernels = where
      await (engines.page = create())
    },
    /**
     * The engine of a role, started when it is first needed.
     * @param {Role} role @param {boolean} [isForImported] whether it computes an imported model
     */
    async get(role, isForImported = false) {
      if (isForImported) await (change ??= useThreads())
      return engines[role] ??= create()
    },
    /** @param {LibraryRun} run @param {Library} gf */
    assign: (run, gf) => { engineByRun.set(run, gf) },
    /** @param {LibraryRun} run */
    of: run => /** @type {Library} */ (engineByRun.get(run)),
    /** The bytes that tensors take in all engines. */
    countBytes: () => running.reduce((sum, gf) => sum + gf.memory().bytes, 0)
  }
}
