/**
 * The texts of the page. A language is a folder: `opening.json` and `page.json` (texts of the page, and of each model
 * in their place), `training.json`, `glossary.json`, `lessons`, `exercises` and `notebooks`. This file alone lists the
 * languages.
 */

import en from './en/opening.json' with { type: 'json' }
import ko from './ko/opening.json' with { type: 'json' }

/** @typedef {keyof typeof LANGUAGES} Language */

/** Every language: its own name, and the texts that the page begins with. */
export const LANGUAGES = { ko: { name: '한국어', opening: ko }, en: { name: 'English', opening: en } }

/** @param {Promise<{ default: any }>} imported */
export const read = async imported => (await imported).default

/**
 * The texts of the page, and by model those that replace them.
 * @param {Language} language @param {boolean} isWhole whether more than the opening's
 */
export async function loadTexts(language, isWhole) {
  const { opening } = LANGUAGES[language]
  if (!isWhole) return opening
  const { page, models } = await read(import(`./${language}/page.json`, { with: { type: 'json' } }))
  return { page: { ...opening.page, ...page }, models: { ...opening.models, ...models } }
}

/** @param {Language} language */
export const loadTrainingTexts = language => read(import(`./${language}/training.json`, { with: { type: 'json' } }))

/** @param {Language} language */
export const loadGlossary = language => read(import(`./${language}/glossary.json`, { with: { type: 'json' } }))

/** @param {Language} language */
export const loadTeachingTexts = language => read(import(`./${language}/teaching.json`, { with: { type: 'json' } }))

/**
 * A link of a lesson in every language.
 * @param {string} lesson @param {string} name
 * @returns {Record<Language, string>}
 */
export const lessonLink = (lesson, name) => /** @type {Record<Language, string>} */ (Object.fromEntries(
  Object.entries(LANGUAGES).map(([language, { opening }]) => (
    [language, /** @type {Record<string, Record<string, string>>} */ (opening.lessonLinks)[lesson][name]]))))
