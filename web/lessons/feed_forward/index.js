/** The feed-forward layer: why an activation bends the lines; then a layer, a stack, and the way of one token. */

import { formatFixed } from '../../lib/number.js'
import { getTensor } from '../../lib/run.js'
import { largest, rowValues, streamTokens, wholeRow } from '../run_values.js'

/** @import { Run } from '../../types.d.ts' */

const NEURONS = [{ w: 1, b: 0, out: 0.4 }, { w: -1, b: 0, out: -0.3 }, { w: 1, b: -2, out: 0.5 }]
/** The absolute value of x, as points of a polyline. */
const GOAL = [[-4, 4], [0, 0], [4, 4]]
/** What the neurons are multiplied by where they match it. */
const FITTED = [1, 1, 0]
const HIDDEN = 'transformer.encoder.layers.0.activation', ROOM = 'room=encoder.0.activation'
const WEIGHTS = [0, 1].map(layer => `transformer.encoder.layers.${layer}.linear1.weight`)

/** The neuron that is furthest from matching, and which way it has to go. @param {number[]} outs */
function describeNeuron(outs) {
  const distances = outs.map((out, i) => Math.abs(out - FITTED[i])), number = largest(distances)
  return { id: outs[number] < FITTED[number] ? 'raise' : 'lower', number: String(number) }
}

/** The share of the neurons that fire at the first token. @param {Run} run */
function firingShare(run) {
  const values = rowValues(run, HIDDEN, [0, 0])
  return values.filter(value => value > 0).length / values.length
}

/** Whether both layers have the same weights. @param {Run} run */
function shareWeights(run) {
  const [one, other] = WEIGHTS.map(name => getTensor(run, name).data)
  return Array.from(one).every((value, i) => value === other[i])
}

/** @type {import('../index.js').Lesson} */
export const lesson = {
  model: 'dates', base: '', userFields: ['source'],
  steps: [
    {
      id: 'straight', state: ROOM, figure: { id: 'activation', options: { neurons: NEURONS, canBend: false, goal: GOAL } },
      question: { options: () => [{ id: 'yes' }, { id: 'no' }], answer: () => 'no' }
    },
    {
      id: 'bent', state: ROOM, figure: { id: 'activation', options: { neurons: NEURONS, goal: GOAL } },
      task: { isDone: ({ isBent, error }) => isBent && error < 0.7, solution: { isBent: true, outs: FITTED },
        feedback: ({ isBent, outs, error }) => (
          { error: formatFixed(error, 1), ...(isBent ? describeNeuron(outs) : { id: 'straight' }) }) }
    },
    {
      id: 'neurons', state: ROOM, target: () => ({ tensor: HIDDEN, index: [0, 0, null] }),
      paperCells: run => [wholeRow(run, HIDDEN, 0)],
      question: {
        options: () => [{ id: 'few' }, { id: 'half' }, { id: 'most' }],
        answer: run => (firingShare(run) < 0.45 ? 'few' : firingShare(run) > 0.55 ? 'most' : 'half')
      },
      values: run => {
        const values = rowValues(run, HIDDEN, [0, 0])
        return { token: streamTokens(run, 'source')[0], count: String(values.length), firing: String(values.filter(value => value > 0).length) }
      }
    },
    {
      id: 'alone', state: 'room=encoder.0.linear2',
      question: { options: () => [{ id: 'attention' }, { id: 'feedForward' }, { id: 'both' }], answer: () => 'attention' }
    },
    {
      id: 'layers', state: 'room=house',
      question: { options: () => [{ id: 'shared' }, { id: 'own' }], answer: run => (shareWeights(run) ? 'shared' : 'own') }
    },
    { id: 'stream', state: 'room=residual_stream', hides: 'section:nth-of-type(n + 2), section > .tools, section > .tools + .note' }
  ]
}
