/** The state of a step, and whether the page is in that state. */

import { defaults, patchFrom, runKeys } from '../shell/state.js'

/** @import { Run, State } from '../types.d.ts' */
/** @import { Lesson } from './index.js' */

/** The part of the view that a step controls; depth, theme and the pinned cell are the reader's. */
const VIEW_KEYS = ['model', 'room', 'head', 'layer', 'part', 'row', 'step', 'sentence', 'twin']
const READERS = ['language', 'theme', 'depth']

/** @param {State} state @param {string[]} keys */
const pick = (state, keys) => Object.fromEntries(keys.map(key => [key, state[key]]))

/** @param {unknown} text @returns {string[]} */
const textsOf = text => (text && typeof text === 'object' ? Object.values(text) : typeof text === 'string' ? [text] : [])

/**
 * The values for the placeholders of a step's texts, including which loss is meant.
 * @param {import('./index.js').Step} step @param {Record<string, any>} own words of the step
 * @param {Run} run @param {import('./index.js').Now} now @returns {Record<string, string>}
 */
export function valuesOf({ say }, own, run, now) {
  const values = say?.(run, now) ?? {}
  return own.whose ? { ...values, whose: own.whose[values.whose] } : values
}

/** What a lesson types into fields, in any language. @param {import('./index.js').Lesson} lesson */
const ownPatches = ({ base, model, steps }) => [base, ...steps.flatMap(({ state, then }) => [state, then])]
  .flatMap(textsOf).map(text => patchFrom(text, model))

/** Fields that the reader has changed. @param {Lesson} lesson @param {State} state */
export function keptFields(lesson, state) {
  if (state.model !== lesson.model) return {}
  const defaultsList = [defaults(lesson.model), ...ownPatches(lesson)]
  return pick(state, lesson.keeps.filter(name => !defaultsList.some(one => one[name] === state[name])))
}

/**
 * The complete state of a step.
 * @param {import('./index.js').Lesson} lesson
 * @param {string} text as in a link
 * @param {State} state of the page
 * @param {'ko' | 'en'} language
 */
export function stateOf(lesson, text, state, language) {
  const { model } = lesson
  return {
    ...defaults(model), ...pick(state, READERS),
    ...patchFrom(lesson.base[language], model), ...keptFields(lesson, state),
    ...patchFrom(text, model), lesson: state.lesson, at: state.at
  }
}

/**
 * The current values of what a step lets the reader change.
 * @param {Pick<Lesson['steps'][number], 'free'>} step @param {State} state
 */
export const changeable = ({ free = [] }, state) => pick(state, free)

/** @param {unknown} value */
const serialize = value => (typeof value === 'object' ? JSON.stringify(value) : value)

/**
 * Whether a state is that of a step, apart from what the reader may change.
 * @param {import('./index.js').Lesson} lesson
 * @param {State} state
 * @param {State} wanted
 * @param {string[]} [free] what the step lets the reader change
 */
export function isIn(lesson, state, wanted, free = []) {
  const keys = [...VIEW_KEYS, ...runKeys(wanted)].filter(key => !free.includes(key))
  return keys.every(key => serialize(state[key]) === serialize(wanted[key]))
}
