/** The lesson player: one step at a time, explained above the figure, while the page stays usable. */

import { h, handleInternalClick, setText } from '../lib/dom.js'
import { renderProse } from '../lib/prose.js'
import { readRun } from '../lib/run.js'
import { translator } from '../lib/text.js'
import { MODELS, settingsOf } from '../models/index.js'
import { nameRun } from '../models/names.js'
import { HOUSE } from '../rooms/house.js'
import { OPENING, defaults, patchFrom, runKeys, toHash } from '../models/state.js'
import { loadLessonTexts } from '../words/parts.js'
import { placeOfLesson } from './index.js'
import { loadLesson } from './load.js'
import { createBar } from './bar.js'
import { createPointer } from './pointer.js'
import { createQuestion } from './question.js'
import { createStepFigure } from './step_figure.js'
import { createTask } from './task.js'
import { findNearMiss } from './near_miss.js'
import { createOwnTexts } from './own_texts.js'
import { representativeCell } from './run_values.js'
import { freeValues, isInStep, changedFields, inLanguage, stateOfStep, placeholderValues } from './steps.js'

/** @import { ModulePath } from '../rooms/graph.js' */
/** @import { Lesson } from './index.js' */
/** @import { Result } from './question.js' */
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
 * @typedef {ReturnType<typeof createBar> & { questionKey?: string, textKey?: string, selectionKey?: string,
 *   question?: ReturnType<typeof createTask> | null, isOver?: boolean }} Bar and what was written there last
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
 * What surrounds a lesson: the page, or an element in another page.
 * @typedef {object} Surroundings
 * @property {HTMLElement} root whose attributes tell the styles about the step; what steps point at is inside it
 * @property {import('./pointer.js').ScrollKeeper} scrollKeeper
 * @property {() => void} scrollToTop
 * @property {Extras} [extras] on the page: what leads out of the lesson; an element has nothing but the lesson
 * @property {(lesson: string, step: string, given: string | number, isRight: boolean) => void} onAnswer
 * @property {(lesson: string, at: number) => void} onStep called whenever a step is displayed
 * @property {() => void} onEnd called when the last step is over
 *
 * @typedef {object} Extras
 * @property {(context: Context, request: Parameters<typeof import('./print_worksheet.js').printWorksheet>[1]) =>
 *   Promise<void>} print prints the lesson
 * @property {() => State | null} getOrigin the state in which the reader opened the lesson
 * @property {(question: string) => Promise<void>} save saves the reader's answers, after asking for a name
 *
 * A text of the step, '' where it has none.
 * @typedef {(key: string, values?: Record<string, string>) => string} GetText
 */

/** Whether the training page or an exercise is shown instead of the lesson. @param {Partial<State>} state */
const hasOwnPage = ({ theatre, exercise }) => Boolean(theatre || exercise)

/** Milliseconds without a change after which a task is judged. */
const REST = 400

/** The title of a step that is not displayed, so that its numbers are unknown. @param {{ title: string }} stepWords */
const titleInList = ({ title }) => title.replace(/\{\w+[^}]*\}/g, '…')

/** The texts that depend on the answer. */
const ANSWER_TEXTS = ['right', 'wrong']

/** Whether a step has a text. @param {any} stepWords @param {string} key */
const hasText = (stepWords, key) => Boolean(key.split('.').reduce((node, part) => node?.[part], stepWords))

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
 * @param {Lesson['steps'][number]} step @param {ReaderAnswer['value']} given @param {string | number | undefined} right
 */
const isCorrect = ({ question: ask }, given, right) => (ask?.tolerance === undefined ? given === right
  : given !== null && Math.abs(Number(given) - Number(right)) <= ask.tolerance)

/**
 * Mounts the player, empty.
 * @param {HTMLElement} container @param {HTMLElement} stage
 * @param {Context} context @param {Surroundings} surroundings
 */
