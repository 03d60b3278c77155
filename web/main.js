/** The page: keeps the state, asks the engine for runs, and hands both to the parts that show them. */

import en from './text/en.json' with { type: 'json' }
import ko from './text/ko.json' with { type: 'json' }
import { roomOf, roomsOf } from './building.js'
import { changedWords } from './changed.js'
import { depths } from './depth.js'
import { createEngine, latest } from './engine.js'
import { entrance } from './entrance.js'
import { frame } from './frame.js'
import { header } from './header.js'
import { exists, inspector } from './inspector.js'
import { keys } from './keys.js'
import { sameCell } from './lib/cell.js'
import { setText } from './lib/dom.js'
import { later, nextTask } from './lib/later.js'
import { tensorOf } from './lib/run.js'
import { valueAt } from './lib/slice.js'
import { translator } from './lib/text.js'
import { map } from './map.js'
import { joinTarget } from './model/dates.js'
import { openingCell } from './opening.js'
import { signature } from './share.js'
import { MODEL_KEYS, check, explainError, fromHash, settingsOf, toHash } from './state.js'
import { PALETTES, modeOf, onSystemTheme } from './theme.js'
import { twin } from './twin.js'

const TEXTS = { ko, en }
const LONGEST_TRAIL = 6
const LINK_DELAY = 120
/** Nobody has asked for the opening cell, so in a new run it waits until the typing rests. */
const EXPLAIN_DELAY = 200
const WEIGHTS = 'date_translator.safetensors'

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
let explainTimer = 0
let isPrinting = false

const browserLanguage = () => (navigator.language.toLowerCase().startsWith('en') ? 'en' : 'ko')
const languageOf = ({ language }) => (language === 'auto' ? browserLanguage() : language)
/** Paper is light. */
const mode = () => (isPrinting ? 'light' : modeOf(state.theme))
const theme = () => ({ mode: mode(), palette: PALETTES[mode()], isPaper: isPrinting })

/** The run, unless it is of a building that the reader has just left. */
function runHere() {
  const isHere = run && roomsOf({ model: 'sentences', ...run.settings }) === roomsOf(state)
  return isHere ? run : null
}

/** What is looked at, as far as the run has it: a shorter text must not leave a sentence or head behind. */
function viewed() {
  const here = runHere()
  const { id: stage, place } = roomOf(state)
  if (!here) return { ...state, stage, place }
  const within = (value, count) => Math.min(value, count - 1)
  const sentence = within(state.sentence, here.texts.length)
  const [row, step] = ['row', 'step'].map((key) => within(state[key], here.target?.ids.length ?? 1))
  return { ...state, stage, place, sentence, row, step, head: within(state.head, here.settings.heads) }
}

function problems() {
  const { t } = parts
  const found = check(state)
  if (engineProblem && Object.keys(found).length === 0) Object.assign(found, explainError(engineProblem))
  return Object.fromEntries(Object.entries(found).map(([name, { key, values }]) => [name, t(key, values)]))
}

/** The run that a cell belongs to: the one shown, or its twin. */
const twinHere = () => parts.twin.run(runHere())
const runOf = (cell) => (cell?.isTwin ? twinHere() : runHere())

/** Where the inspector stands beside the figure it has something to show from the start. */
const isBeside = matchMedia('(min-width: 1100px)')

function current() {
  if (!runHere()) return null
  const cell = state.cell ?? looked
  const its = runOf(cell)
  if (its && exists(its, cell)) return cell
  return isBeside.matches && !state.embed ? openingCell(roomOf(state), run, viewed()) : null
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
    run: runOf(cell), cell, pinned, trail, explanation, pair: pairOf(cell, found?.length > 1 ? found : null),
    idle: runHere()?.idleEdits ?? [], stage: viewed().stage
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

function showStage() {
  const room = roomOf(state)
  if (shown.room === room && shown.model === state.model && parts.frame) return
  const moved = shown.room !== null
  const inside = page.stage.contains(document.activeElement)
  Object.assign(shown, { room, model: state.model, isNew: true })
  if (moved) {
    looked = null
    scrollTo({ top: 0 })
  }
  parts.frame?.destroy()
  page.house.setAttribute('data-stage', room.id)
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

const context = {
  enter: (stage) => set({ stage }, 'push'),
  join: joinTarget,
  /** Whole, since links that begin with `#` are taken for places of this page. */
  href: (stage) => `${location.href.split('#', 1)[0]}#${toHash({ ...state, stage, cell: null })}`,
  set, look, press, leave, visit, theme, get: () => state,
  link: (patch = {}) => new URL(`#${toHash({ ...state, ...patch })}`, location.href).href,
  language: () => languageOf(state),
  showControls: () => showControls(),
  ask: (...question) => engine.ask(...question), edit: (cell) => parts.inspector.edit(cell),
  run: () => runHere(), shared: (...details) => parts.twin.shared(...details),
  changes: () => changedWords(state, parts.t), t: (...details) => parts.t(...details),
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
  parts.t = translator(TEXTS[language], { strict: developing })
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

function showRun() {
  if (!parts.frame) return
  parts.frame.update(runHere(), viewed())
  parts.depths.update(runHere(), state)
  parts.twin.update(runHere(), viewed())
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
  if (!parts.frame) return
  const texts = problems()
  parts.header.update(state, texts, languageOf(state), runHere())
  parts.entrance.update(state, texts)
  parts.frame.controls(state, texts)
  parts.whole.update()
  document.documentElement.toggleAttribute('data-embed', state.embed)
  setText(page.status, texts.engine ?? hiddenProblem(texts))
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
  showStage()
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
const showMap = later(() => parts.map.update(runHere(), viewed(), mode()))

const compute = latest((settings) => engine.run(settings), (result) => {
  run = result
  engineProblem = null
  page.house.setAttribute('data-run', Number(page.house.dataset.run ?? 0) + 1)
  show()
}, (error) => {
  engineProblem = error
  show()
})

const refresh = () => {
  if (engine && Object.keys(check(state)).length === 0) compute(settingsOf(state))
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
  const recomputes = MODEL_KEYS.some((key) => !Object.is(before[key], state[key]))
  const onlySettings = Object.keys(patch).every((key) => MODEL_KEYS.includes(key))
  if (isSpoken) showLater()
  else if (recomputes && onlySettings) showControls()
  else show()
  if (recomputes) refresh()
}

/** Kernels, weights and worker: files beside the page, or data inside it when the page is a single file. */
function resources() {
  const inside = document.getElementById('wasm')
  const file = (name) => new URL(name, location.href).href
  if (!inside) return { wasm: file('glassformer.wasm'), weights: file(WEIGHTS), worker: 'worker.js' }
  const bytes = (id) => (
    Uint8Array.from(atob(document.getElementById(id).textContent.trim()), (letter) => letter.charCodeAt(0)).buffer)
  const code = new Blob([document.getElementById('worker').textContent], { type: 'text/javascript' })
  return { wasm: bytes('wasm'), weights: bytes('weights'), worker: URL.createObjectURL(code) }
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
