/** A reader's progress in each lesson, stored by the browser where possible. */

const KEY = 'glassformer.lessons'
/** Stands for the end of a lesson, until its last step is reached. */
const END = '(end)'

/**
 * @typedef {object} Progress
 * @property {number} at the step that was displayed last
 * @property {string[]} open steps whose question or task the reader has not answered, and the end if it was not reached
 * @property {boolean} isDone whether the reader has reached the last step and answered every question
 */

/** @param {any} entry @returns {entry is Progress} */
const isProgress = entry => Number.isInteger(entry?.at) && entry.at >= 0 && typeof entry.isDone === 'boolean' &&
  Array.isArray(entry.open) && entry.open.every((/** @type {unknown} */ id) => typeof id === 'string')

/**
 * Keeps only valid entries of a stored value.
 * @param {unknown} stored @returns {Record<string, Progress>} by lesson
 */
export const parseProgress = stored => Object.fromEntries(Object.entries(Object(stored))
  .filter(([, entry]) => isProgress(entry)))

/** @returns {Record<string, Progress>} */
export function readProgress() {
  try {
    return parseProgress(JSON.parse(localStorage.getItem(KEY) ?? 'null'))
  } catch {
    return {}
  }
}

/**
 * A lesson is done when its last step was reached and every question answered, in any order and in as many visits, and
 * stays so when it is opened again.
 * @param {string} id of a lesson @param {number} at the displayed step @param {boolean} isLast
 * @param {string[]} openNow steps whose question has no answer since the lesson was opened
 * @returns {string[]} those that never had one
 */
export function saveProgress(id, at, isLast, openNow) {
  const all = readProgress(), before = all[id]
  const openHere = isLast ? openNow : [...openNow, END]
  const open = before ? openHere.filter(step => before.open.includes(step)) : openHere
  const entry = { at, open, isDone: Boolean(before?.isDone) || open.length === 0 }
  try {
    localStorage.setItem(KEY, JSON.stringify({ ...all, [id]: entry }))
  } catch {
    // Without storage the link still holds the step.
  }
  return open.filter(step => step !== END)
}
