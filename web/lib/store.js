/** A table in IndexedDB. In a browser that refuses to store anything, it is always empty. */

/** @template T @param {IDBRequest<T>} request @returns {Promise<T>} */
export const waitForRequest = request => new Promise((resolve, reject) => {
  request.onsuccess = () => resolve(request.result)
  request.onerror = () => reject(request.error)
})

/**
 * Resolves when everything is written; only then is it certain that there was enough space.
 * @param {IDBTransaction} transaction @returns {Promise<void>}
 */
const waitForTransaction = transaction => new Promise((resolve, reject) => {
  transaction.oncomplete = () => resolve()
  transaction.onabort = () => reject(transaction.error)
})

/**
 * @param {string} database @param {string} name @param {string} key the property that identifies an object
 */
export function createTable(database, name, key) {
  /** @type {Promise<IDBDatabase> | null} */ let connection = null
  /** Opened on first use. */
  const open = async () => {
    const request = indexedDB.open(database, 1)
    request.onupgradeneeded = () => request.result.createObjectStore(name, { keyPath: key })
    return waitForRequest(request)
  }
  /**
   * The result of `use` on the table, or null.
   * @template T @param {IDBTransactionMode} mode @param {(table: IDBObjectStore) => T | Promise<T>} use
   * @returns {Promise<T | null>}
   */
  return async (mode, use) => {
    try {
      connection ??= open()
      const transaction = (await connection).transaction(name, mode), end = waitForTransaction(transaction)
      const [result] = await Promise.all([use(transaction.objectStore(name)), end])
      return result
    } catch {
      connection = null
      return null
    }
  }
}
