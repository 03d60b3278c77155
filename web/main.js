/** The page: keeps the state, requests runs from the engine, and passes both to the parts that render them. */

import { h, setText } from './lib/dom.js'
import { isSingleFile } from './lib/resources.js'
import { isFailedImport } from './lib/lazy_import.js'
import { debounce, nextTask, waitForPaint } from './lib/scheduling.js'
import { readRun } from './lib/run.js'
import { translator } from './lib/text.js'
import { MODELS, explainError, filesFor, modelOf, problemsOf, settingsOf } from './models/index.js'
import { startEngine } from './shell/start_engine.js'
import { runLatest } from './shell/engine.js'
import { takeWorker } from './shell/first_worker.js'
import { mountExercisePage } from './shell/exercises.js'
import { mountGlossary } from './shell/glossary.js'
import { mountHeader } from './shell/header.js'
import { resolveLanguage } from './shell/language.js'
import { createAddressWriter, roomLinks } from './shell/link.js'
import { mountOpeningSwitch } from './shell/opening.js'
import { nameRun } from './models/names.js'
import { fromHash, runKeys, toHash } from './models/state.js'
import { mountTrainingPage } from './shell/theatre.js'
import { postHeight } from './shell/share.js'
import { fitSlides } from './shell/slide_fit.js'
import { listenToSlideKeys } from './shell/slide_keys.js'
import { PALETTES, resolveMode, listenToSystemTheme } from './shell/theme.js'
import { createValueLoader } from './shell/values.js'
import { LANGUAGES, loadTexts } from './words/index.js'

/** @import { Engine } from './shell/engine.js' */
/** @import { Context, Failure, Language, Patch, Problem, Progress } from './types.d.ts' */
/** @import { Run, Settings, State, Translate } from './types.d.ts' */
/** @import { Texts } from './lib/text.js' */

/** Milliseconds after the first request for a run until all files are fetched, to be there without network. */
const OFFLINE_DELAY = 3000

/** Events that prefetch the rooms while the reader is still at the opening. */
const SIGNS = ['pointermove', 'pointerdown', 'keydown', 'scroll']

const IDS = /** @type {const} */ (
  ['top', 'inputs', 'reading', 'map', 'lesson', 'stage', 'inspector', 'house', 'opening', 'status', 'arrived', 'skip', 'whole'])
/** @type {Record<typeof IDS[number], HTMLElement>} */
const page = Object.assign({}, ...IDS.map(id => ({ [id]: document.getElementById(id) })))
/** The folder of a model beside the page, which the command `serve` names. */
const SERVED_MODEL = document.querySelector('meta[name="glassformer-model"]')?.getAttribute('content')
const developing = ['localhost', '127.0.0.1'].includes(location.hostname)

let state = fromHash(location.hash, resolveLanguage)
/** @type {Run | null} */ let run = null
/** @type {Engine | null} */ let engine = null
/** @type {Failure | null} */ let engineProblem = null
/** Why nothing can be computed at all; stays displayed. @type {Problem | null} */ let obstacle = null
/** Whether a part of the page could not be loaded. */ let isUnwhole = false
/** Undefined until the texts are loaded; the page is empty before. @type {Translate | undefined} */ let t
/** @type {ReturnType<typeof mountHeader> | undefined} */ let top
/** The rooms, once loaded. @type {ReturnType<typeof import('./shell/rooms.js').mountRooms> | undefined} */ let inside
/** @type {{ language: Language | null, isWhole: boolean }} */
let spoken = { language: null, isWhole: false }
let isPrinting = false
/** Which of the opening, the training page, the exercises and the rooms was displayed last. */
let shownPlace = '', titleBehind = ''

/** Paper is printed in the light theme. */
const mode = () => (isPrinting ? 'light' : resolveMode(state.theme))
const theme = () => ({ mode: mode(), palette: PALETTES[mode()], isPaper: isPrinting })

/** The run, unless it belongs to a model that the reader has just left. */
const runHere = () => (run?.settings.model === state.model ? run : null)
/** @param {Translate} t */
function problems(t) {
  const found = obstacle ? { engine: obstacle } : problemsOf(state)
  if (engineProblem && Object.keys(found).length === 0) Object.assign(found, explainError(state.model, engineProblem))
  return Object.fromEntries(Object.entries(found).map(([name, { key, values }]) => [name, t(key, values)]))
}

