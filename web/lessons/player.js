/** The lesson player: one step at a time, explained above the figure, while the page stays usable. */

import { h } from '../lib/dom.js'
import { MODELS } from '../models/index.js'
import { nameRun } from '../models/names.js'
import { HOUSE } from '../rooms/house.js'
import { OPENING, defaults, toHash } from '../models/state.js'
import { loadLessonTexts } from '../words/parts.js'
import { createAnswering } from './answering.js'
import { createBar } from './bar.js'
import { findLesson, placeOfLesson } from './index.js'
import { loadLesson } from './load.js'
import { createOwnTexts } from './own_texts.js'
import { createPlayedLesson } from './played_lesson.js'
import { createPointer } from './pointer.js'
import { createStepFigure } from './step_figure.js'
import { createStepHeader } from './step_header.js'
import { createStepView } from './step_view.js'
import { createTermPopover } from './term_popover.js'
import { changedFields, hasOwnPage, isInStep } from './steps.js'

/** @import { Lesson } from './index.js' */
/** @import { Played, ReaderAnswer } from './played_lesson.js' */
/** @import { Context, Language, Run, State } from '../types.d.ts' */

/**
 * What surrounds a lesson: the page, or an element in another page.
 * @typedef {object} Surroundings
 * @property {HTMLElement} root whose attributes tell the styles about the step; what steps point at is inside it
 * @property {import('./pointer.js').ScrollKeeper} scrollKeeper
 * @property {() => void} scrollToTop
 * @property {Extras} [extras] on the page: what leads out of the lesson; an element has nothing but the lesson
 * @property {(lesson: string, step: string, given: string | number, isRight: boolean) => void} onAnswer
 * @property {(lesson: string, at: number, isLast: boolean, open: string[]) => string[] | void} onStep called whenever
 *   a step is displayed; `open` are the steps without an answer, and it returns those of them that never had one
 * @property {() => void} onEnd called when the last step is over
 *
 * @typedef {object} Extras
 * @property {(context: Context, request: Parameters<typeof import('./print_worksheet.js').printWorksheet>[1]) =>
 *   Promise<void>} print prints the lesson
 * @property {(button: import('./bar.js').CreateButton, t: Context['t']) => HTMLElement[]} createViewButtons for what
 *   the page displays around the lesson
 * @property {() => State | null} getOrigin the state in which the reader opened the lesson
 * @property {(button: import('./bar.js').CreateButton, context: Pick<Context, 't' | 'reportError'>) =>
 *   HTMLElement[]} createHandIn a button that saves the reader's answers, and its status
 */

/** The title of a step that is not displayed, so that its numbers are unknown. @param {{ title: string }} stepWords */
const titleInList = ({ title }) => title.replace(/\{\w+[^}]*\}/g, '…')

/**
 * Whether a link contains only the step and the reader's fields.
 * @param {State} state @param {Lesson} lesson
 */
function isShortLink(state, { userFields }) {
  const defaultState = defaults(), keeps = [...userFields, 'source']
  const resetState = { lesson: '', at: 0, plan: 0, language: 'auto', theme: 'auto', ...(state.room === HOUSE.id && { room: OPENING }),
    ...Object.fromEntries(keeps.map(name => [name, defaultState[name]])) }
  return toHash(/** @type {State} */ ({ ...state, ...resetState })) === toHash(defaultState)
}

/**
 * The answers to steps, with the words of their runs in another language.
 * @param {Map<string, ReaderAnswer>} answers @param {Language} language
 */
const translateAnswers = (answers, language) => new Map([...answers].map(([step, { before, ...given }]) => (
  [step, { ...given, ...(before && { before: nameRun(before, language) }) }])))

/**
 * The ways from step to step, to the next lesson, and out of the lesson.
 * @param {HTMLElement} container @param {Played} played @param {Context} context @param {Surroundings} surroundings
 * @param {ReturnType<typeof createOwnTexts>} ownTexts
 */
