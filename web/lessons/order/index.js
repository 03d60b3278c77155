/**
 * Residuals and norms: a result is added to the row, and the norm stands after each sum or before each sub-layer.
 */

import { formatFixed } from '../../lib/number.js'
import { roomsOf } from '../../rooms/index.js'
import { formatLoss, rowValues, lossKind, answerText, streamTokens, valueOfCell } from '../run_values.js'

/** @import { Run } from '../../types.d.ts' */
/** @import { Now, Pointer } from '../index.js' */

const [FIRST, LAST] = ['encoder.0.norm1', 'encoder.1.norm2']
const ROW = [0, 0]
/** What enters the first layer, and what its attention adds. */
const ENTRY = 'positions.output', ADDED = 'transformer.encoder.layers.0.self_attn.output'
/** The gains and shifts of a norm, with their color scale. */
const GAINS = '[data-part="gain"], [data-part="shift"], .legend + .legend'
/** What is added up. */
const SUMMANDS = '[data-part="input"], [data-part="change"]'
/** The norm, with its number lines. */
const NO_NORM = `.strips, ${GAINS}, [data-part="after"]`
/** All but the sum, with the number line of its row, and the normalized rows. */
const ONLY_SUM = `.strip:not(:last-child), ${GAINS}, ${SUMMANDS}`
const ANSWER = () => ({ selector: '.stage .picks' })

/** @param {Run} run @param {string} id of a room */
const roomParts = (run, id) => /** @type {any} */ (roomsOf(run).find(room => room.id === id)).parts
/** The sum before or after a norm. @param {Run} run @param {string} id */
const residualSum = (run, id) => roomParts(run, id).residual.sum
/** The root mean square of the first token. @param {Run} run @param {string} name */
const rootMeanSquare = (run, name) => {
  const values = rowValues(run, name, ROW)
  return Math.sqrt(values.reduce((sum, x) => sum + x * x, 0) / values.length)
}
/** @param {(run: Run) => string} nameOf @returns {Pointer} */
const rowTarget = nameOf => run => ({ tensor: nameOf(run), index: [...ROW, null] })

/** @param {Run} run */
const normalizedSize = run => rootMeanSquare(run, roomParts(run, FIRST).y)
/** @param {Run} run */
const sizeValues = run => ({
  first: formatFixed(rootMeanSquare(run, residualSum(run, FIRST))),
  last: formatFixed(rootMeanSquare(run, residualSum(run, LAST))),
  normed: formatFixed(normalizedSize(run))
})
/** @param {Run} run @param {Now} now */
const answerValues = (run, { before }) => ({
  answer: answerText(run), before: answerText(before ?? run), loss: formatLoss(run), was: formatLoss(before ?? run),
  whose: lossKind(run)
})

/** The first cell of the row that gets a negative number and whose numbers add up as rounded. @param {Run} run */
function sumCell(run) {
  const [entry, added, sum] = [ENTRY, ADDED, residualSum(run, FIRST)]
    .map(name => rowValues(run, name, ROW).map(value => Math.round(100 * value)))
  return [...ROW, Math.max(0, entry.findIndex((value, i) => added[i] < 0 && value + added[i] === sum[i]))]
}
/** What comes out without the sum, or with the other sign. @param {Run} run */
function sumMistakes(run) {
  const index = sumCell(run), [entry, added] = [ENTRY, ADDED].map(name => valueOfCell(run, name, index))
  return [{ id: 'difference', value: entry - added }, { id: 'replaced', value: added }, { id: 'entry', value: entry }]
}

/** @type {import('../index.js').Lesson} */
export const lesson = {
  model: 'dates',
  base: '',
  userFields: ['source'],
  steps: [
    {
      id: 'sum', state: `room=${FIRST}`, hides: `${NO_NORM}, [data-part="sum"]`, target: run => ({ tensor: ADDED, index: sumCell(run) }),
      answerState: `room=${FIRST}`, answerHides: NO_NORM, answerTarget: run => ({ tensor: residualSum(run, FIRST), index: sumCell(run) }),
      question: {
        answer: run => valueOfCell(run, residualSum(run, FIRST), sumCell(run)), tolerance: 0.02, mistakes: sumMistakes
      },
      values: run => {
        const index = sumCell(run)
        const [entry, added, sum] = [ENTRY, ADDED, residualSum(run, FIRST)]
          .map(name => formatFixed(valueOfCell(run, name, index)))
        return { entry, added, sum, token: streamTokens(run, 'source')[0], column: String(index[2]) }
      }
    },
    {
      id: 'after', state: `room=${FIRST}`, target: rowTarget(run => residualSum(run, FIRST)),
      hides: `.strip:last-child, ${GAINS}, ${SUMMANDS}, [data-part="after"]`,
      answerState: `room=${FIRST}`, answerHides: `${GAINS}, ${SUMMANDS}`, answerTarget: rowTarget(run => roomParts(run, FIRST).y),
      question: {
        options: () => [{ id: 'less' }, { id: 'one' }, { id: 'more' }],
        answer: run => (normalizedSize(run) < 0.5 ? 'less' : normalizedSize(run) < 1.5 ? 'one' : 'more')
      },
      values: sizeValues
    },
    {
      id: 'before', hidesAnswer: true, state: `room=${FIRST}&normFirst=1`, hides: ONLY_SUM, answerHides: ONLY_SUM, target: rowTarget(run => residualSum(run, FIRST)),
      question: {
        options: () => [{ id: 'up' }, { id: 'same' }, { id: 'down' }],
        answer(run) {
          const [firstSize, lastSize] = [FIRST, LAST].map(id => rootMeanSquare(run, residualSum(run, id)))
          return Math.abs(lastSize - firstSize) < 0.05 ? 'same' : lastSize > firstSize ? 'up' : 'down'
        }
      },
      answerState: `room=${LAST}&normFirst=1`, answerTarget: rowTarget(run => residualSum(run, LAST)), values: sizeValues
    },
    {
      id: 'last', hidesAnswer: true, state: 'room=encoder.norm&normFirst=1', hides: GAINS, target: rowTarget(run => roomParts(run, 'encoder.norm').y),
      values: run => {
        const { x, y } = roomParts(run, 'encoder.norm')
        return { before: formatFixed(rootMeanSquare(run, x)), after: formatFixed(rootMeanSquare(run, y)) }
      }
    },
    {
      id: 'answer', state: 'room=decoding', target: ANSWER,
      question: {
        options: () => [{ id: 'same' }, { id: 'other' }],
        answer: (run, { before }) => (answerText(run) === answerText(before ?? run) ? 'same' : 'other')
      },
      answerState: 'room=decoding&normFirst=1', answerTarget: ANSWER, values: answerValues
    },
    {
      id: 'yours', state: `room=${FIRST}`, hides: `${GAINS}, ${SUMMANDS}`, freeSettings: ['normFirst', 'room'],
      target: () => ({ selector: '.stage [data-control="normFirst"]' }),
      values: run => ({ text: run.streams.source.texts[0], answer: answerText(run), ...sizeValues(run) })
    }
  ]
}
