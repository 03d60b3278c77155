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
  worker.on('message', () => {
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

/** @param {string} reason */
const startError = reason => new Error(`a worker could not be started: ${reason}`)

/** @param {any} node @param {Events} events */
function createWorker(node, events) {
  try {
    return node ? createNodeWorker(node, events) : createPageWorker(events)
  } catch (error) {
    throw startError(/** @type {Error} */ (error).message)
  }
}

/**
 * Starts a worker.
 * @param {any} node the module worker_threads; null in browsers
 * @param {object} message the first message to it
 * @param {(reason: string) => void} onLost called if it ends after it has started
 * @returns {Promise<{ end: () => void, restart: (message: object) => Promise<void> }>} end: ends it; restart: gives it
 *   other kernels, after it has left its mailbox
 */
export async function startWorker(node, message, onLost) {
  let onReady = () => {}, onGone = onLost
  /** @type {Events} */
  const events = { onReady: () => onReady(), onGone: reason => onGone(reason) }
  const { send, end } = createWorker(node, events)
  /** @param {object} next */
  const start = next => new Promise((/** @type {(nothing: void) => void} */ resolve, reject) => {
    /** @param {string} reason */
    const fail = reason => {
      clearTimeout(timer)
      end()
      reject(startError(reason))
    }
    const timer = setTimeout(() => fail('it does not respond'), START_TIMEOUT_MS)
    onGone = fail
    onReady = () => {
      clearTimeout(timer)
      onGone = onLost
      resolve()
    }
    try {
      send(next)
    } catch (error) {
      fail(/** @type {Error} */ (error).message)
    }
  })
  await start(message)
  return { end, restart: start }
}
