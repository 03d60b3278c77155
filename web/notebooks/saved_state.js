/**
 * The state of a notebook that is restored: outputs and scroll position as long as the page is open, changed code even
 * after a reload. The link does not change.
 */

/** @import { CellResult } from './cell.js' */

const KEY = 'glassformer.notebooks'

/** Changed cells by index, by notebook. @typedef {Record<string, Record<number, string>>} Codes */

/** Keeps only valid entries of a stored value. @param {unknown} stored @returns {Codes} */
export const parseCodes = stored => Object.fromEntries(Object.entries(Object(stored))
  .map(([id, codes]) => [id, Object.fromEntries(
    Object.entries(Object(codes)).filter(([, code]) => typeof code === 'string'))]))

/** @returns {Codes} */
function readStored() {
  try {
    return parseCodes(JSON.parse(sessionStorage.getItem(KEY) ?? 'null'))
  } catch {
    return {}
  }
}

/** @type {Codes} */ const changedCodes = readStored()

/** The code of every cell, with the reader's changes. @param {import('./documents/index.js').Document} document */
export const getCodes = ({ id, cells }) => cells.map(({ js }, i) => changedCodes[id]?.[i] ?? js)

/** @param {import('./documents/index.js').Document} document @param {number} i of the cell @param {string} code */
export function saveCode({ id, cells }, i, code) {
  const notebookCodes = changedCodes[id] ??= {}
  if (code === cells[i].js) delete notebookCodes[i]
  else notebookCodes[i] = code
  try {
    sessionStorage.setItem(KEY, JSON.stringify(changedCodes))
  } catch {
    // Without storage it lasts until the page is closed.
  }
}

/**
 * The outputs of a notebook and its scroll position when it was left.
 * @type {Map<string, { shown: { made: CellResult | null, isOld: boolean }[], top: number }>}
 */
export const notebookStates = new Map()
