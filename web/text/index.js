/** The page's words, a language at a time: nobody waits for one that is not read. */

const LOADS = { ko: () => import('./ko.js'), en: () => import('./en.js') }

/** What is loaded is there at once the next time. @param {'ko' | 'en'} language */
export const wordsIn = language => LOADS[language]()