function createWays(container, played, { t, get, set }, { extras, scrollToTop }, ownTexts) {
  const { readerSettings } = played
  /**
   * Enters a step: its question, or, if answered already, the result.
   * @param {number} at @param {'push' | 'replace'} [history]
   */
  function enterStep(at, history = 'push') {
    const step = played.current.lesson.steps[at]
    // Rendering may scroll to the target, so this comes first.
    scrollToTop()
    set({ ...played.wantedState(step, played.isAnswerShown(step)), at }, history)
  }
  /** What remains after the reader has left: a line that leads back. @type {HTMLElement | null} */
  let returnLine = null
  /** @param {string} lesson @param {number} at */
  function createReturnLine(lesson, at) {
    const close = () => {
      container.replaceChildren()
      container.hidden = true
    }
    return h('p', { className: 'lesson-left' },
      t('player.left', { name: t(`player.names.${lesson}`), number: at + 1, count: played.current.lesson.steps.length }),
      h('button', { type: 'button', className: 'quiet', onclick: () => set({ ...defaults(), ...readerSettings(), lesson, at }, 'push') }, t('player.return')),
      h('button', { type: 'button', className: 'quiet', onclick: close }, t('app.close')))
  }
  /** @param {string} lesson @param {number} [at] */
  const openLesson = (lesson, at = 0) => set({ ...defaults(), ...ownTexts.read(), ...readerSettings(), lesson, at }, 'push')
  function restart() {
    played.current.answers.clear()
    enterStep(0)
  }
  return {
    enterStep,
    back() {
      if (get().at > 0 || !extras) return enterStep(Math.max(0, get().at - 1))
      const { previous } = placeOfLesson(String(played.current.id), get().plan)
      if (previous) openLesson(previous, (findLesson(previous)?.stepCount ?? 1) - 1)
    },
    home: () => enterStep(played.at()),
    next() {
      if (!played.isLastStep()) return enterStep(get().at + 1)
      if (!extras) return restart()
      const { id, lesson: { theatre } } = played.current, { next: following } = placeOfLesson(String(id), get().plan)
      if (following) openLesson(following)
      else set({ ...defaults(), ...ownTexts.read(), ...readerSettings(), theatre }, 'push')
    },
    open: openLesson,
    /** Leads back to the room where the reader was, else to the opening, which has the way back into the lesson. */
    leave() {
      const origin = extras?.getOrigin(), isFromRoom = origin && origin.room !== OPENING && !hasOwnPage(origin)
      if (!isFromRoom) return set({ ...defaults(), ...ownTexts.read(), ...readerSettings(), plan: 0 }, 'push')
      returnLine = createReturnLine(get().lesson, played.at())
      set({ ...origin, ...readerSettings(), lesson: '', at: 0, plan: 0 }, 'push')
    },
    takeReturnLine() {
      const lines = returnLine ? [returnLine] : []
      returnLine = null
      return lines
    }
  }
}

/**
 * The lesson on paper.
 * @param {Played} played @param {Context} context @param {Surroundings} surroundings
 * @param {'sheet' | 'key'} name of the button
 */
async function print(played, context, { extras }, name) {
  const { lesson, words, parts, id } = played.current, button = parts[name]
  if (button.ariaBusy === 'true') return
  button.ariaBusy = 'true'
  try {
    await extras?.print(context, { lesson, words, isKey: name === 'key', isCurrent: () => played.current.id === id })
  } finally {
    button.ariaBusy = null
  }
}

/**
 * Mounts the player, empty.
 * @param {HTMLElement} container @param {HTMLElement} stage
 * @param {Context} context @param {Surroundings} surroundings
 */
