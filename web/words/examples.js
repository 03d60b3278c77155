/**
 * Examples for readers of every language: a model knows one or two languages, and readers of others read English most
 * likely.
 */

import { FALLBACK, LANGUAGES } from './index.js'

/** @import { Language } from './index.js' */

/**
 * Those of some examples that are in the reader's language; the English ones if there are none.
 * @template {{ lang?: string }} T @param {T[]} examples @param {string} [language]
 */
export function examplesFor(examples, language) {
  const own = examples.filter(({ lang }) => lang === language)
  return own.length ? own : examples.filter(({ lang }) => lang === FALLBACK)
}

/**
 * A link for the readers of every language, with an example in their own, else in English.
 * @param {(string[])[]} examples each its language and its text @param {(text: string) => string} [createLink]
 */
export const linkByLanguage = (examples, createLink = text => text) => /** @type {Record<Language, string>} */ (
  Object.fromEntries(Object.keys(LANGUAGES).map(language => {
    const [example] = examplesFor(examples.map(([lang, text]) => ({ lang, text })), language)
    return [language, createLink(example.text)]
  })))
