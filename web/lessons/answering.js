/** The reader's answers in a lesson: whether one is right, the text about it, and a task that a figure reaches. */

import { readRun } from '../lib/run.js'
import { settingsOf } from '../models/index.js'
import { nameRun } from '../models/names.js'
import { runKeys } from '../models/state.js'
import { createQuestion } from './question.js'
import { createTask } from './task.js'

/** @import { Now, Step } from './index.js' */
/** @import { Played, ReaderAnswer } from './played_lesson.js' */
/** @import { Result } from './question.js' */
/** @import { Context, Run, State } from '../types.d.ts' */

/**
 * A text of the step, '' where it has none.
 * @typedef {(key: string, values?: Record<string, string>) => string} GetText
 */

/** Milliseconds without a change after which a task is judged. */
const REST = 400

/** @param {Step} step @param {ReaderAnswer['value']} given @param {string | number | undefined} right */
const isCorrect = ({ question: ask }, given, right) => (ask?.tolerance === undefined ? given === right
  : given !== null && Math.abs(Number(given) - Number(right)) <= ask.tolerance)

/**
 * An answer as it is stored: where the options have texts of their own, by its id, else as the reader saw it.
 * @param {Step} step @param {string | number} given @param {Run} run @param {Now} now
 */
const nameAnswer = ({ question }, given, run, now) => (
  question?.options?.(run, now).find(({ id }) => id === given)?.text ?? given)

/**
 * Judges a task once the reader rests, not in passing.
 * @param {Played} played @param {Context} context
 * @param {ReturnType<typeof import('./step_figure.js').createStepFigure>} stepFigure @param {(run: Run) => void} draw
 */
function createJudge(played, context, stepFigure, draw) {
  /** @type {ReturnType<typeof setTimeout> | undefined} */ let restTimer
  /**
   * The feedback on the figure of a step at rest.
   * @type {{ step: string, feedback: ReturnType<NonNullable<Step['task']>['feedback']> | null }}
   */
  let atRest = { step: '', feedback: null }
  /** Completes the task once the figure has reached it. */
  function judge() {
    const run = context.run(), { answers, id: lesson } = played.current
    // After a jump to another lesson, the figure is still that of the old one until the new one is loaded.
    if (!run || !lesson || lesson !== context.get().lesson || !context.isCurrent()) return
    const values = stepFigure.values(), { id, task } = played.step()
    if (task && values && !answers.get(id)?.isAnswered && task.isDone(values)) {
      answers.set(id, { ...played.createAnswer(), isAnswered: true })
    }
    atRest = { step: id, feedback: task && values && stepFigure.isChanged() ? task.feedback(values) : null }
    draw(run)
  }
  return {
    judge,
    /** Judges once the figure has not changed for a while. */
    judgeLater() {
      clearTimeout(restTimer)
      restTimer = setTimeout(judge, REST)
    },
    /** The feedback on a task that is not done. @param {Step} step */
    feedback: ({ id }) => (atRest.step === id ? atRest.feedback : null)
  }
}

/**
 * @param {Played} played @param {Context} context
 * @param {import('./player.js').Surroundings['onAnswer']} onAnswer
 * @param {ReturnType<typeof import('./step_figure.js').createStepFigure>} stepFigure @param {(run: Run) => void} draw
 */
