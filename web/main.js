/** The page: keeps the state, asks the engine for runs, and hands both to the parts that show them. */

import { inspector } from './inspector/index.js'
import { find, setText } from './lib/dom.js'
import { later, nextTask } from './lib/later.js'
import { batchOf, readRun } from './lib/run.js'
import { translator } from './lib/text.js'
import { provenance } from './lib/provenance.js'
import { map } from './map/index.js'
import { explainError, modelOf, problemsOf, settingsOf } from './models/index.js'
import { HOUSE, roomNear, roomsOf } from './rooms/index.js'
import { begin } from './shell/begin.js'
import { cells } from './shell/cells.js'
import { changedWords } from './shell/changes.js'
import { depths } from './shell/depth.js'
import { latest } from './shell/engine.js'
import { inputs } from './shell/fields.js'
import { frame } from './shell/frame.js'
import { glossaries } from './shell/glossary.js'
import { header } from './shell/header.js'
import { keys } from './shell/keys.js'
import { languageOf } from './shell/language.js'
import { lessons } from './shell/lesson.js'
import { linked, roomLinks } from './shell/link.js'
import { openings } from './shell/opening.js'
import { signature } from './shell/share.js'
import { fromHash, runKeys, toHash } from './shell/state.js'
import { theatreDoor } from './shell/theatre.js'
import { PALETTES, modeOf, onSystemTheme } from './shell/theme.js'
import { values } from './shell/values.js'
import { stageOf } from './stages/index.js'
import { wordsIn } from './text/index.js'
import { twin } from './twin/index.js'

/** @import { Engine } from './shell/engine.js' */
/** @import { Context, Failure, Language, Patch, Problem, Room, Run, Settings, State, Translate } from './types.d.ts' */
/** @import { View } from './types.d.ts' */
/** @import { Texts } from './lib/text.js' */

/**
 * What the page consists of: until its words are here, of nothing; until there is a run, of no room.
 * @typedef {object} Parts
 * @property {Translate} t
 * @property {ReturnType<typeof header>} header
 * @property {ReturnType<typeof inputs>} inputs
 * @property {ReturnType<typeof map>} map
 * @property {ReturnType<typeof inspector>} inspector
 * @property {ReturnType<typeof signature>} whole
 * @property {ReturnType<typeof frame>} [frame]
 * @property {ReturnType<typeof depths>} [depths]
 * @property {ReturnType<typeof twin>} [twin]
 */

const IDS = /** @type {const} */ (
  ['top', 'inputs', 'map', 'lesson', 'stage', 'inspector', 'house', 'status', 'arrived', 'skip', 'whole'])
/** @type {Record<typeof IDS[number], HTMLElement>} */
const page = Object.assign({}, ...IDS.map(id => ({ [id]: document.getElementById(id) })))
/** What is built anew in another language. */
const PARTS = /** @type {const} */ (['top', 'inputs', 'map', 'inspector'])
document.getElementById('stuck')?.remove()
const developing = ['localhost', '127.0.0.1'].includes(location.hostname)

let state = fromHash(location.hash)
/** @type {Run | null} */ let run = null
/** @type {Engine | null} */ let engine = null
/** @type {Failure | null} */ let engineProblem = null
/** Why nothing can be computed at all: it stays said. @type {Problem | null} */ let obstacle = null
const parts = /** @type {Parts} */ ({})
/** @type {{ room: Room | null, language: Language | null, model?: string, isNew?: boolean }} */
let shown = { room: null, language: null }
/** The rooms there were when the room that the reader chose was last among them. @type {Room[]} */
let around = []
let isPrinting = false
/** Which of the opening, the theatre and the rooms was shown last. */
let shownPlace = ''

/** Paper is light. */
const mode = () => (isPrinting ? 'light' : modeOf(state.theme))
const theme = () => ({ mode: mode(), palette: PALETTES[mode()], isPaper: isPrinting })

