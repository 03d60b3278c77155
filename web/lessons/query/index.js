/** Attention with two numbers a token: scores, weights, and values mixed by them. */

import { norm } from '../../figures/math.js'
import { formatPoint } from '../../figures/plane.js'
import { formatFixed } from '../../lib/number.js'

const KEYS = [[-2, 0.8], [2, 1], [0.3, -2.2]], VALUES = [[-1, -2], [2.2, 1.6], [-2, 2]]
const START = { query: [0.6, -0.6], keys: KEYS, values: VALUES }
const STATE = 'room=decoder.1.multihead_attn.scores'
/** The pieces of the date: the month, and the year. */
const [MONTH, YEAR] = [1, 2]

/** @param {number[]} a @param {number[]} b */
const distance = (a, b) => norm(a.map((value, i) => value - b[i]))
/** @param {number[]} result */
const distanceToYear = result => distance(result, VALUES[YEAR])
/** Which number of a query is further from the key of the month, and on which side. @param {number[]} query */
function describeQuery(query) {
  const [first, second] = query.map((value, i) => value - KEYS[MONTH][i])
  return Math.abs(first) >= Math.abs(second) ? first < 0 ? 'firstLow' : 'firstHigh' : second < 0 ? 'secondLow' : 'secondHigh'
}

/** @param {'scores' | 'weights' | 'values'} shows @param {number[]} [query] */
const figure = (shows, query = START.query) => ({ id: /** @type {const} */ ('mixing'), options: { ...START, query, shows } })

/** @type {import('../index.js').Lesson} */
export const lesson = {
  model: 'dates', base: '', userFields: ['source'],
  steps: [
    {
      id: 'ask', state: STATE, figure: figure('scores'),
      task: {
        isDone: ({ scores }) => scores[MONTH] > 4 && scores[MONTH] === Math.max(...scores),
        solution: { query: [2, 1] },
        feedback: ({ scores }) => ({ id: scores[MONTH] > 4 ? 'rival' : 'low', score: formatFixed(scores[MONTH]) })
      }
    },
    {
      id: 'weights', state: STATE, figure: figure('weights'),
      task: { isDone: ({ weights }) => weights[MONTH] > 0.9, solution: { query: [2, 1] },
        feedback: ({ weights }) => ({ id: 'low', weight: formatFixed(weights[MONTH]) }) }
    },
    {
      id: 'even', state: STATE, figure: figure('weights', [1.5, 1]),
      task: { isDone: ({ weights }) => Number(formatFixed(Math.max(...weights))) < 0.4, solution: { query: [0, 0] },
        feedback: ({ weights }) => ({ id: 'long', weight: formatFixed(Math.max(...weights)) }) }
    },
    {
      id: 'mix', state: STATE, figure: figure('values', [0, 0]),
      task: {
        isDone: ({ result }) => distanceToYear(result) < 0.5, solution: { query: [-0.2, -2.5] },
        feedback: ({ result }) => ({ id: 'far', distance: formatFixed(distanceToYear(result)) })
      }
    },
    {
      id: 'half', state: STATE, figure: figure('values', [1.6, 0.6]), answerFigure: { query: [1.6, -0.85] },
      question: { options: () => [{ id: 'middle' }, { id: 'sum' }, { id: 'larger' }], answer: () => 'middle' }
    },
    {
      id: 'matrix', state: STATE,
      figure: { id: 'matrix', options: { row: [1, 2], key: KEYS[MONTH], entries: [1, 0, 0, -1] } },
      task: {
        isDone: ({ query }) => distance(query, KEYS[MONTH]) < 0.3, solution: { entries: [0, 1, 1, 0] },
        feedback: ({ query }) => ({ id: describeQuery(query), query: formatPoint(query) })
      }
    }
  ]
}
