import { WORKER } from './mailbox.js'

/** How long workers may take to begin. */
const PATIENCE_MS = 10_000

/**
 * @typedef {object} Started
 * @property {(message: object) => void} tell
 * @property {() => void} end
 *
 * @typedef {object} Events
 * @property {() => void} ready
 * @property {(why: string) => void} gone
 */

/** @param {any} node its module worker_threads @param {Events} events @returns {Started} */
function inNode({ Worker }, { ready, gone }) {
  const worker = new Worker(WORKER, { eval: true, execArgv: [] })
  worker.once('message', () => {
    worker.unref() // nobody waits for it when all else is done
    ready()
  })
  worker.once('error', (/** @type {Error} */ { message }) => gone(message))
  worker.once('exit', () => gone('it has ended'))
  return { tell: message => worker.postMessage(message), end: () => worker.terminate() }
}

/** @param {Events} events @returns {Started} */
function inPage({ ready, gone }) {
  const { URL, Blob, Worker } = /** @type {any} */ (globalThis)
  const url = URL.createObjectURL(new Blob([WORKER], { type: 'text/javascript' })), worker = new Worker(url)
  worker.onmessage = () => {
    URL.revokeObjectURL(url)
    ready()
  }
  worker.onerror = (/** @type {{ message?: string }} */ { message }) => (
    gone(message || "the page's Content-Security-Policy needs worker-src blob:"))
  return { tell: message => worker.postMessage(message), end: () => worker.terminate() }
}

/**
 * A worker that has begun.
 * @param {any} node the module worker_threads, where there are no workers of a browser's kind
 * @param {object} message what it begins with
 * @param {(why: string) => void} lost called when it is gone later
 * @returns {Promise<() => void>} ends it
 */
export const startWorker = (node, message, lost) => new Promise((resolve, reject) => {
  /** @type {Started | undefined} */ let worker
  /** @param {string} why */
  const fail = why => {
    clearTimeout(timer)
    worker?.end()
    reject(new Error(`a worker could not be started: ${why}`))
  }
  let gone = fail
  const timer = setTimeout(() => fail('it does not answer'), PATIENCE_MS)
  const events = {
    ready() {
      clearTimeout(timer)
      gone = lost
      resolve(/** @type {Started} */ (worker).end)
    },
    gone: (/** @type {string} */ why) => gone(why)
  }
  try {
    worker = node ? inNode(node, events) : inPage(events)
    worker.tell(message)
  } catch (error) {
    fail(/** @type {Error} */ (error).message)
  }
})
