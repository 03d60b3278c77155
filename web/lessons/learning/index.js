/** What a model, a weight and training are: a line of two weights learns, then the page's model is met. */

import { formatFixed, formatInteger } from '../../lib/number.js'
import { countParameters } from '../run_values.js'

/** @import { Now } from '../index.js' */

/** Fares of a taxi: kilometers, and thousands of won or dollars. */
const POINTS = [[1, 5.3], [2, 6.2], [3, 7.8], [4.5, 9.2], [6, 11.4], [7, 12.1]]
const START = { points: POINTS, w: 0.3, b: 1.5 }
const STATE = 'room=house'
/** Weights that fit. */
const FITTED = { w: 1.17, b: 4.1 }
/**
 * What is wrong with a line: that it is below or above all points, else its slope, else its height.
 * @param {Record<string, any>} values
 */
function describeLine({ w, b, gradient }) {
  const isBelow = POINTS.map(([x, y]) => w * x + b < y)
  if (new Set(isBelow).size === 1) return isBelow[0] ? 'low' : 'high'
  return Math.abs(w - FITTED.w) > 0.15 ? w < FITTED.w ? 'flat' : 'steep' : gradient.b < 0 ? 'low' : 'high'
}
/** How far the points are from a line, in the mean. @param {Record<string, any>} values */
const distanceTo = ({ w, b }) => POINTS.reduce((sum, [x, y]) => sum + Math.abs(w * x + b - y), 0) / POINTS.length
/** @param {Now} now */
const slopeOf = ({ figure }) => figure?.gradient.w ?? 0

/** @type {import('../index.js').Lesson} */
export const lesson = {
  model: 'dates', base: '', userFields: ['source'],
  steps: [
    {
      id: 'rule', state: STATE, figure: { id: 'line', options: { ...START, shows: 'line' } },
      task: { isDone: ({ loss }) => loss < 0.3, solution: FITTED,
        feedback: values => ({ id: describeLine(values), distance: formatFixed(distanceTo(values)) }) }
    },
    {
      id: 'error', state: STATE, figure: { id: 'line', options: START },
      question: {
        options: () => [{ id: 'smaller' }, { id: 'same' }, { id: 'larger' }],
        answer: (_, now) => (slopeOf(now) < 0 ? 'smaller' : slopeOf(now) > 0 ? 'larger' : 'same')
      },
      values: (_, now) => ({ change: formatFixed(slopeOf(now) / 10, 1) })
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
      id: 'model', state: 'room=decoding',
      values: run => ({ count: formatInteger(countParameters(run)) })
    }
  ]
}
