/**
 * Every kind of number the page writes: where it stands, and what it has to be by the run made in Node. A number that
 * is of no kind here is a number nobody checks, and the walk fails on it.
 */

import * as en from '../../web/text/en.js'
import * as ko from '../../web/text/ko.js'
import { partName, placeName } from '../../web/lib/room_name.js'
import { piecesOf } from '../../web/lib/prose.js'
import { translator } from '../../web/lib/text.js'
import { modelOf } from '../../web/models/index.js'
import { changeCount } from '../../web/shell/changes.js'
import { positionOnTour } from '../../web/shell/frame.js'
import { countIn, indexAt, matrixOf, tensorNamed, valueAt } from './cells.js'
import { gridCell, gridName, isGridLegend, roomCost, stepOf, twiceCounts, twiceSums } from './model_tables.js'
import { bpeStep } from '../../web/worker/bpe_training.js'
import { gf } from '../lib/engine.js'
import { hangulPart, openSyllable } from './syllables.js'
import { tells, writes } from './writes_number.js'

const MESSAGES = { ko, en }
/** What the model of the dates was trained with. */
const SMOOTHING = 0.05

/** Texts that go in or come out, in their order; the first is the one that is read. */
const streamsOf = ({ run }) => Object.values(run.streams)
/** The text that a room is about. */
export const streamOf = ({ run, room }) => run.streams[room.parts.stream]
/** What is chosen from: what runs along its rows, and of what its words are. */
const choiceOf = view => {
  const { axes } = tensorNamed(view, view.rooms.find(({ stage }) => stage === 'sampling').parts.output)
  return { read: view.run.streams[axes[1].of], words: view.run.streams[axes[2].of].vocabulary }
}
/** What the room of learning begins with. */
const learnedOf = ({ t }) => bpeStep(gf, { text: t('stages.learning.sample'), step: 0 })
/** One sentence of a text; of a text of one sentence, that. */
const sentenceOf = (list, { state }) => list[state.sentence] ?? list[0]
/** The token that a step of an answer stands at. */
const before = (view, step) => choiceOf(view).read.tokens[0][view.run.decoding.rows[step]]

const rowOf = (view, about) => matrixOf(view, { ...about, axes: [-1, about.axes[1]] })[0]

const parseCell = text => {
  const [, name, index] = /^(.+)\[([\d, ]+)\]$/.exec(text)
  return [name, index.split(', ').map(Number)]
}

const mean = list => list.reduce((sum, x) => sum + x, 0) / list.length
const variance = list => mean(list.map(x => (x - mean(list)) ** 2))
const reach = list => list.reduce((most, x) => (Number.isFinite(x) ? Math.max(most, Math.abs(x)) : most), 0)

/** The values in a text that a message makes, or null if it is not of that message. */
export function valuesIn({ messages }, key, text) {
  const message = key.split('.').reduce((node, part) => node?.[part], messages)
  const known = new Set()
  const pattern = message?.split(/(\{[^}]+\}[’”]?)/).map(part => {
    const [, name, pair, quote] = /^\{(\w+)(?:\|(.+))?\}([’”]?)$/.exec(part) ?? []
    if (!name) return part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
    const value = known.has(name) ? `\\k<${name}>` : `(?<${name}>.+?)`
    known.add(name)
    const words = pair ? `(?:${pair.split('/').join('|')})` : ''
    return /^[a-z]/.test(pair ?? '') ? `${value} ${words}${quote}` : `${value}${quote}${words}`
  }).join('')
  return pattern ? new RegExp(`^${pattern}$`).exec(text)?.groups ?? null : null
}

const isToken = (view, text) => streamsOf(view).some(({ tokens, vocabulary }) => (
  vocabulary.includes(text) || tokens.flat().includes(text)))
const isBelow = (text, most) => /^\d+$/.test(text) && Number(text) < most

/** How many dimensions a vector of the model has. */
const widthOf = ({ run }) => [...run.tensors.values()].find(({ axes }) => axes.at(-1)?.name === 'channel').shape.at(-1)

