/** Loss and back-propagation: how wrong an answer is, what one weight has to do with it, and training for real. */

import { formatFixed } from '../../lib/number.js'
import { answerText, answerTokens, formatLoss, lossKind, rowValues, valueOfCell } from '../run_values.js'

/** @import { Run } from '../../types.d.ts' */
/** @import { Now } from '../index.js' */

const SURPRISE = { id: /** @type {const} */ ('surprise'), options: { probability: 0.3 } }
const [SMALL, LARGE] = [0.01, 0.1]

/** A weight, how far it is moved, and a date of which the model is unsure, so that its loss has something to move. */
const WEIGHTS = 'transformer.encoder.layers.0.self_attn.in_proj_weight', WEIGHT = [93, 7], STEP = 0.5
const WEIGHT_STATE = `room=encoder.0.self_attn.qkv&part=v&source=5/6/2026&cell=${WEIGHTS}:${WEIGHT}:d`
const weightCell = () => ({ tensor: WEIGHTS, index: WEIGHT })
/** @param {Run} run */
const weight = run => valueOfCell(run, WEIGHTS, WEIGHT)
/** @param {Run} run @param {Now} now */
const nudgeValues = (run, { before }) => ({ loss: formatFixed(run.loss, 4), was: formatFixed((before ?? run).loss, 4),
  step: String(STEP) })

/** How many tokens the model can write. @param {Run} run */
const countTokens = run => run.streams.target.vocabulary.length
/** The loss of a model that knows nothing. @param {Run} run */
const uniformLoss = run => Math.log(countTokens(run))
/** Other logarithms, the probability itself, and another sign. @param {Run} run */
const uniformMistakes = run => [{ id: 'ten', value: Math.log10(countTokens(run)) }, { id: 'two', value: Math.log2(countTokens(run)) },
  { id: 'probability', value: 1 / countTokens(run) }]

/** A row of numbers of which dropout has set some to 0, and what it multiplied each by. */
const DROPPED = 'transformer.encoder.layers.0.dropout1.output', FACTORS = 'transformer.encoder.layers.0.dropout1.mask'
/** @param {Run} run */
const factors = run => rowValues(run, FACTORS, [0, 0])
/** @param {Run} run */
const retainedFactor = run => Math.max(...factors(run))

/** @type {import('../index.js').Lesson} */
export const lesson = {
  model: 'dates', base: '', userFields: ['source'],
  steps: [
    { id: 'surprise', state: 'room=house', figure: SURPRISE, task: {
      isDone: ({ loss }) => loss < 0.1, solution: { probability: 0.95 },
      feedback: ({ loss, probability }) => ({ id: 'low', loss: formatFixed(loss), probability: formatFixed(probability) })
    } },
    {
      id: 'double', state: 'room=house', figure: SURPRISE, answerFigure: { probability: SMALL },
      question: {
        options: () => [{ id: 'same' }, { id: 'double' }, { id: 'tenfold' }],
        answer: () => (Math.abs(Math.log(SMALL) / Math.log(LARGE) - 2) < 1e-9 ? 'double' : 'tenfold')
      }
    },
    {
      id: 'mean', state: 'room=decoding',
      values: run => ({ count: String(answerTokens(run).length), loss: formatLoss(run) })
    },
    { id: 'chain', state: 'room=house', figure: { id: 'chain', options: { w: 2, x: 4, v: 0.5, goal: 1 } }, task: {
      isDone: ({ gradient }) => Math.abs(gradient) < 0.01, solution: { w: 0.5 },
      feedback: ({ gradient }) => ({ id: gradient > 0 ? 'high' : 'low', gradient: formatFixed(gradient) })
    } },
    {
      id: 'nudge', state: WEIGHT_STATE, target: weightCell,
      question: {
        options: () => [{ id: 'up' }, { id: 'same' }, { id: 'down' }],
        answer(run, { before }) {
          const change = run.loss - (before ?? run).loss
          return change > 0 ? 'up' : change < 0 ? 'down' : 'same'
        }
      },
      paperCells: () => [{ ...weightCell(), isGradient: true }],
      answerState: run => `room=decoding&source=5/6/2026&edits=${encodeURIComponent(`${WEIGHTS}:${WEIGHT}=${weight(run) + STEP}`)}`,
      answerTarget: () => ({ selector: '.stage .picks' }), values: nudgeValues
    },
    {
      id: 'untrained', state: 'room=decoding&weights=untrained',
      question: { answer: uniformLoss, tolerance: 0.03, mistakes: uniformMistakes },
      values: run => ({ answer: answerText(run) || '</s>', count: String(countTokens(run)), loss: formatLoss(run),
        whose: lossKind(run),
        uniform: formatFixed(uniformLoss(run)), share: formatFixed(1 / countTokens(run), 4) })
    },
    {
      id: 'dropout', state: 'room=encoder.0.dropout1&training=1&dropout=0.2',
      target: () => ({ tensor: DROPPED, index: [0, 0, null] }),
      question: {
        options: () => [{ id: 'same' }, { id: 'larger' }, { id: 'smaller' }],
        answer: run => (retainedFactor(run) > 1 ? 'larger' : retainedFactor(run) < 1 ? 'smaller' : 'same')
      },
      values: (run, { state }) => ({
        zeros: String(factors(run).filter(factor => factor === 0).length), count: String(factors(run).length),
        factor: formatFixed(retainedFactor(run)), rate: String(state.dropout)
      })
    }
  ]
}
