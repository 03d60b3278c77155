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
 * @typedef {{ name: string, message: string, line: number | null }} CellError
 * @typedef {{ output: Output[], error?: CellError, milliseconds?: number }} Outcome
 *
 * @typedef {{ resolve: (outcome: Outcome) => void, reject: (error: Error) => void,
 *   timer: ReturnType<typeof setTimeout> }} Waiting for a cell
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
export function runner({ start, fetched, limit = LIMIT }) {
  /** @type {Session | null} */ let session = null
  /** @type {Waiting | null} */ let waiting = null

  /** @param {(waiting: Waiting) => void} act */
  function settle(act) {
    const [waited] = [waiting]
    waiting = null
    clearTimeout(waited?.timer)
    if (waited) act(waited)
  }
  function end() {
    session?.worker?.terminate()
    session = null
  }
  /** Terminates the worker and rejects what waits for it. @param {Stopped['why']} why @param {string} [message] */
  function stop(why, message) {
    const error = new Stopped(why, message), refuse = session?.refuse
    end()
    refuse?.(error)
    settle(({ reject }) => reject(error))
  }
  /** @param {Session} own */
  async function begin(own) {
    const { code, wasm } = await fetched()
    if (session !== own) return
    const worker = own.worker = start(code)
    const timer = setTimeout(() => session === own && stop('broken', 'no answer'), START_LIMIT)
    worker.onmessage = ({ data }) => {
      clearTimeout(timer)
      if (!data.isReady) return stop(data.isRefused ? 'refused' : 'broken', data.failure)
      worker.onmessage = ({ data: outcome }) => settle(({ resolve, reject }) => (
        isOutcome(outcome) ? resolve(outcome) : reject(new Stopped('unshown', ''))))
      own.accept()
    }
    worker.onerror = ({ message }) => {
      clearTimeout(timer)
      stop('broken', message)
    }
    worker.postMessage({ wasm })
  }
  function createSession() {
    const own = /** @type {Session} */ ({ worker: null })
    own.ready = new Promise((resolve, reject) => Object.assign(own, { accept: resolve, refuse: reject }))
    own.ready.catch(() => {})
    begin(own).catch(error => session === own && stop('broken', error.message))
    return own
  }
  return {
    /** Whether the variables of earlier cells still exist. */
    get isAlive() {
      return session !== null
    },
    /**
     * @param {string} code
     * @returns {Promise<Outcome>}
     * @throws {Stopped}
     */
    async run(code) {
      const own = session ??= createSession()
      await own.ready
      return new Promise((resolve, reject) => {
        waiting = { resolve, reject, timer: setTimeout(() => stop('time'), limit) }
        own.worker?.postMessage({ code })
      })
    },
    stop: () => stop('stopped'),
    end
  }
}
