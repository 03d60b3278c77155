import { Gains } from './gains.js'
import { SPLITS } from './splits.js'
import { Team } from './team.js'
import { startWorker } from './workers.js'

/** @import * as Platform from '../platform.d.ts' */

/** Initial pages of memory, as in build.sh, and limits to try in order. */
const INITIAL_PAGES = 256, MAX_PAGES = [65536, 32768, 16384]
const STACK_BYTES = 65536
/** A call may be split from this many multiply-adds on: they take 40 µs, and notifying a spinning worker takes 3 µs. */
const MIN_WORK = 1_000_000

/**
 * The state of the threads, as `gf.threads` shows it.
 * @typedef {object} Threads
 * @property {number} count the number of threads that compute, including the calling one
 * @property {string | null} reason why there are fewer than requested
 * @property {number} taken the number of parts of calls that workers have computed
 * @property {<T>(fn: () => T) => T} alone runs fn in the calling thread alone, for comparisons
 * @property {() => void} stop ends the workers; the calling thread continues alone
 */

/**
 * Adds the kernels of another module that works in the same memory, and returns them.
 * @typedef {(module: Platform.WasmModule) => Promise<Platform.Exports>} AddKernels
 */

/**
 * The kernels of a module.
 * @param {Platform.WasmModule} module @param {Record<string, any>} env what it imports
 * @returns {Promise<Platform.Exports>}
 */
export async function instantiateKernels(module, env) {
  const { exports } = /** @type {any} */ (await WebAssembly.instantiate(/** @type {any} */ (module), { env }))
  return Object.fromEntries(Object.entries(exports).filter(([name]) => name.startsWith('gf_')))
}

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
 * Wraps kernels so that long calls are split between threads.
 * @param {Platform.Exports} own the kernels to wrap @param {Platform.Exports} c all kernels @param {Team} team
 * @param {number | undefined} minWork undefined also measures whether splitting gains @returns {Platform.Exports}
 */
function splitCalls(own, c, team, minWork) {
  const kernels = { ...own }
  for (const [name, original] of Object.entries(own)) {
    if (!SPLITS[name]) continue
    const { work, divide } = SPLITS[name], gains = new Gains()
    /** @param {number[]} args @param {number} amount */
    const runDivided = (args, amount) => {
      if (!team.isWorthSplitting(amount, minWork ?? MIN_WORK)) return false
      const { parts, kernel = name, workspace, floats } = divide(args, team.workers + 1, c, team)
      return parts.length > 1 && team.run(kernel, parts, workspace, floats)
    }
    kernels[name] = (/** @type {number[]} */ ...args) => {
      const amount = team.workers && !team.isPaused ? work(args, team) : 0, isMeasured = minWork === undefined
      if (isMeasured && amount >= MIN_WORK) gains.run(amount, () => runDivided(args, amount), () => original(...args))
      else if (isMeasured || !runDivided(args, amount)) original(...args)
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
 * @param {{ minWork?: number, reason: string | null }} options minWork: the work from which on every call is split, in
 *   multiply-adds, by default long ones where that gains; reason: why there are not more threads
 * @returns {Promise<{ exports: Platform.Exports, threads: Threads, addKernels: AddKernels }>}
 * @throws {Error} if the memory or a worker cannot be created
 */
export async function startThreads(module, node, count, { minWork, reason: fewer }) {
  if (!WebAssembly.Module.imports(/** @type {any} */ (module)).some(({ kind }) => kind === 'memory')) {
    throw new Error('wasm is not the build of the kernels for threads, glassformer.threads.wasm')
  }
  const memory = createSharedMemory(), env = { memory, emscripten_notify_memory_growth() {} }
  const { exports: own } = /** @type {any} */ (await WebAssembly.instantiate(/** @type {any} */ (module), { env }))
  own._initialize()
  const c = { ...own }, modules = [module], names = Object.keys(c).filter(name => name.startsWith('gf_'))
  const team = new Team(c, memory, names, count - 1, why => stop(why))
  let reason = fewer, isStopped = false
  /** @type {Awaited<ReturnType<typeof startWorker>>[]} */ const workers = []
  /** @param {string} why */
  const stop = why => {
    if (!isStopped) reason = why
    isStopped = true
    team.workers = 0
    workers.forEach(({ end }) => end())
  }
  const messages = Array.from({ length: count - 1 }, (_, worker) => (
    { modules, memory, mailbox: team.mailbox, names, worker, stackEnd: c.gf_alloc(STACK_BYTES) + STACK_BYTES }))
  const starts = messages.map(message => (
    startWorker(node, message, why => stop(`a worker is gone: ${why}`)).then(worker => workers.push(worker))))
  try {
    await Promise.all(starts)
  } catch (error) {
    Promise.allSettled(starts).then(() => stop(''))
    throw error
  }
  if (!isStopped) team.workers = count - 1
  /** @type {AddKernels} */
  const addKernels = async other => {
    const kernels = await instantiateKernels(other, env)
    modules.push(other)
    names.push(...Object.keys(kernels))
    Object.assign(c, kernels)
    if (!isStopped) {
      team.dismiss()
      await Promise.all(workers.map(({ restart }, i) => restart(messages[i]))).catch(({ message }) => stop(message))
    }
    if (!isStopped) team.workers = count - 1
    return splitCalls(kernels, c, team, minWork)
  }
  const exports = { ...splitCalls(c, c, team, minWork), memory }
  registry.register(exports, () => stop(''))
  const threads = {
    get count() { return team.workers + 1 },
    get reason() { return reason },
    get taken() { return team.taken },
    alone: /** @template T @param {() => T} fn */ fn => team.alone(fn),
    stop: () => stop('they were stopped')
  }
  return { exports, threads, addKernels }
}
