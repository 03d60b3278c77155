/** The origin of an exported picture: room, head, text, changes, and the setting of a twin. */

import { fullRoomName } from './room_name.js'

/** @import { Room, Translate } from '../types.d.ts' */

/**
 * One line of text.
 * @param {{ t: Translate, room: Room, head: number | null, text: string, changes: string[], named?: string }} about
 */
export function describeOrigin({ t, room, head, text, changes, named: title }) {
  return [fullRoomName(room, t), head !== null && `${t('frame.head')} ${head}`, text, ...changes, title]
    .filter(Boolean).join(' · ')
}
