/** The page's side of the training worker: calls that return promises, and reports. */

import { locateKernels } from '../lib/resources.js'
import { startWorker } from '../lib/fetch_on_demand.js'

/** @import { News } from '../../src/training/training_record.js' */

/** @typedef {{ resolve: (result: any) => void, reject: (error: Error) => void }} PendingCall */

/** @param {{ onSeen(news: News & { serial: number }): void, onError(error: Error): void }} handlers */
export function createClient({ onSeen: onReport, onError }) {
  const worker = startWorker('theatre')
  /** @type {Map<number, PendingCall>} */
  const pendingById = new Map()
  let serial = 0
  worker.onmessage = ({ data: { id, event, result, error, ...news } }) => {
    if (event) return onReport(news)
    const { resolve, reject } = /** @type {PendingCall} */ (pendingById.get(id))
    pendingById.delete(id)
    if (error) reject(Object.assign(new Error(error.message), { code: error.code }))
    else resolve(result)
  }
  worker.onerror = event => onError(new Error(event.message || 'theatre'))
  /** @param {string} type @param {object} [details] @returns {Promise<any>} */
  const request = (type, details) => new Promise((resolve, reject) => {
    serial += 1
    pendingById.set(serial, { resolve, reject })
    worker.postMessage({ id: serial, type, ...details })
  })
  return {
    ask: request,
    open: (/** @type {object} */ details) => request('open', { wasm: locateKernels(), ...details }),
    end: () => worker.terminate()
  }
}
