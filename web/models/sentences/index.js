/** One attention block over the reader's own sentences, its weights initialized from the seed. */

import { pickSettings } from '../../../src/training/model_settings.js'

/** @import { PageModel } from '../../types.d.ts' */

export const PRESETS = {
  english: ['I wonder what will come next', 'This is a basic example paragraph', 'Hello, what is a basic split?'],
  korean: ['나는 최근 파리 여행을 다녀왔다'],
  // Words stand apart, since tokenizers split at white space.
  chinese: ['我 最近 去 巴黎 旅行 了', '我 不 认识 你 但 你 认识 我']
}

/** @param {...string[]} lists */
const lines = (...lists) => lists.flat().join('\n')
const EXAMPLES = {
  english: lines(PRESETS.english), korean: lines(PRESETS.korean), chinese: lines(PRESETS.chinese),
  all: lines(PRESETS.english, PRESETS.korean)
}

/** The sentences, one per line, without blank lines. @param {string} text */
export const sentencesOf = text => text.split('\n').filter(line => line.trim() !== '')

/** @type {PageModel} */
export const sentences = {
  id: 'sentences',
  needsText: true,
  files: [],
  settings: pickSettings({
    tokenizer: {}, dModel: { default: 16 }, heads: {}, base: {}, maxLength: {}, seed: {}, positions: {}, causal: {},
    training: {}, dropout: {}
  }),
  fields: { text: { default: EXAMPLES.all, isLong: true } },
  // Readers of Chinese begin with theirs; all others with English and Korean.
  examples: Object.entries(EXAMPLES).map(([name, text]) => (
    { word: `presets.${name}`, ...(name === 'chinese' && { lang: 'zh' }), patch: { text, sentence: 0 } })),
  /** Nothing is masked here unless the reader requests it. */
  hints: { mask: 'mask' },
  problems: ({ text }) => ({ text: sentencesOf(text).length ? null : { key: 'errors.empty', values: {} } }),
  written: tokens => tokens.join(' '),
  kind: () => 'untrained',
  /** Maps errors of the engine to problems of settings. */
  explainError({ code, message }) {
    if (code === 'text') return { text: { key: 'errors.wordless', values: {} } }
    return code === 'range' && message.includes('maxLength') ? { text: { key: 'errors.long', values: {} } } : null
  }
}
