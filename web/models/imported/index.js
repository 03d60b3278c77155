/** The model that the reader imports: files of its folder, read in this tab and sent nowhere. */

import { take } from '../settings.js'
import { joinTokens } from '../token_text.js'

/** @import { PageModel } from '../../types.d.ts' */

/** Characters of the text field: the maximum number of tokens at eight characters each; the link contains all of it. */
const SIGNS = 8 * 1024

/** @type {PageModel} */
export const own = {
  id: 'own',
  files: [],
  isImported: true,
  settings: take({
    seed: {}, temperature: {}, topK: {}, topP: {}, decoding: {}, maxNewTokens: {}, beams: {}, kept: {}, keptBytes: {}
  }),
  fields: {
    beginning: { default: 'Once upon a time', notes: ['known'], maxLength: SIGNS, hasBreaks: true },
    target: { default: '', notes: ['known'], isAnswer: true, hasBreaks: true }
  },
  examples: [],
  hints: {},
  problems: () => ({}),
  written: joinTokens,
  kind: state => (state.edits.length ? 'edited' : 'trained'),
  explainError: ({ code }) => (code === 'nofiles' ? { engine: { key: 'bring.none', values: {} } } : null)
}
