/** Reads a run: slices matrices from tensors by the meaning of their axes, and labels them with their tokens. */

import { numberLabels as numbered, slice } from './slice.js'

/** @import { BlockRow, Cell, Described, KnownTensor, Run, RunMessage, SomeRows } from '../types.d.ts' */
/** @import { Structure, Tensor, View } from '../types.d.ts' */
/** @import { SliceOptions } from './slice.js' */

/** @typedef {Pick<View, 'sentence' | 'head'>} HeadSelection the sentence and head to slice from a tensor */

/** Thrown for values that are still in the worker; they are requested, and rendering is repeated once they arrive. */
export class NotLoaded extends Error {
  /** @param {Run} run @param {KnownTensor} tensor @param {number[]} [rows] the missing rows; all by default */
  constructor(run, tensor, rows) {
    super(`not loaded: ${tensor.name}`)
    this.run = run
    this.tensor = tensor
    this.rows = rows
  }
}

/** Thrown for values that the run did not retain: see `keepAttention`. */
export class NotRetained extends Error {
  /** @param {KnownTensor} tensor */
  constructor(tensor) {
    super(`not retained: ${tensor.name}`)
    this.tensor = tensor
  }
}

/** The result of a function, or null where it reads values that were not retained. @template T @param {() => T} read */
export function nullIfNotRetained(read) {
  try {
    return read()
  } catch (error) {
    if (error instanceof NotRetained) return null
    throw error
  }
}

/**
 * Deserializes a run from the worker's message.
 * @param {RunMessage} message
 * @param {Run | null} [last] the previous run, of the same structure if the message has none
 * @returns {Run}
 */
export function readRun({ signature, structure, curves, values, facts, ...rest }, last = null) {
  const shared = /** @type {Structure} */ (structure ?? last?.structure)
  const tensors = new Map(shared.described.map(description => (
    [description.name, { ...description, data: values.get(description.name) ?? null }])))
  const { steps, calls, aliases } = shared
  return { signature, structure: shared, tensors, steps, calls, aliases, curves: curves ?? last?.curves ?? {}, ...rest,
    ...facts }
}

/** @param {Run} run @param {string} name */
export const canonicalName = (run, name) => run.aliases?.get(name) ?? name

/** A tensor of the run by any of its names. @param {Run} run @param {string} name */
export function getTensor(run, name) {
  const tensor = getDescription(run, name)
  if (tensor?.isKept === false) throw new NotRetained(tensor)
  if (tensor && !tensor.data) throw new NotLoaded(run, tensor)
  return /** @type {Tensor} */ (tensor)
}

/** The description of a tensor, without its values. @param {Run} run @param {string} name */
export const getDescription = (run, name) => /** @type {KnownTensor} */ (run.tensors.get(canonicalName(run, name)))

/** Whether the run has this cell with a value. @param {Run} run @param {Cell | null} cell @returns {boolean} */
export function hasCell(run, cell) {
  const tensor = cell && getDescription(run, cell.name)
  if (!tensor || tensor.isKept === false || tensor.shape.length !== cell.index.length) return false
  return cell !== null && cell.index.every((i, axis) => i < tensor.shape[axis])
}

/**
 * Rows of a large table, without loading the others, and the extent of the whole table; of a weight in blocks, also
 * what the file has of each row.
 * @param {Run} run @param {string} name @param {number[]} rows
 * @returns {{ name: string, shape: number[], data: Float32Array, peak: number, largest: number[],
 *   blocks: BlockRow[] }}
 */
export function getTableRows(run, name, rows) {
  const tensor = getDescription(run, name), [, cols] = tensor.shape
  const loaded = tensor.rows ?? new Map(), missing = rows.filter(row => !loaded.has(row))
  if (!tensor.extent || missing.length) throw new NotLoaded(run, tensor, missing)
  const data = new Float32Array(rows.length * cols)
  rows.forEach((row, i) => data.set(loaded.get(row) ?? [], i * cols))
  const blocks = rows.map(row => /** @type {BlockRow} */ (tensor.blocks?.get(row)))
  return { name: tensor.name, shape: [rows.length, cols], data, blocks, ...tensor.extent }
}

/**
 * Stores rows of a large table that have been loaded.
 * @param {KnownTensor} tensor @param {number[]} rows @param {SomeRows} loaded
 */
export function storeTableRows(tensor, rows, { rows: values, extent, blocks }) {
  const [, cols] = tensor.shape, stored = tensor.rows ??= new Map(), storedBlocks = tensor.blocks ??= new Map()
  rows.forEach((row, i) => {
    stored.set(row, values.subarray(i * cols, (i + 1) * cols))
    if (blocks) storedBlocks.set(row, blocks[i])
  })
  tensor.extent = extent
}

const TOKENS = ['token', 'query', 'key']

/**
 * The labels along an axis of a tensor: its tokens, or undefined for an axis without tokens.
 * @param {Run} run @param {Described} tensor @param {number} axis @param {number} [sentence]
 */
export function getAxisLabels(run, tensor, axis, sentence = 0) {
  const { name, of, first = 0, indices } = tensor.axes[axis]
  const stream = of && run.streams[of]
  if (!stream) return undefined
  if (TOKENS.includes(name)) {
    const tokens = stream.tokens[sentence] ?? stream.tokens[0]
    return indices ? indices.map(index => tokens[index]) : tokens.slice(first)
  }
  if (name === 'label') return stream.labels
  return name === 'word' ? stream.vocabulary : undefined
}

