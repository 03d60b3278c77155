/** Parts of the page that come when they are first asked for. */

/** Whether a part of the page did not arrive, in the words of Chromium, Firefox or Safari. @param {unknown} error */
export const isUnfetched = error => (
  error instanceof TypeError && /dynamically imported module|module script failed/i.test(error.message))

/**
 * Fetches once; what did not arrive is fetched again when it is asked for again.
 * @param {() => Promise<void>} fetch @param {(error: unknown) => void} fails
 */
export function fetched(fetch, fails) {
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
