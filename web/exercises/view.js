/** One exercise on the page: its text, the editor, checks, hints, PyTorch and the solution. */

import { handleInternalClick, h, setText } from '../lib/dom.js'
import { renderFormula } from '../lib/formula.js'
import { renderCode } from '../lib/highlight.js'
import { renderProse } from '../lib/prose.js'
import { isSingleFile } from '../lib/resources.js'
import { Stopped } from '../notebooks/runner.js'
import { EXERCISES } from './index.js'
import { createEditor } from './editor.js'
import { findShortcut, formatError, isReport, renderMeaning, renderOutputs, renderReport } from './report.js'
import { getSaved, isPassed, updateSaved } from './saved_state.js'

/** @import { Translate } from '../types.d.ts' */
/** @import { CellError, Output } from '../notebooks/runner.js' */
/** @import { Report } from './check.js' */
/** @import { Exercise, RunValues } from './index.js' */

/** What Python writes and JavaScript does not. */
const PYTHON = /^\s*(def|elif|import|from)\s|:\s*$/m

/** Failed checks after which the solution can be seen, once all hints have been shown. */
const TRIES = 3

/**
 * The texts of an exercise.
 * @typedef {{ what: string, hints: string[], mistakes: Record<string, string>,
 *   comments?: Record<string, string> }} ExerciseTexts
 *
 * @typedef {object} ExerciseContext
 * @property {Translate} t the texts of the frame
 * @property {(id: string) => string} link
 * @property {(id: string) => void} open
 * @property {(source: string) => Promise<{ output: Output[], error?: CellError, report?: unknown }>} check
 * @property {() => void} stop
 * @property {Record<string, string>} signatures of the functions that the exercise uses
 * @property {() => void} onProgress
 * @property {(text: string) => string} named what the reader's function makes, as the reader's language names it
 */

/** @param {string} word @param {() => void} onclick @param {string} [className] */
const button = (word, onclick, className = 'nb-run') => h('button', { type: 'button', className, onclick }, word)

/**
 * Hints that are shown one by one.
 * @param {string} id @param {string[]} hints @param {Translate} t @param {() => void} onShow
 */
function createHints(id, hints, t, onShow) {
  const list = h('ol', { className: 'exercise-hints' })
  const more = button('', () => {
    updateSaved(id, { hints: (getSaved(id).hints ?? 0) + 1 })
    update()
    onShow()
  }, 'quiet')
  function update() {
    const shown = Math.min(getSaved(id).hints ?? 0, hints.length)
    list.replaceChildren(...hints.slice(0, shown).map(text => h('li', {}, renderProse(text))))
    more.hidden = shown >= hints.length
    setText(more, t('hint', { number: shown + 1, count: hints.length }))
  }
  update()
  return h('div', { 'aria-live': 'polite' }, list, more)
}

/** A part that is opened by a click. @param {string} title @param {Node} content @param {string} className */
const createDetails = (title, content, className) => (
  h('details', { className }, h('summary', {}, title), content))

/**
 * @param {string} id @param {Exercise} exercise @param {ExerciseTexts} texts @param {ExerciseContext} context
 */
