/** The frame of every stage: title, texts, controls, and links to the neighboring rooms. */

import { listAnswers } from '../lib/attribution.js'
import { splitAtDots, handleInternalClick, h, setText } from '../lib/dom.js'
import { formatShape } from '../lib/number.js'
import { fullRoomName } from '../lib/room_name.js'
import { renderProse } from '../lib/prose.js'
import { NotRetained, batchSize, getDescription, getAxisLabels } from '../lib/run.js'
import { scrollIntoView } from '../lib/viewport.js'
import { modelOf } from '../models/index.js'
import { isLearned } from '../../src/training/model_settings.js'
import { HOUSE, outputOf } from '../rooms/index.js'
import { stageOf } from '../stages/index.js'
import { mountUndoButton } from './changes.js'
import { createCostLine } from './cost.js'
import { createControl, hasControl, hasSettingEffect, createPicker } from './controls.js'
import { mountTrainingResults } from './training_results.js'
import { patchFrom } from '../models/state.js'
import { createNotRetainedNote } from './not_retained.js'
import { roomLinks } from './room_navigation.js'

/**
 * @import { Child, Context, Described, Marks, Patch, ProjectionName, Room, Run, Settings, State, Translate,
 * View } from '../types.d.ts'
 */

/** @type {ProjectionName[]} */
const PARTS = ['q', 'k', 'v']

/** Where in the window the result of a linked action is scrolled to, below the header of a phone. */
const SCROLL_POSITION = 0.25

/**
 * The options of a picker, as far as this run has them.
 * @param {string} name @param {Run} run @param {View} view @param {Translate} t
 * @returns {{ value: unknown, text: string, title?: string }[]}
 */
function listOptions(name, run, { room }, t) {
  /** @param {number} count */
  const numberOptions = count => Array.from({ length: count }, (_, value) => ({ value, text: String(value) }))
  if (name === 'part') return (room.parts.choices ?? PARTS).map((/** @type {string} */ value) => ({ value, text: t(`frame.parts.${value}`) }))
  if (name === 'head') return numberOptions(countHeads(run, room))
  if (name === 'layer') return numberOptions(room.parts.layers.length)
  if (name === 'row' && !room.parts.output) return listAnswers(run, room.parts.logits).map(({ text }, value) => ({ value, text }))
  if (name === 'row') return (run.decoding?.rows ?? []).map((row, value) => ({ value, text: rowToken(run, room, row) }))
  const [stream] = Object.values(run.streams)
  return Array.from({ length: batchSize(run) }, (_, value) => (
    { value, text: String(value), title: stream?.texts[value] ?? '' }))
}

/** How many heads a room can choose from. @param {Run} run @param {Room} room */
function countHeads(run, { parts, tensors }) {
  if (parts.heads) return parts.heads
  const { axes, shape } = getDescription(run, tensors[0]) ?? { axes: [], shape: [] }
  const headAxis = axes.findIndex(({ name }) => name === 'head')
  return headAxis < 0 ? 1 : shape[headAxis]
}

/**
 * The token that precedes a row of an answer's probabilities.
 * @param {Run} run @param {Room} room @param {number} row
 */
function rowToken(run, { parts }, row) {
  const tensor = getDescription(run, parts.output)
  return getAxisLabels(run, tensor, tensor.shape.length - 2)?.[row] ?? String(row)
}

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
  const stage = stageOf(room.stage)
  const rooms = context.rooms()
  const roomIndex = rooms.indexOf(room)
  const tourPosition = positionOnTour(rooms, room)
  const isBatch = () => batchSize(context.run() ?? { streams: {} }) > 1
  /** @param {string} part */
  const roomText = part => t(`stages.${room.words}.${part}`)
  const controls = (room.controls ?? stage.controls).filter(name => hasControl(name, context.get().model))
    .map(name => ({ name, ...createControl(name, context) }))
  const pickers = stage.pickers.filter(name => name !== 'sentence' || isBatch())
    .map(name => ({ name, ...createPicker(name, context) }))
  const quote = h('p', { className: 'quote' })
  const lead = h('p', { className: 'lead' })
  const originNote = h('p', { className: 'provenance' })
  const figure = h('div', { className: 'stage-figure' })
  const brokenNote = h('p', { className: 'problem broken', hidden: true })
  const trainingOffer = h('p', { className: 'offer', hidden: true })
  const notRetainedNote = createNotRetainedNote(room, context)
  const model = modelOf(context.get().model)
  const showsResults = roomIndex === 0 || controls.some(({ name }) => model.settings[name].isExplained)
  const results = model.variants && showsResults ? mountTrainingResults(context) : null
  const notebooks = (room.notebooks ?? []).map(({ id, words: name }) => (
    h('a', { href: context.href(id), onclick: handleInternalClick(() => context.enterRoom(id)) }, t(`stages.${name}.name`))))
  const modelKind = h('p', { className: 'note untrained' })
  const navigation = roomLinks(room, context)
  const cost = createCostLine(room, context)
  const tools = h('div', { className: 'tools' }, [...pickers, ...controls].map(({ element }) => element),
    stage.pickers.includes('sentence') && isBatch() ? quote : '')
  const number = h('span', { className: 'visually-hidden' }, ' ',
    t('frame.room', tourPosition))
  const undoSlot = h('span')
  const updateUndoButton = mountUndoButton(undoSlot, context)
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
    notRetainedNote.element, figure,
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
  const figureView = stage.mount(figure, context)
  /** The figure, or a note where its tensors were not retained. @param {Run} run @param {View} view */
  function draw(run, view) {
    try {
      figureView.update(context.onOneScale(stage.data(run, view), run, view))
      notRetainedNote.update(null)
    } catch (error) {
      if (!(error instanceof NotRetained)) throw error
      notRetainedNote.update(run)
    }
    figure.hidden = !notRetainedNote.element.hidden
  }

  return {
    figure,
    /** @param {Run | null} run @param {View} view */
    update(run, view) {
      navigation.update(run)
      results?.update()
      updateOffer(view)
      updateUndoButton()
      setText(modelKind, t(`app.models.${modelOf(view.model).kind(view)}`))
      describe(run, view)
      for (const actionGroup of [termActions, tryActions, trainingActions]) actionGroup.update()
      if (!run) return
      updateBrokenNote(run)
      cost.update(run)
      for (const picker of pickers) {
        const choices = listOptions(picker.name, run, view, t)
        picker.element.hidden = choices.length < 2
        picker.update(choices, view[picker.name])
      }
      setText(quote, Object.values(run.streams)[0]?.texts[view.sentence] ?? '')
      setText(originNote, context.origin())
      draw(run, view)
    },
    /** @param {State} state @param {Record<string, string>} problems texts by control */
    controls: (state, problems) => controls.forEach(control => {
      control.element.hidden = !hasSettingEffect(control.name, state)
      control.update(state, problems)
    }),
    mark: (/** @type {Marks} */ marks) => figureView.mark(marks),
    destroy: () => figureView.destroy()
  }
}