/** The run, unless it is of a model that the reader has just left. */
const runHere = () => (run?.settings.model === state.model ? run : null)
const rooms = () => roomsOf(runHere())

/** The room that is shown; nothing before a run tells what rooms there are, except the house. */
function roomHere() {
  if (outside.isOn()) return null
  if (!runHere() && state.room !== HOUSE.id) return null
  const room = roomNear(rooms(), state.room, around)
  if (room.id === state.room) around = rooms()
  return room
}

/**
 * What is looked at, as far as the run has it: a shorter text must not leave a sentence or head behind.
 * @returns {View}
 */
function viewed() {
  const here = runHere()
  const room = roomHere() ?? HOUSE
  /** @param {number} value @param {number} count */
  const within = (value, count) => Math.max(Math.min(value, count - 1), -1)
  const steps = here?.decoding?.steps.length ?? 1
  /** @type {View} */
  const view = {
    ...state, room, rooms: rooms(), step: within(state.step, steps), row: within(state.row, steps),
    sentence: here ? within(state.sentence, batchOf(here)) : state.sentence,
    head: within(state.head, room.parts.heads ?? state.head + 1),
    picture: (one, more) => here && stageOf(one.stage).picture(here, { ...view, ...more, room: one })
  }
  return view
}

function problems() {
  const { t } = parts
  const found = obstacle ? { engine: obstacle } : problemsOf(state)
  if (engineProblem && Object.keys(found).length === 0) Object.assign(found, explainError(state.model, engineProblem))
  return Object.fromEntries(Object.entries(found).map(([name, { key, values }]) => [name, t(key, values)]))
}

const twinHere = () => parts.twin?.run(runHere()) ?? null

/** One of the worker's questions; there are none before it has answered. @type {Context['ask']} */
const ask = (type, details, tell) => engine ? engine.ask(type, details, tell) : Promise.reject(new Error('no engine yet'))

/** The cell that is looked at, inspection in the inspector. */
const inspection = cells({
  panel: page.inspector, get: () => state, set: patch => set(patch), run: () => runHere(), twin: () => twinHere(),
  view: () => viewed(), parts: () => parts, ask,
  attempt: act => attempt(act)
})

function showRoom() {
  const room = roomHere()
  if (!room) return
  // A room that says the same of the same tensors in another list of rooms is the same room to the reader.
  const isSame = shown.room && shown.room.id === room.id && JSON.stringify(shown.room) === JSON.stringify(room)
  if (isSame && shown.model === state.model && parts.frame) return
  const moved = shown.room !== null && shown.room.id !== room.id
  const inside = page.stage.contains(document.activeElement)
  shown = { ...shown, room, model: state.model, isNew: true }
  if (moved) {
    inspection.lookAway()
    scrollTo({ top: 0 })
  }
  parts.frame?.destroy()
  page.house.setAttribute('data-room', room.id)
  page.house.setAttribute('data-model', state.model)
  parts.frame = frame(page.stage, room, context)
  parts.depths = depths(page.stage, context)
  parts.twin?.destroy()
  parts.twin = twin(page.stage, room, context)
  resize.disconnect()
  resize.observe(parts.frame.figure)
  document.title = `${parts.t(`stages.${room.words}.name`)} · ${parts.t('app.title')}`
  if (inside) page.stage.focus({ preventScroll: true })
  else if (moved) setText(page.arrived, find(page.stage, 'h1').textContent ?? '')
}

let figureWidth = 0
const resize = new ResizeObserver(([{ contentRect }]) => {
  const width = Math.floor(contentRect.width)
  if (width === figureWidth) return
  figureWidth = width
  showRun()
})

/** Where the figure of the room is from, in a line. @param {string} [named] what sets it apart */
function origin(named) {
  const { room, head, sentence } = viewed()
  const here = runHere()
  const texts = Object.values(here?.streams ?? {})[0]?.texts ?? []
  const hasHead = stageOf(room.stage).pickers.includes('head') && room.parts.heads > 1
  return provenance({
    t: parts.t, room, head: hasHead ? head : null, text: texts[sentence] ?? texts[0] ?? '',
    changes: changedWords(state, parts.t), named
  })
}

