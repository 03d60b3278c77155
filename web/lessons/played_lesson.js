/** A lesson as the reader plays it: its steps, the state that each of them wants, and the reader's answers. */

import { inLanguage, stateOfStep } from './steps.js'

/** @import { Lesson } from './index.js' */
/** @import { Context, Language, Run, State } from '../types.d.ts' */

/**
 * The loaded lesson, in a language, and the reader's answers.
 * @typedef {object} PlayedLesson
 * @property {string | null} id
 * @property {Language} language
 * @property {Lesson} lesson
 * @property {{ title: string, end?: string, steps: Record<string, any> }} words
 * @property {Bar} parts
 * @property {Map<string, ReaderAnswer>} answers by step
 * @property {string | null} [requestedKey]
 * @property {boolean} [isEntered] whether the player has checked the state in which the reader entered
 *
 * @typedef {ReturnType<typeof import('./bar.js').createBar> & { questionKey?: string, textKey?: string,
 *   selectionKey?: string, question?: ReturnType<typeof import('./task.js').createTask> | null,
 *   isOver?: boolean }} Bar and what was written there last
 *
 * @typedef {object} ReaderAnswer
 * @property {(string | number)[]} wrong
 * @property {string | number | null | undefined} right
 * @property {string | number | null} value
 * @property {boolean} isAnswered
 * @property {string} inputs what the reader had written by then
 * @property {import('./near_miss.js').NearMiss | null} [near] what the last number nearly was
 * @property {Run | null} [before] the run of the question
 */

/**
 * @typedef {ReturnType<typeof createPlayedLesson>} Played
 *
 * @param {Context} context @param {ReturnType<typeof import('./own_texts.js').createOwnTexts>} ownTexts
 * @param {() => Record<string, any> | null} figureValues of the small figure of the step
 */
export function createPlayedLesson({ get, language }, ownTexts, figureValues) {
  /** @type {PlayedLesson} */
  const initial = /** @type {any} */ (
    { id: null, language: null, lesson: null, words: null, parts: null, answers: new Map() })
  const at = () => Math.min(get().at, played.current.lesson.steps.length - 1)
  const step = () => played.current.lesson.steps[at()]
  const answer = () => played.current.answers.get(step().id)
  const serializeInputs = () => JSON.stringify(ownTexts.fieldsIn(played.current.lesson, get()))
  const played = {
    current: initial, at, step, answer, serializeInputs,
    /** The steps whose question or task has no answer since the lesson was opened. */
    openSteps: () => played.current.lesson.steps.filter(({ id, question, task }) => (
      (question || task) && !played.current.answers.get(id)?.isAnswered)).map(({ id }) => id),
    isLastStep: () => get().at >= played.current.lesson.steps.length - 1,
    now: () => ({ state: get(), before: answer()?.before ?? null, figure: figureValues() }),
    /** @returns {ReaderAnswer} */
    createAnswer: () => ({ wrong: [], right: null, value: null, isAnswered: false, inputs: serializeInputs() }),
    /** @param {Lesson['steps'][number]} of */
    isAnswerShown: of => Boolean(of.answerState && played.current.answers.get(of.id)?.isAnswered),
    /**
     * The state of a step, or the one in which its answer is revealed.
     * @param {Lesson['steps'][number]} of @param {boolean} isOver @param {Run | null} [before] the run of the question
     */
    wantedState(of, isOver, before = played.current.answers.get(of.id)?.before) {
      const { lesson } = played.current, text = isOver && of.answerState ? of.answerState : of.state
      const sentence = typeof text === 'function' ? text(/** @type {Run} */ (before), { state: get() })
        : inLanguage(text, language())
      return stateOfStep(lesson, sentence, ownTexts.addTo(lesson, get()), language(), of.model)
    },
    readerSettings() {
      const { language: currentLanguage, theme, depth, plan } = get()
      return { language: currentLanguage, theme, depth, plan }
    }
  }
  return played
}
