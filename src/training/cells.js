/** Converts between indices and offsets of cells. */

/** The offset of a cell in row-major order. @param {readonly number[]} shape @param {number[]} index */
export const offsetOf = (shape, index) => index.reduce((sum, i, axis) => sum * shape[axis] + i, 0)

/** The index of the cell at an offset. @param {readonly number[]} shape @param {number} offset */
export function indexAtOffset(shape, offset) {
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

/** Reads an index such as `[1, 2]`; null if the text is none. @param {string} text */
export const readIndex = text => (/^[\s,[\]()]*\d[\d\s,[\]()]*$/.test(text) ? text.match(/\d+/g)?.map(Number) ?? null : null)
