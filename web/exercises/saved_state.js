/** The reader's code and progress in each exercise, stored by the browser where possible. */

const KEY = 'glassformer.exercises'

/**
 * @typedef {object} Saved
 * @property {string} [code] the reader's, where it is not the starter
 * @property {string} [passed] the last code that passed
 * @property {number} [tries] checks that failed
 * @property {number} [hints] how many were shown
 */

/** @type {Record<keyof Saved, string>} */
const TYPES = { code: 'string', passed: 'string', tries: 'number', hints: 'number' }

/** Keeps only valid entries of a stored value. @param {unknown} stored @returns {Record<string, Saved>} */
export const parseSaved = stored => Object.fromEntries(Object.entries(Object(stored)).map(([id, saved]) => (
  [id, Object.fromEntries(Object.entries(Object(saved)).filter(([key, value]) => (
    Object.hasOwn(TYPES, key) && typeof value === TYPES[/** @type {keyof Saved} */ (key)])))])))

/** @returns {Record<string, Saved>} */
function readStored() {
  try {
    return parseSaved(JSON.parse(localStorage.getItem(KEY) ?? 'null'))
  } catch {
    return {}
  }
}

/** Where nothing can be stored, it lasts until the page is closed. @type {Record<string, Saved>} */
let saved = readStored()

/** @param {string} id @returns {Saved} */
export const getSaved = id => saved[id] ?? {}

/** @param {string} id */
export const isPassed = id => getSaved(id).passed !== undefined

/**
 * Changes what is stored of an exercise; another tab may have stored others.
 * @param {string} id @param {Saved} patch
 */
export function updateSaved(id, patch) {
  saved = { ...saved, ...readStored(), [id]: { ...getSaved(id), ...patch } }
  try {
    localStorage.setItem(KEY, JSON.stringify(saved))
  } catch {
    // It is kept in memory.
  }
}
