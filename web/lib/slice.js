/** A matrix sliced from a tensor: its cells, their labels, and their indices in the tensor. */

/**
 * A tensor of a run, or a placeholder for one.
 * @typedef {object} Source
 * @property {string} name
 * @property {number[]} shape
 * @property {Float32Array} data
 */

/**
 * @typedef {object} Slice
 * @property {string} name the tensor's name
 * @property {number[]} shape the tensor's shape
 * @property {number[]} fixed an index of the tensor with the sliced axes at 0
 * @property {[number, number]} axis the axes that run over rows and columns; -1: every row continues the one before
 * @property {[number, number]} start the first row and column
 * @property {number} rows
 * @property {number} cols
 * @property {Float32Array} values row-major, read-only
 * @property {string[]} rowLabels
 * @property {string[]} colLabels
 * @property {number[]} [order] where columns are permuted: the index of each along its axis
 * @property {number[]} [rowOrder] the same for rows
 */

/**
 * The axes of the rows and columns, the indices along the others, and the ranges.
 * @typedef {{ row?: number, col: number, fixed?: number[], rowStart?: number, colStart?: number, rows?: number, cols?:
 *   number, rowLabels?: string[], colLabels?: string[], order?: number[] }} SliceOptions order: indices of the columns
 */

/** Row-major strides of a shape. @param {readonly number[]} shape @returns {number[]} */
export function strides(shape) {
  const out = new Array(shape.length).fill(1)
  for (let i = shape.length - 2; i >= 0; i--) out[i] = out[i + 1] * shape[i + 1]
  return out
}

/** The value of a tensor at an index. @param {Source} tensor @param {number[]} index */
export function valueAt(tensor, index) {
  const stride = strides(tensor.shape)
  return tensor.data[index.reduce((sum, i, axis) => sum + i * stride[axis], 0)]
}

/** The numbers from 0 as text, cached: a large table has 50,000 labels. @type {string[]} */
const numbers = []

/**
 * A range of numbers as labels.
 * @param {number} length @param {number} [start]
 */
export function numberLabels(length, start = 0) {
  while (numbers.length < start + length) numbers.push(String(numbers.length))
  return numbers.slice(start, start + length)
}

/** Columns that are copied together, so that the cache line of each row is reused. */
const BLOCK = 16

/**
 * The cells of a slice in order: a view of the tensor where they are contiguous, else a copy.
 * @param {Float32Array} data
 * @param {{ rows: number, cols: number, from: number, rowStride: number, colStride: number, order?: number[] }} cut
 * @returns {Float32Array}
 */
function readCells(data, { rows, cols, from: start, rowStride, colStride, order }) {
  const isContiguous = !order && colStride === 1
  if (isContiguous && (rows === 1 || rowStride === cols)) return data.subarray(start, start + rows * cols)
  const Values = /** @type {new (length: number) => Float32Array} */ (data.constructor)
  const values = new Values(rows * cols)
  if (isContiguous) {
    for (let r = 0, at = start; r < rows; r++, at += rowStride) values.set(data.subarray(at, at + cols), r * cols)
    return values
  }
  for (let first = 0; first < cols; first += BLOCK) {
    const end = Math.min(cols, first + BLOCK)
    for (let r = 0; r < rows; r++) {
      const at = start + r * rowStride
      for (let c = first; c < end; c++) values[r * cols + c] = data[at + (order ? order[c] : c) * colStride]
    }
  }
  return values
}

/**
 * Slices a matrix. A tensor of one axis is one row. Without an axis for the rows, a range is wrapped into lines.
 * @param {Source} tensor
 * @param {SliceOptions} spec
 * @returns {Slice}
 */
export function slice(tensor, spec) {
  const { row = -1, col, rowStart = 0, colStart = 0 } = spec
  const rows = spec.rows ?? (row < 0 ? 1 : tensor.shape[row] - rowStart)
  const { order } = spec
  const cols = order?.length ?? spec.cols ?? tensor.shape[col] - colStart
  const fixed = tensor.shape.map((_, axis) => (axis === row || axis === col ? 0 : spec.fixed?.[axis] ?? 0))
  const stride = strides(tensor.shape)
  const base = fixed.reduce((sum, i, axis) => sum + i * stride[axis], 0)
  const rowStride = row < 0 ? cols : stride[row]
  const offset = base + rowStart * rowStride + colStart * stride[col]
  const values = readCells(tensor.data, { rows, cols, from: offset, rowStride, colStride: stride[col], order })
  const allLabels = spec.colLabels
  const colLabels = order ? order.map(position => allLabels?.[position] ?? String(position)) : allLabels ??
    numberLabels(cols, colStart)
  return {
    name: tensor.name, shape: tensor.shape, fixed, axis: [row, col], start: [rowStart, colStart], rows, cols, values,
    rowLabels: spec.rowLabels ?? numberLabels(rows, rowStart), colLabels, ...(order && { order })
  }
}

/** Labels of positions, with their tokens where there are some. @param {string[]} words @param {number} length */
export const positionLabels = (words, length) => (
  Array.from({ length }, (_, i) => (i < words.length ? `${words[i]} (${i})` : String(i))))

/**
 * A matrix of the sines and cosines of all pairs, one row per point; points lie closer than positions.
 * @param {Source} wave [points, pairs, 2]
 */
