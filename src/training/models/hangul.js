/** Hangul syllables and their letters, in the order of Unicode. */

export const INITIALS = [...'ㄱㄲㄴㄷㄸㄹㅁㅂㅃㅅㅆㅇㅈㅉㅊㅋㅌㅍㅎ']
export const VOWELS = [...'ㅏㅐㅑㅒㅓㅔㅕㅖㅗㅘㅙㅚㅛㅜㅝㅞㅟㅠㅡㅢㅣ']
/** The final consonants from index 1 on; index 0 stands for none. */
export const FINALS = [...'ㄱㄲㄳㄴㄵㄶㄷㄹㄺㄻㄼㄽㄾㄿㅀㅁㅂㅄㅅㅆㅇㅈㅊㅋㅌㅍㅎ']

/** The code of 가, the first syllable. */
export const FIRST_SYLLABLE = 0xac00
/** The number of vowels, and of finals including none. */
export const COUNTS = { vowels: VOWELS.length, finals: FINALS.length + 1 }

/**
 * The indices of a syllable's letters: code = 0xAC00 + (initial · 21 + vowel) · 28 + final.
 * @param {string} syllable
 */
export function letterIndices(syllable) {
  const offset = syllable.charCodeAt(0) - FIRST_SYLLABLE
  const initialAndVowel = Math.floor(offset / COUNTS.finals)
  return {
    initial: Math.floor(initialAndVowel / COUNTS.vowels), vowel: initialAndVowel % COUNTS.vowels,
    final: offset % COUNTS.finals
  }
}
