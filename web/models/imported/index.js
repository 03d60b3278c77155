/** The model that the reader imports: files of its folder, read in this tab and sent nowhere. */

import { pickSettings } from '../../../src/training/model_settings.js'
import { joinTokens } from '../../../src/training/models/token_text.js'

/** @import { PageModel } from '../../types.d.ts' */

/** The maximum length of the text field: 1,024 tokens of eight characters. A link contains the whole text. */
const MAX_CHARACTERS = 8 * 1024

/** @type {PageModel} */
export const own = {
  id: 'own',
  files: [],
  isImported: true,
  settings: pickSettings({
    seed: {}, temperature: {}, topK: {}, topP: {}, decoding: {}, maxNewTokens: {}, beams: {}, kept: {}, keptBytes: {}
  }),
  fields: {
    beginning: { default: 'Once upon a time', notes: ['known'], maxLength: MAX_CHARACTERS, hasBreaks: true },
    target: { default: '', notes: ['known'], isAnswer: true, hasBreaks: true }
  },
  examples: [],
  hints: {},
  problems: () => ({}),
  written: joinTokens,
  kind: state => (state.edits.length ? 'edited' : 'trained'),
  explainError({ code, message }) {
    if (code === 'nofiles') return { engine: { key: 'bring.none', values: {} } }
    const [, field, last, text] = /^(\w+): ids are from 0 to (\d+), got (.*)$/s.exec(message) ?? []
    return field ? { [field]: { key: 'bring.noId', values: { text, last } } } : null
  }
}
