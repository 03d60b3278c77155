/** The texts of the exercises; apart, since the list of their files would be part of a first visit. */

import { read } from './index.js'

/** @import { Language } from '../types.d.ts' */

/** What the exercises have in common, with their titles. @param {Language} language */
export const loadExerciseList = language => read(import(`./${language}/exercises/index.json`, { with: { type: 'json' } }))

/** @param {Language} language @param {string} id of the exercise */
export const loadExerciseTexts = (language, id) => read(import(`./${language}/exercises/${id}.json`, { with: { type: 'json' } }))