/** What a row or a column of a matrix may be called. */
export function labelFits(view, { tensor: name, first, axes, side, i }, text) {
  const { run } = view
  const tensor = tensorNamed(view, name)
  const axis = axes[side]
  const at = first[axis] + i
  const { name: kind, of } = tensor.axes[axis]
  const stream = run.streams[of]
  const named = label => [label, `${label} · ${at}`].includes(text)
  if (kind === 'position') {
    const names = sentenceOf(streamOf(view)?.tokens ?? streamsOf(view)[0].tokens, view)
    return at < names.length ? named(names[at]) : text === String(at)
  }
  if (stream && kind === 'word') return named(stream.vocabulary[at])
  if (stream && ['token', 'query', 'key'].includes(kind)) {
    const sentence = first[tensor.axes.findIndex(one => one.name === 'batch')]
    return named((stream.tokens[sentence] ?? stream.tokens[0])[at])
  }
  return text === String(/in_proj/.test(name) && axis === 0 ? at % widthOf(view) : at)
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
  const stemOf = name => name.replace(/[^.]+$/, '')
  const stems = new Set(shown.map(stemOf))
  const near = [...view.run.tensors.keys()].filter(name => stems.has(stemOf(name)))
  const inputs = near.flatMap(name => Object.values(tensorNamed(view, name).inputs))
  return [...near, ...inputs, ...view.room.tensors].map(name => tensorNamed(view, name)).filter(Boolean).map(peakOf)
}

const shapeText = ({ shape }) => shape.join(' × ')

/** Names of rooms as the page says them. */
export const isPlace = ({ rooms, t }, text) => rooms.some(room => placeName(room, t) === text)

/** Words of the page as they stand in its texts, with nothing put in. */
export function isProse({ plain }, text) {
  return plain.has(text.replaceAll('\u2060', ''))
}

const isIndex = (view, text, i) => text === String(i)
const cell = (view, text, key) => writes(text, valueAt(view, ...parseCell(key)))
function numbersOfRule(view, text, name) {
  const { shape } = tensorNamed(view, name), { formula, op } = view.run.explain(name, shape.map(() => 0))
  const places = { positional_encoding: [1, 2, shape[1], Math.ceil(shape[1] / 2)], gelu: [3] }[op] ?? []
  return [...formula.split(/[^\d.]+/).map(Number), ...places].includes(Number(text)) || isProse(view, text)
}

const notes = {
  'stages.dropout.kept': (view, { scale, dropped, total }, about) => {
    const mask = matrixOf(view, about).flat()
    return writes(scale, 1 / (1 - view.state.dropout)) && Number(total) === mask.length &&
      Number(dropped) === mask.filter(x => x === 0).length
  },
  'stages.activation.silent': (view, { count, total }, about) => {
    const row = rowOf(view, about)
    return Number(count) === row.filter(x => x === 0).length && Number(total) === row.length
  },
  'stages.sampling.smoothing': (view, { smoothing, right, other }) => {
    const share = SMOOTHING / choiceOf(view).words.length
    return writes(smoothing, SMOOTHING) && writes(right, 1 - SMOOTHING + share) && writes(other, share)
  },
  'stages.sampling.rest': (view, { count, share }) => {
    const { words } = choiceOf(view), name = view.room.parts.probabilities, row = view.run.decoding.rows[view.state.row]
    const shares = words.map((_, word) => valueAt(view, name, [0, row, word])).sort((a, b) => b - a)
    const rest = shares.slice(shares.length - Number(count)).reduce((sum, x) => sum + x, 0)
    return Number(count) < words.length && writes(share, rest)
  },
  ...Object.fromEntries(['greedy', 'sample', 'beam', 'given'].map(kind => [
    `stages.decoding.${kind}`, ({ run }, { loss }) => kind === run.decoding.kind && writes(loss, run.loss)])),
  'stages.syllables.shared': (view, { count }) => Number(count) === openSyllable(view).pieces.length,
  'stages.syllables.apart': (view, { count }) => Number(count) === openSyllable(view).pieces.length,
  'stages.cache.same': (view, { count }) => twiceCounts(view, count, '0'),
  'stages.cache.differs': (view, { count, other }) => twiceCounts(view, count, other),
  'stages.cache.saved': twiceSums,
  'stages.decoding.reread': ({ run }, { loss }) => run.settings.training && writes(loss, run.loss),
  'stages.decoding.unmasked': ({ run }, { loss }) => !run.settings.tgtIsCausal && writes(loss, run.loss)
}

