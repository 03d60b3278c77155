/** What the mask hides: no token reads what is not generated yet. */

import { formatLoss, valueOfCell, lossOfRun, rowValues, streamTokens, lossKind, answerText } from '../run_values.js'

/** @import { Now, Pointer } from '../index.js' */
/** @import { Run } from '../../types.d.ts' */

const ATTENTION = 'transformer.decoder.layers.0.self_attn'
const ROOM = 'decoder.0.self_attn'
const [MASKED, WEIGHTS] = ['masked_scores', 'weights'].map(name => `${ATTENTION}.${name}`)
const FIRST_ROW = 0
/** A position after the first row's own. */
const LATER_POSITION = 4

/** @param {string} tensor @returns {Pointer} */
const cellTarget = tensor => (run, { state }) => ({ tensor, index: [0, state.head, FIRST_ROW, LATER_POSITION] })
/** @param {Run} run @param {Now} now */
const rowTarget = (run, { state }) => ({ tensor: WEIGHTS, index: [0, state.head, FIRST_ROW, null] })
/** The line below the bars of the answer. */
const LOSS = () => ({ selector: '.stage .picks ~ .note' })
/** @param {Run} run @param {Now} now @param {number} place */
const countVisible = (run, { state }, place) => rowValues(run, WEIGHTS,
  [0, state.head, place]).filter(weight => weight > 0).length
/** @param {Run} run */
const lastRow = run => streamTokens(run, 'target').length - 1
/** @param {Run} run @param {Now} now */
const lossValues = (run, { before }) => ({
  answer: answerText(run), loss: formatLoss(run), before: formatLoss(before ?? run),
  whose: lossKind(run)
})

/** @type {import('../index.js').Lesson} */
export const lesson = {
  model: 'dates',
  base: '',
  userFields: ['source'],
  steps: [
    {
      id: 'minus', state: `room=${ROOM}.mask`, target: cellTarget(MASKED),
      question: {
        options: () => [{ id: 'zero' }, { id: 'little' }, { id: 'minus' }],
        answer(run, { state }) {
          const weight = valueOfCell(run, WEIGHTS, [0, state.head, FIRST_ROW, LATER_POSITION])
          return weight === 0 ? 'zero' : weight > 0 ? 'little' : 'minus'
        }
      },
      answerState: `room=${ROOM}.weights`, answerTarget: cellTarget(WEIGHTS), paperAnswerCells: () => [],
      values: run => (
        { token: streamTokens(run, 'target')[FIRST_ROW], later: streamTokens(run, 'target')[LATER_POSITION], place: String(LATER_POSITION) })
    },
    {
      id: 'first', state: `room=${ROOM}.mask`, target: (run, { state }) => ({ tensor: MASKED,
        index: [0, state.head, FIRST_ROW, null] }),
      question: { answer: (run, { state }) => valueOfCell(run, WEIGHTS, [0, state.head, FIRST_ROW, FIRST_ROW]),
        tolerance: 0.005, mistakes: run => [{ id: 'shared', value: 1 / (lastRow(run) + 1) }, { id: 'none', value: 0 }] },
      answerState: `room=${ROOM}.weights`, answerTarget: rowTarget, paperCells: () => [], values: run => ({ token: streamTokens(run, 'target')[FIRST_ROW] })
    },
    {
      id: 'last', state: `room=${ROOM}.weights`, target: (run, { state }) => ({ tensor: WEIGHTS,
        index: [0, state.head, lastRow(run), null] }),
      question: { answer: (run, now) => countVisible(run, now, lastRow(run)), tolerance: 0.4,
        mistakes: run => [{ id: 'itself', value: 1 }, { id: 'earlier', value: lastRow(run) }] },
      values: run => ({ count: String(lastRow(run) + 1) })
    },
    {
      id: 'without', state: 'room=decoding', target: LOSS,
      question: {
        options: () => [{ id: 'better' }, { id: 'same' }, { id: 'worse' }],
        answer(run, { before }) {
          const [lossNow, lossBefore] = [run, before ?? run].map(lossOfRun)
          return lossNow < lossBefore ? 'better' : lossNow > lossBefore ? 'worse' : 'same'
        }
      },
      answerState: 'room=decoding&tgtIsCausal=0', answerTarget: LOSS, values: lossValues
    },
    {
      id: 'yours', state: `room=${ROOM}.mask`, freeSettings: ['tgtIsCausal', 'head'],
      target: () => ({ selector: '.stage [data-control="tgtIsCausal"]' }),
      values: run => ({ text: run.streams.source.texts[0], answer: answerText(run), count: String(lastRow(run) + 1) })
    }
  ]
}
