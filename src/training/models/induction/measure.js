/** What the heads look at, measured on blocks of random tokens that come twice. */

import { createRandom } from '../random.js'
import { isHeldOut, repeatedBlock } from './data.js'
import { START_ID } from './tokens.js'

/** The number of tokens of a block. */
const BLOCK = 20

/**
 * The scores [layer][head] of every head.
 * @typedef {{ previous: number[][], induction: number[][] }} HeadScores previous: the mean attention weight of the
 *   token before; induction: of the token after the first occurrence, at the second
 */

/**
 * Scores the heads on blocks of random tokens, each after <start> and twice, whose tokens never follow each other in
 * training.
 * @param {any} gf @param {any} model @param {number} seed @param {number} count blocks @returns {HeadScores}
 */
export function headScores(gf, model, seed, count) {
  const draw = createRandom(seed)
  const rows = Array.from({ length: count }, () => (
    [START_ID, ...repeatedBlock(draw, 2 * BLOCK, { size: BLOCK, mayFollow: isHeldOut }).ids]))
  const { trace, output } = gf.trace(() => gf.noGrad(() => model.forward(rows)))
  /** @param {number} from @param {(at: number) => number} attended */
  const scores = (from, attended) => Array.from({ length: model.decoder.layers.length }, (_, layer) => {
    const { values, shape: [B, H, T] } = trace.get(`decoder.layers.${layer}.self_attn.weights`)
    return Array.from({ length: H }, (_, h) => {
      let sum = 0
      for (let b = 0; b < B; b++) {
        for (let at = from; at < T; at++) sum += values[((b * H + h) * T + at) * T + attended(at)]
      }
      return sum / (B * (T - from))
    })
  })
  const found = { previous: scores(1, at => at - 1), induction: scores(1 + BLOCK, at => at - BLOCK + 1) }
  trace.dispose()
  output.dispose()
  return found
}

/** The largest previous-token score and the largest induction score of a model's heads. @param {HeadScores} scores */
export const bestScores = ({ previous, induction }) => (
  { previous: Math.max(...previous.flat()), induction: Math.max(...induction.flat()) })
