/**
 * Looking inside: what a part does is seen by switching it off; a score as a sum; a head that finds what came before.
 */

import { BEGINNINGS } from '../../../src/training/models/induction/data.js'
import { formatFixed } from '../../lib/number.js'
import { linkByLanguage } from '../../words/examples.js'
import { monthRow } from '../month.js'
import { answerText, answerTokens, rankIndices, rowValues, streamTokens } from '../run_values.js'

/** @import { Run } from '../../types.d.ts' */
/** @import { Now } from '../index.js' */

const ATTENTION = 'transformer.decoder.layers.1.multihead_attn', ROOM = 'room=decoder.1.multihead_attn.heads'
const HEADS = `${ATTENTION}.heads`, ONE_HEAD = '*,*,24-31', ALL_HEADS = '*,*,0-31'
/** The columns of that one head. */
const COLUMNS = Array.from({ length: 8 }, (_, i) => 24 + i)
/** @param {string} channels */
const ablation = channels => `room=decoding&edits=${encodeURIComponent(`${HEADS}:${channels}=0`)}`
const answers = () => ({ selector: '.stage .picks' })
const changeQuestion = { options: () => [{ id: 'same' }, { id: 'other' }],
  answer: (/** @type {Run} */ run, /** @type {Now} */ { before }) => (before && answerText(run) !== answerText(before) ? 'other' : 'same') }
/** The row that chooses the month. @param {Run} run */
const monthTarget = run => ({ tensor: HEADS, index: [0, monthRow(run), null] })
/** What head 3 gives it. @param {Run} run */
const headTarget = run => ({ ...monthTarget(run), columns: COLUMNS })
/** @param {Run} run */
const headCell = run => ({ tensor: HEADS, index: [0, monthRow(run), COLUMNS[0]] })
/** @param {Run} run @param {Now} now */
function changeValues(run, { before }) {
  const weights = rowValues(before ?? run, `${ATTENTION}.weights`, [0, 3, monthRow(before ?? run)])
  return { answer: answerText(run), before: answerText(before ?? run), weight: formatFixed(Math.max(...weights)),
    token: streamTokens(run, 'source')[rankIndices(weights)[0]] }
}

/** @param {Run} run */
const logits = run => rowValues(run, 'output', [0, run.decoding?.rows[0] ?? 0])
/** The last token that was read, and the one that followed it before. @param {Run} run */
function repeated(run) {
  const tokens = streamTokens(run, 'text').slice(0, (run.decoding?.rows[0] ?? 0) + 1), last = tokens[tokens.length - 1]
  return { last, next: tokens[tokens.slice(0, -1).lastIndexOf(last) + 1] ?? '', answer: answerTokens(run)[0] }
}

/** @type {import('../index.js').Lesson} */
export const lesson = {
  model: 'dates', base: 'head=3', userFields: ['source'],
  steps: [
    {
      id: 'one', state: ROOM, target: headTarget, cell: headCell, question: changeQuestion, values: changeValues,
      answerState: ablation(ONE_HEAD), answerTarget: answers
    },
    {
      id: 'all', state: ROOM, target: monthTarget, cell: headCell, question: changeQuestion, values: changeValues,
      answerState: ablation(ALL_HEADS), answerTarget: answers
    },
    {
      id: 'sum', state: 'room=attribution', hides: 'section:not(:has(.waterfall))', target: () => ({ selector: '.stage .waterfall' }),
      question: { options: () => [{ id: 'one' }, { id: 'logit' }, { id: 'probability' }], answer: () => 'logit' },
      values: run => {
        const [best] = rankIndices(logits(run))
        return { token: run.streams.target.vocabulary[best], logit: formatFixed(logits(run)[best]) }
      }
    },
    {
      id: 'repeat', model: 'induction', values: repeated,
      state: linkByLanguage(BEGINNINGS, text => new URLSearchParams({ beginning: text, room: 'decoding' }).toString())
    }
  ]
}