/**
 * The same as they stand along a matrix: a token that occurs more than once in its text carries its position.
 * @param {Run} run @param {Described} tensor @param {number} axis @param {number} [sentence]
 */
export function getMatrixLabels(run, tensor, axis, sentence = 0) {
  const labels = getAxisLabels(run, tensor, axis, sentence), { name, of = '', first = 0, indices } = tensor.axes[axis]
  if (!labels || !TOKENS.includes(name)) return labels
  const { tokens } = run.streams[of], once = new Set(), repeated = new Set()
  for (const token of tokens[sentence] ?? tokens[0]) (once.has(token) ? repeated : once).add(token)
  return labels.map((label, i) => (repeated.has(label) ? `${label} (${indices?.[i] ?? first + i})` : label))
}

/** The number of sentences in the batch. @param {Pick<Run, 'streams'>} run */
export const batchSize = run => Math.max(1, ...Object.values(run.streams).map(({ tokens }) => tokens.length))

/** @type {Record<string, keyof HeadSelection>} */
const VIEW_KEY_BY_AXIS = { batch: 'sentence', head: 'head' }

/**
 * An index of a tensor at the current sentence and head.
 * @param {Described} tensor @param {Partial<HeadSelection>} view
 */
const currentIndex = ({ axes, shape }, view) =>
  axes.map(({ name, per }, i) => {
    const index = view[VIEW_KEY_BY_AXIS[name]] ?? 0
    return per ? Math.floor(index / per) % shape[i] : Math.min(index, shape[i] - 1)
  })

/**
 * The axes of the rows and columns of a matrix: the last two; but heads between tokens and their channels are selected
 * one at a time.
 * @param {Described} tensor
 */
function matrixAxes({ axes, shape: { length: rank } }) {
  const token = axes.findIndex(({ name }) => name === 'token')
  return [rank >= 4 && token >= 0 && axes[rank - 2].name === 'head' ? token : rank - 2, rank - 1]
}

/**
 * The matrix of a tensor's last two axes, at the current sentence and head. A tensor of one axis is a row.
 * @param {Run} run @param {string} name
 * @param {Partial<HeadSelection>} [view]
 * @param {Partial<SliceOptions>} [spec] further options of `slice`
 */
export function sliceMatrix(run, name, view = {}, spec = {}) {
  const tensor = getTensor(run, name)
  const [row, col] = matrixAxes(tensor)
  const { rowStart, colStart } = spec
  const labels = {
    ...(row >= 0 && rowStart === undefined && { rowLabels: getMatrixLabels(run, tensor, row, view.sentence) }),
    ...(colStart === undefined && { colLabels: getMatrixLabels(run, tensor, col, view.sentence) })
  }
  return slice(tensor, { row, col, fixed: currentIndex(tensor, view), ...labels, ...spec })
}

/**
 * One head's columns of a tensor, whether its heads are concatenated or on an axis of their own.
 * @param {Run} run @param {string} name @param {number} heads @param {HeadSelection} view
 */
export function sliceHead(run, name, heads, view) {
  const { shape } = getTensor(run, name)
  if (shape.length === 4) return sliceMatrix(run, name, view)
  const cols = shape[shape.length - 1] / heads
  return sliceMatrix(run, name, view, { colStart: Math.min(view.head, heads - 1) * cols, cols })
}

/**
 * The key-value head that a query head reads; several may share one.
 * @param {{ head: number, room: { parts: Record<string, any> } }} view
 */
export const kvHeadIndex = ({ head, room: { parts: { heads, kvHeads = heads } } }) => (
  Math.floor(Math.min(head, heads - 1) * kvHeads / heads))

/**
 * One head's columns of a tensor, transposed, as the right factor of a product.
 * @param {Run} run @param {string} name @param {number} heads @param {HeadSelection} view
 */
export function sliceTransposedHead(run, name, heads, view) {
  const tensor = getTensor(run, name)
  const rank = tensor.shape.length
  const [row, col] = [rank - 1, rank - 2]
  const rows = rank === 4 ? tensor.shape[row] : tensor.shape[row] / heads
  const rowStart = rank === 4 ? 0 : Math.min(view.head, heads - 1) * rows
  const colLabels = getMatrixLabels(run, tensor, col, view.sentence)
  return slice(tensor, { row, col, fixed: currentIndex(tensor, view), rowStart, rows, colLabels })
}

/**
 * A weight [out, in] in the layout of a product, one column per output.
 * @param {Run} run @param {string} name @param {number} [start] @param {number} [count]
 */
export function sliceWeight(run, name, start = 0, count = getDescription(run, name).shape[0]) {
  const tensor = getTensor(run, name)
  const colLabels = getAxisLabels(run, tensor, 0) ?? numbered(count)
  return slice(tensor, { row: 1, col: 0, colStart: start, cols: count, colLabels })
}

/**
 * A tensor of one axis, or a range of it, as one row with a label.
 * @param {Run} run @param {string} name @param {string} label @param {number} [start] @param {number} [count]
 */
export function sliceVector(run, name, label, start = 0, count = getTensor(run, name).shape[0]) {
  const tensor = getTensor(run, name)
  const colLabels = getAxisLabels(run, tensor, 0) ?? numbered(count)
  return slice(tensor, { col: 0, colStart: start, cols: count, rowLabels: [label], colLabels })
}

/**
 * A bias [out] as one row below its weight.
 * @param {Run} run @param {string | undefined} name @param {number} [start] @param {number} [count]
 */
export const sliceBias = (run, name, start, count) => (name ? sliceVector(run, name, 'b', start, count) : undefined)
