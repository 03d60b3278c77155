/** The whole building as one picture: every floor a true picture of its tensor, read from below; a floor is a door. */

import { chance, scale, signed } from '../lib/color.js'
import { following, h, keep, setText, svg } from '../lib/dom.js'
import { inSlices, later } from '../lib/later.js'
import { dimensions } from '../lib/number.js'
import { attentionMatrix, entryNames, sentenceMatrix, tensorOf } from '../lib/run.js'
import { peak } from '../lib/slice.js'
import { thumb } from '../lib/thumb.js'
import { drawBranches } from '../lib/wire.js'

export const id = 'house'
export const tensors = []
export const controls = []
export const pickers = []

/** More heads than this would be too small to be read. */
const MOST_HEADS = 8
const EDGES = /^<.*>$/
const WIRE_GAP = 36

/** A floor with what flows out of it: its name as a key of a text, its room, its tensor. */
const stream = (word, room, name) => ({ word, room, name })
/** A floor that looks somewhere: a picture for each head. */
const looks = (word, room, name) => ({ word, room, name, isLook: true })

const ENTRY = { source: 'stages.pieces.name', target: 'stages.given.name' }

function entry(run, side) {
  const at = side === 'source' ? '' : 'target.'
  return [
    { word: ENTRY[side], room: `${at}tokens`, tokens: run[side].tokens },
    stream('stages.sum.name', `${side}.sum`, entryNames(run, side).sum)
  ]
}

const SUBLAYERS = {
  encoder: [['self_attn', 'map.blocks.self_attn'], ['activation', 'map.blocks.feed_forward']],
  decoder: [
    ['self_attn', 'map.blocks.masked'], ['multihead_attn', 'map.blocks.multihead_attn'],
    ['activation', 'map.blocks.feed_forward']
  ]
}

/** Each sub-layer with its norm, in the order in which they are computed. */
function layer({ settings }, tower, n) {
  const [at, room] = [`transformer.${tower}.layers.${n}`, `${tower}.${n}`]
  return SUBLAYERS[tower].flatMap(([part, word], i) => {
    const norm = stream('stages.norm.name', `${room}.norm${i + 1}`, `${at}.norm${i + 1}.output`)
    const own = part === 'activation' ? stream(word, `${room}.activation`, `${at}.activation`)
      : looks(word, `${room}.${part}.weights`, `${at}.${part}.weights`)
    return (settings.normFirst ? [norm, own] : [own, norm]).map((floor) => ({ ...floor, layer: n }))
  })
}

function tower(run, name) {
  const layers = Array.from({ length: run.settings.layers }, (_, n) => layer(run, name, n)).flat()
  if (name === 'encoder') {
    return [...entry(run, 'source'), ...layers, stream('stages.memory.name', 'memory', 'transformer.encoder.output')]
  }
  return [
    ...entry(run, 'target'), ...layers,
    stream('stages.finalnorm.name', 'decoder.norm', 'transformer.decoder.output'),
    stream('stages.logits.name', 'logits', 'output'),
    { ...stream('stages.sampling.name', 'sampling', 'softmax.output'), isChance: true },
    {
      word: 'stages.decoding.name', room: 'decoding', isAnswer: true,
      tokens: run.decoding.steps.map(({ token }) => token)
    }
  ]
}

/** The block of the sentences has one tower. */
const block = (run, sentence) => [
  { word: 'stages.tokens.name', room: 'tokens', tokens: run.tokens[sentence] },
  stream('stages.embedding.name', 'embedding', 'embedding'),
  stream('stages.sum.name', 'sum', 'sum'),
  { word: 'stages.qkv.name', room: 'qkv', names: ['q', 'k', 'v'].map((part) => `self_attn.${part}`) },
  looks('stages.scores.name', 'scores', 'self_attn.scores'),
  looks('stages.weights.name', 'weights', 'self_attn.weights'),
  stream('stages.heads.name', 'heads', 'self_attn.heads'),
  stream('stages.output.name', 'output', 'self_attn.output')
]

function furnished(run, floor, sentence) {
  if (floor.tokens) return floor
  const names = floor.names ?? [floor.name]
  const tensor = tensorOf(run, names[0])
  const isChance = floor.isChance || names[0].endsWith('.weights')
  const domain = isChance ? chance() : signed(Math.max(...names.map((name) => peak(tensorOf(run, name)))))
  const heads = Math.min(MOST_HEADS, tensor.shape[1])
  const head = (_, number) => attentionMatrix(run, names[0], sentence, number)
  const parts = floor.isLook ? Array.from({ length: heads }, head)
    : names.map((name) => sentenceMatrix(run, name, sentence))
  return { ...floor, parts, domain, shape: run.labels ? tensor.shape.slice(1) : tensor.shape }
}

/** Towers of floors from the ground up, and what goes in and comes out. */
export function data(run, { sentence }) {
  const towers = run.labels ? ['encoder', 'decoder'].map((name) => ({ name, floors: tower(run, name) }))
    : [{ name: 'block', floors: block(run, sentence) }]
  const furnish = (floor) => furnished(run, floor, sentence)
  return {
    towers: towers.map(({ name, floors }) => ({ name, floors: floors.map(furnish) })),
    input: run.texts[sentence], read: towers[0].floors[0].tokens.filter((token) => !EDGES.test(token)).length,
    steps: run.decoding?.steps.length, isGiven: run.decoding?.kind === 'given'
  }
}

