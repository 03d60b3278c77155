/** Tables about the whole model: every number of them once more, from runs made in Node. */

import { withEdits } from './host.js'
import { fullName, partKey, partWords, storeyOf } from '../../web/lib/ablation_parts.js'
import { hasEdits, toggleEdits } from '../../web/lib/edits.js'
import { data as streamData } from '../../web/stages/residual_stream.js'
import { data as partsData } from '../../web/stages/ablation.js'
import { costsByRoom } from '../../web/lib/costs.js'
import { ownName } from '../../web/lib/room_name.js'
import { costsByLayer } from '../../web/stages/costs.js'
import { headContributions, costs, logitLens, vectorNorms, measureAnswer } from '../../web/worker/interpret.js'
import { headScores } from '../../web/worker/head_scores.js'
import { compareCache } from '../../web/worker/cache_comparison.js'
import { gf } from '../lib/engine.js'
import { writes } from './writes_number.js'

/** What was computed for a run already, by what it is of. */
const known = new WeakMap()
function once(run, key, compute) {
  const all = known.get(run) ?? new Map()
  known.set(run, all)
  if (!all.has(key)) all.set(key, compute())
  return all.get(key)
}

const shown = ({ run, state, room }, data) => data(run, { ...state, room })

/** What a run with some edits tells of the answer of this one. */
function toldWith({ state }, what, edits, base) {
  const other = withEdits({ ...state, ...(what.ids.length && { target: what.ids }) }, edits)
  const found = measureAnswer(gf, other.run, what, base)
  other.run.dispose()
  return found
}

/** The change that a part's absence makes, or how far the output moves. */
export function effectOf(view, part) {
  const { what, edits } = shown(view, partsData)
  const isOff = hasEdits(edits, part.edits)
  return once(view.run, partKey(part), () => {
    const base = once(view.run, 'base', () => toldWith(view, what, edits))
    const other = toldWith(view, what, toggleEdits(edits, part.edits, !isOff), what.logits ? undefined : base)
    return what.logits ? other.map((share, i) => (share - base[i]) * (isOff ? -1 : 1)) : other
  })
}

/** Whether a text is a number to the nearest whole. */
const rounds = (text, value) => /^\d+$/.test(text) && Math.abs(Number(text) - value) <= 0.5 + 1e-4

/** A change in hundredths with its sign, as far as it is written. */
function writesPoints(text, change) {
  if (text === '0') return Math.abs(change) < 0.0005 + 1e-6
  const sign = text[0]
  const [, decimals = ''] = text.split('.')
  return sign === (change > 0 ? '+' : '−') &&
    Math.abs(Math.abs(change) * 100 - Number(text.slice(1))) <= 0.5 * 10 ** -decimals.length + 1e-3
}

function partCell(view, text, { key, col }) {
  const { parts, what, edits } = shown(view, partsData)
  if (key === 'base') {
    const base = once(view.run, 'base', () => toldWith(view, what, edits))
    return rounds(text, base[col] * 100)
  }
  const part = parts.find(one => partKey(one) === key)
  const value = effectOf(view, part)[col]
  return what.logits ? writesPoints(text, value) : writes(text, value)
}

const lengthsOf = (view, { subs }) => once(view.run, `lengths ${subs[0].sum}`, () => (
  vectorNorms(gf, view.run.made.run,
    { names: [subs[0].carried, ...subs.flatMap(({ change, point }) => [change, point])] })))

function streamCell(view, text, { table, key, col, part }) {
  const { early: question, streams, sentence } = shown(view, streamData)
  if (question && table === 0) {
    const all = once(view.run, 'early', () => logitLens(gf, view.run.made.run, question))
    const { tokens: [token], probabilities: [probability] } = all[Number(key)][col]
    return part === 'small' ? rounds(text, probability * 100) : text === question.vocabulary[token]
  }
  const stream = streams[table - 1]
  const [, sign, i] = /^([+=])(\d+)$/.exec(key) ?? []
  const at = key === 'start' ? 0 : 1 + 2 * Number(i) + (sign === '=' ? 1 : 0)
  return writes(text, lengthsOf(view, stream)[at][sentence * stream.tokens.length + col])
}

