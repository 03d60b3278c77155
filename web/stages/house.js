/** The whole model as one picture, from the bottom up: every floor displays the tensor of a room and links to it. */

import { createScale } from '../lib/color.js'
import { handleInternalClick, h, exists, syncChildren, setText, svg } from '../lib/dom.js'
import { createSlicedWorker, debounce } from '../lib/scheduling.js'
import { formatShape } from '../lib/number.js'
import { getDescription } from '../lib/run.js'
import { thumbnail } from '../lib/thumbnail.js'
import { drawConnector } from '../lib/connector.js'

/**
 * @import { BuiltElement, Context, Domain, Mode, Mount, Picture, Room, Run, Scale, Stage, Translate,
 * View } from '../types.d.ts'
 */

export const id = 'house'
/** @type {string[]} */ export const controls = []
/** @type {string[]} */ export const pickers = []

/** More heads than this would be too small to read. */
const MAX_HEADS = 8
/** The maximum number of displayed tokens and characters of a text. */
const [MAX_TOKENS, MAX_CHARACTERS] = [48, 240]
const EDGES = /^<.*>$/
const CONNECTOR_GAP = 36

/** @typedef {ReturnType<typeof thumbnail>} Thumb */
/** @typedef {{ part: Picture['part'], colors: Scale }} Colored */
/** @typedef {HTMLElement & { thumb: Thumb, view?: Colored }} PictureElement */
/** @typedef {BuiltElement<HTMLAnchorElement> & { address: Context['href'], kind?: string }} Link */

/**
 * The content of a floor: tokens, or pictures on one scale.
 * @typedef {{ tokens: string[], isAnswer?: boolean, parts?: undefined }
 *   | { tokens?: undefined, isAnswer?: undefined, parts: Picture['part'][], domain?: Domain, isAttention: boolean,
 *   shape: number[] }} FloorContent
 * @typedef {{ room: string, word: string, layer?: number, wire: string } & FloorContent} Floor
 * @typedef {{ layer?: number, floors: Floor[] }} Storey the floors of one layer
 */

/** Stages whose floors are named after their block of the layer. */
const BLOCKS = ['weights', 'cross', 'activation']
const ATTENTION_STAGES = ['scores', 'weights', 'cross']
const TOKENS = ['tokens', 'pieces']

/**
 * The content of a floor: tokens, one picture for each head or projection, or one picture.
 * @param {Run} run @param {Room} room @param {View} view @returns {FloorContent}
 */
function floorContent(run, room, view) {
  const { stage, parts, tensors } = room
  const { sentence = 0 } = view
  if (TOKENS.includes(stage)) {
    const { tokens, lengths } = run.streams[parts.stream]
    return { tokens: (tokens[sentence] ?? tokens[0]).slice(0, lengths?.[sentence]) }
  }
  if (stage === 'labels') return { tokens: run.classification?.items ?? [], isAnswer: true }
  if (stage === 'decoding') return { tokens: (run.decoding?.steps ?? []).map(({ token }) => token), isAnswer: true }
  const picture = (/** @type {object} */ more) => view.picture(room, more)
  const heads = Array.from({ length: Math.min(MAX_HEADS, parts.heads ?? 1) }, (_, head) => ({ head }))
  const isAttention = ATTENTION_STAGES.includes(stage)
  const views = isAttention ? heads : stage === 'qkv' ? ['q', 'k', 'v'].map(part => ({ part })) : [{}]
  const pictures = views.map(picture).filter(exists)
  const { shape } = getDescription(run, tensors[0])
  const domains = pictures.map(({ domain }) => domain)
  // Matrices that were not retained have no picture.
  const domain = domains.reduce((a, b) => (b.max > a.max ? b : a), domains[0])
  return { parts: pictures.map(({ part }) => part), domain, isAttention,
    shape: shape[0] === 1 ? shape.slice(1) : shape }
}

/** @param {Run} run @param {Room} room @param {View} view @returns {Floor} */
function floor(run, room, view) {
  const isBlock = BLOCKS.includes(room.stage) && room.layer !== undefined
  const word = isBlock ? `map.blocks.${room.block}` : `stages.${room.words}.name`
  const wire = room.words === 'memory' ? 'from' : room.stage === 'cross' ? 'to' : ''
  return { room: room.id, word, layer: room.layer, wire, ...floorContent(run, room, view) }
}

/**
 * Towers of floors from the bottom up, with their inputs and outputs.
 * @param {Run} run @param {View} view
 */
