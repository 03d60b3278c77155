/** The names of rooms. */

/** @import { Room, Translate } from '../types.d.ts' */

/** The tower, layer and block of a room, as far as it has them. @param {Room} room @param {Translate} t */
export function partName({ tower, layer, expert, block, stream, words }, t) {
  const hasNoTower = tower === 'model' || tower === undefined
  const towerName = hasNoTower ? '' : t(`map.${tower}`)
  if (layer === undefined) return stream && block === 'entry' ? towerName : ''
  const layerName = [towerName, t('map.layer', { number: layer })].filter(Boolean).join(' ')
  const blockName = t(`map.blocks.${block ?? words}`)
  return [layerName, blockName, ...(expert === undefined ? [] : [t('map.expert', { number: String(expert) })])].join(' · ')
}

/** The name of a room without its layer. @param {Room} room @param {Translate} t @returns {string} */
export const roomName = ({ words }, t) => t(`stages.${words}.name`)

/** The name of a room after its tower, layer and block. @param {Room} room @param {Translate} t */
export const fullRoomName = (room, t) => [partName(room, t), roomName(room, t)].filter(Boolean).join(' · ')
