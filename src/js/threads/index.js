import { SPLITS } from './splits.js'
import { Team } from './team.js'
import { startWorker } from './workers.js'

/** @import * as Platform from '../platform.d.ts' */

/** Initial pages of memory, as in build.sh, and limits to try in order. */
const INITIAL_PAGES = 256, MAX_PAGES = [65536, 32768, 16384]
const STACK_BYTES = 65536
/** A call is split from this many multiply-adds on: they take 80 µs, and notifying a spinning worker takes 3 µs. */
const MIN_WORK = 2_000_000

/**
 * The state of the threads, as `gf.threads` shows it.
 * @typedef {object} Threads
 * @property {number} count the number of threads that compute, including the calling one
 * @property {string | null} reason why there are fewer than requested
 * @property {number} taken the number of parts of calls that workers have computed
 * @property {<T>(fn: () => T) => T} alone runs fn in the calling thread alone, for comparisons
 * @property {() => void} stop ends the workers; the calling thread continues alone
 */

/** A memory that workers can share. @returns {WebAssembly.Memory} */
function createSharedMemory() {
  let reason
  for (const maximum of MAX_PAGES) {
    try {
      return new WebAssembly.Memory({ initial: INITIAL_PAGES, maximum, shared: true })
    } catch (error) {
      reason = error
    }
  }
  throw reason
}

/**
 * Wraps the kernels so that long calls are split between threads.
 * @param {Platform.Exports} c @param {Team} team @param {number} minWork @returns {Platform.Exports}
 */
function splitCalls(c, team, minWork) {
  const kernels = { ...c }
  for (const [name, { work, divide }] of Object.entries(SPLITS)) {
    const original = c[name]
    kernels[name] = (/** @type {number[]} */ ...args) => {
      if (team.isWorthSplitting(work(args, team), minWork)) {
        const { parts, kernel = name, workspace, floats } = divide(args, team.workers + 1, c, team)
        if (parts.length > 1 && team.run(kernel, parts, workspace, floats)) return
      }
      original(...args)
    }
  }
  return kernels
}

/** Ends the workers of engines that were garbage collected. */
const registry = new FinalizationRegistry((/** @type {() => void} */ stop) => stop())

/**
 * Starts workers and returns kernels that split long calls between the threads.
 * @param {Platform.WasmModule} module the build of the kernels for threads
 * @param {any} node see startWorker
 * @param {number} count the number of threads, including the calling one
 * @param {{ minWork?: number, reason: string | null }} options minWork: the work from which on a call is split, in
 *   multiply-adds; reason: why there are not more threads
 * @returns {Promise<{ exports: Platform.Exports, threads: Threads }>}
 * @throws {Error} if the memory or a worker cannot be created
 */
export async function startThreads(module, node, count, { minWork = MIN_WORK, reason: fewer }) {
  if (!WebAssembly.Module.imports(/** @type {any} */ (module)).some(({ kind }) => kind === 'memory')) {
    throw new Error('wasm is not the build of the kernels for threads, glassformer.threads.wasm')
  }
  const memory = createSharedMemory(), env = { memory, emscripten_notify_memory_growth() {} }
  const { exports: c } = /** @type {any} */ (await WebAssembly.instantiate(/** @type {any} */ (module), { env }))
  c._initialize()
  const names = Object.keys(c).filter(name => name.startsWith('gf_'))
  const team = new Team(c, memory, names, count - 1, why => stop(why))
  let reason = fewer, isStopped = false
  /** @type {(() => void)[]} */ const ends = []
  /** @param {string} why */
  const stop = why => {
    if (!isStopped) reason = why
    isStopped = true
    team.workers = 0
    ends.forEach(end => end())
  }
  const starts = Array.from({ length: count - 1 }, (_, worker) => startWorker(node, {
    module, memory, mailbox: team.mailbox, names, worker, stackEnd: c.gf_alloc(STACK_BYTES) + STACK_BYTES
  }, why => stop(`a worker is gone: ${why}`)).then(end => ends.push(end)))
  try {
    await Promise.all(starts)
  } catch (error) {
    Promise.allSettled(starts).then(() => stop(''))
    throw error
  }
  if (!isStopped) team.workers = count - 1
  const exports = { ...splitCalls(c, team, minWork), memory }
  registry.register(exports, () => stop(''))
  const threads = {
    get count() { return team.workers + 1 },
    get reason() { return reason },
    get taken() { return team.taken },
    alone: /** @template T @param {() => T} fn */ fn => team.alone(fn),
    stop: () => stop('they were stopped')
  }
  return { exports, threads }
}
