/** The state of a lesson's step, and whether the page is in that state. */

import { defaults, patchFrom, runKeys } from '../models/state.js'

/** @import { Language, Run, State } from '../types.d.ts' */
/** @import { Lesson, Link } from './index.js' */

/** The part of the view that a step controls; depth, theme and the pinned cell are the reader's. */
const VIEW_KEYS = ['model', 'room', 'head', 'layer', 'part', 'row', 'step', 'sentence', 'twin']
const READER_KEYS = ['language', 'theme', 'depth', 'plan']

/** @param {State} state @param {string[]} keys */
const pick = (state, keys) => Object.fromEntries(keys.map(key => [key, state[key]]))

/** Whether the training page or an exercise is shown instead of the lesson. @param {Partial<State>} state */
export const hasOwnPage = ({ theatre, exercise }) => Boolean(theatre || exercise)

/** @param {Link} link @param {Language} language */
export const inLanguage = (link, language) => (typeof link === 'string' ? link : link[language])

/** @param {unknown} text @returns {string[]} */
const listTexts = text => (text && typeof text === 'object' ? Object.values(text) : typeof text === 'string' ? [text] : [])

/**
 * The values for the placeholders of a step's texts. `whose` names the run whose loss is meant.
 * @param {import('./index.js').Step} step @param {Record<string, any>} stepWords words of the step
 * @param {Run} run @param {import('./index.js').Now} now @returns {Record<string, string>}
 */
export function placeholderValues({ values: say }, stepWords, run, now) {
  const values = say?.(run, now) ?? {}
  return stepWords.whose ? { ...values, whose: stepWords.whose[values.whose] } : values
}

/** The settings that a lesson changes, in any language. @param {import('./index.js').Lesson} lesson */
const lessonPatches = ({ base, model, steps }) => [base,
  ...steps.flatMap(({ state, answerState: then }) => [state, then])]
  .flatMap(listTexts).map(text => patchFrom(text, model))

/** The fields that a lesson keeps and that the reader has changed. @param {Lesson} lesson @param {State} state */
export function changedFields(lesson, state) {
  if (state.model !== lesson.model) return {}
  const lessonStates = [defaults(lesson.model), ...lessonPatches(lesson)]
  return pick(state, lesson.userFields.filter(name => !lessonStates.some(changes => changes[name] === state[name])))
}

/**
 * Whether a step shows a text of its own in a field that the reader can change.
 * @param {Lesson} lesson @param {State} state
 */
export function isTextOfStep(lesson, state) {
  const base = [defaults(lesson.model), ...listTexts(lesson.base).map(text => patchFrom(text, lesson.model))]
  const own = changedFields(lesson, state)
  return lesson.userFields.some(name => !(name in own) && base.every(changes => changes[name] !== state[name]))
}

/**
 * The complete state of a step.
 * @param {import('./index.js').Lesson} lesson
 * @param {string} text as in a link
 * @param {State} state of the page
 * @param {Language} language
 * @param {string} [model] the step's
 */
export function stateOfStep(lesson, text, state, language, model = lesson.model) {
  const isLessonModel = model === lesson.model
  return {
    ...defaults(model), ...pick(state, READER_KEYS),
    ...(isLessonModel && { ...patchFrom(inLanguage(lesson.base, language), model), ...changedFields(lesson, state) }),
    ...patchFrom(text, model), lesson: state.lesson, at: state.at
  }
}

/**
 * The current values of the settings that a step lets the reader change.
 * @param {Pick<Lesson['steps'][number], 'freeSettings'>} step @param {State} state
 */
export const freeValues = ({ freeSettings: free = [] }, state) => pick(state, free)

/** @param {unknown} value */
const serialize = value => (typeof value === 'object' ? JSON.stringify(value) : value)

/**
 * Whether a state is that of a step, apart from what the reader may change.
 * @param {import('./index.js').Lesson} lesson
 * @param {State} state
 * @param {State} stepState
 * @param {string[]} [free] what the step lets the reader change
 */
export function isInStep(lesson, state, stepState, free = []) {
  const keys = [...VIEW_KEYS, ...runKeys(stepState)].filter(key => !free.includes(key))
  return keys.every(key => serialize(state[key]) === serialize(stepState[key]))
}
