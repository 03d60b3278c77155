/** The frame of every stage: title, texts, controls, and links to the neighboring rooms. */

import { dotted, following, h, setText } from '../lib/dom.js'
import { dimensions } from '../lib/number.js'
import { placeName } from '../lib/room_name.js'
import { prose } from '../lib/prose.js'
import { NotRetained, batchOf, describedOf, labelsOf } from '../lib/run.js'
import { scrollIntoView } from '../lib/viewport.js'
import { modelOf } from '../models/index.js'
import { isLearned } from '../models/settings.js'
import { HOUSE, outputOf } from '../rooms/index.js'
import { stageOf } from '../stages/index.js'
import { undoButton } from './changes.js'
import { costLine } from './cost.js'
import { control, hasControl, isUseful, picker } from './controls.js'
import { trainingResults } from './training_results.js'
import { patchFrom } from './state.js'
import { notRetained } from './not_retained.js'
import { roomLinks } from './room_navigation.js'

/**
 * @import { Child, Context, Described, Marks, Patch, Projected, Room, Run, Settings, State, Translate,
 * View } from '../types.d.ts'
 */

/** @type {Projected[]} */
const PARTS = ['q', 'k', 'v']

/** Where in the window the result of a linked action is scrolled to, below the header of a phone. */
const SHOWN_AT = 0.25

/**
 * The options of a picker, as far as this run has them.
 * @param {string} name @param {Run} run @param {View} view @param {Translate} t
 * @returns {{ value: unknown, text: string, title?: string }[]}
 */
function options(name, run, { room }, t) {
  /** @param {number} count */
  const numbered = count => Array.from({ length: count }, (_, value) => ({ value, text: String(value) }))
  if (name === 'part') return (room.parts.choices ?? PARTS).map((/** @type {string} */ value) => ({ value, text: t(`frame.parts.${value}`) }))
  if (name === 'head') return numbered(headsOf(run, room))
  if (name === 'layer') return numbered(room.parts.layers.length).map(one => ({ ...one, text: String(one.value + 1) }))
  if (name === 'row') return (run.decoding?.rows ?? []).map((row, value) => ({ value, text: tokenAt(run, room, row) }))
  const [stream] = Object.values(run.streams)
  return Array.from({ length: batchOf(run) }, (_, value) => (
    { value, text: String(value), title: stream?.texts[value] ?? '' }))
}

/** How many heads a room can choose from. @param {Run} run @param {Room} room */
function headsOf(run, { parts, tensors }) {
  if (parts.heads) return parts.heads
  const { axes, shape } = describedOf(run, tensors[0]) ?? { axes: [], shape: [] }
  const at = axes.findIndex(({ name }) => name === 'head')
  return at < 0 ? 1 : shape[at]
}

/**
 * The token that precedes a row of an answer's probabilities.
 * @param {Run} run @param {Room} room @param {number} row
 */
function tokenAt(run, { parts }, row) {
  const tensor = describedOf(run, parts.output)
  return labelsOf(run, tensor, tensor.shape.length - 2)?.[row] ?? String(row)
}

/** @param {Settings} state */
const isConcatenated = state => state.positions === 'concatenated'

/** @type {IsSo} */
const isUndivided = ({ scale }, { parts }) => scale === false || parts.scale === 1

/** Whether several query heads share one head of keys and values. @type {IsSo} */
const isShared = (_, { parts: { heads, kvHeads = heads } }) => kvHeads < heads

/** Whether a room is about a given activation. @param {string} name @returns {IsSo} */
const isBend = name => (_, { parts: { kind } }) => kind === name

/**
 * The texts of a room that apply instead of its usual ones under some setting: a condition and the key of the text.
 * @typedef {(state: Settings, room: Room) => boolean} IsSo
 * @type {Record<string, [IsSo, string][]>}
 */
const ALTERNATIVES = {
  norm: [[({ normFirst }) => normFirst, 'whatFirst']], scale: [[isUndivided, 'whatUndivided']],
  scores: [[isUndivided, 'whatUndivided']],
  positions: [[isLearned, 'whatLearned'], [isConcatenated, 'whatConcatenated']],
  qkv: [[isShared, 'whatShared']], heads: [[isShared, 'whatShared']],
  logits: [[(_, { parts }) => parts.isTied, 'whatTied']],
  rmsnorm: [[(_, { parts }) => parts.isFirst, 'whatFirst']],
  activation: [[isBend('relu'), 'whatRelu'], [isBend('gelu'), 'whatGelu']],
  gateActivation: [[isBend('silu'), 'whatSilu']],
  causal: [[({ tgtIsCausal }) => tgtIsCausal === false, 'whatOpen']]
}

