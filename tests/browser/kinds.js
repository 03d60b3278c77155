/**
 * Every kind of number the page writes: where it stands, and what it has to be by the run made in Node. A number that
 * is of no kind here is a number nobody checks, and the walk fails on it.
 */

import en from '../../web/text/en.json' with { type: 'json' }
import ko from '../../web/text/ko.json' with { type: 'json' }
import { changes } from '../../web/changed.js'
import { partName, placeName } from '../../web/frame.js'
import { piecesOf } from '../../web/lib/prose.js'
import { translator } from '../../web/lib/text.js'
import { DATES, PRESETS } from '../../web/state.js'

const MESSAGES = { ko, en }
const TALL = 1e-6

/**
 * Whether a text writes a value with every digit it shows right; a whole number stands for itself only.
 * @param {string} text
 * @param {number} value
 * @param {number} [least] decimals it has to show, unless it is a whole number
 */
export function writes(text, value, least = 2) {
  if (Number.isNaN(value)) return text === 'NaN'
  if (!Number.isFinite(value)) return text === (value > 0 ? '∞' : '−∞')
  const match = /^(−?)(\d+)(?:\.(\d+))?(?:e(−?\d+))?$/.exec(text)
  if (!match) return false
  const [, sign, digits, fraction = '', power] = match
  if ((sign === '−') !== (value < 0 || (Object.is(value, -0) && !fraction))) return false
  if (!fraction && !power) return Number(digits) === Math.abs(value)
  if (fraction.length < least && !power) return false
  const scaled = Math.abs(value) * 10 ** (fraction.length - Number((power ?? '0').replace('−', '-')))
  return Math.abs(scaled - Number(digits + fraction)) <= 0.5 + TALL
}

/** Whether a text is a float32 to its last bit. @param {string} text @param {number} value */
export const tells = (text, value) => (
  Object.is(Math.fround(Number(text.replaceAll('−', '-').replace('∞', 'Infinity'))), value))

/** A tensor of the run, by any of its names. */
export function tensorNamed({ run }, name) {
  if (name === 'ids') {
    const shape = [run.ids.length, run.ids[0].length]
    return { shape, axes: ['sentence', 'token'], data: Int32Array.from(run.ids.flat()) }
  }
  return run.tensors.get(run.aliases?.get(name) ?? name)
}

/** @param {object} view @param {string} name @param {number[]} index */
export function valueAt(view, name, index) {
  const { shape, data } = tensorNamed(view, name)
  const isInside = index.length === shape.length && index.every((i, axis) => i >= 0 && i < shape[axis])
  return isInside ? data[index.reduce((at, i, axis) => at * shape[axis] + i, 0)] : undefined
}

/** The index of a cell of a matrix that begins at `first` and runs over two axes. */
export function indexAt({ first, axes }, row, col) {
  return first.map((i, axis) => i + (axis === axes[0] ? row : 0) + (axis === axes[1] ? col : 0))
}

/** The cells of a matrix from `first` on. */
function matrixOf(view, { tensor, first, axes }) {
  const [rows, cols] = axes.map((axis) => (axis < 0 ? 1 : tensorNamed(view, tensor).shape[axis] - first[axis]))
  const places = (count) => Array.from({ length: count }, (_, i) => i)
  return places(rows).map((row) => places(cols).map((col) => valueAt(view, tensor, indexAt({ first, axes }, row, col))))
}

const rowOf = (view, about) => matrixOf(view, { ...about, axes: [-1, about.axes[1]] })[0]

const parseCell = (text) => {
  const [, name, index] = /^(.+)\[([\d, ]+)\]$/.exec(text)
  return [name, index.split(', ').map(Number)]
}

const mean = (list) => list.reduce((sum, x) => sum + x, 0) / list.length
const variance = (list) => mean(list.map((x) => (x - mean(list)) ** 2))
const reach = (list) => list.reduce((most, x) => (Number.isFinite(x) ? Math.max(most, Math.abs(x)) : most), 0)

/** The values in a text that a message makes, or null if it is not of that message. */
export function valuesIn({ messages }, key, text) {
  const message = key.split('.').reduce((node, part) => node?.[part], messages)
  const known = new Set()
  const pattern = message?.split(/(\{[^}]+\}[’”]?)/).map((part) => {
    const [, name, pair, quote] = /^\{(\w+)(?:\|(.+))?\}([’”]?)$/.exec(part) ?? []
    if (!name) return part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
    const value = known.has(name) ? `\\k<${name}>` : `(?<${name}>.+?)`
    known.add(name)
    return `${value}${quote}${pair ? `(?:${pair.split('/').join('|')})` : ''}`
  }).join('')
  return pattern ? new RegExp(`^${pattern}$`).exec(text)?.groups ?? null : null
}

