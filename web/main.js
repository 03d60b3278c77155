/** The page: keeps the state, asks the engine for runs, and hands both to the parts that show them. */

import en from './text/en.json' with { type: 'json' }
import ko from './text/ko.json' with { type: 'json' }
import { exists, inspector } from './inspector/index.js'
import { sameCell } from './lib/cell.js'
import { setText } from './lib/dom.js'
import { later, nextTask } from './lib/later.js'
import { Unread, batchOf, readRun, tensorOf } from './lib/run.js'
import { valueAt } from './lib/slice.js'
import { translator } from './lib/text.js'
import { whence } from './lib/whence.js'
import { map } from './map/index.js'
import { MODELS, explainError, modelOf, problemsOf, settingsOf } from './models/index.js'
import { MODEL_TEXTS } from './models/texts.js'
import { HOUSE, roomNear, roomsOf } from './rooms/index.js'
import { changedWords } from './shell/changes.js'
import { depths } from './shell/depth.js'
import { createEngine, latest } from './shell/engine.js'
import { entrance } from './shell/fields.js'
import { firstCell } from './shell/first_cell.js'
import { frame } from './shell/frame.js'
import { header } from './shell/header.js'
import { keys } from './shell/keys.js'
import { signature } from './shell/share.js'
import { fromHash, runKeys, toHash } from './shell/state.js'
import { PALETTES, modeOf, onSystemTheme } from './shell/theme.js'
import { stageOf } from './stages/index.js'
import { twin } from './twin/index.js'

const TEXTS = { ko, en }
const LONGEST_TRAIL = 6
const LINK_DELAY = 120
/** Nobody has asked for the opening cell, so in a new run it waits until the typing rests. */
const EXPLAIN_DELAY = 200

const IDS = ['top', 'entrance', 'map', 'stage', 'inspector', 'house', 'status', 'arrived', 'skip', 'whole']
const page = Object.fromEntries(IDS.map((id) => [id, document.getElementById(id)]))
/** What is built anew in another language. */
const PARTS = ['top', 'entrance', 'map', 'inspector']
const developing = ['localhost', '127.0.0.1'].includes(location.hostname)

let state = fromHash(location.hash)
let run = null
let engine = null
let engineProblem = null
let looked = null
let told = { run: null, twin: null, cell: null, found: null }
let trail = []
let parts = {}
let shown = { room: null, language: null }
/** The rooms there were when the room that the reader chose was last among them. */
let around = []
let explainTimer = 0
let isPrinting = false

const browserLanguage = () => (navigator.language.toLowerCase().startsWith('en') ? 'en' : 'ko')
const languageOf = ({ language }) => (language === 'auto' ? browserLanguage() : language)
/** Paper is light. */
const mode = () => (isPrinting ? 'light' : modeOf(state.theme))
const theme = () => ({ mode: mode(), palette: PALETTES[mode()], isPaper: isPrinting })

/** The run, unless it is of a model that the reader has just left. */
const runHere = () => (run?.settings.model === state.model ? run : null)
const rooms = () => roomsOf(runHere())

/** The room that is shown; nothing before a run tells what rooms there are, except the house. */
function roomHere() {
  if (!runHere() && state.room !== HOUSE.id) return null
  const room = roomNear(rooms(), state.room, around)
  if (room.id === state.room) around = rooms()
  return room
}

/** What is looked at, as far as the run has it: a shorter text must not leave a sentence or head behind. */
function viewed() {
  const here = runHere()
  const room = roomHere() ?? HOUSE
  const within = (value, count) => Math.max(Math.min(value, count - 1), -1)
  const steps = here?.decoding?.steps.length ?? 1
  const view = {
    ...state, room, rooms: rooms(), step: within(state.step, steps), row: within(state.row, steps),
    sentence: here ? within(state.sentence, batchOf(here)) : state.sentence,
    head: within(state.head, room.parts.heads ?? state.head + 1)
  }
  view.picture = (one, more) => stageOf(one.stage).picture(here, { ...view, ...more, room: one })
  return view
}

function problems() {
  const { t } = parts
  const found = problemsOf(state)
  if (engineProblem && Object.keys(found).length === 0) Object.assign(found, explainError(state.model, engineProblem))
  return Object.fromEntries(Object.entries(found).map(([name, { key, values }]) => [name, t(key, values)]))
}