/**
 * Sends a query to the worker, once it has started. A query that fails because a newer run has replaced the old one
 * is ignored.
 * @type {Context['runQuery']}
 */
async function runQuery(type, details, onProgress) {
  if (!engine) throw new Error('no engine')
  const queriedRun = run
  try {
    return await engine.ask(type, details, onProgress)
  } catch (error) {
    const { code } = /** @type {Failure} */ (error)
    if (code === 'hung' && t) throw Object.assign(new Error(t('errors.hung')), { code })
    throw queriedRun === run && code !== 'gone' ? error : Object.assign(/** @type {Failure} */ (error), { isStale: true })
  }
}

const context = /** @type {Context} */ ({
  enterRoom: room => set({ room }, 'push'),
  href: roomLinks(() => state),
  set, theme, runQuery, ready,
  get: () => state,
  link: (patch = {}) => new URL(`#${toHash(addressed({ ...state, ...patch }))}`, location.href).href,
  language: () => resolveLanguage(state),
  showControls, reportError,
  rerun: () => refresh(),
  run: runHere, loadAll: run => loadAll(run),
  /** Whether the run matches the current state. */
  isCurrent() {
    const asked = settingsOf(state)
    return runKeys(state).every(key => Object.is(run?.requested?.[key], asked[key]))
  },
  written: tokens => modelOf(state.model).written(tokens),
  t: (...details) => /** @type {Translate} */ (t)(...details)
})

const theatre = mountTrainingPage(page.house, context, reportError)
const exercises = mountExercisePage(page.house, context)

/** @param {unknown} error */
const reasonOf = error => (error instanceof Error ? error.message : String(error))

/** Reports an error that occurred while rendering, and keeps the page usable. @param {unknown} error */
function reportError(error) {
  if (/** @type {Failure} */ (error).isStale) return
  console.error(error)
  const message = reasonOf(error)
  isUnwhole = isFailedImport(error)
  showStatus(!t ? message : isUnwhole ? t('app.unfetched') : t('app.broken', { message }))
}

const retryButton = h('button', { type: 'button', className: 'retry', hidden: true, onclick: retry })
page.status.after(retryButton)

/** What is wrong with the page, and a button where another attempt may help. @param {string} message */
function showStatus(message) {
  setText(page.status, message)
  setText(retryButton, t?.('app.retry') ?? 'Try again')
  retryButton.hidden = !message || !(isUnwhole || engineProblem?.code === 'network')
}

let isRetried = false
/**
 * Loads what is missing, and renders everything anew. Some browsers remember a failed import as long as the page lives:
 * the second attempt loads the page again, if the server is there.
 */
async function retry() {
  if (isRetried && (await fetch('', { method: 'HEAD', cache: 'no-store' }).catch(() => null))?.ok) location.reload()
  isRetried = true
  isUnwhole = false
  showStatus('')
  inside?.renderTexts()
  await showSpoken()
  if (engineProblem || !runHere()) refresh()
}

const { attempt, loadAll } = createValueLoader({
  runQuery, twin: () => inside?.twin() ?? null, reportError,
  rerender: () => runHere() && showArrived()
})
const glossary = mountGlossary(page.stage, context)
const outside = mountOpeningSwitch(page.opening, context)

function showControls() {
  if (!t || !top) return
  const texts = problems(t)
  top.update(state, texts, resolveLanguage(state), runHere())
  inside?.showControls(state, texts)
  outside.showProblem(texts.source)
  document.documentElement.toggleAttribute('data-embed', state.embed)
  document.documentElement.toggleAttribute('data-pinned', Boolean(state.cell))
  showStatus(texts.engine ?? (isUnwhole ? t('app.unfetched') : hiddenProblem(texts, t)))
  page.house.classList.toggle('has-long-fields', Object.values(modelOf(state.model).fields).some(field => field.isLong))
  page.house.classList.toggle('is-stale', Object.keys(texts).length > 0)
}

/**
 * The problem with a setting whose own control is not visible.
 * @param {Record<string, string>} texts @param {Translate} t
 */
function hiddenProblem(texts, t) {
  /** @param {string} name */
  const isHidden = name => ![...document.querySelectorAll(`[data-control="${name}"], [data-field="${name}"]`)]
    .some(element => element.checkVisibility())
  const name = Object.keys(texts).find(isHidden)
  return name ? t('app.problem', { name: t(`controls.${name}.label`), problem: texts[name] }) : ''
}

