/** The parts of a model that can be switched off: what they are called, and which of them a tensor depends on. */

import { writeEdits } from './edits.js'
import { describedOf } from './run.js'

/** @import { Room, Run, Translate } from '../types.d.ts' */
/** @typedef {import('../rooms/stream.js').Part} Part */

/** Where a part is, as a heading. @param {{ tower?: string, layer?: number }} part @param {Translate} t */
export const storeyOf = ({ tower = 'model', layer }, t) => [tower === 'model' ? '' : t(`map.${tower}`),
  layer === undefined ? '' : t('map.layer', { number: layer + 1 })].filter(Boolean).join(' ')

/** What a part is within its layer. @param {Part} part @param {Translate} t */
export const partWords = ({ kind, block, head }, t) => (
  t(`stages.parts.${kind}`, { block: block && t(`map.blocks.${block}`), head }))

/** Both, with the attention that a head belongs to. @param {Part} part @param {Translate} t */
export const fullName = (part, t) => [storeyOf(part, t), part.kind === 'head' ? t(`map.blocks.${part.block}`) : '',
  partWords(part, t)].filter(Boolean).join(' · ')

/** A part as it stands in a link: the edits that switch it off. @param {Part} part */
export const partKey = ({ edits }) => writeEdits(edits)

/** Everything that can be switched off in a house. @param {Room[]} rooms @returns {Part[]} */
export const partsIn = rooms => rooms.find(({ stage }) => stage === 'parts')?.parts.parts ?? []

/** All that some tensors were computed from, and they themselves. @param {Run} run @param {string[]} names */
export function lineage(run, names) {
  const seen = new Set(names)
  for (const name of seen) Object.values(describedOf(run, name)?.inputs ?? {}).forEach(from => seen.add(from))
  return seen
}
