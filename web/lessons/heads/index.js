/** Heads: each looks elsewhere, their results are joined, and W_O mixes them. */

import { formatFixed } from '../../lib/number.js'
import { getTensor } from '../../lib/run.js'
import { lessonLink } from '../../words/index.js'
import { largest, streamTokens, valueOfCell } from '../run_values.js'

/** @import { Run } from '../../types.d.ts' */

const ROOM = 'encoder.1.self_attn', ATTENTION = 'encoder.layers.1.self_attn'
const [WEIGHTS, HEADS, OUTPUT] = [`${ATTENTION}.weights`, `${ATTENTION}.heads`, `${ATTENTION}.output`]

/** @param {Run} run */
const gapRow = run => streamTokens(run, 'text').indexOf('[?]')
/** @param {Run} run */
const headCount = run => getTensor(run, WEIGHTS).shape[1]
/** @param {Run} run */
const headSize = run => getTensor(run, HEADS).shape[2] / headCount(run)
/** The weight that each head gives to the gap itself. @param {Run} run */
const ownWeights = run => Array.from({ length: headCount(run) }, (_, head) => (
  valueOfCell(run, WEIGHTS, [0, head, gapRow(run), gapRow(run)])))

/** @type {import('../index.js').Lesson} */
export const lesson = {
  model: 'particles', base: lessonLink('attention', 'base'), userFields: ['gapped'], next: 'mask',
  steps: [
    {
      id: 'different', state: `room=${ROOM}.weights`, freeSettings: ['head'],
      target: () => ({ selector: '.stage [data-picker="head"]' }),
      question: {
        options: run => ownWeights(run).map((_, head) => ({ id: String(head), text: String(head) })),
        answer: run => String(largest(ownWeights(run)))
      },
      values: run => ({ count: String(headCount(run)), head: String(largest(ownWeights(run))),
        weight: formatFixed(Math.max(...ownWeights(run))) })
    },
    {
      id: 'size', state: `room=${ROOM}.heads`, target: run => ({ tensor: HEADS, index: [0, gapRow(run), null] }),
      question: { answer: headSize, tolerance: 0.1 },
      values: run => ({ count: String(headCount(run)), size: String(headSize(run)),
        width: String(getTensor(run, HEADS).shape[2]) })
    },
    {
      id: 'mix', state: `room=${ROOM}.output`, target: run => ({ tensor: OUTPUT, index: [0, gapRow(run), null] }),
      question: { options: () => [{ id: 'own' }, { id: 'all' }, { id: 'none' }], answer: () => 'all' },
      values: run => ({ width: String(getTensor(run, HEADS).shape[2]) })
    }
  ]
}
