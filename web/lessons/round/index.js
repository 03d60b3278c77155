/**
 * One number's way through the model and back: forward to the loss, then the gradient of one weight it was
 * multiplied by.
 */

import { formatFixed, formatProbability } from '../../lib/number.js'
import { at, ranked, rowAt, tokensOf, written } from '../run_values.js'

/** @import { Run } from '../../types.d.ts' */
/** @import { Now } from '../index.js' */

const HERE = 'transformer.encoder.layers.0.self_attn'
const ROOM = 'encoder.0.self_attn'
/** The number: a channel of the first token. The weight: it maps that to a cell of V, which head 3 mixes. */
const DIMENSION = 7, CHANNEL = 29, FIRST_OF_V = 64
const NUMBER = [0, 0, DIMENSION], WEIGHT = [FIRST_OF_V + CHANNEL, DIMENSION], VALUE = [0, 0, CHANNEL]
const [ALL, V, SHARES, HEADS] = ['in_proj_weight', 'v', 'weights', 'heads'].map(name => `${HERE}.${name}`)
const STEP = 0.5
const ANSWER = () => ({ selector: '.stage .picks' })

/** @param {Run} run */
const weight = run => at(run, ALL, WEIGHT)
/** The attention weight of the first token for each token. @param {Run} run @param {Now} now */
const taken = (run, { state }) => tokensOf(run, 'source').map((_, row) => at(run, SHARES, [0, state.head, row, 0]))
/** @param {Run} run @param {Now} now */
function losses(run, { before }) {
  const [is, was] = [run.loss, (before ?? run).loss]
  return { loss: formatFixed(is, 4), was: formatFixed(was, 4), weight: formatFixed(weight(before ?? run)),
    step: String(STEP) }
}

/** @type {import('../index.js').Lesson} */
export const lesson = {
  model: 'dates',
  base: { ko: 'source=5/6/2026', en: 'source=5/6/2026' },
  keeps: ['source'],
  theatre: 'dates',
  steps: [
    {
      id: 'start', state: 'room=source.embedding', point: () => ({ tensor: 'source_embedding.output', index: NUMBER }),
      say: run => ({
        token: tokensOf(run, 'source')[0], value: formatFixed(at(run, 'source_embedding.output', NUMBER)),
        dimension: String(DIMENSION)
      }),
      paper: () => []
    },
    {
      id: 'place', state: 'room=source.sum', point: () => ({ tensor: 'positions.output', index: NUMBER }),
      // The sum itself would be the answer.
      look: () => ({ tensor: 'source_embedding.output', index: NUMBER }),
      ask: { answer: run => at(run, 'positions.output', NUMBER), tolerance: 0.02 },
      say: run => ({
        value: formatFixed(at(run, 'source_embedding.output', NUMBER)), place: formatFixed(at(run, 'positions.pe', [0, DIMENSION])),
        sum: formatFixed(at(run, 'positions.output', NUMBER))
      })
    },
    {
      id: 'weight', state: `room=${ROOM}.qkv&part=v`, point: () => ({ tensor: V, index: VALUE }),
      say: run => ({
        value: formatFixed(at(run, 'positions.output', NUMBER)), weight: formatFixed(weight(run)),
        product: formatFixed(at(run, 'positions.output', NUMBER) * weight(run), 3), made: formatFixed(at(run, V, VALUE)),
        count: String(rowAt(run, ALL, [FIRST_OF_V]).length),
        channel: String(CHANNEL)
      }),
      paper: () => []
    },
    {
      id: 'spread', state: `room=${ROOM}.heads&head=3`, point: () => ({ tensor: HEADS, index: [0, null, CHANNEL] }),
      paper: (_, { state: { head } }) => [{ tensor: SHARES, index: [0, head, null, 0] }],
      ask: { answer: (run, now) => taken(run, now).filter(share => share > 0).length, tolerance: 0.4 },
      say: (run, now) => {
        const shares = taken(run, now), [most] = ranked(shares)
        return { token: tokensOf(run, 'source')[most], share: formatProbability(shares[most]), count: String(shares.length) }
      }
    },
    { id: 'end', state: 'room=decoding', point: ANSWER, say: run => ({ answer: written(run), loss: formatFixed(run.loss, 4) }) },
    {
      id: 'back', state: `room=${ROOM}.qkv&part=v&cell=${ALL}:${WEIGHT}:d`,
      point: () => ({ tensor: ALL, index: WEIGHT }), say: run => ({ weight: formatFixed(weight(run)) })
    },
    {
      id: 'nudge', state: `room=${ROOM}.qkv&part=v&cell=${ALL}:${WEIGHT}:d`,
      point: () => ({ tensor: ALL, index: WEIGHT }),
      ask: {
        options: () => [{ id: 'up' }, { id: 'same' }, { id: 'down' }],
        answer(run, { before }) {
          const change = run.loss - (before ?? run).loss
          return change > 0 ? 'up' : change < 0 ? 'down' : 'same'
        }
      },
      paper: () => [{ tensor: ALL, index: WEIGHT, isGradient: true }],
      then: run => `room=decoding&edits=${encodeURIComponent(`${ALL}:${WEIGHT}=${weight(run) + STEP}`)}`,
      pointThen: ANSWER, say: losses
    },
    {
      id: 'yours', state: 'room=source.embedding', point: () => ({ tensor: 'source_embedding.output', index: NUMBER }),
      say: run => ({
        text: run.streams.source.texts[0], answer: written(run), loss: formatFixed(run.loss, 4),
        value: formatFixed(at(run, 'source_embedding.output', NUMBER))
      })
    }
  ]
}
