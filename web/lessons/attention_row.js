/** What lessons read from one row of an attention: its weights and scores, and the values that it mixes. */

import { formatFixed, formatProbability } from '../lib/number.js'
import { getTensor, sliceHead } from '../lib/run.js'
import { largest, rowValues, streamTokens, valueOfCell } from './run_values.js'

/** @import { Run } from '../types.d.ts' */
/** @import { Cells, Now } from './index.js' */

export const PROBABILITIES = 'sampling.output'

/** @param {number[]} a @param {number[]} b */
const distance = (a, b) => a.reduce((sum, value, i) => sum + (value - b[i]) ** 2, 0)
/** @param {number[][]} rows */
const meanRow = rows => rows[0].map((_, i) => rows.reduce((sum, row) => sum + row[i], 0) / rows.length)

/**
 * @param {object} options
 * @param {string} options.attention the module
 * @param {(run: Run) => number} options.row
 * @param {string} options.stream of the tokens that it attends to
 * @param {string} options.answerStream of the tokens that the model chooses from
 */
export function createAttentionRow({ attention, row, stream, answerStream }) {
  const [DOTS, SCORES, WEIGHTS, HEADS] = ['dots', 'scores', 'weights', 'heads'].map(name => `${attention}.${name}`)
  /** @param {Run} run @param {Now} now */
  const weights = (run, { state }) => rowValues(run, WEIGHTS, [0, state.head, row(run)])
  /** The token with the largest weight. @param {Run} run @param {Now} now */
  const mostAttended = (run, now) => largest(weights(run, now))
  /** @param {Run} run @param {Now} now */
  const pairIndex = (run, now) => [0, now.state.head, row(run), mostAttended(run, now)]
  /** The columns of the results of a head. @param {Run} run @param {Now} now */
  function headColumns(run, { state: { head } }) {
    const { shape: [, , width] } = getTensor(run, HEADS), size = width / getTensor(run, WEIGHTS).shape[1]
    return Array.from({ length: size }, (_, i) => head * size + i)
  }
  /**
   * The column in which query and key of the token with the largest weight have their largest product.
   * @param {Run} run @param {Now} now
   */
  function termColumn(run, now) {
    const q = rowValues(run, `${attention}.q`, [0, row(run)]), columns = headColumns(run, now)
    const k = rowValues(run, `${attention}.k`, [0, mostAttended(run, now)])
    return columns[largest(columns.map(column => q[column] * k[column]))]
  }
  /** @param {Run} run @param {Now} now */
  const attentionValues = (run, now) => ({
    token: streamTokens(run, stream)[mostAttended(run, now)], place: String(mostAttended(run, now)),
    weight: formatFixed(Math.max(...weights(run, now))), head: String(now.state.head)
  })
  return {
    weights, mostAttended, pairIndex, attentionValues, termColumn,
    /** The row of a tensor with a row for every token. @param {Run} run @param {string} name @param {number} at */
    rowTarget: (run, name, at) => ({ tensor: `${attention}.${name}`, index: [0, at, null] }),
    /**
     * Of such a row, the columns of the head.
     * @param {Run} run @param {Now} now @param {string} name @param {number} at
     */
    headRow: (run, now, name, at) => ({ tensor: `${attention}.${name}`, index: [0, at, null], columns: headColumns(run, now) }),
    /** Its cell for the token with the largest weight. @param {string} name @returns {(run: Run, now: Now) => Cells} */
    pairTarget: name => (run, now) => ({ tensor: `${attention}.${name}`, index: pairIndex(run, now) }),
    /** What the head makes of the row. @param {Run} run @param {Now} now */
    resultTarget: (run, now) => ({ tensor: HEADS, index: [0, row(run), null], columns: headColumns(run, now) }),
    /** The first number of that. @param {Run} run @param {Now} now */
    resultCell: (run, now) => ({ tensor: HEADS, index: [0, row(run), headColumns(run, now)[0]] }),
    /** @param {Run} run @param {Now} now */
    scoreValues: (run, now) => ({ ...attentionValues(run, now),
      dot: formatFixed(valueOfCell(run, DOTS, pairIndex(run, now))),
      score: formatFixed(valueOfCell(run, SCORES, pairIndex(run, now))) }),
    /** @param {Run} run @param {Now} now */
    resultValues: (run, now) => ({ ...attentionValues(run, now), first: String(headColumns(run, now)[0]),
      last: String(headColumns(run, now).at(-1)) }),
    /**
     * The weight of a token that the reader chose.
     * @param {Run} run @param {Now} now @param {string} position
     */
    givenWeight: (run, now, position) => ({ weight: formatProbability(weights(run, now)[Number(position)]) }),
    /** The probability of a token that the reader chose. @param {Run} run @param {Now} _ @param {string} text */
    givenProbability: (run, _, text) => ({ share: formatProbability(
      valueOfCell(run, PROBABILITIES, [0, row(run), run.streams[answerStream].vocabulary.indexOf(text)])) }),
    /**
     * Whose value the row's result is nearest to: a key of the candidates, or `all` for the mean.
     * @param {Run} run @param {Now} now @param {Record<string, number>} candidates positions
     */
    nearest(run, now, candidates) {
      const { shape: [, count] } = getTensor(run, WEIGHTS)
      /** @param {string} name */
      const rows = name => {
        const { values, cols } = sliceHead(run, `${attention}.${name}`, count, now.state)
        return Array.from({ length: values.length / cols },
          (_, at) => Array.from(values.slice(at * cols, (at + 1) * cols)))
      }
      const values = rows('v'), output = rows('heads')[row(run)]
      const distances = Object.entries(candidates).map(([id, at]) => ({ id, value: distance(values[at], output) }))
      distances.push({ id: 'all', value: distance(meanRow(values), output) })
      return distances.sort((a, b) => a.value - b.value)[0].id
    }
  }
}
