/** Three ways to be a transformer: BERT's encoder, GPT's decoder, and both as in the first one and T5. */

import { getTensor } from '../../lib/run.js'
import { beginnings } from '../beginnings.js'
import { gaps, withRoom } from '../gaps.js'
import { valueOfCell } from '../run_values.js'

/** @import { Run } from '../../types.d.ts' */

const DIRECTIONS = () => [{ id: 'left' }, { id: 'both' }]

/**
 * Whether any token looks at a later one.
 * @param {Run} run @param {string} name of attention weights
 */
function looksAhead(run, name) {
  const { shape: [, heads, rows, cols] } = getTensor(run, name)
  const pairs = Array.from({ length: rows * cols }, (_, i) => [Math.floor(i / cols), i % cols])
    .filter(([row, col]) => col > row)
  return Array.from({ length: heads }, (_, head) => head)
    .some(head => pairs.some(([row, col]) => valueOfCell(run, name, [0, head, row, col]) > 0))
}
/** @param {string} name */
const direction = name => (/** @type {Run} */ run) => (looksAhead(run, name) ? 'both' : 'left')

/** @type {import('../index.js').Lesson} */
export const lesson = {
  model: 'dates', base: '', userFields: ['source'],
  steps: [
    {
      id: 'both', state: 'room=decoder.1.multihead_attn.weights',
      question: { options: () => [{ id: 'source' }, { id: 'target' }], answer: () => 'target' }
    },
    {
      id: 'encoder', model: 'particles', state: withRoom(gaps, 'encoder.1.self_attn.weights'),
      question: { options: DIRECTIONS, answer: direction('encoder.layers.1.self_attn.weights') }
    },
    {
      id: 'decoder', model: 'stories', state: beginnings('room=decoder.1.self_attn.weights'),
      question: { options: DIRECTIONS, answer: direction('decoder.layers.1.self_attn.weights') }
    },
    {
      id: 'chat', model: 'stories', state: beginnings('room=decoding'),
      question: { options: () => [{ id: 'encoder' }, { id: 'decoder' }, { id: 'both' }], answer: () => 'decoder' }
    }
  ]
}
