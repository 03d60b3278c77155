/** The training page: a model is trained in a worker, and displayed while it learns. */

import { locateResources } from '../shell/resources.js'
import { markOf, markOfBytes, textProblem } from './custom_text.js'
import { problemsOf, read, rivalOf, write } from './settings.js'
import { TASK_INFO, houseOf } from './tasks/task_info.js'
import { pageSettings } from './page_settings.js'
import { forget, saveTraining, savedTraining } from './store.js'
import { trainingIn } from './training_file.js'
import { pageFile, startProblem } from './initial_weights.js'
import { saveBlob as saveFile } from '../lib/save.js'
import { createTraining } from './training.js'
import { view } from './view.js'
import { wordsOf } from './words.js'

/** @import { Context, Failure, Translate } from '../types.d.ts' */
/** @import { News } from './training_record.js' */
/** @import { TrainingState } from './settings.js' */

/** Milliseconds without changes of a setting before a new training starts. */
const SETTLE_DELAY = 250

/** Milliseconds of training between two saves. */
const SAVE = 5000

/** The maximum length of a new text's first sentence as a prompt. */
const BEGINNING = 8

/**
 * @param {HTMLElement} container
 * @param {Context} context
 */
export function theatre(container, context) {
  // Each is null before the texts and the first link are loaded.
  let shown = /** @type {{ t: Translate, view: ReturnType<typeof view> }} */ (/** @type {unknown} */ (null))
  let settings = /** @type {TrainingState} */ (/** @type {unknown} */ (null))
  let timer = /** @type {ReturnType<typeof setTimeout> | number} */ (0)
  /** The reader's own text; without one, an example is used. @type {string | undefined} */
  let text
  /** Initial weights from a step, and their hash. @type {{ mark: string, file: Uint8Array } | null} */
  let origin = null
  /** A file to resume from, used once. @type {Uint8Array | null} */
  let file = null
  let keptStep = 0, isSaving = false, isBehind = false, savedAt = 0
  const training = createTraining({ onSeen, onError: fails })
  /** @type {import('./parts/guide.js').Progress} */
  const progress = { name: '', at: 0, given: null }
  /** The other training of a race. @type {ReturnType<typeof createTraining> | null} */
  let other = null

  /** @param {unknown} problem */
  function fails(problem) {
    const error = /** @type {Error} */ (problem)
    const isStart = /** @type {Failure} */ (error).code === 'start'
    if (!isStart) console.error(error)
    shown?.view.fails(isStart ? shown.t('theatre.errors.start', { name: error.message })
      : shown.t('theatre.failed', { message: error.message }))
  }

  /** @param {News} news */
  function onSeen({ done, isPlaying }) {
    container.setAttribute('data-step', String(done))
    container.setAttribute('data-playing', isPlaying ? 'yes' : 'no')
    if (context.get().theatre) shown?.view.draw()
    if (!isPlaying || performance.now() - savedAt > SAVE) {
      savedAt = performance.now()
      save()
    }
  }

  const takesText = () => Boolean(TASK_INFO[settings.task].takesText)
  const ownText = () => (takesText() ? text : undefined)

  /** What a training resumes from: a file, or its saved state in the browser. @param {boolean} isFresh */
  async function fromWhere(isFresh) {
    const link = write(settings)
    if (file) {
      const given = file
      file = null
      return { file: given }
    }
    if (isFresh) await forget(link)
    const known = isFresh || settings.rival ? null : await savedTraining(link)
    return known ? { kept: known } : {}
  }

  /** The initial weights of a training, if they are not random. @param {TrainingState} wanted */
  async function startOf(wanted) {
    if (wanted.start === 'given') return origin?.file
    if (wanted.start !== 'page') return undefined
    const found = locateResources().files[/** @type {string} */ (pageFile(wanted))]
    if (typeof found !== 'string') return new Uint8Array(found)
    const response = await fetch(found)
    if (!response.ok) throw new Error(`${found}: ${response.status}`)
    return new Uint8Array(await response.arrayBuffer())
  }

  /** Starts a new training from the displayed weights. @param {Partial<TrainingState>} [patch] */
  async function begin(patch) {
    try {
      training.ask('pause')
      const weights = await training.file()
      origin = { mark: markOfBytes(weights), file: weights }
      context.set({ theatre: write({ ...settings, rival: '', start: 'given', origin: origin.mark, ...patch }) })
    } catch (error) {
      fails(error)
    }
  }

  /** Saves the training in the browser; what is learned during a save is saved after it. */
  async function save() {
    isBehind = isSaving
    const { last } = training
    if (isSaving || settings.rival || !last || last.done === keptStep || last.done < training.seen().loss.length) return
    isSaving = true
    const all = await training.keep().catch(() => null)
    if (all && await saveTraining({ link: write(training.settings), text: ownText(), start: origin?.file, ...all })) {
      keptStep = all.step
      shown?.view.says(shown.t('theatre.kept', { step: all.step }))
    }
    isSaving = false
    if (isBehind) save()
  }

  const isTextHere = () => !takesText() || settings.mark === markOf(text)
  const isStartHere = () => settings.start !== 'given' || settings.origin === origin?.mark

  /** The text and the initial weights of a training saved in the browser. @param {string} link */
  async function findAgain(link) {
    const known = await savedTraining(link)
    if (!known || write(settings) !== link) return
    if (!isTextHere() && known.text !== undefined && settings.mark === markOf(known.text)) {
      text = known.text
      training.say(known.text.trimStart().slice(0, BEGINNING))
    }
    if (!isStartHere() && known.start) origin = { mark: settings.origin, file: known.start }
    if (isTextHere() && isStartHere() && showControls()) open()
  }

  /** Downloads the training as a file, weights and moments. */
  async function download() {
    try {
      const bytes = await training.file(undefined, true)
      saveFile(new Blob([bytes]), `${training.settings.task}-${/** @type {News} */ (training.last).done}.safetensors`)
    } catch (error) {
      fails(error)
    }
  }

  /** Resumes from a file. @param {File} given */
  async function upload(given) {
    const bytes = new Uint8Array(await given.arrayBuffer())
    const found = trainingIn(bytes)
    if (!found) return shown.view.fails(shown.t('theatre.errors.file', { name: given.name }))
    file = bytes
    const { origin: mark } = read(found.training)
    if (mark) origin = { mark, file: bytes }
    if (found.training === write(settings)) open()
    else context.set({ theatre: found.training })
  }

  async function open(isFresh = false) {
    clearTimeout(timer)
    shown?.view.fails('')
    try {
      const from = await fromWhere(isFresh)
      const start = await startOf(settings)
      await Promise.all([training.open(settings, { text: ownText(), start, ...from }), openOther()])
      keptStep = training.last?.done ?? 0
      shown?.view.says(from.kept ? shown.t('theatre.goesOn', { step: from.kept.step }) : '')
      container.setAttribute('data-open', write(settings))
      shown?.view.draw()
    } catch (error) {
      fails(error)
    }
  }

  /** Sends a query to the training, and to the other one of a race. @param {string} type @param {object} [details] */
  const both = (type, details) => {
    other?.ask(type, details)
    return training.ask(type, details)
  }

  async function openOther() {
    const rival = rivalOf(settings)
    if (!rival) {
      other?.end()
      other = null
      return shown?.view.draw()
    }
    other ??= createTraining({ onSeen: () => shown?.view.draw(), onError: fails })
    await other.open(rival, { text: ownText(), start: await startOf(rival) })
  }

  /** Displays the current weights, or those of a step, in the rooms. @param {number} [step] */
  async function lend(step) {
    const file = await training.file(step)
    await context.runQuery('setWeights', { model: houseOf(training.settings.task), file })
  }

  async function inside() {
    try {
      training.ask('pause')
      await lend()
      const { language, theme, depth } = context.get()
      context.set({ ...pageSettings(training.settings, training.sentence), language, theme, depth }, 'push')
      context.rerun()
    } catch (error) {
      fails(error)
    }
  }

  /** Rebuilds everything that contains texts. */
  async function speak() {
    const t = await wordsOf(context)
    shown?.view.destroy()
    shown = { t, view: view(container, {
      t, theme: context.theme, both, other: () => other, show: link => context.set({ theatre: link }),
      get: () => settings, progress, inside, begin, give, download, upload, again: () => showControls() && open(true),
      set: patch => context.set({ theatre: write({ ...settings, ...patch }) }),
      leave: () => context.set({ theatre: '' }, 'push')
    }, training) }
    if (settings) showControls()
    shown.view.draw()
  }

  /** Sets another text: the link contains its settings, not the text itself. @param {string} given */
  function give(given) {
    text = given === '' ? undefined : given
    context.set({ theatre: write({ ...settings, mark: markOf(text) }) })
    training.say(given.trimStart().slice(0, BEGINNING))
    showControls()
  }

  /** The problems of the settings and the text. */
  function allProblems() {
    const own = takesText() && text ? textProblem(text, settings) : null
    const found = isTextHere() ? own : { key: 'theatre.errors.elsewhere', values: {} }
    const start = isStartHere() ? startProblem([settings, rivalOf(settings)])
      : { key: 'theatre.errors.startElsewhere', values: {} }
    return { ...(start && { start }), ...problemsOf(settings), ...(found && { text: found }) }
  }

  function showControls() {
    const problems = Object.entries(allProblems())
      .map(([name, { key, values }]) => [name, shown.t(key, values)])
    shown.view.controls(settings, Object.fromEntries(problems), text)
    return problems.length === 0
  }

  return {
    ready: speak(),
    speak,
    /** The report of the training, or null. */
    facts: training.facts,
    lend,
    /** Called when the page is hidden. */
    rest: () => training.last?.isPlaying && both('pause'),
    /** @param {{ theatre: string }} state */
    update(state) {
      if (!shown) return
      const next = read(state.theatre)
      const isNew = settings === null || write(next) !== write(settings)
      const isOther = settings?.task !== next.task
      settings = next
      if (isOther) training.say(TASK_INFO[settings.task].sample)
      if (!isTextHere() || !isStartHere()) findAgain(write(settings))
      const isRight = showControls()
      if (!isNew) return shown.view.draw()
      clearTimeout(timer)
      if (!isRight) return shown.view.draw()
      if (training.last) both('pause')
      timer = setTimeout(open, isOther || file ? 0 : SETTLE_DELAY, false)
    }
  }
}
