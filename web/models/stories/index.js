/** Short stories, Korean and English: a decoder that goes on with what the reader begins, trained by this library. */

import { take } from '../settings.js'

/** Beginnings. */
export const BEGINNINGS = [
  ['ko', '다윤은 아침에'], ['ko', '서연은 하얀 고양이를 키워요.'], ['ko', '비가 와요.'], ['en', 'Julia went to the'],
  ['en', 'Beno has a blue bird.']
]

/** A space that begins a token, as it is shown. */
export const SPACE = '␣'

/** Bytes that nobody could see or that are no whole character, as they are shown. @param {Uint8Array} bytes */
export const asBytes = bytes => (
  `⟨${Array.from(bytes, byte => byte.toString(16).toUpperCase().padStart(2, '0')).join(' ')}⟩`)

const utf8 = new TextDecoder()

/** Tokens as text: bytes that stand side by side make characters again. @param {string[]} tokens */
function written(tokens) {
  const text = tokens.filter(token => !/^<.*>$/.test(token)).join('').replaceAll('⟩⟨', ' ')
  const whole = text.replace(/⟨([0-9A-F ]+)⟩/g, (_, bytes) => (
    utf8.decode(Uint8Array.from(bytes.split(' '), byte => Number.parseInt(byte, 16)))))
  return whole.replaceAll(SPACE, ' ').trim()
}

/** @type {import('../index.js').PageModel} */
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