export function createAnswering(played, context, onAnswer, stepFigure, draw) {
  const { t, get, set, language } = context
  const judging = createJudge(played, context, stepFigure, draw)

  /**
   * The run that has the correct answer: the current one, or that in which it will be revealed, computed separately.
   * @param {Step} step @param {Run} run @returns {Promise<{ answerRun: Run, now: Now }>}
   */
  async function computeAnswerRun(step, run) {
    if (!step.answerState) return { answerRun: run, now: played.now() }
    const state = /** @type {State} */ (played.wantedState(step, true, run)), currentState = get()
    const isSame = runKeys(state).every(key => JSON.stringify(state[key]) === JSON.stringify(currentState[key]))
    const answerRun = isSame ? run
      : nameRun(readRun(await context.runQuery('twin', { settings: settingsOf(state) })), language())
    return { answerRun, now: { state, before: run } }
  }
  /** @param {Step} step @param {Run} run @param {ReaderAnswer['value']} given null where it is asked for */
  function showAnswer(step, run, given) {
    const previous = played.answer() ?? played.createAnswer()
    played.current.answers.set(step.id,
      { ...previous, value: given, isAnswered: true, ...(step.answerState && { before: run }) })
    if (step.answerFigure) stepFigure.set(step.answerFigure)
    if (step.answerState) set(played.wantedState(step, true))
    else draw(run)
  }
  /**
   * A correct answer completes the question; a wrong one gives a hint and another try.
   * @param {string | number} given
   */
  async function answer(given) {
    const step = played.step(), run = context.run(), inputsBefore = played.serializeInputs()
    if (!run || !step.question || played.answer()?.isAnswered || !context.isCurrent()) return
    const [{ answerRun, now }, nearMiss] = await Promise.all([computeAnswerRun(step, run), typeof given === 'number' && import('./near_miss.js')])
    const right = step.question.answer(answerRun, now)
    if (step !== played.step() || run !== context.run() || inputsBefore !== played.serializeInputs() ||
      played.answer()?.isAnswered) return
    const isRight = isCorrect(step, given, right), { id, answers } = played.current
    onAnswer(String(id), step.id, nameAnswer(step, given, run, played.now()), isRight)
    if (isRight) return showAnswer(step, run, given)
    const previous = played.answer() ?? played.createAnswer()
    const near = nearMiss ? nearMiss.findNearMiss(answerRun, step.question, now, Number(given), Number(right)) : null
    answers.set(step.id, { ...previous, wrong: [...previous.wrong, given], near })
    draw(run)
  }
  /** Reveals the answer on request. */
  function giveUp() {
    const { task } = played.step(), run = context.run()
    if (task) return stepFigure.set(task.solution)
    if (run && played.answer()) showAnswer(played.step(), run, null)
  }

  /**
   * Why the last answer is wrong: the text for this option, that of any option, or the hint.
   * @param {Step} step @param {ReaderAnswer} answer @param {Run} run @param {GetText} getText
   */
  function getReason({ question }, { wrong, near }, run, getText) {
    if (near) return getText(`reasons.${near.id}`, near.values) || `${t(`player.near.${near.id}`, near.values)} ${getText('hint')}`
    const id = String(wrong.at(-1)), now = played.now()
    const given = question?.options?.(run, now).find(option => option.id === id)
    const values = { given: given?.text ?? id, ...question?.given?.(run, now, id) }
    return getText(`reasons.${id}`, values) || getText('reason', values) || getText('hint') || t('player.again')
  }
  /**
   * The text after an answer: correct, a hint, or the correct answer.
   * @param {Step} step @param {Run} run @param {GetText} getText @returns {Result}
   */
  function describeResult(step, run, getText) {
    const previous = played.answer()
    if (previous && step.task) return { ...previous, text: getText('right') }
    const feedback = judging.feedback(step)
    if (!previous || !step.question) {
      return { wrong: [], right: null, isAnswered: false, text: feedback ? getText(`feedback.${feedback.id}`, feedback) : '' }
    }
    if (!previous.isAnswered) return { ...previous, text: getReason(step, previous, run, getText) }
    const right = step.question.answer(run, played.now()), isRight = isCorrect(step, previous.value, right)
    const wrong = isRight || previous.value === null ? previous.wrong : [...previous.wrong, previous.value]
    return { ...previous, wrong, right, text: getText(isRight ? 'right' : 'wrong') }
  }
  return {
    ...judging,
    /** @param {Step} step @param {Run} run @param {GetText} getText */
    draw(step, run, getText) {
      const { parts, words } = played.current, own = words.steps[step.id]
      const options = step.question?.options?.(played.answer()?.before ?? run, played.now())
        .map(({ id, text }) => ({ id, text: text ?? own.options[id] })) ?? null
      const key = JSON.stringify([step.id, options, getText('ask')])
      if (key !== parts.questionKey) {
        /** @type {Parameters<typeof createQuestion>[2]} */ const actions = {
          answer: value => answer(value).catch(context.reportError), reveal: giveUp, next: () => parts.next.click()
        }
        parts.question = step.task ? createTask(getText('ask'), [own.right, ...Object.values(own.feedback)], t, giveUp)
          : step.question ? createQuestion({ text: getText('ask'), options }, t, actions) : null
        parts.ask.replaceChildren(...(parts.question ? [parts.question.element] : []))
        parts.questionKey = key
      }
      parts.question?.show(describeResult(step, run, getText))
    }
  }
}
