/**
 * Head scores on a repeated sequence: attention to the previous token, to the duplicate token, to the token after it
 * (induction) and to the first token.
 */

import { inEvalMode } from './cache_comparison.js'

/** @import { Failure, HeadScores, Library, ModelRun } from '../types.d.ts' */

/** The maximum and minimum number of tokens that are repeated. */
const [MAX_TOKENS, MIN_TOKENS] = [24, 2]

/** The position that a token of the second copy attends to, by its own position and the number of repeated tokens. */
const PATTERNS = [
  (/** @type {number} */ at) => at - 1,
  (/** @type {number} */ at, /** @type {number} */ n) => at - n,
  (/** @type {number} */ at, /** @type {number} */ n) => at - n + 1,
  () => 0
]
export const PATTERN_COUNT = PATTERNS.length

/**
 * The mean attention weight of each pattern over all tokens of the second copy.
 * @param {ArrayLike<number>} weights [T, T] of one head @param {number} n @param {number} T
 */
const meanScores = (weights, n, T) => PATTERNS.map(attendedPosition => {
  let sum = 0
  for (let at = T - n; at < T; at++) sum += weights[at * T + attendedPosition(at, n)]
  return sum / n
})

/**
 * @param {Library} gf @param {NonNullable<ModelRun['continuation']>} going @param {number[]} ids @param {number} n
 * @returns {HeadScores}
 */
function measureScores(gf, { model, begin }, ids, n) {
  const compute = () => {
    const logitsOf = begin()
    const { trace } = gf.trace(() => logitsOf(ids, null))
    const attentions = trace.nodes.filter(({ op, saved }) => op.name === 'attention' && saved.isCausal)
    const layers = attentions.map(({ outputs: { weights } }) => {
      const { shape: [, H, T], values } = /** @type {import('../types.d.ts').LibraryTensor} */ (weights)
      return Array.from({ length: H }, (_, head) => (
        meanScores(/** @type {Float32Array} */ (values).subarray(head * T * T, (head + 1) * T * T), n, T)))
    })
    trace.dispose()
    return layers
  }
  return { count: n, layers: inEvalMode(model, () => gf.tidy(() => gf.noGrad(compute))) }
}

/**
 * Scores the heads on the run's first token followed by its other tokens twice, as many as the model has positions for.
 * Of a repetitive text each token is taken once, since a head divides its attention among all earlier occurrences.
 * @param {Library} gf @param {Pick<ModelRun, 'continuation'>} modelRun
 * @returns {HeadScores | null} null for a model that does not generate, or a text that is too short
 */
export function headScores(gf, { continuation }) {
  if (!continuation) return null
  const [first, ...rest] = continuation.ids
  const tokens = continuation.isRepetitive ? [...new Set(rest)] : rest
  for (let n = Math.min(MAX_TOKENS, tokens.length); n >= MIN_TOKENS; n = Math.floor(n / 2)) {
    const text = tokens.slice(0, n)
    try {
      return measureScores(gf, continuation, [first, ...text, ...text], n)
    } catch (error) {
      const { code } = /** @type {Failure} */ (error)
      // Too long for the model's positions: try half as many tokens.
      if (!code) throw error
    }
  }
  return null
}
