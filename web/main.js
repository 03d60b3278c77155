/** The page: keeps the state, asks the engine for runs, and hands both to the parts that show them. */

import en from './text/en.json' with { type: 'json' }
import ko from './text/ko.json' with { type: 'json' }
import { createEngine, latest } from './engine.js'
import { entrance } from './entrance.js'
import { frame } from './frame.js'
import { header } from './header.js'
import { exists, inspector } from './inspector.js'
import { setText } from './lib/dom.js'
import { translator } from './lib/text.js'
import { map } from './map.js'
import { stages } from './stages/index.js'
import { MODEL_KEYS, check, explainError, fromHash, settingsOf, toHash } from './state.js'
import { PALETTES, modeOf, onSystemTheme } from './theme.js'

const TEXTS = { ko, en }
const LONGEST_TRAIL = 6
const LINK_DELAY = 120

const IDS = ['top', 'entrance', 'map', 'stage', 'inspector', 'house', 'status', 'skip']
const page = Object.fromEntries(IDS.map((id) => [id, document.getElementById(id)]))
const developing = ['localhost', '127.0.0.1'].includes(location.hostname)

let state = fromHash(location.hash)
let run = null
let engine = null
let engineProblem = null
let looked = null
let trail = []
let parts = {}
let shown = { stage: null, language: null }

const browserLanguage = () => (navigator.language.toLowerCase().startsWith('en') ? 'en' : 'ko')
const languageOf = ({ language }) => (language === 'auto' ? browserLanguage() : language)
const theme = () => ({ mode: modeOf(state.theme), palette: PALETTES[modeOf(state.theme)] })

/** What is looked at, as far as the run has it: a shorter text must not leave a sentence or head behind. */
function viewed() {
  if (!run) return state
  const within = (value, count) => Math.min(value, count - 1)
  const stage = stages.some(({ id }) => id === state.stage) ? state.stage : stages[0].id
  const sentence = within(state.sentence, run.texts.length)
  return { ...state, stage, sentence, head: within(state.head, run.settings.heads) }
}

function problems() {
  const { t } = parts
  const found = check(state)
  if (engineProblem && Object.keys(found).length === 0) Object.assign(found, explainError(engineProblem))
  return Object.fromEntries(Object.entries(found).map(([name, { key, values }]) => [name, t(key, values)]))
}

const current = () => (run && exists(run, state.cell ?? looked) ? state.cell ?? looked : null)

/** Marks a cell wherever it is visible and asks what it was made from. */
function showCell() {
  const cell = current()
  const pinned = Boolean(state.cell)
  parts.frame.mark({ current: cell, pinned, sources: [] })
  parts.inspector.update({ run, cell, pinned, trail, explanation: null, stage: viewed().stage })
  if (cell) explain(cell)
}

const explain = latest((cell) => engine.explain(cell.name, cell.index), (explanation, cell) => {
  if (cell !== current()) return
  parts.frame.mark({ current: cell, pinned: Boolean(state.cell), sources: explanation?.sources ?? [] })
  parts.inspector.update({ explanation })
}, () => {})

function look(cell) {
  if (state.cell) return
  looked = cell
  showCell()
}

/** The mouse has left: the figure shows itself whole again, the inspector keeps what was read last. */
function leave() {
  if (!state.cell) parts.frame.mark({ current: null, pinned: false, sources: [] })
}

/** Pins a cell; pinning the pinned one, or nothing, lets go. */
function press(cell) {
  const same = cell && state.cell && cell.name === state.cell.name && cell.index.join() === state.cell.index.join()
  looked = cell ?? state.cell
  const known = trail.findIndex((one) => cell && one.name === cell.name && one.index.join() === cell.index.join())
  trail = !cell || same ? [] : known >= 0 ? trail.slice(0, known + 1) : [cell]
  set({ cell: same ? null : cell })
}

/** Follows a source: pins it and remembers the way back. */
function visit({ name, index }) {
  const cell = { name, index: [...index] }
  trail = [...(trail.length ? trail : [current()]), cell].slice(-LONGEST_TRAIL)
  set({ cell })
}