export function mountExercise(id, exercise, texts, context) {
  const { t } = context
  const at = EXERCISES.findIndex(item => item.id === id), next = EXERCISES[at + 1]
  const title = t(`list.${id}`)
  const result = h('div', { 'className': 'exercise-result', 'aria-live': 'polite' })
  let isRunning = false
  let isDestroyed = false

  const editor = createEditor({
    code: getSaved(id).code ?? exercise.starter, label: t('editor', { title }), onRun: run,
    onEdit(code) {
      updateSaved(id, { code })
      updateButtons()
    }
  })

  /** @param {CellError} error */
  function showError(error) {
    const isUnread = error.name === 'SyntaxError', line = error.line ?? (isUnread ? editor.findSyntaxError() : null)
    editor.markError(line)
    return [h('p', { className: 'exercise-verdict is-wrong' }, t(isUnread ? 'unread' : 'stopped')),
      renderMeaning(error, t), h('p', { className: 'exercise-difference' }, formatError({ ...error, line }, t)),
      isUnread && PYTHON.test(editor.code) ? h('p', {}, t('python')) : '']
  }
  /** @param {Report} report @param {string} code */
  function showReport(report, code) {
    if (report.passed) updateSaved(id, { passed: code })
    else updateSaved(id, { tries: (getSaved(id).tries ?? 0) + 1 })
    const { failure } = report
    editor.markError(failure?.kind === 'error' ? failure.error.line : null)
    const { name, tolerance, shortcuts } = exercise, shortcut = findShortcut(code, shortcuts)
    const made = report.shown && context.named(report.shown)
    const shown = renderReport({ ...report, shown: made }, { name, tolerance, t, mistakes: texts.mistakes, shortcut })
    return report.passed && next ? [...shown, createNextLink()] : shown
  }
  /** @param {string} code @returns {Promise<import('../types.d.ts').Child[]>} */
  async function check(code) {
    try {
      const { output, error, report } = await context.check(code)
      if (error) updateSaved(id, { tries: (getSaved(id).tries ?? 0) + 1 })
      const shown = error ? showError(error) : isReport(report) ? showReport(report, code) : [t('broken')]
      return [...shown, ...renderOutputs(output, isReport(report) ? report.cases : [], t)]
    } catch (problem) {
      const { message } = /** @type {Error} */ (problem)
      const why = problem instanceof Stopped ? problem.why : 'broken'
      return [h('p', { className: 'exercise-verdict is-wrong' }, t(`why.${why}`, { message }))]
    }
  }
  async function run() {
    if (isRunning || isSingleFile()) return
    isRunning = true
    updateButtons()
    result.replaceChildren(h('p', { className: 'exercise-verdict' }, t('running')))
    const shown = await check(editor.code)
    isRunning = false
    if (isDestroyed) return
    result.replaceChildren(...shown.flat().map(child => (child instanceof Node ? child : String(child ?? ''))))
    result.scrollIntoView({ block: 'nearest' })
    updateButtons()
    context.onProgress()
  }

  const createNextLink = () => h('a', {
    className: 'exercise-next', href: context.link(next.id), onclick: handleInternalClick(() => context.open(next.id))
  }, t('next', { title: t(`list.${next.id}`) }))

  const runButton = button(t('check'), run, 'nb-run exercise-check')
  const stopButton = button(t('stop'), context.stop)
  /** The code before the reset, until something is written. @type {string | null} */ let before = null
  const resetButton = button(t('reset'), () => {
    const { code } = editor
    editor.replace(exercise.starter)
    before = code
    updateButtons()
    undoButton.focus()
  }, 'quiet')
  const undoButton = button(t('undo'), () => {
    if (before !== null) editor.replace(before)
    editor.focus()
  }, 'quiet')
  const solution = createDetails(t('solution'), renderCode(exercise.solution, t('solution')), 'exercise-solution')
  const locked = h('p', { className: 'exercise-locked' }, t('locked', { count: TRIES }))

  function updateButtons() {
    const { tries = 0, hints = 0 } = getSaved(id)
    before = editor.code === exercise.starter ? before : null
    runButton.disabled = isRunning || isSingleFile()
    stopButton.hidden = !isRunning
    resetButton.hidden = editor.code === exercise.starter
    undoButton.hidden = before === null
    solution.hidden = !isPassed(id) && !(hints >= texts.hints.length && tries >= TRIES)
    locked.hidden = !solution.hidden
  }

  const uses = (exercise.uses ?? []).flatMap(used => [' ', h('a', {
    href: context.link(used), title: t(`list.${used}`), onclick: handleInternalClick(() => context.open(used))
  }, h('code', {}, context.signatures[used]))])
  const element = h('article', { 'className': 'exercise', 'data-exercise-id': id },
    h('div', { className: 'exercise-words' },
      h('p', { className: 'exercise-place' }, t('place', { number: at + 1, count: EXERCISES.length })),
      h('h1', { tabindex: '-1' }, title),
      h('p', { className: 'exercise-what' }, renderProse(texts.what)),
      h('div', { 'className': 'exercise-formula', 'tabindex': '0', 'role': 'group', 'aria-label': t('formula') },
        exercise.formula.split(' ; ').map(line => renderFormula(line))),
      h('p', { className: 'exercise-names' }, h('span', {}, t('names')), exercise.names.flatMap(name => [' ', h('code', {}, name)])),
      uses.length ? h('p', { className: 'exercise-uses' }, t('uses'), uses) : '',
      createHints(id, texts.hints, t, updateButtons),
      createDetails(t('torch'), renderCode(exercise.torch.solution, 'PyTorch', 'python'), 'exercise-torch'), solution, locked),
    h('div', { className: 'exercise-work' }, editor.element,
      h('div', { className: 'exercise-bar' }, runButton, stopButton, resetButton, undoButton,
        h('span', { className: 'exercise-keys' }, t('keys'))), result))
  updateButtons()
  if (isSingleFile()) result.replaceChildren(h('p', { className: 'exercise-verdict' }, t('single')))
  else if (isPassed(id)) {
    result.replaceChildren(h('p', { className: 'exercise-verdict is-right' }, t('passedBefore')), next ? createNextLink() : '')
  }
  return {
    element, title, focus: () => element.querySelector('h1')?.focus({ preventScroll: true }),
    destroy() {
      isDestroyed = true
      if (isRunning) context.stop()
      editor.destroy()
    }
  }
}
