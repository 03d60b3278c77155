/** The page's side of the worker: calls that return promises. */

import { createCalls } from '../lib/rpc.js'

/** @import { RunQuery, Failure, Progress, RunMessage, Settings } from '../types.d.ts' */

/** @typedef {string | ArrayBuffer} Address where a file is, or its bytes */
/** @typedef {ReturnType<typeof createEngine>} Engine */
/** @typedef {ReturnType<Engine['session']>} Session */

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
  /** A worker that failed to start is reported at the first call. @type {Error | null} */ let startError = null
  /** The files of the page, and the imported model. @type {Record<'load' | 'open', object | null>} */
  const filesToRestore = { load: null, open: null }
  /** Seconds are counted rather than measured, since a machine may have slept. */
  let silentSeconds = 0, isHurried = false
  /** @type {ReturnType<typeof setInterval> | undefined} */ let timer
  let { worker, calls } = startWorker()
  /** Calls wait until a new worker has received its files. @type {Promise<void> | null} */ let restoring = null

  function startWorker() {
    const newWorker = spawn(), newCalls = createCalls(newWorker, {
      onMessage() {
        silentSeconds = 0
        if (newCalls.pending === 0) stopTimer()
      },
      onError(reason, event) {
        // The first call reports it.
        if (newCalls.count <= 1) event.preventDefault()
        if (newCalls.count === 0) startError = reason
        stopTimer()
      }
    })
    return { worker: newWorker, calls: newCalls }
  }
  function stopTimer() {
    clearInterval(timer)
    timer = undefined
    silentSeconds = 0
    isHurried = false
  }
  function tick() {
    silentSeconds += 1
    if (silentSeconds < (isHurried ? TIMEOUTS.hurried : TIMEOUTS.silent)) return
    const hungCalls = calls
    worker.terminate();
    ({ worker, calls } = startWorker())
    stopTimer()
    hungCalls.rejectAll(Object.assign(new Error('no answer'), { code: 'hung' }))
    restoring = restore().catch(() => {})
  }
  /** Gives a new worker what the previous one had; a model that makes it hang as well is not sent again. */
  async function restore() {
    const { load, open } = filesToRestore
    filesToRestore.open = null
    if (load) await call('load', load)
    if (open) await call('open', open)
    filesToRestore.open = open
  }
  /**
   * @param {string} type @param {object} details @param {(progress: any) => void} [report] how far the answer is
   * @returns {Promise<any>}
   */
  function call(type, details, report) {
    if (startError) return Promise.reject(startError)
    timer ??= setInterval(tick, second)
    return calls.call(type, details, report)
  }
  /** @type {typeof call} */
  const request = async (...callArguments) => {
    for (let currentRestore = restoring; currentRestore; currentRestore = restoring) {
      await currentRestore
      if (currentRestore === restoring) restoring = null
    }
    return call(...callArguments)
  }
  /**
   * Computes a run; a structure with a known signature is not sent again.
   * @param {Settings} settings @param {string} [signature] @param {(progress: Progress) => void} [report]
   * @param {string} [session] @returns {Promise<RunMessage>}
   */
  const run = (settings, signature, report, session) => request('run', { settings, signature, session }, report)
  /** Sends a query to the worker. @type {RunQuery} */
  const ask = async (type, details, report) => {
    const result = await request(type, details, report)
    if (type === 'open') filesToRestore.open = details
    return result
  }
  return {
    run, ask,
    /**
     * Runs and queries of one of several figures, which share the worker.
     * @param {string} id that no other session has had
     */
    session: id => ({
      /** @param {Settings} settings @param {string} [signature] */
      run: (settings, signature) => run(settings, signature, undefined, id),
      ask: /** @type {RunQuery} */ ((type, details, report) => ask(type, { ...details, session: id }, report)),
      /** Frees the runs. */
      drop: () => request('drop', { session: id })
    }),
    /**
     * @param {{ kernels: import('../worker/engines.js').Kernels, files: Record<string, Address>,
     *   first: Record<string, Address> }} files
     */
    load(files) {
      filesToRestore.load = files
      return call('load', files)
    },
    /** A newer run waits, so the current one gets less time. */
    hurry() {
      isHurried = timer !== undefined
      silentSeconds = 0
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
export function runLatest(run, onResult, onError, onWait = () => {}) {
  let isBusy = false
  /** @type {{ argument: A } | null} */ let nextCall = null
  /** @param {A} argument */
  async function start(argument) {
    isBusy = true
    await run(argument).then(result => onResult(result, argument), error => onError(error, argument))
      .catch(error => onError(error, argument))
    isBusy = false
    if (!nextCall) return
    const { argument: pendingArgument } = nextCall
    nextCall = null
    start(pendingArgument)
  }
  return argument => {
    if (!isBusy) {
      start(argument)
      return
    }
    nextCall = { argument }
    onWait()
  }
}
