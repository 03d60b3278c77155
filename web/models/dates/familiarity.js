/** Whether the model has been trained on a kind of date: the formats, real days, years of three centuries. */

import { FORMATS, SOURCE_TOKENS, korean } from './data.js'

const MONTHS = SOURCE_TOKENS.filter(token => /^[a-z]{3,}$/.test(token) && token !== 'the').slice(0, 12)
const [FIRST, LAST] = [1900, 2199]

/** Tokens with spaces around words and signs, so that only digits stand together. @param {string[]} words */
const spaced = words => words.map(word => (/^\d$/.test(word) ? word : ` ${word} `)).join('').replace(/ +/g, ' ').trim()

/** @typedef {[number, number, number]} Day year, month, day */

/** @param {Day} day */
const isDay = ([y, m, d]) => m >= 1 && m <= 12 && d >= 1 && d <= new Date(Date.UTC(y, m, 0)).getUTCDate()

/**
 * The days that a text may mean, whether in the calendar or not: four digits in a row are a year, the others month and
 * day in either order. A year without a separator merges with its day's digits, since spaces are not read.
 * @param {string} text @returns {Day[]}
 */
function daysIn(text) {
  const numbers = text.replace(/(\d)(\d{4})$/, '$1 $2').match(/\d+/g) ?? []
  const year = Number(numbers.find(one => one.length === 4))
  const [first, second] = numbers.filter(one => one.length < 4).map(Number)
  const month = 1 + MONTHS.findIndex(name => text.includes(name.slice(0, 3)))
  if (month > 0) return [[year, month, first]]
  return [[year, first, second], [year, second, first]]
}

/**
 * The days that a text means in one of the trained formats, whether in the calendar or not.
 * @param {string[]} words tokens
 * @param {(text: string) => string[]} split a text into tokens
 */
function meant(words, split) {
  const text = spaced(words)
  return daysIn(text).filter(day => FORMATS.some(format => spaced(split(format(...day))) === text))
}

/** @param {Day} day */
const isOfThen = ([y]) => y >= FIRST && y <= LAST

/**
 * The correct answers to a date: two where month and day are ambiguous, none where the date is not 'known'.
 * @param {string[]} words tokens
 * @param {(text: string) => string[]} split a text into tokens
 */
export const rightAnswers = (words, split) => (familiarity(words, split) === 'known'
  ? meant(words, split).filter(isDay).map(day => korean(...day)) : [])

/**
 * What to expect of the model: 'known' for dates in trained formats, 'impossible' for days that the calendar does not
 * have, 'unlearned' for anything else.
 * @param {string[]} words tokens
 * @param {(text: string) => string[]} split a text into tokens
 */
export function familiarity(words, split) {
  const written = meant(words, split)
  if (written.length === 0 || !written.every(isOfThen)) return 'unlearned'
  return written.some(isDay) ? 'known' : 'impossible'
}
