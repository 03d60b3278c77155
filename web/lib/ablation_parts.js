/** The parts of a model that can be ablated: their names, and which of them a tensor depends on. */

import { cellName } from './cell.js'
import { MAX_EDITS, writeEdits } from './edit_links.js'
import { hasEdits, toggleEdits } from './edits.js'
import { getDescription } from './run.js'

/** @import { Edit, Room, Run, Translate } from '../types.d.ts' */
/** @typedef {import('../rooms/stream.js').Part} Part */
/** The means of each channel over all positions, by tensor. @typedef {Map<string, Float32Array>} Means */

/**
 * The tower and layer of a part, as a heading.
 * @param {{ tower?: string, layer?: number }} part @param {Translate} t
 */
export const layerHeading = ({ tower = 'model', layer }, t) => [tower === 'model' ? '' : t(`map.${tower}`),
  layer === undefined ? '' : t('map.layer', { number: layer })].filter(Boolean).join(' ')

/** The name of a part within its layer. @param {Part} part @param {Translate} t */
export const partLabel = ({ kind, block, head }, t) => (
  t(`stages.ablation.${kind}`, { block: block && t(`map.blocks.${block}`), head }))

/** The full name of a part, with the attention of a head. @param {Part} part @param {Translate} t */
export const fullName = (part, t) => [layerHeading(part, t), part.kind === 'head' ? t(`map.blocks.${part.block}`) : '',
  partLabel(part, t)].filter(Boolean).join(' · ')

/** The text of a part in a link: the edits that ablate it. @param {Part} part */
export const partKey = ({ edits }) => writeEdits(edits)

/** All parts that can be ablated. @param {Room[]} rooms @returns {Part[]} */
export const listParts = rooms => rooms.find(({ stage }) => stage === 'ablation')?.parts.parts ?? []

/** Some tensors and everything that they were computed from. @param {Run} run @param {string[]} names */
export function listDependencies(run, names) {
  const tensorNames = new Set(names)
  for (const name of tensorNames) Object.values(getDescription(run, name)?.inputs ??
    {}).forEach(input => tensorNames.add(input))
  return tensorNames
}

/**
 * The edits that put means in place of what a part adds: one for each channel, at all positions; none where the part
 * adds nothing of its own, or has too many channels for a link.
 * @param {Run} run @param {Part} part @param {Float32Array} [means] of the tensor's channels
 * @returns {Edit[]}
 */
export function meanEdits(run, { adds }, means) {
  if (!adds) return []
  const { name, index } = adds, { shape } = getDescription(run, name), last = index.length - 1, size = shape[last]
  const [from, to] = Array.isArray(index[last]) ? index[last] : [0, size]
  // A head has channels of its own, or an axis.
  const first = index.length === 4 ? Number(index[1]) * size : 0
  return to - from > MAX_EDITS ? [] : Array.from({ length: to - from }, (_, i) => (
    { name, index: index.with(last, from + i), value: means?.[first + from + i] ?? 0 }))
}

/**
 * Which parts are ablated by a list of edits, in one way or the other.
 * @param {Run} run @param {Part[]} parts @param {Edit[]} edits
 */
export function listAblated(run, parts, edits) {
  const cells = new Set(edits.map(cellName))
  const isMean = (/** @type {Part} */ part) => {
    const list = cells.size ? meanEdits(run, part) : []
    return list.length > 0 && list.every(edit => cells.has(cellName(edit)))
  }
  return parts.map(part => ({ ...part, isOff: hasEdits(edits, part.edits) || isMean(part) }))
}

/**
 * The edits without a part, by zeros or by means; or with it again, if it is ablated.
 * @param {Run} run @param {Edit[]} edits @param {Part & { isOff: boolean }} part @param {Means | null} means
 */
export function togglePart(run, edits, part, means) {
  const own = part.adds && means?.get(part.adds.name)
  if (part.isOff) return toggleEdits(edits, [...part.edits, ...meanEdits(run, part)], false)
  return toggleEdits(edits, own ? meanEdits(run, part, own) : part.edits, true)
}
