/** The beginning of a story in every language. */

import { BEGINNINGS } from '../../src/training/models/stories/data.js'
import { LANGUAGES } from '../words/index.js'

/** @import { Language } from '../types.d.ts' */

/** A lesson's base with a story in the reader's language, else in English. @param {string} [settings] as in a link */
export const beginnings = (settings = '') => /** @type {Record<Language, string>} */ (Object.fromEntries(
  Object.keys(LANGUAGES).map(language => {
    const [, text] = BEGINNINGS.find(([of]) => of === language) ?? /** @type {string[]} */ (BEGINNINGS.find(([of]) => of === 'en'))
    return [language, new URLSearchParams([['beginning', text], ...new URLSearchParams(settings)]).toString()]
  })))
