/** The page's side of the worker: calls that return promises. */

/** @import { Ask, Failure, Progress, RunMessage, Settings } from '../types.d.ts' */

/** @typedef {string | ArrayBuffer} Address where a file is, or its bytes */
/** @typedef {ReturnType<typeof createEngine>} Engine */

/**
 * A pending call, and where to report its progress.
 * @typedef {{ resolve(result: any): void, reject(error: Error): void, tell?: (progress: any) => void }} Asked
 */

/**
 * Seconds that a worker may take for an answer: in general, and while a newer run waits. Large models take long on
 * slow machines.
 */
export const TIMEOUTS = { silent: 120, hurried: 15 }

/**
 * A worker that does not answer in time is terminated and a new one started with the same files; pending calls fail
 * with the code `hung`.
 * @param {() => Worker} spawn @param {number} [second] in milliseconds
 */
export function createEngine(spawn, second = 1000) {
  /** @type {Map<number, Asked>} */ const waiting = new Map()
  let serial = 0
  /** A worker that failed to start is reported at the first call. @type {Error | null} */ let lost = null
  /** The files of the page, and the imported model. @type {Record<'load' | 'open', object | null>} */
  const restorable = { load: null, open: null }
  /** Seconds are counted rather than measured, since a machine may have slept. */
  let silence = 0, isHurried = false
  /** @type {ReturnType<typeof setInterval> | undefined} */ let clock
  let worker = begin()
  /** Calls wait until a new worker has received its files. @type {Promise<void> | null} */ let restored = null

  function begin() {
    const own = spawn()
    own.onmessage = ({ data: { id, result, error, progress } }) => {
      silence = 0
      const pending = waiting.get(id)
      if (progress) return pending?.tell?.(progress)
      waiting.delete(id)
      if (waiting.size === 0) rest()
      if (error) pending?.reject(Object.assign(new Error(error.message), { code: error.code }))
      else pending?.resolve(result)
    }
    own.onerror = event => {
      const reason = new Error(event.message || 'worker')
      // The first call reports it.
      if (serial <= 1) event.preventDefault()
      if (serial === 0) lost = reason
      refuse(reason)
    }
    return own
  }
  function rest() {
    clearInterval(clock)
    clock = undefined
    silence = 0
    isHurried = false
  }
  /** @param {Error} reason */
  function refuse(reason) {
    const all = [...waiting.values()]
    waiting.clear()
    rest()
    for (const { reject } of all) reject(reason)
  }
  function tick() {
    silence += 1
    if (silence < (isHurried ? TIMEOUTS.hurried : TIMEOUTS.silent)) return
    worker.terminate()
    worker = begin()
    refuse(Object.assign(new Error('no answer'), { code: 'hung' }))
    restored = restore().catch(() => {})
  }
  /** Gives a new worker what the previous one had; a model that makes it hang as well is not sent again. */
  async function restore() {
    const { load, open } = restorable
    restorable.open = null
    if (load) await call('load', load)
    if (open) await call('open', open)
    restorable.open = open
  }
  /**
   * @param {string} type @param {object} details @param {(progress: any) => void} [report] how far the answer is
   * @returns {Promise<any>}
   */
  const call = (type, details, report) => lost ? Promise.reject(lost) : new Promise((resolve, reject) => {
    serial += 1
    clock ??= setInterval(tick, second)
    waiting.set(serial, { resolve, reject, tell: report })
    worker.postMessage({ id: serial, type, ...details })
  })
  /** @type {typeof call} */
  const ask = async (...question) => {
    for (let awaited = restored; awaited; awaited = restored) {
      await awaited
      if (awaited === restored) restored = null
    }
    return call(...question)
  }
  return {
    /** @param {{ wasm: Address, files: Record<string, Address>, first: Record<string, Address> }} files */
    load(files) {
      restorable.load = files
      return call('load', files)
    },
    /**
     * Computes a run; a structure with a known signature is not sent again.
     * @param {Settings} settings @param {string} [signature] @param {(progress: Progress) => void} [report]
     * @returns {Promise<RunMessage>}
     */
    run: (settings, signature, report) => ask('run', { settings, signature }, report),
    /** A newer run waits, so the current one gets less time. */
    hurry() {
      isHurried = clock !== undefined
      silence = 0
    },
    /** Sends a query to the worker. @type {Ask} */
    ask: async (type, details, report) => {
      const result = await ask(type, details, report)
      if (type === 'open') restorable.open = details
      return result
    }
  }
}

/**
 * Runs one call at a time; when calls come faster than results, only the newest pending one is kept.
 * @template A, R
 * @param {(argument: A) => Promise<R>} run
 * @param {(result: R, argument: A) => void} onResult
 * @param {(error: Failure, argument: A) => void} onError
 * @param {() => void} [onWait] called when a newer call waits for the current one
 * @returns {(argument: A) => void}
 */
export function latest(run, onResult, onError, onWait = () => {}) {
  let busy = false
  /** @type {{ argument: A } | null} */ let next = null
  /** @param {A} argument */
  async function start(argument) {
    busy = true
    await run(argument).then(result => onResult(result, argument), error => onError(error, argument))
      .catch(error => onError(error, argument))
    busy = false
    if (!next) return
    const { argument: waiting } = next
    next = null
    start(waiting)
  }
  return argument => {
    if (!busy) {
      start(argument)
      return
    }
    next = { argument }
    onWait()
  }
}
