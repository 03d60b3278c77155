/** How far a reader has come in each lesson, kept by the browser where it lets a page keep anything. */

const KEY = 'glassformer.lessons'

/** @returns {Record<string, number>} */
export function progress() {
  try {
    return JSON.parse(localStorage.getItem(KEY) ?? 'null') ?? {}
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
