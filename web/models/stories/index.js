/** Short stories, Korean and English: a decoder that continues the reader's beginning, trained by this library. */

import { isGiven, pickSettings } from '../../../src/training/model_settings.js'
import { joinTokens } from '../../../src/training/models/token_text.js'
import { BEGINNINGS } from '../../../src/training/models/stories/beginnings.js'
import { DEFAULT_PARTS, VARIANTS, fileOf, trainingOf } from '../../../src/training/models/stories/variants.js'

/** @import { PageModel, Setting, Settings } from '../../types.d.ts' */

/**
 * Parts that can be exchanged, unless the weights come from the training page: those fit one architecture only.
 * @param {Partial<Setting>} more @returns {Partial<Setting>}
 */
const part = more => ({ isExplained: true, hasEffect: ({ weights }) => weights !== 'theatre', ...more })

/** Whether the weights come from a file, not from the seed. @param {Settings} state */
const isTrained = state => state.weights === 'trained' && fileOf(state) !== undefined

/** @type {PageModel} */
export const stories = {
  id: 'stories',
  needsText: true,
  files: Object.keys(VARIANTS).map(name => `${name}.safetensors`),
  filesOf(state) {
    const file = isTrained(state) && fileOf(state)
    return file ? [file] : []
  },
  variants: Object.entries(VARIANTS).map(([name, own]) => (
    { file: `${name}.safetensors`, settings: { weights: 'trained', ...DEFAULT_PARTS, ...own } })),
  settings: pickSettings({
    weights: {},
    seed: {
      hasEffect: state => state.training || (state.decoding === 'sample' && !isGiven(state)) ||
        (state.weights !== 'theatre' && !isTrained(state))
    },
    positions: part({
      options: { sinusoidal: 'interleaved', concatenated: 'concatenated', rotary: 'rotary', learned: 'learned',
        none: 'none' },
      hidden: 'concatenated'
    }),
    training: {}, dropout: {},
    activation: part({ default: 'gelu', options: { gelu: 'gelu', relu: 'relu', swiglu: 'swiglu' } }),
    norm: part({}), kvHeads: part({ limits: [1, 4] }),
    scale: {}, temperature: {}, topK: {}, topP: {}, decoding: {}, beams: {}
  }),
  fields: { beginning: { default: BEGINNINGS[0][1], notes: ['known'] },
    target: { default: '', notes: ['known'], isAnswer: true } },
  examples: BEGINNINGS.map(([lang, text]) => ({ text, lang, patch: { beginning: text, target: '' } })),
  hints: { mask: 'causal' },
  problems: () => ({}),
  written: joinTokens,
  kind: state => {
    if (state.weights === 'trained' && !isTrained(state)) return 'combination'
    return isTrained(state) && state.edits.length ? 'edited' : state.weights
  },
  training: state => (state.weights === 'trained' && !isTrained(state) ? trainingOf(state) : null)
}
