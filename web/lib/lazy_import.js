/** Parts of the page that are imported on first use. */

/** Whether an error is a failed import, in the words of Chromium, Firefox or Safari. @param {unknown} error */
export const isFailedImport = error => (
  error instanceof TypeError && /dynamically imported module|module script failed/i.test(error.message))

/**
 * Imports once; a failed import is retried on the next call.
 * @param {() => Promise<void>} fetch @param {(error: unknown) => void} fails
 */
export function lazyImport(fetch, fails) {
  let isComing = false
  return () => {
    if (isComing) return
    isComing = true
    fetch().catch(error => {
      isComing = false
      fails(error)
    })
  }
}
