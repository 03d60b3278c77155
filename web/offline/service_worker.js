/**
 * The service worker: keeps every file of the page, so that all of it works without network after one visit, and adds
 * the headers that isolate the page, which threads need and many static hosts cannot send. web/build.js writes the
 * list of files above this code.
 */

/** @import { FileList } from '../build.js' */

/** @typedef {{ waitUntil(work: Promise<unknown>): void }} LifeEvent */
/** @typedef {{ request: Request, respondWith(response: Promise<Response>): void }} RequestEvent */
/**
 * What this file uses of the service worker's global scope.
 * @typedef {{ FILES: FileList, registration: { scope: string }, skipWaiting(): void,
 *   clients: { claim(): Promise<void> },
 *   addEventListener(type: string, listener: (event: any) => void): void }} Scope
 */

const scope = /** @type {Scope} */ (/** @type {unknown} */ (self))
const { FILES, registration } = scope
const CACHE = 'glassformer', PARALLEL = 6

const ISOLATION = {
  'Cross-Origin-Opener-Policy': 'same-origin', 'Cross-Origin-Embedder-Policy': 'require-corp',
  'Cross-Origin-Resource-Policy': 'same-origin'
}
/** The frame in which readers' code runs gets an origin of its own: a sandboxed one would have no service worker. */
const SANDBOX = { 'Content-Security-Policy': 'sandbox allow-scripts' }

/** The key of a file in the cache: another content is another key. @param {string} name */
const keyOf = name => new URL(`${name}?${encodeURIComponent(FILES[name])}`, registration.scope).href

/** Fetches a file unless it is in the cache. @param {Cache} cache @param {string} name */
async function store(cache, name) {
  const key = keyOf(name)
  if (await cache.match(key)) return
  const response = await fetch(new URL(name, registration.scope), { cache: 'no-cache', integrity: FILES[name] })
  if (!response.ok) throw new Error(`${name}: ${response.status}`)
  await cache.put(key, response)
}

async function storeAll() {
  const cache = await caches.open(CACHE), names = Object.keys(FILES)
  await Promise.all(Array.from({ length: PARALLEL }, async () => {
    for (let name = names.shift(); name !== undefined; name = names.shift()) await store(cache, name)
  }))
}

/** Deletes what an earlier version stored and this one has not. */
async function removeOld() {
  const cache = await caches.open(CACHE), keys = new Set(Object.keys(FILES).map(keyOf))
  await Promise.all((await cache.keys()).map(request => keys.has(request.url) || cache.delete(request)))
}

/** The file that an address names; undefined where it is none of the page's. @param {string} address */
function fileOf(address) {
  const { origin, pathname } = new URL(address), { origin: ownOrigin, pathname: folder } = new URL(registration.scope)
  if (origin !== ownOrigin || !pathname.startsWith(folder)) return undefined
  const name = decodeURIComponent(pathname.slice(folder.length)) || 'index.html'
  return Object.hasOwn(FILES, name) ? name : undefined
}

/** @param {string} name @param {Request} request */
async function respond(name, request) {
  const cache = await caches.open(CACHE)
  const response = await cache.match(keyOf(name)) ?? await fetch(request)
  const { status, statusText } = response, headers = new Headers(response.headers)
  for (const [key, value] of Object.entries({ ...ISOLATION, ...(name === 'cell.html' && SANDBOX) })) headers.set(key, value)
  return new Response(response.body, { status, statusText, headers })
}

scope.addEventListener('install', (/** @type {LifeEvent} */ event) => event.waitUntil(storeAll()))
scope.addEventListener('activate', (/** @type {LifeEvent} */ event) => (
  event.waitUntil(removeOld().then(() => scope.clients.claim()))))
scope.addEventListener('message', (/** @type {MessageEvent<string>} */ { data }) => {
  if (data === 'activate') scope.skipWaiting()
})
scope.addEventListener('fetch', (/** @type {RequestEvent} */ event) => {
  const { request } = event, name = request.method === 'GET' ? fileOf(request.url) : undefined
  if (name !== undefined) event.respondWith(respond(name, request))
})
