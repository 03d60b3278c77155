/** Large tables and vocabularies: which part is drawn, and how the rest is searched. */

/** Larger ones are not drawn whole. */
const MAX_ROWS = 2048
/** The number of rows drawn until the reader requests others. */
export const ROW_COUNT = 48
/** Limits of a thumbnail's rows, columns and cells. */
const STAMP = { rows: 64, cols: 512 }
const MAX_CELLS = STAMP.rows * STAMP.cols

/** Whether a table is too large to be drawn. @param {number} count */
export const isMany = count => count > MAX_ROWS

/**
 * Indices of the largest values of a range, the largest first, ties in order.
 * @param {ArrayLike<number>} values @param {number} from @param {number} count @param {number} max
 */
export function largest(values, from, count, max) {
  /** @type {number[]} */ const indices = []
  for (let i = 0; i < count; i++) {
    const value = values[from + i]
    if (indices.length === max && !(value > values[from + indices[max - 1]])) continue
    let at = indices.length
    while (at > 0 && value > values[from + indices[at - 1]]) at -= 1
    indices.splice(at, 0, i)
    if (indices.length > max) indices.pop()
  }
  return indices
}

/**
 * Tokens that equal, start with or contain a text, in this order; a number matches an id, too.
 * @param {readonly string[]} words @param {string} text @param {number} max @returns {number[]}
 */
export function find(words, text, max) {
  const wanted = text.trim().toLowerCase()
  if (!wanted) return []
  /** How well a token matches: 0 exactly, 3 not at all. @param {string} word */
  const far = word => {
    const bare = word.toLowerCase().replace(/^[␣▁\s]+/, '')
    return bare === wanted ? 0 : bare.startsWith(wanted) ? 1 : bare.includes(wanted) ? 2 : 3
  }
  /** @type {number[][]} */ const ranks = [[], [], []]
  words.forEach((word, id) => ranks[far(word)]?.push(id))
  const id = /^\d+$/.test(wanted) && Number(wanted) < words.length ? [Number(wanted)] : []
  return [...new Set([...id, ...ranks.flat()])].slice(0, max)
}

/** Cached thumbnails by block of memory, offset and size; the numbers of a run never change. */
/** @type {WeakMap<ArrayBufferLike, Map<string, Picture>>} */
const pictures = new WeakMap()

/** @typedef {{ rows: number, cols: number, values: Float32Array }} Picture */

/**
 * Downsamples a matrix to a thumbnail by averaging.
 * @param {Picture} part @param {{ rows: number, cols: number }} [room] @returns {Picture}
 */
export function downsample(part, room = STAMP) {
  const { rows, cols, values: { buffer, byteOffset, length } } = part
  if (!isMany(rows) && !isMany(cols) && length <= MAX_CELLS) return part
  const cached = pictures.get(buffer) ?? new Map(), key = [byteOffset, rows, cols, room.rows, room.cols].join()
  pictures.set(buffer, cached)
  const picture = cached.get(key) ?? meansOf(part, room)
  cached.set(key, picture)
  return picture
}

/** @param {Picture} part @param {{ rows: number, cols: number }} room @returns {Picture} */
function meansOf({ rows, cols, values }, room) {
  const [high, wide] = [Math.min(rows, room.rows), Math.min(cols, room.cols)], means = new Float32Array(high * wide)
  const across = Array.from({ length: wide + 1 }, (_, bin) => Math.floor((bin * cols) / wide))
  for (let row = 0; row < rows; row++) {
    const to = Math.floor((row * high) / rows) * wide
    for (let bin = 0; bin < wide; bin++) {
      let sum = 0
      for (let i = row * cols + across[bin], end = row * cols + across[bin + 1]; i < end; i++) sum += values[i]
      means[to + bin] += sum / (across[bin + 1] - across[bin])
    }
  }
  for (let row = 0; row < high; row++) {
    const count = Math.ceil(((row + 1) * rows) / high) - Math.ceil((row * rows) / high)
    for (let bin = 0; bin < wide; bin++) means[row * wide + bin] /= count
  }
  return { rows: high, cols: wide, values: means }
}
