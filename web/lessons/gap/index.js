/** Attention in twelve steps: a gap in a sentence, and a head that attends to the letter that determines the answer. */

import { formatFixed, formatProbability } from '../../lib/number.js'
import { sliceHead, getTensor } from '../../lib/run.js'
import { gaps, otherGaps } from '../gaps.js'
import { valueOfCell, answerTokens, largest, rankIndices, rowValues, streamTokens } from '../run_values.js'

/** @import { Run } from '../../types.d.ts' */
/** @import { Cells, Now } from '../index.js' */

const ATTENTION = 'encoder.layers.1.self_attn'
const ROOM = 'encoder.1.self_attn'
const [DOTS, SCORES, MASKED, WEIGHTS, HEADS] = ['dots', 'scores', 'masked_scores', 'weights', 'heads']
  .map(name => `${ATTENTION}.${name}`)
const PROBABILITIES = 'sampling.output'

/** @param {Run} run */
const gapRow = run => run.decoding?.rows[0] ?? 0
/** @param {Run} run @param {Now} now */
const attentionWeights = (run, { state }) => rowValues(run, WEIGHTS, [0, state.head, gapRow(run)])
/** The token with the largest attention weight from the gap. @param {Run} run @param {Now} now */
const mostAttended = (run, now) => largest(attentionWeights(run, now))

/** @param {number} position */
const chipTarget = position => ({ selector: `.stage .chip:nth-child(${position + 1})` })
/** @param {Run} run @param {string} name @param {number} row */
const rowTarget = (run, name, row) => ({ tensor: `${ATTENTION}.${name}`, index: [0, row, null] })
/** @param {string} name @returns {(run: Run, now: Now) => Cells} */
const pairTarget = name => (run,
  now) => ({ tensor: name, index: [0, now.state.head, gapRow(run), mostAttended(run, now)] })
/** The probability of the chosen word. @param {Run} run */
const answerCell = run => ({ tensor: PROBABILITIES, index: [0, gapRow(run), run.decoding?.steps[0].id ?? 0] })

/** The most probable words for the gap, of one language, in the order of the vocabulary. @param {Run} run */
function candidates(run) {
  const { vocabulary } = run.streams.answer
  /** @param {string} text */
  const isKorean = text => text >= '가'
  const best = rankIndices(rowValues(run, PROBABILITIES, [0, gapRow(run)])).map(word => vocabulary[word])
    .filter(text => isKorean(text) === isKorean(answerTokens(run)[0])).slice(0, 4)
  return vocabulary.filter(text => best.includes(text)).map(text => ({ id: text, text }))
}

/**
 * Tokens to choose from: the ends of the sentence, the gap's neighbors, and the one it attends to.
 * @param {Run} run @param {Now} now
 */
function tokenOptions(run, now) {
  const tokens = streamTokens(run, 'text')
  const list = [0, gapRow(run) - 1, gapRow(run) + 2, tokens.length - 1, mostAttended(run, now)]
  const validPositions = list.filter(position => position >= 0 && position < tokens.length && position !== gapRow(run))
  return [...new Set(validPositions)].sort((a, b) => a - b).map(position => (
    { id: String(position), text: `${tokens[position]} (${position})` }))
}

/** Edits that set every score of the gap's row to one value. @param {Run} run @param {Now} now */
const equalScores = (run, { state }) => streamTokens(run, 'text')
  .map((_, position) => `${MASKED}:0,${state.head},${gapRow(run)},${position}=0`).join(';')

/** @param {number[]} a @param {number[]} b */
const distance = (a, b) => a.reduce((sum, value, i) => sum + (value - b[i]) ** 2, 0)
/** @param {number[][]} rows */
const meanRow = rows => rows[0].map((_, i) => rows.reduce((sum, row) => sum + row[i], 0) / rows.length)

/** The token whose value vector is nearest to the gap's output. @param {Run} run @param {Now} now */
function nearest(run, now) {
  const { shape: [, count] } = getTensor(run, WEIGHTS)
  /** @param {string} name */
  const rows = name => {
    const { values, cols } = sliceHead(run, `${ATTENTION}.${name}`, count, now.state)
    return streamTokens(run, 'text').map((_, row) => Array.from(values.slice(row * cols, (row + 1) * cols)))
  }
  const values = rows('v')
  const output = rows('heads')[gapRow(run)]
  const candidateVectors = { seen: values[mostAttended(run, now)], own: values[gapRow(run)], all: meanRow(values) }
  return Object.entries(candidateVectors).sort(([, a], [, b]) => distance(a, output) - distance(b, output))[0][0]
}

/** @param {Run} run */
const answerValues = run => ({
  answer: answerTokens(run)[0], share: formatProbability(valueOfCell(run, PROBABILITIES, answerCell(run).index))
})
/** @param {Run} run @param {Now} now */
const attentionValues = (run, now) => ({
  token: streamTokens(run, 'text')[mostAttended(run, now)], place: String(mostAttended(run, now)),
  weight: formatFixed(Math.max(...attentionWeights(run, now))), head: String(now.state.head)
})
/** @param {Run} run @param {Now} now */
const scoreValues = (run, now) => {
  const index = [0, now.state.head, gapRow(run), mostAttended(run, now)]
  return { ...attentionValues(run, now), dot: formatFixed(valueOfCell(run, DOTS, index)),
    score: formatFixed(valueOfCell(run, SCORES, index)) }
}
/** @param {Run} run @param {Now} now @returns {Record<string, number>} */
const weightLevels = (run, now) => ({ zero: 0, shared: 1 / attentionWeights(run, now).length, one: 1 })
/** The uniform weight, and the number of tokens. @param {Run} run @param {Now} now */
const levelValues = (run, now) => ({
  count: String(streamTokens(run, 'text').length), weight: formatFixed(attentionWeights(run, now)[0], 3)
})

