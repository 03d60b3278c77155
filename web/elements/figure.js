/** A live figure in a shadow root: one room of one run, with the same parts as the page. */

import { cellName, isSameCell } from '../lib/cell.js'
import { h, measureWidth, setText } from '../lib/dom.js'
import { formatExact } from '../lib/number.js'
import { describeOrigin } from '../lib/provenance.js'
import { getAxisLabels, getTensor, readRun } from '../lib/run.js'
import { valueAt } from '../lib/slice.js'
import { modelOf, problemsOf, settingsOf } from '../models/index.js'
import { nameRun } from '../models/names.js'
import { otherTextOf } from '../models/pairs.js'
import { runKeys, toHash } from '../models/state.js'
import { roomsOf } from '../rooms/index.js'
import { stageOf } from '../lib/stage_registry.js'
import { createSelection } from '../shell/cells.js'
import { describeChanges } from '../shell/changes.js'
import { runLatest } from '../shell/engine.js'
import { mountRoomFigure } from '../shell/room_figure.js'
import { PALETTES } from '../shell/theme.js'
import { createValueLoader } from '../shell/values.js'
import { createView } from '../shell/view.js'
import { addressOf } from '../lib/resources.js'
import { findRoom } from './attributes.js'
import { isRoomLoaded, loadRoom } from './stages.js'

/** @import { Session } from '../shell/engine.js' */
/**
 * @import { Cell, Context, Failure, Language, Mode, Patch, Room, Run, Settings, State, Translate,
 * View } from '../types.d.ts'
 */

/**
 * What surrounds a figure.
 * @typedef {object} Surroundings
 * @property {Session} session
 * @property {Translate} t
 * @property {Language} language
 * @property {ReturnType<typeof import('./room_texts.js').createRoomTexts>} roomTexts
 * @property {ReturnType<typeof import('./styles.js').createStyles>} styles
 * @property {() => Mode} mode
 * @property {boolean} hasControls
 * @property {boolean} [canReturn] whether a button leads back to the first room
 * @property {boolean} [isLocal] whether a program's own run is displayed, so that nothing else can be computed
 * @property {(type: string, detail: object) => void} emit
 * @property {(error: unknown) => void} fail shows an error
 * @property {(room: Room) => void} [check] refuses attributes that a room does not have
 * @property {(rooms: Room[], state: State) => Room} [pickRoom] the room of a state; by default it has to exist
 * @property {(context: Context, stage: HTMLElement) => Companion} [mountCompanion] what else an element displays
 *
 * @typedef {object} Companion what stands above the figure: a lesson, a map
 * @property {HTMLElement[]} elements
 * @property {(run: Run | null, view: () => View, problems: Record<string, string>) => void} update
 * @property {() => boolean} [coversRoom] whether it displays something in place of the room
 * @property {() => void} [destroy]
 */

/** The tokens at a cell, or its index on an axis without tokens. @param {Run} run @param {Cell} cell */
function labelsOf(run, { name, index }) {
  const tensor = getTensor(run, name)
  return tensor.axes.map((_, axis) => getAxisLabels(run, tensor, axis)?.[index[axis]] ?? index[axis])
}

/** The text of a link to the whole page. @param {State} state */
const linkTo = state => `${addressOf('index.html')}#${toHash({ ...state, embed: false })}`

/**
 * Mounts a figure.
 * @param {HTMLElement} container
 * @param {State} initial
 * @param {Surroundings} surroundings
 */
