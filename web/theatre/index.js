/** The training page: a model is trained in a worker, and displayed while it learns. */

import { hashText, hashBytes, textProblem } from '../../src/training/custom_text.js'
import { problemsOf, read, createRival, write } from '../../src/training/settings.js'
import { TASK_INFO, houseOf, startProblem } from '../../src/training/tasks/task_info.js'
import { nameText } from '../models/names.js'
import { fetchPageWeights } from './page_weights.js'
import { pageSettings, sampleFor } from './page_settings.js'
import { deleteTraining, saveTraining, loadTraining } from './store.js'
import { parseTraining } from '../../src/training/training_file.js'
import { startWorker } from '../lib/fetch_on_demand.js'
import { locateKernels } from '../lib/resources.js'
import { saveBlob as saveFile } from '../lib/save.js'
import { createTraining } from './training.js'
import { mountView } from './view.js'
import { loadTexts } from './words.js'

/** @import { Context, Failure, Translate } from '../types.d.ts' */
/** @import { News } from '../../src/training/training_record.js' */
/** @import { TrainingState } from '../../src/training/settings.js' */

/** Milliseconds without changes of a setting before a new training starts. */
const SETTLE_DELAY = 250

/** Milliseconds of training between two saves. */
const SAVE_INTERVAL = 5000

/** The maximum length of a new text's first sentence as a prompt. */
const MAX_PROMPT = 8

/** A worker for one training. */
const placeTraining = () => ({ worker: startWorker('theatre'), kernels: { wasm: locateKernels() } })

/**
 * @param {HTMLElement} container
 * @param {Context} context
 */