/** The probability of a word for the gap. @param {Run} run @param {Now} _ @param {string} word */
const givenProbability = (run, _, word) => ({ share: formatProbability(
  valueOfCell(run, PROBABILITIES, [0, gapRow(run), run.streams.answer.vocabulary.indexOf(word)])) })
/** The first and the last column of the results of a head. @param {Run} run @param {Now} now */
function headColumns(run, { state: { head } }) {
  const { shape: [, , width] } = getTensor(run, HEADS), size = width / getTensor(run, WEIGHTS).shape[1]
  return [head * size, (head + 1) * size - 1]
}
/** The attention weight of a token. @param {Run} run @param {Now} now @param {string} position */
const givenWeight = (run, now, position) => (
  { weight: formatProbability(attentionWeights(run, now)[Number(position)]) })

const WORD = { selector: '.stage .pick' }

/** @type {import('../index.js').Lesson} */
export const lesson = {
  model: 'particles',
  base: gaps,
  userFields: ['gapped'],
  steps: [
    {
      id: 'gap', state: 'room=text.tokens', target: run => chipTarget(gapRow(run)),
      question: { options: candidates, answer: run => answerTokens(run)[0], given: givenProbability, isOfAnswer: true },
      answerState: 'room=decoding', answerTarget: () => WORD, answerCell, values: answerValues
    },
    {
      id: 'look', state: 'room=text.tokens', target: run => chipTarget(gapRow(run)),
      question: { options: tokenOptions, answer: (run, now) => String(mostAttended(run, now)), given: givenWeight },
      answerState: `room=${ROOM}.weights`, answerTarget: pairTarget(WEIGHTS), values: attentionValues
    },
    {
      id: 'rows', state: 'room=text.sum', target: run => ({ tensor: 'positions.output', index: [0, gapRow(run), null] }),
      values: run => ({ count: String(getTensor(run, 'positions.output').shape.at(-1)) })
    },
    { id: 'query', state: `room=${ROOM}.qkv&part=q`, target: run => rowTarget(run, 'q', gapRow(run)) },
    {
      id: 'key', state: `room=${ROOM}.qkv&part=k`, target: (run, now) => rowTarget(run, 'k', mostAttended(run, now)), values: attentionValues
    },
    { id: 'score', state: `room=${ROOM}.scores`, target: pairTarget(DOTS), values: scoreValues },
    {
      id: 'scale', state: `room=${ROOM}.scores`, target: pairTarget(DOTS),
      question: { answer: (run, now) => valueOfCell(run, SCORES,
        [0, now.state.head, gapRow(run), mostAttended(run, now)]), tolerance: 0.06 },
      answerState: `room=${ROOM}.scale`, answerTarget: pairTarget(SCORES), values: scoreValues
    },
    {
      id: 'equal', state: `room=${ROOM}.weights`,
      target: (run, now) => ({ tensor: MASKED, index: [0, now.state.head, gapRow(run), null] }),
      question: {
        options: () => [{ id: 'one' }, { id: 'zero' }, { id: 'shared' }],
        answer: (run, now) => ['zero', 'shared', 'one'].find(id => (
          Math.abs(attentionWeights(run, now)[0] - weightLevels(run, now)[id]) < 1e-3))
      },
      answerState: (run, now) => `room=${ROOM}.weights&edits=${encodeURIComponent(equalScores(run, now))}`,
      answerTarget: (run, now) => ({ tensor: WEIGHTS, index: [0, now.state.head, gapRow(run), null] }),
      values: levelValues,
      paperAnswerCells: (run, now) => [MASKED,
        WEIGHTS].map(tensor => ({ tensor, index: [0, now.state.head, gapRow(run), null] }))
    },
    {
      id: 'mix', state: `room=${ROOM}.heads`, target: run => ({ tensor: HEADS, index: [0, gapRow(run), null] }),
      question: { options: () => [{ id: 'own' }, { id: 'seen' }, { id: 'all' }], answer: nearest },
      cell: (run, now) => ({ tensor: HEADS, index: [0, gapRow(run), headColumns(run, now)[0]] }),
      values: (run, now) => {
        const [first, last] = headColumns(run, now).map(String)
        return { ...attentionValues(run, now), first, last }
      },
      paperCells: () => []
    },
    {
      id: 'heads', state: `room=${ROOM}.weights`, freeSettings: ['head'], target: () => ({ selector: '.stage [data-picker="head"]' }),
      cell: pairTarget(WEIGHTS), values: attentionValues
    },
    {
      id: 'other', state: 'room=decoding', target: () => WORD, cell: answerCell,
      question: { options: candidates, answer: run => answerTokens(run)[0] },
      answerState: otherGaps,
      answerTarget: () => WORD, answerCell, values: answerValues
    },
    {
      id: 'yours', asksForInput: true, state: `room=${ROOM}.weights`, target: pairTarget(WEIGHTS),
      values: (run, now) => ({ ...attentionValues(run, now), ...answerValues(run), text: run.streams.text.texts[0] })
    }
  ]
}
