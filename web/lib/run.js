/** Reads runs: matrices sliced from tensors by the meaning of their axes, with the labels of their tokens. */

import { count as numbered, slice } from './slice.js'

/** @import { Described, KnownTensor, Run, RunMessage, Structure, Tensor, View } from '../types.d.ts' */
/** @import { Cut } from './slice.js' */

/** @typedef {Pick<View, 'sentence' | 'head'>} At what is looked at of a tensor of several */

/** Thrown for values that are still in the worker; they are requested, and rendering is repeated once they arrive. */
export class NotLoaded extends Error {
  /** @param {Run} run @param {KnownTensor} tensor @param {number[]} [rows] of it; all of it */
  constructor(run, tensor, rows) {
    super(`${tensor.name} is not here yet`)
    this.run = run
    this.tensor = tensor
    this.rows = rows
  }
}

/** Thrown for values that the run has not retained: see `keepAttention`. */
export class NotRetained extends Error {
  /** @param {KnownTensor} tensor */
  constructor(tensor) {
    super(`${tensor.name} was left out`)
    this.tensor = tensor
  }
}

/** The result of a reading, or null where it needs values that were not retained. @template T @param {() => T} read */
export function orNull(read) {
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
  const tensors = new Map(shared.described.map(one => [one.name, { ...one, data: values.get(one.name) ?? null }]))
  const { steps, calls, aliases } = shared
  return { signature, structure: shared, tensors, steps, calls, aliases, curves: curves ?? last?.curves ?? {}, ...rest,
    ...facts }
}

/** @param {Run} run @param {string} name */
export const knownAs = (run, name) => run.aliases?.get(name) ?? name

/** A tensor of the run by any of its names. @param {Run} run @param {string} name */
export function tensorOf(run, name) {
  const tensor = describedOf(run, name)
  if (tensor?.isKept === false) throw new NotRetained(tensor)
  if (tensor && !tensor.data) throw new NotLoaded(run, tensor)
  return /** @type {Tensor} */ (tensor)
}

/** The description of a tensor, without its values. @param {Run} run @param {string} name */
export const describedOf = (run, name) => /** @type {KnownTensor} */ (run.tensors.get(knownAs(run, name)))

/**
 * Some rows of a large table, without loading the rest, and the extent of the whole table.
 * @param {Run} run @param {string} name @param {number[]} rows
 * @returns {{ name: string, shape: number[], data: Float32Array, peak: number, largest: number[] }}
 */
export function someRows(run, name, rows) {
  const tensor = describedOf(run, name), [, cols] = tensor.shape
  const loaded = tensor.rows ?? new Map(), missing = rows.filter(row => !loaded.has(row))
  if (!tensor.extent || missing.length) throw new NotLoaded(run, tensor, missing)
  const data = new Float32Array(rows.length * cols)
  rows.forEach((row, i) => data.set(loaded.get(row) ?? [], i * cols))
  return { name: tensor.name, shape: [rows.length, cols], data, ...tensor.extent }
}

const TOKENS = ['token', 'query', 'key']

/**
 * The labels along an axis of a tensor: tokens where there are some, else undefined.
 * @param {Run} run @param {Described} tensor @param {number} axis @param {number} [sentence]
 */
export function labelsOf(run, tensor, axis, sentence = 0) {
  const { name, of, first = 0 } = tensor.axes[axis]
  const stream = of && run.streams[of]
  if (!stream) return undefined
  if (TOKENS.includes(name)) return (stream.tokens[sentence] ?? stream.tokens[0]).slice(first)
  return name === 'word' ? stream.vocabulary : undefined
}

/** The number of sentences in the batch. @param {Pick<Run, 'streams'>} run */
export const batchOf = run => Math.max(1, ...Object.values(run.streams).map(({ tokens }) => tokens.length))

/** @type {Record<string, keyof At>} */
const FIXED = { batch: 'sentence', head: 'head' }

