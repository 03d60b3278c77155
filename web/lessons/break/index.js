/** Break it: one number is changed, and the reader predicts which outputs change. */

import { formatFixed } from '../../lib/number.js'
import { at, written } from '../run_values.js'

/** @import { Run } from '../../types.d.ts' */
/** @import { Now } from '../index.js' */

const MEMORY = 'transformer.encoder.output'
const ONE = `edits=${MEMORY}:0,0,10=10`
const LOUD = `edits=${MEMORY}:0,0,0=30`
const CELL = { tensor: MEMORY, index: [0, 0, 10] }
const LINE = () => ({ selector: '.stage .picks' })

/** @param {Run} run */
const isDate = run => /^\d{4}년 \d{1,2}월 \d{1,2}일$/.test(written(run))
const [year, month, day] = ['년', '월', '일'].map(end => (/** @type {Run} */ run) => new RegExp(`\\d*${end}`).exec(written(run))?.[0])

/** Which parts of the date have changed: none, only the month, or more. @param {Run} run @param {Now} now */
function changed(run, { before }) {
  const parts = [year, month, day].map(part => part(run) !== part(before ?? run))
  if (!parts.includes(true) && written(run) === written(before ?? run)) return 'none'
  return parts[1] && !parts[0] && !parts[2] ? 'month' : 'more'
}
/** @param {Run} run */
const stillDate = run => (isDate(run) ? 'date' : 'broken')
const yesNo = () => [{ id: 'date' }, { id: 'broken' }]
/** @param {Run} run @param {Pick<Now, 'before'>} now */
const said = (run, { before }) => ({ answer: written(run), before: written(before ?? run) })

/** @type {import('../index.js').Lesson} */
export const lesson = {
  model: 'dates',
  base: { ko: '', en: '' },
  keeps: ['source'],
  next: 'mask',
  steps: [
    { id: 'whole', state: 'room=decoding', point: LINE, say: said, paper: () => [] },
    {
      id: 'one', state: 'room=encoder.norm', point: () => CELL,
      ask: { options: () => [{ id: 'none' }, { id: 'month' }, { id: 'more' }], answer: changed },
      then: `room=decoding&${ONE}`, pointThen: LINE,
      say: (run, now) => ({ ...said(run, now), value: formatFixed(at(now.before ?? run, MEMORY, CELL.index)) })
    },
    {
      id: 'loud', state: 'room=encoder.norm', point: () => ({ tensor: MEMORY, index: [0, 0, 0] }),
      ask: { options: yesNo, answer: stillDate }, then: `room=decoding&${LOUD}`, pointThen: LINE, say: said
    },
    {
      id: 'scale', state: 'room=encoder.0.self_attn.scale',
      point: () => ({ tensor: 'transformer.encoder.layers.0.self_attn.scores', index: [0, 0, 0, null] }),
      ask: { options: yesNo, answer: stillDate }, then: 'room=decoding&scale=0', pointThen: LINE, say: said
    },
    {
      id: 'order', state: 'room=source.sum', point: () => ({ tensor: 'positions.output', index: [0, 0, null] }),
      ask: { options: yesNo, answer: stillDate }, then: 'room=decoding&positional=0', pointThen: LINE, say: said
    },
    {
      id: 'yours', state: 'room=encoder.norm', free: ['edits'], point: () => ({ tensor: MEMORY, index: [0, 0, null] }),
      say: run => ({ ...said(run, {}), text: run.streams.source.texts[0] })
    }
  ]
}
