/** Cells of the run that a page is held to, by the names and places that the page writes. */

/** A tensor of the run, by any of its names. */
export const tensorNamed = ({ run }, name) => run.tensors.get(run.aliases.get(name) ?? name)

/** @param {object} view @param {string} name @param {number[]} index */
export function valueAt(view, name, index) {
  const { shape, data } = tensorNamed(view, name)
  const isInside = index.length === shape.length && index.every((i, axis) => i >= 0 && i < shape[axis])
  return isInside ? data[index.reduce((at, i, axis) => at * shape[axis] + i, 0)] : undefined
}

/** The index of a cell of a matrix that begins at `first` and runs over two axes. */
export function indexAt({ first, axes }, row, col) {
  return first.map((i, axis) => i + (axis === axes[0] ? row : 0) + (axis === axes[1] ? col : 0))
}

/** How many cells of a matrix of a size are so. */
export function countIn(view, { tensor, size: [rows, cols], ...about }, isSo) {
  const all = Array.from({ length: rows * cols }, (_, i) => (
    valueAt(view, tensor, indexAt(about, Math.floor(i / cols), i % cols))))
  return all.filter(isSo).length
}

/** The cells of a matrix from `first` on. */
export function matrixOf(view, { tensor, first, axes }) {
  const [rows, cols] = axes.map(axis => (axis < 0 ? 1 : tensorNamed(view, tensor).shape[axis] - first[axis]))
  const places = count => Array.from({ length: count }, (_, i) => i)
  return places(rows).map(row => places(cols).map(col => valueAt(view, tensor, indexAt({ first, axes }, row, col))))
}