export function mountPlayer(container, stage, context, surroundings) {
  const { get, language } = context, { root, extras } = surroundings, ownTexts = createOwnTexts()
  const pointer = createPointer(stage, root, surroundings.scrollKeeper)
  const figureSlot = h('div', { className: 'lesson-figure', hidden: true })
  const stepFigure = createStepFigure(figureSlot, root, () => {
    const run = context.run()
    if (run && context.isCurrent()) draw(run)
    answering.judgeLater()
  }, context.reportError)
  const played = createPlayedLesson(context, ownTexts, stepFigure.values)
  const ways = createWays(container, played, context, surroundings, ownTexts), { enterStep } = ways
  const answering = createAnswering(played, context, surroundings.onAnswer, stepFigure, run => {
    // The top line tells the model's answer once it is known.
    header.draw(true)
    draw(run)
  })
  const showTerm = createTermPopover(container, context, Boolean(extras))
  const header = createStepHeader(played, context, surroundings)
  const draw = createStepView(played, context, surroundings,
    { pointer, ownTexts, jump: enterStep, showTerm, drawQuestion: answering.draw })

  /** @param {Lesson} lesson @param {Played['current']['words']} words */
  function createParts({ steps }, words) {
    const titles = steps.map(step => titleInList(words.steps[step.id]))
    return createBar(context, titles, {
      ...ways, jump: enterStep,
      next() {
        answering.judge()
        ways.next()
      },
      print: name => { print(played, context, surroundings, name).catch(context.reportError) }
    }, extras)
  }

  /** @param {string} id @param {Language} newLanguage */
  async function build(id, newLanguage) {
    const [lesson, words] = await Promise.all([loadLesson(id), loadLessonTexts(newLanguage, id)])
    if (get().lesson !== id || language() !== newLanguage) return
    const isNew = played.current.id !== id, parts = createParts(lesson, words)
    const answers = translateAnswers(isNew ? new Map() : played.current.answers, newLanguage)
    played.current = { id, language: newLanguage, lesson, words, parts, answers }
    container.replaceChildren(parts.root, figureSlot)
    container.setAttribute('aria-label', words.title)
    if (isNew) ownTexts.keepDate(get())
    if (isShortLink(get(), lesson) || !isNew) enterStep(played.at(), 'replace')
    else update(context.run())
  }
  /** Loads the lesson of the state, once. */
  function request() {
    const { lesson } = get(), newLanguage = language(), key = `${lesson} ${newLanguage}`
    if (played.current.requestedKey !== key) build(lesson, newLanguage).catch(context.reportError)
    played.current.requestedKey = key
  }

  /** Whether an answer was given for another input, so that the step has to be entered again. */
  function forgetOldAnswer() {
    const step = played.step(), previous = played.answer()
    if (!previous || previous.inputs === played.serializeInputs()) return false
    played.current.answers.delete(step.id)
    return Boolean(previous.isAnswered && step.answerState)
  }
  /**
   * Whether the page displays an answer that the reader has not given in this session, as after a reload.
   * @param {Run | null} run @param {boolean} isInPlace
   */
  function isUnearned(run, isInPlace) {
    const { lesson, isEntered } = played.current, step = played.step()
    if (!run || !context.isCurrent() || isEntered) return false
    played.current.isEntered = true
    return Boolean(!isInPlace && step.answerState && isInStep(lesson, get(), played.wantedState(step, true, run), ['edits']))
  }

  /** @param {boolean} isInPlace */
  function drawHeader(isInPlace) {
    const { id, language: playedLanguage, words } = played.current, step = played.step()
    if (isInPlace) stepFigure.update(step, String(id), playedLanguage, words.steps[step.id])
    else stepFigure.clear()
    header.draw(isInPlace)
    if (!isInPlace) pointer.clear()
  }
  /** @param {Run | null} run */
  function update(run) {
    const { id, language: playedLanguage, lesson } = played.current
    if (id !== get().lesson || playedLanguage !== language()) return request()
    ownTexts.keep(lesson, get())
    if (get().room === OPENING) return enterStep(played.at(), 'replace')
    if (forgetOldAnswer()) return enterStep(get().at, 'replace')
    const step = played.step()
    const isInPlace = isInStep(lesson, get(), played.wantedState(step, played.isAnswerShown(step)), step.freeSettings)
    if (isUnearned(run, isInPlace)) return enterStep(get().at, 'replace')
    drawHeader(isInPlace)
    if (isInPlace && run && context.isCurrent()) draw(run)
  }
  return {
    update,
    /** Keeps what is typed before the model has read it, for a reader who goes on at once. */
    keepText() {
      if (played.current.id && played.current.id === get().lesson) ownTexts.keep(played.current.lesson, get())
    },
    /**
     * The state as a link: for an unchanged step only its number, so that the link reveals nothing.
     * @param {State} state @returns {State}
     */
    addressed(state) {
      const { lesson, id } = played.current
      if (!lesson || id !== state.lesson || hasOwnPage(state)) return state
      const step = lesson.steps[Math.min(state.at, lesson.steps.length - 1)]
      if (played.isAnswerShown(step) || !isInStep(lesson, state, played.wantedState(step, false))) return state
      const { lesson: name, at } = state, isOfPath = lesson.model === MODELS[0].id
      if (!isOfPath && Object.keys(changedFields(lesson, state)).length) return state
      const fields = isOfPath ? ownTexts.fieldsIn(lesson, state) : ownTexts.read()
      return { ...defaults(), ...fields, ...played.readerSettings(), lesson: name, at }
    },
    leave() {
      pointer.clear()
      stepFigure.clear()
      header.clear()
      const lines = ways.takeReturnLine()
      if (played.current.id) container.replaceChildren(...lines)
      played.current = { ...played.current, id: null, requestedKey: null }
    }
  }
}
