import { binaryFunctions } from '../ops/binary.js'
import { comparisons } from '../ops/compare.js'
import { to } from '../ops/convert.js'
import { cumsum } from '../ops/cumsum.js'
import { indexSelect } from '../ops/gather.js'
import { cat } from '../ops/join.js'
import { narrow } from '../ops/narrow.js'
import { normalize } from '../ops/normalize.js'
import { reductions } from '../ops/reduce.js'
import { unaryFunctions } from '../ops/unary.js'
import { maskedFill } from '../ops/where.js'

/**
 * One vector for a whole sequence, from the hidden states of its tokens.
 *
 * @typedef {import('../tensor/tensor.js').Tensor} Tensor
 * @typedef {import('./model.js').AttentionMask} AttentionMask
 *
 * How a sentence embedding is made; several modes are joined.
 * @typedef {object} Pooling
 * @property {readonly Mode[]} modes
 * @property {boolean} isNormalized whether the embedding has length 1
 * @property {Record<string, string>} files sentence-transformers' modules.json and the files that it names, by path, as
 *   `save` writes them
 *
 * @typedef {keyof typeof MODES} Mode
 */

/**
 * A column of 1 for tokens and 0 for padding.
 * @param {Tensor} hidden @param {AttentionMask} mask @returns {Tensor} [B, T, 1]
 */
export function tokenColumn({ engine }, { isToken, exportedTensor, B, T }) {
  if (exportedTensor) return to(exportedTensor, 'float32').reshape(B, T, 1)
  const column = engine.freeWithTrace(engine.empty([B, T, 1]))
  column.values.set(isToken)
  return column
}

/**
 * The sum of the tokens' hidden states, and the number of tokens.
 * @param {Tensor} hidden [B, T, C] @param {AttentionMask | null} mask
 * @returns {{ sum: Tensor, count: Tensor | number }}
 */
function sumOverTokens(hidden, mask) {
  if (!mask) return { sum: reductions.sum(hidden, { dim: 1 }), count: hidden.shape[1] }
  const column = tokenColumn(hidden, mask), sum = reductions.sum(binaryFunctions.mul(hidden, column), { dim: 1 })
  return { sum, count: binaryFunctions.maximum(reductions.sum(column, { dim: 1 }), 1) }
}

/**
 * The mean of the tokens' hidden states.
 * @param {Tensor} hidden [B, T, C] @param {AttentionMask | null} mask null: no padding @returns {Tensor} [B, C]
 */
export function meanOverTokens(hidden, mask) {
  const { sum, count } = sumOverTokens(hidden, mask)
  return binaryFunctions.div(sum, count)
}

/**
 * The sum divided by the square root of the number of tokens.
 * @param {Tensor} hidden @param {AttentionMask | null} mask
 */
function meanBySqrt(hidden, mask) {
  const { sum, count } = sumOverTokens(hidden, mask)
  return binaryFunctions.div(sum, typeof count === 'number' ? Math.sqrt(count) : unaryFunctions.sqrt(count))
}

/** The largest value in every channel. @param {Tensor} hidden @param {AttentionMask | null} mask @returns {Tensor} */
const maxOverTokens = (hidden, mask) =>
  reductions.amax(mask ? maskedFill(hidden, comparisons.eq(tokenColumn(hidden, mask), 0), -1e9) : hidden, { dim: 1 })

/** The hidden state of the last token. @param {Tensor} hidden @param {AttentionMask | null} mask @returns {Tensor} */
function lastToken(hidden, mask) {
  const [B, T, C] = hidden.shape
  if (mask?.exportedTensor) { // computed by operations, so that the exported graph takes any mask
    const column = tokenColumn(hidden, mask), total = reductions.sum(column, { dim: 1, keepdim: true })
    const isLastOrAfter = to(comparisons.eq(cumsum(column, 1), total), 'float32')
    return reductions.sum(binaryFunctions.mul(hidden, binaryFunctions.mul(column, isLastOrAfter)), { dim: 1 })
  }
  const lastOf = (/** @type {number} */ b) => (mask ? mask.isToken.subarray(b * T, (b + 1) * T).lastIndexOf(1) : T - 1)
  return indexSelect(hidden.reshape(B * T, C), 0, Array.from({ length: B }, (_, b) => b * T + Math.max(0, lastOf(b))))
}

/** The hidden state of the first position. @param {Tensor} hidden @returns {Tensor} */
const firstToken = hidden => narrow(hidden, 1, 0, 1).reshape(hidden.shape[0], hidden.shape[2])

/** By sentence-transformers' names, in the order in which several are joined. */
export const MODES = {
  cls: firstToken, max: maxOverTokens, mean: meanOverTokens, mean_sqrt_len_tokens: meanBySqrt, lasttoken: lastToken
}

/**
 * The embedding of every sequence, if the model has a `pooling`, as models of sentence-transformers have.
 * @param {import('./model.js').LanguageModel} model @param {Tensor} hidden [B, T, C] @param {AttentionMask | null} mask
 * @param {unknown} [cache] with one, `hidden` has only the last tokens, and there is no embedding
 * @returns {{ embedding?: Tensor }} [B, C], or [B, C · modes]
 */
export const pooledEmbedding = ({ pooling }, hidden, mask, cache) =>
  (!pooling || cache ? {} : { embedding: pool(hidden, mask, pooling) })

/**
 * Pools hidden states.
 * @param {Tensor} hidden [B, T, C] @param {AttentionMask | null} mask
 * @param {Pick<Pooling, 'modes' | 'isNormalized'>} pooling @returns {Tensor} [B, C · modes]
 */
export function pool(hidden, mask, { modes, isNormalized }) {
  const parts = modes.map(mode => MODES[mode](hidden, mask))
  const joined = parts.length === 1 ? parts[0] : cat(parts, { dim: 1 })
  return isNormalized ? normalize(joined, { dim: 1 }) : joined
}

/** The values of the option `pooling` of embed(), and the mode of each. @type {Record<string, Mode>} */
export const POOLINGS = { mean: 'mean', cls: 'cls', last: 'lasttoken' }
