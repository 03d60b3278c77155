/**
 * Queries about the inner values of a run: logit lens, vector norms, contributions of heads, nearest embeddings,
 * ablations. Computed by the kernels from the run's tensors.
 */

import { downsample, largestIndices } from '../lib/large_tables.js'
import { peak } from '../lib/slice.js'
import { attributeLogit } from './attribution.js'
import { pca } from './pca.js'

/** @import { AnswerTarget, LensPrediction, Library, LibraryRun, LibraryTensor, QueryTypes } from '../types.d.ts' */
/** @import { LastStep } from '../rooms/stream.js' */

/** Tokens listed per position. */
const TOP_TOKENS = 5
/** Rows of a table that are multiplied at a time. */
const BLOCK_ROWS = 4096

/**
 * Some rows as float32; a table of a large GGUF model is in blocks.
 * @param {Library} gf @param {LibraryTensor} x @param {number} first @param {number} count
 */
function rowsOf(gf, x, first, count) {
  if (x.dtype !== 'float32') return gf.functional.embedding(Int32Array.from({ length: count }, (_, i) => first + i), x)
  return count === x.shape[0] ? x : gf.functional.narrow(x, 0, first, count)
}

/** @template T @param {Library} gf @param {() => T} fn @returns {T} */
const withoutGradients = (gf, fn) => gf.tidy(() => gf.noGrad(/** @type {() => any} */ (fn)))

/** The Euclidean norms of vectors along the last axis. @param {LibraryTensor} x */
const normsOf = x => x.pow(2).sum({ dim: -1 }).sqrt()

/** @param {LibraryTensor} x @returns {Float32Array} */
const copy = x => /** @type {Float32Array} */ (x.values.slice())

/**
 * The most probable tokens of each point and position.
 * @param {Library} gf @param {LibraryTensor} logits [points, rows, V]
 * @param {number[]} ids the chosen tokens of the rows
 * @returns {LensPrediction[][]} by point and row
 */
export const describePredictions = (gf, logits, ids) => withoutGradients(gf, () => {
  const { values, shape: [points,, V] } = gf.functional.softmax(logits)
  return Array.from({ length: points }, (_, point) => ids.map((id, n) => {
    const start = (point * ids.length + n) * V, own = /** @type {Float32Array} */ (values.subarray(start, start + V))
    const tokens = largestIndices(own, 0, V, TOP_TOKENS)
    return { tokens, probabilities: tokens.map(token => own[token]), chosen: own[id] }
  }))
})

/**
 * The logit lens: applies the model's last steps to earlier points of the residual stream.
 * @param {Library} gf @param {LibraryRun} run
 * @param {{ points: { name: string, last: LastStep[] }[], rows: number[], ids: number[] }} query ids: the chosen tokens
 * @returns {LensPrediction[][]} by point and row
 */
export function logitLens(gf, run, { points, rows, ids }) {
  return points.map(({ name, last }) => withoutGradients(gf, () => {
    const [first] = rows, count = rows[rows.length - 1] - first + 1
    const logits = last.reduce((x, { out, input }) => run.recompute(out, { [input]: x }),
      gf.functional.narrow(run.tensor(name), 1, first, count))
    const probabilities = gf.functional.softmax(logits), V = probabilities.shape[2], { values } = probabilities
    return rows.map((row, n) => {
      const own = /** @type {Float32Array} */ (values.slice((row - first) * V, (row - first + 1) * V))
      const tokens = largestIndices(own, 0, V, TOP_TOKENS)
      return { tokens, probabilities: tokens.map(token => own[token]), chosen: own[ids[n]] }
    })
  }))
}

/**
 * The norms of the vectors of some tensors at every position.
 * @param {Library} gf @param {LibraryRun} run @param {{ names: string[] }} request @returns {Float32Array[]}
 */
export const vectorNorms = (gf, run, { names }) => names.map(name => (
  withoutGradients(gf, () => copy(normsOf(run.tensor(name))))))

/**
 * The mean of each channel over all positions: of the last axis, and of each head where heads have an axis.
 * @param {Library} gf @param {LibraryRun} run @param {{ names: string[] }} request @returns {Float32Array[]}
 */
export const channelMeans = (gf, run, { names }) => names.map(name => withoutGradients(gf, () => {
  const x = run.tensor(name)
  return copy(x.mean({ dim: x.shape.length === 4 ? [0, 2] : [0, 1] }))
}))

/**
 * The contribution of each head to the output of its attention: its channels times its part of the output weight.
 * @param {Library} gf @param {LibraryRun} run @param {{ x: string, weight: string, heads: number }} request
 * @returns {{ values: Float32Array, norms: Float32Array, shape: readonly number[] }[]} [B, T, C] and [B, T] of every
 *   head
 */
export function headContributions(gf, run, { x: name, weight, heads }) {
  return withoutGradients(gf, () => {
    const joined = run.tensor(name), w = run.tensor(weight).to('float32'), width = w.shape[1] / heads
    return Array.from({ length: heads }, (_, head) => {
      const from = joined.shape.length === 4 ? gf.functional.squeeze(gf.functional.narrow(joined, 1, head, 1), 1)
        : gf.functional.narrow(joined, 2, head * width, width)
      const own = gf.functional.linear(from, gf.functional.narrow(w, 1, head * width, width))
      return { values: copy(own), norms: copy(normsOf(own)), shape: own.shape }
    })
  })
}

