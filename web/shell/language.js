/** The language of the page: from the link, else the last choice, else the browser's. */

/** @import { Language, State } from '../types.d.ts' */

const KEY = 'glassformer.language'

/** @type {Language[]} */ const LANGUAGES = ['ko', 'en']

/** The choice of an earlier visit. @returns {Language | undefined} */
function storedLanguage() {
  try {
    return LANGUAGES.find(language => language === localStorage.getItem(KEY))
  } catch {
    return undefined
  }
}

/** @returns {Language} */
const browserLanguage = () => (navigator.language.toLowerCase().startsWith('en') ? 'en' : 'ko')

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