function showStage() {
  const { stage } = viewed()
  if (shown.stage === stage && parts.frame) return
  const moved = shown.stage !== null && shown.stage !== stage
  const inside = page.stage.contains(document.activeElement)
  shown.stage = stage
  if (moved) {
    looked = null
    scrollTo({ top: 0 })
  }
  parts.frame?.destroy()
  page.house.setAttribute('data-stage', stage)
  parts.frame = frame(page.stage, stages.find(({ id }) => id === stage), context)
  resize.disconnect()
  resize.observe(parts.frame.figure)
  document.title = `${parts.t(`stages.${stage}.name`)} · ${parts.t('app.title')}`
  if (inside) page.stage.focus({ preventScroll: true })
}

let figureWidth = 0
const resize = new ResizeObserver(([{ contentRect }]) => {
  const width = Math.floor(contentRect.width)
  if (width === figureWidth) return
  figureWidth = width
  showRun()
})

const context = {
  set, look, press, leave, visit, theme, get: () => state, link: () => new URL(`#${toHash(state)}`, location.href).href,
  t: (...details) => parts.t(...details),
  width: () => (figureWidth || Math.floor(parts.frame.figure.getBoundingClientRect().width))
}

/** Builds everything that holds words. */
function speak() {
  const language = languageOf(state)
  if (shown.language === language) return
  shown = { stage: null, language }
  parts.frame?.destroy()
  parts = { t: translator(TEXTS[language], { strict: developing }) }
  document.documentElement.lang = language
  setText(page.skip, parts.t('app.skip'))
  for (const id of ['entrance', 'map', 'inspector']) page[id].replaceChildren()
  page.entrance.setAttribute('aria-label', parts.t('controls.text.label'))
  page.inspector.setAttribute('aria-label', parts.t('inspector.label'))
  Object.assign(parts, {
    header: header(page.top, context), entrance: entrance(page.entrance, context), map: map(page.map, context),
    inspector: inspector(page.inspector, context)
  })
  showStage()
}

function showRun() {
  if (!parts.frame) return
  parts.frame.update(run, viewed())
  showCell()
}

function showControls() {
  const texts = problems()
  parts.header.update(state, texts, languageOf(state))
  parts.entrance.update(state, texts)
  parts.frame.controls(state, texts)
  setText(page.status, texts.engine ?? '')
  page.house.classList.toggle('is-stale', Object.keys(texts).length > 0)
}

function show() {
  const { mode } = theme()
  document.documentElement.setAttribute('data-theme', mode)
  showStage()
  showControls()
  parts.map.update(run, viewed(), mode)
  showRun()
}

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
  if (history === 'push' && linkTimer) window.history.replaceState(null, '', `#${toHash(before)}`)
  state = { ...state, ...patch }
  writeLink(history)
  const spoke = shown.language
  speak()
  if (spoke !== shown.language) parts.header.focus(shown.language)
  const recomputes = MODEL_KEYS.some((key) => !Object.is(before[key], state[key]))
  const onlySettings = Object.keys(patch).every((key) => MODEL_KEYS.includes(key))
  if (recomputes && onlySettings) showControls()
  else show()
  if (recomputes) refresh()
}

/** The kernels and the worker: files beside the page, or data inside it when the page is a single file. */
function resources() {
  const inside = document.getElementById('wasm')
  if (!inside) return { wasm: new URL('glassformer.wasm', location.href).href, worker: 'worker.js' }
  const bytes = Uint8Array.from(atob(inside.textContent.trim()), (letter) => letter.charCodeAt(0))
  const code = new Blob([document.getElementById('worker').textContent], { type: 'text/javascript' })
  return { wasm: bytes.buffer, worker: URL.createObjectURL(code) }
}

async function start() {
  speak()
  show()
  const { wasm, worker } = resources()
  const started = createEngine(new Worker(worker))
  try {
    await started.load(wasm)
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
  speak()
  show()
  refresh()
})
addEventListener('keydown', (event) => {
  if (event.key === 'Escape' && state.cell && !document.querySelector('dialog[open]')) press(null)
})
page.skip.addEventListener('click', () => page.stage.focus())
onSystemTheme(() => show())
start()