const isToken = ({ run }, text) => (
  (run.labels ? Object.values(run.labels).flat() : [...run.vocab, ...run.tokens.flat(), '<pad>']).includes(text))
const isBelow = (text, most) => /^\d+$/.test(text) && Number(text) < most

const tokensHere = ({ run, room, state }) => (
  room.place && run[room.place] ? run[room.place].tokens : run.tokens[state.sentence])

/** What a row or a column of a matrix may be called. */
export function labelFits(view, { tensor: name, first, axes, side, i }, text) {
  const { run } = view
  const tensor = tensorNamed(view, name)
  const axis = axes[side]
  const at = first[axis] + i
  const kind = tensor.along?.[axis]
  const sentence = first[tensor.axes.indexOf('sentence')] ?? 0
  if (kind) return [run.labels[kind][at], `${run.labels[kind][at]} · ${at}`].includes(text)
  if (tensor.axes[axis] === 'word' && !run.labels) return [`${run.vocab[at]} · ${at}`].includes(text)
  if (tensor.axes[axis] === 'position') {
    const names = tokensHere(view)
    return (at < names.length ? [names[at], `${names[at]} · ${at}`] : ['<pad>', String(at)]).includes(text)
  }
  if (['token', 'query', 'key'].includes(tensor.axes[axis]) && !run.labels) {
    return text === (run.padding[sentence][at] ? '<pad>' : run.tokens[sentence][at])
  }
  return text === String(/in_proj/.test(name) && axis === 0 ? at % run.settings.dModel : at)
}

const peaks = new WeakMap()

/** The largest finite size in a tensor. */
function peakOf({ data }) {
  if (!peaks.has(data)) peaks.set(data, reach(data))
  return peaks.get(data)
}

/** Largest sizes that a legend of this room may be about: of what it shows, and what belongs with it. */
function peaksNear(view) {
  const shown = view.heats.map(({ tensor }) => tensor)
  const stemOf = (name) => name.replace(/[^.]+$/, '')
  const stems = new Set(shown.map(stemOf))
  const near = [...view.run.tensors.keys()].filter((name) => stems.has(stemOf(name)))
  const inputs = near.flatMap((name) => Object.values(view.run.inputs?.get(name) ?? {}))
  return [...near, ...inputs].map((name) => tensorNamed(view, name)).filter(Boolean).map(peakOf)
}

const shapeText = ({ shape }) => shape.join(' × ')

/** Names of rooms as the page says them. */
export const isPlace = ({ rooms, t }, text) => rooms.some((room) => placeName(room, t) === text)

/** Words of the page as they stand in its texts, with nothing put in. */
export function isProse({ plain }, text) {
  return plain.has(text.replaceAll('\u2060', ''))
}

const isIndex = (view, text, i) => text === String(i)
const cell = (view, text, key) => writes(text, valueAt(view, ...parseCell(key)))
function numbersOfRule(view, text, name) {
  const { shape } = tensorNamed(view, name), { formula, op } = view.run.explain(name, shape.map(() => 0))
  const places = op === 'positional_encoding' ? [1, Math.ceil(shape[1] / 2)] : []
  return [...formula.split(/[^\d.]+/).map(Number), ...places].includes(Number(text)) || isProse(view, text)
}

const notes = {
  'stages.dropout.kept': (view, { scale, dropped, total }, about) => {
    const mask = matrixOf(view, about).flat()
    return writes(scale, 1 / (1 - view.state.dropout)) && Number(total) === mask.length &&
      Number(dropped) === mask.filter((x) => x === 0).length
  },
  'stages.activation.silent': (view, { count, total }, about) => {
    const row = rowOf(view, about)
    return Number(count) === row.filter((x) => x === 0).length && Number(total) === row.length
  },
  ...Object.fromEntries(['greedy', 'sample', 'beam', 'given'].map((kind) => [
    `stages.decoding.${kind}`, ({ run }, { loss }) => kind === run.decoding.kind && writes(loss, run.loss)])),
  'stages.decoding.reread': ({ run }, { loss }) => run.settings.training && writes(loss, run.loss),
  'stages.decoding.unmasked': ({ run }, { loss }) => !run.settings.tgtIsCausal && writes(loss, run.loss)
}

