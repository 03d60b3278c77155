/** The frame of every stage: title, texts, controls, and links to the neighboring rooms. */

import { splitAtDots, handleInternalClick, h, setText } from '../lib/dom.js'
import { formatShape } from '../lib/number.js'
import { fullRoomName } from '../lib/room_name.js'
import { renderProse } from '../lib/prose.js'
import { getDescription } from '../lib/run.js'
import { scrollIntoView } from '../lib/viewport.js'
import { modelOf } from '../models/index.js'
import { isLearned } from '../../src/training/model_settings.js'
import { HOUSE } from '../rooms/house.js'
import { outputOf } from '../rooms/index.js'
import { mountUndoButton } from './changes.js'
import { createCostLine } from './cost.js'
import { mountTrainingResults } from './training_results.js'
import { patchFrom } from '../models/state.js'
import { mountRoomFigure } from './room_figure.js'
import { roomLinks } from './room_navigation.js'

/**
 * @import { Child, Context, Described, Patch, Room, Run, Settings, State, View } from '../types.d.ts'
 */

/** Where in the window the result of a linked action is scrolled to, below the header of a phone. */
const SCROLL_POSITION = 0.25

/** @param {Settings} state */
const isConcatenated = state => state.positions === 'concatenated'

/** @type {Condition} */
const isUndivided = ({ scale }, { parts }) => scale === false || parts.scale === 1

/** Whether several query heads share one head of keys and values. @type {Condition} */
const isShared = (_, { parts: { heads, kvHeads = heads } }) => kvHeads < heads

/** Whether a room is about a given activation. @param {string} name @returns {Condition} */
const isActivation = name => (_, { parts: { kind } }) => kind === name

/**
 * The texts of a room that apply instead of its usual ones under some setting: a condition and the key of the text.
 * @typedef {(state: Settings, room: Room) => boolean} Condition
 * @type {Record<string, [Condition, string][]>}
 */
const ALTERNATIVES = {
  norm: [[({ normFirst }) => normFirst, 'whatFirst']], scale: [[isUndivided, 'whatUndivided']],
  scores: [[isUndivided, 'whatUndivided']],
  positions: [[isLearned, 'whatLearned'], [isConcatenated, 'whatConcatenated']],
  qkv: [[isShared, 'whatShared']], heads: [[isShared, 'whatShared']],
  logits: [[(_, { parts }) => parts.isTied, 'whatTied']],
  rmsnorm: [[(_, { parts }) => parts.isFirst, 'whatFirst']],
  activation: [[isActivation('relu'), 'whatRelu'], [isActivation('gelu'), 'whatGelu']],
  gateActivation: [[isActivation('silu'), 'whatSilu']],
  causal: [[({ tgtIsCausal }) => tgtIsCausal === false, 'whatOpen']]
}

/** The key of the text that says what a room does in the current state. @param {Room} room @param {Settings} state */
export const descriptionKey = (room, state) => ALTERNATIVES[room.words]?.find(([isSo]) => isSo(state, room))?.[1] ?? 'what'

/**
 * The first room of the tour whose text is the same, if it is another one: a layer that was met before.
 * @param {Room} room @param {Room[]} rooms @param {Settings} state
 */
export function findSameRoom(room, rooms, state) {
  const key = descriptionKey(room, state)
  const isSame = (/** @type {Room} */ other) => other.words === room.words && descriptionKey(other, state) === key
  const first = rooms.find(other => other.isOnTour && isSame(other))
  return room.isOnTour && first !== room ? first : undefined
}

/**
 * The output: its name may break at every dot, its shape does not break.
 * @param {Element} flow @param {Described} tensor
 */
const setOutputLabel = (flow, { name, shape }) => (
  flow.replaceChildren(...splitAtDots(`${name} ${formatShape(shape).replaceAll(' ', '\u00a0')}`)))

/** Rooms that appear and disappear with settings, unless they are all of a place: dropout, built-in faults. */
const TEMPORARY_STAGES = ['operation', 'dropout', 'attention_dropout']

/**
 * The number of a room on the tour, and of how many; 0 for rooms off the tour and for temporary ones, so that the count
 * of a model stays the same whatever is switched on.
 * @param {Room[]} rooms @param {Room} room
 */
export function positionOnTour(rooms, room) {
  const tourRooms = rooms.filter(({ id, isOnTour, stage }) => (
    id !== HOUSE.id && isOnTour && (!TEMPORARY_STAGES.includes(stage) || id === stage)))
  return { number: tourRooms.indexOf(room) + 1, total: tourRooms.length }
}

/** Rooms without a paragraph on what would happen without them. */
const WITHOUT_NOTE = new Set(['attribution', 'patching', 'ablation', 'head_scores', 'residual_stream', 'costs'])

/** @param {string} title @param {...Child} text */
const createAside = (title, ...text) => h('section', {}, h('h2', {}, title), h('p', {}, ...text))

/**
 * The links of a text that change settings when pressed.
 * @param {Context} context @param {{ className?: string, after?: () => void }} [how]
 */
function createActions({ link, set, get }, { className = 'deed', after } = {}) {
  /** @type {{ deed: HTMLElement, patch: Patch }[]} */ let actions = []
  return {
    /** @param {string} text */
    nodes(text) {
      actions = []
      return renderProse(text, (children, change) => {
        const patch = patchFrom(change, get().model)
        const anchor = h('a', { className, onclick: handleInternalClick(() => {
          set(patch, 'push')
          after?.()
        }) }, children)
        actions.push({ deed: anchor, patch })
        return anchor
      })
    },
    update: () => actions.forEach(({ deed: anchor, patch }) => anchor.setAttribute('href', link(patch)))
  }
}

