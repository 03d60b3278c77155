/** The page: keeps the state, asks the engine for runs, and hands both to the parts that show them. */

import { setText } from './lib/dom.js'
import { isUnfetched } from './lib/lazy_import.js'
import { later, nextTask, painted } from './lib/scheduling.js'
import { readRun } from './lib/run.js'
import { translator } from './lib/text.js'
import { explainError, filesFor, modelOf, problemsOf, settingsOf } from './models/index.js'
import { begin } from './shell/start_engine.js'
import { latest } from './shell/engine.js'
import { glossaries } from './shell/glossary.js'
import { header } from './shell/header.js'
import { languageOf } from './shell/language.js'
import { linked, roomLinks } from './shell/link.js'
import { openings } from './shell/opening.js'
import { fromHash, runKeys, toHash } from './shell/state.js'
import { theatreDoor } from './shell/theatre.js'
import { PALETTES, modeOf, onSystemTheme } from './shell/theme.js'
import { values } from './shell/values.js'
import { wordsIn } from './text/index.js'

/** @import { Engine } from './shell/engine.js' */
/** @import { Context, Failure, Language, Patch, Problem, Progress } from './types.d.ts' */
/** @import { Run, Settings, State, Translate } from './types.d.ts' */
/** @import { Texts } from './lib/text.js' */

/** Signs of a reader at the opening, who may soon go on: what is behind it is fetched at the first. */
const SIGNS = ['pointermove', 'pointerdown', 'keydown', 'scroll']

const IDS = /** @type {const} */ (
  ['top', 'inputs', 'reading', 'map', 'lesson', 'stage', 'inspector', 'house', 'status', 'arrived', 'skip', 'whole'])
/** @type {Record<typeof IDS[number], HTMLElement>} */
const page = Object.assign({}, ...IDS.map(id => ({ [id]: document.getElementById(id) })))
document.getElementById('stuck')?.remove()
const developing = ['localhost', '127.0.0.1'].includes(location.hostname)

let state = fromHash(location.hash)
/** @type {Run | null} */ let run = null
/** @type {Engine | null} */ let engine = null
/** @type {Failure | null} */ let engineProblem = null
/** Why nothing can be computed at all: it stays said. @type {Problem | null} */ let obstacle = null
/** Whether a part of the page did not arrive. */ let isUnwhole = false
/** Until its words are here, the page consists of nothing. @type {Translate | undefined} */ let t
/** @type {ReturnType<typeof header> | undefined} */ let top
/** What is behind the opening. @type {ReturnType<typeof import('./shell/rooms.js').roomsIn> | undefined} */ let inside
/** @type {{ language: Language | null, isWhole: boolean }} */
let spoken = { language: null, isWhole: false }
let isPrinting = false
/** Which of the opening, the theatre and the rooms was shown last. */
let shownPlace = ''

/** Paper is light. */
const mode = () => (isPrinting ? 'light' : modeOf(state.theme))
const theme = () => ({ mode: mode(), palette: PALETTES[mode()], isPaper: isPrinting })

/** The run, unless it is of a model that the reader has just left. */
const runHere = () => (run?.settings.model === state.model ? run : null)
/** @param {Translate} t */
function problems(t) {
  const found = obstacle ? { engine: obstacle } : problemsOf(state)
  if (engineProblem && Object.keys(found).length === 0) Object.assign(found, explainError(state.model, engineProblem))
  return Object.fromEntries(Object.entries(found).map(([name, { key, values }]) => [name, t(key, values)]))
}

/**
 * One of the worker's questions; there are none before it has answered. What it cannot answer because another run has
 * come in between is nobody's fault.
 * @type {Context['ask']}
 */
async function ask(type, details, tell) {
  if (!engine) throw new Error('no engine yet')
  const about = run
  try {
    return await engine.ask(type, details, tell)
  } catch (error) {
    const { code } = /** @type {Failure} */ (error)
    if (code === 'hung' && t) throw Object.assign(new Error(t('errors.hung')), { code })
    throw about === run && code !== 'gone' ? error : Object.assign(/** @type {Failure} */ (error), { isLate: true })
  }
}

