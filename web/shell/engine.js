/** The page's side of the worker: calls that answer with promises. */

/** @import { Ask, Failure, Progress, RunMessage, Settings } from '../types.d.ts' */

/** @typedef {string | ArrayBuffer} Address where a file is, or its bytes */
/** @typedef {ReturnType<typeof createEngine>} Engine */

/**
 * A call that waits for its answer, and may be told how far that is.
 * @typedef {{ resolve(result: any): void, reject(error: Error): void, tell?: (progress: any) => void }} Asked
 */

/** @param {Worker} worker */
export function createEngine(worker) {
  /** @type {Map<number, Asked>} */ const waiting = new Map()
  let serial = 0
  /** A worker that never came may be missed before anything is asked. @type {Error | null} */ let lost = null
  worker.onmessage = ({ data: { id, result, error, progress } }) => {
    const asked = waiting.get(id)
    if (progress) return asked?.tell?.(progress)
    waiting.delete(id)
    if (error) asked?.reject(Object.assign(new Error(error.message), { code: error.code }))
    else asked?.resolve(result)
  }
  worker.onerror = event => {
    const reason = new Error(event.message || 'worker')
    // Whoever asks first is told.
    if (serial <= 1) event.preventDefault()
    if (serial === 0) lost = reason
    for (const { reject } of waiting.values()) reject(reason)
    waiting.clear()
  }
  /**
   * @param {string} type @param {object} details @param {(progress: any) => void} [tell] how far the answer is
   * @returns {Promise<any>}
   */
  const call = (type, details, tell) => lost ? Promise.reject(lost) : new Promise((resolve, reject) => {
    serial += 1
    waiting.set(serial, { resolve, reject, tell })
    worker.postMessage({ id: serial, type, ...details })
  })
  return {
    /** @param {{ wasm: Address, files: Record<string, Address>, first: Record<string, Address> }} files */
    load: files => call('load', files),
    /**
     * A run; of the structure that is known by its signature nothing is sent again.
     * @param {Settings} settings @param {string} [signature] @param {(progress: Progress) => void} [tell]
     * @returns {Promise<RunMessage>}
     */
    run: (settings, signature, tell) => call('run', { settings, signature }, tell),
    /** One of the worker's questions. @type {Ask} */
    ask: call
  }
}

/**
 * Runs one call at a time and, when calls come faster than answers, only the newest of those that wait.
 * @template A, R
 * @param {(argument: A) => Promise<R>} run
 * @param {(result: R, argument: A) => void} onResult
 * @param {(error: Failure, argument: A) => void} onError
 * @param {() => void} [onWait] a newer one waits for the one that runs
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