const headings = {
  'stages.cache.newest': (view, { token, count }) => (
    token === before(view, stepOf(view)) && Number(count) === view.run.decoding.rows[stepOf(view)]),
  'stages.cache.first': ({ run }, { count }) => Number(count) === run.decoding.rows[0] + 1,
  'stages.positions.curves': (view, { dim }) => isBelow(dim, widthOf(view)),
  'stages.positions.chart': (view, { dim }) => isBelow(dim, widthOf(view)),
  'stages.weights.bars': (view, { token }) => isToken(view, token),
  'stages.activation.curve': (view, { token }) => isToken(view, token),
  'stages.merges.of': (view, { token, count }) => {
    const { tokens: [tokens], ids: [ids], merges } = streamOf(view)
    return tokens.some((one, i) => one === token && (merges[ids[i]]?.length ?? 0) === Number(count))
  },
  'stages.cross.reads': (view, { token, next }) => (
    view.run.decoding.steps.some((step, i) => token === before(view, i) && next === step.token)),
  'stages.sampling.next': (view, { step, token }) => (
    Number(step) === view.state.row && token === before(view, view.state.row))
}

/** Whether a text is one of some messages and its values are right. */
const said = list => (view, text, about) => Object.entries(list).some(([key, isRight]) => {
  const values = valuesIn(view, key, text)
  return values && isRight(view, values, about)
})

const strip = (view, text, about) => ['line', 'lineAfter', 'lineRms', 'lineAfterRms'].some(key => {
  const values = valuesIn(view, `stages.norm.${key}`, text)
  const row = rowOf(view, about), size = Math.sqrt(mean(row) ** 2 + variance(row))
  const spread = () => ('rms' in values ? writes(values.rms, size) : writes(values.variance, variance(row)))
  return values && writes(values.mean, mean(row)) && spread() &&
    labelFits(view, { ...about, axes: [1], side: 0, i: 0 }, values.token)
})

const spaceless = text => text?.replaceAll(' ', '')

/** The answer of a run, whatever stands between its tokens. */
const written = ({ decoding }) => (
  decoding.steps.map(({ token }) => token).filter(token => !/^<.*>$/.test(token)).join(''))

/** A tower and its layer. */
const isStorey = ({ t, rooms }, text) => rooms.some(({ tower, layer }) => (
  layer !== undefined && text === `${t(`map.${tower}`)} ${t('map.layer', { number: layer + 1 })}`))

/** What the house says of this moment. */
function now(view, text) {
  const { run, state } = view
  const [{ texts, tokens }] = streamsOf(view)
  const begun = view.run.passes.find(({ kind }) => kind === 'prefill')?.rows
  const read = sentenceOf(tokens, view).slice(0, begun).filter(token => !/^<.*>$/.test(token)).length
  return ['reads', 'writes', 'given'].some(key => {
    const values = valuesIn(view, `stages.house.${key}`, text)
    if (values?.input !== sentenceOf(texts, view) || Number(values.read) !== read) return false
    const answers = key === 'given' ? [state.target] : key === 'writes' ? [written(run)] : [undefined]
    return answers.map(spaceless).includes(spaceless(values.answer)) &&
      (values.steps === undefined || Number(values.steps) === run.decoding.steps.length)
  })
}

/** What stands for a shape: the only sentence there is goes without saying. */
const sides = ({ shape }) => (shape[0] === 1 ? shape.slice(1) : shape)

/** A floor of the house: its shape is that of a tensor of its room. */
function floorShape({ run, rooms }, text, id) {
  const tensors = rooms.find(room => room.id === id).tensors.map(name => tensorNamed({ run }, name))
  return tensors.some(tensor => [sides(tensor).join(' × '), String(sides(tensor).at(-1))].includes(text.replace(/^\w+ · /, '')))
}

/** Tokens and ids of a row of chips, each in its place. */
function chip(view, text, [row, i, part]) {
  const { stage } = view.room
  if (stage === 'ids' && part === 'button') return text === String(row)
  const stream = streamOf(view)
  if (stage === 'syllables') return text === String(stream.hangul.syllables[i].pieces.length)
  const [tokens, ids] = [stream.tokens, stream.ids].map(all => (
    ['pieces', 'merges'].includes(stage) ? sentenceOf(all, view) : all[row]))
  const first = stage === 'ids' ? String(ids[i]) : tokens[i]
  const merged = String(stream.merges?.[ids[i]]?.length ?? 0)
  const second = { pieces: String(ids[i]), ids: tokens[i], tokens: String(i), merges: merged }[stage]
  return text === (part === 'span' ? first : second)
}

