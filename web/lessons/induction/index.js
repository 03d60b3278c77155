/** Induction: a head looks at the token before, so that another finds what followed the last time. */

import { BEGINNINGS } from '../../../src/training/models/induction/data.js'
import { formatFixed } from '../../lib/number.js'
import { getTensor } from '../../lib/run.js'
import { linkByLanguage } from '../../words/examples.js'
import { answerTokens, rowValues, streamTokens, valueOfCell } from '../run_values.js'

/** @import { Run } from '../../types.d.ts' */

/** @param {number} layer */
const weightsOf = layer => `decoder.layers.${layer}.self_attn.weights`
const [FIRST, SECOND] = [weightsOf(0), weightsOf(1)]
/** The heads of layer 0 that look back: half of its channels. */
const HEADS = 'decoder.layers.0.self_attn.heads', ONE_HEAD = '*,*,0-15', TWO_HEADS = '*,*,0-31'
/** @param {string} channels */
const ablation = channels => `room=decoding&edits=${encodeURIComponent(`${HEADS}:${channels}=0`)}`

/** A text in the reader's language, else in English. */
const base = linkByLanguage(BEGINNINGS, text => new URLSearchParams({ beginning: text }).toString())

/** The last token that was read, from which the first is predicted. @param {Run} run */
const lastRow = run => run.decoding?.rows[0] ?? 0
/** The tokens that were read. @param {Run} run */
const promptTokens = run => streamTokens(run, 'text').slice(0, lastRow(run) + 1)
/** The position of the last token where it came before, or −1. @param {Run} run */
function earlier(run) {
  const tokens = promptTokens(run)
  return tokens.slice(0, -1).lastIndexOf(tokens[tokens.length - 1])
}
/**
 * The mean over the heads of a weight.
 * @param {Run} run @param {string} name @param {number} row @param {number} col
 */
function meanWeight(run, name, row, col) {
  const { shape: [, heads] } = getTensor(run, name)
  return Array.from({ length: heads }, (_, head) => valueOfCell(run, name, [0, head, row, col]))
    .reduce((sum, weight) => sum + weight, 0) / heads
}
/** Where head 0 of layer 0 looks from the last token. @param {Run} run */
function backwardTarget(run) {
  const row = lastRow(run), weights = [...rowValues(run, FIRST, [0, 0, row])].slice(0, row + 1)
  const largest = weights.indexOf(Math.max(...weights))
  return largest === row ? 'itself' : largest === row - 1 ? 'before' : 'other'
}
/** Where layer 1 looks from the last token, which came before. @param {Run} run */
function forwardTarget(run) {
  const row = lastRow(run), at = earlier(run)
  const places = [{ id: 'before', col: row - 1 }, { id: 'same', col: at }, { id: 'after', col: at + 1 }]
  return places.map(({ id, col }) => ({ id, weight: meanWeight(run, SECOND, row, Math.max(0, col)) }))
    .reduce((best, place) => (place.weight > best.weight ? place : best)).id
}
/** Whether the text still goes on as it did before. @param {Run} run */
const continuesRightly = run => {
  const tokens = promptTokens(run), at = earlier(run)
  return at >= 0 && answerTokens(run)[0] === tokens[at + 1] ? 'same' : 'other'
}
/** @param {Run} run */
const repeatedValues = run => {
  const tokens = promptTokens(run), at = earlier(run)
  return { last: tokens[tokens.length - 1], next: tokens[at + 1] ?? '', answer: answerTokens(run)[0],
    weight: formatFixed(meanWeight(run, SECOND, lastRow(run), at + 1)) }
}

/** @type {import('../index.js').Lesson} */
export const lesson = {
  model: 'induction', base, userFields: ['beginning'],
  steps: [
    { id: 'repeat', state: 'room=decoding', values: repeatedValues },
    {
      id: 'back', state: 'room=decoder.0.self_attn.weights&head=0',
      target: run => ({ tensor: FIRST, index: [0, 0, lastRow(run), null] }),
      question: { options: () => [{ id: 'itself' }, { id: 'before' }, { id: 'other' }], answer: backwardTarget },
      values: run => ({ ...repeatedValues(run),
        weight: formatFixed(valueOfCell(run, FIRST, [0, 0, lastRow(run), lastRow(run) - 1])) })
    },
    {
      id: 'forward', state: 'room=decoder.1.self_attn.weights&head=3',
      target: run => ({ tensor: SECOND, index: [0, 3, lastRow(run), null] }),
      question: { options: () => [{ id: 'before' }, { id: 'same' }, { id: 'after' }], answer: forwardTarget },
      values: repeatedValues
    },
    {
      id: 'one', state: 'room=head_scores', hides: '.all-heads', answerState: ablation(ONE_HEAD),
      question: { options: () => [{ id: 'same' }, { id: 'other' }], answer: continuesRightly }, values: repeatedValues
    },
    {
      id: 'two', state: 'room=head_scores', hides: '.all-heads', answerState: ablation(TWO_HEADS),
      question: { options: () => [{ id: 'same' }, { id: 'other' }], answer: continuesRightly }, values: repeatedValues
    },
    { id: 'yours', asksForInput: true, state: 'room=decoder.1.self_attn.weights&head=3',
      target: run => ({ tensor: SECOND, index: [0, 3, lastRow(run), null] }), values: repeatedValues }
  ]
}