export function mountTheatre(container, context) {
  // Each is null before the texts and the first link are loaded.
  let mounted = /** @type {{ t: Translate, view: ReturnType<typeof mountView> }} */ (/** @type {unknown} */ (null))
  let settings = /** @type {TrainingState} */ (/** @type {unknown} */ (null))
  let timer = /** @type {ReturnType<typeof setTimeout> | number} */ (0)
  /** The reader's own text; without one, an example is used. @type {string | undefined} */
  let text
  /** Initial weights from a step, and their hash. @type {{ mark: string, file: Uint8Array } | null} */
  let origin = null
  /** A file to resume from, used once. @type {Uint8Array | null} */
  let file = null
  let savedStep = 0, isSaving = false, mustSaveAgain = false, savedAt = 0
  const training = createTraining({ onSeen: onReport, onError: showError }, placeTraining())
  /** @type {import('./parts/guide.js').Progress} */
  const progress = { name: '', at: 0, given: null }
  /** The other training of a race. @type {ReturnType<typeof createTraining> | null} */
  let rivalTraining = null

  /** @param {unknown} problem */
  function showError(problem) {
    const error = /** @type {Error} */ (problem)
    const isStart = /** @type {Failure} */ (error).code === 'start'
    if (!isStart) console.error(error)
    mounted?.view.fails(isStart ? mounted.t('theatre.errors.start', { name: error.message })
      : mounted.t('theatre.failed', { message: error.message }))
  }

  /** @param {News} news */
  function onReport({ done, isPlaying }) {
    container.setAttribute('data-step', String(done))
    container.setAttribute('data-playing', isPlaying ? 'yes' : 'no')
    if (context.get().theatre) mounted?.view.draw()
    if (!isPlaying || performance.now() - savedAt > SAVE_INTERVAL) {
      savedAt = performance.now()
      save()
    }
  }

  const takesText = () => Boolean(TASK_INFO[settings.task].takesText)
  const ownText = () => (takesText() ? text : undefined)

  /** What a training resumes from: a file, or its saved state in the browser. @param {boolean} restarts */
  async function findState(restarts) {
    const link = write(settings)
    if (file) {
      const given = file
      file = null
      return { file: given }
    }
    if (restarts) await deleteTraining(link)
    const known = restarts || settings.rival ? null : await loadTraining(link)
    return known ? { kept: known } : {}
  }

  /** The initial weights of a training, if they are not random. @param {TrainingState} trainingSettings */
  async function loadInitialWeights(trainingSettings) {
    if (trainingSettings.start === 'given') return origin?.file
    return trainingSettings.start === 'page' ? fetchPageWeights(trainingSettings) : undefined
  }

  /** Starts a new training from the displayed weights. @param {Partial<TrainingState>} [patch] */
  async function startFromWeights(patch) {
    try {
      training.ask('pause')
      const weights = await training.file()
      origin = { mark: hashBytes(weights), file: weights }
      context.set({ theatre: write({ ...settings, rival: '', start: 'given', origin: origin.mark, ...patch }) })
    } catch (error) {
      showError(error)
    }
  }

  /** Saves the training in the browser; what is learned during a save is saved after it. */
  async function save() {
    mustSaveAgain = isSaving
    const { last } = training
    if (isSaving || settings.rival || !last || last.done === savedStep ||
      last.done < training.seen().loss.length) return
    isSaving = true
    const all = await training.keep().catch(() => null)
    if (all && await saveTraining({ link: write(training.settings), text: ownText(), start: origin?.file, ...all })) {
      savedStep = all.step
      mounted?.view.says(mounted.t('theatre.kept', { step: all.step }))
    }
    isSaving = false
    if (mustSaveAgain) save()
  }

  const hasText = () => !takesText() || settings.mark === hashText(text)
  const hasInitialWeights = () => settings.start !== 'given' || settings.origin === origin?.mark

  /** The text and the initial weights of a training saved in the browser. @param {string} link */
  async function restoreSaved(link) {
    const known = await loadTraining(link)
    if (!known || write(settings) !== link) return
    if (!hasText() && known.text !== undefined && settings.mark === hashText(known.text)) {
      text = known.text
      training.say(known.text.trimStart().slice(0, MAX_PROMPT))
    }
    if (!hasInitialWeights() && known.start) origin = { mark: settings.origin, file: known.start }
    if (hasText() && hasInitialWeights() && showControls()) open()
  }

  /** Downloads the training as a file, weights and moments. */
  async function download() {
    try {
      const bytes = await training.file(undefined, true)
      saveFile(new Blob([bytes]), `${training.settings.task}-${/** @type {News} */ (training.last).done}.safetensors`)
    } catch (error) {
      showError(error)
    }
  }

  /** Resumes from a file. @param {File} given */
  async function resumeFromFile(given) {
    const bytes = new Uint8Array(await given.arrayBuffer())
    const parsed = parseTraining(bytes)
    if (!parsed) return mounted.view.fails(mounted.t('theatre.errors.file', { name: given.name }))
    file = bytes
    const { origin: mark } = read(parsed.training)
    if (mark) origin = { mark, file: bytes }
    if (parsed.training === write(settings)) open()
    else context.set({ theatre: parsed.training })
  }

  async function open(restarts = false) {
    clearTimeout(timer)
    mounted?.view.fails('')
    try {
      const from = await findState(restarts)
      const start = await loadInitialWeights(settings)
      await Promise.all([training.open(settings, { text: ownText(), start, ...from }), openRival()])
      savedStep = training.last?.done ?? 0
      mounted?.view.says(from.kept ? mounted.t('theatre.goesOn', { step: from.kept.step }) : '')
      container.setAttribute('data-open', write(settings))
      mounted?.view.draw()
    } catch (error) {
      showError(error)
    }
  }

  /** Sends a query to the training, and to the other one of a race. @param {string} type @param {object} [details] */
  const requestBoth = (type, details) => {
    rivalTraining?.ask(type, details)
    return training.ask(type, details)
  }

  async function openRival() {
    const rival = createRival(settings)
    if (!rival) {
      rivalTraining?.end()
      rivalTraining = null
      return mounted?.view.draw()
    }
    rivalTraining ??= createTraining({ onSeen: () => mounted?.view.draw(), onError: showError }, placeTraining())
    await rivalTraining.open(rival, { text: ownText(), start: await loadInitialWeights(rival) })
  }

  /** Displays the current weights, or those of a step, in the rooms. @param {number} [step] */
  async function lendWeights(step) {
    const file = await training.file(step)
    await context.runQuery('setWeights', { model: houseOf(training.settings.task), file })
  }

  async function enterRooms() {
    try {
      training.ask('pause')
      await lendWeights()
      const { language, theme, depth } = context.get()
      const changes = pageSettings(training.settings, training.sentence, context.language())
      context.set({ ...changes, language, theme, depth }, 'push')
      context.rerun()
    } catch (error) {
      showError(error)
    }
  }

  /** Rebuilds everything that contains texts. */
  async function renderTexts() {
    const t = await loadTexts(context)
    mounted?.view.destroy()
    mounted = { t, view: mountView(container, {
      t, named: text => nameText(text, houseOf(settings.task), context.language()),
      theme: context.theme, both: requestBoth, other: () => rivalTraining,
      show: link => context.set({ theatre: link }),
      get: () => settings, progress, inside: enterRooms, begin: startFromWeights, give: setOwnText, download,
      upload: resumeFromFile, again: () => showControls() && open(true),
      set: patch => context.set({ theatre: write({ ...settings, ...patch }) }),
      leave: () => context.set({ theatre: '' }, 'push')
    }, training) }
    if (settings) showControls()
    mounted.view.draw()
  }

  /** Sets another text: the link contains its settings, not the text itself. @param {string} given */
  function setOwnText(given) {
    text = given === '' ? undefined : given
    context.set({ theatre: write({ ...settings, mark: hashText(text) }) })
    training.say(given.trimStart().slice(0, MAX_PROMPT))
    showControls()
  }

  /** The problems of the settings and the text. */
  function listProblems() {
    const own = takesText() && text ? textProblem(text, settings) : null
    const textProblemFound = hasText() ? own : { key: 'theatre.errors.elsewhere', values: {} }
    const start = hasInitialWeights() ? startProblem([settings, createRival(settings)])
      : { key: 'theatre.errors.startElsewhere', values: {} }
    return { ...(start && { start }), ...problemsOf(settings), ...(textProblemFound && { text: textProblemFound }) }
  }

  function showControls() {
    const problems = Object.entries(listProblems())
      .map(([name, { key, values }]) => [name, mounted.t(key, values)])
    mounted.view.controls(settings, Object.fromEntries(problems), text)
    return problems.length === 0
  }

  return {
    ready: renderTexts(),
    speak: renderTexts,
    /** The report of the training, or null. */
    facts: training.facts,
    lend: lendWeights,
    /** Called when the page is hidden. */
    rest: () => training.last?.isPlaying && requestBoth('pause'),
    /** @param {{ theatre: string }} state */
    update(state) {
      if (!mounted) return
      const next = read(state.theatre)
      const isNew = settings === null || write(next) !== write(settings)
      const isOther = settings?.task !== next.task
      settings = next
      if (isOther) training.say(sampleFor(settings.task, context.language()))
      if (!hasText() || !hasInitialWeights()) restoreSaved(write(settings))
      const isValid = showControls()
      if (!isNew) return mounted.view.draw()
      clearTimeout(timer)
      if (!isValid) return mounted.view.draw()
      if (training.last) requestBoth('pause')
      timer = setTimeout(open, isOther || file ? 0 : SETTLE_DELAY, false)
    }
  }
}
