/** A token is a direction: arrows, the dot product as an angle, similarity, and the vectors of the model. */

import { formatFixed } from '../../lib/number.js'
import { getTensor } from '../../lib/run.js'
import { streamTokens } from '../run_values.js'

const STATE = 'room=source.embedding'
const EMBEDDING = 'source_embedding.output'

/** @type {import('../index.js').Lesson} */
export const lesson = {
  model: 'dates', base: '', userFields: ['source'],
  steps: [
    {
      id: 'arrow', state: STATE, figure: { id: 'vectors', options: { arrows: [{ id: 'a', at: [1, -1] }], shows: 'numbers' } },
      task: { isDone: ({ a: [x, y] }) => Math.abs(x - 3) < 0.15 && Math.abs(y - 2) < 0.15, solution: { a: [3, 2] },
        feedback: ({ a: [x, y] }) => ({ id: 'away', x: formatFixed(x, 1), y: formatFixed(y, 1),
          dx: formatFixed(3 - x, 1), dy: formatFixed(2 - y, 1) }) }
    },
    {
      id: 'dot', state: STATE, figure: { id: 'vectors', options: { arrows: [{ id: 'a', at: [2, 2] }, { id: 'b', at: [3, 1], isFixed: true }] } },
      task: { isDone: ({ dot, lengths }) => Math.abs(dot) < 0.25 && lengths[0] > 1, solution: { a: [-1, 3] },
        feedback: ({ dot, lengths }) => (
          { id: lengths[0] <= 1 ? 'short' : dot > 0 ? 'acute' : 'obtuse', dot: formatFixed(dot) }) }
    },
    {
      id: 'sign', state: STATE, figure: { id: 'vectors', options: { arrows: [{ id: 'a', at: [1, 2] }, { id: 'b', at: [3, 1], isFixed: true }] } },
      answerFigure: { a: [-2, -1] },
      question: { options: () => [{ id: 'positive' }, { id: 'zero' }, { id: 'negative' }], answer: () => 'negative' }
    },
    {
      id: 'similar', state: STATE, figure: { id: 'vectors', options: { shows: 'similarity', hasNamedAxes: true, arrows: [{ id: 'tiger', at: [-1, -2] },
        { id: 'cat', at: [3, -1], isFixed: true }, { id: 'elephant', at: [3, 3], isFixed: true }, { id: 'truck', at: [-3, 3], isFixed: true }] } },
      task: {
        isDone: ({ similarities: { cat, elephant, truck } }) => cat > 4 && elephant > 12 && truck < 0,
        solution: { tiger: [3, 2] },
        feedback: ({ similarities: { cat, elephant, truck } }) => ({ id: cat <= 4 ? 'cat' : elephant <= 12 ? 'elephant' : 'truck',
          cat: formatFixed(cat, 1), elephant: formatFixed(elephant, 1), truck: formatFixed(truck, 1) })
      }
    },
    {
      id: 'real', state: STATE, hides: 'details.plane', target: () => ({ tensor: EMBEDDING, index: [0, 0, null] }),
      values: run => ({ token: streamTokens(run, 'source')[0], count: String(getTensor(run, EMBEDDING).shape.at(-1)) })
    }
  ]
}
