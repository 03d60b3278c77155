/** The engine's first worker, which loads while the scripts of the page are still arriving. */

import { startWorker } from '../lib/fetch_on_demand.js'

const NAME = 'worker'
/** @type {Worker | null} */ let preloaded = null
let isTaken = false

/** A worker that fails before it is taken is forgotten: the page starts another one, which reports the failure. */
export function preloadWorker() {
  if (isTaken || typeof Worker !== 'function') return
  const worker = startWorker(NAME)
  worker.addEventListener('error', event => {
    if (preloaded !== worker) return
    event.preventDefault()
    preloaded = null
  })
  preloaded = worker
}

/** The preloaded worker, once; otherwise a new one. */
export function takeWorker() {
  const worker = preloaded ?? startWorker(NAME)
  preloaded = null
  isTaken = true
  return worker
}