export function mountElementFigure(container, initial, surroundings) {
  const { session, t, language, roomTexts, styles, mode, hasControls, emit, fail, check, mountCompanion } = surroundings
  let state = initial, isPrinting = false, isDestroyed = false, isChecked = false, width = 0
  /** @type {Run | null} */ let run = null
  /** The run of the room; a newer one may wait for what its room needs. @type {Run | null} */ let shownRun = null
  /** @type {Room | null} */ let room = null
  /** @type {ReturnType<typeof mountRoomFigure> | null} */ let figure = null
  /** @type {{ update(run: Run, view: View): void } | null} */ let depthPanel = null
  /** @type {Cell | null} */ let emittedCell = null
  /** @type {ReturnType<typeof import('./explanation.js').mountExplanation> | null} */ let explanation = null
  /** Whether the reader has pressed a cell since an explanation was displayed. */ let isPressed = false
  const cellLine = h('p', { className: 'glass-cell', hidden: true })
  const sum = h('div', { id: 'inspector', className: 'inspector', hidden: true })
  const back = h('button', { type: 'button', className: 'quiet', hidden: true, onclick: () => {
    set({ room: described.room, head: described.head, cell: null })
    title.focus({ preventScroll: true })
  } })
  const title = h('p', { className: 'glass-title', tabIndex: -1 }), originLine = h('p', { className: 'provenance' })
  const body = h('div', { className: 'glass-body stage' })
  /** @type {Companion | null} */ let companion = null
  /** @type {import('../twin/index.js').Twin | null} */ let twin = null

  /** The run, unless it is of a model that has just been left. */
  const runHere = () => (run?.settings.model === state.model ? run : null)
  /** Without the notebooks, whose code runs in a page of its own, which only the whole page has. */
  const rooms = () => roomsOf(runHere()).filter(({ block }) => block !== 'notebooks')
  const twinRun = () => twin?.run(runHere()) ?? null
  const pickRoom = surroundings.pickRoom ?? ((all, current) => findRoom(current, all))
  const currentView = () => createView(state, run, /** @type {Room} */ (room), rooms())
  /** @type {Context['runQuery']} */
  const runQuery = async (type, details, onProgress) => {
    const queriedRun = run
    try {
      return await session.ask(type, details, onProgress)
    } catch (error) {
      throw queriedRun === run && /** @type {Failure} */ (error).code !== 'gone' ? error : Object.assign(/** @type {Failure} */ (error), { isStale: true })
    }
  }
  /** @param {unknown} error */
  const reportError = error => {
    if (!(/** @type {Failure} */ (error).isStale)) fail(error)
  }
  const { attempt, loadAll } = createValueLoader({ runQuery, twin: twinRun, reportError, rerender: () => show() })
  const selection = createSelection({
    panel: cellLine, get: () => state, set, run: () => run, twin: twinRun, view: currentView, runQuery, attempt,
    parts: () => ({ frame: figure ?? undefined, twin: twin ?? undefined,
      inspector: { update: explainCell, edit() {}, undo() {}, redo() {} } })
  })
  const context = /** @type {Context} */ ({
    t, set, runQuery, reportError, loadAll, rooms,
    get: () => state, run: () => (shownRun === run ? runHere() : null), language: () => language,
    theme: () => ({ mode: isPrinting ? 'light' : mode(), palette: PALETTES[isPrinting ? 'light' : mode()], isPaper: isPrinting }),
    enterRoom: id => set({ room: id, cell: null }), href: id => linkTo({ ...state, room: id, cell: null }),
    link: (patch = {}) => linkTo({ ...state, ...patch }),
    selectCell: selection.selectCell, pinCell, editCell: pinCell, endHover: selection.endHover,
    pinSource: selection.pinSource,
    width: () => width || (figure ? measureWidth(figure.figure) : 0),
    written: tokens => modelOf(state.model).written(tokens), otherText: () => otherTextOf(state, language),
    heading: () => t(`stages.${room?.words}.title`), origin,
    onOneScale: (data, ...details) => twin?.onOneScale(data, ...details) ?? data,
    isCurrent: () => runKeys(state).every(key => Object.is(run?.requested?.[key], settingsOf(state)[key])),
    rerun: () => compute(settingsOf(state)), showControls() {}, ready: async () => {}
  })

  /** Where the figure comes from, in one line. */
  function origin() {
    const view = currentView(), texts = Object.values(run?.streams ?? {})[0]?.texts ?? []
    const hasHead = stageOf(view.room.stage).pickers.includes('head') && view.room.parts.heads > 1
    return describeOrigin({ t, room: view.room, head: hasHead ? view.head : null,
      text: texts[view.sentence] ?? texts[0] ?? '', changes: describeChanges(state, t) })
  }
  /** @param {Cell | null} cell */
  function pinCell(cell) {
    isPressed = true
    selection.pinCell(cell)
  }
  /** A pinned cell has the page's inspector, with the sum behind its value. */
  async function loadExplanation() {
    const [{ mountExplanation }] = await Promise.all([import('./explanation.js'), styles.load('inspector')])
    explanation ??= mountExplanation(sum, container, context)
    cellLine.after(sum)
    selection.show()
  }
  /** @param {Parameters<NonNullable<typeof explanation>['update']>[0]} view */
  function explainCell(view) {
    showCell(view.cell ?? null)
    if (view.pinned && explanation) cellLine.hidden = true
    else if (view.pinned) loadExplanation().catch(reportError)
    explanation?.update(view, isPressed)
    if (explanation && (view.explanation || !view.pinned)) isPressed = false
  }
  /** @param {Cell | null} cell */
  function showCell(cell) {
    cellLine.hidden = !cell || !run
    if (!cell || !run) return
    const value = cell.isGradient ? null : valueAt(getTensor(run, cell.name), cell.index), labels = labelsOf(run, cell)
    const tokens = labels.filter((label, axis) => label !== cell.index[axis])
    setText(cellLine, `${cellName(cell)}${value === null ? '' : ` = ${formatExact(value)}`}${tokens.length ? ` (${tokens.join(', ')})` : ''}`)
    if (isSameCell(cell, emittedCell)) return
    emittedCell = cell
    emit('select', { name: cell.name, index: [...cell.index], value, labels })
  }
  const resizeObserver = new ResizeObserver(([{ contentRect }]) => {
    if (Math.floor(contentRect.width) === width) return
    width = Math.floor(contentRect.width)
    // Drawing changes the height, of which browsers would complain within the same frame.
    requestAnimationFrame(() => isDestroyed || show())
  })
  /** Builds the frame of a room. @param {Room} next */
  function mountRoom(next) {
    figure?.destroy()
    resizeObserver.disconnect()
    depthPanel = null
    twin?.destroy()
    twin = null
    if (room) selection.clearSelection()
    room = next
    figure = mountRoomFigure(next, context)
    setText(title, t(`stages.${next.words}.title`))
    const home = surroundings.canReturn ? pickRoom(rooms(), described) : next
    back.hidden = home === next
    setText(back, `← ${t(`stages.${home.words}.title`)}`)
    const tools = hasControls && figure.tools.childElementCount ? [figure.tools] : []
    body.replaceChildren(back, title, originLine, ...tools, figure.note, figure.figure)
    container.setAttribute('aria-label', t(`stages.${next.words}.title`))
    resizeObserver.observe(figure.figure)
  }
  /** The second run of a link that compares two, in the engine's worker. */
  async function showTwin() {
    if (!(state.twin || twin) || !run || surroundings.isLocal) return
    const of = room, [{ mountTwin }] = await Promise.all([import('../twin/index.js'), roomTexts.load(), styles.load()])
    if (room !== of || !room || !figure || !run) return
    twin ??= mountTwin(body, room, context)
    attempt(() => twin?.update(runHere(), currentView()))
  }
  /** Formulas and code, loaded when an element is to show them. */
  async function showDepth() {
    if (!['formula', 'code'].includes(state.depth) || !run) return
    const of = room, [{ mountDepthPanel }] = await Promise.all([import('../shell/depth.js'), styles.load()])
    if (room !== of || !figure) return
    depthPanel ??= mountDepthPanel(body, context)
    depthPanel.update(run, currentView())
  }
  /** The problems of the settings, in words. */
  const problems = () => Object.fromEntries(
    Object.entries(problemsOf(state)).map(([name, { key, values }]) => [name, t(key, values)]))
  function show() {
    try {
      const isCovered = Boolean(companion?.coversRoom?.())
      const isShown = runHere() !== null && (isCovered ? coverRoom() : showRoom(pickRoom(rooms(), state)))
      companion?.update(isShown ? runHere() : null, currentView, problems())
      if (isCovered && !companion?.coversRoom?.()) show()
    } catch (error) {
      reportError(error)
    }
  }
  /** Loads nothing of a room that is not displayed. */
  function coverRoom() {
    shownRun = run
    container.setAttribute('data-room', pickRoom(rooms(), state).id)
    return true
  }
  /** Shows a room, or loads it first. @param {Room} next @returns {boolean} whether it is shown */
  function showRoom(next) {
    if (!isChecked) check?.(next)
    isChecked = true
    const missing = [roomTexts, styles].filter(part => !part.has(next.stage))
    if (missing.length || !isRoomLoaded(next)) {
      Promise.all([loadRoom(next), ...missing.map(part => part.load(next.stage))]).then(show).catch(reportError)
      return false
    }
    shownRun = run
    if (room !== next) mountRoom(next)
    attempt(render)
    return true
  }
  function render() {
    if (!run || !figure) return
    setText(originLine, origin())
    figure.update(run, currentView())
    figure.updateControls(state, problems())
    selection.show()
    container.toggleAttribute('data-controls', hasControls)
    container.setAttribute('data-depth', state.depth)
    container.setAttribute('data-room', /** @type {Room} */ (room).id)
    showDepth().catch(reportError)
    showTwin().catch(reportError)
  }
  /** What a program may want to know of a run. @param {Run} current */
  const describeRun = ({ settings, decoding }) => ({
    model: state.model, settings, rooms: rooms().map(({ id }) => id),
    answer: decoding ? modelOf(state.model).written(decoding.steps.map(({ token }) => token)) : null
  })
  const requestRun = (/** @type {Settings} */ settings) => session.run(settings, run?.signature)
  const compute = runLatest(requestRun, (message, settings) => {
    if (isDestroyed) return
    const result = readRun(message, run)
    run = nameRun({ ...result, settings: { ...result.settings, model: settings.model }, requested: settings }, language)
    const detail = describeRun(run)
    emit('run', detail)
    if (run.decoding) emit('answer', { answer: detail.answer, tokens: run.decoding.steps.map(({ token }) => token) })
    show()
  }, error => !isDestroyed && reportError(error))

  /** @param {Patch} patch */
  function set(patch) {
    const before = state
    state = { ...state, ...patch }
    const recomputes = before.model !== state.model || runKeys(state).some(key => !Object.is(before[key], state[key]))
    if ((recomputes || !run) && Object.keys(problemsOf(state)).length === 0) compute(settingsOf(state))
    if (!recomputes || companion) show()
  }
  /** What the attributes describe, which the reader may have changed since. */ let described = initial
  container.toggleAttribute('data-local', Boolean(surroundings.isLocal))
  companion = mountCompanion?.(context, body) ?? null
  container.append(...(companion?.elements ?? []), body, cellLine)
  compute(settingsOf(state))
  show()
  return {
    /**
     * Displays another state. What the reader has written and chosen stays where the states are the same, and what is
     * pressed and edited if only the look is another. The same state again undoes what the reader has changed.
     * @param {State} next
     */
    update(next) {
      const before = described, isOther = (/** @type {[string, unknown]} */ [name, value]) => (
        JSON.stringify(before[name]) !== JSON.stringify(value))
      const changed = Object.entries(next).filter(isOther)
      described = next
      isChecked = false
      const patch = changed.length ? Object.fromEntries(changed) : next
      if (Object.keys(patch).every(name => name === 'theme' || name === 'depth')) return set(patch)
      selection.clearSelection()
      set({ cell: next.cell, edits: next.edits, ...patch })
    },
    show,
    /** The displayed state as the part of a link. */
    link: () => toHash({ ...state, room: room?.id ?? state.room, embed: false }),
    /** @param {boolean} isOn */
    print(isOn) {
      isPrinting = isOn
      show()
    },
    run: () => run,
    destroy() {
      isDestroyed = true
      resizeObserver.disconnect()
      figure?.destroy()
      twin?.destroy()
      companion?.destroy?.()
      figure = null
      run = null
    }
  }
}
