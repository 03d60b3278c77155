/** Logits, probabilities and the loss: what the last layer says, and how wrong it was. */

import { formatFixed, formatProbability } from '../../lib/number.js'
import { answerTokens, rankIndices, rowValues, valueOfCell } from '../run_values.js'

/** @import { Run } from '../../types.d.ts' */

const LOGITS = 'output', PROBABILITIES = 'sampling.probabilities'
const SURPRISE = { id: /** @type {const} */ ('surprise'), options: { probability: 0.3 } }
const [SMALL, LARGE] = [0.01, 0.1]

/** The row in which the first token of the answer is chosen. @param {Run} run */
const firstRow = run => run.decoding?.rows[0] ?? 0
/** @param {Run} run */
const logits = run => rowValues(run, LOGITS, [0, firstRow(run)])
/** The most probable three. @param {Run} run */
const candidates = run => rankIndices(logits(run)).slice(0, 3).sort((a, b) => a - b).map(id => {
  const { vocabulary } = run.streams.target
  return { id: vocabulary[id], text: vocabulary[id] }
})
/** @param {Run} run */
const chosen = run => run.streams.target.vocabulary[rankIndices(logits(run))[0]]

/** A row of numbers of which dropout has set some to 0, and what it multiplied each by. */
const DROPPED = 'transformer.encoder.layers.0.dropout1.output', FACTORS = 'transformer.encoder.layers.0.dropout1.mask'
/** @param {Run} run */
const factors = run => rowValues(run, FACTORS, [0, 0])
/** @param {Run} run */
const retainedFactor = run => Math.max(...factors(run))

/** @type {import('../index.js').Lesson} */
export const lesson = {
  model: 'dates', base: '', userFields: ['source'], next: 'sampling',
  steps: [
    {
      id: 'logits', state: 'room=output', target: run => ({ tensor: LOGITS, index: [0, firstRow(run), null] }),
      question: {
        options: candidates, answer: chosen, isOfAnswer: true, given: (run, _, token) => (
          { logit: formatFixed(logits(run)[run.streams.target.vocabulary.indexOf(token)]) })
      },
      values: run => (
        { count: String(logits(run).length), token: chosen(run), logit: formatFixed(Math.max(...logits(run))) })
    },
    {
      id: 'probability', state: 'room=sampling&row=0',
      values: run => ({ token: answerTokens(run)[0], share: formatProbability(
        valueOfCell(run, PROBABILITIES, [0, firstRow(run), rankIndices(logits(run))[0]])) })
    },
    { id: 'surprise', state: 'room=house', figure: SURPRISE, task: { isDone: ({ loss }) => loss < 0.1, solution: { probability: 0.95 } } },
    {
      id: 'double', state: 'room=house', figure: SURPRISE,
      question: {
        options: () => [{ id: 'same' }, { id: 'double' }, { id: 'tenfold' }],
        answer: () => (Math.abs(Math.log(SMALL) / Math.log(LARGE) - 2) < 1e-9 ? 'double' : 'tenfold')
      }
    },
    {
      id: 'mean', state: 'room=decoding',
      values: run => ({ count: String(answerTokens(run).length), loss: formatFixed(Number(run.trueLoss ?? run.loss)) })
    },
    {
      id: 'dropout', state: 'room=encoder.0.dropout1&training=1&dropout=0.2',
      target: () => ({ tensor: DROPPED, index: [0, 0, null] }),
      question: {
        options: () => [{ id: 'same' }, { id: 'larger' }, { id: 'smaller' }],
        answer: run => (retainedFactor(run) > 1 ? 'larger' : retainedFactor(run) < 1 ? 'smaller' : 'same')
      },
      values: run => ({
        zeros: String(factors(run).filter(factor => factor === 0).length), count: String(factors(run).length),
        factor: formatFixed(retainedFactor(run))
      })
    }
  ]
}
