/** Break it: one number is changed, and the reader predicts which outputs change. */

import { formatFixed } from '../../lib/number.js'
import { unitNames } from '../month.js'
import { valueOfCell, answerText } from '../run_values.js'

/** @import { Run } from '../../types.d.ts' */
/** @import { Now } from '../index.js' */

const MEMORY = 'transformer.encoder.output'
const EDIT_ONE = `edits=${MEMORY}:0,0,10=10`
const EDIT_LARGE = `edits=${MEMORY}:0,0,0=30`
const CELL = { tensor: MEMORY, index: [0, 0, 10] }
const answerLine = () => ({ selector: '.stage .picks' })

/** @param {Run} run */
function isDate(run) {
  const [year, month, day] = unitNames(run)
  return new RegExp(`^\\d{4}${year} ?\\d{1,2}${month} ?\\d{1,2}${day}$`).test(answerText(run))
}
/** Year, month and day of an answer, as far as it has them. @param {Run} run */
const partsOf = run => unitNames(run).map(unit => new RegExp(`\\d*${unit}`).exec(answerText(run))?.[0])

/** Which parts of the date have changed: none, only the month, or more. @param {Run} run @param {Now} now */
function changedParts(run, { before }) {
  const partsBefore = partsOf(before ?? run), parts = partsOf(run).map((part, i) => part !== partsBefore[i])
  if (!parts.includes(true) && answerText(run) === answerText(before ?? run)) return 'none'
  return parts[1] && !parts[0] && !parts[2] ? 'month' : 'more'
}
/** @param {Run} run */
const dateOrBroken = run => (isDate(run) ? 'date' : 'broken')
const dateOptions = () => [{ id: 'date' }, { id: 'broken' }]
/** @param {Run} run @param {Pick<Now, 'before'>} now */
const answerValues = (run, { before }) => ({ answer: answerText(run), before: answerText(before ?? run) })

/** Where the decoder reads what the encoder has made. */
const MEMORY_ROOM = 'decoder.1.multihead_attn.qkv&part=k'

/** @type {import('../index.js').Lesson} */
export const lesson = {
  model: 'dates',
  base: '',
  userFields: ['source'],
  steps: [
    { id: 'whole', state: 'room=decoding', target: answerLine, values: answerValues, paperCells: () => [] },
    {
      id: 'one', state: `room=${MEMORY_ROOM}`, target: () => CELL,
      question: { options: () => [{ id: 'none' }, { id: 'month' }, { id: 'more' }], answer: changedParts },
      answerState: `room=decoding&${EDIT_ONE}`, answerTarget: answerLine,
      values: (run, now) => ({ ...answerValues(run, now),
        value: formatFixed(valueOfCell(now.before ?? run, MEMORY, CELL.index)) })
    },
    {
      id: 'loud', state: `room=${MEMORY_ROOM}`, target: () => ({ tensor: MEMORY, index: [0, 0, 0] }),
      question: { options: dateOptions, answer: dateOrBroken }, answerState: `room=decoding&${EDIT_LARGE}`, answerTarget: answerLine, values: answerValues
    },
    {
      id: 'scale', state: 'room=encoder.0.self_attn.scale',
      target: () => ({ tensor: 'transformer.encoder.layers.0.self_attn.scores', index: [0, 0, 0, null] }),
      question: { options: dateOptions, answer: dateOrBroken }, answerState: 'room=decoding&scale=0', answerTarget: answerLine, values: answerValues
    },
    {
      id: 'order', state: 'room=source.sum', target: () => ({ tensor: 'positions.output', index: [0, 0, null] }),
      question: { options: dateOptions, answer: dateOrBroken }, answerState: 'room=decoding&positional=0', answerTarget: answerLine, values: answerValues
    },
    {
      id: 'yours', state: `room=${MEMORY_ROOM}`, freeSettings: ['edits'], target: () => ({ tensor: MEMORY, index: [0, 0, null] }),
      values: run => ({ ...answerValues(run, {}), text: run.streams.source.texts[0] })
    }
  ]
}
