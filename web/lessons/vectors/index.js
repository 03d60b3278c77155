/** A token is a direction: arrows, the dot product as an angle, similarity, and the vectors of the model. */

import { getTensor } from '../../lib/run.js'
import { gaps } from '../gaps.js'

const STATE = 'room=text.embedding'
const EMBEDDING = 'embedding.output'

/** @type {import('../index.js').Lesson} */
export const lesson = {
  model: 'particles', base: gaps, userFields: ['gapped'], next: 'positions',
  steps: [
    {
      id: 'arrow', state: STATE, figure: { id: 'vectors', options: { arrows: [{ id: 'a', at: [1, -1] }], shows: 'numbers' } },
      task: { isDone: ({ a: [x, y] }) => Math.abs(x - 3) < 0.15 && Math.abs(y - 2) < 0.15, solution: { a: [3, 2] } }
    },
    {
      id: 'dot', state: STATE, figure: { id: 'vectors', options: { arrows: [{ id: 'a', at: [2, 2] }, { id: 'b', at: [3, 1], isFixed: true }] } },
      task: { isDone: ({ dot, lengths }) => Math.abs(dot) < 0.25 && lengths[0] > 1, solution: { a: [-1, 3] } }
    },
    {
      id: 'sign', state: STATE, figure: { id: 'vectors', options: { arrows: [{ id: 'a', at: [1, 2] }, { id: 'b', at: [3, 1], isFixed: true }] } },
      question: { options: () => [{ id: 'positive' }, { id: 'zero' }, { id: 'negative' }], answer: () => 'negative' }
    },
    {
      id: 'similar', state: STATE, figure: { id: 'vectors', options: { shows: 'similarity', hasNamedAxes: true, arrows: [{ id: 'tiger', at: [-1, -2] },
        { id: 'cat', at: [3, -1], isFixed: true }, { id: 'elephant', at: [3, 3], isFixed: true }, { id: 'truck', at: [-3, 3], isFixed: true }] } },
      task: {
        isDone: ({ similarities: { cat, elephant, truck } }) => cat > 4 && elephant > 4 && truck < 0,
        solution: { tiger: [3, 1] }
      }
    },
    {
      id: 'real', state: 'room=text.sum', target: run => ({ tensor: EMBEDDING, index: [0, run.streams.text.tokens[0].indexOf('[?]'), null] }),
      values: run => ({ count: String(getTensor(run, EMBEDDING).shape.at(-1)) })
    }
  ]
}
