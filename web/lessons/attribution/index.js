/** Direct logit attribution: a score is a sum of what every part added, and what that sum does not tell. */

import { formatFixed } from '../../lib/number.js'
import { rankIndices, rowValues } from '../run_values.js'

/** @import { Run } from '../../types.d.ts' */

const ROOM = 'room=attribution'
/** What a step about the bars leaves out, and what one about the tokens does. */
const NOT_BARS = 'section:not(:has(.waterfall))', METHODS = 'section:has(> .tools)'
const bars = () => ({ selector: '.stage .waterfall' })
/** The logits of the first character of the answer. @param {Run} run */
const logits = run => rowValues(run, 'output', [0, run.decoding?.rows[0] ?? 0])
/** @param {Run} run */
function values(run) {
  const { vocabulary } = run.streams.target, scores = logits(run), [best, second] = rankIndices(scores)
  return { token: vocabulary[best], other: vocabulary[second], logit: formatFixed(scores[best]),
    difference: formatFixed(scores[best] - scores[second]) }
}

/** @type {import('../index.js').Lesson} */
export const lesson = {
  model: 'dates', base: '', userFields: ['source'],
  steps: [
    {
      id: 'sum', state: ROOM, hides: NOT_BARS, target: bars, values,
      question: { options: () => [{ id: 'one' }, { id: 'logit' }, { id: 'probability' }], answer: () => 'logit' }
    },
    { id: 'tokens', state: ROOM, hides: METHODS, target: () => ({ selector: '.stage .chips' }), values },
    {
      id: 'against', state: ROOM, hides: NOT_BARS, values,
      question: { options: () => [{ id: 'both' }, { id: 'once' }, { id: 'nothing' }], answer: () => 'nothing' }
    },
    {
      id: 'without', state: ROOM, hides: NOT_BARS, answerState: 'room=ablation', values,
      question: { options: () => [{ id: 'exactly' }, { id: 'not' }], answer: () => 'not' }
    },
    { id: 'yours', asksForInput: true, state: ROOM, hides: `${METHODS}, .stage-figure > .tools`, values }
  ]
}