/**
 * The contribution of a head as displayed: a picture per sentence, the norms, and the largest magnitude.
 * @param {ReturnType<typeof headContributions>[0]} one
 */
function toPictures({ values, norms, shape: [B, rows, cols] }) {
  const pictures = Array.from({ length: B }, (_, b) => {
    const own = values.subarray(b * rows * cols, (b + 1) * rows * cols)
    const picture = downsample({ rows, cols, values: own })
    return { ...picture, values: picture.values.slice() }
  })
  return { pictures, norms, peak: peak({ data: values }) }
}

/**
 * The rows of a table with the largest cosine similarity to a vector.
 * @param {Library} gf @param {LibraryRun} run @param {{ name: string, index: number[], table: string }} request
 * @returns {{ row: number, cosine: number }[]} the nearest first
 */
export function nearest(gf, run, { name, index, table }) {
  return withoutGradients(gf, () => {
    const x = run.tensor(name), rows = run.tensor(table), [V, C] = rows.shape, values = new Float32Array(V)
    const at = index.slice(0, -1).reduce((sum, i, axis) => sum * x.shape[axis] + i, 0)
    const vector = gf.tensor(/** @type {Float32Array} */ (x.values.slice(at * C, (at + 1) * C)), { shape: [C, 1] })
    const length = Math.max(normsOf(vector.reshape(1, C)).item(), Number.MIN_VALUE)
    // In blocks: the squares of a whole table would take as much memory as the table itself.
    for (let first = 0; first < V; first += BLOCK_ROWS) gf.tidy(() => {
      const some = rowsOf(gf, rows, first, Math.min(BLOCK_ROWS, V - first))
      values.set(copy(gf.functional.matmul(some, vector).reshape(-1).div(normsOf(some)).div(length)), first)
    })
    return largestIndices(values, 0, V, 2 * TOP_TOKENS).map(row => ({ row, cosine: values[row] }))
  })
}

/**
 * The result of a run with edits: the probability of each token of the answer; without an answer the output itself, or
 * its distance from the output before the edits.
 * @param {Library} gf @param {LibraryRun} run @param {AnswerTarget} what @param {Float32Array} [base]
 * @returns {Float32Array}
 */
export function measureAnswer(gf, run, { logits, out, rows, ids }, base) {
  return withoutGradients(gf, () => {
    if (!logits) {
      const x = run.tensor(out)
      return base ? copy(normsOf(x.sub(gf.tensor(base, { shape: [...x.shape] })))) : copy(x)
    }
    const probabilities = gf.functional.softmax(run.tensor(logits)), V = probabilities.shape[2]
    return Float32Array.from(rows, (row, n) => probabilities.values[row * V + ids[n]])
  })
}

/**
 * The bytes and multiply-adds of every tensor, and the number of parameters in each.
 * @param {Library} _ @param {LibraryRun} run
 */
export const costs = (_, run) => ({
  results: run.costs.flatMap(({ outputs }) => outputs),
  parameters: run.names.map(name => run.describe(name)).filter(({ role }) => role === 'parameter')
    .map(({ name, shape }) => ({ name, size: shape.reduce((product, side) => product * side, 1) }))
})

/** @typedef {{ session?: string, isTwin?: boolean }} Which a session, and whether its twin is meant */

/** The queries as calls of the worker. @param {(which: Which) => { gf: Library, run: LibraryRun }} runOf */
export const interpretCalls = runOf => {
  /**
   * @template Q, A @param {(gf: Library, run: LibraryRun, request: Q) => A} answer
   * @returns {(request: Q & Which) => A}
   */
  const withRun = answer => request => {
    const { gf, run } = runOf(request)
    return answer(gf, run, request)
  }
  return {
    logitLens: withRun(logitLens), norms: withRun(vectorNorms), channelMeans: withRun(channelMeans),
    nearest: withRun(nearest), costs: withRun(costs),
    attribution: withRun(attributeLogit), pca: withRun(pca),
    circuits: async (/** @type {QueryTypes['circuits'][0]} */ request) => {
      const { headCircuits } = await import('./circuits.js')
      return withRun(headCircuits)(request)
    },
    strongNeurons: async (/** @type {QueryTypes['strongNeurons'][0]} */ request) => {
      const { strongNeurons } = await import('./neurons.js')
      return withRun(strongNeurons)(request)
    },
    neuronWrites: async (/** @type {QueryTypes['neuronWrites'][0]} */ request) => {
      const { neuronWrites } = await import('./neurons.js')
      return withRun(neuronWrites)(request)
    },
    compositions: async (/** @type {object} */ request) => {
      const { headCompositions } = await import('./circuits.js')
      return withRun(headCompositions)(request)
    },
    contributions: withRun((/** @type {Parameters<typeof headContributions>} */ ...query) => (
      headContributions(...query).map(toPictures)))
  }
}
