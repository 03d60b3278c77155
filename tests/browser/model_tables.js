/** Tables about the whole model: compares every number with the same number computed in Node. */

import { runWithEdits } from './host.js'
import { fullName, partKey, partLabel, layerHeading } from '../../web/lib/ablation_parts.js'
import { hasEdits, toggleEdits } from '../../web/lib/edits.js'
import { data as streamData } from '../../web/stages/residual_stream.js'
import { data as attributionData } from '../../web/stages/attribution.js'
import { data as partsData } from '../../web/stages/ablation.js'
import { attributedName, nameOfToken, placeParts, sourceRows, waterfall } from '../../web/lib/attribution.js'
import { costsByRoom } from '../../web/lib/costs.js'
import { roomName } from '../../web/lib/room_name.js'
import { costsByLayer } from '../../web/stages/costs.js'
import { headContributions, costs, logitLens, vectorNorms, measureAnswer } from '../../web/worker/interpret.js'
import { headScores } from '../../web/worker/head_scores.js'
import { compareCache } from '../../web/worker/cache_comparison.js'
import { gf } from '../lib/engine.js'
import { isPatchRight, isPatchedRow } from './patched_texts.js'
import { isRoundedTo } from './writes_number.js'

/** Results computed before, by run and key. */
const resultsByRun = new WeakMap()
function cached(run, key, compute) {
  const all = resultsByRun.get(run) ?? new Map()
  resultsByRun.set(run, all)
  if (!all.has(key)) all.set(key, compute())
  return all.get(key)
}

const stageData = ({ run, state, room }, data) => data(run, { ...state, room })

/** Measures the answer of this run in a run with other edits. */
function measureEdited({ state }, comparison, edits, base) {
  const otherOutput = runWithEdits(state, edits, comparison.ids)
  const outputs = measureAnswer(gf, otherOutput.run, comparison, base)
  otherOutput.run.dispose()
  return outputs
}

/** The change of the answer's probabilities, or of the output, when a part is ablated. */
export function measureEffect(view, part) {
  const { what: comparison, edits } = stageData(view, partsData)
  const isOff = hasEdits(edits, part.edits)
  return cached(view.run, partKey(part), () => {
    const base = cached(view.run, 'base', () => measureEdited(view, comparison, edits))
    const otherOutput = measureEdited(view, comparison, toggleEdits(edits, part.edits, !isOff),
      comparison.logits ? undefined : base)
    return comparison.logits ? otherOutput.map((value, i) => (value - base[i]) * (isOff ? -1 : 1)) : otherOutput
  })
}

/** Whether a text is a value rounded to an integer. */
const isRounded = (text, value) => /^\d+$/.test(text) && Math.abs(Number(text) - value) <= 0.5 + 1e-4

/** Whether a text is a change in hundredths with its sign, rounded to the decimals that it shows. */
function writesPoints(text, change) {
  if (text === '0') return Math.abs(change) < 0.0005 + 1e-6
  const sign = text[0]
  const [, decimals = ''] = text.split('.')
  return sign === (change > 0 ? '+' : '−') &&
    Math.abs(Math.abs(change) * 100 - Number(text.slice(1))) <= 0.5 * 10 ** -decimals.length + 1e-3
}

function isPartRight(view, text, { key, col }) {
  const { parts, what: comparison, edits } = stageData(view, partsData)
  if (key === 'base') {
    const base = cached(view.run, 'base', () => measureEdited(view, comparison, edits))
    return isRounded(text, base[col] * 100)
  }
  const part = parts.find(item => partKey(item) === key)
  const value = measureEffect(view, part)[col]
  return comparison.logits ? writesPoints(text, value) : isRoundedTo(text, value)
}

/** The vectors whose lengths a line has. */
function nameOfLine({ subs }, key) {
  const [, kind, i] = /^(start|[+=]|norm)(\d*)$/.exec(key)
  return { 'start': subs[0].input, '+': subs[i]?.change, '=': subs[i]?.sum, 'norm': subs[i]?.point }[kind]
}
const measureNorms = (view, name) => cached(view.run, `lengths ${name}`, () => (
  vectorNorms(gf, view.run.workerRun.run, { names: [name] })[0]))

