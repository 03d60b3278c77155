/**
 * Sentences with a missing word, Korean and English: an encoder that predicts the word, trained by this library.
 */

import { pickSettings } from '../../../src/training/model_settings.js'
import { encodeSentence } from '../../../src/training/models/particles/answer.js'
import { LONGEST, WORDS, encode } from '../../../src/training/models/particles/tokens.js'

/** @import { PageModel } from '../../types.d.ts' */

/** Example sentences: final consonants, vowels, ㄹ, made-up words, and verbs far from their subject. */
export const SENTENCES = [
  ['ko', '나는 최근 파리 여행[?] 다녀왔다'], ['ko', '나는 최근 파리 사과[?] 먹었다'], ['ko', '내일은 서울[?] 간다'],
  ['ko', '뷁똠[?] 정말 재미있다'], ['ko', '고양이[?] 강아지는 친구다'], ['en', 'the keys to the cabinet [?] here'],
  ['en', 'the key to the cabinets [?] here']
]

/** The reader's words for the gaps. @param {string} target */
export const wordsOf = target => target.split(/[\s,]+/).filter(Boolean)

/** @param {string} sentence @param {string} target */
function targetProblem(sentence, target) {
  const words = wordsOf(target)
  const unknown = words.find(word => !WORDS.includes(word))
  if (unknown) return { key: 'errors.unknown', values: { word: unknown } }
  const { places } = encodeSentence(sentence)
  return words.length && words.length !== places.length ? { key: 'errors.gaps', values: { count: places.length } } :
    null
}

/** @type {PageModel} */
export const particles = {
  id: 'particles',
  files: ['particles.safetensors'],
  settings: pickSettings({
    weights: {}, seed: {}, training: {}, dropout: {}, scale: {}, temperature: {}, topK: { limits: [0, WORDS.length] },
    topP: {}, decoding: { options: { greedy: 'greedy', sample: 'sample' } }
  }),
  fields: { gapped: { default: SENTENCES[0][1], notes: ['known'] },
    target: { default: '', notes: ['known'], isAnswer: true } },
  examples: SENTENCES.map(([lang, text]) => ({ text, lang, patch: { gapped: text, target: '' } })),
  hints: { mask: 'padding' },
  problems({ gapped, target }) {
    const { tokens, places } = encodeSentence(gapped)
    if (tokens.length === 0) return { gapped: { key: 'errors.emptySource', values: {} } }
    if (places.length === 0) return { gapped: { key: 'errors.noGap', values: {} } }
    if (encode(gapped).ids.length > LONGEST) return { gapped: { key: 'errors.tooLong', values: { most: LONGEST } } }
    return { target: targetProblem(gapped, target) }
  },
  written: tokens => tokens.join(' '),
  kind: ({ weights, edits }) => (weights === 'trained' && edits.length ? 'edited' : weights)
}
