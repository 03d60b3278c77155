/** Softmax: scores become shares; only differences matter; a temperature flattens them. */

import { formatFixed } from '../../lib/number.js'
import { getTensor } from '../../lib/run.js'
import { monthRow } from '../month.js'
import { rowValues, streamTokens } from '../run_values.js'

/** @import { Run } from '../../types.d.ts' */
/** @import { Now } from '../index.js' */

const WEIGHTS = 'transformer.decoder.layers.1.multihead_attn.weights', STATE = 'room=decoder.1.multihead_attn.weights'
const SCORES = [2, 1, -1]
/** @param {Record<string, any>} [more] */
const figure = more => ({ id: /** @type {const} */ ('softmax'), options: { scores: SCORES, ...more } })
/** @param {Run} run @param {Now} now */
const weightSum = (run, { state }) => (
  rowValues(run, WEIGHTS, [0, state.head, monthRow(run)]).reduce((sum, weight) => sum + weight, 0))

/** The largest weight, and the number of weights. @param {Run} run @param {Now} now */
const mistakes = (run, { state }) => {
  const weights = rowValues(run, WEIGHTS, [0, state.head, monthRow(run)])
  return [{ id: 'largest', value: Math.max(...weights) }, { id: 'count', value: weights.length }]
}

/** @type {import('../index.js').Lesson} */
export const lesson = {
  model: 'dates', base: 'head=3', userFields: ['source'],
  steps: [
    { id: 'shares', state: STATE, figure: figure(), task: {
      isDone: ({ weights }) => weights[2] > 0.5, solution: { scores: [2, 1, 3] },
      feedback: ({ weights }) => ({ id: 'low', weight: formatFixed(weights[2]) })
    } },
    {
      id: 'shift', state: STATE, figure: figure({ hasShift: true }), answerFigure: { scores: SCORES.map(score => score + 1) },
      question: { options: () => [{ id: 'larger' }, { id: 'same' }, { id: 'smaller' }], answer: () => 'same' }
    },
    {
      id: 'ratio', state: STATE, figure: figure({ scores: [1, 1, 1], max: 3 }),
      task: {
        isDone: ({ weights: [a, b, c] }) => [b, c].every(weight => Math.abs(a / weight - 2) < 0.25),
        solution: { scores: [1.7, 1, 1] },
        feedback: ({ weights: [a, b, c] }) => ({ id: Math.abs(a / b - a / c) > 0.4 ? 'uneven' : a / b + a / c < 4 ? 'low' : 'high',
          first: formatFixed(a / b), second: formatFixed(a / c) })
      }
    },
    {
      id: 'temperature', state: STATE, figure: figure({ hasTemperature: true }),
      task: {
        isDone: ({ weights, temperature }) => temperature > 1 && Math.max(...weights) < 0.5,
        solution: { temperature: 4 },
        feedback: ({ weights, temperature }) => ({ id: temperature > 1 ? 'hot' : 'cold',
          weight: formatFixed(Math.max(...weights)), temperature: formatFixed(temperature, 1) })
      }
    },
    {
      id: 'row', state: STATE, target: (run, { state }) => ({ tensor: WEIGHTS, index: [0, state.head, monthRow(run), null] }),
      question: { answer: (run, now) => weightSum(run, now), tolerance: 0.01, mistakes },
      values: (run, now) => ({ sum: formatFixed(weightSum(run, now)), head: String(now.state.head), last: streamTokens(run, 'target')[monthRow(run)],
        count: String(getTensor(run, WEIGHTS).shape.at(-1)) })
    }
  ]
}
