/**
 * Everything behind the opening: the map, the room with its figure and twin, the inspector and the lessons. Loaded with
 * the first room, or while the opening is read.
 */

import { mountInspector } from '../inspector/index.js'
import { activeElementNear, findElement, setText, measureWidth } from '../lib/dom.js'
import { debounce, nextTask, waitForPaint } from '../lib/scheduling.js'
import { describeOrigin } from '../lib/provenance.js'
import { otherTextOf } from '../models/pairs.js'
import { mountMap } from '../map/index.js'
import { HOUSE } from '../rooms/house.js'
import { roomNear, roomsOf } from '../rooms/index.js'
import { stageOf } from '../stages/index.js'
import { mountTwin } from '../twin/index.js'
import { createSelection } from './cells.js'
import { describeChanges } from './changes.js'
import { mountDepth } from './depth.js'
import { mountInputs } from './fields.js'
import { mountFrame } from './frame.js'
import { listenToKeys } from './keys.js'
import { mountLessons } from './lesson.js'
import { mountSignature } from './share.js'
import { createView } from './view.js'

/** @import { Cell, Context, Room, Run, State, Theme, View } from '../types.d.ts' */

/**
 * Rendered even before there is a run.
 * @typedef {object} Parts
 * @property {ReturnType<typeof mountInputs>} inputs
 * @property {ReturnType<typeof mountMap>} map
 * @property {ReturnType<typeof mountInspector>} inspector
 * @property {ReturnType<typeof mountSignature>} whole
 * @property {ReturnType<typeof mountFrame>} [frame]
 * @property {ReturnType<typeof mountDepth>} [depths]
 * @property {ReturnType<typeof mountTwin>} [twin]
 */

/** Whether all retained values of a run have been loaded. @param {Run | null} run */
const isFullyLoaded = run => !run || [...run.tensors.values()].every(({ data, isKept }) => data || isKept === false)

/** Rebuilt for another language. */
const PARTS = /** @type {const} */ (['inputs', 'map', 'inspector'])

/**
 * @param {Record<'house' | 'inputs' | 'map' | 'lesson' | 'stage' | 'inspector' | 'arrived' | 'whole',
 *   HTMLElement>} page
 * @param {Context} context completed by what only the rooms know
 * @param {object} main
 * @param {() => boolean} main.isOutside whether the reader is at the opening
 * @param {(act: () => void) => void} main.attempt renders what it can, and the rest once its values arrive
 */