function isStreamRight(view, text, { table, key, col, part }) {
  const { early: lens, streams, sentence } = stageData(view, streamData)
  if (lens && table === 0) {
    const all = cached(view.run, 'early', () => logitLens(gf, view.run.workerRun.run, lens))
    const { tokens: [token], probabilities: [probability] } = all[Number(key)][col]
    return part === 'small' ? text.endsWith('%') && isRounded(text.slice(0, -1), probability * 100) : text === lens.vocabulary[token]
  }
  const stream = streams[table - 1]
  return isRoundedTo(text, measureNorms(view, nameOfLine(stream, key))[sentence * stream.tokens.length + col])
}

/** Whether a text is the norm of what a head contributes to the output of its attention. */
function isContributionRight(view, text, { key, col }) {
  const { x, weight, heads } = view.room.parts
  const all = cached(view.run, `added ${x}`, () => headContributions(gf, view.run.workerRun.run, { x, weight, heads }))
  const { shape } = view.run.tensors.get(x)
  return isRoundedTo(text, all[Number(key)].norms[(view.state.sentence ?? 0) * shape.at(-2) + col])
}

const COLUMNS = ['parameters', 'multiplyAdds', 'bytes']
const sumCosts = view => cached(view.run, 'costs', () => (
  costsByRoom(view.run, view.rooms, costs(gf, view.run.workerRun.run))))
const isCount = (text, number) => text.replaceAll(',', '') === String(number)

function isCostRight(view, text, { key, col }) {
  const sums = sumCosts(view)
  const [, n] = /^storey (\d+)$/.exec(key) ?? []
  const rooms = n === undefined ? [{ id: key }] : costsByLayer(view.rooms, sums)[Number(n)]
  const list = key === 'all' ? [...sums.values()] : rooms.map(({ id }) => sums.get(id))
  return isCount(text, list.reduce((sum, item) => sum + item[COLUMNS[col]], 0))
}

/** Whether the costs that a room states are right. */
export function isRoomCostRight(view, { parameters, multiplyAdds, bytes }) {
  const sum = sumCosts(view).get(view.room.id)
  return isCount(parameters, sum.parameters) && isCount(multiplyAdds, sum.multiplyAdds) && isCount(bytes, sum.bytes)
}

/** The selected step, or the last. */
export const selectedStep = ({ run: { decoding: { steps } }, state: { step } }) => (step < 0 ? steps.length - 1 : step)

/** Compares a step with a cache and without, in Node. */
const compareStep = ({ run }, step) => cached(run, `twice ${step}`, () => {
  const { rows } = run.decoding
  return compareCache(gf, run.workerRun, { read: rows[0] + 1, row: rows[step] })
})
const CACHE_COLUMNS = {
  kept: step => step.multiplyAdds.cached, whole: step => step.multiplyAdds.full,
  bytes: step => step.bytes.generated + step.bytes.source
}
const isCacheRight = (view, text, { key, col }) => isCount(text, CACHE_COLUMNS[key](compareStep(view, col)))

/** Whether the page states how many numbers were compared, and how many of them differ. */
export function areCacheCountsRight(view, count, differing) {
  const { compared, identical } = compareStep(view, selectedStep(view))
  return isCount(count, compared) && isCount(differing, compared - identical)
}

/** Whether the sums over all steps up to the selected one are right. */
export function areCacheSumsRight(view, { kept, whole, times, bytes }) {
  const steps = Array.from({ length: selectedStep(view) + 1 }, (_, step) => compareStep(view, step))
  const [a, b] = [CACHE_COLUMNS.kept,
    CACHE_COLUMNS.whole].map(count => steps.reduce((sum, step) => sum + count(step), 0))
  return isCount(kept, a) && isCount(whole, b) && isRoundedTo(times, b / a, 1) &&
    isCount(bytes, CACHE_COLUMNS.bytes(steps.at(-1)))
}

/** The scores of heads that read heads, and which pairs the room shows first: as keys. */
function compositionsOf(view) {
  const { layers = [] } = view.room.parts, none = { heads: [], q: [], k: [], v: [] }
  const scores = cached(view.run, 'compositions', () => (
    layers.length < 2 ? none : gf.interpret.compositionScores(view.run.workerRun.run)))
  const pairs = scores.k.flatMap((row, sender) => row.map((score, receiver) => ({ sender, receiver, score })))
    .filter(({ score }) => score >= 0)
  return { ...scores, pairs, receivers: [...new Set(pairs.map(({ receiver }) => receiver))].sort((a, b) => a - b) }
}
const headName = ({ t }, { layer, head }) => `${t('map.layer', { number: layer })} · ${t('stages.ablation.head', { head })}`

