/** The stages by name. The page registers all of them at once, an element those that it displays. */

/** @import { Stage } from '../types.d.ts' */

/** @type {Map<string, Stage>} */ const stagesById = new Map()
/** Pictures of rooms, whose stages may not be loaded. @type {Record<string, Stage['picture']>} */ const pictures = {}

/** @param {readonly Stage[]} stages */
export function registerStages(stages) {
  for (const stage of stages) stagesById.set(stage.id, stage)
}

/** @param {typeof pictures} more by the names of stages */
export function registerPictures(more) {
  Object.assign(pictures, more)
}

/** A registered stage. @param {string} id */
export const stageOf = id => /** @type {Stage} */ (stagesById.get(id))

/** How a room of a stage is pictured. @param {string} id */
export const pictureOf = id => pictures[id] ?? stageOf(id).picture
