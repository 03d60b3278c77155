/**
 * One number's way through the model and back: forward to the loss, then the gradient of one weight it was
 * multiplied by.
 */

import { formatFixed, formatProbability } from '../../lib/number.js'
import { valueOfCell, rankIndices, rowValues, streamTokens, answerText } from '../run_values.js'

/** @import { Run } from '../../types.d.ts' */
/** @import { Now } from '../index.js' */

const ATTENTION = 'transformer.encoder.layers.0.self_attn'
const ROOM = 'encoder.0.self_attn'
/** A channel of the first token, and the weight that maps it to a cell of V in head 3. */
const DIMENSION = 7, CHANNEL = 29, FIRST_OF_V = 64
const NUMBER = [0, 0, DIMENSION], WEIGHT = [FIRST_OF_V + CHANNEL, DIMENSION], VALUE = [0, 0, CHANNEL]
const [IN_PROJECTION, V, WEIGHTS, HEADS] = ['in_proj_weight', 'v', 'weights', 'heads'].map(name => `${ATTENTION}.${name}`)
const STEP = 0.5
const ANSWER = () => ({ selector: '.stage .picks' })

/** @param {Run} run */
const weight = run => valueOfCell(run, IN_PROJECTION, WEIGHT)
/** The attention weight of the first token for each token. @param {Run} run @param {Now} now */
const attentionWeights = (run, { state }) => streamTokens(run, 'source').map((_, row) => valueOfCell(run, WEIGHTS, [0, state.head, row, 0]))
/** @param {Run} run @param {Now} now */
function lossValues(run, { before }) {
  const [lossNow, lossBefore] = [run.loss, (before ?? run).loss]
  return { loss: formatFixed(lossNow, 4), was: formatFixed(lossBefore, 4), weight: formatFixed(weight(before ?? run)),
    step: String(STEP) }
}

/** The two numbers subtracted instead of added. @param {Run} run */
const placeMistakes = run => [{ id: 'difference',
  value: valueOfCell(run, 'source_embedding.output', NUMBER) - valueOfCell(run, 'positions.pe', [0, DIMENSION]) }]

/** @type {import('../index.js').Lesson} */
export const lesson = {
  model: 'dates',
  base: 'source=5/6/2026',
  userFields: ['source'],
  steps: [
    {
      id: 'start', state: 'room=source.embedding', hides: 'details.plane', target: () => ({ tensor: 'source_embedding.output', index: NUMBER }),
      values: run => ({
        token: streamTokens(run, 'source')[0], value: formatFixed(valueOfCell(run, 'source_embedding.output', NUMBER)),
        dimension: String(DIMENSION)
      }),
      paperCells: () => []
    },
    {
      id: 'place', state: 'room=source.sum', target: () => ({ tensor: 'positions.output', index: NUMBER }),
      // The cell of the sum would reveal the answer.
      cell: () => ({ tensor: 'source_embedding.output', index: NUMBER }),
      question: { answer: run => valueOfCell(run, 'positions.output', NUMBER), tolerance: 0.02, mistakes: placeMistakes,
        cell: () => ({ tensor: 'positions.output', index: NUMBER }) },
      values: run => ({
        value: formatFixed(valueOfCell(run, 'source_embedding.output', NUMBER)), place: formatFixed(valueOfCell(run, 'positions.pe', [0, DIMENSION])),
        sum: formatFixed(valueOfCell(run, 'positions.output', NUMBER))
      })
    },
    {
      id: 'weight', state: `room=${ROOM}.qkv&part=v`, target: () => ({ tensor: V, index: VALUE }),
      values: run => ({
        value: formatFixed(valueOfCell(run, 'positions.output', NUMBER)), weight: formatFixed(weight(run), 4),
        product: formatFixed(valueOfCell(run, 'positions.output', NUMBER) * weight(run), 3), made: formatFixed(valueOfCell(run, V, VALUE)),
        count: String(rowValues(run, IN_PROJECTION, [FIRST_OF_V]).length),
        channel: String(CHANNEL)
      }),
      paperCells: () => []
    },
    {
      id: 'spread', state: `room=${ROOM}.heads&head=3`, target: () => ({ tensor: HEADS, index: [0, null, CHANNEL] }),
      paperCells: (_, { state: { head } }) => [{ tensor: WEIGHTS, index: [0, head, null, 0] }],
      question: { answer: (run, now) => attentionWeights(run, now).filter(share => share > 0).length, tolerance: 0.4 },
      values: (run, now) => {
        const tokenWeights = attentionWeights(run, now), [largestRow] = rankIndices(tokenWeights)
        return { token: streamTokens(run, 'source')[largestRow], share: formatProbability(tokenWeights[largestRow]), count: String(tokenWeights.length) }
      }
    },
    { id: 'end', state: 'room=decoding', target: ANSWER, values: run => ({ answer: answerText(run), loss: formatFixed(run.loss, 4) }) },
    {
      id: 'back', state: `room=${ROOM}.qkv&part=v&cell=${IN_PROJECTION}:${WEIGHT}:d`,
      target: () => ({ tensor: IN_PROJECTION, index: WEIGHT }), values: run => ({ weight: formatFixed(weight(run)) })
    },
    {
      id: 'nudge', state: `room=${ROOM}.qkv&part=v&cell=${IN_PROJECTION}:${WEIGHT}:d`,
      target: () => ({ tensor: IN_PROJECTION, index: WEIGHT }),
      question: {
        options: () => [{ id: 'up' }, { id: 'same' }, { id: 'down' }],
        answer(run, { before }) {
          const change = run.loss - (before ?? run).loss
          return change > 0 ? 'up' : change < 0 ? 'down' : 'same'
        }
      },
      paperCells: () => [{ tensor: IN_PROJECTION, index: WEIGHT, isGradient: true }],
      answerState: run => `room=decoding&edits=${encodeURIComponent(`${IN_PROJECTION}:${WEIGHT}=${weight(run) + STEP}`)}`,
      answerTarget: ANSWER, values: lossValues
    },
    {
      id: 'yours', state: 'room=source.embedding', hides: 'details.plane', target: () => ({ tensor: 'source_embedding.output', index: NUMBER }),
      values: run => ({
        text: run.streams.source.texts[0], answer: answerText(run), loss: formatFixed(run.loss, 4),
        value: formatFixed(valueOfCell(run, 'source_embedding.output', NUMBER))
      })
    }
  ]
}
