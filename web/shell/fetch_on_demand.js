/** What is fetched only when a reader asks for it: a file beside the page, or data inside a page of a single file. */

/** @type {Map<string, Promise<any>>} */ const known = new Map()

/** @param {string} name */
async function get(name) {
  const inside = document.getElementById(name)
  if (inside) return JSON.parse(inside.textContent ?? '')
  const response = await fetch(`${name}.json`)
  if (!response.ok) throw new Error(`${name}.json: ${response.status}`)
  return response.json()
}

/** A JSON file of the page, fetched once. @param {string} name */
export function lazy(name) {
  const file = known.get(name) ?? get(name)
  known.set(name, file)
  return file
}

/**
 * Starts a worker of the page. A worker that is started from an address has the policy of its own response, which on a
 * static host is none; one that is started from a blob inherits the policy of the page, on every host.
 * @param {string} name
 */
export function spawn(name) {
  const inside = document.getElementById(name)
  const code = inside?.textContent ?? `importScripts(${JSON.stringify(new URL(`${name}.js`, location.href).href)})`
  const address = URL.createObjectURL(new Blob([code], { type: 'text/javascript' }))
  const worker = new Worker(address)
  URL.revokeObjectURL(address)
  return worker
}
