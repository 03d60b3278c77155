/**
 * The texts of the page. A language is a folder: `opening.json` and `page.json` (texts of the page, and of each model
 * in their place), `training.json`, `glossary.json`, `teaching.json`, `lessons`, `exercises` and `notebooks`. This file
 * alone lists the languages.
 */

import { isFailedImport } from '../lib/lazy_import.js'

/** @typedef {keyof typeof LANGUAGES} Language */

/** Every language: its own name, and its tag for fonts and screen readers. */
export const LANGUAGES = {
  ko: { name: '한국어', tag: 'ko' }, en: { name: 'English', tag: 'en' }, zh: { name: '中文', tag: 'zh-Hans' }
}

/** The language of texts and examples that another one lacks. @type {Language} */
export const FALLBACK = 'en'

/**
 * A file of texts, in English if the language does not have the file. (Single texts that a file lacks are filled in by
 * the build: see fill_missing.js.)
 * @param {Language} language @param {(folder: Language) => Promise<{ default: any }>} load
 */
export async function readTexts(language, load) {
  try {
    return (await load(language)).default
  } catch (error) {
    if (language === FALLBACK || isFailedImport(error)) throw error
    return (await load(FALLBACK)).default
  }
}

/** The texts that the page begins with. @param {Language} language */
const loadOpening = language => readTexts(language, folder => import(`./${folder}/opening.json`, { with: { type: 'json' } }))

/**
 * The texts of the page, and by model those that replace them.
 * @param {Language} language @param {boolean} isWhole whether more than the opening's
 */
export async function loadTexts(language, isWhole) {
  if (!isWhole) return loadOpening(language)
  const [opening, { page, models }] = await Promise.all([loadOpening(language),
    readTexts(language, folder => import(`./${folder}/page.json`, { with: { type: 'json' } }))])
  return { page: { ...opening.page, ...page }, models: { ...opening.models, ...models } }
}

/** @param {Language} language */
export const loadTrainingTexts = language => (
  readTexts(language, folder => import(`./${folder}/training.json`, { with: { type: 'json' } })))

/** @param {Language} language */
export const loadGlossary = language => (
  readTexts(language, folder => import(`./${folder}/glossary.json`, { with: { type: 'json' } })))

/** @param {Language} language */
export const loadTeachingTexts = language => (
  readTexts(language, folder => import(`./${folder}/teaching.json`, { with: { type: 'json' } })))