export function data(run, view) {
  const floors = view.rooms.filter(({ isFloor }) => isFloor)
  const names = [...new Set(floors.map(({ tower = '' }) => tower))]
  const [first] = Object.values(run.streams)
  const { sentence } = view
  const tokens = first?.tokens[sentence] ?? first?.tokens[0] ?? []
  // If the model continues a prompt, only the prompt is input.
  const promptLength = Number(run.passes?.find(({ kind }) => kind === 'prefill')?.rows ?? tokens.length)
  return {
    notebooks: view.rooms.filter(({ block }) => block === 'notebooks').map(({ id, words }) => ({ id, words })),
    towers: names.map(name => ({
      name, floors: floors.filter(({ tower }) => tower === name).map(room => floor(run, room, view))
    })),
    input: truncateText(first?.texts[sentence] ?? first?.texts[0] ?? ''),
    read: tokens.slice(0, promptLength).filter(token => !EDGES.test(token)).length,
    why: view.rooms.find(({ stage }) => stage === 'attribution'),
    answer: run.classification?.text, steps: run.decoding?.steps.length, isGiven: run.decoding?.kind === 'given'
  }
}

/** @type {Stage['picture']} */
export function picture(run, { rooms, ...view }) {
  const last = rooms.findLast(({ isFloor, stage }) => isFloor && stage !== 'decoding' && !TOKENS.includes(stage))
  return last ? view.picture(last, {}) : null
}

/** @returns {PictureElement} */
function createPicture() {
  const stamp = h('span', { className: 'pane-picture' })
  return Object.assign(stamp, { thumb: thumbnail(stamp) })
}

/**
 * A picture gets its place at once and its colors when there is time.
 * @param {PictureElement} stamp @param {Colored} view
 */
function fillPicture(stamp, view) {
  stamp.style.setProperty('--shape', String(view.part.cols / view.part.rows))
  stamp.view = view
}

/** @param {PictureElement} stamp */
function paint(stamp) {
  const { part, colors } = /** @type {Colored} */ (stamp.view)
  if (stamp.thumb.update(part, colors)) {
    stamp.classList.remove('is-changed')
    requestAnimationFrame(() => stamp.classList.add('is-changed'))
  }
}

/** @param {Pick<Context, 'href' | 'enterRoom'>} context @returns {() => Link} */
const createFloor = ({ href, enterRoom: enter }) => () => {
  const link = h('a', { className: 'pane-floor', onclick: handleInternalClick(() => enter(link.dataset.room ?? '')) },
    h('span', { className: 'pane-name' }), h('span', { className: 'pane-pictures' }),
    h('small', { className: 'shape' }))
  return Object.assign(link, { address: href })
}

/** Truncates a long list. @param {string[]} tokens */
const truncateTokens = tokens => (tokens.length > MAX_TOKENS ? [...tokens.slice(0, MAX_TOKENS), '…'] : tokens)

/** @param {string} text */
const truncateText = text => (text.length > MAX_CHARACTERS ? `${[...text].slice(0, MAX_CHARACTERS).join('')}…` : text)

/** @param {Element} element @param {string} token */
const fillToken = (element, token) => {
  setText(element, token)
  element.classList.toggle('is-faint', EDGES.test(token))
}

/**
 * @param {Link} link @param {Floor} floor @param {{ t: Translate, mode: Mode, where: (floor: Floor) => string }} how
 */
function fillFloor(link, floor, { t, mode, where }) {
  const [name, pictures, shape] = link.children
  const { room, word, tokens, isAnswer } = floor
  link.dataset.room = room
  link.dataset.wire = floor.wire
  link.setAttribute('href', link.address(room))
  link.setAttribute('class', `pane-floor ${floor.tokens ? 'has-tokens' : floor.isAttention ? 'has-heads' : 'has-stream'}`)
  link.classList.toggle('is-answer', Boolean(isAnswer))
  setText(name, t(word))
  setText(shape, floor.tokens ? '' : formatShape(floor.shape))
  link.title = [where(floor), t(word), shape.textContent].filter(Boolean).join(' · ')
  pictures.classList.toggle('is-tokens', Boolean(tokens))
  const kind = floor.tokens ? 'tokens' : floor.domain ? 'pictures' : 'nothing'
  if (link.kind !== kind) pictures.replaceChildren()
  link.kind = kind
  if (floor.tokens) return syncChildren(pictures, truncateTokens(floor.tokens), () => h('span'), fillToken)
  if (!floor.domain) return syncChildren(pictures, [t('stages.house.unkept')], () => h('small'), setText)
  const colors = createScale(floor.domain, mode)
  return syncChildren(pictures, floor.parts.map(part => ({ part, colors })), createPicture, fillPicture)
}

/** Groups floors of the same layer. @param {Floor[]} floors */
function groupByLayer(floors) {
  /** @type {Storey[]} */ const storeys = []
  for (const floor of floors) {
    const last = storeys.at(-1)
    if (last && last.layer === floor.layer) last.floors.push(floor)
    else storeys.push({ layer: floor.layer, floors: [floor] })
  }
  return storeys
}

