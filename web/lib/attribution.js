/** The attribution of an answer: the tokens that can be explained, the parts with their rooms, bars that add up. */

import { fullName, layerHeading } from './ablation_parts.js'
import { fullRoomName } from './room_name.js'
import { formatFixed } from './number.js'
import { canonicalName, getAxisLabels, getDescription } from './run.js'

/** @import { Attribution, AttributedPart, Room, Run, Translate } from '../types.d.ts' */

/**
 * A part with its room and the tensor that the room displays; cell: where that room shows it.
 * @typedef {AttributedPart & { room?: Room, tensor: string }} PlacedPart
 *
 * A bar of the waterfall, from one sum to the next; part: null for all small parts together.
 * @typedef {{ part: PlacedPart | null, count: number, value: number, from: number, to: number }} Bar
 *
 * What the heads took from the tokens of one text; parts: the heads.
 * @typedef {{ stream: string, tokens: string[], values: number[], heads: PlacedPart[] }} SourceRow
 */

/**
 * The tokens of an answer, or the rows of a classification, whose largest score is explained.
 * @param {Run} run @param {string} logits
 * @returns {{ position: number, token?: number, text: string }[]}
 */
export function listAnswers(run, logits) {
  const { decoding } = run
  if (decoding) {
    return decoding.steps.map(({ id, token }, i) => ({ position: decoding.rows[i], token: id, text: token }))
  }
  const tensor = getDescription(run, logits), { shape } = tensor, hasRows = shape.length === 3
  const labels = hasRows ? getAxisLabels(run, tensor, 1) : undefined
  return Array.from({ length: hasRows ? shape[1] : 1 }, (_, position) => ({ position, text: labels?.[position] ?? '' }))
}

/** The name of a token or label of the scores. @param {Run} run @param {string} logits @param {number} token */
export function nameOfToken(run, logits, token) {
  const tensor = getDescription(run, logits)
  return getAxisLabels(run, tensor, tensor.shape.length - 1)?.[token] ?? String(token)
}

/** @param {Run} run @param {Room[]} rooms @param {Attribution} attribution @returns {PlacedPart[]} */
export const placeParts = (run, rooms, { parts }) => parts.map(part => {
  const tensor = canonicalName(run, part.name), room = rooms.find(({ tensors }) => tensors.includes(tensor))
  if (room) return { ...part, tensor, room }
  // No room shows a slice of the table of positions, or the sum of several experts.
  const near = rooms.findLast(({ stage, layer, block }) => (part.role === 'position' ? stage === 'positions'
    : part.layer !== null && layer === part.layer && block === part.role))
  return { ...part, tensor, cell: null, room: near }
})

/** The name of a part. @param {PlacedPart} part @param {Translate} t */
export function attributedName({ role, room, layer, head, name }, t) {
  const at = { tower: room?.tower ?? 'model', layer: room ? room.layer : layer ?? undefined }
  if (role === 'head' && head !== null && room) {
    return fullName({ kind: 'head', edits: [], ...at, block: room.block, head }, t)
  }
  const own = role === 'head' ? t('stages.ablation.head', { head: head ?? 0 }) : t(`stages.attribution.roles.${role}`)
  const isOfRoom = ['bias', 'norm', 'edit', 'other'].includes(role)
  return [isOfRoom ? room ? fullRoomName(room, t) : name : layerHeading(at, t), own].filter(Boolean).join(' · ')
}

/** A number with its sign, since the parts are added. @param {number} value */
export const formatPart = value => {
  const text = formatFixed(value, 3)
  return value > 0 && /[1-9]/.test(text) ? `+${text}` : text
}

/** Parts of a folded waterfall. */
export const MAX_BARS = 12

/**
 * The bars of the waterfall: in the order of the computation or the largest first; folded, the largest ones, and last
 * all others together.
 * @param {PlacedPart[]} parts @param {{ isBySize: boolean, isFolded: boolean }} how @returns {Bar[]}
 */
export function waterfall(parts, { isBySize, isFolded }) {
  const ranked = [...parts].sort((a, b) => Math.abs(b.value) - Math.abs(a.value))
  const large = isFolded && parts.length > MAX_BARS + 1 ? ranked.slice(0, MAX_BARS) : ranked
  const rest = ranked.slice(large.length)
  const listed = isBySize ? large : parts.filter(part => large.includes(part))
  const sumOf = (/** @type {PlacedPart[]} */ list) => list.reduce((sum, { value }) => sum + value, 0)
  let to = 0
  return [...listed.map(part => ({ part, count: 1, value: part.value })),
    ...(rest.length ? [{ part: null, count: rest.length, value: sumOf(rest) }] : [])].map(bar => {
    const from = to
    to += bar.value
    return { ...bar, from, to }
  })
}

/**
 * What all heads took from each token, by text; tokens after the last that was read are left out.
 * @param {Run} run @param {Room[]} rooms @param {PlacedPart[]} parts @returns {SourceRow[]}
 */
export function sourceRows(run, rooms, parts) {
  /** @type {Map<string, SourceRow>} */ const rows = new Map()
  for (const part of parts) {
    const { sources, tensor } = part
    const weights = rooms.find(({ parts: { out, weights: name } }) => name && out === tensor)?.parts.weights
    const axes = weights && getDescription(run, weights)
    if (!sources || !axes) continue
    const axis = axes.shape.length - 1, { of: stream = '' } = axes.axes[axis]
    const tokens = getAxisLabels(run, axes, axis) ?? Array.from(sources, (_, i) => String(i))
    /** @type {SourceRow} */
    const row = rows.get(stream) ?? { stream, tokens, values: Array.from(sources, () => 0), heads: [] }
    sources.forEach((value, i) => { row.values[i] += value })
    row.heads.push(part)
    rows.set(stream, row)
  }
  return Object.keys(run.streams).flatMap(stream => rows.get(stream) ?? []).map(({ values, tokens, ...row }) => {
    const end = values.findLastIndex(value => value !== 0) + 1
    return { ...row, values: values.slice(0, end), tokens: tokens.slice(0, end) }
  })
}
