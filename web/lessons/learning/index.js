/** What a model, a weight and training are: a line of two weights learns, then the page's model is met. */

import { formatFixed, formatInteger } from '../../lib/number.js'
import { countParameters } from '../run_values.js'

/** @import { Now } from '../index.js' */

/** Fares of a taxi: kilometers, and thousands of won or dollars. */
const POINTS = [[1, 5.3], [2, 6.2], [3, 7.8], [4.5, 9.2], [6, 11.4], [7, 12.1]]
const START = { points: POINTS, w: 0.3, b: 1.5 }
const STATE = 'room=house'
/** @param {Now} now */
const slopeOf = ({ figure }) => figure?.gradient.w ?? 0

/** @type {import('../index.js').Lesson} */
export const lesson = {
  model: 'dates', base: '', userFields: ['source'],
  steps: [
    {
      id: 'rule', state: STATE, figure: { id: 'line', options: { ...START, shows: 'line' } },
      task: { isDone: ({ loss }) => loss < 0.3, solution: { w: 1.17, b: 4.1 },
        near: ({ loss }) => (loss < 1 ? { loss: formatFixed(loss) } : null) }
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
      task: { isDone: ({ steps }) => steps >= 5, solution: { steps: 5 } }
    },
    {
      id: 'learn', state: STATE, figure: { id: 'line', options: { ...START, learns: true } },
      task: { isDone: ({ loss }) => loss < 0.3, solution: { steps: 300 } }
    },
    {
      id: 'model', state: 'room=decoding',
      values: run => ({ count: formatInteger(countParameters(run)) })
    }
  ]
}
