/** A block and a stack: what a layer consists of, that layers have weights of their own, and the way of one token. */

import { getTensor } from '../../lib/run.js'

/** @import { Run } from '../../types.d.ts' */

const WEIGHTS = [0, 1].map(layer => `transformer.encoder.layers.${layer}.linear1.weight`)
/** @param {Run} run */
function shareWeights(run) {
  const [one, other] = WEIGHTS.map(name => getTensor(run, name).data)
  return Array.from(one).every((value, i) => value === other[i])
}

/** @type {import('../index.js').Lesson} */
export const lesson = {
  model: 'dates', base: '', userFields: ['source'], next: 'loss',
  steps: [
    { id: 'parts', state: 'room=house' },
    {
      id: 'layers', state: 'room=house',
      question: {
        options: () => [{ id: 'shared' }, { id: 'own' }],
        answer: run => (shareWeights(run) ? 'shared' : 'own')
      }
    },
    { id: 'stream', state: 'room=residual_stream' }
  ]
}
