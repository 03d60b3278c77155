/** The engine's first worker, which loads while the scripts of the page are still arriving. */

import { startWorker } from '../lib/fetch_on_demand.js'

const NAME = 'worker'
/** @type {Worker | null} */ let begun = null
let isTaken = false

/** A worker that fails before it is taken is forgotten: the page starts another one, which reports the failure. */
export function beginWorker() {
  if (isTaken || typeof Worker !== 'function') return
  const worker = startWorker(NAME)
  worker.addEventListener('error', event => {
    if (begun !== worker) return
    event.preventDefault()
    begun = null
  })
  begun = worker
}

/** The worker that has begun to load, once; otherwise a new one. */
export function takeWorker() {
  const worker = begun ?? startWorker(NAME)
  begun = null
  isTaken = true
  return worker
}