const headings = {
  'stages.positions.curves': ({ run }, { dim }) => isBelow(dim, run.settings.dModel),
  'stages.positions.chart': ({ run }, { dim }) => isBelow(dim, run.settings.dModel),
  'stages.weights.bars': (view, { token }) => isToken(view, token),
  'stages.activation.curve': (view, { token }) => isToken(view, token),
  'stages.cross.reads': ({ run }, { token, next }) => (
    run.decoding.steps.some((step, i) => token === run.target.tokens[i] && next === step.token)),
  'stages.sampling.next': ({ run, state }, { step, token }) => (
    Number(step) === state.row && token === run.target.tokens[state.row])
}

/** Whether a text is one of some messages and its values are right. */
const said = (list) => (view, text, about) => Object.entries(list).some(([key, isRight]) => {
  const values = valuesIn(view, key, text)
  return values && isRight(view, values, about)
})

const strip = (view, text, about) => ['line', 'lineAfter'].some((key) => {
  const values = valuesIn(view, `stages.norm.${key}`, text)
  const row = rowOf(view, about)
  return values && writes(values.mean, mean(row)) && writes(values.variance, variance(row)) &&
    labelFits(view, { ...about, axes: [1], side: 0, i: 0 }, values.token)
})

const spaceless = (text) => text?.replaceAll(' ', '')

/** The answer of a run, whatever stands between its tokens. */
const written = ({ decoding }) => (
  decoding.steps.map(({ token }) => token).filter((token) => !/^<.*>$/.test(token)).join(''))

/** A tower and its layer. */
const isStorey = ({ t, run }, text) => Array.from({ length: run.settings.layers ?? 0 }, (_, n) => n).some((n) => (
  ['encoder', 'decoder'].some((tower) => text === `${t(`map.${tower}`)} ${t('map.layer', { number: n + 1 })}`)))

/** What the house says of this moment. */
function now(view, text) {
  const { run, state } = view
  const tokens = run.labels ? run.source.tokens : run.tokens[state.sentence]
  const read = tokens.filter((token) => !/^<.*>$/.test(token)).length
  return ['reads', 'writes', 'given'].some((key) => {
    const values = valuesIn(view, `stages.house.${key}`, text)
    if (values?.input !== run.texts[state.sentence] || Number(values.read) !== read) return false
    const answers = key === 'given' ? [state.target] : key === 'writes' ? [written(run)] : [undefined]
    return answers.map(spaceless).includes(spaceless(values.answer)) &&
      (key !== 'writes' || Number(values.steps) === run.decoding.steps.length)
  })
}

/** A floor of the house: its shape is that of a tensor of its room. */
function floorShape({ run, rooms }, text, id) {
  const shapes = rooms.find((room) => room.id === id).tensors.map((name) => tensorNamed({ run }, name)?.shape)
  return shapes.some((shape) => shape && text === (run.labels ? shape.slice(1) : shape).join(' × '))
}

/** Tokens and ids of a row of chips, each in its place. */
function chip({ run, room }, text, [row, i, part]) {
  if (room.stage.id === 'ids' && part === 'button') return text === String(row)
  const [tokens, ids] = room.stage.id === 'pieces' ? [run[room.place].tokens, run[room.place].ids]
    : [run.tokens[row], run.ids[row]]
  const first = room.stage.id === 'ids' ? String(ids[i]) : tokens[i]
  const second = { pieces: String(ids[i]), ids: tokens[i] ?? '<pad>', tokens: String(i) }[room.stage.id]
  return text === (part === 'span' ? first : second)
}

const vocabulary = ({ run, room }) => (room.place ? run.labels[`${room.place}Word`] : run.vocab)
const option = (view, text, i) => [String(i), view.run.target?.tokens[i]].includes(text) || isProse(view, text)

/** The best beginning of a beam search so far. */
function bestSoFar({ tree, best }, last) {
  if (last < 0) return best
  const grown = tree.filter(({ step }) => step === last)
  return tree.indexOf(grown.reduce((most, one) => (one.score > most.score ? one : most)))
}

/** The path of the best beginning with its scores, as screen readers hear it. */
function bestPath({ run: { decoding, labels }, state }, text) {
  const path = []
  for (let i = bestSoFar(decoding, state.step); i >= 0; i = path[0].parent) path.unshift(decoding.tree[i])
  const heard = text.split(', ').map((part) => part.split(' '))
  return heard.length === path.length && heard.every(([token, score], i) => (
    token === labels.targetWord[path[i].id] && writes(score, path[i].score)))
}

