/** Finds cells of a run by the names and indices that the page writes. */

/** A tensor of the run, by any of its names. */
export const findTensor = ({ run }, name) => run.tensors.get(run.aliases.get(name) ?? name)

/** @param {object} view @param {string} name @param {number[]} index */
export function valueAt(view, name, index) {
  const { shape, data } = findTensor(view, name)
  const isInside = index.length === shape.length && index.every((i, axis) => i >= 0 && i < shape[axis])
  return isInside ? data[index.reduce((offset, i, axis) => offset * shape[axis] + i, 0)] : undefined
}

/** The index of a cell of a matrix that begins at `first` and runs over two axes. */
export function cellIndex({ first, axes }, row, col) {
  return first.map((i, axis) => i + (axis === axes[0] ? row : 0) + (axis === axes[1] ? col : 0))
}

/** Counts the cells of a matrix whose value fulfills a predicate. */
export function countCells(view, { tensor, size: [rows, cols], ...matrix }, predicate) {
  const values = Array.from({ length: rows * cols }, (_, i) => (
    valueAt(view, tensor, cellIndex(matrix, Math.floor(i / cols), i % cols))))
  return values.filter(predicate).length
}

/** The cells of a matrix from `first` on. */
export function readMatrix(view, { tensor, first, axes }) {
  const [rows, cols] = axes.map(axis => (axis < 0 ? 1 : findTensor(view, tensor).shape[axis] - first[axis]))
  const range = count => Array.from({ length: count }, (_, i) => i)
  return range(rows).map(row => range(cols).map(col => valueAt(view, tensor, cellIndex({ first, axes }, row, col))))
}
