/** Data and workers that are loaded on demand: a file of the page, or data inside a single-file page. */

import { addressOf, inlineText, isOwnPage } from './resources.js'

/** @type {Map<string, Promise<any>>} */ const cache = new Map()

/** @param {string} name */
async function fetchOrRead(name) {
  const text = inlineText(name)
  if (text !== null) return JSON.parse(text)
  const response = await fetch(addressOf(`${name}.json`))
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
 * worker as one script; opened from disk, browsers run no module in a worker. Figures in another page need less of its
 * policy without a blob, which only a script of another origin needs.
 * @param {string} name @param {string} [role] what the worker is called, if its script has several tasks
 */
export function startWorker(name, role = '') {
  const text = inlineText(name), url = addressOf(`${name}.js`)
  if (!isOwnPage() && new URL(url).origin === location.origin) return new Worker(url, { type: 'module', name: role })
  const code = text ?? `import ${JSON.stringify(url)}`
  const address = URL.createObjectURL(new Blob([code], { type: 'text/javascript' }))
  const worker = new Worker(address, { type: text === null ? 'module' : 'classic', name: role })
  URL.revokeObjectURL(address)
  return worker
}
