/** Attention in nine steps: a character is chosen by a row that looks at the token from which it follows. */

import { formatFixed, formatProbability } from '../../lib/number.js'
import { sliceHead, getTensor } from '../../lib/run.js'
import { START } from '../../../src/training/models/dates/data.js'
import { monthRow, monthStep } from '../month.js'
import { valueOfCell, answerTokens, largest, rankIndices, rowValues, streamTokens, answerText } from '../run_values.js'

/** @import { Run } from '../../types.d.ts' */
/** @import { Cells, Now } from '../index.js' */

const ATTENTION = 'transformer.decoder.layers.1.multihead_attn'
const ROOM = 'decoder.1.multihead_attn'
const [DOTS, SCORES, WEIGHTS, HEADS] = ['dots', 'scores', 'weights', 'heads']
  .map(name => `${ATTENTION}.${name}`)
const PROBABILITIES = 'sampling.output'
/** Another month, and the digits to choose from. */
const OTHER = 'source=may 20 2026', DIGITS = ['1', '2', '5', '9']
const CANDIDATES = 4
const CHIPS = () => ({ selector: '.stage .chips' })

/** @param {Run} run @param {Now} now */
const attentionWeights = (run, { state }) => rowValues(run, WEIGHTS, [0, state.head, monthRow(run)])
/** The token with the largest attention weight. @param {Run} run @param {Now} now */
const mostAttended = (run, now) => largest(attentionWeights(run, now))

/** @param {Run} run @param {string} name @param {number} row */
const rowTarget = (run, name, row) => ({ tensor: `${ATTENTION}.${name}`, index: [0, row, null] })
/** @param {Run} run @param {Now} now */
const pairIndex = (run, now) => [0, now.state.head, monthRow(run), mostAttended(run, now)]
/** @param {string} name @returns {(run: Run, now: Now) => Cells} */
const pairTarget = name => (run, now) => ({ tensor: name, index: pairIndex(run, now) })
const answerTarget = (/** @type {Run} */ run) => ({ selector: `.stage .pick:nth-child(${monthStep(run) + 1})` })
/** The probability of the chosen character. @param {Run} run */
const answerCell = run => (
  { tensor: PROBABILITIES, index: [0, monthRow(run), run.decoding?.steps[monthStep(run)]?.id ?? 0] })

/** The chosen character. @param {Run} run */
const answer = run => answerTokens(run)[monthStep(run)]
/** The most probable digits, and the chosen character, in the order of the vocabulary. @param {Run} run */
function candidates(run) {
  const { vocabulary } = run.streams.target
  const ranking = rankIndices(rowValues(run, PROBABILITIES, [0, monthRow(run)]))
  const digits = ranking.map(id => vocabulary[id]).filter(text => /^\d$/.test(text))
  const best = [...new Set([answer(run), ...digits])].slice(0, CANDIDATES)
  return vocabulary.filter(text => best.includes(text)).map(text => ({ id: text, text }))
}
/** @param {Run} run */
const tokenOptions = run => streamTokens(run, 'source').map((token, position) => (
  { id: String(position), text: `${token} (${position})` }))

/** @param {number[]} a @param {number[]} b */
const distance = (a, b) => a.reduce((sum, value, i) => sum + (value - b[i]) ** 2, 0)
/** @param {number[][]} rows */
const meanRow = rows => rows[0].map((_, i) => rows.reduce((sum, row) => sum + row[i], 0) / rows.length)

/** The token whose value vector is nearest to the row's output. @param {Run} run @param {Now} now */
function nearest(run, now) {
  const { shape: [, count] } = getTensor(run, WEIGHTS), weights = attentionWeights(run, now)
  /** @param {string} name */
  const rows = name => {
    const { values, cols } = sliceHead(run, `${ATTENTION}.${name}`, count, now.state)
    return Array.from({ length: values.length / cols },
      (_, row) => Array.from(values.slice(row * cols, (row + 1) * cols)))
  }
  const values = rows('v'), output = rows('heads')[monthRow(run)]
  const smallest = weights.indexOf(Math.min(...weights))
  const candidateVectors = { most: values[largest(weights)], least: values[smallest], all: meanRow(values) }
  return Object.entries(candidateVectors).sort(([, a], [, b]) => distance(a, output) - distance(b, output))[0][0]
}

