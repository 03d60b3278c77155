/**
 * The pictures of all rooms for the map and the house. The build takes of each stage no more than its picture needs:
 * see web/elements/build.js.
 */

import { stages } from '../stages/index.js'

/** @import { Stage } from '../types.d.ts' */

/** @type {Record<string, Stage['picture']>} */
export const PICTURES = Object.fromEntries(stages.map(({ id, picture }) => [id, picture]))
