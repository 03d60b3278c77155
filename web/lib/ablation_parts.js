/** The parts of a model that can be ablated: their names, and which of them a tensor depends on. */

import { writeEdits } from './edit_links.js'
import { getDescription } from './run.js'

/** @import { Room, Run, Translate } from '../types.d.ts' */
/** @typedef {import('../rooms/stream.js').Part} Part */

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
