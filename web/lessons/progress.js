/** A reader's progress in each lesson, stored by the browser where possible. */

const KEY = 'glassformer.lessons'

/**
 * Keeps only valid entries of a stored value: steps by lesson.
 * @param {unknown} stored @returns {Record<string, number>}
 */
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

/** @param {string} id of a lesson @param {number} at the displayed step */
export function remember(id, at) {
  try {
    localStorage.setItem(KEY, JSON.stringify({ ...progress(), [id]: at }))
  } catch {
    // Without storage the link still holds the step.
  }
}
