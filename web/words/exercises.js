/** The texts of the exercises; apart, since the list of their files would be part of a first visit. */

import { readTexts } from './index.js'

/** @import { Language } from '../types.d.ts' */

/** What the exercises have in common, with their titles. @param {Language} language */
export const loadExerciseList = language => (
  readTexts(language, folder => import(`./${folder}/exercises/index.json`, { with: { type: 'json' } })))

/** @param {Language} language @param {string} id of the exercise */
export const loadExerciseTexts = (language, id) => (
  readTexts(language, folder => import(`./${folder}/exercises/${id}.json`, { with: { type: 'json' } })))
