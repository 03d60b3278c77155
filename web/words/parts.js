/** The texts of single lessons and notebooks; they are apart from those of the page, since a first visit needs none. */

import { readTexts } from './index.js'

/** @import { Language } from './index.js' */

/** @param {Language} language @param {string} id of the lesson */
export const loadLessonTexts = (language, id) => (
  readTexts(language, folder => import(`./${folder}/lessons/${id}.json`, { with: { type: 'json' } })))

/** @param {Language} language @param {string} id of the notebook */
export const loadNotebookTexts = (language, id) => (
  readTexts(language, folder => import(`./${folder}/notebooks/${id}.json`, { with: { type: 'json' } })))
