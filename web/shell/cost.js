/** A line at the end of a room: its cost, as counted in the run. */

import { describeCosts, costsByRoom } from '../lib/costs.js'
import { h, setText } from '../lib/dom.js'

/** @import { Context, Costs, Room, Run, Structure } from '../types.d.ts' */

/** Runs of the same structure have the same cost. @type {WeakMap<Structure, Promise<Costs>>} */
const costsByStructure = new WeakMap()

/** @param {Room} room @param {Context} context */
export function createCostLine(room, { runQuery, rooms, t, reportError }) {
  const element = h('p', { className: 'note room-cost', hidden: true })
  /** @type {Structure | null} */ let current = null
  return {
    element,
    /** @param {Run} run */
    update(run) {
      const { structure } = run
      if (current === structure || room.tensors.length === 0) return
      current = structure
      const costs = costsByStructure.get(structure) ?? runQuery('costs', {})
      costsByStructure.set(structure, costs)
      costs.then(all => {
        const sum = current === structure && costsByRoom(run, rooms(), all).get(room.id)
        if (!sum) return
        element.hidden = false
        setText(element, describeCosts(sum, t))
      }).catch(reportError)
    }
  }
}