export const picture = (run, { sentence }) => {
  if (run.labels) return { part: sentenceMatrix(run, 'softmax.output', sentence), domain: chance() }
  const name = 'self_attn.output'
  return { part: sentenceMatrix(run, name, sentence), domain: signed(peak(tensorOf(run, name))) }
}

function createPicture() {
  const stamp = h('span', { className: 'pane-picture' })
  stamp.thumb = thumb(stamp)
  return stamp
}

/** A picture has its place at once and its colours when there is time. */
function fillPicture(stamp, view) {
  stamp.style.setProperty('--shape', String(view.part.cols / view.part.rows))
  stamp.view = view
}

function paint(stamp) {
  const { part, colours } = stamp.view
  if (stamp.thumb.update(part, colours)) {
    stamp.classList.remove('is-changed')
    requestAnimationFrame(() => stamp.classList.add('is-changed'))
  }
}

const createFloor = ({ href, enter }) => () => {
  const link = h('a', { className: 'pane-floor', onclick: following(() => enter(link.dataset.room)) },
    h('span', { className: 'pane-name' }), h('span', { className: 'pane-pictures' }),
    h('small', { className: 'shape' }))
  link.address = href
  return link
}

const fillToken = (element, token) => {
  setText(element, token)
  element.classList.toggle('is-faint', EDGES.test(token))
}

function fillFloor(link, floor, { t, mode, where }) {
  const [name, pictures, shape] = link.children
  const { room, word, tokens, parts, domain, isLook, isAnswer } = floor
  link.dataset.room = room
  link.setAttribute('href', link.address(room))
  link.setAttribute('class', `pane-floor ${tokens ? 'has-tokens' : isLook ? 'has-heads' : 'has-stream'}`)
  link.classList.toggle('is-answer', Boolean(isAnswer))
  setText(name, t(word))
  setText(shape, tokens ? '' : dimensions(floor.shape))
  link.title = [where(floor), t(word), shape.textContent].filter(Boolean).join(' · ')
  pictures.classList.toggle('is-tokens', Boolean(tokens))
  if (link.kind !== Boolean(tokens)) pictures.replaceChildren()
  link.kind = Boolean(tokens)
  if (tokens) return keep(pictures, tokens, () => h('span'), fillToken)
  const colours = scale(domain, mode)
  return keep(pictures, parts.map((part) => ({ part, colours })), createPicture, fillPicture)
}

/** Floors of the same layer stand together. */
function storeysOf(floors) {
  const storeys = []
  for (const floor of floors) {
    const last = storeys.at(-1)
    if (last && last.layer === floor.layer) last.floors.push(floor)
    else storeys.push({ layer: floor.layer, floors: [floor] })
  }
  return storeys
}

export function mount(container, context) {
  const { t, theme } = context
  const now = h('p', { className: 'house-now' })
  const wire = svg('path', { class: 'memory-wire' })
  const towers = h('div', { className: 'pane-towers' })
  const root = h('div', { className: 'panes' }, svg('svg', { class: 'memory', 'aria-hidden': 'true' }, wire),
    h('div', { className: 'pane-words' }, now, h('p', { className: 'note' }, t('stages.house.colours'))), towers)
  container.append(root)

  const where = (name) => ({ layer }) => (
    layer === undefined ? '' : `${t(`map.${name}`)} ${t('map.layer', { number: layer + 1 })}`)
  const fillStorey = (name) => (element, { layer, floors }) => {
    element.classList.toggle('is-layer', layer !== undefined)
    setText(element.firstChild, layer === undefined ? '' : t('map.layer', { number: layer + 1 }))
    keep(element.lastChild, floors, createFloor(context), (link, floor) => (
      fillFloor(link, floor, { t, mode: theme().mode, where: where(name) })))
  }
  const createStorey = () => h('div', { className: 'pane-storey' }, h('small'), h('div', { className: 'pane-floors' }))
  const fillTower = (element, { name, floors }) => {
    element.dataset.tower = name
    element.firstChild.hidden = name === 'block'
    setText(element.firstChild, name === 'block' ? t('stages.block.name') : t(`map.${name}`))
    keep(element.lastChild, storeysOf(floors), createStorey, fillStorey(name))
  }
  const drawWire = () => drawBranches(wire, root, root.querySelector('[data-room="memory"]'),
    root.querySelectorAll('[data-room$="multihead_attn.weights"]'), { gap: WIRE_GAP, hasArrows: true })
  const drawWireLater = later(drawWire)
  const paintPictures = inSlices(paint)
  const observer = new ResizeObserver(drawWire)
  observer.observe(root)

  function say({ input, read, steps, isGiven, towers: all }) {
    const answer = all.at(-1).floors.at(-1)
    if (!answer.isAnswer) return setText(now, t('stages.house.reads', { input, read }))
    const words = context.join(answer.tokens.filter((token) => !EDGES.test(token)))
    const key = isGiven ? 'stages.house.given' : 'stages.house.writes'
    return setText(now, t(key, { input, read, steps, answer: words }))
  }
  return {
    update(shown) {
      say(shown)
      keep(towers, shown.towers, () => h('section', {}, h('h2'), h('div', { className: 'pane-tower' })), fillTower)
      const pictures = [...towers.querySelectorAll('.pane-picture')]
      if (theme().isPaper) pictures.forEach(paint)
      else paintPictures(pictures)
      drawWireLater()
    },
    mark() {},
    destroy: () => observer.disconnect()
  }
}
