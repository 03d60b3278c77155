// Deterministic text, half Korean and half English. Word frequencies are as in real text (the n-th word has about 1 / n
// of the first), with punctuation, numbers and contractions between words.
import { integers } from '../../lib/numbers.js'

const WORD_COUNT = 30_000
const RANDOM_RANGE = 2 ** 30
const FIRST_SYLLABLE = 0xac00, SYLLABLES = 11_172
const PARTICLES = ['은', '는', '이', '가', '을', '를', '에서', '으로', '와', '과', '도', '']
const SEPARATORS = [' ', ' ', ' ', ' ', ' ', ' ', ' ', ', ', '. ', '? ', '\n', " don't ", ' 42 ', ' "', '" ']

const pick = (list, n) => list[n % list.length]

/** Words that a function builds of five random integers each. */
function createWords(seed, createWord) {
  const numbers = integers([5 * WORD_COUNT], RANDOM_RANGE, seed).data
  return Array.from({ length: WORD_COUNT }, (_, i) => createWord(numbers.slice(5 * i, 5 * i + 5)))
}

function koreanWord([length, particle, ...syllables]) {
  const stem = syllables.slice(0, 1 + (length % 3)).map(n => String.fromCharCode(FIRST_SYLLABLE + (n % SYLLABLES)))
  return stem.join('') + pick(PARTICLES, particle)
}

function englishWord([length, ...letters]) {
  const all = letters.flatMap(n => [n, n >> 8, n >> 16]).map(n => String.fromCharCode(97 + (n % 26)))
  return all.slice(0, 1 + (length % 9)).join('')
}

/** @param {number} length approximate length in UTF-16 units */
export function mixedText(length) {
  const korean = createWords(1, koreanWord), english = createWords(2, englishWord)
  const numbers = integers([length], RANDOM_RANGE, 3).data
  const parts = []
  for (let i = 0, units = 0; units < length; i += 3) {
    const [rank, language, gap] = numbers.slice(i, i + 3)
    const word = (language % 2 ? korean : english)[Math.floor(WORD_COUNT ** (rank / RANDOM_RANGE)) - 1]
    const separator = pick(SEPARATORS, gap)
    parts.push(word, separator)
    units += word.length + separator.length
  }
  return parts.join('')
}
