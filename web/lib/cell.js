/** A cell is a tensor's name, an index and, for the derivative of the loss by it, a mark. */

/** @typedef {{ name: string, index: number[], isGradient?: boolean }} Cell */

/** Whether two cells are one; nothing is no cell. @param {Cell | null} one @param {Cell | null} other */
export function sameCell(one, other) {
  if (!one || !other) return false
  return one.name === other.name && Boolean(one.isGradient) === Boolean(other.isGradient) &&
    one.index.join() === other.index.join()
}

/** A cell as it is written: `scores[0, 1]`, or `∂scores[0, 1]` for the gradient. @param {Cell} cell */
export const cellName = ({ name, index, isGradient }) => `${isGradient ? '∂' : ''}${name}[${index.join(', ')}]`
