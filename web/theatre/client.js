/** The page's side of the training worker: calls that return promises, and reports. */

import { createCalls } from '../lib/rpc.js'

/** @import { News } from '../../src/training/training_record.js' */

/**
 * Where trainings run, and whether they report what only the training page displays.
 * @typedef {{ worker: Worker, kernels: Partial<import('../worker/engines.js').Kernels>, hasDetails?: boolean }} Place
 */

/**
 * @param {{ onSeen(news: News & { serial: number }): void, onError(error: Error): void }} handlers
 * @param {Place} place
 */
export function createClient({ onSeen: onReport, onError }, { worker, ...place }) {
  const { call } = createCalls(worker, { onMessage: ({ event, ...news }) => event && onReport(news), onError })
  return {
    ask: call,
    open: (/** @type {object} */ details) => call('open', { ...place, ...details }),
    end: () => worker.terminate()
  }
}
