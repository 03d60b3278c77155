/** Hangul syllables and the letters in them, in the order in which Unicode counts both. */

export const INITIALS = [...'ㄱㄲㄴㄷㄸㄹㅁㅂㅃㅅㅆㅇㅈㅉㅊㅋㅌㅍㅎ']
export const VOWELS = [...'ㅏㅐㅑㅒㅓㅔㅕㅖㅗㅘㅙㅚㅛㅜㅝㅞㅟㅠㅡㅢㅣ']
/** Not counting that there may be none, which is number 0. */
export const FINALS = [...'ㄱㄲㄳㄴㄵㄶㄷㄹㄺㄻㄼㄽㄾㄿㅀㅁㅂㅄㅅㅆㅇㅈㅊㅋㅌㅍㅎ']

/** The code of 가, the first of all syllables. */
export const FIRST = 0xac00
/** How many vowels there are, and how many endings of a syllable, with none among them. */
export const COUNTS = { vowels: VOWELS.length, finals: FINALS.length + 1 }

/**
 * The numbers of the letters in a syllable: code = 0xAC00 + (initial · 21 + vowel) · 28 + final.
 * @param {string} syllable
 */
export function lettersOf(syllable) {
  const place = syllable.charCodeAt(0) - FIRST
  const open = Math.floor(place / COUNTS.finals)
  return { initial: Math.floor(open / COUNTS.vowels), vowel: open % COUNTS.vowels, final: place % COUNTS.finals }
}
