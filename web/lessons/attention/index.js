/** Attention in twelve steps: a gap in a sentence, and the one head that attends to the letter that decides. */

import { formatFixed, formatProbability } from '../../lib/number.js'
import { sliceHead, getTensor } from '../../lib/run.js'
import { at, chosen, largest, ranked, rowAt, tokensOf } from '../run_values.js'

/** @import { Run } from '../../types.d.ts' */
/** @import { Cells, Now } from '../index.js' */

const HERE = 'encoder.layers.1.self_attn'
const ROOM = 'encoder.1.self_attn'
const [DOTS, SCORES, MASKED, WEIGHTS, HEADS] = ['dots', 'scores', 'masked_scores', 'weights', 'heads']
  .map(name => `${HERE}.${name}`)
const SHARES = 'sampling.output'

/** @param {Run} run */
const gap = run => run.decoding?.rows[0] ?? 0
/** @param {Run} run @param {Now} now */
const looks = (run, { state }) => rowAt(run, WEIGHTS, [0, state.head, gap(run)])
/** The token with the largest attention weight from the gap. @param {Run} run @param {Now} now */
const seen = (run, now) => largest(looks(run, now))

/** @param {number} place */
const chip = place => ({ selector: `.stage .chip:nth-child(${place + 1})` })
/** @param {Run} run @param {string} name @param {number} row */
const inRow = (run, name, row) => ({ tensor: `${HERE}.${name}`, index: [0, row, null] })
/** @param {string} name @returns {(run: Run, now: Now) => Cells} */
const pair = name => (run, now) => ({ tensor: name, index: [0, now.state.head, gap(run), seen(run, now)] })
/** The probability of the chosen word. @param {Run} run */
const word = run => ({ tensor: SHARES, index: [0, gap(run), run.decoding?.steps[0].id ?? 0] })

/** The most probable words for the gap, of one language, in the order of the vocabulary. @param {Run} run */
function candidates(run) {
  const { vocabulary } = run.streams.answer
  /** @param {string} text */
  const isKorean = text => text >= '가'
  const best = ranked(rowAt(run, SHARES, [0, gap(run)])).map(word => vocabulary[word])
    .filter(text => isKorean(text) === isKorean(chosen(run)[0])).slice(0, 4)
  return vocabulary.filter(text => best.includes(text)).map(text => ({ id: text, text }))
}

/**
 * Tokens to choose from: the ends of the sentence, the gap's neighbors, and the one it attends to.
 * @param {Run} run @param {Now} now
 */
function places(run, now) {
  const tokens = tokensOf(run, 'text')
  const list = [0, gap(run) - 1, gap(run) + 2, tokens.length - 1, seen(run, now)]
  const inside = list.filter(place => place >= 0 && place < tokens.length && place !== gap(run))
  return [...new Set(inside)].sort((one, other) => one - other).map(place => (
    { id: String(place), text: `${tokens[place]} (${place})` }))
}

/** Edits that set every score of the gap's row to one value. @param {Run} run @param {Now} now */
const levelled = (run, { state }) => tokensOf(run, 'text')
  .map((_, place) => `${MASKED}:0,${state.head},${gap(run)},${place}=0`).join(';')

/** @param {number[]} one @param {number[]} other */
const distance = (one, other) => one.reduce((sum, value, i) => sum + (value - other[i]) ** 2, 0)
/** @param {number[][]} rows */
const mean = rows => rows[0].map((_, i) => rows.reduce((sum, row) => sum + row[i], 0) / rows.length)

/** The token whose value vector is nearest to the gap's output. @param {Run} run @param {Now} now */
function nearest(run, now) {
  const { shape: [, count] } = getTensor(run, WEIGHTS)
  /** @param {string} name */
  const rows = name => {
    const { values, cols } = sliceHead(run, `${HERE}.${name}`, count, now.state)
    return tokensOf(run, 'text').map((_, row) => Array.from(values.slice(row * cols, (row + 1) * cols)))
  }
  const values = rows('v')
  const made = rows('heads')[gap(run)]
  const others = { seen: values[seen(run, now)], own: values[gap(run)], all: mean(values) }
  return Object.entries(others).sort(([, one], [, other]) => distance(one, made) - distance(other, made))[0][0]
}

