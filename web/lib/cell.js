/** A cell is a tensor's name, an index and marks: one for the derivative of the loss by it, one for the second run. */

/** @typedef {{ name: string, index: number[], isGradient?: boolean, isTwin?: boolean }} Cell */

const MARKS = /** @type {const} */ (['isGradient', 'isTwin'])

/** Whether two cells are equal; null equals nothing. @param {Cell | null} one @param {Cell | null} other */
export function sameCell(one, other) {
  if (!one || !other) return false
  const marks = MARKS.every(mark => Boolean(one[mark]) === Boolean(other[mark]))
  return marks && one.name === other.name && one.index.join() === other.index.join()
}

/** @param {import('../../src/js/edits.js').EditIndex[number]} place */
const placeText = place => (place === null ? '∗' : Array.isArray(place) ? `${place[0]}…${place[1] - 1}` : String(place))

/**
 * The text of a cell: `scores[0, 1]`, `loss` for a scalar tensor, `∂scores[0, 1]` for the gradient, `scores[0, 1]′` in
 * the second run.
 * @param {Omit<Cell, 'index'> & { index: import('../../src/js/edits.js').EditIndex }} cell
 */
export const cellName = ({ name, index, isGradient, isTwin }) => (
  `${isGradient ? '∂' : ''}${name}${index.length ? `[${index.map(placeText).join(', ')}]` : ''}${isTwin ? '′' : ''}`)
