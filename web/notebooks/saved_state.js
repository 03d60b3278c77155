/**
 * What a reader finds again in a notebook: outputs and the place as long as the page is open, changed code when it is
 * loaded anew, too. The link stays as it is.
 */

/** @import { Shown } from './cell.js' */

const KEY = 'glassformer.notebooks'

/** Changed cells by the number, by notebook. @typedef {Record<string, Record<number, string>>} Codes */

/** What of a stored value is code of cells. @param {unknown} stored @returns {Codes} */
export const codesIn = stored => Object.fromEntries(Object.entries(Object(stored))
  .map(([id, codes]) => [id, Object.fromEntries(
    Object.entries(Object(codes)).filter(([, code]) => typeof code === 'string'))]))

/** @returns {Codes} */
function stored() {
  try {
    return codesIn(JSON.parse(sessionStorage.getItem(KEY) ?? 'null'))
  } catch {
    return {}
  }
}

/** @type {Codes} */ const written = stored()

/** The code of every cell, as the reader has it. @param {import('./documents/index.js').Document} document */
export const codesOf = ({ id, cells }) => cells.map(({ js }, i) => written[id]?.[i] ?? js)

/** @param {import('./documents/index.js').Document} document @param {number} i of the cell @param {string} code */
export function keepCode({ id, cells }, i, code) {
  const own = written[id] ??= {}
  if (code === cells[i].js) delete own[i]
  else own[i] = code
  try {
    sessionStorage.setItem(KEY, JSON.stringify(written))
  } catch {
    // Without storage it is there until the page is closed.
  }
}

/**
 * What a notebook showed when it was left, and how far down.
 * @type {Map<string, { shown: { made: Shown | null, isOld: boolean }[], top: number }>}
 */
export const left = new Map()
