/** The stages of a run, each computed on first use; large ones in pieces. */
import { nest } from '../js/tensor/shape.js'

/**
 * Consecutive rows of one matrix of a stage.
 * @typedef {{ from: number, rows: Float32Array[] }} Piece
 *
 * A stage of tokens or ids has `values`; a stage of numbers has `pieces` of each matrix, by the indices of the leading
 * axes.
 * @typedef {object} Stage
 * @property {string} name as for --stage
 * @property {number[]} shape
 * @property {any} [values] nested arrays; null if the stage is left out
 * @property {boolean} [isLeftOut] whether it is too large to be printed without --stage
 * @property {(lead: number[]) => Iterable<Piece>} [pieces]
 */

/** Maximum number of cells of scores or weights that are computed at once. */
const MAX_CELLS = 2 ** 18

/** The names of all stages, in order. */
export const STAGES = /** @type {const} */ ([
  'tokens', 'vocabulary', 'ids', 'embedding', 'positions', 'sum', 'dropout', 'q', 'k', 'v', 'scores', 'mask',
  'weights', 'heads', 'output'
])

/** The names of stages of shape [T, T] in the trace of an attention. */
const TRACE_NAMES = new Map([['scores', 'scores'], ['mask', 'masked_scores'], ['weights', 'weights']])

/** @param {any} tensor [..., rows, columns] @returns {(lead: number[]) => Piece[]} */
const sliceMatrix = tensor => lead => {
  const [rows, columns] = tensor.shape.slice(-2)
  const at = lead.reduce((sum, i, axis) => sum * tensor.shape[axis] + i, 0) * rows * columns
  const { values } = tensor
  /** @param {number} i */
  const row = i => values.slice(at + i * columns, at + (i + 1) * columns)
  return [{ from: 0, rows: Array.from({ length: rows }, (_, i) => row(i)) }]
}

/**
 * The tensors of the block, each computed once, on first use.
 * @param {any} gf @param {ReturnType<typeof import('../js/pipeline.js').prepare>} prepared
 */
function tensorsOf(gf, { settings: { dModel: C, heads: H }, text, modules, masks }) {
  const F = gf.functional, { embedding, positions, dropout, self_attn: attention } = modules
  /** @type {Record<string, any>} */ const tensorCache = {}
  /** @param {string} name @param {() => any} compute */
  const memoize = (name, compute) => (tensorCache[name] ??= gf.noGrad(compute))
  /** @param {number} which of query, key and value */
  const projected = which => F.linear(tensors.dropout(), attention.in_proj_weight.narrow(0, which * C, C),
    attention.in_proj_bias.narrow(0, which * C, C))
  /** @param {any} x [B, T, C] @returns {any} [B, H, T, D] */
  const byHead = x => x.reshape(x.shape[0], x.shape[1], H, C / H).transpose(1, 2)
  const tensors = {
    embedding: () => memoize('embedding', () => embedding.forward(text.ids)),
    positions: () => memoize('positions', () => (positions.pe ?? positions.weight).narrow(0, 0, text.ids[0].length)),
    sum: () => memoize('sum', () => positions.forward(tensors.embedding())),
    dropout: () => memoize('dropout', () => dropout.forward(tensors.sum())),
    q: () => memoize('q', () => projected(0)),
    k: () => memoize('k', () => projected(1)),
    v: () => memoize('v', () => projected(2)),
    heads: () => memoize('heads', () => {
      const [q, k, v] = [tensors.q(), tensors.k(), tensors.v()].map(byHead)
      return F.scaledDotProductAttention(q, k, v, masks).transpose(1, 2).reshape(q.shape[0], q.shape[2], C)
    }),
    output: () => memoize('output', () => attention.out_proj.forward(tensors.heads())),
    /** Queries, keys and values head by head. */
    split: () => memoize('split', () => [tensors.q(), tensors.k(), tensors.v()].map(byHead)),
    /** The trace of the attention, with its tensors of shape [T, T]. */
    square: () => memoize('square', () => {
      const [q, k, v] = tensors.split()
      const { trace } = gf.trace(() => F.scaledDotProductAttention(q, k, v, masks))
      return trace
    })
  }
  return tensors
}

/**
 * Computes rows of scores or weights, some queries at a time.
 * @param {any} gf @param {ReturnType<typeof import('../js/pipeline.js').prepare>} prepared
 * @param {ReturnType<typeof tensorsOf>} tensors @param {string} name in the trace
 * @returns {(lead: number[]) => Generator<Piece>}
 */
const squarePieces = (gf, { masks: { keyPaddingMask, isCausal } }, tensors, name) => function* ([b, h]) {
  const [q, k, v] = tensors.split(), [B, H, T] = q.shape, step = Math.max(1, Math.floor(MAX_CELLS / T))
  if (B * H * T * T <= MAX_CELLS) return yield* sliceMatrix(tensors.square().get(name))([b, h])
  for (let from = 0; from < T; from += step) {
    const count = Math.min(step, T - from)
    yield gf.tidy(() => gf.noGrad(() => {
      const [all, keys, values] = [q, k, v].map(x => x.narrow(0, b, 1).narrow(1, h, 1))
      const queries = all.narrow(2, from, count)
      const attnMask = isCausal ? gf.ones([count, T]).tril(from).to('bool') : undefined
      const { trace } = gf.trace(() => gf.functional.scaledDotProductAttention(queries, keys, values, {
        attnMask, keyPaddingMask: keyPaddingMask && [keyPaddingMask[b]] }))
      const { values: numbers } = trace.get(name)
      const rows = Array.from({ length: count }, (_, i) => numbers.slice(i * T, (i + 1) * T))
      trace.dispose()
      return { from, rows }
    }))
  }
}

/**
 * Creates all stages of a run, without computing them.
 * @param {any} gf @param {ReturnType<typeof import('../js/pipeline.js').prepare>} prepared @returns {Stage[]}
 */
export function createStages(gf, prepared) {
  const { settings: { dModel: C, heads: H }, text } = prepared, B = text.ids.length, T = text.ids[0].length
  const tensors = tensorsOf(gf, prepared)
  /** @type {Record<string, Omit<Stage, 'name'>>} */
  const textStages = {
    tokens: { shape: [B], values: text.tokens.map((list, b) => list.slice(0, text.lengths[b])) },
    vocabulary: { shape: [text.vocabulary.length], values: text.vocabulary },
    ids: { shape: [B, T], values: text.ids }
  }
  return STAGES.map(name => {
    if (textStages[name]) return { name, ...textStages[name] }
    const traceName = TRACE_NAMES.get(name)
    if (traceName) return { name, shape: [B, H, T, T], pieces: squarePieces(gf, prepared, tensors, traceName) }
    const shape = name === 'positions' ? [T, C] : [B, T, C]
    return { name, shape, pieces: lead => sliceMatrix(tensors[/** @type {'q'} */ (name)]())(lead) }
  })
}

/** The indices of the matrices of a stage, in order. @param {readonly number[]} shape @returns {number[][]} */
export const leadingIndices = shape => shape.slice(0, -2).reduce(
  (leads, side) => leads.flatMap(lead => Array.from({ length: side }, (_, i) => [...lead, i])),
  /** @type {number[][]} */ ([[]]))

/** Computes all numbers of a stage, nested, for tests. @param {Stage} stage */
export function readValues({ shape, values, pieces }) {
  if (!pieces) return values
  const rows = leadingIndices(shape).flatMap(lead => [...pieces(lead)].flatMap(piece => piece.rows))
  const all = rows.flatMap(row => [...row])
  return nest(shape, Float64Array.from(all))
}
