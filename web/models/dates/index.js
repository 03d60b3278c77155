/** English dates into a short form (2026년 11월 3일, 2026y 11m 3d): an encoder-decoder trained by this library. */

import { isLearned, pickSettings } from '../../../src/training/model_settings.js'
import { AMBIGUOUS_DATE, DATES, DATE_PAIR, TARGET_TOKENS, nameText, splitSource, textOf } from '../../../src/training/models/dates/data.js'
import { sourceProblem, targetProblem } from '../../../src/training/models/dates/problems.js'
import { familiarity } from './familiarity.js'

/** @import { PageModel, Settings } from '../../types.d.ts' */

/** @param {Settings} state */
const isUntrained = ({ weights }) => weights === 'untrained'

/** @param {Settings} state */
function kindOf(state) {
  if (isUntrained(state)) return 'untrained'
  if (state.weights === 'theatre') return 'theatre'
  if (isLearned(state)) return 'drawn'
  return state.edits.length ? 'edited' : 'trained'
}

/** @type {PageModel} */
export const dates = {
  id: 'dates',
  files: ['date_translator.safetensors'],
  settings: pickSettings({
    weights: {}, dModel: { hasEffect: isUntrained }, heads: { hasEffect: isUntrained }, base: {}, seed: {},
    positions: {}, training: {}, dropout: {}, layers: { hasEffect: isUntrained },
    dimFeedforward: { hasEffect: isUntrained }, normFirst: {},
    activation: {}, positional: {}, scale: {}, padding: {}, tgtIsCausal: {}, temperature: {},
    topK: { limits: [0, TARGET_TOKENS.length] }, topP: {}, decoding: {}, beams: {}, fault: {}
  }),
  fields: {
    source: { default: DATES[0], notes: ['known', 'learned'] },
    target: { default: '', notes: ['known'], isAnswer: true }
  },
  examples: [...DATES, ...DATE_PAIR].map(source => ({
    text: source, lang: 'en', patch: { source, target: '' }, ...(source === AMBIGUOUS_DATE && { note: 'source.twofold' })
  })),
  hints: {},
  problems: ({ source, target }) => ({ source: sourceProblem(source), target: targetProblem(target) }),
  written: textOf,
  named: nameText,
  warning({ source }) {
    const kind = familiarity(splitSource(source), splitSource)
    return kind === 'known' ? null : kind
  },
  opening: { weights: '.multihead_attn.weights', probabilities: 'sampling.output' },
  /** The key of the note on the model at the end of every room. */
  kind: kindOf
}
