/** Runs cells in a worker with a time limit: a worker that takes too long is terminated, and another one started. */

import { isOutcome } from './output.js'

/** The time limit of a cell, in milliseconds. */
export const LIMIT = 10000

/**
 * A cell that could not be run, and why: 'time', 'refused' where a policy forbids it, 'broken' where no worker starts,
 * 'unshown' where the result is malformed.
 */
export class Stopped extends Error {
  /** @param {'time' | 'refused' | 'broken' | 'stopped' | 'unshown'} why @param {string} [message] */
  constructor(why, message = why) {
    super(message)
    this.why = why
  }
}

/**
 * The output of a cell: printed text, and plotted points.
 * @typedef {{ kind: 'text', text: string, numbers: number[], value?: unknown }
 *   | { kind: 'plot', points: number[][] }} Output
 * @typedef {{ name: string, message: string, line: number | null, code?: string }} CellError code: the library's
 * @typedef {{ output: Output[], error?: CellError, milliseconds?: number, report?: unknown }} Outcome report: the
 *   response to another request than a cell
 *
 * @typedef {{ resolve: (outcome: Outcome) => void, reject: (error: Error) => void,
 *   timer: ReturnType<typeof setTimeout> }} PendingCell for a cell
 */

/** The time limit for starting a worker, in milliseconds. */
const START_LIMIT = 30000

/**
 * The interface of a worker that is used here.
 * @typedef {object} CellWorker
 * @property {(message: any) => void} postMessage
 * @property {() => void} terminate
 * @property {((event: { data: any }) => void) | null} onmessage
 * @property {((event: { message: string }) => void) | null} onerror
 */

/**
 * The lifetime of a worker.
 * @typedef {{ worker: CellWorker | null, ready: Promise<void>, accept(): void,
 *   refuse(error: Stopped): void }} Session
 */

/**
 * @param {object} options
 * @param {(code: string) => CellWorker} options.start a worker for cells, of the code of `fetched`
 * @param {() => Promise<{ code: string, wasm: ArrayBuffer }>} options.fetched the worker's code, and the kernels
 * @param {number} [options.limit]
 */
export function createRunner({ start, fetched, limit = LIMIT }) {
  /** @type {Session | null} */ let session = null
  /** @type {PendingCell | null} */ let waiting = null

  /** @param {(waiting: PendingCell) => void} act */
  function finishPending(act) {
    const [pendingCell] = [waiting]
    waiting = null
    clearTimeout(pendingCell?.timer)
    if (pendingCell) act(pendingCell)
  }
  function endSession() {
    session?.worker?.terminate()
    session = null
  }
  /** Terminates the worker and rejects what waits for it. @param {Stopped['why']} why @param {string} [message] */
  function stop(why, message) {
    const error = new Stopped(why, message), refuse = session?.refuse
    endSession()
    refuse?.(error)
    finishPending(({ reject }) => reject(error))
  }
  /** @param {Session} newSession */
  async function startSession(newSession) {
    const { code, wasm } = await fetched()
    if (session !== newSession) return
    const worker = newSession.worker = start(code)
    const timer = setTimeout(() => session === newSession && stop('broken', 'no answer'), START_LIMIT)
    worker.onmessage = ({ data }) => {
      clearTimeout(timer)
      if (!data.isReady) return stop(data.isRefused ? 'refused' : 'broken', data.failure)
      worker.onmessage = ({ data: outcome }) => finishPending(({ resolve, reject }) => (
        isOutcome(outcome) ? resolve(outcome) : reject(new Stopped('unshown', ''))))
      newSession.accept()
    }
    worker.onerror = ({ message }) => {
      clearTimeout(timer)
      stop('broken', message)
    }
    worker.postMessage({ wasm })
  }
  function createSession() {
    const newSession = /** @type {Session} */ ({ worker: null })
    newSession.ready = new Promise((resolve, reject) => Object.assign(newSession, { accept: resolve, refuse: reject }))
    newSession.ready.catch(() => {})
    startSession(newSession).catch(error => session === newSession && stop('broken', error.message))
    return newSession
  }
  return {
    /** Whether the variables of earlier cells still exist. */
    get isAlive() {
      return session !== null
    },
    /**
     * @param {string | object} request the code of a cell, or another request to the worker
     * @returns {Promise<Outcome>}
     * @throws {Stopped}
     */
    async run(request) {
      const newSession = session ??= createSession()
      await newSession.ready
      return new Promise((resolve, reject) => {
        waiting = { resolve, reject, timer: setTimeout(() => stop('time'), limit) }
        newSession.worker?.postMessage(typeof request === 'string' ? { code: request } : request)
      })
    },
    stop: () => stop('stopped'),
    end: endSession
  }
}