/** Whether a text names a head of the table of heads that read heads. */
export const isComposedHead = (view, text) => compositionsOf(view).heads.some(head => headName(view, head) === text)

/** Whether a scale ends at the largest score of heads that read heads. */
function isCompositionLegendRight(view, ends) {
  const { q, k, v } = compositionsOf(view), max = Math.max(...[q, k, v].flat(2).filter(score => score >= 0))
  return ends[0] === '0' && [max / 2, max].every((end, i) => Math.abs(Number(ends[i + 1]) - end) <= 0.06 * end)
}

/** Whether the largest score of two heads is described rightly. */
export function isCompositionDescribed(view, { sender, receiver, formula, score, mean }) {
  const { heads, pairs } = compositionsOf(view), largest = pairs.reduce((a, b) => (b.score > a.score ? b : a))
  return sender === headName(view, heads[largest.sender]) && receiver === headName(view, heads[largest.receiver]) &&
    formula.startsWith('‖W_QK W_OV‖') && isRoundedTo(score, largest.score, 3) &&
    isRoundedTo(mean, pairs.reduce((sum, pair) => sum + pair.score, 0) / pairs.length, 3)
}

function isScoreRight(view, text, { table, key, col }) {
  if (table > 0) {
    const { receivers, k } = compositionsOf(view)
    return isRoundedTo(text, k[Number(key)][receivers[col]])
  }
  const { layers } = cached(view.run, 'head_scores', () => headScores(gf, view.run.workerRun))
  const [layer, head] = key.split('.').map(Number)
  return isRoundedTo(text, layers[layer][head][col])
}

/** Whether the scores on the card of a head are right. @param {string} key its layer and number */
export function isHeadCardRight(view, text, key) {
  const { layers } = cached(view.run, 'head_scores', () => headScores(gf, view.run.workerRun))
  const [layer, head] = key.split('.').map(Number), parts = text.split(' · ')
  return parts.length === 4 && parts.every((part, pattern) => (
    isRoundedTo(part.slice(part.lastIndexOf(' ') + 1), layers[layer][head][pattern])))
}

/** How many heads have their largest score, the first of equal ones, of at least 0.4, in a column; all heads for −1. */
export function countHeads(view, col) {
  const rooms = view.rooms.filter(({ stage }) => ['weights', 'cross'].includes(stage))
  if (col < 0) return rooms.reduce((sum, { parts }) => sum + parts.heads, 0)
  const { layers } = cached(view.run, 'head_scores', () => headScores(gf, view.run.workerRun))
  return layers.flat().filter(scores => scores[col] >= 0.4 && scores.indexOf(Math.max(...scores)) === col).length
}

/** What a head looks for; where it rotates queries and keys by their positions, in the token before. */
function qkCircuitOf(run, options) {
  try {
    return gf.interpret.qkCircuit(run, options)
  } catch (error) {
    if (!/distance must be given/.test(error.message)) throw error
    return gf.interpret.qkCircuit(run, { ...options, distance: 1 })
  }
}

/** The circuits of the head that looks most at what came after the same token: the first that the page shows. */
export const circuitsOf = view => cached(view.run, 'circuits', () => {
  const { run } = view.run.workerRun, { layers } = headScores(gf, view.run.workerRun) ?? { layers: [] }
  const heads = layers.flatMap((list, layer) => list.map((scores, head) => ({ layer, head, score: scores[2] })))
  const { layer, head } = heads.reduce((a, b) => (b.score > a.score ? b : a), heads[0] ?? { layer: 0, head: 0 })
  const options = { layer, head, top: 8 }
  return { ov: gf.interpret.ovCircuit(run, options), qk: qkCircuitOf(run, options) }
})

/**
 * Whether a pair of a circuit is right: its tokens or its value.
 * @param {string} key the circuit and the pair's place
 */
export function isPairRight(view, text, key) {
  const [name, i] = key.split('.'), { value, query, key: to, source = query, target = to } = circuitsOf(view)[name].top[i]
  const words = Object.values(view.run.streams).at(-1).vocabulary
  const pair = { from: words[source], to: words[target] }
  return isRoundedTo(text, value) || text === view.t('stages.head_scores.circuits.pair', pair)
}

