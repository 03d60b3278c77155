/** The engine that all figures of a page share: one worker, started with the first figure. */

import { startWorker } from '../lib/fetch_on_demand.js'
import { addressOf, locateFirstKernels, locateMoreKernels } from '../lib/resources.js'
import { startEngine } from '../shell/start_engine.js'

/** @import { Session } from '../shell/engine.js' */
/** @import { Problem } from '../types.d.ts' */

/** The name of the worker's script. */
const WORKER = 'elements-worker'

/** @type {ReturnType<typeof startEngine> | undefined} */ let starting
let serial = 0

/** A session of the shared engine, or why there is none. @returns {Promise<Session | { problem: Problem }>} */
export async function openSession() {
  starting ??= startEngine([], Promise.resolve(), () => startWorker(WORKER))
  const started = await starting
  if ('engine' in started) return started.engine.session(`figure-${++serial}`)
  starting = undefined
  return started
}

/**
 * A worker for one training: with the script and the kernels of figures, which the browser may have already. Of those
 * for text, it calls only those of byte-pair encoding.
 */
export const placeTraining = () => ({
  worker: startWorker(WORKER, 'training'), hasDetails: false,
  kernels: { wasm: locateFirstKernels(), ...locateMoreKernels(), text: addressOf('glassformer.bpe.wasm') }
})
