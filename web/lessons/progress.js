/** How far a reader has come in each lesson, kept by the browser where it lets a page keep anything. */

const KEY = 'glassformer.lessons'

/** What of a stored value is progress: steps by lesson. @param {unknown} stored @returns {Record<string, number>} */
export const progressIn = stored => Object.fromEntries(Object.entries(Object(stored))
  .filter(([, at]) => Number.isInteger(at) && at >= 0))

/** @returns {Record<string, number>} */
export function progress() {
  try {
    return progressIn(JSON.parse(localStorage.getItem(KEY) ?? 'null'))
  } catch {
    return {}
  }
}

/** @param {string} id of a lesson @param {number} at the step that is shown */
export function remember(id, at) {
  try {
    localStorage.setItem(KEY, JSON.stringify({ ...progress(), [id]: at }))
  } catch {
    // Without storage the link still holds the step.
  }
}