const CELLS = {
  ablation: isPartRight, head_scores: isScoreRight, residual_stream: isStreamRight, output: isContributionRight,
  costs: isCostRight, cache: isCacheRight, patching: isPatchRight
}

/** Whether the text of a table's cell is right. */
export const isGridCellRight = (view, text, location) => CELLS[view.room.stage](view, text, location)

/** Whether a text names a room or a part. */
export function isGridNameRight(view, text, location) {
  const { t, rooms, room } = view
  if (room.stage === 'head_scores' && isComposedHead(view, text)) return true
  if (room.stage === 'patching' && isPatchedRow(view, text, location)) return true
  const { parts } = rooms.find(({ stage }) => stage === 'ablation').parts
  const name = text.replace(/^\+ /, '')
  if (rooms.some(room => [roomName(room, t), layerHeading(room, t)].includes(name))) return true
  return parts.some(part => [layerHeading(part, t), partLabel(part, t), fullName(part, t),
    part.block && [t('map.layer', { number: part.layer }), t(`map.blocks.${part.block}`)].join(' · ')].includes(name))
}

/** Whether the ends of a color scale are right: of changes in hundredths, or of norms. */
export function isGridLegendRight(view, ends) {
  if (view.room.stage === 'head_scores') return isCompositionLegendRight(view, ends)
  if (view.room.stage !== 'ablation') return false
  const { parts, what: comparison } = stageData(view, partsData)
  if (comparison.logits) return ends.join() === '−100.00,0,100.00'
  return isRoundedTo(ends[2], Math.max(...parts.flatMap(part => [...measureEffect(view, part)])))
}

/**
 * The attribution that the room of a view displays: its parts, bars and tokens, from the library.
 * @param {{ isDifference?: boolean, isBySize?: boolean, isFolded?: boolean }} [choices] of the reader
 */
export function attributionOf(view, { isDifference = false, isBySize = false, isFolded = true } = {}) {
  const { run, rooms } = view, { logits, answer: { position, token } } = stageData(view, attributionData)
  const { parts, ...rest } = cached(run, `attribution ${position} ${isDifference}`, () => {
    const { run: own } = run.workerRun, { values, shape } = own.tensor(logits), V = shape.at(-1)
    const others = Array.from(values.subarray(position * V, (position + 1) * V), (value, id) => [value, id])
      .filter(([, id]) => id !== token).sort((a, b) => b[0] - a[0])
    const attribution = gf.interpret.logitAttribution(own,
      { logits, position, token, ...(isDifference && { against: others[0][1] }), bySource: true })
    return { ...attribution, parts: placeParts(run, rooms, attribution) }
  })
  const names = [rest.token, rest.against ?? rest.token].map(id => nameOfToken(run, logits, id))
  return { ...rest, names, parts, bars: waterfall(parts, { isBySize, isFolded }), rows: sourceRows(run, rooms, parts) }
}

/** Whether a text is the value of a part, with its sign. */
export const isPartValueRight = (text, value) => (
  isRoundedTo(text.replace(/^\+/, ''), value, 3) && (text[0] === '+') === (value > 0 && /[1-9]/.test(text)))

/** Whether a text states what a token gave, and the head through which it gave most. */
export const isSourceRight = (view, { token, value, part, largest }) => (
  attributionOf(view).rows.some(({ tokens, values, heads }) => tokens.some((name, at) => {
    const shares = heads.map(({ sources }) => sources?.[at] ?? 0), sizes = shares.map(Math.abs)
    const most = sizes.indexOf(Math.max(...sizes))
    return token === name && isPartValueRight(value, values[at]) && isPartValueRight(largest, shares[most]) &&
      part === attributedName(heads[most], view.t)
  })))

/** The names and values of a waterfall's lines; the last is the total. */
export function attributionLines(view, choices) {
  const { bars, total, against, names: [token, other] } = attributionOf(view, choices), { t } = view
  const key = name => `stages.attribution.${name}`
  return [...bars.map(({ part, count, value }) => [part ? attributedName(part, t) : t(key('rest'), { count }), value]),
    [t(key(against === null ? 'total' : 'difference'), { token, other }), total]]
}
