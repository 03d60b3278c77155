/** Text becomes tokens: characters, byte-pair encoding by hand, and the tokens of a trained model. */

import { beginnings } from '../beginnings.js'
import { streamTokens } from '../run_values.js'

/** @import { Run } from '../../types.d.ts' */

/** A date to count the tokens of, beside the displayed ones. */
const OTHER = 'may 16, 2026', CHIPS = () => ({ selector: '.stage .chips' })
/** @param {Run} run */
const countTokens = run => streamTokens(run, 'source').length
/** What else a reader may have counted. @param {Run} run */
const countMistakes = run => {
  const [text] = run.streams.source.texts
  return [{ id: 'characters', value: text.replaceAll(' ', '').length }, { id: 'allCharacters', value: text.length },
    { id: 'words', value: text.trim().split(/\s+/).length }]
}

/** @type {import('../index.js').Lesson} */
export const lesson = {
  model: 'dates', base: '', userFields: ['source'],
  steps: [
    {
      id: 'pieces', state: 'room=source.tokens', target: CHIPS, answerState: `room=source.tokens&source=${OTHER}`, answerTarget: CHIPS,
      question: { answer: countTokens, tolerance: 0.1, mistakes: countMistakes },
      values: run => ({ text: OTHER, count: String(countTokens(run)),
        size: String(run.streams.source.vocabulary.length) })
    },
    {
      id: 'merge', state: 'room=source.tokens', figure: { id: 'merging', options: {} },
      task: { isDone: ({ merges }) => merges >= 3, solution: { merges: 3 }, feedback: ({ merges }) => ({ id: 'more', merges: String(merges) }) }
    },
    {
      id: 'vocabulary', state: 'room=source.tokens', figure: { id: 'merging', options: { merges: 3 } },
      question: { options: () => [{ id: 'fewer' }, { id: 'same' }, { id: 'more' }], answer: () => 'more' }
    },
    {
      id: 'trained', asksForInput: true, model: 'stories', state: beginnings('room=text.bpe_merges'), freeSettings: ['beginning', 'target'],
      values: run => ({ size: String(run.streams.text.vocabulary.length) })
    }
  ]
}