const context = /** @type {Context} */ ({
  enter: room => set({ room }, 'push'),
  href: roomLinks(() => state),
  set, theme, ask, ready,
  get: () => state,
  link: (patch = {}) => new URL(`#${toHash(addressed({ ...state, ...patch }))}`, location.href).href,
  language: () => languageOf(state),
  showControls, fails,
  again: () => refresh(),
  run: runHere, whole: run => whole(run),
  /** Whether the run is of what the state asks for, and not of what it asked for before. */
  isCurrent() {
    const asked = settingsOf(state)
    return runKeys(state).every(key => Object.is(run?.asked?.[key], asked[key]))
  },
  written: tokens => modelOf(state.model).written(tokens),
  t: (...details) => /** @type {Translate} */ (t)(...details)
})

const theatre = theatreDoor(page.house, context, fails)

/** @param {unknown} error */
const reasonOf = error => (error instanceof Error ? error.message : String(error))

/** What went wrong while something was shown is said, and the page goes on. @param {unknown} error */
function fails(error) {
  if (/** @type {Failure} */ (error).isLate) return
  console.error(error)
  const message = reasonOf(error)
  isUnwhole = isUnfetched(error)
  setText(page.status, !t ? message : isUnwhole ? t('app.unfetched') : t('app.broken', { message }))
}

const { attempt, whole } = values({
  ask, twin: () => inside?.twin() ?? null, fails,
  again: () => runHere() && showArrived()
})
const glossary = glossaries(page.stage, context)
const outside = openings(page.house, context)

function showControls() {
  if (!t || !top) return
  const texts = problems(t)
  top.update(state, texts, languageOf(state), runHere())
  inside?.showControls(state, texts)
  document.documentElement.toggleAttribute('data-embed', state.embed)
  setText(page.status, texts.engine ?? (isUnwhole ? t('app.unfetched') : hiddenProblem(texts, t)))
  page.house.classList.toggle('has-long-fields', Object.values(modelOf(state.model).fields).some(one => one.isLong))
  page.house.classList.toggle('is-stale', Object.keys(texts).length > 0)
}

/**
 * What is wrong with a setting whose control is not in sight, where it would complain itself.
 * @param {Record<string, string>} texts @param {Translate} t
 */
function hiddenProblem(texts, t) {
  /** @param {string} name */
  const isHidden = name => ![...document.querySelectorAll(`[data-control="${name}"], [data-field="${name}"]`)]
    .some(element => element.checkVisibility())
  const name = Object.keys(texts).find(isHidden)
  return name ? t('app.problem', { name: t(`controls.${name}.label`), problem: texts[name] }) : ''
}

