/** A table in IndexedDB. A browser may refuse to store anything: then the table is empty. */

/** @template T @param {IDBRequest<T>} request @returns {Promise<T>} */
export const requestResult = request => new Promise((resolve, reject) => {
  request.onsuccess = () => resolve(request.result)
  request.onerror = () => reject(request.error)
})

/**
 * Resolves when everything is written; before that nobody knows whether there is room.
 * @param {IDBTransaction} transaction @returns {Promise<void>}
 */
const completed = transaction => new Promise((resolve, reject) => {
  transaction.oncomplete = () => resolve()
  transaction.onabort = () => reject(transaction.error)
})

/**
 * @param {string} base its database @param {string} name @param {string} key by which its objects are found
 */
export function tableOf(base, name, key) {
  /** @type {Promise<IDBDatabase> | null} */ let opened = null
  /** Opened on first use. */
  const open = async () => {
    const request = indexedDB.open(base, 1)
    request.onupgradeneeded = () => request.result.createObjectStore(name, { keyPath: key })
    return requestResult(request)
  }
  /**
   * The result of `use` on the table, or null.
   * @template T @param {IDBTransactionMode} mode @param {(table: IDBObjectStore) => T | Promise<T>} use
   * @returns {Promise<T | null>}
   */
  return async (mode, use) => {
    try {
      opened ??= open()
      const transaction = (await opened).transaction(name, mode), end = completed(transaction)
      const [result] = await Promise.all([use(transaction.objectStore(name)), end])
      return result
    } catch {
      opened = null
      return null
    }
  }
}
