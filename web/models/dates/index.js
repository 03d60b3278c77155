/** English dates into Korean: an encoder-decoder trained by this library. */

import { isLearned, take } from '../settings.js'
import { LONGEST, SOURCE_TOKENS, TARGET_TOKENS, splitSource, splitTarget, textOf } from './data.js'
import { familiarity } from './familiarity.js'

/** @import { PageModel, Settings } from '../../types.d.ts' */

/** Date formats that the model knows. The last is ambiguous, May or June: month first, or day first. */
export const DATES = [
  'november 20 2026', 'nov 20, 2026', 'the 20th of november, 2026', '2026-11-20', '20.11.2026', '11/20/2026', '5/6/2026'
]
export const TWOFOLD = DATES[DATES.length - 1]

/**
 * The first unknown word, or that there are too many.
 * @param {string[]} words @param {string[]} known @param {number} max
 */
function wrong(words, known, max) {
  const unknown = words.find(word => !known.includes(word))
  if (unknown) return { key: 'errors.unknown', values: { word: unknown } }
  return words.length > max ? { key: 'errors.tooLong', values: { most: max } } : null
}

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
  settings: take({
    weights: {}, dModel: { matters: isUntrained }, heads: { matters: isUntrained }, base: {}, seed: {}, positions: {},
    training: {}, dropout: {}, layers: { matters: isUntrained }, dimFeedforward: { matters: isUntrained },
    normFirst: {},
    activation: {}, positional: {}, scale: {}, padding: {}, tgtIsCausal: {}, temperature: {},
    topK: { limits: [0, TARGET_TOKENS.length] }, topP: {}, decoding: {}, beams: {}, fault: {}
  }),
  fields: {
    source: { default: DATES[0], notes: ['known', 'learned'] },
    target: { default: '', notes: ['known'], isAnswer: true }
  },
  examples: DATES.map(source => ({
    text: source, lang: 'en', patch: { source, target: '' }, ...(source === TWOFOLD && { note: 'source.twofold' })
  })),
  hints: {},
  problems({ source, target }) {
    const words = splitSource(source)
    return {
      source: words.length ? wrong(words, SOURCE_TOKENS.slice(1), LONGEST.source) :
          { key: 'errors.emptySource', values: {} },
      target: wrong(splitTarget(target), TARGET_TOKENS.slice(3), LONGEST.target - 1)
    }
  },
  written: textOf,
  doubt({ source }) {
    const kind = familiarity(splitSource(source), splitSource)
    return kind === 'known' ? null : kind
  },
  /** The key of the note on the model at the end of every room. */
  kind: kindOf
}