/** @type {Context} */
const context = {
  enter: room => set({ room }, 'push'),
  href: roomLinks(() => state),
  set, look: inspection.look, press: inspection.press, leave: inspection.leave, visit: inspection.visit, theme,
  origin, rooms, get: () => state,
  link: (patch = {}) => new URL(`#${toHash(lesson.addressed({ ...state, ...patch }))}`, location.href).href,
  language: () => languageOf(state),
  showControls: () => showControls(), fails: error => fails(error),
  ask, edit: cell => parts.inspector.edit(cell),
  again: () => refresh(),
  run: () => runHere(), whole: run => whole(run),
  /** Whether the run is of what the state asks for, and not of what it asked for before. */
  isCurrent: () => runKeys(state).every(key => Object.is(run?.asked?.[key], state[key])),
  onOneScale: (data, ...details) => parts.twin?.onOneScale(data, ...details) ?? data,
  written: tokens => modelOf(state.model).written(tokens),
  heading: () => parts.t(`stages.${viewed().room.words}.title`), t: (...details) => parts.t(...details),
  width: () => (figureWidth || Math.floor(parts.frame?.figure.getBoundingClientRect().width ?? 0))
}

/**
 * Builds what holds words, except the room, which is left to `show`.
 * @param {Language} language @param {Awaited<ReturnType<typeof wordsIn>>} words
 */
function speak(language, { page: words, models }) {
  shown = { room: null, language }
  /** @type {Record<string, Texts>} */ const own = models
  parts.t = translator(words, { strict: developing, own: () => own[state.model] })
  for (const id of PARTS) page[id].replaceChildren()
  document.documentElement.lang = language
  setText(page.skip, parts.t('app.skip'))
  parts.header = header(page.top, context)
  page.inspector.setAttribute('aria-label', parts.t('inspector.label'))
  Object.assign(parts, {
    inputs: inputs(page.inputs, context), map: map(page.map, context),
    inspector: inspector(page.inspector, context), whole: signature(page.whole, context)
  })
}

const theatre = theatreDoor(page.house, context, fails)

/** @param {unknown} error */
const reasonOf = error => (error instanceof Error ? error.message : String(error))

/** What went wrong while something was shown is said, and the page goes on. @param {unknown} error */
function fails(error) {
  console.error(error)
  const message = reasonOf(error)
  setText(page.status, parts.t ? parts.t('app.broken', { message }) : message)
}

const { attempt, whole } = values({ ask, twin: () => twinHere(), fails, again: () => runHere() && showRun() })

function showRun() {
  if (parts.frame && !state.theatre && !outside.isOn()) attempt(showFigures)
}

const lesson = lessons(page, context)
const glossary = glossaries(page.stage, context)
const outside = openings(page.house, context)

function showFigures() {
  const view = viewed()
  parts.frame?.update(runHere(), view)
  parts.depths?.update(runHere(), view)
  parts.twin?.update(runHere(), view)
  page.house.setAttribute('data-depth', state.depth)
  if (!shown.isNew) {
    inspection.show()
    return
  }
  shown.isNew = false
  inspection.showLater()
}

function showControls() {
  if (!parts.header) return
  const texts = problems()
  parts.header.update(state, texts, languageOf(state), runHere())
  parts.inputs.update(state, texts)
  parts.frame?.controls(state, texts)
  parts.whole.update()
  document.documentElement.toggleAttribute('data-embed', state.embed)
  setText(page.status, texts.engine ?? hiddenProblem(texts))
  page.house.classList.toggle('has-long-fields', Object.values(modelOf(state.model).fields).some(one => one.isLong))
  page.house.classList.toggle('is-stale', Object.keys(texts).length > 0)
}

