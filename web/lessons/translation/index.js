/** How a decoder reads an encoder: a date is translated, and every character shows where it was read. */

import { formatFixed, formatProbability } from '../../lib/number.js'
import { getDescription } from '../../lib/run.js'
import { at, chosen, largest, ranked, rowAt, tokensOf, written } from '../run_values.js'

/** @import { Run } from '../../types.d.ts' */
/** @import { Now } from '../index.js' */

const HERE = 'transformer.decoder.layers.1.multihead_attn'
const ROOM = 'decoder.1.multihead_attn'
const WEIGHTS = `${HERE}.weights`
const SHARES = 'sampling.output'
const TWOFOLD = 'source=5/6/2026'

/** The step that generated the last digit of the month. @param {Run} run */
const month = run => Math.max(0, chosen(run).indexOf('월') - 1)
/** @param {Run} run @param {number} step */
const rowOf = (run, step) => run.decoding?.rows[step] ?? 0
/** @param {Run} run @param {Now} now */
const looks = (run, { state }) => rowAt(run, WEIGHTS, [0, state.head, rowOf(run, month(run))])
/** @param {Run} run @param {Now} now */
const seen = (run, now) => largest(looks(run, now))
/** @param {Run} run @param {Now} now */
const lookAt = (run, now) => ({
  tensor: WEIGHTS, index: [0, now.state.head, rowOf(run, month(run)), seen(run, now)]
})
/** @param {number} step */
const pick = step => ({ selector: `.stage .pick:nth-child(${step + 1})` })
/** The probability of the token that a step chose. @param {Run} run @param {number} step */
const shareAt = (run, step) => ({ tensor: SHARES, index: [0, rowOf(run, step), run.decoding?.steps[step].id ?? 0] })
/** @param {Run} run @param {number} step */
const shareOf = (run, step) => formatProbability(at(run, SHARES, shareAt(run, step).index))

/**
 * The most probable tokens of a step, in the order of the vocabulary.
 * @param {Run} run @param {number} step @param {number} count
 */
function candidates(run, step, count) {
  const { vocabulary } = run.streams.target
  const best = ranked(rowAt(run, SHARES, [0, rowOf(run, step)])).slice(0, count).sort((one, other) => one - other)
  return best.map(word => ({ id: vocabulary[word], text: vocabulary[word] }))
}

/** @param {Run} run */
const places = run => tokensOf(run, 'source').map((token, place) => (
  { id: String(place), text: `${token} (${place})` }))

/** @param {Run} run @param {string} name */
const rowsOf = (run, name) => getDescription(run, `${HERE}.${name}`).shape[1]
/** @param {Run} run @returns {Record<string, string>} */
const counts = run => ({ read: String(rowsOf(run, 'k')), written: String(rowsOf(run, 'q')) })
/** @param {Run} run @param {Now} now */
const lookSaid = (run, now) => ({
  month: chosen(run)[month(run)], token: tokensOf(run, 'source')[seen(run, now)], place: String(seen(run, now)),
  weight: formatFixed(looks(run, now)[seen(run, now)]), head: String(now.state.head)
})
/** @param {Run} run */
const monthSaid = run => ({ answer: chosen(run)[month(run)], share: shareOf(run, month(run)) })

/** @type {import('../index.js').Lesson} */
export const lesson = {
  model: 'dates',
  base: { ko: 'head=0', en: 'head=0' },
  keeps: ['source'],
  next: 'break',
  steps: [
    {
      id: 'memory', state: 'room=encoder.norm',
      point: () => ({ tensor: 'transformer.encoder.output', index: [0, 0, null] }),
      say: run => ({ token: tokensOf(run, 'source')[0], count: String(tokensOf(run, 'source').length) })
    },
    {
      id: 'first', state: 'room=source.tokens', point: () => ({ selector: '.stage .chips' }),
      ask: { options: run => candidates(run, 0, 4), answer: run => chosen(run)[0], isOfAnswer: true },
      then: 'room=decoding&step=0', pointThen: () => pick(0), lookThen: run => shareAt(run, 0),
      say: run => ({ answer: chosen(run)[0], share: shareOf(run, 0) })
    },
    {
      id: 'keys', state: `room=${ROOM}.qkv&part=q`, point: () => ({ tensor: `${HERE}.q`, index: [0, 0, null] }),
      ask: {
        options: run => ['read', 'written'].map(id => ({ id, text: counts(run)[id] })),
        answer: run => (rowsOf(run, 'k') === tokensOf(run, 'source').length ? 'read' : 'written')
      },
      then: `room=${ROOM}.qkv&part=k`, pointThen: () => ({ tensor: `${HERE}.k`, index: [0, 0, null] }), say: counts
    },
    {
      id: 'look', state: 'room=source.tokens', point: () => ({ selector: '.stage .chips' }),
      ask: { options: places, answer: (run, now) => String(seen(run, now)) },
      then: `room=${ROOM}.weights`, pointThen: lookAt, say: lookSaid
    },
    {
      id: 'twofold', state: `room=source.tokens&${TWOFOLD}`, point: () => ({ selector: '.stage .chips' }),
      ask: {
        options: run => candidates(run, month(run), 2), answer: run => chosen(run)[month(run)], isOfAnswer: true
      },
      then: `room=decoding&${TWOFOLD}`, pointThen: run => pick(month(run)),
      lookThen: run => shareAt(run, month(run)), say: monthSaid
    },
    {
      id: 'yours', state: `room=${ROOM}.weights`, point: lookAt,
      say: (run, now) => ({ ...lookSaid(run, now), text: run.streams.source.texts[0], answer: written(run) })
    }
  ]
}
