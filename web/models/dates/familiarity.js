/**
 * Tells whether a date is like those that the model was trained on: in a known format, in the calendar, from 1900
 * to 2199.
 */

import { FORMATS, SOURCE_TOKENS, korean } from '../../../src/training/models/dates/data.js'

const MONTHS = SOURCE_TOKENS.filter(token => /^[a-z]{3,}$/.test(token) && token !== 'the').slice(0, 12)
const [FIRST_YEAR, LAST_YEAR] = [1900, 2199]

/** Joins tokens with spaces around all but digits. @param {string[]} words */
const spaced = words => words.map(word => (/^\d$/.test(word) ? word : ` ${word} `)).join('').replace(/ +/g, ' ').trim()

/** @typedef {[number, number, number]} Day year, month, day */

/** @param {Day} day */
const isDay = ([y, m, d]) => m >= 1 && m <= 12 && d >= 1 && d <= new Date(Date.UTC(y, m, 0)).getUTCDate()

/**
 * The days that a text may mean, existing or not: four digits in a row are a year, the others month and
 * day in either order. A year without a separator merges with its day's digits, since spaces are not read.
 * @param {string} text @returns {Day[]}
 */
function daysIn(text) {
  const numbers = text.replace(/(\d)(\d{4})$/, '$1 $2').match(/\d+/g) ?? []
  const year = Number(numbers.find(number => number.length === 4))
  const [first, second] = numbers.filter(number => number.length < 4).map(Number)
  const month = 1 + MONTHS.findIndex(name => text.includes(name.slice(0, 3)))
  if (month > 0) return [[year, month, first]]
  return [[year, first, second], [year, second, first]]
}

/**
 * The days that are written as this text in one of the trained formats, existing or not.
 * @param {string[]} words tokens
 * @param {(text: string) => string[]} split a text into tokens
 */
function matchingDays(words, split) {
  const text = spaced(words)
  return daysIn(text).filter(day => FORMATS.some(format => spaced(split(format(...day))) === text))
}

/** @param {Day} day */
const isInTrainedYears = ([y]) => y >= FIRST_YEAR && y <= LAST_YEAR

/**
 * The correct answers to a date: two where month and day are ambiguous, none where the date is not 'known'.
 * @param {string[]} words tokens
 * @param {(text: string) => string[]} split a text into tokens
 */
export const rightAnswers = (words, split) => (familiarity(words, split) === 'known'
  ? matchingDays(words, split).filter(isDay).map(day => korean(...day)) : [])

/**
 * What to expect of the model: 'known' for dates in trained formats, 'impossible' for days that the calendar does not
 * have, 'unlearned' for anything else.
 * @param {string[]} words tokens
 * @param {(text: string) => string[]} split a text into tokens
 */
export function familiarity(words, split) {
  const days = matchingDays(words, split)
  if (days.length === 0 || !days.every(isInTrainedYears)) return 'unlearned'
  return days.some(isDay) ? 'known' : 'impossible'
}
