/** The names of rooms. */

/** @import { Room, Translate } from '../types.d.ts' */

/** Tower, layer and part of a room, as far as it needs them. @param {Room} room @param {Translate} t */
export function partName({ tower, layer, block, stream, words }, t) {
  const isAlone = tower === 'model' || tower === undefined
  const at = isAlone ? '' : t(`map.${tower}`)
  if (layer === undefined) return stream && block === 'entry' ? at : ''
  const storey = [at, t('map.layer', { number: layer + 1 })].filter(Boolean).join(' ')
  return `${storey} · ${t(`map.blocks.${block ?? words}`)}`
}

/** @param {Room} room @param {Translate} t @returns {string} */
export const ownName = ({ words }, t) => t(`stages.${words}.name`)

/** Where a room is, and its name. @param {Room} room @param {Translate} t */
export const placeName = (room, t) => [partName(room, t), ownName(room, t)].filter(Boolean).join(' · ')
