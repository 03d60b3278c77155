/** Attention in nine steps: a character is chosen by a row that looks at the token from which it follows. */

import { formatFixed, formatProbability } from '../../lib/number.js'
import { START } from '../../../src/training/models/dates/data.js'
import { PROBABILITIES, createAttentionRow } from '../attention_row.js'
import { monthRow, monthStep } from '../month.js'
import {
  LOSS_LINE, answerText, answerTokens, rankIndices, rowValues, streamTokens, valueOfCell
} from '../run_values.js'

/** @import { Run } from '../../types.d.ts' */
/** @import { Now } from '../index.js' */

const ATTENTION = 'transformer.decoder.layers.1.multihead_attn'
const ROOM = 'decoder.1.multihead_attn'
/** Another month, and the digits to choose from. */
const OTHER = 'source=may 20 2026', DIGITS = ['1', '2', '5', '9']
const CANDIDATES = 4
const CHIPS = () => ({ selector: '.stage .chips' })

const row = createAttentionRow({ attention: ATTENTION, row: monthRow, stream: 'source', answerStream: 'target' })
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

/** The token whose value vector is nearest to the row's output. @param {Run} run @param {Now} now */
function nearest(run, now) {
  const weights = row.weights(run, now)
  return row.nearest(run, now, { most: row.mostAttended(run, now), least: weights.indexOf(Math.min(...weights)) })
}

/** @param {Run} run */
const answerValues = run => ({
  answer: answer(run), text: run.streams.source.texts[0],
  written: answerTokens(run).slice(0, monthStep(run)).join(''), last: answerTokens(run)[monthStep(run) - 1] ?? START,
  share: formatProbability(valueOfCell(run, PROBABILITIES, answerCell(run).index))
})
/** @param {Run} run @param {Now} now */
const attentionValues = (run, now) => ({ ...answerValues(run), ...row.attentionValues(run, now) })
/** @param {Run} run @param {Now} now */
const scoreValues = (run, now) => ({ ...answerValues(run), ...row.scoreValues(run, now) })
/** The number of the query whose largest product with the key is explained, and that number of the key. */
const queryCell = (/** @type {Run} */ run, /** @type {Now} */ now) => (
  { tensor: `${ATTENTION}.q`, index: [0, monthRow(run), row.termColumn(run, now)] })
const keyCell = (/** @type {Run} */ run, /** @type {Now} */ now) => (
  { tensor: `${ATTENTION}.k`, index: [0, row.mostAttended(run, now), row.termColumn(run, now)] })
/** @param {Run} run @param {Now} now */
const termValues = (run, now) => {
  const [query, key] = [queryCell, keyCell].map(cell => cell(run, now))
    .map(({ tensor, index }) => formatFixed(valueOfCell(run, tensor, index)))
  return { ...scoreValues(run, now), column: String(row.termColumn(run, now)), query, key }
}
/** What comes out with another divisor than √d. @param {Run} run @param {Now} now */
const scaleMistakes = (run, now) => {
  const [dot, score] = ['dots', 'scores'].map(name => valueOfCell(run, `${ATTENTION}.${name}`, row.pairIndex(run, now)))
  const root = dot / score
  return [{ id: 'multiplied', value: dot * root }, { id: 'squared', value: dot / root ** 2 }, { id: 'undivided', value: dot }]
}

/** @type {import('../index.js').Lesson} */
export const lesson = {
  model: 'dates',
  base: 'head=3',
  userFields: ['source'],
  steps: [
    {
      id: 'write', state: 'room=source.tokens', answerHides: LOSS_LINE, target: CHIPS,
      question: { options: candidates, answer, given: row.givenProbability, isOfAnswer: true },
      answerState: run => `room=decoding&step=${monthStep(run)}`, answerTarget, answerCell, values: answerValues
    },
    {
      id: 'look', state: 'room=source.tokens', target: CHIPS,
      question: {
        options: tokenOptions, answer: (run, now) => String(row.mostAttended(run, now)), given: row.givenWeight
      },
      answerState: `room=${ROOM}.weights`, answerTarget: row.pairTarget('weights'), values: attentionValues
    },
    {
      id: 'query', state: `room=${ROOM}.qkv&part=q`, target: run => row.rowTarget(run, 'q', monthRow(run)), cell: queryCell, dimsOthers: true,
      values: termValues,
      paperCells: (run, now) => [row.headRow(run, now, 'q', monthRow(run))]
    },
    {
      id: 'key', state: `room=${ROOM}.qkv&part=k`, target: (run, now) => row.rowTarget(run, 'k', row.mostAttended(run, now)), cell: keyCell, dimsOthers: true,
      values: termValues,
      paperCells: (run, now) => [row.headRow(run, now, 'k', row.mostAttended(run, now))]
    },
    { id: 'score', state: `room=${ROOM}.scores`, target: row.pairTarget('dots'), values: termValues },
    {
      id: 'scale', state: `room=${ROOM}.scores`, target: row.pairTarget('dots'),
      question: {
        answer: (run, now) => valueOfCell(run, `${ATTENTION}.scores`, row.pairIndex(run, now)), tolerance: 0.06,
        cell: row.pairTarget('scores'), mistakes: scaleMistakes
      },
      answerState: `room=${ROOM}.scale`, answerTarget: row.pairTarget('scores'), values: scoreValues
    },
    {
      id: 'mix', state: `room=${ROOM}.heads`, target: row.resultTarget,
      question: { options: () => [{ id: 'most' }, { id: 'least' }, { id: 'all' }], answer: nearest },
      cell: row.resultCell,
      values: (run, now) => ({ ...scoreValues(run, now), ...row.resultValues(run, now) }),
      paperCells: () => []
    },
    {
      id: 'other', state: 'room=decoding', hides: LOSS_LINE, target: answerTarget, cell: answerCell,
      question: { options: () => DIGITS.map(text => ({ id: text, text })), answer },
      answerState: `room=decoding&${OTHER}`, answerTarget, answerCell, values: answerValues
    },
    {
      id: 'yours', asksForInput: true, state: `room=${ROOM}.weights`, target: row.pairTarget('weights'),
      values: (run, now) => ({ ...attentionValues(run, now), answer: answerText(run), digit: answer(run) })
    }
  ]
}
