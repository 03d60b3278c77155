/** Position: the same token twice, hands of clocks, the model's own encoding, and a model without it. */

import { encodePosition, dot } from '../../figures/math.js'
import { formatFixed } from '../../lib/number.js'
import { getTensor } from '../../lib/run.js'
import { LOSS_LINE, answerText, rowValues, streamTokens, wholeRow } from '../run_values.js'

/** @import { Run } from '../../types.d.ts' */

const FREQUENCIES = [1, 0.3, 0.1], HERE = 10
const EMBEDDING = 'source_embedding.output'
/** Positions to compare with HERE. */
const OTHERS = [11, 15, 25]

/** The first two positions of a token that stands in the source more than once; else 0 twice. @param {Run} run */
function twins(run) {
  const tokens = streamTokens(run, 'source')
  const first = tokens.findIndex((token, i) => tokens.indexOf(token, i + 1) > i)
  return first < 0 ? [0, 0] : [first, tokens.indexOf(tokens[first], first + 1)]
}
/** Whether both rows of the embedding are the same. @param {Run} run */
function areEqual(run) {
  const [one, other] = twins(run).map(row => rowValues(run, EMBEDDING, [0, row]))
  return one.every((value, i) => value === other[i])
}
/** The positions at which the fastest hand points about the way it started. */
const TURNS = Array.from({ length: 31 }, (_, i) => i + 1).filter(position => Math.cos(position) > 0.95)
/** @param {number} position */
const nearestTurn = position => TURNS.toSorted((a, b) => Math.abs(a - position) - Math.abs(b - position))[0]
/** The position whose encoding is the most similar. */
const nearest = () => {
  const here = encodePosition(HERE, FREQUENCIES)
  const products = OTHERS.map(other => dot(here, encodePosition(other, FREQUENCIES)))
  return String(OTHERS[products.indexOf(Math.max(...products))])
}

/** @type {import('../index.js').Lesson} */
export const lesson = {
  model: 'dates', base: '', userFields: ['source'],
  steps: [
    {
      id: 'same', state: 'room=source.embedding', hides: 'details.plane', target: run => ({ tensor: EMBEDDING, index: [0, twins(run)[0], null] }),
      question: { options: () => [{ id: 'equal' }, { id: 'different' }], answer: run => (areEqual(run) ? 'equal' : 'different') },
      paperCells: run => twins(run).map(row => wholeRow(run, EMBEDDING, row)),
      values: run => (
        { token: streamTokens(run, 'source')[twins(run)[0]], first: String(twins(run)[0]), second: String(twins(run)[1]) })
    },
    {
      id: 'clock', state: 'room=source.positions', figure: { id: 'clock', options: { frequencies: FREQUENCIES, position: 0 } },
      task: { isDone: ({ position }) => TURNS.includes(position), solution: { position: 6 },
        feedback: ({ position }) => ({ id: position === 0 ? 'start' : position < nearestTurn(position) ? 'up' : 'down',
          angle: formatFixed(Math.acos(Math.cos(position)) * 180 / Math.PI, 0) }) }
    },
    {
      id: 'alike', state: 'room=source.positions', figure: { id: 'clock', options: { frequencies: FREQUENCIES, position: 20, other: HERE } }, answerFigure: { position: Number(nearest()) },
      question: { options: () => OTHERS.map(other => ({ id: String(other), text: String(other) })), answer: nearest }
    },
    {
      id: 'waves', state: 'room=source.positions', hides: '.tools',
      values: run => ({ count: String(getTensor(run, EMBEDDING).shape.at(-1)) })
    },
    {
      id: 'off', state: 'room=decoding', hides: LOSS_LINE,
      question: {
        options: () => [{ id: 'same' }, { id: 'changed' }],
        answer: (run, { before }) => (before && answerText(run) === answerText(before) ? 'same' : 'changed')
      },
      answerState: 'room=decoding&positional=0',
      values: (run, { before }) => ({ answer: answerText(run), before: answerText(before ?? run) })
    }
  ]
}
