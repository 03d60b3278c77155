/** The page's side of the training worker: calls that return promises, and reports. */

import { locateResources } from '../shell/resources.js'
import { startWorker } from '../shell/fetch_on_demand.js'

/** @import { News } from './training_record.js' */

/** @typedef {{ resolve: (result: any) => void, reject: (error: Error) => void }} Waiting */

/** @param {{ onSeen(news: News & { serial: number }): void, onError(error: Error): void }} handlers */
export function createClient({ onSeen, onError }) {
  const worker = startWorker('theatre')
  /** @type {Map<number, Waiting>} */
  const waiting = new Map()
  let serial = 0
  worker.onmessage = ({ data: { id, event, result, error, ...news } }) => {
    if (event) return onSeen(news)
    const { resolve, reject } = /** @type {Waiting} */ (waiting.get(id))
    waiting.delete(id)
    if (error) reject(Object.assign(new Error(error.message), { code: error.code }))
    else resolve(result)
  }
  worker.onerror = event => onError(new Error(event.message || 'theatre'))
  /** @param {string} type @param {object} [details] @returns {Promise<any>} */
  const ask = (type, details) => new Promise((resolve, reject) => {
    serial += 1
    waiting.set(serial, { resolve, reject })
    worker.postMessage({ id: serial, type, ...details })
  })
  return {
    ask,
    open: (/** @type {object} */ details) => ask('open', { wasm: locateResources().wasm, ...details }),
    end: () => worker.terminate()
  }
}
