/**
 * The tokenizer. Every Hangul letter is a token, so that a final consonant is one of its own; every Latin letter is
 * one, too, except in the small words of English; [?] stands for a missing word.
 */

import { splitGraphemes } from '../../graphemes.js'
import { FINALS, INITIALS, VOWELS } from '../hangul.js'

export const PAD = '<pad>', MASK = '[?]', UNKNOWN = '<unk>'

/** English words that are single tokens: function words, which determine the structure of a sentence. */
export const SMALL_WORDS = `
  a an and been both every he her his i here it many my not of on our she some that the their there these they this
  those three to two we when where why you your about at behind beside by for from in inside near under with now
  never always very today yesterday
`.trim().split(/\s+/)

/** Final consonants are written with a hyphen, to distinguish them from the same letters at the start of a syllable. */
const FINAL_TOKENS = FINALS.map(letter => `-${letter}`)

/** The vocabulary of the input. */
export const TOKENS = [
  PAD, MASK, UNKNOWN, ' ', ...'0123456789.,?!\'"‘’“”', ...INITIALS, ...VOWELS, ...FINAL_TOKENS,
  ...'abcdefghijklmnopqrstuvwxyz'.replace(/[ai]/g, ''), ...SMALL_WORDS
]

/** The vocabulary of the output: all words that may be missing. */
export const WORDS = [
  '은', '는', '이', '가', '을', '를', '과', '와', '으로', '로', '에', '에서',
  'is', 'are', 'am', 'was', 'were', 'has', 'have', 'does', 'do'
]

/** The maximum number of tokens. */
export const LONGEST = 72

const IDS = new Map(TOKENS.map((token, id) => [token, id]))
const SMALL = new Set(SMALL_WORDS)

/** The Unicode blocks of the letters that join to syllables, in the order of the lists above. */
const JOINING = [INITIALS, VOWELS, FINAL_TOKENS].flatMap((letters, list) => (
  letters.map((letter, i) => ({ letter, joining: String.fromCharCode([0x1100, 0x1161, 0x11a8][list] + i) }))))
const LETTER_OF = new Map(JOINING.map(({ letter, joining }) => [joining, letter]))
const JOINING_OF = new Map(JOINING.map(({ letter, joining }) => [letter, joining]))

/** The tokens of one character. @param {string} character */
function tokensOf(character) {
  const plain = character.normalize('NFC').toLowerCase()
  if (!plain.trim()) return [' ']
  if (/^[가-힣]$/.test(plain)) return Array.from(plain.normalize('NFD'), joining => LETTER_OF.get(joining) ?? UNKNOWN)
  return [[plain, `-${plain}`].find(token => IDS.has(token)) ?? UNKNOWN]
}

/** @typedef {{ text: string, from: number, to: number }} Unit */

/** Matches [?], a Latin word, a character without combining marks, or any text between these. */
const PARTS = /\[\?\]|[A-Za-z]+(?!\p{M})|[가-힣0-9 ](?!\p{M})|(?:(?!\[\?\]|[A-Za-z가-힣0-9 ](?!\p{M})).)+/gsu

/**
 * Splits a text into units to be tokenized: [?], a small word, or a character as a reader perceives it.
 * @param {string} text @returns {Unit[]}
 */
function unitsOf(text) {
  return Array.from(text.matchAll(PARTS)).flatMap(({ 0: found, index: from }) => {
    if (found.length === 1 || found === MASK || SMALL.has(found.toLowerCase())) {
      return [{ text: found, from, to: from + found.length }]
    }
    const signs = splitGraphemes(found)
    let at = from
    return signs.map(text => ({ text, from: at, to: (at += text.length) }))
  })
}

const isHangul = (/** @type {string} */ token) => /^-?[ㄱ-ㅣ]$/.test(token)

/**
 * Encodes a text. White space becomes one space; it is dropped at the ends, and before a [?] after Korean, since a
 * particle follows its word without a space.
 * @param {string} text
 * @returns {{ ids: number[], tokens: string[], offsets: [number, number][] }} offsets: the range of each token in
 *   the text
 */
export function encode(text) {
  /** @type {string[]} */
  const tokens = []
  /** @type {[number, number][]} */
  const offsets = []
  const drop = () => { tokens.pop(); offsets.pop() }
  for (const { text: sign, from, to } of unitsOf(text)) {
    const whole = sign.toLowerCase()
    for (const token of sign === MASK || SMALL.has(whole) ? [whole] : tokensOf(sign)) {
      if (token === ' ' && (tokens.length === 0 || tokens.at(-1) === ' ')) continue
      if (token === MASK && tokens.at(-1) === ' ' && isHangul(tokens.at(-2) ?? '')) drop()
      tokens.push(token)
      offsets.push([from, to])
    }
  }
  if (tokens.at(-1) === ' ') drop()
  return { ids: tokens.map(token => /** @type {number} */ (IDS.get(token))), tokens, offsets }
}

/** Decodes ids: letters joined to syllables, □ for unknown characters. @param {readonly number[]} ids */
export function decode(ids) {
  const tokens = ids.map(id => TOKENS[id]).filter(token => token !== PAD)
  const joining = tokens.map(token => (token === UNKNOWN ? '□' : JOINING_OF.get(token) ?? token))
  const text = joining.join('').normalize('NFC')
  return text.replace(/[\u1100-\u11ff]/g, single => LETTER_OF.get(single)?.replace('-', '') ?? '')
}

/** Ids padded with <pad> to a length. @param {readonly number[]} ids @param {number} length */
export const fill = (ids, length) => [...ids, ...Array(Math.max(0, length - ids.length)).fill(0)]
