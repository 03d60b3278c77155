/** Text becomes tokens: characters, byte-pair encoding by hand, and the tokens of a trained model. */

import { beginnings } from '../beginnings.js'
import { gaps } from '../gaps.js'
import { streamTokens } from '../run_values.js'

/** @type {import('../index.js').Lesson} */
export const lesson = {
  model: 'particles', base: gaps, userFields: ['gapped'], next: 'vectors',
  steps: [
    {
      id: 'pieces', state: 'room=text.tokens', target: () => ({ selector: '.stage .chips' }),
      question: { answer: run => streamTokens(run, 'text').length, tolerance: 0.1 },
      values: run => (
        { count: String(streamTokens(run, 'text').length), size: String(run.streams.text.vocabulary.length) })
    },
    {
      id: 'merge', state: 'room=text.tokens', figure: { id: 'merging', options: {} },
      task: { isDone: ({ merges }) => merges >= 3, solution: { merges: 3 } }
    },
    {
      id: 'vocabulary', state: 'room=text.tokens', figure: { id: 'merging', options: { merges: 3 } },
      question: { options: () => [{ id: 'fewer' }, { id: 'same' }, { id: 'more' }], answer: () => 'more' }
    },
    {
      id: 'trained', asksForInput: true, model: 'stories', state: beginnings('room=text.bpe_merges'), freeSettings: ['beginning', 'target'],
      values: run => ({ size: String(run.streams.text.vocabulary.length) })
    }
  ]
}
