/** The costs of rooms, added up from those of every tensor in the run. */

import { formatInteger } from './number.js'
import { canonicalName } from './run.js'

/** @import { Costs, Room, Run, Translate } from '../types.d.ts' */
/** @typedef {{ parameters: number, multiplyAdds: number, bytes: number }} Sum */

/** @returns {Sum} */
export const zeroCosts = () => ({ parameters: 0, multiplyAdds: 0, bytes: 0 })

/** @param {Sum[]} sums @returns {Sum} */
export const addCosts = sums => sums.reduce((all, sum) => ({
  parameters: all.parameters + sum.parameters, multiplyAdds: all.multiplyAdds + sum.multiplyAdds,
  bytes: all.bytes + sum.bytes
}), zeroCosts())

/**
 * The costs of every room by its id. Parameters and results that belong to no room are added up under ''.
 * @param {Run} run @param {Room[]} rooms @param {Costs} costs @returns {Map<string, Sum>}
 */
export function costsByRoom(run, rooms, { results, parameters }) {
  /** @type {Map<string, Sum>} */ const sums = new Map()
  /** @type {Map<string, string>} */ const roomIds = new Map()
  for (const { id, tensors } of rooms) for (const name of tensors) if (!roomIds.has(name)) roomIds.set(name, id)
  /** @param {string} name @param {Partial<Sum>} costs */
  const add = (name, costs) => {
    const id = roomIds.get(canonicalName(run, name)) ?? ''
    sums.set(id, addCosts([sums.get(id) ?? zeroCosts(), { ...zeroCosts(), ...costs }]))
  }
  results.forEach(({ name, bytes, multiplyAdds }) => add(name, { bytes, multiplyAdds }))
  parameters.forEach(({ name, size }) => add(name, { parameters: size }))
  return sums
}

/** @param {Sum} sum @param {Translate} t */
export const describeCosts = ({ parameters, multiplyAdds, bytes }, t) => t('stages.costs.line', {
  parameters: formatInteger(parameters), multiplyAdds: formatInteger(multiplyAdds), bytes: formatInteger(bytes)
})