/** The run that a cell belongs to: the one shown, or its twin. */
const twinHere = () => parts.twin.run(runHere())
const runBehind = (cell) => (cell?.isTwin ? twinHere() : runHere())

/** Where the inspector stands beside the figure it has something to show from the start. */
const isBeside = matchMedia('(min-width: 1100px)')

function current() {
  if (!runHere()) return null
  const cell = state.cell ?? looked
  const its = runBehind(cell)
  if (its && exists(its, cell)) return cell
  return isBeside.matches && !state.embed ? firstCell(run, viewed()) : null
}

/** The values of a cell in both runs, when there are two and both have it. */
function pairOf(cell, explanations) {
  const both = [runHere(), twinHere()]
  if (!cell || !both.every((one) => one && exists(one, cell))) return null
  const values = cell.isGradient ? explanations?.map((one) => one?.value)
    : both.map((one) => valueAt(tensorOf(one, cell.name), cell.index))
  return values?.every((value) => value !== undefined) ? { here: values[0], there: values[1] } : null
}

function mark(marks) {
  parts.frame.mark(marks)
  parts.twin.mark(marks)
}

/** Marks a cell and its sources wherever they are visible and shows what is known of it. */
function tell(cell, found) {
  const pinned = Boolean(state.cell)
  const explanation = found && found[found.length > 1 && cell.isTwin ? 1 : 0]
  mark({ current: cell, pinned, sources: explanation?.sources ?? [], isAsked: pinned || Boolean(looked) })
  parts.inspector.update({
    run: runBehind(cell), cell, pinned, trail, explanation, pair: pairOf(cell, found?.length > 1 ? found : null),
    idle: runHere()?.idleEdits ?? [], room: viewed().room.id
  })
}

/** Shows the cell that is looked at and asks what it was made from, unless that is known since before. */
function showCell() {
  const cell = current()
  const isTold = told.run === run && told.twin === twinHere() && sameCell(cell, told.cell)
  tell(cell, isTold ? told.found : null)
  clearTimeout(explainTimer)
  waits(Boolean(cell) && !isTold)
  if (!cell || isTold) return
  if (state.cell || looked || told.run === run) explain(cell)
  else explainTimer = setTimeout(() => explain(cell), EXPLAIN_DELAY)
}

/** Whether the inspector is still to hear how its cell was made. */
const waits = (isWaiting) => page.inspector.setAttribute('aria-busy', String(isWaiting))

/** How a cell was made; of a gradient, in both runs, since nothing else knows its value. */
function explanations(cell) {
  const asked = cell.isGradient && twinHere() ? [false, true] : [Boolean(cell.isTwin)]
  return Promise.all(asked.map((isTwin) => engine.ask('explain', { cell: { ...cell, isTwin } })))
}

const explain = latest(explanations, (found, cell) => {
  if (cell !== current()) return
  told = { run, twin: twinHere(), cell, found }
  waits(false)
  tell(cell, found)
}, () => waits(false))

/** In a new room the figure comes first; how its first cell was made follows in a task of its own. */
const showCellLater = later(showCell)

function look(cell) {
  if (state.cell) return
  looked = cell
  showCell()
}

/** The mouse has left: the figure shows itself whole again, the inspector keeps what was read last. */
function leave() {
  if (!state.cell) mark({ current: null, pinned: false, sources: [] })
}

/** Pins a cell; pinning the pinned one, or nothing, lets go. */
function press(cell) {
  const same = sameCell(cell, state.cell)
  looked = cell ?? state.cell
  const known = trail.findIndex((one) => sameCell(one, cell))
  trail = !cell || same ? [] : known >= 0 ? trail.slice(0, known + 1) : [cell]
  set({ cell: same ? null : cell })
}

/** Follows a source in the run it is read in: pins it and remembers the way back. */
function visit(source) {
  const cell = { ...source, ...(current()?.isTwin && { isTwin: true }) }
  const known = trail.findIndex((one) => sameCell(one, cell))
  const before = trail.length ? trail : [current()]
  trail = known >= 0 ? trail.slice(0, known + 1) : [...before, cell].slice(-LONGEST_TRAIL)
  set({ cell })
}

