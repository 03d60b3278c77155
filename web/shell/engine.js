/** The page's side of the worker: calls that answer with promises. */

/**
 * @param {Worker} worker
 */
export function createEngine(worker) {
  const waiting = new Map()
  let serial = 0
  worker.onmessage = ({ data: { id, result, error } }) => {
    const { resolve, reject } = waiting.get(id)
    waiting.delete(id)
    if (error) reject(Object.assign(new Error(error.message), { code: error.code }))
    else resolve(result)
  }
  worker.onerror = event => {
    for (const { reject } of waiting.values()) reject(new Error(event.message || 'worker'))
    waiting.clear()
  }
  const call = (type, details) => new Promise((resolve, reject) => {
    serial += 1
    waiting.set(serial, { resolve, reject })
    worker.postMessage({ id: serial, type, ...details })
  })
  return {
    /** @param {{ wasm: string | ArrayBuffer, files: Record<string, string | ArrayBuffer> }} files addresses or bytes */
    load: files => call('load', files),
    /** A run; of the structure that is known by its signature nothing is sent again. */
    run: (settings, signature) => call('run', { settings, signature }),
    /** One of the worker's questions. */
    ask: call
  }
}

/**
 * Runs one call at a time and, when calls come faster than answers, only the newest of those that wait.
 * @template A, R
 * @param {(argument: A) => Promise<R>} run
 * @param {(result: R, argument: A) => void} onResult
 * @param {(error: Error, argument: A) => void} onError
 */
export function latest(run, onResult, onError) {
  let busy = false
  let next = null
  async function start(argument) {
    busy = true
    await run(argument).then(result => onResult(result, argument), error => onError(error, argument))
      .catch(error => onError(error, argument))
    busy = false
    if (!next) return
    const { argument: waiting } = next
    next = null
    start(waiting)
  }
  return argument => {
    if (busy) next = { argument }
    else start(argument)
  }
}
