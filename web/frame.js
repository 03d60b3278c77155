/** What every stage has around its figure: the question, the words, its controls, the way on. */

import { outputOf, roomsOf } from './building.js'
import { changed } from './changed.js'
import { control, isFor, isLearned, isUndivided, isUseful, picker } from './controls.js'
import { dotted, following, h, setText } from './lib/dom.js'
import { dimensions } from './lib/number.js'
import { prose } from './lib/prose.js'
import { tensorOf } from './lib/run.js'
import { bringInSight } from './lib/sight.js'
import { whence } from './lib/whence.js'
import { patchFrom } from './state.js'

const PARTS = ['q', 'k', 'v']

/** Where in the window what a deed has changed comes to stand, below what stays at the top of a phone. */
const SHOWN_AT = 0.25

const SHORTCUTS = { prev: 'ArrowLeft', next: 'ArrowRight' }

/** The alternatives of a picker, as far as this run has them. */
function options(name, run, t) {
  if (name === 'part') return PARTS.map((value) => ({ value, text: t(`frame.parts.${value}`) }))
  if (name === 'head') return Array.from({ length: run.settings.heads }, (_, value) => ({ value, text: String(value) }))
  if (name === 'row') return run.target.tokens.map((text, value) => ({ value, text }))
  return run.texts.map((title, value) => ({ value, text: String(value), title }))
}

/** Where a room is: tower, layer and part, as far as it needs them. */
export function partName({ tower, layer, block }, t) {
  if (layer === undefined) return tower && block === 'entry' ? t(`map.${tower}`) : ''
  return `${t(`map.${tower}`)} ${t('map.layer', { number: layer + 1 })} · ${t(`map.blocks.${block}`)}`
}

const ownName = ({ words }, t) => t(`stages.${words}.name`)

/** Where a room is and what it is called. */
export const placeName = (room, t) => [partName(room, t), ownName(room, t)].filter(Boolean).join(' · ')

/** What a room says of itself under a setting that makes something else of it: the setting, and the words' key. */
const OTHERWISE = {
  norm: [({ normFirst }) => normFirst, 'whatFirst'], scores: [isUndivided, 'whatUndivided'],
  scale: [isUndivided, 'whatUndivided'], places: [isLearned, 'whatLearned'], positions: [isLearned, 'whatLearned']
}

function whatOf({ words }, state) {
  const [isSo, key] = OTHERWISE[words] ?? []
  return isSo?.(state) ? key : 'what'
}

/** The key of what is said of the model at the foot of every room. */
function kindOf(state) {
  if (state.model !== 'trained') return state.model
  if (isLearned(state)) return 'drawn'
  return state.edits.length ? 'edited' : 'trained'
}

/** What flows on: its name may break at every dot, its shape stays in one piece. */
const say = (flow, { name, shape }) => (
  flow.replaceChildren(...dotted(`${name} ${dimensions(shape).replaceAll(' ', '\u00a0')}`)))

/** The room before or after on the tour; a room off the tour leads back to it. */
function neighbour(room, rooms, direction) {
  const at = rooms.indexOf(room)
  const side = direction < 0 ? rooms.slice(0, at).reverse() : rooms.slice(at + 1)
  return side.find((one) => one.isOnTour || (!room.isOnTour && one.layer === room.layer && one.tower === room.tower))
}

/** The way to a neighbour: where it is, if that is another part of the house, and what the way passes over. */
function wayTo(from, rooms, { step, direction, word }, { t, enter, href }) {
  const room = neighbour(from, rooms, step)
  if (!room) return { element: h('span'), update() {} }
  const flow = h('span', { className: 'shape' })
  const part = partName(room, t)
  const skips = step > 0 && rooms.indexOf(room) - rooms.indexOf(from) > step
  const element = h('a', {
    className: `way-${direction}`, rel: direction, 'aria-keyshortcuts': SHORTCUTS[direction],
    onclick: following(() => enter(room.id))
  }, h('small', {}, t(word)), part === partName(from, t) ? '' : h('span', { className: 'way-part' }, part),
  h('b', {}, ownName(room, t)), flow, skips ? h('span', { className: 'way-skips' }, t('frame.skips')) : '')
  const update = () => element.setAttribute('href', href(room.id))
  return { element, flow, update }
}

const aside = (title, ...text) => h('section', {}, h('h2', {}, title), h('p', {}, ...text))

/** Advice whose marked words, once pressed, set what they advise; then what has changed is shown. */
function advice(title, text, { link, set }, shown) {
  const deeds = []
  const element = aside(title, prose(text, (words, change) => {
    const patch = patchFrom(change)
    const deed = h('a', { className: 'deed', onclick: following(() => {
      set(patch, 'push')
      shown()
    }) }, words)
    deeds.push({ deed, patch })
    return deed
  }))
  const update = () => deeds.forEach(({ deed, patch }) => deed.setAttribute('href', link(patch)))
  return { element, update }
}

