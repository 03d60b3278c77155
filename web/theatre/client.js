/** The page's side of the training worker: calls that return promises, and reports. */

import { locateKernels } from '../lib/resources.js'
import { startWorker } from '../lib/fetch_on_demand.js'
import { createCalls } from '../lib/rpc.js'

/** @import { News } from '../../src/training/training_record.js' */

/**
 * @param {{ onSeen(news: News & { serial: number }): void, onError(error: Error): void }} handlers
 * @param {string} name of the worker's script
 */
export function createClient({ onSeen: onReport, onError }, name) {
  const worker = startWorker(name)
  const { call } = createCalls(worker, { onMessage: ({ event, ...news }) => event && onReport(news), onError })
  return {
    ask: call,
    open: (/** @type {object} */ details) => call('open', { wasm: locateKernels(), ...details }),
    end: () => worker.terminate()
  }
}
