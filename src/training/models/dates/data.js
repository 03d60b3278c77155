/**
 * The task of the page's first model: translating English dates into Korean. The order is reversed (the year comes last
 * in one and first in the other) and digits are copied, so cross-attention has something to show.
 */

import { splitGraphemes } from '../../graphemes.js'

const MONTHS = [
  'january', 'february', 'march', 'april', 'may', 'june', 'july', 'august', 'september', 'october', 'november',
  'december'
]
const DIGITS = [...'0123456789']

export const PAD = '<pad>', START = '<s>', END = '</s>'

/** The vocabulary of the source: whole words, and single digits and signs. */
export const SOURCE_TOKENS = [
  PAD, ...DIGITS, ...MONTHS, ...MONTHS.filter(m => m.length > 3).map(m => m.slice(0, 3)),
  'the', 'of', 'st', 'nd', 'rd', 'th', ',', '-', '/', '.'
]

/**
 * The names of year, month and day in the target. A token is only an id: weights and numbers are the same under any
 * name. Models are trained and exported with the Korean names; the page displays those of the reader's language and
 * reads all of them.
 * @type {Record<string, string[]>}
 */
const UNITS = { ko: ['년', '월', '일'], zh: ['年', '月', '日'], en: ['y', 'm', 'd'] }
const UNIT_INDEX = new Map(Object.values(UNITS).flatMap(names => names.map((name, i) => [name, i])))

/** The vocabulary of the target. */
export const TARGET_TOKENS = [PAD, START, END, ...DIGITS, ...UNITS.ko]

/** The ids of year, month and day. */
export const [YEAR, MONTH, DAY] = UNITS.ko.map(name => TARGET_TOKENS.indexOf(name))

/**
 * A token of the target by its name in a language, or where it has none, in English.
 * @param {string} token @param {string} language
 */
const nameToken = (token, language) => (UNITS[language] ?? UNITS.en)[UNIT_INDEX.get(token) ?? -1] ?? token

/** The maximum lengths of source and target in tokens, the target including its start or end token. */
export const LONGEST = { source: 12, target: 12 }

/** @param {number} day */
function ordinal(day) {
  if (day >= 11 && day <= 13) return `${day}th`
  return `${day}${['th', 'st', 'nd', 'rd'][day % 10] ?? 'th'}`
}

/** @param {number} n */
const twoDigits = n => String(n).padStart(2, '0')

/** The name of a month, long or short; undefined for a number that is no month. @param {number} m */
const long = m => MONTHS[m - 1] ?? '', short = (/** @type {number} */ m) => long(m).slice(0, 3)

/** @typedef {(y: number, m: number, d: number) => string} Form year, month (1 to 12) and day, written */

/**
 * Formats that are written both month first and day first: a date has two readings unless its day is above 12.
 * @type {Form[]}
 */
const AMBIGUOUS_FORMATS = [
  (y, m, d) => `${m}/${d}/${y}`, (y, m, d) => `${d}/${m}/${y}`,
  (y, m, d) => `${twoDigits(m)}/${twoDigits(d)}/${y}`, (y, m, d) => `${twoDigits(d)}/${twoDigits(m)}/${y}`,
  (y, m, d) => `${twoDigits(m)}-${twoDigits(d)}-${y}`, (y, m, d) => `${twoDigits(d)}-${twoDigits(m)}-${y}`
]

/**
 * The formats of dates.
 * @type {Form[]}
 */
export const FORMATS = [
  (y, m, d) => `${long(m)} ${d} ${y}`,
  (y, m, d) => `${d} ${short(m)} ${y}`,
  (y, m, d) => `the ${ordinal(d)} of ${long(m)}, ${y}`,
  (y, m, d) => `${y}-${twoDigits(m)}-${twoDigits(d)}`,
  ...AMBIGUOUS_FORMATS,
  (y, m, d) => `${long(m)} ${d}, ${y}`,
  (y, m, d) => `${long(m)} ${ordinal(d)}, ${y}`,
  (y, m, d) => `${short(m)} ${d}, ${y}`,
  (y, m, d) => `${short(m)} ${d} ${y}`,
  (y, m, d) => `${d} ${long(m)} ${y}`,
  (y, m, d) => `${ordinal(d)} ${long(m)} ${y}`,
  (y, m, d) => `${ordinal(d)} of ${long(m)} ${y}`,
  (y, m, d) => `the ${ordinal(d)} of ${long(m)} ${y}`,
  (y, m, d) => `${y}/${twoDigits(m)}/${twoDigits(d)}`,
  (y, m, d) => `${y}.${twoDigits(m)}.${twoDigits(d)}`,
  (y, m, d) => `${y}-${m}-${d}`,
  (y, m, d) => `${y}/${m}/${d}`,
  (y, m, d) => `${y}.${m}.${d}`,
  (y, m, d) => `${d}.${m}.${y}`,
  (y, m, d) => `${twoDigits(d)}.${twoDigits(m)}.${y}`
]