/** The titles of the places that are no rooms; a room sets its own. @type {Record<string, () => string>} */
const TITLES = {
  theatre: () => `${context.t('app.theatre')} · ${context.t('app.title')}`,
  opening: () => context.t('app.title'), exercises: () => context.t('app.title')
}

/** The opening, the training page, the exercises and the rooms each start at their top. */
function arrive() {
  const place = state.theatre ? 'theatre' : exercises.isOn() ? 'exercises' : outside.isOn() ? 'opening' : 'rooms'
  if (place === shownPlace) return
  if (shownPlace) scrollTo({ top: 0 })
  if (!(shownPlace in TITLES)) titleBehind = document.title
  document.title = TITLES[place]?.() ?? titleBehind
  shownPlace = place
}

function show() {
  if (!isSpoken()) {
    showSpoken()
    return
  }
  document.documentElement.setAttribute('data-theme', mode())
  arrive()
  theatre.update(state)
  exercises.update()
  if (exercises.isOn()) attempt(outside.update)
  if (state.theatre || exercises.isOn()) showControls()
  else showPlaces()
  attempt(glossary.update)
}

function showPlaces() {
  if (inside) attempt(inside.showRoom)
  showControls()
  inside?.showRun()
  inside?.showMap()
  if (inside) attempt(inside.showLesson)
  attempt(outside.update)
}

/** Renders again when awaited values have arrived. */
function showArrived() {
  if (outside.isOn()) return attempt(outside.update)
  inside?.showRun()
  inside?.showMap()
}

/** The opening works without the rooms, and so do the exercises with the first model, whose texts the opening has. */
const needsRooms = () => Boolean(state.glossary || state.lit) ||
  !(outside.isOn() || (exercises.isOn() && state.model === MODELS[0].id))
const isSpoken = () => spoken.language === resolveLanguage(state) && (spoken.isWhole || !needsRooms())

/**
 * Builds everything that contains texts; what exists already is rebuilt only for another language.
 * @param {Language} language @param {Awaited<ReturnType<typeof loadTexts>>} words @param {boolean} isWhole
 */
function speak(language, { page: words, models }, isWhole) {
  /** @type {Record<string, Texts>} */ const own = models
  t = translator(words, { strict: developing, own: () => own[state.model] })
  if (spoken.language !== language) {
    document.getElementById('stuck')?.remove()
    document.documentElement.lang = LANGUAGES[language].tag
    setText(page.skip, t('app.skip'))
    page.top.replaceChildren()
    top = mountHeader(page.top, page.reading, context)
  }
  spoken = { language, isWhole }
  run &&= nameRun(run, language)
  inside?.renderTexts()
}

/**
 * Loads the texts of a language, and with all of them the rooms.
 * @param {Language} language @param {boolean} isWhole
 */
async function fetchWords(language, isWhole) {
  const [words, behind] = await Promise.all([loadTexts(language, isWhole), isWhole && import('./shell/rooms.js')])
  if (resolveLanguage(state) !== language || (spoken.language === language && (spoken.isWhole || !isWhole))) return
  if (behind) inside ??= behind.mountRooms(page, context, { isOutside: outside.isOn, attempt })
  speak(language, words, isWhole)
}

/** Loads all texts and all rooms. */
function ready() {
  return fetchWords(resolveLanguage(state), true)
}

/**
 * Rebuilds all texts for another language, once they are loaded; rendering follows in a task of its own.
 * @returns {Promise<void>}
 */
async function showSpoken() {
  if (isSpoken()) {
    show()
    return
  }
  try {
    await fetchWords(resolveLanguage(state), needsRooms() || Boolean(inside))
    await showLater()
  } catch (error) {
    reportError(error)
  }
}

const showLater = debounce(show)

/** The progress of a run of an imported model. @type {Progress | null} */ let progress = null
/** @param {Progress | null} now */
function showProgress(now) {
  progress = now
  top?.showProgress(progress)
}

/** @param {Settings} settings */
function computed(settings) {
  if (!engine) return Promise.reject(new Error('no engine'))
  return engine.run(settings, run?.signature, showProgress).finally(() => showProgress(null))
}

