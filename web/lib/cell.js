/** A cell is a tensor's name and an index, with flags for its gradient and for the second run (the twin). */

/** @typedef {{ name: string, index: number[], isGradient?: boolean, isTwin?: boolean }} Cell */

const FLAGS = /** @type {const} */ (['isGradient', 'isTwin'])

/** Whether two cells are equal; null equals nothing. @param {Cell | null} a @param {Cell | null} b */
export function isSameCell(a, b) {
  if (!a || !b) return false
  const hasSameFlags = FLAGS.every(flag => Boolean(a[flag]) === Boolean(b[flag]))
  return hasSameFlags && a.name === b.name && a.index.join() === b.index.join()
}

/** @param {import('../../src/js/trace/edits.js').EditIndex[number]} i */
const indexText = i => (i === null ? '∗' : Array.isArray(i) ? `${i[0]}…${i[1] - 1}` : String(i))

/**
 * The text of a cell: `scores[0, 1]`, `loss` for a scalar tensor, `∂scores[0, 1]` for the gradient, `scores[0, 1]′` in
 * the second run.
 * @param {Omit<Cell, 'index'> & { index: import('../../src/js/trace/edits.js').EditIndex }} cell
 */
export const cellName = ({ name, index, isGradient, isTwin }) => (
  `${isGradient ? '∂' : ''}${name}${index.length ? `[${index.map(indexText).join(', ')}]` : ''}${isTwin ? '′' : ''}`)