/** The selector of each kind, what the page tells about its place, and whether a text of it is right. */
export const KINDS = {
  cell: ['[data-cell]', 'cell', cell],
  active: ['.heat [role=gridcell]', 'active', (view, text, { at, ...about }) => {
    const [labels, number] = [text.slice(0, text.lastIndexOf(': ')), text.slice(text.lastIndexOf(': ') + 2)]
    const names = labels.split(/, (?=[^ ]*(?: · \d+)?$)/)
    return tells(number, valueAt(view, about.tensor, indexAt(about, ...at))) &&
      names.every((name, side) => about.axes[side] < 0 || labelFits(view, { ...about, side, i: at[side] }, name))
  }],
  label: ['.labels span', 'label', (view, text, about) => labelFits(view, about, text)],
  caption: ['.caption .shape', 'caption', (_, text, { size }) => text === size.join(' × ')],
  legend: ['.legend-ends', 'legend', (view, text, ends) => {
    if (ends.join() === '0,0.5,1') return true
    return ends[1] === '0' && ends[0] === `−${ends[2]}` && peaksNear(view).some((peak) => writes(ends[2], peak))
  }],
  strip: ['.strip-name', 'about', strip],
  ends: ['.strip-ends', 'row', (view, text, rows) => {
    const most = Math.max(1, ...rows.filter(Boolean).map((row) => reach(rowOf(view, row))))
    return text === '0.0' || writes(text.replace('−', ''), most, 1)
  }],
  note: ['.stage-figure .note', 'about', (view, text, about) => isProse(view, text) || said(notes)(view, text, about)],
  now: ['.house-now', null, now],
  pane: ['.pane-floor .shape', 'door', floorShape],
  paneToken: ['.pane-pictures', null, isToken],
  heading: ['.stage-figure h2', null, said(headings)],
  source: ['.arcs-from', 'order', ({ run }, text, i) => text === run.target.tokens[i]],
  target: ['.arcs-to', 'order', ({ run }, text, i) => text === run.source.tokens[i]],
  chip: ['.chips', 'chip', chip],
  vocabularyId: ['.vocab-id', 'order', isIndex],
  vocabularyToken: ['.vocab-token', 'order', (view, text, i) => text === vocabulary(view)[i]],
  pickStep: ['.pick-step', 'order', isIndex],
  pickToken: ['.pick-token', 'order', ({ run }, text, i) => text === run.decoding.steps[i].token],
  draw: ['.piece.is-draw', 'pick', ({ run }, text, i) => writes(text, run.decoding.steps[i].draw)],
  piece: ['.piece', null, isToken],
  wordToken: ['.word-token', null, isToken],
  scrub: ['.scrubber output', null, ({ run: { decoding: { steps } }, state: { step } }, text) => (
    text === (step < 0 ? String(steps.length) : `${step + 1} / ${steps.length}`))],
  readToken: ['.read-tokens', null, ({ run, state }, text) => run.decoding.tree
    ? isToken({ run }, text) : run.target.tokens.slice(0, state.step + 1).includes(text)],
  readScore: ['.read-score', null, ({ run, state }, text) => (
    run.decoding.tree.some(({ step, score }) => step === state.step - 1 && writes(text, score)))],
  score: ['.tree-score', 'branch', ({ run }, text, i) => writes(text, run.decoding.tree[i].score)],
  branch: ['.tree', 'branch', ({ run }, text, i) => text === run.labels.targetWord[run.decoding.tree[i].id]],
  path: ['.tree-slot p', null, bestPath],
  wordHead: ['.word-head', null, isProse],
  room: ['.eyebrow .visually-hidden', null, (view, text) => {
    const { number, total } = valuesIn(view, 'frame.room', text) ?? {}
    return Number(number) === view.rooms.indexOf(view.room) && Number(total) === view.rooms.length - 1
  }],
  changed: ['.changed', null, (view, text) => Number(valuesIn(view, 'app.changed', text)?.count) === changes(view.state)],
  number: ['.eyebrow b', null, ({ rooms, room }, text) => text === String(rooms.indexOf(room))],
  flow: ['.ways .shape', null, (view, text) => {
    const [name, ...sides] = text.split(/\s/)
    return sides.join(' ') === shapeText(tensorNamed(view, name))
  }],
  place: ['.eyebrow, .map-here', null, isPlace],
  part: ['.way-part', null, ({ rooms, t }, text) => rooms.some((room) => partName(room, t) === text)],
  storey: ['.storey, .pane-storey > small', null, (view, text) => Boolean(valuesIn(view, 'map.layer', text))],
  floor: ['.map .shape', 'floor', (view, text, ids) => {
    const names = view.rooms.filter(({ id }) => ids.includes(id)).flatMap(({ tensors }) => tensors)
    const shapes = names.map((name) => tensorNamed(view, name)?.shape).filter(Boolean)
    return shapes.some((shape) => text.split(/ ?× ?/).join() === (view.run.labels ? shape.slice(1) : shape).join())
  }],
  picker: ['[data-picker] .segments label', 'order', option],
  control: ['[data-control] output', 'control', ({ state }, text, name) => text === String(state[name])],
  example: ['.examples', null, (_, text) => [...DATES, ...Object.values(PRESETS).flat()].includes(text)],
  symbolName: ['.symbols code', null, (view, text) => Boolean(tensorNamed(view, text))],
  symbolShape: ['.symbols .shape', 'named', (view, text, name) => text === shapeText(tensorNamed(view, name))],
  recipeName: ['.recipe h2 code', null, (view, text) => Boolean(tensorNamed(view, text)) || /^\w+$/.test(text)],
  recipeShape: ['.recipe h2 .shape', 'named', (view, text, name) => (
    tensorNamed(view, name) ? text === shapeText(tensorNamed(view, name))
      : text.split(', ').every((one) => tensorNamed(view, one)))],
  recipeRule: ['.recipe mn', 'recipe', numbersOfRule],
  recipeNote: ['.recipe .note', 'recipe', (view, text) => (
    isProse(view, text) || Number(valuesIn(view, 'inspector.notes.drawn', text)?.p) === view.state.dropout)],
  listing: ['.listing figcaption', null, ({ code }, text) => code.places.has(text)],
  divisor: ['.product-corner mn, .equation mn', null, ({ run }, text) => (
    text === String(run.settings.dModel / run.settings.heads))],
  prose: ['body', null, isProse]
}

