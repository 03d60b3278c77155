/** Whether a date is one the model has learned: the forms it was trained on, real days, years of two centuries. */

import { FORMATS, SOURCE_TOKENS } from './data.js'

const MONTHS = SOURCE_TOKENS.filter(token => /^[a-z]{3,}$/.test(token) && token !== 'the')
const [FIRST, LAST] = [1900, 2099]

/** Tokens with spaces around words and signs, so that only digits stand together. @param {string[]} words */
const spaced = words => words.map(word => (/^\d$/.test(word) ? word : ` ${word} `)).join('').replace(/ +/g, ' ').trim()

/** The number of a month by its name, short or long; 0 for none. @param {string} name */
function monthOf(name) {
  const long = MONTHS.slice(0, 12)
  return 1 + Math.max(long.indexOf(name), long.findIndex(one => one.slice(0, 3) === name))
}

/** @typedef {[number, number, number]} Day year, month, day */

/**
 * Forms with what their parts are; which day a date in slashes means nobody can tell.
 * @type {[RegExp, (parts: string[]) => (string | number)[][]][]}
 */
const FORMS = [
  [/^([a-z]+) (\d{1,2})(\d{4})$/, ([m, d, y]) => [[y, monthOf(m), d]]],
  [/^(\d{1,2}) ([a-z]+) (\d{4})$/, ([d, m, y]) => [[y, monthOf(m), d]]],
  [/^the (\d{1,2}) (?:st|nd|rd|th) of ([a-z]+) , (\d{4})$/, ([d, m, y]) => [[y, monthOf(m), d]]],
  [/^(\d{4}) - (\d{2}) - (\d{2})$/, ([y, m, d]) => [[y, m, d]]],
  [/^(\d{1,2}) \/ (\d{1,2}) \/ (\d{4})$/, ([a, b, y]) => [[y, a, b], [y, b, a]]]
]

/** @param {Day} day */
const isDay = ([y, m, d]) => m >= 1 && m <= 12 && d >= 1 && d <= new Date(Date.UTC(y, m, 0)).getUTCDate()

/**
 * What the model can be expected to make of a date: 'known' for one written as it has learned them, 'impossible' for a
 * day that the calendar does not have, 'unlearned' for anything else.
 * @param {string[]} words tokens
 * @param {(text: string) => string[]} split a text into tokens
 */
export function familiarity(words, split) {
  const text = spaced(words)
  for (const [pattern, read] of FORMS) {
    const dates = read(pattern.exec(text)?.slice(1) ?? []).map(parts => /** @type {Day} */ (parts.map(Number)))
    if (dates.length === 0 || dates[0].some(part => Number.isNaN(part) || part === undefined)) continue
    const real = dates.filter(isDay)
    if (real.length === 0) return 'impossible'
    const written = real.flatMap(date => FORMATS.map(format => spaced(split(format(...date)))))
    const isTold = written.includes(text) && real.every(([y]) => y >= FIRST && y <= LAST)
    return isTold ? 'known' : 'unlearned'
  }
  return 'unlearned'
}
