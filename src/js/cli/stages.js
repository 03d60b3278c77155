/** The stages of a run, each computed when it is asked for and no sooner; large ones come in pieces. */
import { nest } from '../shape.js'

/**
 * Rows of one matrix of a stage; of a large matrix not all at once.
 * @typedef {{ from: number, rows: Float32Array[] }} Piece
 *
 * A stage with words or ids has values, one with numbers the pieces of every matrix, by the indices of the axes
 * before its last two.
 * @typedef {object} Stage
 * @property {string} name as --stage has it
 * @property {number[]} shape
 * @property {any} [values] nested arrays; null where it is left out
 * @property {boolean} [isLeftOut] too large to be printed unasked
 * @property {(lead: number[]) => Iterable<Piece>} [pieces]
 */

/** Most numbers of a matrix that are there at once. */
const MOST_CELLS = 2 ** 18

/** The names of all stages, in order. */
export const STAGES = /** @type {const} */ ([
  'tokens', 'vocabulary', 'ids', 'embedding', 'positions', 'sum', 'dropout', 'q', 'k', 'v', 'scores', 'mask',
  'weights', 'heads', 'output'
])

/** What the trace of an attention calls the stages that have a number for every two tokens. */
const SQUARE = new Map([['scores', 'scores'], ['mask', 'masked_scores'], ['weights', 'weights']])

/** @param {any} tensor [..., rows, columns] @returns {(lead: number[]) => Piece[]} */
const cut = tensor => lead => {
  const [rows, columns] = tensor.shape.slice(-2)
  const at = lead.reduce((sum, i, axis) => sum * tensor.shape[axis] + i, 0) * rows * columns
  const { values } = tensor
  /** @param {number} i */
  const row = i => values.slice(at + i * columns, at + (i + 1) * columns)
  return [{ from: 0, rows: Array.from({ length: rows }, (_, i) => row(i)) }]
}

/**
 * The numbers of the block, each made once, by those that need it.
 * @param {any} gf @param {ReturnType<typeof import('../pipeline.js').prepare>} prepared
 */
function tensorsOf(gf, { settings: { dModel: C, heads: H }, text, modules, masks }) {
  const F = gf.functional, { embedding, positions, dropout, self_attn: attention } = modules
  /** @type {Record<string, any>} */ const made = {}
  /** @param {string} name @param {() => any} make */
  const once = (name, make) => (made[name] ??= gf.noGrad(make))
  /** @param {number} which of query, key and value */
  const projected = which => F.linear(tensors.dropout(), attention.in_proj_weight.narrow(0, which * C, C),
    attention.in_proj_bias.narrow(0, which * C, C))
  /** @param {any} x [B, T, C] @returns {any} [B, H, T, D] */
  const byHead = x => x.reshape(x.shape[0], x.shape[1], H, C / H).transpose(1, 2)
  const tensors = {
    embedding: () => once('embedding', () => embedding.forward(text.ids)),
    positions: () => once('positions', () => (positions.pe ?? positions.weight).narrow(0, 0, text.ids[0].length)),
    sum: () => once('sum', () => positions.forward(tensors.embedding())),
    dropout: () => once('dropout', () => dropout.forward(tensors.sum())),
    q: () => once('q', () => projected(0)),
    k: () => once('k', () => projected(1)),
    v: () => once('v', () => projected(2)),
    heads: () => once('heads', () => {
      const [q, k, v] = [tensors.q(), tensors.k(), tensors.v()].map(byHead)
      return F.scaledDotProductAttention(q, k, v, masks).transpose(1, 2).reshape(q.shape[0], q.shape[2], C)
    }),
    output: () => once('output', () => attention.out_proj.forward(tensors.heads())),
    /** Queries, keys and values head by head. */
    split: () => once('split', () => [tensors.q(), tensors.k(), tensors.v()].map(byHead)),
    /** All that a small attention has a number of for every two tokens. */
    square: () => once('square', () => {
      const [q, k, v] = tensors.split()
      const { trace } = gf.trace(() => F.scaledDotProductAttention(q, k, v, masks))
      return trace
    })
  }
  return tensors
}

/**
 * Rows of scores or weights, a few queries at a time.
 * @param {any} gf @param {ReturnType<typeof import('../pipeline.js').prepare>} prepared
 * @param {ReturnType<typeof tensorsOf>} tensors @param {string} name in the trace
 * @returns {(lead: number[]) => Generator<Piece>}
 */
const square = (gf, { masks: { keyPaddingMask, isCausal } }, tensors, name) => function* ([b, h]) {
  const [q, k, v] = tensors.split(), [B, H, T] = q.shape, step = Math.max(1, Math.floor(MOST_CELLS / T))
  if (B * H * T * T <= MOST_CELLS) return yield* cut(tensors.square().get(name))([b, h])
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
 * All stages of a run; nothing is computed yet.
 * @param {any} gf @param {ReturnType<typeof import('../pipeline.js').prepare>} prepared @returns {Stage[]}
 */
export function stagesOf(gf, prepared) {
  const { settings: { dModel: C, heads: H }, text } = prepared, B = text.ids.length, T = text.ids[0].length
  const tensors = tensorsOf(gf, prepared)
  /** @type {Record<string, Omit<Stage, 'name'>>} */
  const words = {
    tokens: { shape: [B], values: text.tokens.map((list, b) => list.slice(0, text.lengths[b])) },
    vocabulary: { shape: [text.vocabulary.length], values: text.vocabulary },
    ids: { shape: [B, T], values: text.ids }
  }
  return STAGES.map(name => {
    if (words[name]) return { name, ...words[name] }
    const inTrace = SQUARE.get(name)
    if (inTrace) return { name, shape: [B, H, T, T], pieces: square(gf, prepared, tensors, inTrace) }
    const shape = name === 'positions' ? [T, C] : [B, T, C]
    return { name, shape, pieces: lead => cut(tensors[/** @type {'q'} */ (name)]())(lead) }
  })
}

/** The indices of the matrices of a stage, in order. @param {readonly number[]} shape @returns {number[][]} */
export const leadsOf = shape => shape.slice(0, -2).reduce(
  (leads, side) => leads.flatMap(lead => Array.from({ length: side }, (_, i) => [...lead, i])),
  /** @type {number[][]} */ ([[]]))

/** All numbers of a stage, nested, for tests. @param {Stage} stage */
export function valuesOf({ shape, values, pieces }) {
  if (!pieces) return values
  const all = leadsOf(shape).flatMap(lead => [...pieces(lead)].flatMap(({ rows }) => rows.flatMap(row => [...row])))
  return nest(shape, Float64Array.from(all))
}
