/** The form of a Korean particle after a word. */

import { FINALS, letterIndices } from './hangul.js'

/**
 * The two forms of every particle: after a consonant, and after a vowel.
 * @type {Record<string, [string, string]>}
 */
export const FAMILIES = {
  은: ['은', '는'], 이: ['이', '가'], 을: ['을', '를'], 과: ['과', '와'], 로: ['으로', '로'], 에: ['에', '에'], 에서: ['에서', '에서'],
  아: ['아', '야'], 이에요: ['이에요', '예요'], 이라고: ['이라고', '라고']
}

/** Digits and letters of the alphabet whose names end in a consonant. @type {Record<string, string>} */
const SOUNDS = { 0: 'ㅇ', 1: 'ㄹ', 3: 'ㅁ', 6: 'ㄱ', 7: 'ㄹ', 8: 'ㄹ', l: 'ㄹ', m: 'ㅁ', n: 'ㄴ', r: 'ㄹ' }

/** The final consonant of a word, '' for a vowel, null where it is unknown. @param {string} word */
export function finalOf(word) {
  const last = word.slice(-1)
  if (/[0-9a-z]/.test(last)) return SOUNDS[last] ?? ''
  return /[가-힣]/.test(last) ? FINALS[letterIndices(last).final - 1] ?? '' : null
}

/**
 * The possible forms of a particle after a word; ㄹ counts as a vowel before 로.
 * @param {string} family @param {string} word
 */
export function forms(family, word) {
  const final = finalOf(word), isOpen = final === '' || (family === '로' && final === 'ㄹ')
  return final === null ? FAMILIES[family] : [FAMILIES[family][isOpen ? 1 : 0]]
}
