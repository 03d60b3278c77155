/**
 * The engines of the worker, each with a memory of its own, so that a run can be queried while another is computed.
 * Imported models are large enough for several threads, which need an isolated page: for them engines are started anew
 * from another build of the kernels, which is fetched then. The bits are the same.
 */

import { load } from '../../src/js/index.js'
import { addKernels, lacksKernels, lacksKernelsOf } from './rest_of_kernels.js'

/** @import { Library, LibraryRun } from '../types.d.ts' */

/** @typedef {string | ArrayBuffer} Address the URL of a file, or its bytes */
/** @typedef {'page' | 'twin' | 'side'} Role */
/**
 * Where the kernels are. wasm: those of a first run; the others are fetched when they are needed. rest: all others for
 * tensors; training: those of them that a training calls; gelu: those of GELU; text: those for text; all: all of these,
 * for imported models; blocks: those for GGUF's blocks; threads: all and blocks for threads, where they are beside the
 * page.
 * @typedef {Record<'wasm' | 'rest' | 'training' | 'gelu' | 'text' | 'all' | 'blocks', Address> & {
 *   threads: { wasm: string, blocks: string } | null }} Kernels
 */

const MAX_THREADS = 4

/** @param {Address} address */
const toSource = address => (typeof address === 'string' ? new URL(address) : address)

/** What browsers and the library say of a file that did not arrive. */
const NOT_ARRIVED = /responded with status|could not be fetched|NetworkError|Failed to fetch|Load failed/

/** Kernels that did not arrive, or that are no WebAssembly as they arrived. @param {unknown} error */
function describeKernelError(error) {
  const { message } = /** @type {Error} */ (error)
  return Object.assign(new Error(message), { code: NOT_ARRIVED.test(message) ? 'network' : 'broken' })
}

/** @param {Address} address @returns {Promise<WebAssembly.Module>} */
async function compile(address) {
  if (typeof address !== 'string') return WebAssembly.compile(address)
  const response = await fetch(address)
  if (!response.ok) throw new Error(`${address} responded with status ${response.status}`)
  return WebAssembly.compile(await response.arrayBuffer())
}

/** An engine of one thread. @param {Kernels} kernels @param {boolean} needsAll whether it tokenizes by itself */
const startSingle = ({ wasm, all, blocks }, needsAll) => (
  load({ wasm: toSource(needsAll ? all : wasm), blocks: toSource(blocks) }))

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
  /** Whether new engines have all kernels, and several threads. */ let needsAll = false, isThreaded = false
  /** The engines that runs belong to. @type {WeakMap<LibraryRun, Library>} */ const engineByRun = new WeakMap()
  /** @type {Library[]} */ let running = []

  async function create() {
    const gf = isThreaded && await startThreaded(kernels) || await startSingle(kernels, needsAll)
    running.push(gf)
    if (rest) await complete(gf)
    return gf
  }
  /** Gives an engine all kernels for tensors. @param {Library} gf */
  async function complete(gf) {
    if (!lacksKernels(gf)) return
    rest ??= compile(kernels.rest)
    const module = await rest.catch(error => {
      rest = undefined
      throw describeKernelError(error)
    })
    if (lacksKernels(gf)) await addKernels(gf, module)
  }
  /** Replaces the engines by ones with all kernels, and with threads if that is possible. Runs keep theirs. */
  async function useAll() {
    const threaded = await startThreaded(kernels), page = threaded ?? await startSingle(kernels, true)
    needsAll = true
    isThreaded = threaded !== null
    running = [page]
    engines = { page: Promise.resolve(page) }
  }
  /** @type {Promise<WebAssembly.Module> | undefined} */ let rest
  /** @type {Promise<void> | undefined} */ let change
  /** @type {Promise<Library['text']> | undefined} */ let text
  /** Starts the kernels for text, which have a memory of their own and serve all engines. */
  async function loadText() {
    const code = await import('../../src/js/text/index.js')
    return code.load({ wasm: toSource(kernels.text) }).catch(error => {
      throw describeKernelError(error)
    })
  }
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
      if (isForImported) {
        change ??= useAll()
        await change.catch(error => {
          change = undefined
          throw error
        })
      }
      return engines[role] ??= create()
    },
    /** Gives all engines, also later ones, all kernels for tensors. */
    async completeAll() {
      // Until the first engine has started, none is running.
      await engines.page
      await Promise.all(running.map(complete))
    },
    /** Gives the page's engine some kernels of trainings. @param {'training' | 'gelu'} part */
    async addTrainingKernels(part) {
      const gf = /** @type {Library} */ (await engines.page)
      if (!lacksKernelsOf(gf, part)) return
      await addKernels(gf, await compile(kernels[part]).catch(error => {
        throw describeKernelError(error)
      }))
    },
    /** Gives an engine the text functions, unless it has them and all kernels. @param {Library} gf */
    async addText(gf) {
      if (gf.engine.c.gf_cut && 'trainBPE' in gf.text) return
      text ??= loadText()
      Object.assign(gf.text, await text.catch(error => {
        text = undefined
        throw error
      }))
    },
    /** @param {LibraryRun} run @param {Library} gf */
    assign: (run, gf) => { engineByRun.set(run, gf) },
    /** @param {LibraryRun} run */
    of: run => /** @type {Library} */ (engineByRun.get(run)),
    /** The bytes that tensors take in all engines. */
    countBytes: () => running.reduce((sum, gf) => sum + gf.memory().bytes, 0)
  }
}