/** @param {number} y @param {number} m @param {number} d */
export const korean = (y, m, d) => `${y}년 ${m}월 ${d}일`

/**
 * The readings of a date in a format: itself, and where month and day are ambiguous, the two swapped.
 * @param {number} format @param {[number, number, number]} date year, month, day
 */
export function readings(format, [y, m, d]) {
  const isAmbiguous = AMBIGUOUS_FORMATS.includes(FORMATS[format]) && d <= 12 && d !== m
  return isAmbiguous ? [korean(y, m, d), korean(y, d, m)] : [korean(y, m, d)]
}

/** @param {string | undefined} character */
const isLetter = character => /^[a-z]$/.test(character ?? '')

/** Splits a source into words, digits and other characters, without spaces. @param {string} text @returns {string[]} */
export function splitSource(text) {
  /** @type {string[]} */
  const words = []
  splitGraphemes(text.toLowerCase()).forEach((character, i, characters) => {
    if (isLetter(character) && isLetter(characters[i - 1])) words[words.length - 1] += character
    else if (character.trim()) words.push(character)
  })
  return words
}

/** Splits a target, whose units may have the names of any language. @param {string} text @returns {string[]} */
export const splitTarget = text => splitGraphemes(text).filter(sign => sign.trim()).map(sign => nameToken(sign, 'ko'))

/** The text of target tokens: 2026년 11월 3일, 2026年11月3日, 2026y 11m 3d. @param {string[]} tokens */
export const joinTarget = tokens => tokens.map(token => (/^[년월ym]$/.test(token) ? `${token} ` : token)).join('').trim()

/**
 * A token of the target, or a text of them, with the units of a language; any other text remains as it is.
 * @param {string} text @param {string} language
 */
export function nameText(text, language) {
  const tokens = text.match(/<.*?>|\S/gu) ?? [], names = tokens.map(token => nameToken(token, language))
  const isTarget = tokens.every(token => TARGET_TOKENS.includes(nameToken(token, 'ko')))
  return isTarget && names.some((name, i) => name !== tokens[i]) ? joinTarget(names) : text
}

/** The text of a target without its special tokens. @param {string[]} tokens */
export const textOf = tokens => joinTarget(tokens.filter(token => !/^<.*>$/.test(token)))

/** Days from 1 January 1900 to 31 December 2199. */
export const DAYS = 109573

/** @param {number} day counted from 1 January 1900 @returns {[number, number, number]} year, month, day */
export function dateOf(day) {
  const date = new Date(Date.UTC(1900, 0, 1 + day))
  return [date.getUTCFullYear(), date.getUTCMonth() + 1, date.getUTCDate()]
}

/** @param {number} y @param {number} m @param {number} d */
const dayOf = (y, m, d) => (Date.UTC(y, m - 1, d) - Date.UTC(1900, 0, 1)) / 86_400_000

/** One day in ten is held out of training, including its swapped reading. @param {number} day */
export function isHeldOut(day) {
  const [y, m, d] = dateOf(day), first = d < m ? dayOf(y, d, m) : day
  return Math.imul(first + 1, 0x9e3779b1) >>> 0 < 2 ** 32 / 10
}

/** Ids padded with <pad>. @param {string[]} tokens @param {Map<string, number>} stoi @param {number} length */
export function encode(tokens, stoi, length) {
  const ids = tokens.map(token => {
    const id = stoi.get(token)
    if (id === undefined) throw new Error(`'${token}' is not a token of this model`)
    return id
  })
  return [...ids, ...Array(Math.max(0, length - ids.length)).fill(0)]
}

/** @param {readonly string[]} tokens */
export const idsOf = tokens => new Map(tokens.map((token, id) => [token, id]))

const SOURCE_IDS = idsOf(SOURCE_TOKENS), TARGET_IDS = idsOf(TARGET_TOKENS)

/**
 * One example as ids: the encoder's input, the decoder's input, and the targets.
 * @param {number} day @param {number} format
 */
export function example(day, format) {
  const date = dateOf(day), answer = splitTarget(korean(...date))
  return {
    source: encode(splitSource(FORMATS[format](...date)), SOURCE_IDS, LONGEST.source),
    input: encode([START, ...answer], TARGET_IDS, LONGEST.target),
    target: encode([...answer, END], TARGET_IDS, LONGEST.target)
  }
}

/** Date formats that the model knows. The last is ambiguous, May or June: month first, or day first. */
export const DATES = [
  'november 20 2026', 'nov 20, 2026', 'the 20th of november, 2026', '2026-11-20', '20.11.2026', '11/20/2026', '5/6/2026'
]
export const AMBIGUOUS_DATE = DATES[DATES.length - 1]
/** The two readings of the ambiguous date, each in a format that has one. */
export const DATE_PAIR = ['may 6 2026', 'june 5 2026']