/** The opening, the theatre and the rooms each begin at their top. */
function arrive() {
  const place = state.theatre ? 'theatre' : outside.isOn() ? 'opening' : 'rooms'
  if (place !== shownPlace && shownPlace) scrollTo({ top: 0 })
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
  if (state.theatre) showControls()
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

/** Values that were waited for are here. */
function showArrived() {
  if (outside.isOn()) return attempt(outside.update)
  inside?.showRun()
  inside?.showMap()
}

/** Only the opening does without rooms. */
const needsRooms = () => !outside.isOn() || Boolean(state.glossary || state.lit)
const isSpoken = () => spoken.language === languageOf(state) && (spoken.isWhole || !needsRooms())

/**
 * Builds what holds words; of what is there only what was said in another language.
 * @param {Language} language @param {Awaited<ReturnType<typeof wordsIn>>} words @param {boolean} isWhole
 */
function speak(language, { page: words, models }, isWhole) {
  /** @type {Record<string, Texts>} */ const own = models
  t = translator(words, { strict: developing, own: () => own[state.model] })
  if (spoken.language !== language) {
    document.documentElement.lang = language
    setText(page.skip, t('app.skip'))
    page.top.replaceChildren()
    top = header(page.top, page.reading, context)
  }
  spoken = { language, isWhole }
  inside?.speak()
}

/** The words of a language and, with all of them, the rooms. @param {Language} language @param {boolean} isWhole */
async function fetchWords(language, isWhole) {
  const [words, behind] = await Promise.all([wordsIn(language, isWhole), isWhole && import('./shell/rooms.js')])
  if (languageOf(state) !== language || (spoken.language === language && (spoken.isWhole || !isWhole))) return
  if (behind) inside ??= behind.roomsIn(page, context, { isOutside: outside.isOn, attempt })
  speak(language, words, isWhole)
}

/** All words and all rooms, wherever the reader is. */
function ready() {
  return fetchWords(languageOf(state), true)
}

/**
 * Another language builds all words anew, once they are here: what is shown then has a task of its own.
 * @returns {Promise<void>}
 */
async function showSpoken() {
  if (isSpoken()) {
    show()
    return
  }
  try {
    await fetchWords(languageOf(state), needsRooms() || Boolean(inside))
    await showLater()
  } catch (error) {
    fails(error)
  }
}

const showLater = later(show)

/** How far a run of a model that was brought is. @type {Progress | null} */ let progress = null
/** @param {Progress | null} now */
function showProgress(now) {
  progress = now
  top?.showProgress(progress)
}

/** @param {Settings} settings */
function computed(settings) {
  if (!engine) return Promise.reject(new Error('no engine yet'))
  return engine.run(settings, run?.signature, showProgress).finally(() => showProgress(null))
}

const compute = latest(computed, (message, settings) => {
  const result = readRun(message, run)
  run = { ...result, settings: { ...result.settings, model: settings.model }, asked: settings }
  engineProblem = null
  page.house.setAttribute('data-run', String(Number(page.house.dataset.run ?? 0) + 1))
  show()
}, error => {
  if (error.code === 'superseded') return
  engineProblem = error
  show()
}, () => {
  engine?.hurry()
  if (modelOf(state.model).isBrought) engine?.ask('finish', { isSuperseded: true }).catch(() => {})
})

const refresh = () => {
  if (engine && Object.keys(problemsOf(state)).length === 0) compute(settingsOf(state))
}

/** What a link says of a state. @param {State} state */
const addressed = state => inside?.addressed(state) ?? state
const link = linked(addressed)

/** @param {Patch} patch @param {'push' | 'replace'} [history] */
function set(patch, history = 'replace') {
  const before = state
  if (history === 'push') isUnwhole = false
  if (history === 'push' && toHash({ ...state, ...patch }) === toHash(state)) return
  state = { ...state, ...patch }
  link.write(state, history)
  const own = runKeys(state)
  const recomputes = before.model !== state.model || own.some(key => !Object.is(before[key], state[key]))
  const onlySettings = before.model === state.model && Object.keys(patch).every(key => own.includes(key))
  if (languageOf(state) !== spoken.language) {
    showSpoken().then(() => requestAnimationFrame(() => top?.focus(languageOf(state))))
  } else if (recomputes && onlySettings) showControls()
  else show()
  if (recomputes) refresh()
}

async function start() {
  const words = nextTask().then(showSpoken).then(painted)
  const names = modelOf(state.model).isBrought ? [] : filesFor(settingsOf(state))
  const [begun] = await Promise.all([begin(names, words), words])
  if (!t) return
  if ('problem' in begun) {
    obstacle = begun.problem
    show()
    return
  }
  engine = begun.engine
  refresh()
}

addEventListener('popstate', () => {
  link.forget()
  isUnwhole = false
  state = fromHash(location.hash)
  inside?.forget()
  showSpoken()
  refresh()
})
// What is fetched inside an event has nobody else to say that it did not come.
addEventListener('unhandledrejection', event => {
  if (!isUnfetched(event.reason)) return
  event.preventDefault()
  fails(event.reason)
})
addEventListener('online', () => {
  isUnwhole = false
  showSpoken()
})
/** @param {boolean} now */
function print(now) {
  isPrinting = now
  show()
}
addEventListener('beforeprint', () => print(true))
addEventListener('afterprint', () => print(false))
page.skip.addEventListener('click', () => (outside.isOn() ? outside.container : page.stage).focus())
/** Who goes on is told what went wrong; who only reads needs none of it. */
function prepare() {
  for (const sign of SIGNS) removeEventListener(sign, prepare)
  ready().catch(() => {})
}
for (const sign of SIGNS) addEventListener(sign, prepare)
onSystemTheme(() => show())
start()
