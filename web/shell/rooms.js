/**
 * Everything behind the opening: the map, the room with its figure and twin, the inspector and the lessons. Loaded with
 * the first room, or while the opening is read.
 */

import { inspector } from '../inspector/index.js'
import { find, setText, wholeWidth } from '../lib/dom.js'
import { debounce, nextTask, painted } from '../lib/scheduling.js'
import { downsample } from '../lib/large_tables.js'
import { provenance } from '../lib/provenance.js'
import { batchOf, orNull } from '../lib/run.js'
import { withThumbnails } from '../lib/thumbnails.js'
import { map } from '../map/index.js'
import { HOUSE, roomNear, roomsOf } from '../rooms/index.js'
import { stageOf } from '../stages/index.js'
import { twin } from '../twin/index.js'
import { cells } from './cells.js'
import { describeChanges } from './changes.js'
import { depths } from './depth.js'
import { inputs } from './fields.js'
import { frame } from './frame.js'
import { keys } from './keys.js'
import { lessons } from './lesson.js'
import { signature } from './share.js'

/** @import { Context, Room, Run, State, Theme, View } from '../types.d.ts' */

/**
 * Rendered even before there is a run.
 * @typedef {object} Parts
 * @property {ReturnType<typeof inputs>} inputs
 * @property {ReturnType<typeof map>} map
 * @property {ReturnType<typeof inspector>} inspector
 * @property {ReturnType<typeof signature>} whole
 * @property {ReturnType<typeof frame>} [frame]
 * @property {ReturnType<typeof depths>} [depths]
 * @property {ReturnType<typeof twin>} [twin]
 */