/**
 * Mounts one room in its frame.
 * @param {Element} container
 * @param {Room} room
 * @param {Context} context
 */
export function mountFrame(container, room, context) {
  const { t } = context
  const { aside: asideKey = 'without' } = room
  const heading = WITHOUT_NOTE.has(room.words) ? 'frame.note' : `frame.${asideKey}`
  const rooms = context.rooms()
  const roomIndex = rooms.indexOf(room)
  const tourPosition = positionOnTour(rooms, room)
  /** @param {string} part */
  const roomText = part => t(`stages.${room.words}.${part}`)
  const roomFigure = mountRoomFigure(room, context)
  const { tools, figure } = roomFigure
  const lead = h('p', { className: 'lead' })
  const originNote = h('p', { className: 'provenance' })
  const brokenNote = h('p', { className: 'problem broken', hidden: true })
  const trainingOffer = h('p', { className: 'offer', hidden: true })
  const model = modelOf(context.get().model)
  const showsResults = roomIndex === 0 || roomFigure.controls.some(name => model.settings[name].isExplained)
  const results = model.variants && showsResults ? mountTrainingResults(context) : null
  const notebooks = (room.notebooks ?? []).map(({ id, words: name }) => (
    h('a', { href: context.href(id), onclick: handleInternalClick(() => context.enterRoom(id)) }, t(`stages.${name}.name`))))
  const modelKind = h('p', { className: 'note untrained' })
  const navigation = roomLinks(room, context)
  const cost = createCostLine(room, context)
  const number = h('span', { className: 'visually-hidden' }, ' ',
    t('frame.room', tourPosition))
  const undoSlot = h('span')
  const updateUndoButton = mountUndoButton(undoSlot, context, figure)
  const termActions = createActions(context, { className: 'term' })
  const trainingActions = createActions(context)
  const tryActions = createActions(context,
    { after: () => scrollIntoView(tools.isConnected ? tools : figure, SCROLL_POSITION) })
  container.replaceChildren(
    h('p', { className: 'eyebrow' },
      room.layer !== undefined || !tourPosition.number ? '' : h('b', { 'aria-hidden': 'true' }, String(tourPosition.number)),
      fullRoomName(room, t), tourPosition.number ? number : '', undoSlot),
    h('h1', {}, roomText('title')),
    originNote, lead, brokenNote, trainingOffer,
    roomIndex ? '' : navigation.element, tools.childElementCount ? tools : '',
    roomFigure.note, figure,
    notebooks.length ? h('p', { className: 'in-notebooks' }, t('lab.inNotebook'), ' ', notebooks) : '',
    h('div', { className: 'asides' }, createAside(t('frame.try'), tryActions.nodes(roomText('try'))),
      createAside(t(heading), renderProse(roomText(asideKey)))),
    results?.element ?? '',
    roomIndex ? navigation.element : '',
    modelKind, cost.element)
  const output = outputOf(room)
  let lastText = ''
  /** @type {string | null} */ let offeredTraining = null
  /** Warns about NaN or infinite weights of an imported model. @param {Run} run */
  function updateBrokenNote({ imported }) {
    const brokenWeights = imported?.broken
    brokenNote.hidden = !brokenWeights
    if (brokenWeights) setText(brokenNote, t('frame.broken', { count: brokenWeights.count, first: brokenWeights.first }))
  }
  /** Offers to train, where no trained weights exist for the current settings. @param {Settings} state */
  function updateOffer(state) {
    const training = model.training?.(state) ?? null
    if (training !== offeredTraining) trainingOffer.replaceChildren(...(training === null ? [] : trainingActions.nodes(t('frame.offer', { training }))))
    offeredTraining = training
    trainingOffer.hidden = training === null
  }
  /**
   * The subject of the room and its output: with the norm first that is not its own result.
   * @param {Run | null} run @param {View} state
   */
  function describe(run, state) {
    const first = findSameRoom(room, rooms, state)
    const key = `${first?.id} ${descriptionKey(room, state)}`
    if (key !== lastText) {
      lead.replaceChildren(...termActions.nodes(first ? t('frame.again', { room: first.id, name: fullRoomName(first, t) })
        : roomText(descriptionKey(room, state))))
    }
    lastText = key
    const outputTensor = run && output && !room.parts.isFirst && getDescription(run, output)
    const flow = navigation.flow()
    if (!flow) return
    if (outputTensor) setOutputLabel(flow, outputTensor)
    else flow.replaceChildren()
  }
  return {
    figure,
    /** @param {Run | null} run @param {View} view */
    update(run, view) {
      navigation.update(run)
      results?.update()
      updateOffer(view)
      updateUndoButton()
      const weights = run?.imported ? ` ${t('frame.weights', { dtype: run.imported.dtype })}` : ''
      setText(modelKind, t(`app.models.${modelOf(view.model).kind(view)}`) + weights)
      describe(run, view)
      for (const actionGroup of [termActions, tryActions, trainingActions]) actionGroup.update()
      if (!run) return
      updateBrokenNote(run)
      cost.update(run)
      setText(originNote, context.origin())
      roomFigure.update(run, view)
    },
    controls: roomFigure.updateControls, mark: roomFigure.mark, destroy: roomFigure.destroy
  }
}