/** @type {Mount<typeof data>} */
export function mount(container, context) {
  const { t, theme } = context
  const now = h('p', { className: 'house-now' })
  const why = h('a', { onclick: handleInternalClick(() => context.enterRoom(why.dataset.room ?? '')) }, t('stages.attribution.title'))
  const whyLine = h('p', { className: 'house-why' }, why)
  const connector = svg('path', { class: 'memory-wire' })
  const towers = h('div', { className: 'pane-towers' })
  const notebooks = h('nav', { className: 'house-notebooks', hidden: true }, h('h2'), h('ul'))
  const root = h('div', { className: 'panes' }, svg('svg', { 'class': 'memory', 'aria-hidden': 'true' }, connector),
    h('div', { className: 'pane-words' }, now, whyLine, h('p', { className: 'note' }, t('stages.house.colours'))), towers, notebooks)
  container.append(root)

  /** @param {string} name @returns {(floor: Floor) => string} */
  const where = name => ({ layer }) => (
    layer === undefined ? '' : `${t(`map.${name}`)} ${t('map.layer', { number: layer })}`)
  /** @param {string} name @returns {(element: BuiltElement<HTMLElement>, storey: Storey) => void} */
  const fillStorey = name => (element, { layer, floors }) => {
    element.classList.toggle('is-layer', layer !== undefined)
    setText(element.firstChild, layer === undefined ? '' : t('map.layer', { number: layer }))
    syncChildren(element.lastChild, floors, createFloor(context), (link, floor) => (
      fillFloor(link, floor, { t, mode: theme().mode, where: where(name) })))
  }
  const createStorey = () => h('div', { className: 'pane-storey' }, h('small'), h('div', { className: 'pane-floors' }))
  /** @param {BuiltElement<HTMLElement>} element @param {{ name: string, floors: Floor[] }} tower */
  const fillTower = (element, { name, floors }) => {
    element.dataset.tower = name
    element.firstChild.hidden = name === 'model'
    setText(element.firstChild, t(`map.${name}`))
    syncChildren(element.lastChild, groupByLayer(floors), createStorey, fillStorey(name))
  }
  const updateConnector = () => drawConnector(connector, root, root.querySelector('[data-wire="from"]'),
    root.querySelectorAll('[data-wire="to"]'), { gap: CONNECTOR_GAP, hasArrows: true })
  const updateConnectorLater = debounce(updateConnector)
  const paintPictures = createSlicedWorker(paint)
  const observer = new ResizeObserver(updateConnector)
  observer.observe(root)

  const createLink = () => {
    const link = h('a', { onclick: handleInternalClick(() => context.enterRoom(link.dataset.room ?? '')) })
    return h('li', {}, link)
  }
  /** @param {BuiltElement<HTMLElement>} element @param {{ id: string, words: string }} notebook */
  const fillLink = ({ firstChild: link }, { id, words }) => {
    link.dataset.room = id
    link.setAttribute('href', context.href(id))
    setText(link, t(`stages.${words}.name`))
  }
  /** The list of notebooks. @param {{ id: string, words: string }[]} list */
  function listNotebooks(list) {
    notebooks.hidden = list.length === 0
    if (notebooks.hidden) return
    notebooks.setAttribute('aria-label', t('lab.notebooks'))
    setText(notebooks.firstChild, t('lab.notebooks'))
    syncChildren(notebooks.lastChild, list, createLink, fillLink)
  }
  /** @param {ReturnType<typeof data>} shown */
  function describe({ input, read, answer: label, steps, isGiven, towers: all }) {
    if (label !== undefined) return setText(now, t('stages.house.classifies', { input, read, answer: label }))
    const answer = all.at(-1)?.floors.at(-1)
    if (!answer?.isAnswer) return setText(now, t('stages.house.reads', { input, read }))
    const words = truncateText(context.written(answer.tokens))
    const key = isGiven ? 'stages.house.given' : 'stages.house.writes'
    return setText(now, t(key, { input, read, steps, answer: words }))
  }
  return {
    update(shown) {
      describe(shown)
      whyLine.hidden = !shown.why
      why.dataset.room = shown.why?.id ?? ''
      if (shown.why) why.setAttribute('href', context.href(shown.why.id))
      listNotebooks(shown.notebooks)
      syncChildren(towers, shown.towers, () => h('section', {}, h('h2'), h('div', { className: 'pane-tower' })), fillTower)
      /** @type {NodeListOf<PictureElement>} */ const list = towers.querySelectorAll('.pane-picture')
      paintPictures([...list])
      updateConnectorLater()
    },
    mark() {},
    destroy: () => observer.disconnect()
  }
}
