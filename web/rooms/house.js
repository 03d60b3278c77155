/** The room that exists before any run. */

/** @import { Room } from '../types.d.ts' */

/** The first room: the whole house. @type {Room} */
export const HOUSE = {
  id: 'house', stage: 'house', words: 'house', parts: {}, tensors: [], block: 'house', isOnTour: true, from: [],
  aside: 'reading'
}
