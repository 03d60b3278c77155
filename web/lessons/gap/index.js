/** Attention in twelve steps: a gap in a sentence, and a head that attends to the letter that determines the answer. */

import { formatFixed, formatProbability } from '../../lib/number.js'
import { getTensor } from '../../lib/run.js'
import { PROBABILITIES, createAttentionRow } from '../attention_row.js'
import { gaps, otherGaps } from '../gaps.js'
import { valueOfCell, answerTokens, rankIndices, rowValues, streamTokens } from '../run_values.js'

/** @import { Run } from '../../types.d.ts' */
/** @import { Now } from '../index.js' */

const ATTENTION = 'encoder.layers.1.self_attn'
const ROOM = 'encoder.1.self_attn'
const [MASKED, WEIGHTS] = ['masked_scores', 'weights'].map(name => `${ATTENTION}.${name}`)

/** @param {Run} run */
const gapRow = run => run.decoding?.rows[0] ?? 0
const row = createAttentionRow({ attention: ATTENTION, row: gapRow, stream: 'text', answerStream: 'answer' })

/** @param {number} position */
const chipTarget = position => ({ selector: `.stage .chip:nth-child(${position + 1})` })
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
  const list = [0, gapRow(run) - 1, gapRow(run) + 2, tokens.length - 1, row.mostAttended(run, now)]
  const validPositions = list.filter(position => position >= 0 && position < tokens.length && position !== gapRow(run))
  return [...new Set(validPositions)].sort((a, b) => a - b).map(position => (
    { id: String(position), text: `${tokens[position]} (${position})` }))
}

/** Edits that set every score of the gap's row to one value. @param {Run} run @param {Now} now */
const equalScores = (run, { state }) => streamTokens(run, 'text')
  .map((_, position) => `${MASKED}:0,${state.head},${gapRow(run)},${position}=0`).join(';')

/** The token whose value vector is nearest to the gap's output. @param {Run} run @param {Now} now */
const nearest = (run, now) => row.nearest(run, now, { seen: row.mostAttended(run, now), own: gapRow(run) })

/** @param {Run} run */
const answerValues = run => ({
  answer: answerTokens(run)[0], share: formatProbability(valueOfCell(run, PROBABILITIES, answerCell(run).index))
})
/** @param {Run} run @param {Now} now @returns {Record<string, number>} */
const weightLevels = (run, now) => ({ zero: 0, shared: 1 / row.weights(run, now).length, one: 1 })
/** The uniform weight, and the number of tokens. @param {Run} run @param {Now} now */
const levelValues = (run, now) => ({
  count: String(streamTokens(run, 'text').length), weight: formatFixed(row.weights(run, now)[0], 3)
})

const WORD = { selector: '.stage .pick' }

/** @type {import('../index.js').Lesson} */
export const lesson = {
  model: 'particles',
  base: gaps,
  userFields: ['gapped'],
  steps: [
    {
      id: 'gap', state: 'room=text.tokens', target: run => chipTarget(gapRow(run)),
      question: {
        options: candidates, answer: run => answerTokens(run)[0], given: row.givenProbability, isOfAnswer: true
      },
      answerState: 'room=decoding', answerTarget: () => WORD, answerCell, values: answerValues
    },
    {
      id: 'look', state: 'room=text.tokens', target: run => chipTarget(gapRow(run)),
      question: {
        options: tokenOptions, answer: (run, now) => String(row.mostAttended(run, now)), given: row.givenWeight
      },
      answerState: `room=${ROOM}.weights`, answerTarget: row.pairTarget('weights'), values: row.attentionValues
    },
    {
      id: 'rows', state: 'room=text.sum', target: run => ({ tensor: 'positions.output', index: [0, gapRow(run), null] }),
      values: run => ({ count: String(getTensor(run, 'positions.output').shape.at(-1)) })
    },
    { id: 'query', state: `room=${ROOM}.qkv&part=q`, target: run => row.rowTarget(run, 'q', gapRow(run)), values: row.attentionValues,
      paperCells: (run, now) => [row.headRow(run, now, 'q', gapRow(run))] },
    {
      id: 'key', state: `room=${ROOM}.qkv&part=k`, target: (run, now) => row.rowTarget(run, 'k', row.mostAttended(run, now)), values: row.attentionValues,
      paperCells: (run, now) => [row.headRow(run, now, 'k', row.mostAttended(run, now))]
    },
    { id: 'score', state: `room=${ROOM}.scores`, target: row.pairTarget('dots'), values: row.scoreValues },
    {
      id: 'scale', state: `room=${ROOM}.scores`, target: row.pairTarget('dots'),
      question: { answer: (run, now) => valueOfCell(run, `${ATTENTION}.scores`, row.pairIndex(run, now)), tolerance: 0.06 },
      answerState: `room=${ROOM}.scale`, answerTarget: row.pairTarget('scores'), values: row.scoreValues
    },
    {
      id: 'equal', state: `room=${ROOM}.weights`,
      target: (run, now) => ({ tensor: MASKED, index: [0, now.state.head, gapRow(run), null] }),
      question: {
        options: () => [{ id: 'one' }, { id: 'zero' }, { id: 'shared' }],
        answer: (run, now) => ['zero', 'shared', 'one'].find(id => (
          Math.abs(row.weights(run, now)[0] - weightLevels(run, now)[id]) < 1e-3))
      },
      answerState: (run, now) => `room=${ROOM}.weights&edits=${encodeURIComponent(equalScores(run, now))}`,
      answerTarget: (run, now) => ({ tensor: WEIGHTS, index: [0, now.state.head, gapRow(run), null] }),
      values: levelValues,
      paperAnswerCells: (run, now) => [MASKED,
        WEIGHTS].map(tensor => ({ tensor, index: [0, now.state.head, gapRow(run), null] }))
    },
    {
      id: 'mix', state: `room=${ROOM}.heads`, target: row.resultTarget,
      question: { options: () => [{ id: 'own' }, { id: 'seen' }, { id: 'all' }], answer: nearest },
      cell: row.resultCell,
      values: row.resultValues,
      paperCells: () => []
    },
    {
      id: 'heads', state: `room=${ROOM}.weights`, freeSettings: ['head'], target: () => ({ selector: '.stage [data-picker="head"]' }),
      cell: row.pairTarget('weights'), values: row.attentionValues
    },
    {
      id: 'other', state: 'room=decoding', target: () => WORD, cell: answerCell,
      question: { options: candidates, answer: run => answerTokens(run)[0] },
      answerState: otherGaps,
      answerTarget: () => WORD, answerCell, values: answerValues
    },
    {
      id: 'yours', asksForInput: true, state: `room=${ROOM}.weights`, target: row.pairTarget('weights'),
      values: (run, now) => (
        { ...row.attentionValues(run, now), ...answerValues(run), text: run.streams.text.texts[0] })
    }
  ]
}