/**
 * An index of a tensor at the current sentence and head.
 * @param {Described} tensor @param {Partial<At>} view
 */
const fixedAt = ({ axes, shape }, view) => axes.map(({ name }, i) => Math.min(view[FIXED[name]] ?? 0, shape[i] - 1))

/**
 * The matrix of a tensor's last two axes, at the current sentence and head. A tensor of one axis is a row.
 * @param {Run} run @param {string} name
 * @param {Partial<At>} [view]
 * @param {Partial<Cut>} [spec] further options of `slice`
 */
export function matrixOf(run, name, view = {}, spec = {}) {
  const tensor = tensorOf(run, name)
  const rank = tensor.shape.length
  const [row, col] = [rank - 2, rank - 1]
  const { rowStart, colStart } = spec
  const labels = {
    ...(row >= 0 && rowStart === undefined && { rowLabels: labelsOf(run, tensor, row, view.sentence) }),
    ...(colStart === undefined && { colLabels: labelsOf(run, tensor, col, view.sentence) })
  }
  return slice(tensor, { row, col, fixed: fixedAt(tensor, view), ...labels, ...spec })
}

/**
 * One head's columns of a tensor, whether its heads are concatenated or on an axis of their own.
 * @param {Run} run @param {string} name @param {number} heads @param {At} view
 */
export function headMatrix(run, name, heads, view) {
  const { shape } = tensorOf(run, name)
  if (shape.length === 4) return matrixOf(run, name, view)
  const cols = shape[shape.length - 1] / heads
  return matrixOf(run, name, view, { colStart: Math.min(view.head, heads - 1) * cols, cols })
}

/**
 * The key-value head that a query head reads; several may share one.
 * @param {{ head: number, room: { parts: Record<string, any> } }} view
 */
export const sharedHead = ({ head, room: { parts: { heads, kvHeads = heads } } }) => (
  Math.floor(Math.min(head, heads - 1) * kvHeads / heads))

/**
 * The same transposed, as the right factor of a product.
 * @param {Run} run @param {string} name @param {number} heads @param {At} view
 */
export function transposedHead(run, name, heads, view) {
  const tensor = tensorOf(run, name)
  const rank = tensor.shape.length
  const [row, col] = [rank - 1, rank - 2]
  const rows = rank === 4 ? tensor.shape[row] : tensor.shape[row] / heads
  const rowStart = rank === 4 ? 0 : Math.min(view.head, heads - 1) * rows
  const colLabels = labelsOf(run, tensor, col, view.sentence)
  return slice(tensor, { row, col, fixed: fixedAt(tensor, view), rowStart, rows, colLabels })
}

/**
 * A weight [out, in] in the layout of a product, one column per output.
 * @param {Run} run @param {string} name @param {number} [start] @param {number} [count]
 */
export function weightMatrix(run, name, start = 0, count = describedOf(run, name).shape[0]) {
  const tensor = tensorOf(run, name)
  const colLabels = labelsOf(run, tensor, 0) ?? numbered(count)
  return slice(tensor, { row: 1, col: 0, colStart: start, cols: count, colLabels })
}

/**
 * A tensor of one axis, or a range of it, as one row with a label.
 * @param {Run} run @param {string} name @param {string} label @param {number} [start] @param {number} [count]
 */
export function vectorRow(run, name, label, start = 0, count = tensorOf(run, name).shape[0]) {
  const tensor = tensorOf(run, name)
  const colLabels = labelsOf(run, tensor, 0) ?? numbered(count)
  return slice(tensor, { col: 0, colStart: start, cols: count, rowLabels: [label], colLabels })
}

/**
 * A bias [out] as one row below its weight.
 * @param {Run} run @param {string | undefined} name @param {number} [start] @param {number} [count]
 */
export const biasRow = (run, name, start, count) => (name ? vectorRow(run, name, 'b', start, count) : undefined)
