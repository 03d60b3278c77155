/** The language of the page: from the link, else the last choice, else the browser's. */

import { LANGUAGES } from '../words/index.js'

/** @import { Language, State } from '../types.d.ts' */

const KEY = 'glassformer.language'
const IDS = /** @type {Language[]} */ (Object.keys(LANGUAGES))

/** The choice of an earlier visit. @returns {Language | undefined} */
function storedLanguage() {
  try {
    return IDS.find(language => language === localStorage.getItem(KEY))
  } catch {
    return undefined
  }
}

/** @returns {Language} */
const browserLanguage = () => IDS.find(language => navigator.language.toLowerCase().startsWith(language)) ?? 'ko'

/** @param {Pick<State, 'language'>} state @returns {Language} */
export const resolveLanguage = ({ language }) => (language === 'auto' ? storedLanguage() ?? browserLanguage() : language)

/** Stores the choice for the next visit. @param {Language} language */
export function rememberLanguage(language) {
  try {
    localStorage.setItem(KEY, language)
  } catch {
    // Without storage the link still holds it.
  }
}
