/** Heads: each looks elsewhere, their results are joined, and W_O mixes them. */

import { formatFixed } from '../../lib/number.js'
import { getTensor } from '../../lib/run.js'
import { largest, rowValues, streamTokens } from '../run_values.js'

/** @import { Run } from '../../types.d.ts' */
/** @import { Now } from '../index.js' */

const ROOM = 'encoder.1.self_attn', ATTENTION = 'transformer.encoder.layers.1.self_attn'
const [WEIGHTS, HEADS, OUTPUT] = [`${ATTENTION}.weights`, `${ATTENTION}.heads`, `${ATTENTION}.output`]

/** The second token: in most dates a digit that could belong to the day or to the year. @param {Run} run */
const rowOf = run => Math.min(1, streamTokens(run, 'source').length - 1)
/** @param {Run} run */
const headCount = run => getTensor(run, WEIGHTS).shape[1]
/** @param {Run} run */
const headSize = run => getTensor(run, HEADS).shape[2] / headCount(run)
/** The weights from that token, by head. @param {Run} run */
const headWeights = run => Array.from({ length: headCount(run) }, (_, head) => (
  rowValues(run, WEIGHTS, [0, head, rowOf(run)])))
/** The position with the largest weight in any head. @param {Run} run */
function attended(run) {
  const rows = headWeights(run), head = largest(rows.map(row => Math.max(...row)))
  return largest(rows[head])
}
/** The weight that each head gives to that position. @param {Run} run */
const weightsOfHeads = run => headWeights(run).map(row => row[attended(run)])

/** @param {Run} run */
const answer = run => String(largest(weightsOfHeads(run)))
/** What the displayed head gives to that position. @param {Run} run @param {Now} now */
const weightCell = (run, { state }) => ({ tensor: WEIGHTS, index: [0, state.head, rowOf(run), attended(run)] })

/** The other numbers of the step. @param {Run} run */
const sizeMistakes = run => [{ id: 'width', value: getTensor(run, HEADS).shape[2] }, { id: 'heads', value: headCount(run) }]

/** @type {import('../index.js').Lesson} */
export const lesson = {
  model: 'dates', base: '', userFields: ['source'],
  steps: [
    {
      id: 'different', state: `room=${ROOM}.weights`, freeSettings: ['head'],
      target: () => ({ selector: '.stage [data-picker="head"]' }),
      question: {
        options: run => weightsOfHeads(run).map((_, head) => ({ id: String(head) })),
        answer
      },
      cell: weightCell,
      paperCells: run => headWeights(run).map((_, head) => ({ tensor: WEIGHTS, index: [0, head, rowOf(run), null] })),
      answerState: run => `room=${ROOM}.weights&head=${answer(run)}`, answerTarget: weightCell,
      values: run => ({ count: String(headCount(run)), head: answer(run),
        weight: formatFixed(Math.max(...weightsOfHeads(run))), token: streamTokens(run, 'source')[attended(run)],
        row: streamTokens(run, 'source')[rowOf(run)],
        place: String(attended(run)) })
    },
    {
      id: 'size', state: `room=${ROOM}.heads`, target: run => ({ tensor: HEADS, index: [0, rowOf(run), null] }),
      cell: (run, { state }) => ({ tensor: HEADS, index: [0, rowOf(run), state.head * headSize(run)] }),
      question: { answer: headSize, tolerance: 0.1, mistakes: sizeMistakes },
      values: run => ({ count: String(headCount(run)), size: String(headSize(run)),
        width: String(getTensor(run, HEADS).shape[2]), row: streamTokens(run, 'source')[rowOf(run)] })
    },
    {
      id: 'mix', state: `room=${ROOM}.output`, target: run => ({ tensor: OUTPUT, index: [0, rowOf(run), null] }),
      question: { options: () => [{ id: 'own' }, { id: 'all' }, { id: 'none' }], answer: () => 'all' },
      values: run => ({ width: String(getTensor(run, HEADS).shape[2]) })
    }
  ]
}
