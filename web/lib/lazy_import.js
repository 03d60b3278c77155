/** Parts of the page that are imported on first use. */

/** Whether an error is a failed import, by the messages of Chromium, Firefox and Safari. @param {unknown} error */
export const isFailedImport = error => (
  error instanceof TypeError && /dynamically imported module|module script failed/i.test(error.message))

/**
 * Imports once; a failed import is retried on the next call.
 * @param {() => Promise<void>} load @param {(error: unknown) => void} onError
 */
export function lazyImport(load, onError) {
  let isLoading = false
  return () => {
    if (isLoading) return
    isLoading = true
    load().catch(error => {
      isLoading = false
      onError(error)
    })
  }
}