/** Every merge of the text that is read. */
const mergesIn = view => Object.values(streamOf(view).merges).flat()

/** Which merge a line is, as counted from 1, and how often its pair stood side by side. */
function mergeNote(view, text) {
  const { rank, count } = valuesIn(view, 'stages.merges.counted', text) ?? {}
  const number = written => Number(written.replaceAll(',', ''))
  return rank !== undefined &&
    mergesIn(view).some(step => step.rank + 1 === number(rank) && step.count === number(count))
}

const option = (view, text, i) => (
  [String(i), view.run.decoding && before(view, i)].includes(text) || isProse(view, text))

/** The best beginning of a beam search so far. */
function bestSoFar({ tree, best }, last) {
  if (last < 0) return best
  const grown = tree.filter(({ step }) => step === last)
  return tree.indexOf(grown.reduce((most, one) => (one.score > most.score ? one : most)))
}

/** The path of the best beginning with its scores, as screen readers hear it. */
function bestPath(view, text) {
  const { run: { decoding }, state } = view
  const path = []
  for (let i = bestSoFar(decoding, state.step); i >= 0; i = path[0].parent) path.unshift(decoding.tree[i])
  const heard = text.split(', ').map(part => part.split(' '))
  return heard.length === path.length && heard.every(([token, score], i) => (
    token === choiceOf(view).words[path[i].id] && writes(score, path[i].score)))
}

/** How much of a text was read, of how many tokens. */
const shortened = ({ run: { truncated = {} } }, text) => {
  const numbers = Object.values(truncated).flatMap(({ read, of }) => [read, of])
  return (text.match(/[\d,]+/g) ?? []).every(written => numbers.includes(Number(written.replaceAll(',', ''))))
}

