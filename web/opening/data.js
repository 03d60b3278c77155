/** The data of the opening: the answer token by token, the candidates of each step, and where the model attends. */

import { getDescription, sliceMatrix, getTensor } from '../lib/run.js'
import { rankIndices } from '../lib/ranking.js'
import { valueAt } from '../lib/slice.js'
import { modelOf } from '../models/index.js'

/** @import { Decoding, PageModel, Run } from '../types.d.ts' */

const MAX_CANDIDATES = 3

/** @param {string} token */
export const isSpecialToken = token => /^<.*>$/.test(token)

/**
 * The attention of every head from one row, in the last layer in which the decoder reads the encoder.
 * @param {Run} run @param {string} name @param {number} row
 */
function attentionFrom(run, name, row) {
  const tensor = getTensor(run, name)
  const [, heads, , width] = tensor.shape
  return Array.from({ length: heads }, (_, head) => (
    Array.from({ length: width }, (__, position) => valueAt(tensor, [0, head, row, position]))))
}

/** The largest weight of all heads, with its head and position. @param {number[][]} headWeights */
function maxWeight(headWeights) {
  const all = headWeights.flatMap((row, head) => row.map((weight, position) => ({ head, position, weight })))
  return all.reduce((best, item) => (item.weight > best.weight ? item : best))
}

/**
 * The step that says most: of those that read a word (not a digit), the one with the largest weight; where there is
 * none, the last one before the end.
 * @param {string[]} source @param {{ token: string, best: { position: number, weight: number } }[]} steps
 */
function findPoint(source, steps) {
  const worded = steps.filter(({ token, best }) => /\p{L}{2}/u.test(source[best.position]) && /^\p{L}/u.test(token))
  const best = worded.reduce((max, step) => (step.best.weight > (max?.best.weight ?? 0) ? step : max), worded[0])
  return best ? steps.indexOf(best) : Math.max(0, steps.findLastIndex(({ token }) => !isSpecialToken(token)))
}

/**
 * @param {Run} run of a model that reads and writes
 */
export function data(run) {
  const { rows, steps } = /** @type {Decoding} */ (run.decoding)
  const names = /** @type {NonNullable<PageModel['opening']>} */ (modelOf(run.settings.model).opening)
  const weights = /** @type {string} */ ([...run.tensors.keys()].findLast(name => name.endsWith(names.weights)))
  const probabilities = sliceMatrix(run, names.probabilities, {})
  const { of } = getDescription(run, weights).axes[3]
  const source = run.streams[of ?? ''].tokens[0], explained = steps.map(({ id, token }, step) => {
    const row = probabilities.values.slice(rows[step] * probabilities.cols, (rows[step] + 1) * probabilities.cols)
    const headWeights = attentionFrom(run, weights, rows[step])
    const options = rankIndices(row).slice(0, MAX_CANDIDATES).map(candidate => (
      { token: probabilities.colLabels[candidate], share: row[candidate], isChosen: candidate === id }))
    return {
      token, headWeights, best: maxWeight(headWeights), options,
      rest: 1 - options.reduce((sum, { share }) => sum + share, 0)
    }
  })
  return { source, steps: explained, point: findPoint(source, explained) }
}