/**
 * Mounts one room in its frame.
 * @param {Element} container
 * @param {import('./building.js').Room} room
 * @param {object} context
 */
export function frame(container, room, context) {
  const { t } = context
  const { stage, aside: beside = 'without' } = room
  const rooms = roomsOf(context.get())
  const at = rooms.indexOf(room)
  const words = (part) => t(`stages.${room.words}.${part}`)
  const controls = (room.controls ?? stage.controls).filter((name) => isFor(name, context.get().model))
    .map((name) => ({ name, ...control(name, context) }))
  const pickers = stage.pickers.filter((name) => name !== 'sentence' || !room.tower)
    .map((name) => ({ name, ...picker(name, context) }))
  const quote = h('p', { className: 'quote' })
  const lead = h('p', { className: 'lead' })
  const from = h('p', { className: 'whence' })
  const figure = h('div', { className: 'stage-figure' })
  const off = h('p', { className: 'note', hidden: true }, t('frame.off'))
  const kind = h('p', { className: 'note untrained' })
  const directions = [
    { step: -1, direction: 'prev', word: 'frame.previous' },
    { step: 1, direction: 'next', word: at ? 'frame.next' : 'frame.start' }
  ]
  const waysIn = (all) => directions.map((one) => wayTo(room, all, one, context))
  let known = rooms
  let ways = waysIn(rooms)
  const tools = h('div', { className: 'tools' }, [...pickers, ...controls].map(({ element }) => element),
    stage.pickers.includes('sentence') && !room.tower ? quote : '')
  const way = h('nav', { className: 'ways', 'aria-label': t('frame.ways') }, ways.map(({ element }) => element),
    h('p', { className: 'ways-keys' }, t('frame.keys')))
  const number = h('span', { className: 'visually-hidden' }, ' ',
    t('frame.room', { total: rooms.length - 1, number: at }))
  const back = h('span')
  const showChanged = changed(back, context)
  const trying = advice(t('frame.try'), words('try'), context, () => {
    bringInSight(tools.isConnected ? tools : figure, SHOWN_AT)
  })
  container.replaceChildren(
    h('p', { className: 'eyebrow' },
      room.tower || at === 0 ? '' : h('b', { 'aria-hidden': 'true' }, String(at)), placeName(room, t),
      at ? number : '', back),
    h('h1', {}, words('title')),
    from, lead,
    at ? '' : way, tools.childElementCount ? tools : '',
    off, figure,
    h('div', { className: 'asides' }, trying.element, aside(t(`frame.${beside}`), prose(words(beside)))),
    at ? way : '',
    kind)
  const output = outputOf(room)
  let said = ''
  /** What the room is about, and what goes on from it: with the norm first that is no longer its own result. */
  function tell(run, state) {
    const key = whatOf(room, state)
    if (key !== said) lead.replaceChildren(...prose(words(key)))
    said = key
    const isLast = room.words !== 'norm' || !state.normFirst
    const known = (name) => run && tensorOf(run, name)
    // A learned table of positions stands where the computed one stood.
    const flowing = isLast && output && (known(output) ?? room.tensors.map(known).find(Boolean))
    if (!ways[1].flow) return
    if (flowing) say(ways[1].flow, flowing)
    else ways[1].flow.replaceChildren()
  }
  const view = stage.mount(figure, context)

  return {
    figure,
    /** @param {object | null} run @param {object} state */
    update(run, state) {
      if (roomsOf(state) !== known) {
        known = roomsOf(state)
        const before = ways.map(({ element }) => element)
        ways = waysIn(known)
        before.forEach((element, i) => element.replaceWith(ways[i].element))
      }
      ways.forEach((one) => one.update())
      trying.update()
      showChanged()
      setText(kind, t(`app.models.${kindOf(state)}`))
      tell(run, state)
      if (!run) return
      pickers.forEach((one) => one.update(options(one.name, run, t), state[one.name]))
      setText(quote, run.texts[state.sentence])
      setText(from, whence(context))
      const shown = stage.data(run, state)
      figure.hidden = !shown
      off.hidden = Boolean(shown)
      if (shown) view.update(context.shared(shown, run, state))
    },
    /** @param {object} state @param {Record<string, string>} problems texts by control */
    controls: (state, problems) => controls.forEach((one) => {
      one.element.hidden = !isUseful(one.name, state)
      one.update(state, problems)
    }),
    mark: (marks) => view.mark(marks),
    destroy: () => view.destroy()
  }
}
