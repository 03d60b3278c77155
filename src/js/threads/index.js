import { SPLITS } from './splits.js'
import { Team } from './team.js'
import { startWorker } from './workers.js'

/** @import * as Platform from '../platform.d.ts' */

/** Pages of memory at the beginning, as build.sh has them, and at most: the first that is to be had. */
const FIRST_PAGES = 256, MOST_PAGES = [65536, 32768, 16384]
const STACK_BYTES = 65536
/** Multiply-adds that take much longer than asking a worker that is awake does: 80 and 3 microseconds. */
const LEAST_WORK = 2_000_000

/**
 * What `gf.threads` says.
 * @typedef {object} Threads
 * @property {number} count how many compute, with the calling one
 * @property {string | null} reason why not as many as were asked for
 * @property {number} taken how many parts of calls the others have done
 * @property {<T>(fn: () => T) => T} alone runs fn in the calling thread alone, to compare
 * @property {() => void} stop ends the others; the calling one goes on alone
 */

/** A memory that workers can share. @returns {WebAssembly.Memory} */
function sharedMemory() {
  let reason
  for (const maximum of MOST_PAGES) {
    try {
      return new WebAssembly.Memory({ initial: FIRST_PAGES, maximum, shared: true })
    } catch (error) {
      reason = error
    }
  }
  throw reason
}

/**
 * The kernels, of which long calls are divided.
 * @param {Platform.Exports} c @param {Team} team @param {number} leastWork @returns {Platform.Exports}
 */
function divided(c, team, leastWork) {
  const all = { ...c }
  for (const [name, { work, divide }] of Object.entries(SPLITS)) {
    const alone = c[name]
    all[name] = (/** @type {number[]} */ ...args) => {
      if (team.isWorth(work(args, team), leastWork)) {
        const { parts, kernel = name, room, floats } = divide(args, team.others + 1, c, team)
        if (parts.length > 1 && team.run(kernel, parts, room, floats)) return
      }
      alone(...args)
    }
  }
  return all
}

/** Who forgets an engine has no workers left. */
const forgotten = new FinalizationRegistry((/** @type {() => void} */ stop) => stop())

/**
 * Kernels whose long calls several threads do together.
 * @param {Platform.WasmModule} module the kernels as they are built for this
 * @param {any} node see startWorker
 * @param {number} count threads, with the calling one
 * @param {{ leastWork?: number, reason: string | null }} options leastWork: multiply-adds of a call, or what takes as
 *   long, from which on it is divided; reason: why they are not more
 * @returns {Promise<{ exports: Platform.Exports, threads: Threads }>}
 * @throws {Error} that says why not
 */
export async function startThreads(module, node, count, { leastWork = LEAST_WORK, reason: fewer }) {
  if (!WebAssembly.Module.imports(/** @type {any} */ (module)).some(({ kind }) => kind === 'memory')) {
    throw new Error('what is given are not the kernels for threads, glassformer.threads.wasm')
  }
  const memory = sharedMemory(), env = { memory, emscripten_notify_memory_growth() {} }
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
    team.others = 0
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
  if (!isStopped) team.others = count - 1
  const exports = { ...divided(c, team, leastWork), memory }
  forgotten.register(exports, () => stop(''))
  const threads = {
    get count() { return team.others + 1 },
    get reason() { return reason },
    get taken() { return team.taken },
    alone: /** @template T @param {() => T} fn */ fn => team.alone(fn),
    stop: () => stop('they were stopped')
  }
  return { exports, threads }
}
