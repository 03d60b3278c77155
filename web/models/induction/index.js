/** Sequences that repeat: a decoder of attention alone, with previous-token and induction heads. */

import { isGiven, pickSettings } from '../../../src/training/model_settings.js'
import { BEGINNINGS } from '../../../src/training/models/induction/data.js'
import { LONGEST, TOKENS, splitText, unknownWord } from '../../../src/training/models/induction/tokens.js'

/** @import { PageModel, Problem } from '../../types.d.ts' */

/** The number of tokens that it continues a text with. */
export const NEW_TOKENS = 8
/** The maximum number of tokens of a text, after <start> and before its continuation. */
const LONGEST_TEXT = LONGEST - 1 - NEW_TOKENS

/** @param {string} text @param {number} most @returns {Problem | null} */
function textProblem(text, most) {
  const word = unknownWord(text)
  if (word !== undefined) return { key: 'errors.unknown', values: { word } }
  return splitText(text).length > most ? { key: 'errors.tooLong', values: { most } } : null
}

/** @type {PageModel} */
export const induction = {
  id: 'induction',
  files: ['induction.safetensors'],
  filesOf: ({ weights }) => (weights === 'trained' ? ['induction.safetensors'] : []),
  settings: pickSettings({
    weights: {},
    seed: { hasEffect: state => state.training || state.weights === 'untrained' || (state.decoding === 'sample' && !isGiven(state)) },
    training: {}, dropout: {}, scale: {}, temperature: {}, topK: { limits: [0, TOKENS.length] }, topP: {}, decoding: {},
    beams: {}
  }),
  fields: { beginning: { default: BEGINNINGS[0][1], notes: ['known'] },
    target: { default: '', notes: ['known'], isAnswer: true } },
  examples: BEGINNINGS.map(([lang, text]) => ({ text, lang, patch: { beginning: text, target: '' } })),
  hints: { mask: 'causal' },
  problems: ({ beginning, target }) => (
    { beginning: textProblem(beginning, LONGEST_TEXT), target: textProblem(target, NEW_TOKENS) }),
  written: tokens => tokens.join(' '),
  kind: ({ weights, edits }) => (weights === 'trained' && edits.length ? 'edited' : weights)
}
