/** The page of the exercises: their list with the reader's progress, and one exercise. */

import { handleInternalClick, h } from '../lib/dom.js'
import { saveBlob } from '../lib/save.js'
import { translator } from '../lib/text.js'
import { isSingleFile } from '../lib/resources.js'
import { MODELS } from '../models/index.js'
import { nameText } from '../models/names.js'
import { createCellRunner } from '../notebooks/page_runner.js'
import { Stopped } from '../notebooks/runner.js'
import { loadExerciseList, loadExerciseTexts } from '../words/exercises.js'
import { withComments } from './comments.js'
import { EXERCISES, findExercise } from './index.js'
import { readRunValues } from './read_run.js'
import { getSaved, isPassed } from './saved_state.js'
import { mountExercise } from './view.js'

/** @import { Context, Translate } from '../types.d.ts' */
/** @import { Exercise, RunValues } from './index.js' */

/** Milliseconds to wait for the page's run before checking without it. */
const RUN_LIMIT = 5000

/** The styles of the exercises, which nobody else loads. @returns {Promise<void>} */
async function loadStyle() {
  if (isSingleFile()) return
  const link = h('link', { rel: 'stylesheet', href: 'exercises.css' })
  await new Promise((resolve, reject) => {
    link.addEventListener('load', resolve)
    link.addEventListener('error', () => {
      link.remove()
      reject(new TypeError('Failed to fetch dynamically imported module: exercises.css'))
    })
    document.head.append(link)
  })
}

/**
 * The exercise to show for an id in the address: itself, else the first that has not been passed.
 * @param {string} id
 */
const resolveId = id => (
  findExercise(id) ?? EXERCISES.find(exercise => !isPassed(exercise.id)) ?? EXERCISES[0]).id

/**
 * @param {HTMLElement} container @param {Context} context
 */
