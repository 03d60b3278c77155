/** Short stories, Korean and English: a decoder that goes on with what the reader begins, trained by this library. */

import { take } from '../settings.js'
import { written } from '../spelling.js'

/** @import { PageModel } from '../../types.d.ts' */

/** Beginnings. */
export const BEGINNINGS = [
  ['ko', '다윤은 아침에'], ['ko', '서연은 하얀 고양이를 키워요.'], ['ko', '비가 와요.'], ['en', 'Julia went to the'],
  ['en', 'Beno has a blue bird.']
]

/** @type {PageModel} */
export const stories = {
  id: 'stories',
  files: ['stories.safetensors'],
  settings: take({
    weights: {}, seed: {}, training: {}, dropout: {}, scale: {}, temperature: {}, topK: {}, topP: {}, decoding: {},
    beams: {}
  }),
  fields: { beginning: { default: BEGINNINGS[0][1], notes: ['known'] },
    target: { default: '', notes: ['known'], isAnswer: true } },
  examples: BEGINNINGS.map(([lang, text]) => ({ text, lang, patch: { beginning: text, target: '' } })),
  hints: { mask: 'causal' },
  problems: () => ({}),
  written,
  kind: ({ weights, edits }) => (weights === 'trained' && edits.length ? 'edited' : weights)
}
