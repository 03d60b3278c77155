/** One attention block over the reader's own sentences, its weights drawn from the seed. */

import { take } from '../settings.js'

/** @import { PageModel } from '../../types.d.ts' */

export const PRESETS = {
  english: ['I wonder what will come next', 'This is a basic example paragraph', 'Hello, what is a basic split?'],
  korean: ['나는 최근 파리 여행을 다녀왔다']
}

/** @param {...string[]} lists */
const lines = (...lists) => lists.flat().join('\n')
const EXAMPLES = {
  english: lines(PRESETS.english), korean: lines(PRESETS.korean), all: lines(PRESETS.english, PRESETS.korean)
}

/** The sentences: one a line, blank lines left out. @param {string} text */
export const sentencesOf = text => text.split('\n').filter(line => line.trim() !== '')

/** @type {PageModel} */
export const sentences = {
  id: 'sentences',
  files: [],
  settings: take({
    tokenizer: {}, dModel: { default: 16 }, heads: {}, base: {}, maxLength: {}, seed: {}, positions: {}, causal: {},
    training: {}, dropout: {}
  }),
  fields: { text: { default: EXAMPLES.all, isLong: true } },
  examples: Object.entries(EXAMPLES).map(([name, text]) => ({ word: `presets.${name}`, patch: { text, sentence: 0 } })),
  /** Nothing is hidden here unless the reader asks for it. */
  hints: { mask: 'mask' },
  problems: ({ text }) => ({ text: sentencesOf(text).length ? null : { key: 'errors.empty', values: {} } }),
  written: tokens => tokens.join(' '),
  kind: () => 'untrained',
  /** What the engine's refusal is about, in the page's words. */
  explainError({ code, message }) {
    if (code === 'text') return { text: { key: 'errors.wordless', values: {} } }
    return code === 'range' && message.includes('maxLength') ? { text: { key: 'errors.long', values: {} } } : null
  }
}