export async function mountExercises(container, context) {
  await loadStyle()
  const runner = createCellRunner()
  /** @type {{ id: string, view: ReturnType<typeof mountExercise> } | null} */ let current = null
  /** What is shown or on its way: its language and id. */ let shownKey = ''
  let t = /** @type {Translate} */ (key => key)
  const list = h('nav', { className: 'exercise-list' }), main = h('div', { className: 'exercise-slot' })
  container.replaceChildren(list, main)

  /** @param {string} id */
  const stateOf = id => ({ exercise: id })
  /** @param {string} id */
  const open = id => context.set(stateOf(id), 'push')
  /** @param {string} id */
  const link = id => context.link(stateOf(id))

  function showList() {
    const done = EXERCISES.filter(({ id }) => isPassed(id)).length
    const items = EXERCISES.map(({ id }) => h('li', {}, h('a', {
      'href': link(id), 'onclick': handleInternalClick(() => open(id)), 'aria-current': current?.id === id ? 'page' : null,
      'className': isPassed(id) ? 'is-passed' : ''
    }, h('span', {}, t(`list.${id}`)), isPassed(id) ? h('span', { 'role': 'img', 'aria-label': t('done'), 'className': 'exercise-tick' }, '✓') : '')))
    const isOpen = list.querySelector('details')?.open ?? matchMedia('(min-width: 920px)').matches
    const { scrollTop } = list
    list.setAttribute('aria-label', t('title'))
    list.replaceChildren(h('details', { open: isOpen },
      h('summary', {}, h('b', {}, t('title')), ' ', h('span', {}, t('progress', { count: done, all: EXERCISES.length }))),
      h('p', { className: 'exercise-about' }, t('about')),
      h('progress', { 'value': done, 'max': EXERCISES.length, 'aria-label': t('title') }), h('ol', {}, items),
      h('button', { type: 'button', className: 'quiet', onclick: () => exportNotebook().catch(context.reportError) }, t('export'))))
    list.scrollTop = scrollTop
    const item = list.querySelector('[aria-current]')?.parentElement
    if (item && item.offsetTop + item.offsetHeight > list.scrollTop + list.clientHeight) {
      list.scrollTop = item.offsetTop - list.clientHeight / 2
    }
  }

  /**
   * The tensors of the page's run that an exercise needs, or null.
   * @param {Exercise} exercise @returns {Promise<RunValues | null>}
   */
  async function loadValues({ values = [], model = 'dates' }) {
    const until = performance.now() + RUN_LIMIT
    while (!context.run() && performance.now() < until) await new Promise(resolve => { setTimeout(resolve, 50) })
    const run = context.run()
    if (!run || !values.length || run.settings.model !== model) return null
    await context.loadAll(run)
    return readRunValues(run, values)
  }

  /** @param {string} id @returns {Promise<Exercise>} */
  const loadExercise = async id => (await /** @type {typeof EXERCISES[number]} */ (findExercise(id)).load()).exercise

  /**
   * The functions of earlier exercises: the reader's, or where there are none, the solutions.
   * @param {Exercise} exercise
   */
  const loadParts = ({ uses = [] }) => Promise.all(uses.map(async id => {
    const { name, solution } = await loadExercise(id)
    return { name, code: getSaved(id).passed ?? solution }
  }))

  /** How the functions of earlier exercises are called. @param {Exercise} exercise */
  const loadSignatures = async ({ uses = [] }) => Object.fromEntries(await Promise.all(uses.map(async id => (
    [id, /function (.+) \{$/m.exec((await loadExercise(id)).starter)?.[1] ?? '']))))

  /** Incremented to cancel what is being prepared. */ let cancelCount = 0
  function stop() {
    cancelCount++
    runner.stop()
  }
  /** @param {string} id @param {Exercise} exercise @param {string} source */
  async function check(id, exercise, source) {
    const count = cancelCount
    const [values, parts] = await Promise.all([loadValues(exercise), loadParts(exercise)])
    if (count !== cancelCount) throw new Stopped('stopped')
    return runner.run({ check: id, source, parts, values })
  }

  async function exportNotebook() {
    const { createNotebook } = await import('./export_exercises.js')
    saveBlob(new Blob([await createNotebook(context.language(), t, id => runner.run({ exported: id }))],
      { type: 'application/x-ipynb+json' }), 'exercises.ipynb')
  }

  /** @param {string} key the language and the id @param {string} id */
  async function show(key, id) {
    const language = context.language()
    const [list, definition, texts] = await Promise.all([
      loadExerciseList(language), loadExercise(id), loadExerciseTexts(language, id)])
    const exercise = withComments(definition, texts.comments), signatures = await loadSignatures(exercise)
    // Another one may have been asked for, or the page left.
    if (key !== shownKey) return
    t = translator(list, { strict: false })
    const isAfterOther = current !== null
    current?.view.destroy()
    const view = mountExercise(id, exercise, texts, {
      t, link, open, signatures, check: source => check(id, exercise, source), stop, onProgress: showList,
      named: text => nameText(text, exercise.model ?? MODELS[0].id, context.language())
    })
    current = { id, view }
    main.replaceChildren(view.element)
    showList()
    document.title = `${view.title} · ${t('title')}`
    container.setAttribute('data-shown', id)
    if (!isAfterOther) return
    scrollTo({ top: 0 })
    view.focus()
  }

  async function update() {
    const { exercise } = context.get()
    if (!exercise) return
    // The address says which one, so that the list does not move on once it has been passed.
    if (!findExercise(exercise)) return context.set(stateOf(resolveId(exercise)))
    const key = `${context.language()}/${exercise}`
    if (key === shownKey) return
    shownKey = key
    try {
      await show(key, exercise)
    } catch (error) {
      shownKey = ''
      throw error
    }
  }
  return {
    update,
    /** Called when the page is hidden. */
    rest() {
      shownKey = ''
      current?.view.destroy()
      current = null
      runner.end()
      main.replaceChildren()
      container.removeAttribute('data-shown')
    }
  }
}