/** What a head adds to the output of its attention. */
function addedCell(view, text, { key, col }) {
  const { x, weight, heads } = view.room.parts
  const all = once(view.run, `added ${x}`, () => headContributions(gf, view.run.made.run, { x, weight, heads }))
  const { shape } = view.run.tensors.get(x)
  return writes(text, all[Number(key)].norms[(view.state.sentence ?? 0) * shape.at(-2) + col])
}

const COLUMNS = ['parameters', 'multiplyAdds', 'bytes']
const sumsOf = view => once(view.run, 'costs', () => (
  costsByRoom(view.run, view.rooms, costs(gf, view.run.made.run))))
const counts = (text, number) => text.replaceAll(',', '') === String(number)

function costCell(view, text, { key, col }) {
  const sums = sumsOf(view)
  const [, n] = /^storey (\d+)$/.exec(key) ?? []
  const rooms = n === undefined ? [{ id: key }] : costsByLayer(view.rooms, sums)[Number(n)]
  const list = key === 'all' ? [...sums.values()] : rooms.map(({ id }) => sums.get(id))
  return counts(text, list.reduce((sum, one) => sum + one[COLUMNS[col]], 0))
}

/** What a room says that it costs. */
export function roomCost(view, { parameters, multiplyAdds, bytes }) {
  const sum = sumsOf(view).get(view.room.id)
  return counts(parameters, sum.parameters) && counts(multiplyAdds, sum.multiplyAdds) && counts(bytes, sum.bytes)
}

/** The step that is looked at; without one the last. */
export const stepOf = ({ run: { decoding: { steps } }, state: { step } }) => (step < 0 ? steps.length - 1 : step)

/** What a step takes with a cache and without, once more. */
const twiceAt = ({ run }, step) => once(run, `twice ${step}`, () => {
  const { rows } = run.decoding
  return compareCache(gf, run.made, { read: rows[0] + 1, row: rows[step] })
})
const KEPT = {
  kept: one => one.multiplyAdds.cached, whole: one => one.multiplyAdds.full,
  bytes: one => one.bytes.own + one.bytes.read
}
const keptCell = (view, text, { key, col }) => counts(text, KEPT[key](twiceAt(view, col)))

/** How many numbers were compared, and how many of them differ. */
export function twiceCounts(view, count, other) {
  const { compared, identical } = twiceAt(view, stepOf(view))
  return counts(count, compared) && counts(other, compared - identical)
}

/** What all steps up to this one have taken. */
export function twiceSums(view, { kept, whole, times, bytes }) {
  const steps = Array.from({ length: stepOf(view) + 1 }, (_, step) => twiceAt(view, step))
  const [a, b] = [KEPT.kept, KEPT.whole].map(of => steps.reduce((sum, one) => sum + of(one), 0))
  return counts(kept, a) && counts(whole, b) && writes(times, b / a, 1) && counts(bytes, KEPT.bytes(steps.at(-1)))
}

function habitCell(view, text, { key, col }) {
  const { layers } = once(view.run, 'habits', () => headScores(gf, view.run.made))
  const [layer, head] = key.split('.').map(Number)
  return writes(text, layers[layer][head][col])
}

const CELLS = {
  parts: partCell, habits: habitCell, stream: streamCell, output: addedCell, costs: costCell, cache: keptCell
}

/** A cell of a table. */
export const gridCell = (view, text, about) => CELLS[view.room.stage](view, text, about)

/** What a line is about. */
export function gridName(view, text) {
  const { t, rooms } = view
  const { parts } = rooms.find(({ stage }) => stage === 'parts').parts
  const plain = text.replace(/^\+ /, '')
  if (rooms.some(room => [ownName(room, t), storeyOf(room, t)].includes(plain))) return true
  return parts.some(part => [storeyOf(part, t), partWords(part, t), fullName(part, t),
    part.block && [t('map.layer', { number: part.layer + 1 }), t(`map.blocks.${part.block}`)].join(' · ')].includes(plain))
}

/** The ends of the scale of changes, in hundredths, or of lengths. */
export function isGridLegend(view, ends) {
  if (view.room.stage !== 'parts') return false
  const { parts, what } = shown(view, partsData)
  if (what.logits) return ends.join() === '−100.00,0,100.00'
  return writes(ends[2], Math.max(...parts.flatMap(part => [...effectOf(view, part)])))
}
