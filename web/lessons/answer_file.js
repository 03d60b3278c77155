/** A reader's answers and solved exercises as one file, which a teacher's page reads in. */

import { EXERCISES } from '../exercises/index.js'
import { isPassed } from '../exercises/saved_state.js'
import { saveBlob } from '../lib/save.js'
import { parseAnswers, readAnswers } from './answers.js'

/** @import { AnswerBook } from './answers.js' */

/** The maximum length of a reader's name, in characters. */
const MAX_NAME = 60

/**
 * @typedef {object} AnswerFile
 * @property {string} name of the reader, '' if it was not given
 * @property {AnswerBook} lessons
 * @property {string[]} exercises the solved ones
 */

/** @param {string} text of a file @returns {AnswerFile} @throws {Error} where the file holds no answers */
export function parseAnswerFile(text) {
  const { glassformer, name, lessons, exercises } = JSON.parse(text)
  if (glassformer !== 'answers') throw new Error('no answers')
  const solved = Array.isArray(exercises) ? exercises : []
  return {
    name: typeof name === 'string' ? name.slice(0, MAX_NAME) : '', lessons: parseAnswers(lessons),
    exercises: EXERCISES.map(({ id }) => id).filter(id => solved.includes(id))
  }
}

/**
 * Saves the reader's own answers, after asking for a name.
 * @param {string} question @returns {boolean} whether the reader went through with it
 */
export function saveAnswers(question) {
  const input = prompt(question)
  if (input === null) return false
  const name = input.trim().slice(0, MAX_NAME), exercises = EXERCISES.map(({ id }) => id).filter(isPassed)
  const file = ['glassformer-answers', ...name.split(/[^\p{L}\p{N}]+/u).filter(Boolean)].join('-')
  saveBlob(new Blob([JSON.stringify({ glassformer: 'answers', name, lessons: readAnswers(), exercises }, null, 1)],
    { type: 'application/json' }), `${file}.json`)
  return true
}
