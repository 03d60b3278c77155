/** Logits, temperature, top-k, top-p, beams: from a score for every token to a character. */

import { formatFixed, formatProbability } from '../../lib/number.js'
import { valueOfCell, answerTokens, rankIndices, rowValues, answerText } from '../run_values.js'

/** @import { Run } from '../../types.d.ts' */
/** @import { Cells, Now } from '../index.js' */

const LOGITS = 'output'
const [PROBABILITIES, OUTPUT] = ['sampling.probabilities', 'sampling.output']
/** Rows of probabilities on paper, including the line that names the columns. */
const LINES = { selector: '.stage .words + .words' }
const FIRST = { selector: `${LINES.selector} > li:first-child` }
/** The step that generates the month of 5/6/2026, as long as the year has four digits. */
const STEP = 5
const ROOM = `room=sampling&row=${STEP}`
const PAPER_COLUMNS = 10

/** @param {Run} run */
const answerSteps = run => run.decoding?.steps ?? []
/** @param {Run} run */
const monthStep = run => Math.min(STEP, answerSteps(run).length - 1)
/** @param {Run} run */
const monthRow = run => run.decoding?.rows[monthStep(run)] ?? 0
/** @param {Run} run */
const maxProbability = run => Math.max(...rowValues(run, PROBABILITIES, [0, monthRow(run)]))
/** @param {Run} run */
const countNonzero = run => rowValues(run, OUTPUT, [0, monthRow(run)]).filter(share => share > 0).length
/** @param {Run} run @param {Now} now */
const probabilityValues = (run, { before }) => (
  { before: formatProbability(maxProbability(before ?? run)), after: formatProbability(maxProbability(run)) })
/** @param {Run} run @param {Now} now */
const changeDirection = (run, { before }) => {
  const [one, other] = [maxProbability(run), maxProbability(before ?? run)]
  return one > other ? 'up' : one < other ? 'down' : 'same'
}
const directionOptions = () => [{ id: 'up' }, { id: 'same' }, { id: 'down' }]

/**
 * The most probable characters, as many as a worksheet displays.
 * @param {Run} run @param {string} name @returns {Cells[]}
 */
function largestCells(run, name) {
  const row = monthRow(run), columns = rankIndices(rowValues(run, PROBABILITIES, [0, row])).slice(0, PAPER_COLUMNS)
  return [{ tensor: name, index: [0, row, null], columns }]
}
/** @param {Run} run */
const probabilityCells = run => largestCells(run, PROBABILITIES)
/** @param {Run} run */
const outputCells = run => largestCells(run, OUTPUT)

/** The two most probable months. @param {Run} run */
function monthOptions(run) {
  const { vocabulary } = run.streams.target
  const row = rowValues(run, PROBABILITIES, [0, monthRow(run)])
  return rankIndices(row).slice(0, 2).sort((a, b) => a - b)
    .map(word => ({ id: vocabulary[word], text: vocabulary[word] }))
}

/** @param {Run} run */
const firstRow = run => run.decoding?.rows[0] ?? 0
/** The scores from which the first character is chosen. @param {Run} run */
const logits = run => rowValues(run, LOGITS, [0, firstRow(run)])
/** The three largest. @param {Run} run */
const candidates = run => rankIndices(logits(run)).slice(0, 3).sort((a, b) => a - b).map(id => {
  const { vocabulary } = run.streams.target
  return { id: vocabulary[id], text: vocabulary[id] }
})
/** @param {Run} run */
const chosen = run => run.streams.target.vocabulary[rankIndices(logits(run))[0]]
/** How many characters there are, and how many are left out. @param {Run} run */
const countMistakes = run => {
  const all = rowValues(run, OUTPUT, [0, monthRow(run)]).length
  return [{ id: 'all', value: all }, { id: 'rest', value: all - countNonzero(run) }]
}

