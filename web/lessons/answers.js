/** A reader's answers to the questions of the lessons, stored by the browser where possible. */

const KEY = 'glassformer.answers'
/** The maximum number of wrong answers that are stored of a question. */
const MAX_WRONG = 8

/**
 * The answers to a question: the wrong ones in their order, and whether the right one was found.
 * @typedef {{ wrong: (string | number)[], isRight: boolean }} Answers
 * @typedef {Record<string, Record<string, Answers>>} AnswerBook by lesson and step
 */

/** @param {Record<string, any>} object @param {(value: any) => any} change */
const mapValues = (object, change) => (
  Object.fromEntries(Object.entries(object).map(([key, value]) => [key, change(value)])))

/** @param {unknown} value @returns {value is Answers} */
const isAnswers = value => Boolean(value) && typeof value === 'object' &&
  Array.isArray(/** @type {any} */ (value).wrong) && typeof /** @type {any} */ (value).isRight === 'boolean'

/** Keeps only what has the form of answers. @param {unknown} stored @returns {AnswerBook} */
export const parseAnswers = stored => mapValues(Object(stored), steps => mapValues(
  Object.fromEntries(Object.entries(Object(steps)).filter(([, value]) => isAnswers(value))), ({ wrong, isRight }) => ({
    wrong: wrong.filter((/** @type {unknown} */ given) => ['string', 'number'].includes(typeof given)).slice(0, MAX_WRONG), isRight
  })))

/** @returns {AnswerBook} */
export function readAnswers() {
  try {
    return parseAnswers(JSON.parse(localStorage.getItem(KEY) ?? 'null'))
  } catch {
    return {}
  }
}

/** @param {string} lesson @param {string} step @param {string | number} given @param {boolean} isRight */
export function recordAnswer(lesson, step, given, isRight) {
  const all = readAnswers(), { wrong = [], isRight: wasRight = false } = all[lesson]?.[step] ?? {}
  const answers = {
    wrong: isRight || wasRight ? wrong : [...wrong, given].slice(0, MAX_WRONG), isRight: wasRight || isRight
  }
  try {
    localStorage.setItem(KEY, JSON.stringify({ ...all, [lesson]: { ...all[lesson], [step]: answers } }))
  } catch {
    // Without storage there is nothing to hand in.
  }
}
