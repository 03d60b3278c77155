/** Attention with two numbers a token: scores, weights, and values mixed by them. */

import { norm } from '../../figures/math.js'
import { gaps } from '../gaps.js'

const KEYS = [[-2, 0.8], [2, 1], [0.3, -2.2]], VALUES = [[-1, -2], [2.2, 1.6], [-2, 2]]
const START = { query: [0.6, -0.6], keys: KEYS, values: VALUES }
const STATE = 'room=encoder.1.self_attn.scores'
/** The places of the tokens: the noun, and the verb. */
const [NOUN, VERB] = [1, 2]

/** @param {'scores' | 'weights' | 'values'} shows @param {number[]} [query] */
const figure = (shows, query = START.query) => ({ id: /** @type {const} */ ('mixing'), options: { ...START, query, shows } })

/** @type {import('../index.js').Lesson} */
export const lesson = {
  model: 'particles', base: gaps, userFields: ['gapped'], next: 'softmax',
  steps: [
    {
      id: 'ask', state: STATE, figure: figure('scores'),
      task: {
        isDone: ({ scores }) => scores[NOUN] > 4 && scores[NOUN] === Math.max(...scores),
        solution: { query: [2, 1] }
      }
    },
    {
      id: 'weights', state: STATE, figure: figure('weights'),
      task: { isDone: ({ weights }) => weights[NOUN] > 0.9, solution: { query: [2, 1] } }
    },
    {
      id: 'even', state: STATE, figure: figure('weights', [1.5, 1]),
      task: { isDone: ({ weights }) => Math.max(...weights) < 0.4, solution: { query: [0, 0] } }
    },
    {
      id: 'mix', state: STATE, figure: figure('values', [0, 0]),
      task: {
        isDone: ({ result }) => norm([result[0] - VALUES[VERB][0], result[1] - VALUES[VERB][1]]) < 0.5,
        solution: { query: [-0.2, -2.5] }
      }
    },
    {
      id: 'half', state: STATE, figure: figure('values', [0.6, -0.3]),
      question: { options: () => [{ id: 'middle' }, { id: 'sum' }, { id: 'larger' }], answer: () => 'middle' }
    }
  ]
}
