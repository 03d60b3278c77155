import { WORKER } from './mailbox.js'

/** How long a worker may take to start. */
const START_TIMEOUT_MS = 10_000

/**
 * @typedef {object} WorkerHandle
 * @property {(message: object) => void} send
 * @property {() => void} end
 *
 * @typedef {object} Events
 * @property {() => void} onReady
 * @property {(reason: string) => void} onGone
 */

/** @param {any} node its module worker_threads @param {Events} events @returns {WorkerHandle} */
function createNodeWorker({ Worker }, { onReady, onGone }) {
  const worker = new Worker(WORKER, { eval: true, execArgv: [] })
  worker.once('message', () => {
    worker.unref() // it does not keep the process alive
    onReady()
  })
  worker.once('error', (/** @type {Error} */ { message }) => onGone(message))
  worker.once('exit', () => onGone('it has ended'))
  return { send: message => worker.postMessage(message), end: () => worker.terminate() }
}

/** @param {Events} events @returns {WorkerHandle} */
function createPageWorker({ onReady, onGone }) {
  const { URL, Blob, Worker } = /** @type {any} */ (globalThis)
  const url = URL.createObjectURL(new Blob([WORKER], { type: 'text/javascript' })), worker = new Worker(url)
  worker.onmessage = () => {
    URL.revokeObjectURL(url)
    onReady()
  }
  worker.onerror = (/** @type {{ message?: string }} */ { message }) => (
    onGone(message || "the page's Content-Security-Policy needs worker-src blob:"))
  return { send: message => worker.postMessage(message), end: () => worker.terminate() }
}

/**
 * Starts a worker.
 * @param {any} node the module worker_threads; null in browsers
 * @param {object} message the first message to it
 * @param {(reason: string) => void} onLost called if it ends after it has started
 * @returns {Promise<() => void>} a function that ends it
 */
export const startWorker = (node, message, onLost) => new Promise((resolve, reject) => {
  /** @type {WorkerHandle | undefined} */ let worker
  /** @param {string} reason */
  const fail = reason => {
    clearTimeout(timer)
    worker?.end()
    reject(new Error(`a worker could not be started: ${reason}`))
  }
  let onGone = fail
  const timer = setTimeout(() => fail('it does not respond'), START_TIMEOUT_MS)
  const events = {
    onReady() {
      clearTimeout(timer)
      onGone = onLost
      resolve(/** @type {WorkerHandle} */ (worker).end)
    },
    onGone: (/** @type {string} */ reason) => onGone(reason)
  }
  try {
    worker = node ? createNodeWorker(node, events) : createPageWorker(events)
    worker.send(message)
  } catch (error) {
    fail(/** @type {Error} */ (error).message)
  }
})