const compute = runLatest(computed, (message, settings) => {
  const result = readRun(message, run)
  run = nameRun({ ...result, settings: { ...result.settings, model: settings.model }, requested: settings },
    resolveLanguage(state))
  engineProblem = null
  page.house.setAttribute('data-run', String(Number(page.house.dataset.run ?? 0) + 1))
  show()
}, error => {
  if (error.code === 'superseded') return
  engineProblem = error
  show()
}, () => {
  engine?.hurry()
  if (modelOf(state.model).isImported) engine?.ask('finish', { isSuperseded: true }).catch(() => {})
})

const refresh = () => {
  if (engine && Object.keys(problemsOf(state)).length === 0) compute(settingsOf(state))
}

/** The state as a link. @param {State} state */
const addressed = state => inside?.addressed(state) ?? state
const link = createAddressWriter(addressed)

/** @param {Patch} patch @param {'push' | 'replace'} [history] */
function set(patch, history = 'replace') {
  const before = state
  if (history === 'push') isUnwhole = isRetried = false
  if (history === 'push' && toHash({ ...state, ...patch }) === toHash(state)) return
  state = { ...state, ...patch }
  link.write(state, history)
  const own = runKeys(state)
  const recomputes = before.model !== state.model || own.some(key => !Object.is(before[key], state[key]))
  const onlySettings = before.model === state.model && Object.keys(patch).every(key => own.includes(key))
  if (resolveLanguage(state) !== spoken.language) {
    showSpoken().then(() => requestAnimationFrame(() => top?.focus(resolveLanguage(state))))
  } else if (recomputes && onlySettings) showControls()
  else show()
  if (recomputes) refresh()
}

async function start() {
  const words = nextTask().then(showSpoken).then(waitForPaint)
  const names = modelOf(state.model).isImported ? [] : filesFor(settingsOf(state))
  // Showing the texts reports it where they cannot be loaded.
  const texts = loadTexts(resolveLanguage(state), needsRooms()).catch(() => {})
  const [started] = await Promise.all([startEngine(names, texts, takeWorker), words])
  if (!t) return
  if ('problem' in started) {
    obstacle = started.problem
    show()
    return
  }
  engine = started.engine
  refresh()
  if (SERVED_MODEL) openServedModel(SERVED_MODEL).catch(reportError)
  // Whoever develops the page would get old files.
  if (!developing && !state.embed && isSecureContext && !isSingleFile()) setTimeout(workOffline, OFFLINE_DELAY)
}
/** @param {string} folder */
async function openServedModel(folder) {
  const { fetchServedModel } = await import('./import/served_model.js')
  await top?.openModel(await fetchServedModel(folder))
}
/** Without a service worker the page works as before, with a network. */
const workOffline = () => import('./offline/register.js')
  .then(({ registerServiceWorker }) => registerServiceWorker(context)).catch(() => {})

addEventListener('popstate', () => {
  link.forget()
  isUnwhole = false
  state = fromHash(location.hash, resolveLanguage)
  inside?.clearHistory()
  showSpoken()
  refresh()
})
// Dynamic imports that fail inside event handlers have no other place to report it.
addEventListener('unhandledrejection', event => {
  if (!isFailedImport(event.reason)) return
  event.preventDefault()
  reportError(event.reason)
})
addEventListener('online', () => retryButton.hidden || retry())
/** @param {boolean} now */
function print(now) {
  isPrinting = now
  show()
}
addEventListener('beforeprint', () => print(true))
addEventListener('afterprint', () => print(false))
page.skip.addEventListener('click', () => {
  const main = state.lesson ? page.lesson : page.stage
  ;(exercises.isOn() ? exercises.container : outside.isOn() ? outside.container : main).focus()
})
/**
 * Browsers report a pointer that rests where the page appears as moved, by nothing. Only a reader who interacts needs
 * to know what went wrong.
 * @param {Event} event
 */
function prepare(event) {
  if (event instanceof PointerEvent && event.type === 'pointermove' && !event.movementX && !event.movementY) return
  for (const sign of SIGNS) removeEventListener(sign, prepare)
  ready().catch(() => {})
}
for (const sign of SIGNS) addEventListener(sign, prepare)
listenToSystemTheme(() => show())
listenToSlideKeys()
fitSlides(page.stage, () => inside?.showRun())
if (state.embed) postHeight()
start()
