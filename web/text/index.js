/** The page's words: the opening's are here from the start, all of them a language at a time. */

import * as en from './first/en.js'
import * as ko from './first/ko.js'

const FIRST = { ko, en }
const ALL = { ko: () => import('./ko.js'), en: () => import('./en.js') }

/**
 * What is loaded is there at once the next time.
 * @param {'ko' | 'en'} language @param {boolean} isWhole
 */
export const wordsIn = async (language, isWhole) => (isWhole ? ALL[language]() : FIRST[language])