/** The selector of each kind, what the page tells about its place, and whether a text of it is right. */
export const KINDS = {
  cell: ['[data-cell]', 'cell', cell],
  active: ['.heat [role=gridcell]', 'active', (view, text, { at, ...about }) => {
    const [labels, number] = [text.slice(0, text.lastIndexOf(': ')), text.slice(text.lastIndexOf(': ') + 2)]
    const names = labels.split(/, (?=(?:⟨[^⟩]*⟩|[^ ]*)(?: · \d+)?$)/)
    return tells(number, valueAt(view, about.tensor, indexAt(about, ...at))) &&
      names.every((name, side) => about.axes[side] < 0 || labelFits(view, { ...about, side, i: at[side] }, name))
  }],
  label: ['.labels span', 'label', (view, text, about) => labelFits(view, about, text)],
  grid: ['.grid td', 'grid', gridCell],
  gridHead: ['.grid thead th', 'grid', isToken],
  gridName: ['.grid th, .grid th button', 'grid', gridName],
  caption: ['.caption .shape', 'caption', (_, text, { size }) => text === size.join(' × ')],
  legend: ['.legend-ends', 'legend', (view, text, ends) => {
    if (ends.join() === '0,0.5,1') return true
    if (['parts', 'stream'].includes(view.room.stage)) return isGridLegend(view, ends)
    return ends[1] === '0' && ends[0] === `−${ends[2]}` && peaksNear(view).some(peak => writes(ends[2], peak))
  }],
  strip: ['.strip-name', 'about', strip],
  ends: ['.strip-ends', 'row', (view, text, rows) => {
    const most = Math.max(1, ...rows.filter(Boolean).map(row => reach(rowOf(view, row))))
    return text === '0.0' || writes(text.replace('−', ''), most, 1)
  }],
  note: ['.stage-figure .note', 'about', (view, text, about) => isProse(view, text) || said(notes)(view, text, about)],
  now: ['.house-now', null, now],
  title: ['.caption b, .legend-note', null, (view, text) => (
    isProse(view, text) || (view.room.stage === 'operation' && (Boolean(tensorNamed(view, text)) || /^\d$/.test(text))) ||
    Number(valuesIn(view, 'stages.relative.bias', text)?.head) === view.state.head)],
  reading: ['.reading', null, shortened],
  pane: ['.pane-floor .shape', 'door', floorShape],
  paneToken: ['.pane-pictures', null, isToken],
  hangul: ['.hangul', 'part', hangulPart],
  sentence: ['.sentence-cost', 'order', (view, text, i) => {
    const { tokens, bytes } = valuesIn(view, 'stages.pieces.cost', text) ?? {}, one = streamOf(view).languages[i]
    return Number(tokens) === one.tokens.length && Number(bytes) === new TextEncoder().encode(one.text).length
  }],
  learningStep: ['.learning .scrubber output', null, (view, text) => text === `1 / ${learnedOf(view).count}`],
  learningCount: ['.learning-pairs small', 'order', (view, text, i) => text === String(learnedOf(view).pairs[i].count)],
  learningPiece: ['.learning .merge-piece', null, (view, text) => learnedOf(view).words.flat().includes(text)],
  learningNext: ['.learning h2', null, (view, text) => (
    Number(valuesIn(view, 'stages.learning.next', text)?.count) === learnedOf(view).merge.count)],
  heading: ['.stage-figure h2', null, said(headings)],
  source: ['.arcs-from', 'order', (view, text, i) => text === choiceOf(view).read.tokens[0][i]],
  target: ['.arcs-to', 'order', (view, text, i) => text === streamsOf(view)[0].tokens[0][i]],
  chip: ['.chips', 'chip', chip],
  mergePiece: ['.merge-piece', null, (view, text) => streamOf(view).vocabulary.includes(text)],
  mergeNote: ['.merge-steps small', null, mergeNote],
  vocabularyId: ['.vocab-id', 'order', isIndex],
  vocabularyToken: ['.vocab-token', 'order', (view, text, i) => text === streamOf(view).vocabulary[i]],
  pickStep: ['.pick-step', 'order', isIndex],
  pickToken: ['.pick-token', 'order', ({ run }, text, i) => text === run.decoding.steps[i].token],
  draw: ['.piece.is-draw', 'pick', ({ run }, text, i) => writes(text, run.decoding.steps[i].draw)],
  piece: ['.piece', null, isToken],
  wordToken: ['.word-token', null, isToken],
  scrub: ['.scrubber output', null, ({ run: { decoding: { steps } }, state: { step } }, text) => (
    text === (step < 0 ? String(steps.length) : `${step + 1} / ${steps.length}`))],
  readToken: ['.read-tokens', null, (view, text) => view.run.decoding.tree ? isToken(view, text)
    : choiceOf(view).read.tokens[0].slice(0, view.run.decoding.rows[view.state.step] + 1).includes(text)],
  readScore: ['.read-score', null, ({ run, state }, text) => (
    run.decoding.tree.some(({ step, score }) => step === state.step - 1 && writes(text, score)))],
  score: ['.tree-score', 'branch', ({ run }, text, i) => writes(text, run.decoding.tree[i].score)],
  branch: ['.tree', 'branch', (view, text, i) => text === choiceOf(view).words[view.run.decoding.tree[i].id]],
  path: ['.tree-slot p', null, bestPath],
  wordHead: ['.word-head', null, isProse],
  cost: ['.room-cost', null, (view, text) => roomCost(view, valuesIn(view, 'stages.costs.line', text) ?? {})],
  room: ['.eyebrow .visually-hidden', null, (view, text) => {
    const { number, total } = valuesIn(view, 'frame.room', text) ?? {}
    const place = positionOnTour(view.rooms, view.room)
    return Number(number) === place.number && Number(total) === place.total
  }],
  changed: ['.changed', null, (view, text) =>
    Number(valuesIn(view, 'app.changed', text)?.count) === changeCount(view.state)],
  number: ['.eyebrow b', null, ({ rooms, room }, text) => text === String(positionOnTour(rooms, room).number)],
  flow: ['.ways .shape', null, (view, text) => {
    const [name, ...sides] = text.split(/\s/)
    return sides.join(' ') === shapeText(tensorNamed(view, name))
  }],
  place: ['.eyebrow, .map-here', null, isPlace],
  part: ['.way-part', null, ({ rooms, t }, text) => rooms.some(room => partName(room, t) === text)],
  storey: ['.storey, .pane-storey > small', null, (view, text) => Boolean(valuesIn(view, 'map.layer', text))],
  floor: ['.map .shape', 'floor', (view, text, ids) => {
    const names = view.rooms.filter(({ id }) => ids.includes(id)).flatMap(({ tensors }) => tensors)
    return names.some(name => text.split(/ ?× ?/).join() === sides(tensorNamed(view, name)).join())
  }],
  layer: ['[data-picker="layer"] .segments label', 'order', (_, text, i) => text === String(i + 1)],
  picker: ['[data-picker] .segments label', 'order', option],
  control: ['[data-control] output', 'control', ({ state }, text, name) => text === String(state[name])],
  example: ['.examples', null, ({ state }, text) => modelOf(state.model).examples.some(one => one.text === text)],
  symbolName: ['.symbols code', null, (view, text) => Boolean(tensorNamed(view, text))],
  symbolShape: ['.symbols .shape', 'named', (view, text, name) => text === shapeText(tensorNamed(view, name))],
  recipeName: ['.recipe h2 code', null, (view, text) => Boolean(tensorNamed(view, text)) || /^\w+$/.test(text)],
  // An operation may have the name of a tensor that it made.
  recipeShape: ['.recipe h2 .shape', 'named', (view, text, name) => (
    (tensorNamed(view, name) && text === shapeText(tensorNamed(view, name))) ||
    text.split(', ').every(one => tensorNamed(view, one)))],
  recipeRule: ['.recipe mn', 'recipe', numbersOfRule],
  recipeNote: ['.recipe .note', 'recipe', (view, text) => (
    isProse(view, text) || Number(valuesIn(view, 'inspector.notes.drawn', text)?.p) === view.state.dropout)],
  listing: ['.listing figcaption', null, ({ code }, text) => code.places.has(text)],
  divisor: ['.product-corner mn, .equation mn', null, ({ run, room: { parts } }, text) => {
    const size = run.tensors.get(parts.q).shape.at(-1) / parts.heads, more = 1 / (parts.scale * Math.sqrt(size))
    return parts.scale !== 1 && (Number(text) === size || Math.abs(Number(text) - more) < 1e-6)
  }],
  nonzero: ['.nonzero summary', 'caption', (view, text, about) => {
    const { count, total } = valuesIn(view, 'frame.nonzero.show', text) ?? {}
    return Number(count) === countIn(view, about, value => Math.abs(value) >= 0.005) &&
      Number(total) === about.size[0] * about.size[1]
  }],
  sorting: ['.stage-figure .control label', null, (view, text) => (
    isProse(view, text) || isToken(view, valuesIn(view, 'stages.activation.by.row', text)?.token))],
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
    const isShaped = !/^[\d ×]+$/.test(parts.at(-1)) || floorShape(view, parts.pop(), id)
    return isShaped && isProse(view, parts.slice(isStorey(view, parts[0]) ? 1 : 0).join(' · '))
  }],
  sentence: ['[data-picker] label', null, (view, text) => streamsOf(view)[0].texts.includes(text)],
  step: ['.stepper button', null, (view, text) => ['less', 'greater'].some(key => (
    isProse(view, valuesIn(view, `controls.${key}`, text)?.name ?? '')))],
  switch: ['.switch, .grid th button', null, gridName],
  compare: ['.compare', null, (view, text) => isProse(view, valuesIn(view, 'twin.with', text)?.name ?? '')],
  field: ['[data-field]', null, ({ run }, text) => spaceless(text) === spaceless(written(run))]
}

const flatten = node => (typeof node === 'string' ? [node] : Object.values(node).flatMap(flatten))

/** Texts of the page with those of a model in their place. */
function overlaid(all, own) {
  const inside = Object.entries(own).map(
    ([key, one]) => [key, typeof one === 'string' ? one : overlaid(all[key] ?? {}, one)])
  return { ...all, ...Object.fromEntries(inside) }
}

/** Everything a text is judged by. */
export function viewOf(run, state, rooms, code) {
  const messages = overlaid(MESSAGES[state.language].page, MESSAGES[state.language].models[state.model] ?? {})
  const pieces = flatten(messages).flatMap(message => [message, ...piecesOf(message).map(({ text }) => text)])
  const plain = new Set(pieces.map(text => text.replaceAll('\u2060', '').trim()))
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
