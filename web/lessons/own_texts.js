/**
 * The texts that the reader has written, by model. Lessons take them along, also past steps with another text or model.
 */

import { MODELS, modelOf, problemsOf } from '../models/index.js'
import { defaults } from '../models/state.js'
import { changedFields, isTextOfStep } from './steps.js'

/** @import { State } from '../types.d.ts' */
/** @import { Lesson } from './index.js' */

/** Whether a model can read its text, and has learned to: half a date is none. @param {State} state */
const isWhole = state => Object.keys(problemsOf(state)).length === 0 && !modelOf(state.model).warning?.(state)

/** Whether the displayed text is the reader's to change. @param {Lesson} lesson @param {State} state */
const isReaders = (lesson, state) => state.model === lesson.model && !isTextOfStep(lesson, state)

export function createOwnTexts() {
  /** @type {Map<string, Partial<State>>} */
  const texts = new Map()
  /** The reader's fields of a model. @param {string} [model] by default the one of the path */
  const read = (model = MODELS[0].id) => texts.get(model) ?? {}
  /** The reader's fields in a lesson. @param {Lesson} lesson @param {State} state */
  const fieldsIn = (lesson, state) => (isReaders(lesson, state) ? changedFields(lesson, state) : read(lesson.model))
  return {
    read, fieldsIn,
    /** The date of the path: the reader's own, or the one that everybody starts with. */
    date: () => String(read().source ?? defaults().source),
    /**
     * What is being typed, or cannot be read, does not go along; what was whole before does.
     * @param {Lesson} lesson @param {State} state
     */
    keep(lesson, state) {
      if (isWhole(state)) texts.set(lesson.model, fieldsIn(lesson, state))
    },
    /** Keeps the date with which the reader comes from the opening, a link or another lesson. @param {State} state */
    keepDate(state) {
      const { model, source } = state
      if (model === MODELS[0].id && source !== defaults().source && isWhole(state)) texts.set(model, { source })
    },
    /**
     * The state with what the reader wrote, where another text or model is displayed.
     * @param {Lesson} lesson @param {State} state
     */
    addTo: (lesson, state) => (
      isReaders(lesson, state) ? state : { ...state, ...read(lesson.model), model: lesson.model })
  }
}
