/** `<glass-lesson>`: a lesson of the course with its words, figures and questions, and nothing that leads out of it. */

import { h } from '../lib/dom.js'
import { LESSONS, findLesson } from '../lessons/index.js'
import { loadLesson } from '../lessons/load.js'
import { mountPlayer } from '../lessons/player.js'
import { inLanguage, stateOfStep } from '../lessons/steps.js'
import { modelOf, textField } from '../models/index.js'
import { defaults } from '../models/state.js'
import { roomNear } from '../rooms/index.js'
import { mountFields } from '../shell/fields.js'
import fieldStyles from '../style/fields.css'
import lessonStyles from '../style/lesson.css'
import elementStyles from '../style/element_lesson.css'
import { expectOne, expectSettings, readAppearance, readIndex } from './attributes.js'

/** @import { GlassElement } from './base.js' */
/** @import { Root } from './start.js' */
/** @import { Lesson } from '../lessons/index.js' */
/** @import { Context, Language, State } from '../types.d.ts' */

/** The page around an element is scrolled by its reader alone. */
const NO_SCROLLING = { keep() {}, renew() {}, release() {} }

/**
 * The state of the step that the attributes name.
 * @param {GlassElement} host @param {string} id @param {Lesson} lesson @param {Language} language @returns {State}
 */
function readStep(host, id, lesson, language) {
  const count = lesson.steps.length, number = readIndex(host, 'step', 1), input = host.getAttribute('input')
  if (number < 1 || number > count) throw expectOne('step', number, `1 … ${count}`)
  if (input !== null && lesson.userFields.length === 0) throw expectOne('input', input, '')
  const step = lesson.steps[number - 1], field = textField(modelOf(lesson.model))
  const base = { ...defaults(lesson.model), ...readAppearance(host), lesson: id, at: number - 1,
    ...(input !== null && { [field]: input }) }
  const state = { ...stateOfStep(lesson, inLanguage(step.state, language), base, language, step.model), embed: true }
  expectSettings(state, false)
  return state
}

/** The reader's answers, for the event at the end. */
function createTally() {
  /** @type {Map<string, boolean>} */ const firstAnswers = new Map()
  return {
    /** @param {string} step @param {boolean} isRight */
    add(step, isRight) {
      if (!firstAnswers.has(step)) firstAnswers.set(step, isRight)
    },
    count: () => ({ questions: firstAnswers.size, right: [...firstAnswers.values()].filter(Boolean).length })
  }
}

/**
 * @param {Root} root @param {Lesson} lesson @param {(type: string, detail: object) => void} emit
 * @param {Context} context @param {HTMLElement} stage
 */
function mountLesson(root, lesson, emit, context, stage) {
  const { element } = root, tally = createTally()
  const fields = [false, true].map(isLong => mountFields({ isLong }, context))
  const fieldLine = h('div', { className: 'lesson-fields' }, fields.map(part => part.element))
  const box = h('section', { className: 'lesson' })
  let lastStep = ''
  const player = mountPlayer(box, stage, { ...context, selectStepCell() {} }, {
    root: element, scrollKeeper: NO_SCROLLING, scrollToTop() {},
    onAnswer(id, step, answer, isRight) {
      tally.add(step, isRight)
      emit('answer', { lesson: id, step, answer, isRight })
    },
    onStep(id, at) {
      const step = lesson.steps[at].id
      if (step !== lastStep) emit('step', { lesson: id, step, number: at + 1, count: lesson.steps.length })
      lastStep = step
    },
    onEnd: () => emit('finish', { lesson: context.get().lesson, ...tally.count() })
  })
  element.toggleAttribute('data-lesson', true)
  return {
    elements: [fieldLine, box],
    // The small figure of a step takes the place of the room, unless the reader has left the step.
    coversRoom: () => Boolean(lesson.steps[context.get().at]?.figure) &&
      (!box.firstChild || element.hasAttribute('data-lesson-figure')),
    /** @type {import('./figure.js').Companion['update']} */
    update(run, _, problems) {
      root.setModel(context.get().model)
      for (const part of fields) part.update(context.get(), problems, run)
      player.update(run)
    }
  }
}

/** @type {import('./start.js').Planner} */
export async function planLesson(host, root, emit) {
  const id = host.getAttribute('lesson') ?? LESSONS[0].id
  if (!findLesson(id)) throw expectOne('lesson', id, LESSONS.map(lesson => lesson.id))
  const lesson = await loadLesson(id), state = readStep(host, id, lesson, root.language)
  const hasFigures = lesson.steps.some(({ figure }) => figure)
  const figureStyles = hasFigures ? [(await import('../style/lesson_figures.css')).default] : []
  await root.loadModels([lesson.model, ...lesson.steps.flatMap(step => step.model ?? [])])
  root.setModel(state.model)
  return {
    key: JSON.stringify([root.language, id]), state,
    styles: [fieldStyles, lessonStyles, ...figureStyles, elementStyles],
    emits: type => type !== 'answer',
    pickRoom: (rooms, { room }) => roomNear(rooms, room, []),
    mountCompanion: (context, stage) => mountLesson(root, lesson, emit, context, stage)
  }
}
