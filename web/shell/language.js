/** The language of the page: from the link, else the last choice, else the browser's. */

/** @import { Language, State } from '../types.d.ts' */

const KEY = 'glassformer.language'

/** @type {Language[]} */ const LANGUAGES = ['ko', 'en']

/** The choice of an earlier visit. @returns {Language | undefined} */
function remembered() {
  try {
    return LANGUAGES.find(language => language === localStorage.getItem(KEY))
  } catch {
    return undefined
  }
}

/** @returns {Language} */
const ofBrowser = () => (navigator.language.toLowerCase().startsWith('en') ? 'en' : 'ko')

/** @param {Pick<State, 'language'>} state @returns {Language} */
export const languageOf = ({ language }) => (language === 'auto' ? remembered() ?? ofBrowser() : language)

/** Stores the choice for the next visit. @param {Language} language */
export function rememberLanguage(language) {
  try {
    localStorage.setItem(KEY, language)
  } catch {
    // Without storage the link still holds it.
  }
}
