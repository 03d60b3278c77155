/** Trainings kept in the browser, to go on with another day: the last few, each by its link. */

const NAME = 'glassformer-theatre', TABLE = 'trainings', MOST = 4

/** @import { History, Snapshot } from './session.js' */

/**
 * A training as it is kept, with the text it learned from and the weights it began with.
 * @typedef {Snapshot & { link: string, history: History, text?: string, start?: Uint8Array }} Kept
 */

/** @template T @param {IDBRequest<T>} request @returns {Promise<T>} */
const settled = request => new Promise((resolve, reject) => {
  request.onsuccess = () => resolve(request.result)
  request.onerror = () => reject(request.error)
})

/** @type {Promise<IDBDatabase> | null} */ let opened = null

/** @param {IDBTransactionMode} mode */
function table(mode) {
  opened ??= new Promise((resolve, reject) => {
    const request = indexedDB.open(NAME, 1)
    request.onupgradeneeded = () => request.result.createObjectStore(TABLE, { keyPath: 'link' })
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error)
  })
  return opened.then(base => base.transaction(TABLE, mode).objectStore(TABLE))
}

/** A browser may refuse to keep anything: then nothing is there. @param {Promise<any>} promise */
const orNothing = promise => promise.catch(() => null)

/** What was kept, or null. @param {string} link @returns {Promise<Kept | null>} */
export const kept = link => orNothing(table('readonly').then(store => settled(store.get(link))).then(one => one ?? null))

/** @param {Kept} training @returns {Promise<true | null>} */
export const keep = training => orNothing(table('readwrite').then(async store => {
  await settled(store.put({ ...training, at: Date.now() }))
  const all = await settled(store.getAll())
  const old = all.sort((a, b) => b.at - a.at).slice(MOST)
  for (const { link } of old) store.delete(link)
  return true
}))

/** @param {string} link */
export const forget = link => orNothing(table('readwrite').then(store => settled(store.delete(link))))
