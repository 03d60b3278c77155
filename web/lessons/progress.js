/** A reader's progress in each lesson, stored by the browser where possible. */

const KEY = 'glassformer.lessons'

/**
 * Keeps only valid entries of a stored value: steps by lesson.
 * @param {unknown} stored @returns {Record<string, number>}
 */
export const parseProgress = stored => Object.fromEntries(Object.entries(Object(stored))
  .filter(([, step]) => Number.isInteger(step) && step >= 0))

/** @returns {Record<string, number>} */
export function readProgress() {
  try {
    return parseProgress(JSON.parse(localStorage.getItem(KEY) ?? 'null'))
  } catch {
    return {}
  }
}

/** @param {string} id of a lesson @param {number} step the displayed step */
export function saveProgress(id, step) {
  try {
    localStorage.setItem(KEY, JSON.stringify({ ...readProgress(), [id]: step }))
  } catch {
    // Without storage the link still holds the step.
  }
}