/** Whether all retained values of a run have been loaded. @param {Run | null} run */
const isWhole = run => !run || [...run.tensors.values()].every(({ data, isKept }) => data || isKept === false)

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
export function roomsIn(page, context, { isOutside, attempt }) {
  const { get, set, run } = context
  const parts = /** @type {Parts} */ ({})
  /** isSeen: the room was rendered before its figures. */
  /** @type {{ room: Room | null, model?: string, isNew?: boolean, isSeen?: boolean }} */
  let current = { room: null }
  /** The list of rooms that last contained the room that the reader chose. @type {Room[]} */
  let around = []
  const rooms = () => roomsOf(run())

  /** The displayed room; before there is a run, only the house. */
  function roomHere() {
    const { room: id } = get()
    if (isOutside() || (!run() && id !== HOUSE.id)) return null
    const room = roomNear(rooms(), id, around)
    if (room.id === id) around = rooms()
    return room
  }

  /**
   * The view, restricted to what the run has: a shorter text must not leave a sentence or head out of range.
   * @returns {View}
   */
  function viewed() {
    const here = run(), state = get()
    const room = roomHere() ?? HOUSE
    /** @param {number} value @param {number} count */
    const within = (value, count) => Math.max(Math.min(value, count - 1), -1)
    const steps = here?.decoding?.steps.length ?? 1
    /** @type {View} */
    const view = {
      ...state, room, rooms: rooms(), step: within(state.step, steps), row: within(state.row, steps),
      sentence: here ? within(state.sentence, batchOf(here)) : state.sentence,
      head: within(state.head, room.parts.heads ?? state.head + 1),
      layer: within(state.layer, room.parts.layers?.length ?? state.layer + 1),
      picture(one, more) {
        // An answer is found by its tokens, which a thumbnail does not have.
        const source = here && (one.stage === 'decoding' ? here : withThumbnails(here))
        const picture = source && orNull(() => stageOf(one.stage).picture(source, { ...view, ...more, room: one }))
        return picture && { ...picture, part: downsample(picture.part) }
      }
    }
    return view
  }

  const twinHere = () => parts.twin?.run(run()) ?? null

  /** Renders the selected cell in the inspector. */
  const inspection = cells({
    panel: page.inspector, get, set, run, twin: twinHere, view: viewed, parts: () => parts, ask: context.ask, attempt
  })

  function showRoom() {
    const room = roomHere()
    if (!room) return
    const { model } = get()
    // The same room of an equal list of rooms counts as the same room, so it is not rebuilt.
    const isSame = current.room && current.room.id === room.id && JSON.stringify(current.room) === JSON.stringify(room)
    if (isSame && current.model === model && parts.frame) return
    const hasMoved = current.room !== null && current.room.id !== room.id
    const inside = page.stage.contains(document.activeElement)
    current = { room, model, isNew: true }
    if (hasMoved) {
      inspection.lookAway()
      scrollTo({ top: 0 })
    }
    parts.frame?.destroy()
    page.house.setAttribute('data-room', room.id)
    page.house.setAttribute('data-model', model)
    parts.frame = frame(page.stage, room, context)
    parts.depths = depths(page.stage, context)
    parts.twin?.destroy()
    parts.twin = twin(page.stage, room, context)
    resize.disconnect()
    resize.observe(parts.frame.figure)
    document.title = `${context.t(`stages.${room.words}.name`)} · ${context.t('app.title')}`
    if (inside) page.stage.focus({ preventScroll: true })
    else if (hasMoved) setText(page.arrived, find(page.stage, 'h1').textContent ?? '')
  }

  let figureWidth = 0
  const resize = new ResizeObserver(([{ contentRect }]) => {
    const width = Math.floor(contentRect.width)
    if (width === figureWidth) return
    figureWidth = width
    showRun()
  })

  /** Where the figure comes from, in one line. @param {string} [named] what sets it apart */
  function origin(named) {
    const { room, head, sentence } = viewed()
    const texts = Object.values(run()?.streams ?? {})[0]?.texts ?? []
    const hasHead = stageOf(room.stage).pickers.includes('head') && room.parts.heads > 1
    return provenance({
      t: context.t, room, head: hasHead ? head : null, text: texts[sentence] ?? texts[0] ?? '',
      changes: describeChanges(get(), context.t), named
    })
  }

  Object.assign(context, /** @type {Partial<Context>} */ ({
    look: inspection.look, press: inspection.press, leave: inspection.leave, visit: inspection.visit,
    origin, rooms, edit: cell => parts.inspector.edit(cell),
    onOneScale: (data, ...details) => parts.twin?.onOneScale(data, ...details) ?? data,
    heading: () => context.t(`stages.${viewed().room.words}.title`),
    width: () => (figureWidth || (parts.frame ? wholeWidth(parts.frame.figure) : 0))
  }))

  const lesson = lessons(page, context)

  /** In a run too large to be sent whole, a new room and its figures each get a task of their own. */
  function showRun() {
    if (!parts.frame || get().theatre || isOutside()) return
    const now = current
    if (!now.isNew || now.isSeen || isWhole(run())) return attempt(showFigures)
    painted().then(nextTask).then(() => {
      if (current !== now || now.isSeen) return
      now.isSeen = true
      showRun()
    })
  }

  function showFigures() {
    const view = viewed()
    parts.frame?.update(run(), view)
    parts.depths?.update(run(), view)
    parts.twin?.update(run(), view)
    page.house.setAttribute('data-depth', get().depth)
    if (!current.isNew) {
      inspection.show()
      return
    }
    current.isNew = false
    inspection.showLater()
  }

  /** @param {State} state @param {Record<string, string>} problems */
  function showControls(state, problems) {
    parts.inputs.update(state, problems)
    parts.frame?.controls(state, problems)
    parts.whole.update()
  }

  const showMap = debounce(() => isOutside() || attempt(() => (
    parts.map.update(run(), viewed(), context.theme().mode))))

  keys(page, {
    isPinned: () => Boolean(get().cell), release: () => inspection.press(null), leave: () => lesson.leave(),
    undo: () => parts.inspector.undo(), redo: () => parts.inspector.redo()
  })

  return {
    /** Rebuilds everything that contains texts, except the room, which the next rendering rebuilds. */
    speak() {
      current = { room: null }
      for (const id of PARTS) page[id].replaceChildren()
      page.inspector.setAttribute('aria-label', context.t('inspector.label'))
      Object.assign(parts, {
        inputs: inputs(page.inputs, context), map: map(page.map, context),
        inspector: inspector(page.inspector, context), whole: signature(page.whole, context)
      })
    },
    showRoom, showRun, showControls, showMap, showLesson: lesson.update,
    twin: twinHere,
    /** The state as a link. */
    addressed: lesson.addressed,
    /** Clears the history of the inspector when the state is replaced. */
    forget: inspection.forget
  }
}