/** The key of the text that says what a room does in the current state. @param {Room} room @param {Settings} state */
export const descriptionKey = (room, state) => ALTERNATIVES[room.words]?.find(([isSo]) => isSo(state, room))?.[1] ?? 'what'

/**
 * The output: its name may break at every dot, its shape does not break.
 * @param {Element} flow @param {Described} tensor
 */
const outputLabel = (flow, { name, shape }) => (
  flow.replaceChildren(...dotted(`${name} ${dimensions(shape).replaceAll(' ', '\u00a0')}`)))

/** Rooms that appear and disappear with settings, unless they are all of a place: dropout, built-in faults. */
const PASSING = ['operation', 'dropout', 'attention_dropout']

/**
 * The number of a room on the tour, and of how many; 0 for rooms off the tour and for temporary ones, so that the count
 * of a model stays the same whatever is switched on.
 * @param {Room[]} rooms @param {Room} room
 */
export function positionOnTour(rooms, room) {
  const counted = rooms.filter(({ id, isOnTour, stage }) => (
    id !== HOUSE.id && isOnTour && (!PASSING.includes(stage) || id === stage)))
  return { number: counted.indexOf(room) + 1, total: counted.length }
}

/** Rooms without a paragraph on what would happen without them. */
const WITHOUT_NOTE = new Set(['parts', 'habits', 'stream', 'costs'])

/** @param {string} title @param {...Child} text */
const aside = (title, ...text) => h('section', {}, h('h2', {}, title), h('p', {}, ...text))

/**
 * The links of a text that change settings when pressed.
 * @param {Context} context @param {{ className?: string, after?: () => void }} [how]
 */
function deeds({ link, set, get }, { className = 'deed', after } = {}) {
  /** @type {{ deed: HTMLElement, patch: Patch }[]} */ let list = []
  return {
    /** @param {string} text */
    nodes(text) {
      list = []
      return prose(text, (words, change) => {
        const patch = patchFrom(change, get().model)
        const deed = h('a', { className, onclick: following(() => {
          set(patch, 'push')
          after?.()
        }) }, words)
        list.push({ deed, patch })
        return deed
      })
    },
    update: () => list.forEach(({ deed, patch }) => deed.setAttribute('href', link(patch)))
  }
}

/**
 * Mounts one room in its frame.
 * @param {Element} container
 * @param {Room} room
 * @param {Context} context
 */
