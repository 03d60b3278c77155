/** The texts of single lessons and notebooks; they are apart from those of the page, since a first visit needs none. */

import { read } from './index.js'

/** @import { Language } from './index.js' */

/** @param {Language} language @param {string} id of the lesson */
export const loadLessonTexts = (language, id) => read(import(`./${language}/lessons/${id}.json`, { with: { type: 'json' } }))

/** @param {Language} language @param {string} id of the notebook */
export const loadNotebookTexts = (language, id) => (
  read(import(`./${language}/notebooks/${id}.json`, { with: { type: 'json' } })))