/** @param {Run} run */
const answerSaid = run => ({
  answer: chosen(run)[0], share: formatProbability(at(run, SHARES, word(run).index))
})
/** @param {Run} run @param {Now} now */
const lookSaid = (run, now) => ({
  token: tokensOf(run, 'text')[seen(run, now)], place: String(seen(run, now)),
  weight: formatFixed(Math.max(...looks(run, now))), head: String(now.state.head)
})
/** @param {Run} run @param {Now} now */
const scoreSaid = (run, now) => {
  const index = [0, now.state.head, gap(run), seen(run, now)]
  return { ...lookSaid(run, now), dot: formatFixed(at(run, DOTS, index)), score: formatFixed(at(run, SCORES, index)) }
}
/** @param {Run} run @param {Now} now @returns {Record<string, number>} */
const levels = (run, now) => ({ zero: 0, shared: 1 / looks(run, now).length, one: 1 })
/** The uniform weight, and the number of tokens. @param {Run} run @param {Now} now */
const levelSaid = (run, now) => ({
  count: String(tokensOf(run, 'text').length), weight: formatFixed(looks(run, now)[0], 3)
})

const WORD = { selector: '.stage .pick' }

/** @type {import('../index.js').Lesson} */
export const lesson = {
  model: 'particles',
  base: { ko: 'gapped=빵[?] 먹었다&head=3', en: 'gapped=the keys [?] here&head=1' },
  keeps: ['gapped'],
  next: 'translation',
  steps: [
    {
      id: 'gap', state: 'room=text.tokens', point: run => chip(gap(run)),
      ask: { options: candidates, answer: run => chosen(run)[0], isOfAnswer: true },
      then: 'room=decoding', pointThen: () => WORD, lookThen: word, say: answerSaid
    },
    {
      id: 'look', state: 'room=text.tokens', point: run => chip(gap(run)),
      ask: { options: places, answer: (run, now) => String(seen(run, now)) },
      then: `room=${ROOM}.weights`, pointThen: pair(WEIGHTS), say: lookSaid
    },
    {
      id: 'rows', state: 'room=text.sum', point: run => ({ tensor: 'positions.output', index: [0, gap(run), null] }),
      say: run => ({ count: String(getTensor(run, 'positions.output').shape.at(-1)) })
    },
    { id: 'query', state: `room=${ROOM}.qkv&part=q`, point: run => inRow(run, 'q', gap(run)) },
    {
      id: 'key', state: `room=${ROOM}.qkv&part=k`, point: (run, now) => inRow(run, 'k', seen(run, now)), say: lookSaid
    },
    { id: 'score', state: `room=${ROOM}.scores`, point: pair(DOTS), say: scoreSaid },
    {
      id: 'scale', state: `room=${ROOM}.scores`, point: pair(DOTS),
      ask: { answer: (run, now) => at(run, SCORES, [0, now.state.head, gap(run), seen(run, now)]), tolerance: 0.06 },
      then: `room=${ROOM}.scale`, pointThen: pair(SCORES), say: scoreSaid
    },
    {
      id: 'equal', state: `room=${ROOM}.weights`,
      point: (run, now) => ({ tensor: MASKED, index: [0, now.state.head, gap(run), null] }),
      ask: {
        options: () => [{ id: 'one' }, { id: 'zero' }, { id: 'shared' }],
        answer: (run, now) => ['zero', 'shared', 'one'].find(id => (
          Math.abs(looks(run, now)[0] - levels(run, now)[id]) < 1e-3))
      },
      then: (run, now) => `room=${ROOM}.weights&edits=${encodeURIComponent(levelled(run, now))}`,
      pointThen: (run, now) => ({ tensor: WEIGHTS, index: [0, now.state.head, gap(run), null] }), say: levelSaid,
      paperThen: (run, now) => [MASKED, WEIGHTS].map(tensor => ({ tensor, index: [0, now.state.head, gap(run), null] }))
    },
    {
      id: 'mix', state: `room=${ROOM}.heads`, point: run => ({ tensor: HEADS, index: [0, gap(run), null] }),
      ask: { options: () => [{ id: 'own' }, { id: 'seen' }, { id: 'all' }], answer: nearest }, say: lookSaid, paper: () => []
    },
    {
      id: 'heads', state: `room=${ROOM}.weights`, free: ['head'], point: () => ({ selector: '.stage [data-picker="head"]' }),
      look: pair(WEIGHTS), say: lookSaid
    },
    {
      id: 'other', state: 'room=decoding', point: () => WORD, look: word,
      ask: { options: candidates, answer: run => chosen(run)[0] },
      then: { ko: 'room=decoding&gapped=사과[?] 먹었다', en: 'room=decoding&gapped=the key [?] here' },
      pointThen: () => WORD, lookThen: word, say: answerSaid
    },
    {
      id: 'yours', state: `room=${ROOM}.weights`, point: pair(WEIGHTS),
      say: (run, now) => ({ ...lookSaid(run, now), ...answerSaid(run), text: run.streams.text.texts[0] })
    }
  ]
}