/**
 * What is wrong with a setting whose control is not in sight, where it would complain itself.
 * @param {Record<string, string>} texts
 */
function hiddenProblem(texts) {
  /** @param {string} name */
  const isHidden = name => ![...document.querySelectorAll(`[data-control="${name}"], [data-field="${name}"]`)]
    .some(element => element.checkVisibility())
  const name = Object.keys(texts).find(isHidden)
  return name ? parts.t('app.problem', { name: parts.t(`controls.${name}.label`), problem: texts[name] }) : ''
}

/** The opening, the theatre and the rooms each begin at their top. */
function arrive() {
  const place = state.theatre ? 'theatre' : outside.isOn() ? 'opening' : 'rooms'
  if (place !== shownPlace && shownPlace) scrollTo({ top: 0 })
  shownPlace = place
}

function show() {
  document.documentElement.setAttribute('data-theme', mode())
  arrive()
  theatre.update(state)
  if (state.theatre) showControls()
  else showPlaces()
  attempt(glossary.update)
}

function showPlaces() {
  attempt(showRoom)
  showControls()
  showRun()
  showMap()
  attempt(lesson.update)
  attempt(outside.update)
}

/** Another language builds all words anew, once they are here: the room then has a task of its own. */
async function showSpoken() {
  const language = languageOf(state)
  if (shown.language === language) return show()
  try {
    const words = await wordsIn(language)
    if (languageOf(state) !== language || shown.language === language) return
    speak(language, words)
    showLater()
  } catch (error) {
    fails(error)
  }
}

const showLater = later(show)
const showMap = later(() => outside.isOn() || attempt(() => parts.map.update(runHere(), viewed(), mode())))

/** @param {Settings} settings */
const computed = settings => engine ? engine.run(settings, run?.signature) : Promise.reject(new Error('no engine yet'))

const compute = latest(computed, (message, settings) => {
  const result = readRun(message, run)
  run = { ...result, settings: { ...result.settings, model: settings.model }, asked: settings }
  engineProblem = null
  page.house.setAttribute('data-run', String(Number(page.house.dataset.run ?? 0) + 1))
  show()
}, error => {
  engineProblem = error
  show()
})

const refresh = () => {
  if (engine && Object.keys(problemsOf(state)).length === 0) compute(settingsOf(state))
}

const link = linked(state => lesson.addressed(state))

/** @param {Patch} patch @param {'push' | 'replace'} [history] */
function set(patch, history = 'replace') {
  const before = state
  if (history === 'push' && toHash({ ...state, ...patch }) === toHash(state)) return
  state = { ...state, ...patch }
  link.write(state, history)
  const own = runKeys(state)
  const recomputes = before.model !== state.model || own.some(key => !Object.is(before[key], state[key]))
  const onlySettings = before.model === state.model && Object.keys(patch).every(key => own.includes(key))
  if (languageOf(state) !== shown.language) {
    showSpoken().then(() => requestAnimationFrame(() => parts.header.focus(languageOf(state))))
  } else if (recomputes && onlySettings) showControls()
  else show()
  if (recomputes) refresh()
}

async function start() {
  const loaded = begin()
  await nextTask()
  await showSpoken()
  const begun = await loaded
  if (!parts.t) return
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
  state = fromHash(location.hash)
  inspection.forget()
  showSpoken()
  refresh()
})
keys(page, {
  isPinned: () => Boolean(state.cell), release: () => inspection.press(null), leave: () => lesson.leave(),
  undo: () => parts.inspector.undo(), redo: () => parts.inspector.redo()
})
/** @param {boolean} now */
function print(now) {
  isPrinting = now
  show()
}
addEventListener('beforeprint', () => print(true))
addEventListener('afterprint', () => print(false))
page.skip.addEventListener('click', () => (outside.isOn() ? outside.container : page.stage).focus())
onSystemTheme(() => show())
start()
