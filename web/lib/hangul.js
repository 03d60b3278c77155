/** Hangul syllables and their letters, in the order of Unicode. */

export const INITIALS = [...'ㄱㄲㄴㄷㄸㄹㅁㅂㅃㅅㅆㅇㅈㅉㅊㅋㅌㅍㅎ']
export const VOWELS = [...'ㅏㅐㅑㅒㅓㅔㅕㅖㅗㅘㅙㅚㅛㅜㅝㅞㅟㅠㅡㅢㅣ']
/** Without the case of no final consonant, which has index 0. */
export const FINALS = [...'ㄱㄲㄳㄴㄵㄶㄷㄹㄺㄻㄼㄽㄾㄿㅀㅁㅂㅄㅅㅆㅇㅈㅊㅋㅌㅍㅎ']

/** The code of 가, the first syllable. */
export const FIRST = 0xac00
/** The number of vowels, and of finals including none. */
export const COUNTS = { vowels: VOWELS.length, finals: FINALS.length + 1 }

/**
 * The indices of a syllable's letters: code = 0xAC00 + (initial · 21 + vowel) · 28 + final.
 * @param {string} syllable
 */
export function lettersOf(syllable) {
  const place = syllable.charCodeAt(0) - FIRST
  const open = Math.floor(place / COUNTS.finals)
  return { initial: Math.floor(open / COUNTS.vowels), vowel: open % COUNTS.vowels, final: place % COUNTS.finals }
}