export function mountPlayer(container, stage, context, surroundings) {
  const { t, get, set, language } = context, { root, extras } = surroundings, ownTexts = createOwnTexts()
  const pointer = createPointer(stage, root, surroundings.scrollKeeper)
  /** Hides the model's answer in the top line while a question is about it. @param {boolean} isCovered */
  const hideAnswer = isCovered => root.toggleAttribute('data-covered', isCovered)
  const figureSlot = h('div', { className: 'lesson-figure', hidden: true })
  /** A task is judged once the reader rests, not in passing. */
  function judge() {
    const run = context.run()
    if (!run || !playing.id || !context.isCurrent()) return
    checkTask(currentStep())
    const values = stepFigure.values(), { id, task } = currentStep()
    nearTask = { id, values: values && task?.near ? task.near(values) : null }
    draw(run)
  }
  /** @type {ReturnType<typeof setTimeout> | undefined} */ let restTimer
  /**
   * How near the figure of a step was to its goal at rest.
   * @type {{ id: string, values: Record<string, string> | null }}
   */
  let nearTask = { id: '', values: null }
  const stepFigure = createStepFigure(figureSlot, root, () => {
    const run = context.run()
    if (run && context.isCurrent()) draw(run)
    clearTimeout(restTimer)
    restTimer = setTimeout(judge, REST)
  }, context.reportError)
  /** @type {PlayedLesson} */
  let playing = /** @type {any} */ (
    { id: null, language: null, lesson: null, words: null, parts: null, answers: new Map() })

  /**
   * Words with the color of what they name, `[query](mark=query)`, or a term, `[token](glossary=token)`.
   * @param {string} words @param {string} change
   */
  function renderWords(words, change) {
    if (change.startsWith('mark=')) return h('b', { className: change.replace('=', '-') }, words)
    const patch = patchFrom(change, get().model), history = hasOwnPage(patch) ? 'push' : undefined
    return h('a', { className: 'term', href: context.link(patch), onclick: handleInternalClick(() => set(patch, history)) }, words)
  }
  const currentStep = () => playing.lesson.steps[Math.min(get().at, playing.lesson.steps.length - 1)]
  const currentNow = () => ({ state: get(), before: currentAnswer()?.before ?? null, figure: stepFigure.values() })
  /**
   * The state of a step, or the one in which its answer is revealed.
   * @param {Lesson['steps'][number]} step @param {boolean} isOver @param {Run | null} [before] the run of the question
   */
  function wantedState(step, isOver, before = playing.answers.get(step.id)?.before) {
    const text = isOver && step.answerState ? step.answerState : step.state
    const sentence = typeof text === 'function' ? text(/** @type {Run} */ (before), { state: get() })
      : inLanguage(text, language())
    return stateOfStep(playing.lesson, sentence, ownTexts.addTo(playing.lesson, get()), language(), step.model)
  }
  /** @param {Lesson['steps'][number]} step */
  const isAnswerShown = step => Boolean(step.answerState && playing.answers.get(step.id)?.isAnswered)
  const currentAnswer = () => playing.answers.get(currentStep().id)
  const serializeInputs = () => JSON.stringify(changedFields(playing.lesson, get()))
  const isLastStep = () => get().at >= playing.lesson.steps.length - 1

  /**
   * Enters a step: its question, or, if answered already, the result.
   * @param {number} at @param {'push' | 'replace'} [history]
   */
  function enterStep(at, history = 'push') {
    const step = playing.lesson.steps[at]
    // Rendering may scroll to the target, so this comes first.
    surroundings.scrollToTop()
    set({ ...wantedState(step, isAnswerShown(step)), at }, history)
  }
  /** What remains after the reader has left: a line that leads back. @type {HTMLElement | null} */
  let returnLine = null
  /** Leads back to the room from which the reader came, else to the opening, which has the way back into the lesson. */
  const leave = () => {
    const { lesson: id } = get(), at = playing.lesson.steps.indexOf(currentStep()), origin = extras?.getOrigin()
    const isFromRoom = origin && origin.room !== OPENING && !hasOwnPage(origin)
    if (!isFromRoom) return set({ ...defaults(), ...ownTexts.read(), ...readerSettings(), plan: 0 }, 'push')
    const close = () => {
      container.replaceChildren()
      container.hidden = true
    }
    returnLine = h('p', { className: 'lesson-left' },
      t('player.left', { name: t(`player.names.${id}`), number: at + 1, count: playing.lesson.steps.length }),
      h('button', { type: 'button', className: 'quiet', onclick: () => set({ ...defaults(), ...readerSettings(), lesson: id, at }, 'push') }, t('player.return')),
      h('button', { type: 'button', className: 'quiet', onclick: close }, t('app.close')))
    set({ ...origin, ...readerSettings(), lesson: '', at: 0, plan: 0 }, 'push')
  }
  const home = () => enterStep(playing.lesson.steps.indexOf(currentStep()))
  function goToNext() {
    if (!isLastStep()) return enterStep(get().at + 1)
    if (!extras) return restart()
    const { next: following } = placeOfLesson(String(playing.id), get().plan), { theatre } = playing.lesson
    set({ ...defaults(), ...ownTexts.read(), ...readerSettings(), ...(following ? { lesson: following } : { theatre }) }, 'push')
  }
  function restart() {
    playing.answers.clear()
    enterStep(0)
  }
  /** The lesson on paper. @param {'sheet' | 'key'} name of the button */
  async function print(name) {
    const { lesson, words, parts, id } = playing, button = parts[name]
    if (button.ariaBusy === 'true') return
    button.ariaBusy = 'true'
    try {
      await extras?.print(context, { lesson, words, isKey: name === 'key', isCurrent: () => playing.id === id })
    } finally {
      button.ariaBusy = null
    }
  }
  const readerSettings = () => {
    const { language: currentLanguage, theme, depth, plan } = get()
    return { language: currentLanguage, theme, depth, plan }
  }

  /**
   * The run that has the correct answer: the current one, or that in which it will be revealed, computed separately.
   * @param {Lesson['steps'][number]} step @param {Run} run
   * @returns {Promise<{ answerRun: Run, now: import('./index.js').Now }>}
   */
  async function computeAnswerRun(step, run) {
    if (!step.answerState) return { answerRun: run, now: currentNow() }
    const state = /** @type {State} */ (wantedState(step, true, run)), currentState = get()
    const isSame = runKeys(state).every(key => JSON.stringify(state[key]) === JSON.stringify(currentState[key]))
    const answerRun = isSame ? run
      : nameRun(readRun(await context.runQuery('twin', { settings: settingsOf(state) })), language())
    return { answerRun, now: { state, before: run } }
  }
  /**
   * @param {Lesson['steps'][number]} step @param {Run} run @param {ReaderAnswer['value']} given null where it is asked
   *   for
   */
  function showAnswer(step, run, given) {
    const previous = currentAnswer() ?? createAnswer()
    playing.answers.set(step.id,
      { ...previous, value: given, isAnswered: true, ...(step.answerState && { before: run }) })
    if (step.answerState) set(wantedState(step, true))
    else draw(run)
  }
  /** @returns {ReaderAnswer} */
  const createAnswer = () => ({ wrong: [], right: null, value: null, isAnswered: false, inputs: serializeInputs() })
  /**
   * A correct answer completes the question; a wrong one gives a hint and another try.
   * @param {string | number} given
   */
  async function answer(given) {
    const step = currentStep(), run = context.run(), inputsBefore = serializeInputs()
    if (!run || !step.question || currentAnswer()?.isAnswered || !context.isCurrent()) return
    const { answerRun, now } = await computeAnswerRun(step, run), right = step.question.answer(answerRun, now)
    if (step !== currentStep() || run !== context.run() || inputsBefore !== serializeInputs() ||
      currentAnswer()?.isAnswered) return
    const isRight = isCorrect(step, given, right)
    surroundings.onAnswer(String(playing.id), step.id, nameAnswer(step, given, run), isRight)
    if (isRight) return showAnswer(step, run, given)
    const previous = currentAnswer() ?? createAnswer()
    const near = typeof given === 'number' ? findNearMiss(answerRun, step.question, now, given, Number(right)) : null
    playing.answers.set(step.id, { ...previous, wrong: [...previous.wrong, given], near })
    draw(run)
  }
  /**
   * An answer as it is stored: where the options have texts of their own, by its id, else as the reader saw it.
   * @param {Lesson['steps'][number]} step @param {string | number} given @param {Run} run
   */
  const nameAnswer = ({ question }, given, run) => (
    question?.options?.(run, currentNow()).find(({ id }) => id === given)?.text ?? given)
  /** Completes the task once the figure has reached it. @param {Lesson['steps'][number]} step */
  function checkTask({ id, task }) {
    const values = stepFigure.values()
    if (task && values && !playing.answers.get(id)?.isAnswered && task.isDone(values)) {
      playing.answers.set(id, { ...createAnswer(), isAnswered: true })
    }
  }
  /** Reveals the answer on request. */
  function giveUp() {
    const { task } = currentStep()
    if (task) return stepFigure.set(task.solution)
    const run = context.run()
    if (run && currentAnswer()) showAnswer(currentStep(), run, null)
  }

  /**
   * Why the last answer is wrong: the text for this option, that of any option, or the hint.
   * @param {Lesson['steps'][number]} step @param {ReaderAnswer} answer @param {Run} run @param {GetText} getText
   */
  function getReason({ question }, { wrong, near }, run, getText) {
    if (near) return getText(`reasons.${near.id}`, near.values) || `${t(`player.near.${near.id}`, near.values)} ${getText('hint')}`
    const id = String(wrong.at(-1)), given = question?.options?.(run, currentNow()).find(option => option.id === id)
    const values = { given: given?.text ?? id, ...question?.given?.(run, currentNow(), id) }
    return getText(`reasons.${id}`, values) || getText('reason', values) || getText('hint') || t('player.again')
  }

  /**
   * The text after an answer: correct, a hint, or the correct answer.
   * @param {Lesson['steps'][number]} step @param {Run} run @param {GetText} getText @returns {Result}
   */
  function describeResult(step, run, getText) {
    const previous = currentAnswer()
    if (previous && step.task) return { ...previous, text: getText('right') }
    const near = step.task && nearTask.id === step.id ? nearTask.values : null
    if (!previous || !step.question) return { wrong: [], right: null, isAnswered: false, text: near ? getText('near', near) : '' }
    if (!previous.isAnswered) return { ...previous, text: getReason(step, previous, run, getText) }
    const right = step.question.answer(run, currentNow())
    const isRight = isCorrect(step, previous.value, right)
    return { ...previous, wrong: isRight ||
      previous.value === null ? previous.wrong : [...previous.wrong, previous.value], right,
    text: getText(isRight ? 'right' : 'wrong') }
  }

  /** @param {Lesson['steps'][number]} step @param {Run} run @param {GetText} getText */
  function drawQuestion(step, run, getText) {
    const { parts, words } = playing
    const previous = currentAnswer()
    const options = step.question?.options?.(previous?.before ?? run, currentNow())
      .map(({ id, text }) => ({ id, text: text ?? words.steps[step.id].options[id] })) ?? null
    const key = JSON.stringify([step.id, options, getText('ask')])
    if (key !== parts.questionKey) {
      parts.question = step.task ? createTask(getText('ask'), t, giveUp)
        : step.question ? createQuestion({ text: getText('ask'), options }, t, given => answer(given).catch(context.reportError), giveUp) : null
      parts.ask.replaceChildren(...(parts.question ? [parts.question.element] : []))
      parts.questionKey = key
    }
    parts.question?.show(describeResult(step, run, getText))
  }

  /** What is known at the end of a lesson, and a button to save the answers. @param {Run} run */
  function drawEnd(run) {
    const { parts, words } = playing, { question, task } = currentStep()
    const isOver = isLastStep() && (!(question || task) || Boolean(currentAnswer()?.isAnswered))
    const end = words.end ?? (extras ? '' : t('elements.finished', { name: t(`player.names.${playing.id}`) }))
    parts.end.hidden = !isOver || !end
    parts.save.hidden = !isOver
    if (isOver && end) setText(parts.end, translator({ end })('end', { text: Object.values(run.streams)[0].texts[0], date: ownTexts.date() }))
    if (isOver && !parts.isOver) surroundings.onEnd()
    parts.isOver = isOver
  }

  /** @param {Run} run */
  function draw(run) {
    const { parts, words } = playing
    const step = currentStep()
    const previous = currentAnswer()
    // Texts about the question's run remain when the answer has led to another run.
    const questionContext = previous?.before
      ? { run: previous.before, now: { state: wantedState(step, false), before: null } } : { run, now: currentNow() }
    const say = translator(words.steps[step.id], { strict: false })
    const stepWords = words.steps[step.id]
    const values = placeholderValues(step, stepWords, run, currentNow()),
      questionValues = placeholderValues(step, stepWords, questionContext.run, questionContext.now)
    /** @type {GetText} */
    const getText = (key, more = {}) => (hasText(stepWords, key)
      ? say(key, { ...(ANSWER_TEXTS.includes(key) ? values : questionValues), ...more }) : '')
    setText(parts.title, getText('title'))
    const text = getText('text')
    if (parts.textKey !== text) parts.text.replaceChildren(...renderProse(text, renderWords))
    parts.textKey = text
    drawQuestion(step, run, getText)
    drawEnd(run)
    const isAfterAnswer = Boolean(previous?.isAnswered && step.answerState)
    const target = (isAfterAnswer ? step.answerTarget ?? step.target : step.target)?.(run, currentNow()) ?? null
    const key = `${playing.id} ${step.id} ${Boolean(previous?.isAnswered)} ${playing.language}`
    pointer.point(target, key, step.question ? parts.ask : parts.title)
    const selectionKey = JSON.stringify([key, serializeInputs(), freeValues(step, get())])
    if (selectionKey !== parts.selectionKey) selectTarget(run,
      (isAfterAnswer ? step.answerCell : step.cell)?.(run, currentNow()) ?? target)
    parts.selectionKey = selectionKey
    parts.root.dataset.step = step.id
    parts.root.dataset.language = playing.language
  }

  /**
   * Selects the target's cell in the inspector.
   * @param {Run} run @param {import('./index.js').Place | null} target
   */
  function selectTarget(run, target) {
    const cell = target?.tensor === undefined ? null : representativeCell(run, target)
    if (cell) context.selectCell(cell)
  }

  /** The label of the button that continues. */
  function nextLabel() {
    if (!isLastStep()) return t('player.next')
    if (!extras) return t('elements.restart')
    const { next: following } = placeOfLesson(String(playing.id), get().plan)
    return following ? t('player.after', { name: t(`player.names.${following}`) })
      : t('player.toTheatre', { name: t('app.theatre') })
  }
  /** The name of the model where a lesson first shows it, and where another model follows. */
  function describeModel() {
    const { steps, model: lessonModel } = playing.lesson, at = steps.indexOf(currentStep())
    const before = steps.slice(0, at).findLast(step => !step.figure)
    const { figure, model = lessonModel } = steps[at]
    const isKnown = before && (before.model ?? lessonModel) === model
    return figure || isKnown ? '' : t('player.model', { name: t(`controls.model.${model}`) })
  }
  /** @param {boolean} isInPlace */
  function drawHeader(isInPlace) {
    const { parts, lesson, words } = playing
    const at = Math.min(get().at, lesson.steps.length - 1)
    setText(parts.name, t(`player.names.${playing.id}`))
    parts.name.title = words.title
    const { name, number, count } = placeOfLesson(String(playing.id), get().plan)
    setText(parts.place, t(`player.places.${name}`, { number, count }))
    parts.showPlace(at)
    parts.progress.max = lesson.steps.length
    parts.progress.value = at + 1
    parts.back.disabled = at === 0
    parts.home.hidden = isInPlace
    const label = nextLabel()
    setText(parts.next, label)
    parts.next.title = label
    parts.root.classList.toggle('is-away', !isInPlace)
    if (isInPlace) stepFigure.update(currentStep(), String(playing.id), playing.language, words.steps[currentStep().id])
    else stepFigure.clear()
    setText(parts.model, describeModel())
    const { question, hidesAnswer, asksForInput, hidesControls } = currentStep()
    root.toggleAttribute('data-asks-input', isInPlace && Boolean(asksForInput))
    root.toggleAttribute('data-first-figure', isInPlace && Boolean(hidesControls))
    hideAnswer(isInPlace && Boolean(hidesAnswer || (question?.isOfAnswer && !currentAnswer()?.isAnswered)))
    if (isInPlace) surroundings.onStep(String(playing.id), at)
    else pointer.clear()
  }

  /** @param {string} id @param {Language} newLanguage */
  async function build(id, newLanguage) {
    const [lesson, texts] = await Promise.all([loadLesson(id), loadLessonTexts(newLanguage, id)])
    if (get().lesson !== id || language() !== newLanguage) return
    const isNew = playing.id !== id
    const parts = createBar(context, lesson.steps.map(step => titleInList(texts.steps[step.id])), {
      back: () => enterStep(Math.max(0, get().at - 1)), next: goToNext, leave, home,
      save: () => { extras?.save(t('player.answers.name')).catch(context.reportError) },
      print: name => { print(name).catch(context.reportError) }, jump: enterStep,
      open: other => set({ ...defaults(), ...ownTexts.read(), ...readerSettings(), lesson: other }, 'push')
    }, !extras)
    const answers = new Map(isNew ? [] : [...playing.answers].map(([step, { before, ...given }]) => (
      [step, { ...given, ...(before && { before: nameRun(before, newLanguage) }) }])))
    playing = { id, language: newLanguage, lesson, words: texts, parts, answers }
    container.replaceChildren(parts.root, figureSlot)
    container.setAttribute('aria-label', texts.title)
    const at = Math.min(get().at, lesson.steps.length - 1)
    if (isNew) ownTexts.keepDate(get())
    if (isShortLink(get(), lesson) || !isNew) enterStep(at, 'replace')
    else update(context.run())
  }

  /** @param {Run | null} run */
  function update(run) {
    const { lesson: id } = get()
    const newLanguage = language()
    if (playing.id !== id || playing.language !== newLanguage) {
      if (playing.requestedKey !== `${id} ${newLanguage}`) build(id, newLanguage).catch(context.reportError)
      playing.requestedKey = `${id} ${newLanguage}`
      return
    }
    ownTexts.keep(playing.lesson, get())
    if (get().room === OPENING) return enterStep(Math.min(get().at, playing.lesson.steps.length - 1), 'replace')
    const step = currentStep()
    const previous = currentAnswer()
    if (previous && previous.inputs !== serializeInputs()) {
      playing.answers.delete(step.id)
      if (previous.isAnswered && step.answerState) return enterStep(get().at, 'replace')
    }
    const isInPlace = isInStep(playing.lesson, get(), wantedState(step, isAnswerShown(step)), step.freeSettings)
    if (run && context.isCurrent() && !playing.isEntered) {
      playing.isEntered = true
      // After a reload the page may display an answer that the reader has not given in this session.
      if (!isInPlace && step.answerState && isInStep(playing.lesson, get(), wantedState(step, true, run), ['edits'])) {
        return enterStep(get().at, 'replace')
      }
    }
    drawHeader(isInPlace)
    if (isInPlace && run && context.isCurrent()) draw(run)
  }
  return {
    update,
    /**
     * The state as a link: for an unchanged step only its number, so that the link reveals nothing.
     * @param {State} state @returns {State}
     */
    addressed(state) {
      const { lesson, id } = playing
      if (!lesson || id !== state.lesson || hasOwnPage(state)) return state
      const step = lesson.steps[Math.min(state.at, lesson.steps.length - 1)]
      if (isAnswerShown(step) || !isInStep(lesson, state, wantedState(step, false))) return state
      const { lesson: name, at } = state, isOfPath = lesson.model === MODELS[0].id
      if (!isOfPath && Object.keys(changedFields(lesson, state)).length) return state
      const fields = isOfPath ? ownTexts.fieldsIn(lesson, state) : ownTexts.read()
      return { ...defaults(), ...fields, ...readerSettings(), lesson: name, at }
    },
    leave() {
      pointer.clear()
      stepFigure.clear()
      hideAnswer(false)
      for (const name of ['data-asks-input', 'data-first-figure']) root.removeAttribute(name)
      if (playing.id) container.replaceChildren(...(returnLine ? [returnLine] : []))
      returnLine = null
      playing = { ...playing, id: null, requestedKey: null }
    }
  }
}