/** The same for what only screen readers and pointers are told. */
export const ATTRIBUTES = {
  listing: ['.listing .code', null, ({ code }, text) => code.places.has(text.split(', ')[1])],
  heat: ['.heat', 'caption', (_, text, { size }) => text.endsWith(` ${size.join(' × ')}`)],
  number: ['.word-number', 'cell', (view, text, key) => cell(view, text.split(' ').at(-1), key)],
  strip: ['.strip svg', 'about', strip],
  heading: ['.chart canvas, .curve, .arcs', null, said(headings)],
  door: ['.map a', null, (view, text) => isPlace(view, text)],
  pane: ['.pane-floor', 'door', (view, text, id) => {
    const parts = text.split(' · ')
    const isShaped = !/×/.test(parts.at(-1)) || floorShape(view, parts.pop(), id)
    return isShaped && isProse(view, parts.slice(isStorey(view, parts[0]) ? 1 : 0).join(' · '))
  }],
  sentence: ['[data-picker] label', null, ({ run }, text) => run.texts.includes(text)],
  step: ['.stepper button', null, (view, text) => ['less', 'greater'].some((key) => (
    isProse(view, valuesIn(view, `controls.${key}`, text)?.name ?? '')))],
  compare: ['.compare', null, (view, text) => isProse(view, valuesIn(view, 'twin.with', text)?.name ?? '')],
  field: ['[data-field]', null, ({ run }, text) => spaceless(text) === spaceless(written(run))]
}

const flatten = (node) => (typeof node === 'string' ? [node] : Object.values(node).flatMap(flatten))

/** Everything a text is judged by. */
export function viewOf(run, state, rooms, code) {
  const messages = MESSAGES[state.language]
  const pieces = flatten(messages).flatMap((message) => [message, ...piecesOf(message).map(({ text }) => text)])
  const plain = new Set(pieces.map((text) => text.replaceAll('\u2060', '').trim()))
  return { run, state, rooms, code, messages, plain, t: translator(messages) }
}

/** What is wrong with texts of the page, as sentences. */
export function judge(view, entries, kinds) {
  return entries.flatMap(({ kind, text, path, about }) => {
    const isRight = kinds[kind]?.[2]
    const trimmed = text.trim()
    if (!trimmed || isRight?.(view, trimmed, about)) return []
    return [`${kind}: “${trimmed}” at ${path}${about === undefined ? '' : ` ${JSON.stringify(about)}`}`]
  })
}
