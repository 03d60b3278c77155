/** What the mask hides: no token reads what is not generated yet. */

import { formatFixed } from '../../lib/number.js'
import { at, lossOf, rowAt, tokensOf, whose, written } from '../run_values.js'

/** @import { Now, Pointer } from '../index.js' */
/** @import { Run } from '../../types.d.ts' */

const HERE = 'transformer.decoder.layers.0.self_attn'
const ROOM = 'decoder.0.self_attn'
const [MASKED, WEIGHTS] = ['masked_scores', 'weights'].map(name => `${HERE}.${name}`)
const FIRST = 0
/** A position after the first row's own. */
const LATER = 3

/** @param {string} tensor @returns {Pointer} */
const cell = tensor => (run, { state }) => ({ tensor, index: [0, state.head, FIRST, LATER] })
/** @param {Run} run @param {Now} now */
const row = (run, { state }) => ({ tensor: WEIGHTS, index: [0, state.head, FIRST, null] })
/** @param {Run} run @param {Now} now @param {number} place */
const open = (run, { state }, place) => rowAt(run, WEIGHTS, [0, state.head, place]).filter(share => share > 0).length
/** @param {Run} run */
const last = run => tokensOf(run, 'target').length - 1
/** @param {Run} run @param {Now} now */
const losses = (run, { before }) => ({
  answer: written(run), loss: formatFixed(lossOf(run)), before: formatFixed(lossOf(before ?? run)), whose: whose(run)
})

/** @type {import('../index.js').Lesson} */
export const lesson = {
  model: 'dates',
  base: { ko: '', en: '' },
  keeps: ['source'],
  next: 'sampling',
  steps: [
    {
      id: 'minus', state: `room=${ROOM}.mask`, point: cell(MASKED),
      ask: {
        options: () => [{ id: 'zero' }, { id: 'little' }, { id: 'minus' }],
        answer(run, { state }) {
          const share = at(run, WEIGHTS, [0, state.head, FIRST, LATER])
          return share === 0 ? 'zero' : share > 0 ? 'little' : 'minus'
        }
      },
      then: `room=${ROOM}.weights`, pointThen: cell(WEIGHTS),
      say: run => ({ token: tokensOf(run, 'target')[FIRST], later: tokensOf(run, 'target')[LATER] })
    },
    {
      id: 'first', state: `room=${ROOM}.mask`, point: (run, { state }) => ({ tensor: MASKED,
        index: [0, state.head, FIRST, null] }),
      ask: { answer: (run, { state }) => at(run, WEIGHTS, [0, state.head, FIRST, FIRST]), tolerance: 0.005 },
      then: `room=${ROOM}.weights`, pointThen: row, say: run => ({ token: tokensOf(run, 'target')[FIRST] })
    },
    {
      id: 'last', state: `room=${ROOM}.weights`, point: (run, { state }) => ({ tensor: WEIGHTS,
        index: [0, state.head, last(run), null] }),
      ask: { answer: (run, now) => open(run, now, last(run)), tolerance: 0.4 },
      say: run => ({ count: String(last(run) + 1) })
    },
    {
      id: 'without', state: 'room=decoding', point: () => ({ selector: '.stage .picks' }),
      ask: {
        options: () => [{ id: 'better' }, { id: 'same' }, { id: 'worse' }],
        answer(run, { before }) {
          const [is, was] = [run, before ?? run].map(lossOf)
          return is < was ? 'better' : is > was ? 'worse' : 'same'
        }
      },
      then: 'room=decoding&tgtIsCausal=0', pointThen: () => ({ selector: '.stage .picks' }), say: losses
    },
    {
      id: 'yours', state: `room=${ROOM}.mask`, free: ['tgtIsCausal', 'head'],
      point: () => ({ selector: '.stage [data-control="tgtIsCausal"]' }),
      say: run => ({ text: run.streams.source.texts[0], answer: written(run), count: String(last(run) + 1) })
    }
  ]
}
