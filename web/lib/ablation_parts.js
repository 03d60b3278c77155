/** The parts of a model that can be ablated: their names, and which of them a tensor depends on. */

import { writeEdits } from './edits.js'
import { describedOf } from './run.js'

/** @import { Room, Run, Translate } from '../types.d.ts' */
/** @typedef {import('../rooms/stream.js').Part} Part */

/**
 * The tower and layer of a part, as a heading.
 * @param {{ tower?: string, layer?: number }} part @param {Translate} t
 */
export const storeyOf = ({ tower = 'model', layer }, t) => [tower === 'model' ? '' : t(`map.${tower}`),
  layer === undefined ? '' : t('map.layer', { number: layer + 1 })].filter(Boolean).join(' ')

/** The name of a part within its layer. @param {Part} part @param {Translate} t */
export const partWords = ({ kind, block, head }, t) => (
  t(`stages.parts.${kind}`, { block: block && t(`map.blocks.${block}`), head }))

/** The full name of a part, with the attention of a head. @param {Part} part @param {Translate} t */
export const fullName = (part, t) => [storeyOf(part, t), part.kind === 'head' ? t(`map.blocks.${part.block}`) : '',
  partWords(part, t)].filter(Boolean).join(' · ')

/** A part in a link: the edits that ablate it. @param {Part} part */
export const partKey = ({ edits }) => writeEdits(edits)

/** All parts that can be ablated. @param {Room[]} rooms @returns {Part[]} */
export const partsIn = rooms => rooms.find(({ stage }) => stage === 'parts')?.parts.parts ?? []

/** Some tensors and everything that they were computed from. @param {Run} run @param {string[]} names */
export function lineage(run, names) {
  const all = new Set(names)
  for (const name of all) Object.values(describedOf(run, name)?.inputs ?? {}).forEach(from => all.add(from))
  return all
}
