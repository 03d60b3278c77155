/** The stages by name. The page registers all of them at once, an element those that it displays. */

/** @import { Stage } from '../types.d.ts' */

/** @type {Map<string, Stage>} */ const stagesById = new Map()

/** @param {readonly Stage[]} stages */
export function registerStages(stages) {
  for (const stage of stages) stagesById.set(stage.id, stage)
}

/** A registered stage. @param {string} id */
export const stageOf = id => /** @type {Stage} */ (stagesById.get(id))
