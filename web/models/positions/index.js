/** The laboratory of positions: experiments on the reader's sentence instead of a model. */

import { pickSettings } from '../../../src/training/model_settings.js'
import { MEANINGS } from './meanings.js'
import { roomsOf } from './rooms.js'

/** @import { PageModel, Settings } from '../../types.d.ts' */

/** Sentences whose meaning depends on their order. */
const SENTENCES = [
  ['ko', '나는 너를 좋아하고 너는 나를 몰라'], ['ko', '나는 최근 파리 여행을 다녀왔다'], ['en', 'the dog bites the man'],
  ['en', 'I wonder what will come next'], ['zh', '我 不 认识 你 但 你 认识 我']
]

/** The maximum number of words, so that the figures remain readable. */
export const MAX_WORDS = 24

/** The minimum number of table positions beyond the sentence, so that it can be shifted. */
export const LARGEST_SHIFT = 8

/** The words of a sentence, split at white space as in the notebooks. @param {string} text */
export const wordsOf = text => text.split(/\s+/).filter(Boolean)

/** @param {Settings} state */
const evenWidth = ({ dModel }) => (dModel % 2 ? { key: 'errors.odd', values: { dModel } } : null)

/** @type {PageModel} */
export const positions = {
  id: 'positions',
  files: ['extrapolation.safetensors'],
  settings: {
    ...pickSettings({
      dModel: { kind: 'ladder', default: 8, limits: [2, 64], ladder: () => [2, 4, 6, 8, 12, 16, 24, 32, 48, 64],
        problem: evenWidth },
      base: { kind: 'ladder', ladder: () => [10, 100, 1000, 10000, 100000] },
      maxLength: { default: 16, limits: [8, 64], ladder: () => [8, 12, 16, 24, 32, 48, 64] },
      seed: { hasEffect: undefined }, dropout: { default: 0.2, hasEffect: undefined }
    }),
    shift: { kind: 'ladder', default: 1, limits: [1, LARGEST_SHIFT], ladder: () => [1, 2, 3, 4, 5, 6, 7, 8] }
  },
  fields: { sequence: { default: SENTENCES[0][1] } },
  examples: SENTENCES.map(([lang, text]) => ({ text, lang, patch: { sequence: text } })),
  hints: {},
  rooms: roomsOf,
  problems({ sequence }) {
    const { length } = wordsOf(sequence)
    if (length < 2) return { sequence: { key: 'errors.twoWords', values: {} } }
    return { sequence: length > MAX_WORDS ? { key: 'errors.manyWords', values: { most: MAX_WORDS } } : null }
  },
  written: tokens => tokens.join(' '),
  kind: () => 'untrained',
  meanings: MEANINGS
}
