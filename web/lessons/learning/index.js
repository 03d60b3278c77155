/** What a model, a weight and training are: a line of two weights learns, then the page's model is met. */

import { formatFixed, formatInteger } from '../../lib/number.js'
import { LOSS_LINE, countParameters } from '../run_values.js'

/** @import { Now } from '../index.js' */

/** Fares of a taxi: kilometers, and thousands of won or dollars. */
const POINTS = [[1, 5.3], [2, 6.2], [3, 7.8], [4.5, 9.2], [6, 11.4], [7, 12.1]]
const START = { points: POINTS, w: 0.3, b: 1.5 }
const STATE = 'room=house'
/** Weights that fit. */
const FITTED = { w: 1.17, b: 4.1 }
/**
 * What is wrong with a line: its height, where the points are more than 1.5 off in the mean, which is half the gradient
 * of b, or where its slope fits; else its slope.
 * @param {Record<string, any>} values
 */
const describeLine = ({ w, gradient: { b } }) => (
  Math.abs(b) > 3 || Math.abs(w - FITTED.w) < 0.15 ? b < 0 ? 'low' : 'high' : w < FITTED.w ? 'flat' : 'steep')
/** @param {Now} now */
const slopeOf = ({ figure }) => figure?.gradient.w ?? 0

/** @type {import('../index.js').Lesson} */
export const lesson = {
  model: 'dates', base: '', userFields: ['source'],
  steps: [
    {
      id: 'rule', state: STATE, figure: { id: 'line', options: { ...START, shows: 'line' } },
      task: { isDone: ({ loss }) => loss < 0.3, solution: FITTED,
        feedback: figure => ({ id: describeLine(figure), w: formatFixed(figure.w), b: formatFixed(figure.b) }) }
    },
    {
      id: 'error', state: STATE, figure: { id: 'line', options: START },
      question: {
        options: () => [{ id: 'smaller' }, { id: 'same' }, { id: 'larger' }],
        answer: (_, now) => (slopeOf(now) < 0 ? 'smaller' : slopeOf(now) > 0 ? 'larger' : 'same')
      },
      values: (_, now) => ({ change: formatFixed(slopeOf(now) / 100) })
    },
    {
      id: 'step', state: STATE, figure: { id: 'line', options: { ...START, learns: true } },
      task: { isDone: ({ steps }) => steps >= 5, solution: { steps: 5 }, feedback: ({ steps }) => ({ id: 'more', steps: String(steps) }) }
    },
    {
      id: 'learn', state: STATE, figure: { id: 'line', options: { ...START, learns: true } },
      task: { isDone: ({ loss }) => loss < 0.3, solution: { steps: 300 }, feedback: ({ loss }) => ({ id: 'more', loss: formatFixed(loss) }) }
    },
    {
      id: 'model', state: 'room=decoding', hides: LOSS_LINE,
      values: run => ({ count: formatInteger(countParameters(run)) })
    }
  ]
}
