/** Large tables and vocabularies: selects and searches the part that is drawn. */

/** Tables with more rows are drawn in part. */
const MAX_ROWS = 2048
/** The number of rows drawn until the reader requests others. */
export const ROW_COUNT = 48
/** The maximum rows and columns of a thumbnail. */
const THUMBNAIL = { rows: 64, cols: 512 }
const MAX_CELLS = THUMBNAIL.rows * THUMBNAIL.cols

/** Whether a table is too large to be drawn. @param {number} count */
export const isLargeCount = count => count > MAX_ROWS

/**
 * Indices of the largest values of a range, the largest first, ties in order.
 * @param {ArrayLike<number>} values @param {number} from @param {number} count @param {number} max
 */
export function largestIndices(values, from, count, max) {
  /** @type {number[]} */ const indices = []
  for (let i = 0; i < count; i++) {
    const value = values[from + i]
    if (indices.length === max && !(value > values[from + indices[max - 1]])) continue
    let position = indices.length
    while (position > 0 && value > values[from + indices[position - 1]]) position -= 1
    indices.splice(position, 0, i)
    if (indices.length > max) indices.pop()
  }
  return indices
}

/**
 * Tokens that equal, start with or contain a text, in this order; a number matches an id, too.
 * @param {readonly string[]} words @param {string} text @param {number} max @returns {number[]}
 */
export function findTokens(words, text, max) {
  const query = text.trim().toLowerCase()
  if (!query) return []
  /** How well a token matches: 0 exactly, 3 not at all. @param {string} word */
  const matchQuality = word => {
    const trimmedWord = word.toLowerCase().replace(/^[␣▁\s]+/, '')
    return trimmedWord === query ? 0 : trimmedWord.startsWith(query) ? 1 : trimmedWord.includes(query) ? 2 : 3
  }
  /** @type {number[][]} */ const ranks = [[], [], []]
  words.forEach((word, id) => ranks[matchQuality(word)]?.push(id))
  const id = /^\d+$/.test(query) && Number(query) < words.length ? [Number(query)] : []
  return [...new Set([...id, ...ranks.flat()])].slice(0, max)
}

/** Thumbnails by buffer, and by offset and size in it; the numbers of a run never change. */
/** @type {WeakMap<ArrayBufferLike, Map<string, Picture>>} */
const pictures = new WeakMap()

/** @typedef {{ rows: number, cols: number, values: Float32Array }} Picture */

/**
 * Downsamples a matrix to a thumbnail by averaging.
 * @param {Picture} part @param {{ rows: number, cols: number }} [maxSize] @returns {Picture}
 */
export function downsample(part, maxSize = THUMBNAIL) {
  const { rows, cols, values: { buffer, byteOffset, length } } = part
  if (!isLargeCount(rows) && !isLargeCount(cols) && length <= MAX_CELLS) return part
  const cached = pictures.get(buffer) ?? new Map(), key = [byteOffset, rows, cols, maxSize.rows, maxSize.cols].join()
  pictures.set(buffer, cached)
  const picture = cached.get(key) ?? averageCells(part, maxSize)
  cached.set(key, picture)
  return picture
}

/** @param {Picture} part @param {{ rows: number, cols: number }} maxSize @returns {Picture} */
function averageCells({ rows, cols, values }, maxSize) {
  const [thumbnailRows, thumbnailCols] = [Math.min(rows, maxSize.rows), Math.min(cols, maxSize.cols)]
  const means = new Float32Array(thumbnailRows * thumbnailCols)
  const binEdges = Array.from({ length: thumbnailCols + 1 }, (_, bin) => Math.floor((bin * cols) / thumbnailCols))
  for (let row = 0; row < rows; row++) {
    const to = Math.floor((row * thumbnailRows) / rows) * thumbnailCols
    for (let bin = 0; bin < thumbnailCols; bin++) {
      let sum = 0
      for (let i = row * cols + binEdges[bin], end = row * cols + binEdges[bin + 1]; i < end; i++) sum += values[i]
      means[to + bin] += sum / (binEdges[bin + 1] - binEdges[bin])
    }
  }
  for (let row = 0; row < thumbnailRows; row++) {
    const count = Math.ceil(((row + 1) * rows) / thumbnailRows) - Math.ceil((row * rows) / thumbnailRows)
    for (let bin = 0; bin < thumbnailCols; bin++) means[row * thumbnailCols + bin] /= count
  }
  return { rows: thumbnailRows, cols: thumbnailCols, values: means }
}