/** @type {import('../index.js').Lesson} */
export const lesson = {
  model: 'dates',
  base: 'source=5/6/2026',
  userFields: ['source'],
  steps: [
    {
      id: 'logits', state: 'room=output', target: run => ({ tensor: LOGITS, index: [0, firstRow(run), null] }),
      // By default the largest cell is explained, which is the answer.
      cell: run => ({ tensor: LOGITS, index: [0, firstRow(run), 0] }),
      question: {
        options: candidates, answer: chosen, isOfAnswer: true, given: (run, _, token) => (
          { logit: formatFixed(logits(run)[run.streams.target.vocabulary.indexOf(token)]) })
      },
      values: run => ({ text: run.streams.source.texts[0], count: String(logits(run).length), token: chosen(run),
        logit: formatFixed(Math.max(...logits(run))),
        share: formatProbability(Math.max(...rowValues(run, PROBABILITIES, [0, firstRow(run)]))) })
    },
    {
      id: 'greedy', state: 'room=source.tokens', target: () => ({ selector: '.stage .chips' }),
      question: {
        options: monthOptions, answer: run => answerTokens(run)[monthStep(run)],
        given: (run, _, month) => ({ share: formatProbability(
          valueOfCell(run, OUTPUT, [0, monthRow(run), run.streams.target.vocabulary.indexOf(month)])) }),
        isOfAnswer: true
      },
      answerState: ROOM, answerHides: '.figure',
      answerTarget: () => FIRST, paperCells: probabilityCells,
      values: run => ({ text: run.streams.source.texts[0], answer: answerTokens(run)[monthStep(run)],
        share: formatProbability(valueOfCell(run, OUTPUT, [0, monthRow(run), answerSteps(run)[monthStep(run)].id])) })
    },
    {
      id: 'hot', state: ROOM, hides: '.figure', target: () => ({ selector: '.stage [data-control="temperature"]' }),
      question: { options: directionOptions, answer: changeDirection }, answerState: `${ROOM}&temperature=3`, answerTarget: () => FIRST, values: probabilityValues,
      paperCells: probabilityCells, paperAnswerCells: probabilityCells
    },
    {
      id: 'topk', state: `${ROOM}&temperature=3`, hides: '.figure', target: () => ({ selector: '.stage [data-control="topK"]' }),
      question: { answer: countNonzero, tolerance: 0.4, mistakes: countMistakes }, answerState: `${ROOM}&temperature=3&topK=3`, answerTarget: () => LINES,
      values: run => ({ count: String(countNonzero(run)) }), paperCells: probabilityCells, paperAnswerCells: outputCells
    },
    {
      id: 'topp', state: `${ROOM}&temperature=3`, hides: '.figure', target: () => LINES,
      question: { answer: countNonzero, tolerance: 0.4, mistakes: countMistakes }, answerState: `${ROOM}&temperature=3&topP=0.5`, answerTarget: () => LINES,
      values: run => ({ count: String(countNonzero(run)) }), paperCells: probabilityCells, paperAnswerCells: outputCells
    },
    {
      id: 'beam', state: 'room=decoding', target: () => ({ selector: '.stage .picks' }),
      question: {
        options: () => [{ id: 'same' }, { id: 'other' }],
        answer: (run, { before }) => (answerText(run) === answerText(before ?? run) ? 'same' : 'other')
      },
      answerState: 'room=decoding&decoding=beam&beams=3', answerTarget: () => ({ selector: '.stage .tree-slot' }),
      values: (run, { before }) => ({ answer: answerText(run), before: answerText(before ?? run) })
    },
    {
      id: 'yours', state: 'room=decoding&decoding=sample', hides: '.figure', freeSettings: ['seed', 'temperature', 'decoding', 'beams'],
      target: () => ({ selector: '.stage [data-control="seed"]' }),
      values: run => ({ text: run.streams.source.texts[0], answer: answerText(run) })
    }
  ]
}