export const waveMatrix = ({ shape: [rows, pairs], data }) => ({ rows, cols: 2 * pairs, values: data })

/** A range of rows of a slice. @param {Slice} part @param {number} first @param {number} rows @returns {Slice} */
export const sliceRows = (part, first, rows) => ({
  ...part, rows, start: [part.start[0] + first, part.start[1]],
  values: part.values.slice(first * part.cols, (first + rows) * part.cols),
  rowLabels: part.rowLabels.slice(first, first + rows)
})

/**
 * Rows picked from a table, as a slice of the table.
 * @param {Source} pickedRows a tensor of these rows @param {number[]} shape of the table @param {number[]} rows
 * @param {string[]} labels
 * @returns {Slice}
 */
export const sliceGatheredRows = (pickedRows, shape, rows, labels) => (
  { ...slice(pickedRows, { row: 0, col: 1, rowLabels: labels }), shape, rowOrder: rows })

/** A range of columns of a slice. @param {Slice} part @param {number} first @param {number} cols @returns {Slice} */
export function sliceColumns(part, first, cols) {
  const values = new Float32Array(part.rows * cols)
  for (let row = 0; row < part.rows; row++) {
    const offset = row * part.cols + first
    values.set(part.values.subarray(offset, offset + cols), row * cols)
  }
  const start = /** @type {[number, number]} */ ([part.start[0], part.start[1] + first])
  return { ...part, cols, start, values, colLabels: part.colLabels.slice(first, first + cols) }
}

/**
 * Columns of a slice in another order, or some of them; each keeps its label and its index in the tensor.
 * @param {Slice} part @param {number[]} columns their indices in the slice @returns {Slice}
 */
export function pickColumns(part, columns) {
  const cols = columns.length, values = new Float32Array(part.rows * cols)
  for (let row = 0; row < part.rows; row++) {
    columns.forEach((column, col) => { values[row * cols + col] = part.values[row * part.cols + column] })
  }
  const order = columns.map(column => (part.order ? part.order[column] : part.start[1] + column))
  return { ...part, cols, values, order, colLabels: columns.map(column => part.colLabels[column]) }
}

/** The first rows of a slice. @param {Slice} part @param {number} rows */
export const firstRows = (part, rows) => sliceRows(part, 0, rows)

/**
 * The tensor index of a cell of the slice.
 * @param {Slice} part
 * @param {number} row
 * @param {number} col
 */
export function cellIndexOf(part, row, col) {
  const index = [...part.fixed]
  if (part.axis[0] >= 0) index[part.axis[0]] = part.rowOrder ? part.rowOrder[row] : part.start[0] + row
  const position = part.axis[0] < 0 ? row * part.cols + col : col
  index[part.axis[1]] = part.order ? part.order[position] : part.start[1] + position
  return index
}

/**
 * The square of a tensor index in the slice, or null if it is not part of it.
 * @param {Slice} part
 * @param {{ name: string, index: number[] }} cell
 */
export function findSquare(part, { name, index }) {
  if (name !== part.name || index.length !== part.shape.length) return null
  /** @param {0 | 1} side @param {number[] | undefined} order */
  const offsetAlong = (side, order) => {
    const position = index[part.axis[side]]
    return order ? order.indexOf(position) : position - part.start[side]
  }
  const offset = offsetAlong(1, part.order), isWrapped = part.axis[0] < 0
  const row = isWrapped ? Math.floor(offset / part.cols) : offsetAlong(0, part.rowOrder)
  const col = isWrapped ? offset % part.cols : offset
  if (row < 0 || row >= part.rows || col < 0 || col >= part.cols) return null
  const isOtherIndex = index.some((i, axis) => !part.axis.includes(axis) && i !== part.fixed[axis])
  return isOtherIndex ? null : { row, col }
}

/** @type {WeakMap<Float32Array, number>} */ const peaks = new WeakMap()

/** Stores a peak that is known already. @param {Float32Array} data @param {number} peakValue */
export const cachePeak = (data, peakValue) => void peaks.set(data, peakValue)

/**
 * The largest finite magnitude in a tensor; cached, since many figures need it.
 * @param {Pick<Source, 'data'>} tensor
 */
export function peak(tensor) {
  const cached = peaks.get(tensor.data)
  if (cached !== undefined) return cached
  const { data } = tensor
  let peakValue = 0
  for (let i = 0; i < data.length; i++) {
    const size = Math.abs(data[i])
    if (size > peakValue && size < Infinity) peakValue = size
  }
  peaks.set(tensor.data, peakValue)
  return peakValue
}

/**
 * The squares of some cells; a cell may stand for a range along an axis of its tensor.
 * @param {Slice} part @param {import('../types.d.ts').Marks['sources']} cells
 */
export function findSquares(part, cells) {
  return cells.flatMap(({ axis, count, ...cell }) => {
    if (axis === undefined || count === undefined) return findSquare(part, cell) ?? []
    const side = part.axis.indexOf(axis), order = side === 0 ? part.rowOrder : part.order
    const length = side === 0 ? part.rows : part.axis[0] < 0 ? part.values.length : part.cols
    const indices = side < 0 ? [part.fixed[axis]] : order ?? Array.from({ length }, (_, i) => part.start[side] + i)
    return indices.filter(position => position < count)
      .flatMap(position => findSquare(part, { ...cell, index: cell.index.with(axis, position) }) ?? [])
  })
}