function showRoom() {
  const room = roomHere()
  if (!room) return
  // A room that says the same of the same tensors in another list of rooms is the same room to the reader.
  const isSame = shown.room && shown.room.id === room.id && JSON.stringify(shown.room) === JSON.stringify(room)
  if (isSame && shown.model === state.model && parts.frame) return
  const moved = shown.room !== null && shown.room.id !== room.id
  const inside = page.stage.contains(document.activeElement)
  Object.assign(shown, { room, model: state.model, isNew: true })
  if (moved) {
    looked = null
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
  else if (moved) setText(page.arrived, page.stage.querySelector('h1').textContent)
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
  return whence({
    t: parts.t, room, head: hasHead ? head : null, text: texts[sentence] ?? texts[0] ?? '',
    changes: changedWords(state, parts.t), named
  })
}

const context = {
  enter: (room) => set({ room }, 'push'),
  /** Whole, since links that begin with `#` are taken for places of this page. */
  href: (room) => `${location.href.split('#', 1)[0]}#${toHash({ ...state, room, cell: null })}`,
  set, look, press, leave, visit, theme, origin, rooms, get: () => state,
  link: (patch = {}) => new URL(`#${toHash({ ...state, ...patch })}`, location.href).href,
  language: () => languageOf(state),
  showControls: () => showControls(),
  ask: (...question) => engine.ask(...question), edit: (cell) => parts.inspector.edit(cell),
  run: () => runHere(), whole: (one) => whole(one), shared: (...details) => parts.twin.shared(...details),
  written: (tokens) => modelOf(state.model).written(tokens),
  heading: () => parts.t(`stages.${viewed().room.words}.title`), t: (...details) => parts.t(...details),
  width: () => (figureWidth || Math.floor(parts.frame.figure.getBoundingClientRect().width))
}

/**
 * Builds what holds words, except the room, which is left to `show`.
 * @returns {boolean} whether that was needed
 */
function speak() {
  const language = languageOf(state)
  if (shown.language === language) return false
  shown = { room: null, language }
  parts.t = translator(TEXTS[language], { strict: developing, own: () => MODEL_TEXTS[state.model]?.[language] })
  for (const id of PARTS) page[id].replaceChildren()
  document.documentElement.lang = language
  setText(page.skip, parts.t('app.skip'))
  parts.header = header(page.top, context)
  page.inspector.setAttribute('aria-label', parts.t('inspector.label'))
  Object.assign(parts, {
    entrance: entrance(page.entrance, context), map: map(page.map, context),
    inspector: inspector(page.inspector, context), whole: signature(page.whole, context)
  })
  return true
}

/** Puts values into a run that the worker had kept. */
async function bring(one, names, isTwin) {
  const values = await engine.ask('read', { names, isTwin })
  for (const [name, data] of values) if (one.tensors.has(name)) one.tensors.get(name).data = data
}

/** The run with all its values. */
async function whole(one) {
  const names = [...one.tensors.values()].filter(({ data }) => !data).map(({ name }) => name)
  if (names.length) await bring(one, names, false)
  return { ...one, steps: await engine.ask('steps', {}) }
}

/** What went wrong while something was shown is said, and the page goes on. */
function fails(error) {
  console.error(error)
  if (parts.t) setText(page.status, parts.t('app.broken', { message: error.message }))
}

/** Shows what can be shown; values that are not here are fetched, and then it is shown again. */
function attempt(act) {
  try {
    act()
  } catch (error) {
    if (!(error instanceof Unread)) return fails(error)
    const one = error.isTwin ? twinHere() : runHere()
    bring(one, error.names, error.isTwin).then(() => runHere() && showRun(), fails)
  }
}

function showRun() {
  if (parts.frame) attempt(showFigures)
}

function showFigures() {
  const view = viewed()
  parts.frame.update(runHere(), view)
  parts.depths.update(runHere(), view)
  parts.twin.update(runHere(), view)
  page.house.setAttribute('data-depth', state.depth)
  if (!shown.isNew) {
    showCell()
    return
  }
  shown.isNew = false
  waits(true)
  showCellLater()
}

function showControls() {
  if (!parts.header) return
  const texts = problems()
  parts.header.update(state, texts, languageOf(state), runHere())
  parts.entrance.update(state, texts)
  parts.frame?.controls(state, texts)
  parts.whole.update()
  document.documentElement.toggleAttribute('data-embed', state.embed)
  setText(page.status, texts.engine ?? hiddenProblem(texts))
  page.house.classList.toggle('has-long-fields', Object.values(modelOf(state.model).fields).some((one) => one.isLong))
  page.house.classList.toggle('is-stale', Object.keys(texts).length > 0)
}

/** What is wrong with a setting whose control is not in sight, where it would complain itself. */
function hiddenProblem(texts) {
  const isHidden = (name) => ![...document.querySelectorAll(`[data-control="${name}"], [data-field="${name}"]`)]
    .some((element) => element.checkVisibility())
  const name = Object.keys(texts).find(isHidden)
  return name ? parts.t('app.problem', { name: parts.t(`controls.${name}.label`), problem: texts[name] }) : ''
}

function show() {
  document.documentElement.setAttribute('data-theme', mode())
  attempt(showRoom)
  showControls()
  showRun()
  showMap()
}

/** Another language builds all words anew: the room then has a task of its own. */
function showSpoken() {
  if (speak()) showLater()
  else show()
}

const showLater = later(show)
const showMap = later(() => attempt(() => parts.map.update(runHere(), viewed(), mode())))

const compute = latest((settings) => engine.run(settings, run?.signature), (message, settings) => {
  const result = readRun(message, run)
  run = { ...result, settings: { ...result.settings, model: settings.model } }
  engineProblem = null
  page.house.setAttribute('data-run', Number(page.house.dataset.run ?? 0) + 1)
  show()
}, (error) => {
  engineProblem = error
  show()
})

const refresh = () => {
  if (engine && Object.keys(problemsOf(state)).length === 0) compute(settingsOf(state))
}

let linkTimer = 0

/** The address follows the state: at once for a step that Back undoes, else at a pause, as writing it is slow. */
function writeLink(history) {
  clearTimeout(linkTimer)
  linkTimer = 0
  const url = `#${toHash(state)}`
  if (history === 'push') window.history.pushState(null, '', url)
  else linkTimer = setTimeout(() => {
    linkTimer = 0
    window.history.replaceState(null, '', url)
  }, LINK_DELAY)
}

function set(patch, history = 'replace') {
  const before = state
  if (history === 'push' && toHash({ ...state, ...patch }) === toHash(state)) return
  if (history === 'push' && linkTimer) window.history.replaceState(null, '', `#${toHash(before)}`)
  state = { ...state, ...patch }
  writeLink(history)
  const isSpoken = speak()
  if (isSpoken) requestAnimationFrame(() => parts.header.focus(shown.language))
  const own = runKeys(state)
  const recomputes = before.model !== state.model || own.some((key) => !Object.is(before[key], state[key]))
  const onlySettings = before.model === state.model && Object.keys(patch).every((key) => own.includes(key))
  if (isSpoken) showLater()
  else if (recomputes && onlySettings) showControls()
  else show()
  if (recomputes) refresh()
}

/** Kernels, the models' files and the worker: beside the page, or data inside it when the page is a single file. */
function resources() {
  const names = MODELS.flatMap(({ files }) => files)
  const inside = (id) => document.getElementById(id)
  const byName = (give) => Object.fromEntries(names.map((name) => [name, give(name)]))
  const address = (name) => new URL(name, location.href).href
  if (!inside('wasm')) return { wasm: address('glassformer.wasm'), files: byName(address), worker: 'worker.js' }
  const bytes = (id) => (
    Uint8Array.from(atob(inside(id).textContent.trim()), (letter) => letter.charCodeAt(0)).buffer)
  const code = new Blob([inside('worker').textContent], { type: 'text/javascript' })
  return { wasm: bytes('wasm'), files: byName(bytes), worker: URL.createObjectURL(code) }
}

async function start() {
  const { worker, ...files } = resources()
  const started = createEngine(new Worker(worker))
  const loaded = started.load(files)
  await nextTask()
  showSpoken()
  try {
    await loaded
    engine = started
    refresh()
  } catch (error) {
    setText(page.status, parts.t('app.failed', { message: error.message }))
  }
}

addEventListener('popstate', () => {
  clearTimeout(linkTimer)
  linkTimer = 0
  state = fromHash(location.hash)
  trail = []
  showSpoken()
  refresh()
})
keys(page, {
  isPinned: () => Boolean(state.cell), release: () => press(null),
  undo: () => parts.inspector.undo(), redo: () => parts.inspector.redo()
})
for (const [type, printing] of [['beforeprint', true], ['afterprint', false]]) {
  addEventListener(type, () => {
    isPrinting = printing
    show()
  })
}
page.skip.addEventListener('click', () => page.stage.focus())
onSystemTheme(() => show())
start()