export function frame(container, room, context) {
  const { t } = context
  const { aside: beside = 'without' } = room
  const heading = WITHOUT_NOTE.has(room.words) ? 'frame.note' : `frame.${beside}`
  const stage = stageOf(room.stage)
  const rooms = context.rooms()
  const at = rooms.indexOf(room)
  const place = positionOnTour(rooms, room)
  const isBatch = () => batchOf(context.run() ?? { streams: {} }) > 1
  /** @param {string} part */
  const words = part => t(`stages.${room.words}.${part}`)
  const controls = (room.controls ?? stage.controls).filter(name => hasControl(name, context.get().model))
    .map(name => ({ name, ...control(name, context) }))
  const pickers = stage.pickers.filter(name => name !== 'sentence' || isBatch())
    .map(name => ({ name, ...picker(name, context) }))
  const quote = h('p', { className: 'quote' })
  const lead = h('p', { className: 'lead' })
  const from = h('p', { className: 'provenance' })
  const figure = h('div', { className: 'stage-figure' })
  const broken = h('p', { className: 'problem broken', hidden: true })
  const offered = h('p', { className: 'offer', hidden: true })
  const missing = notRetained(room, context)
  const own = modelOf(context.get().model)
  const isOfParts = at === 0 || controls.some(({ name }) => own.settings[name].isExplained)
  const learned = own.variants && isOfParts ? trainingResults(context) : null
  const notebooks = (room.notebooks ?? []).map(({ id, words: name }) => (
    h('a', { href: context.href(id), onclick: following(() => context.enter(id)) }, t(`stages.${name}.name`))))
  const kind = h('p', { className: 'note untrained' })
  const ways = roomLinks(room, context)
  const cost = costLine(room, context)
  const tools = h('div', { className: 'tools' }, [...pickers, ...controls].map(({ element }) => element),
    stage.pickers.includes('sentence') && isBatch() ? quote : '')
  const number = h('span', { className: 'visually-hidden' }, ' ',
    t('frame.room', place))
  const back = h('span')
  const showChanged = undoButton(back, context)
  const terms = deeds(context, { className: 'term' })
  const training = deeds(context)
  const trying = deeds(context, { after: () => scrollIntoView(tools.isConnected ? tools : figure, SHOWN_AT) })
  container.replaceChildren(
    h('p', { className: 'eyebrow' },
      room.layer !== undefined || !place.number ? '' : h('b', { 'aria-hidden': 'true' }, String(place.number)),
      placeName(room, t), place.number ? number : '', back),
    h('h1', {}, words('title')),
    from, lead, broken, offered,
    at ? '' : ways.element, tools.childElementCount ? tools : '',
    missing.element, figure,
    notebooks.length ? h('p', { className: 'in-notebooks' }, t('lab.inNotebook'), ' ', notebooks) : '',
    h('div', { className: 'asides' }, aside(t('frame.try'), trying.nodes(words('try'))),
      aside(t(heading), prose(words(beside)))),
    learned?.element ?? '',
    at ? ways.element : '',
    kind, cost.element)
  const output = outputOf(room)
  let lastText = ''
  /** @type {string | null} */ let offer = null
  /** Warns about NaN or infinite weights of an imported model. @param {Run} run */
  function showBroken({ imported }) {
    const brokenWeights = imported?.broken
    broken.hidden = !brokenWeights
    if (brokenWeights) setText(broken, t('frame.broken', { count: brokenWeights.count, first: brokenWeights.first }))
  }
  /** Offers to train, where no trained weights exist for the current settings. @param {Settings} state */
  function showOffer(state) {
    const wanted = own.offer?.(state) ?? null
    if (wanted !== offer) offered.replaceChildren(...(wanted === null ? [] : training.nodes(t('frame.offer', { training: wanted }))))
    offer = wanted
    offered.hidden = wanted === null
  }
  /**
   * The subject of the room and its output: with the norm first that is not its own result.
   * @param {Run | null} run @param {View} state
   */
  function describe(run, state) {
    const key = descriptionKey(room, state)
    if (key !== lastText) lead.replaceChildren(...terms.nodes(words(key)))
    lastText = key
    const flowing = run && output && !room.parts.isFirst && describedOf(run, output)
    const flow = ways.flow()
    if (!flow) return
    if (flowing) outputLabel(flow, flowing)
    else flow.replaceChildren()
  }
  const figureView = stage.mount(figure, context)
  /** The figure, or a note where its tensors were not retained. @param {Run} run @param {View} view */
  function draw(run, view) {
    try {
      figureView.update(context.onOneScale(stage.data(run, view), run, view))
      missing.say(null)
    } catch (error) {
      if (!(error instanceof NotRetained)) throw error
      missing.say(run)
    }
    figure.hidden = !missing.element.hidden
  }

  return {
    figure,
    /** @param {Run | null} run @param {View} view */
    update(run, view) {
      ways.update(run)
      learned?.update()
      showOffer(view)
      showChanged()
      setText(kind, t(`app.models.${modelOf(view.model).kind(view)}`))
      describe(run, view)
      for (const one of [terms, trying, training]) one.update()
      if (!run) return
      showBroken(run)
      cost.update(run)
      for (const one of pickers) {
        const list = options(one.name, run, view, t)
        one.element.hidden = list.length < 2
        one.update(list, view[one.name])
      }
      setText(quote, Object.values(run.streams)[0]?.texts[view.sentence] ?? '')
      setText(from, context.origin())
      draw(run, view)
    },
    /** @param {State} state @param {Record<string, string>} problems texts by control */
    controls: (state, problems) => controls.forEach(one => {
      one.element.hidden = !isUseful(one.name, state)
      one.update(state, problems)
    }),
    mark: (/** @type {Marks} */ marks) => figureView.mark(marks),
    destroy: () => figureView.destroy()
  }
}
