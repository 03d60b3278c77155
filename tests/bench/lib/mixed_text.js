// Repeatable text, half Korean and half English, with words as frequent as in real text (the n-th about 1 / n)
// and punctuation, numbers and contractions in between.
import { integers } from '../../lib/numbers.js'

const KINDS = 30_000
const RANGE = 2 ** 30
const FIRST_SYLLABLE = 0xac00, SYLLABLES = 11_172
const PARTICLES = ['은', '는', '이', '가', '을', '를', '에서', '으로', '와', '과', '도', '']
const BETWEEN = [' ', ' ', ' ', ' ', ' ', ' ', ' ', ', ', '. ', '? ', '\n', " don't ", ' 42 ', ' "', '" ']

const pick = (list, n) => list[n % list.length]

/** Words from a list of large numbers, a few of them for each. */
function makeWords(draws, word) {
  return Array.from({ length: KINDS }, (_, i) => word(draws.slice(5 * i, 5 * i + 5)))
}

function koreanWord([length, particle, ...syllables]) {
  const stem = syllables.slice(0, 1 + (length % 3)).map(n => String.fromCharCode(FIRST_SYLLABLE + (n % SYLLABLES)))
  return stem.join('') + pick(PARTICLES, particle)
}

function englishWord([length, ...letters]) {
  const all = letters.flatMap(n => [n, n >> 8, n >> 16]).map(n => String.fromCharCode(97 + (n % 26)))
  return all.slice(0, 1 + (length % 9)).join('')
}

/** @param {number} length in UTF-16 units, more or less */
export function mixedText(length) {
  const korean = makeWords(integers([5 * KINDS], RANGE, 1).data, koreanWord)
  const english = makeWords(integers([5 * KINDS], RANGE, 2).data, englishWord)
  const draws = integers([length], RANGE, 3).data
  const parts = []
  for (let i = 0, units = 0; units < length; i += 3) {
    const [rank, language, gap] = draws.slice(i, i + 3)
    const word = (language % 2 ? korean : english)[Math.floor(KINDS ** (rank / RANGE)) - 1]
    const between = pick(BETWEEN, gap)
    parts.push(word, between)
    units += word.length + between.length
  }
  return parts.join('')
}
