/** The key-value cache: what need not be computed again for the next token, and what it costs. */

import { beginnings } from '../beginnings.js'

/** @type {import('../index.js').Lesson} */
export const lesson = {
  model: 'stories', base: beginnings(), userFields: ['beginning'], next: 'break',
  steps: [
    {
      id: 'again', state: 'room=decoder.0.self_attn.weights',
      question: { options: () => [{ id: 'change' }, { id: 'stay' }], answer: () => 'stay' }
    },
    {
      id: 'kept', state: 'room=decoder.0.self_attn.weights',
      question: { options: () => [{ id: 'queries' }, { id: 'keysValues' }, { id: 'weights' }], answer: () => 'keysValues' }
    },
    { id: 'columns', state: 'room=cache' }
  ]
}