export function mountRooms(page, context, { isOutside, attempt }) {
  const { get, set, run } = context
  const parts = /** @type {Parts} */ ({})
  /** isSeen: the room was rendered before its figures. */
  /** @type {{ room: Room | null, model?: string, isNew?: boolean, isFrameRendered?: boolean }} */
  let current = { room: null }
  /** The list of rooms of this model that last contained the room that the reader chose. @type {Room[]} */
  let roomsOfSelection = []
  let modelOfSelection = ''
  const rooms = () => roomsOf(run())

  /** The displayed room; before there is a run, only the house. */
  function displayedRoom() {
    const { room: id, model } = get()
    if (isOutside() || (!run() && id !== HOUSE.id)) return null
    if (model !== modelOfSelection) roomsOfSelection = []
    modelOfSelection = model
    const room = roomNear(rooms(), id, roomsOfSelection)
    if (room.id === id) roomsOfSelection = rooms()
    return room
  }

  /** The view of the displayed room. @returns {View} */
  const currentView = () => createView(get(), run(), displayedRoom() ?? HOUSE, rooms())

  const twinRun = () => parts.twin?.run(run()) ?? null

  /** Renders the selected cell in the inspector. */
  const selection = createSelection({
    panel: page.inspector, get, set, run, twin: twinRun, view: currentView, parts: () => parts,
    runQuery: context.runQuery, attempt
  })
  /** What a lesson's step selects: arguments of `selectCell`. @type {[Cell, boolean] | null} */
  let stepCell = null

  function showRoom() {
    const room = displayedRoom()
    if (!room) return
    const { model } = get()
    // The same room of an equal list of rooms counts as the same room, so it is not rebuilt.
    const isSame = current.room && current.room.id === room.id && JSON.stringify(current.room) === JSON.stringify(room)
    if (isSame && current.model === model && parts.frame) return
    const isOtherRoom = current.room !== null && current.room.id !== room.id
    const hadFocus = page.stage.contains(activeElementNear(page.stage))
    current = { room, model, isNew: true }
    if (isOtherRoom) {
      selection.clearSelection()
      stepCell = null
      scrollTo({ top: 0 })
    }
    parts.frame?.destroy()
    page.house.setAttribute('data-room', room.id)
    page.house.setAttribute('data-model', model)
    parts.frame = mountFrame(page.stage, room, context)
    parts.depths = mountDepth(page.stage, context)
    parts.twin?.destroy()
    parts.twin = mountTwin(page.stage, room, context)
    resizeObserver.disconnect()
    resizeObserver.observe(parts.frame.figure)
    document.title = `${context.t(`stages.${room.words}.name`)} · ${context.t('app.title')}`
    if (hadFocus) page.stage.focus({ preventScroll: true })
    else if (isOtherRoom) setText(page.arrived, findElement(page.stage, 'h1').textContent ?? '')
  }

  let figureWidth = 0
  const resizeObserver = new ResizeObserver(([{ contentRect }]) => {
    const width = Math.floor(contentRect.width)
    if (width === figureWidth) return
    figureWidth = width
    showRun()
  })

  /** Where the figure comes from, in one line. @param {string} [title] what sets it apart */
  function origin(title) {
    const { room, head, sentence } = currentView()
    const texts = Object.values(run()?.streams ?? {})[0]?.texts ?? []
    const hasHead = stageOf(room.stage).pickers.includes('head') && room.parts.heads > 1
    return describeOrigin({
      t: context.t, room, head: hasHead ? head : null, text: texts[sentence] ?? texts[0] ?? '',
      changes: describeChanges(get(), context.t), named: title
    })
  }

  Object.assign(context, /** @type {Partial<Context>} */ ({
    selectCell: selection.selectCell, pinCell: selection.pinCell,
    selectStepCell(...target) {
      stepCell = target
      selection.selectCell(...target)
    },
    // In a lesson the step's cell is selected again.
    endHover: () => (get().lesson && stepCell ? selection.selectCell(...stepCell) : selection.endHover()),
    pinSource: selection.pinSource, selectedCell: selection.selected,
    origin, rooms, editCell: cell => parts.inspector.edit(cell),
    onOneScale: (data, ...details) => parts.twin?.onOneScale(data, ...details) ?? data,
    otherText: () => otherTextOf(get(), context.language()),
    heading: () => context.t(`stages.${currentView().room.words}.title`),
    width: () => (figureWidth || (parts.frame ? measureWidth(parts.frame.figure) : 0))
  }))

  const lessonPlayer = mountLessons(page, context)

  /** In a run too large to be sent whole, a new room and its figures each get a task of their own. */
  function showRun() {
    if (!parts.frame || get().theatre || get().exercise || isOutside()) return
    const displayed = current
    if (!displayed.isNew || displayed.isFrameRendered || isFullyLoaded(run())) return attempt(renderFigures)
    waitForPaint().then(nextTask).then(() => {
      if (current !== displayed || displayed.isFrameRendered) return
      displayed.isFrameRendered = true
      showRun()
    })
  }

  function renderFigures() {
    const view = currentView()
    parts.frame?.update(run(), view)
    parts.depths?.update(run(), view)
    parts.twin?.update(run(), view)
    page.house.setAttribute('data-depth', get().depth)
    if (!current.isNew) {
      selection.show()
      return
    }
    current.isNew = false
    selection.showLater()
  }

  /** @param {State} state @param {Record<string, string>} problems */
  function showControls(state, problems) {
    parts.inputs.update(state, problems)
    parts.frame?.controls(state, problems)
    parts.whole.update()
    lessonPlayer.keepText()
  }

  const showMap = debounce(() => isOutside() || attempt(() => (
    parts.map.update(run(), currentView(), context.theme().mode))))

  listenToKeys(page, {
    isPinned: () => Boolean(get().cell), release: () => selection.pinCell(null),
    undo: () => parts.inspector.undo(), redo: () => parts.inspector.redo()
  })

  return {
    /** Rebuilds everything that contains texts, except the room, which the next rendering rebuilds. */
    renderTexts() {
      current = { room: null }
      for (const id of PARTS) page[id].replaceChildren()
      page.inspector.setAttribute('aria-label', context.t('inspector.label'))
      Object.assign(parts, {
        inputs: mountInputs(page.inputs, context), map: mountMap(page.map, context),
        inspector: mountInspector(page.inspector, context), whole: mountSignature(page.whole, context)
      })
    },
    showRoom, showRun, showControls, showMap, showLesson: lessonPlayer.update,
    twin: twinRun,
    /** The state as a link. */
    addressed: lessonPlayer.addressed,
    /** Clears the history of the inspector when the state is replaced. */
    clearHistory: selection.clearHistory
  }
}
