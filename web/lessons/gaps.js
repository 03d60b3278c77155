/** A sentence with a gap in every language, with the head that looks at what determines the missing word. */

import { linkByLanguage } from '../words/examples.js'

export const gaps = linkByLanguage([['ko', 'gapped=빵[?] 먹었다&head=3'], ['en', 'gapped=the keys [?] here now&head=1']])

/** A sentence of the same form, in which another word is missing. */
export const otherGaps = linkByLanguage([['ko', 'room=decoding&gapped=사과[?] 먹었다'], ['en', 'room=decoding&gapped=the key [?] here now']])

/** The links with a room. @param {typeof gaps} links @param {string} room */
export const withRoom = (links, room) => /** @type {typeof gaps} */ (
  Object.fromEntries(Object.entries(links).map(([language, link]) => [language, `${link}&room=${room}`])))