/** @param {Run} run */
const answerValues = run => ({
  answer: answer(run), text: run.streams.source.texts[0],
  written: answerTokens(run).slice(0, monthStep(run)).join(''), last: answerTokens(run)[monthStep(run) - 1] ?? START,
  share: formatProbability(valueOfCell(run, PROBABILITIES, answerCell(run).index))
})
/** @param {Run} run @param {Now} now */
const attentionValues = (run, now) => ({
  ...answerValues(run), token: streamTokens(run, 'source')[mostAttended(run, now)], place: String(mostAttended(run, now)),
  weight: formatFixed(Math.max(...attentionWeights(run, now))), head: String(now.state.head)
})
/** @param {Run} run @param {Now} now */
const scoreValues = (run, now) => ({ ...attentionValues(run, now),
  dot: formatFixed(valueOfCell(run, DOTS, pairIndex(run, now))),
  score: formatFixed(valueOfCell(run, SCORES, pairIndex(run, now))) })
/** What comes out with another divisor than √d. @param {Run} run @param {Now} now */
const scaleMistakes = (run, now) => {
  const dot = valueOfCell(run, DOTS, pairIndex(run, now)), root = dot / valueOfCell(run, SCORES, pairIndex(run, now))
  return [{ id: 'multiplied', value: dot * root }, { id: 'squared', value: dot / root ** 2 }, { id: 'undivided', value: dot }]
}
/** The probability of a character. @param {Run} run @param {Now} _ @param {string} text */
const givenProbability = (run, _, text) => ({ share: formatProbability(
  valueOfCell(run, PROBABILITIES, [0, monthRow(run), run.streams.target.vocabulary.indexOf(text)])) })
/** The first and the last column of the results of a head. @param {Run} run @param {Now} now */
function headColumns(run, { state: { head } }) {
  const { shape: [, , width] } = getTensor(run, HEADS), size = width / getTensor(run, WEIGHTS).shape[1]
  return [head * size, (head + 1) * size - 1]
}
/** The attention weight of a token. @param {Run} run @param {Now} now @param {string} position */
const givenWeight = (run, now, position) => (
  { weight: formatProbability(attentionWeights(run, now)[Number(position)]) })

/** @type {import('../index.js').Lesson} */
export const lesson = {
  model: 'dates',
  base: 'head=3',
  userFields: ['source'],
  steps: [
    {
      id: 'write', state: 'room=source.tokens', target: CHIPS,
      question: { options: candidates, answer, given: givenProbability, isOfAnswer: true },
      answerState: run => `room=decoding&step=${monthStep(run)}`, answerTarget, answerCell, values: answerValues
    },
    {
      id: 'look', state: 'room=source.tokens', target: CHIPS,
      question: { options: tokenOptions, answer: (run, now) => String(mostAttended(run, now)), given: givenWeight },
      answerState: `room=${ROOM}.weights`, answerTarget: pairTarget(WEIGHTS), values: attentionValues
    },
    { id: 'query', state: `room=${ROOM}.qkv&part=q`, target: run => rowTarget(run, 'q', monthRow(run)), values: answerValues },
    {
      id: 'key', state: `room=${ROOM}.qkv&part=k`, target: (run, now) => rowTarget(run, 'k', mostAttended(run, now)), values: attentionValues
    },
    { id: 'score', state: `room=${ROOM}.scores`, target: pairTarget(DOTS), values: scoreValues },
    {
      id: 'scale', state: `room=${ROOM}.scores`, target: pairTarget(DOTS),
      question: {
        answer: (run, now) => valueOfCell(run, SCORES, pairIndex(run, now)), tolerance: 0.06,
        cell: pairTarget(SCORES), mistakes: scaleMistakes
      },
      answerState: `room=${ROOM}.scale`, answerTarget: pairTarget(SCORES), values: scoreValues
    },
    {
      id: 'mix', state: `room=${ROOM}.heads`, target: run => ({ tensor: HEADS, index: [0, monthRow(run), null] }),
      question: { options: () => [{ id: 'most' }, { id: 'least' }, { id: 'all' }], answer: nearest },
      cell: (run, now) => ({ tensor: HEADS, index: [0, monthRow(run), headColumns(run, now)[0]] }),
      values: (run, now) => {
        const [first, last] = headColumns(run, now).map(String)
        return { ...attentionValues(run, now), first, last }
      },
      paperCells: () => []
    },
    {
      id: 'other', state: 'room=decoding', target: answerTarget, cell: answerCell,
      question: { options: () => DIGITS.map(text => ({ id: text, text })), answer },
      answerState: `room=decoding&${OTHER}`, answerTarget, answerCell, values: answerValues
    },
    {
      id: 'yours', asksForInput: true, state: `room=${ROOM}.weights`, target: pairTarget(WEIGHTS),
      values: (run, now) => ({ ...attentionValues(run, now), answer: answerText(run), digit: answer(run) })
    }
  ]
}
