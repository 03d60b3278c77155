/** Data and workers that are loaded on demand: a file beside the page, or data inside a single-file page. */

/** @type {Map<string, Promise<any>>} */ const cache = new Map()

/** @param {string} name */
async function fetchOrRead(name) {
  const element = document.getElementById(name)
  if (element) return JSON.parse(element.textContent ?? '')
  const response = await fetch(`${name}.json`)
  if (!response.ok) throw new Error(`${name}.json: ${response.status}`)
  return response.json()
}

/** A JSON file of the page, fetched once. @param {string} name */
export function fetchJson(name) {
  const file = cache.get(name) ?? fetchOrRead(name)
  cache.set(name, file)
  return file
}

/**
 * Starts a worker of the page. A worker started from a URL gets the policy of its own response, which on a static host
 * is none; one started from a blob inherits the policy of the page, on every host. The single-file page contains each
 * worker as one script; opened from disk, browsers run no module in a worker.
 * @param {string} name
 */
export function startWorker(name) {
  const element = document.getElementById(name)
  const code = element?.textContent ?? `import ${JSON.stringify(new URL(`${name}.js`, location.href).href)}`
  const address = URL.createObjectURL(new Blob([code], { type: 'text/javascript' }))
  const worker = new Worker(address, { type: element ? 'classic' : 'module' })
  URL.revokeObjectURL(address)
  return worker
}
