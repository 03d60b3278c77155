/** Calls to a worker that return promises, and the worker's answers to them. */

import { isFailedImport } from './lazy_import.js'

/** @import { Failure } from '../types.d.ts' */

/**
 * A pending call, and where to report its progress.
 * @typedef {{ resolve(result: any): void, reject(error: Error): void, report?: (progress: any) => void }} PendingCall
 */

/**
 * The page's side. A worker that fails rejects all pending calls.
 * @param {Worker} worker
 * @param {{ onMessage?: (data: any) => void, onError?: (error: Error, event: ErrorEvent) => void }} [handlers]
 *   onMessage: hears of every message after the calls have been settled
 */
export function createCalls(worker, { onMessage = () => {}, onError = () => {} } = {}) {
  /** @type {Map<number, PendingCall>} */ const pendingById = new Map()
  let serial = 0
  /** @param {{ id: number, result?: any, error?: { code?: string, message: string } }} answer */
  function settle({ id, result, error }) {
    const pendingCall = pendingById.get(id)
    pendingById.delete(id)
    if (error) pendingCall?.reject(Object.assign(new Error(error.message), { code: error.code }))
    else pendingCall?.resolve(result)
  }
  /** @param {Error} reason */
  function rejectAll(reason) {
    const pendingCalls = [...pendingById.values()]
    pendingById.clear()
    for (const { reject } of pendingCalls) reject(reason)
  }
  worker.onmessage = ({ data }) => {
    if (data.progress) pendingById.get(data.id)?.report?.(data.progress)
    else if (data.id !== undefined) settle(data)
    onMessage(data)
  }
  worker.onerror = event => {
    const reason = new Error(event.message || 'worker')
    onError(reason, event)
    rejectAll(reason)
  }
  return {
    /** The number of calls so far, and of those without an answer. */
    get count() {
      return serial
    },
    get pending() {
      return pendingById.size
    },
    /**
     * @param {string} type @param {object} [details] @param {(progress: any) => void} [report] how far the answer is
     * @returns {Promise<any>}
     */
    call: (type, details, report) => new Promise((resolve, reject) => {
      serial += 1
      pendingById.set(serial, { resolve, reject, report })
      worker.postMessage({ id: serial, type, ...details })
    }),
    rejectAll
  }
}

/**
 * Answers a call in the worker: with its result, or with the message and code of its error.
 * @param {(type: string, details: any, report: (progress: object) => void) => unknown} handle
 * @param {{ id: number, type: string, [detail: string]: unknown }} call
 * @param {(type: string, result: any) => Transferable[]} [transferList] the parts of a result that move instead of
 *   being copied
 */
export async function answerCall(handle, { id, type, ...details }, transferList = () => []) {
  try {
    const result = await handle(type, details, progress => postMessage({ id, progress }))
    postMessage({ id, result }, { transfer: transferList(type, result) })
  } catch (problem) {
    const { code, message } = /** @type {Failure} */ (problem)
    postMessage({ id, error: { code: isFailedImport(problem) ? 'network' : code, message } })
  }
}
