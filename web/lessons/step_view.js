/** A step of a lesson for a run: its words, its question, what it points at, and what is known at the end. */

import { h, handleInternalClick, setText } from '../lib/dom.js'
import { renderProse } from '../lib/prose.js'
import { translator } from '../lib/text.js'
import { patchFrom } from '../models/state.js'
import { placeOfLesson } from './index.js'
import { representativeCell } from './run_values.js'
import { freeValues, hasOwnPage, placeholderValues } from './steps.js'

/** @import { GetText } from './answering.js' */
/** @import { Place, Step } from './index.js' */
/** @import { Played } from './played_lesson.js' */
/** @import { Context, Run } from '../types.d.ts' */

/** The texts that depend on the answer. */
const ANSWER_TEXTS = ['right', 'wrong']

/** Whether a step has a text. @param {any} stepWords @param {string} key */
const hasText = (stepWords, key) => Boolean(key.split('.').reduce((node, part) => node?.[part], stepWords))

/**
 * @param {Played} played @param {Context} context @param {import('./player.js').Surroundings} surroundings
 * @param {object} parts
 * @param {ReturnType<typeof import('./pointer.js').createPointer>} parts.pointer
 * @param {ReturnType<typeof import('./own_texts.js').createOwnTexts>} parts.ownTexts
 * @param {(at: number) => void} parts.jump
 * @param {ReturnType<typeof import('./term_popover.js').createTermPopover>} parts.showTerm
 * @param {(step: Step, run: Run, getText: GetText) => void} parts.drawQuestion
 */
export function createStepView(played, context, { root, extras, onStep, onEnd }, parts) {
  const { pointer, ownTexts, jump, showTerm, drawQuestion } = parts, { t, get, set } = context
  /** Leads to a field, which a phone has scrolled away. @param {string} words @param {string} name */
  const createFieldLink = (words, name) => h('button', { type: 'button', className: 'cell-link', onclick() {
    /** @type {HTMLElement | null} */ (root.querySelector(`[data-field="${name}"]`))?.focus()
  } }, words)
  /**
   * Words with the color of what they name, `[query](mark=query)`, a term, `[token](glossary=token)`, or a way to a
   * field, `[top line](field=source)`.
   * @param {string} words @param {string} change
   */
  function renderWords(words, change) {
    const [kind, name] = change.split('=')
    if (kind === 'mark') return h('b', { className: `mark-${name}` }, words)
    if (kind === 'field') return createFieldLink(words, name)
    const patch = patchFrom(change, get().model), history = hasOwnPage(patch) ? 'push' : undefined
    const follow = () => (patch.glossary ? showTerm(patch, term) : set(patch, history))
    const term = h('a', { className: 'term', href: context.link(patch), onclick: handleInternalClick(follow) }, words)
    return term
  }
  /**
   * Texts about the question's run remain when the answer has led to another run.
   * @param {Run} run @returns {GetText}
   */
  function textsOf(run) {
    const step = played.step(), stepWords = played.current.words.steps[step.id], before = played.answer()?.before
    const translate = translator(stepWords, { strict: false })
    const values = placeholderValues(step, stepWords, run, played.now())
    const questionValues = before
      ? placeholderValues(step, stepWords, before, { state: played.wantedState(step, false), before: null }) : values
    return (key, more = {}) => (hasText(stepWords, key)
      ? translate(key, { ...(ANSWER_TEXTS.includes(key) ? values : questionValues), ...more }) : '')
  }
  /** What is known at the end of a lesson, and a button to save the answers. @param {Run} run */
  function drawEnd(run) {
    const { id, parts, words } = played.current, { question, task } = played.step()
    const isOver = played.isLastStep() && (!(question || task) || Boolean(played.answer()?.isAnswered))
    const end = words.end ?? (extras ? '' : t('elements.finished', { name: t(`player.names.${id}`) }))
    const { plan } = get(), { endsPlan } = placeOfLesson(String(id), plan)
    parts.end.hidden = !isOver || !(end || endsPlan)
    // Who has not solved the last question hands in too.
    for (const part of parts.handIn) part.hidden = !played.isLastStep()
    const endText = end && translator({ end })('end', { text: Object.values(run.streams)[0].texts[0], date: ownTexts.date() })
    setText(parts.end, `${endText} ${endsPlan ? t('player.planEnd', { minutes: plan }) : ''}`.trim())
    if (isOver && !parts.isOver) onEnd()
    parts.isOver = isOver
  }
  /** At the end, leads to the steps that the reader has not solved. @param {string[]} open */
  function drawOpenSteps(open) {
    const { parts, lesson: { steps } } = played.current
    parts.open.hidden = !parts.isOver || open.length === 0
    parts.open.replaceChildren(t('player.open'), ...steps.flatMap(({ id }, at) => (open.includes(id)
      ? [' ', h('button', { type: 'button', className: 'quiet', onclick: () => jump(at) }, t('player.step', { number: at + 1 }))] : [])))
  }
  /** Selects the target's cell in the inspector. @param {Run} run @param {Place | null} target */
  function selectTarget(run, target) {
    const cell = target?.tensor === undefined ? null : representativeCell(run, target)
    if (cell) context.selectStepCell(cell, Boolean(played.step().dimsOthers))
  }
  /** Points at the target, and selects its cell when the step, its answer or a setting is another. @param {Run} run */
  function drawTarget(run) {
    const { id, language, parts } = played.current
    const step = played.step(), isAnswered = Boolean(played.answer()?.isAnswered)
    const isAfterAnswer = isAnswered && Boolean(step.answerState)
    const target = (isAfterAnswer ? step.answerTarget ?? step.target : step.target)?.(run, played.now()) ?? null
    const key = `${id} ${step.id} ${isAnswered} ${language}`
    // A reason makes the words longer, so that the target may have to be scrolled to again.
    pointer.point(target, `${key} ${played.answer()?.wrong.length ?? 0}`, step.question ? parts.ask : parts.title)
    const selectionKey = JSON.stringify([key, played.serializeInputs(), freeValues(step, get())])
    if (selectionKey !== parts.selectionKey) selectTarget(run,
      (isAfterAnswer ? step.answerCell : step.cell)?.(run, played.now()) ?? target)
    parts.selectionKey = selectionKey
  }
  /** @param {Run} run */
  return function draw(run) {
    const { id, parts, language } = played.current, step = played.step(), getText = textsOf(run), text = getText('text')
    setText(parts.title, getText('title'))
    if (parts.textKey !== text) parts.text.replaceChildren(...renderProse(text, renderWords))
    parts.textKey = text
    const open = onStep(String(id), played.at(), played.isLastStep(), played.openSteps())
    drawQuestion(step, run, getText)
    drawEnd(run)
    if (open) drawOpenSteps(open)
    drawTarget(run)
    parts.root.dataset.step = step.id
    parts.root.dataset.language = language
  }
}
