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

/** A worker of the page, started. @param {string} name */
export function spawn(name) {
  const inside = document.getElementById(name)
  if (!inside) return new Worker(`${name}.js`)
  const address = URL.createObjectURL(new Blob([inside.textContent ?? ''], { type: 'text/javascript' }))
  const worker = new Worker(address)
  URL.revokeObjectURL(address)
  return worker
}
