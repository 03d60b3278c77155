/** Where cells lie in a tensor. */

/** The place of a cell. @param {readonly number[]} shape @param {number[]} index */
export const offsetOf = (shape, index) => index.reduce((sum, i, axis) => sum * shape[axis] + i, 0)

/** The cell at a place. @param {readonly number[]} shape @param {number} offset */
export function indexOf(shape, offset) {
  /** @type {number[]} */ const index = []
  let rest = offset
  for (const side of shape.toReversed()) {
    index.unshift(rest % side)
    rest = Math.floor(rest / side)
  }
  return index
}

/** @param {readonly number[]} shape @param {number[]} [index] @returns {index is number[]} */
export const isInside = (shape, index) => (
  index?.length === shape.length && index.every((i, axis) => Number.isInteger(i) && i >= 0 && i < shape[axis]))

/** An index as a reader writes it, or null where something else stands there. @param {string} text */
export const readIndex = text => (/^[\s,[\]()]*\d[\d\s,[\]()]*$/.test(text) ? text.match(/\d+/g)?.map(Number) ?? null : null)
