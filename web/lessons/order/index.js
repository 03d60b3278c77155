/** Pre-norm or post-norm: the same weights, with the norm after each sum or before each sub-layer. */

import { formatFixed } from '../../lib/number.js'
import { roomsOf } from '../../rooms/index.js'
import { lossOf, rowAt, whose, written } from '../run_values.js'

/** @import { Run } from '../../types.d.ts' */
/** @import { Now, Pointer } from '../index.js' */

const [FIRST, LAST] = ['encoder.0.norm1', 'encoder.1.norm2']
const ROW = [0, 0]
const ANSWER = () => ({ selector: '.stage .picks' })

/** @param {Run} run @param {string} id of a room */
const partsIn = (run, id) => /** @type {any} */ (roomsOf(run).find(room => room.id === id)).parts
/** The sum before or after a norm. @param {Run} run @param {string} id */
const sumIn = (run, id) => partsIn(run, id).residual.sum
/** The root mean square of the first token. @param {Run} run @param {string} name */
const size = (run, name) => {
  const values = rowAt(run, name, ROW)
  return Math.sqrt(values.reduce((sum, x) => sum + x * x, 0) / values.length)
}
/** @param {(run: Run) => string} nameOf @returns {Pointer} */
const row = nameOf => run => ({ tensor: nameOf(run), index: [...ROW, null] })

/** @param {Run} run */
const normed = run => size(run, partsIn(run, FIRST).y)
/** @param {Run} run */
const sizes = run => ({
  first: formatFixed(size(run, sumIn(run, FIRST))), last: formatFixed(size(run, sumIn(run, LAST))),
  normed: formatFixed(normed(run))
})
/** @param {Run} run @param {Now} now */
const answers = (run, { before }) => ({
  answer: written(run), before: written(before ?? run), loss: formatFixed(lossOf(run)),
  was: formatFixed(lossOf(before ?? run)),
  whose: whose(run)
})

/** @type {import('../index.js').Lesson} */
export const lesson = {
  model: 'dates',
  base: { ko: '', en: '' },
  keeps: ['source'],
  next: 'round',
  steps: [
    {
      id: 'after', state: `room=${FIRST}`, point: row(run => partsIn(run, FIRST).y),
      ask: {
        options: () => [{ id: 'less' }, { id: 'one' }, { id: 'more' }],
        answer: run => (normed(run) < 0.5 ? 'less' : normed(run) < 1.5 ? 'one' : 'more')
      },
      say: sizes
    },
    {
      id: 'before', state: `room=${FIRST}&normFirst=1`, point: row(run => sumIn(run, FIRST)),
      ask: {
        options: () => [{ id: 'up' }, { id: 'same' }, { id: 'down' }],
        answer(run) {
          const [one, other] = [FIRST, LAST].map(id => size(run, sumIn(run, id)))
          return Math.abs(other - one) < 0.05 ? 'same' : other > one ? 'up' : 'down'
        }
      },
      then: `room=${LAST}&normFirst=1`, pointThen: row(run => sumIn(run, LAST)), say: sizes
    },
    {
      id: 'last', state: 'room=encoder.norm&normFirst=1', point: row(run => partsIn(run, 'encoder.norm').y),
      say: run => {
        const { x, y } = partsIn(run, 'encoder.norm')
        return { before: formatFixed(size(run, x)), after: formatFixed(size(run, y)) }
      }
    },
    {
      id: 'answer', state: 'room=decoding', point: ANSWER,
      ask: {
        options: () => [{ id: 'same' }, { id: 'other' }],
        answer: (run, { before }) => (written(run) === written(before ?? run) ? 'same' : 'other')
      },
      then: 'room=decoding&normFirst=1', pointThen: ANSWER, say: answers
    },
    {
      id: 'yours', state: `room=${FIRST}`, free: ['normFirst', 'room'],
      point: () => ({ selector: '.stage [data-control="normFirst"]' }),
      say: run => ({ text: run.streams.source.texts[0], answer: written(run), ...sizes(run) })
    }
  ]
}
