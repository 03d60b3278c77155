/** The costs of rooms, added up from those of every tensor in the run. */

import { knownAs } from './run.js'

/** @import { Costs, Room, Run, Translate } from '../types.d.ts' */
/** @typedef {{ parameters: number, multiplyAdds: number, bytes: number }} Sum */

/** @returns {Sum} */
export const nothing = () => ({ parameters: 0, multiplyAdds: 0, bytes: 0 })

/** @param {Sum[]} sums @returns {Sum} */
export const together = sums => sums.reduce((all, one) => ({
  parameters: all.parameters + one.parameters, multiplyAdds: all.multiplyAdds + one.multiplyAdds,
  bytes: all.bytes + one.bytes
}), nothing())

/**
 * The costs of every room by its id: the parameters and results that belong to it; what belongs to no room is under ''.
 * @param {Run} run @param {Room[]} rooms @param {Costs} costs @returns {Map<string, Sum>}
 */
export function costsByRoom(run, rooms, { made, parameters }) {
  /** @type {Map<string, Sum>} */ const sums = new Map()
  /** @type {Map<string, string>} */ const homes = new Map()
  for (const { id, tensors } of rooms) for (const name of tensors) if (!homes.has(name)) homes.set(name, id)
  /** @param {string} name @param {Partial<Sum>} more */
  const put = (name, more) => {
    const id = homes.get(knownAs(run, name)) ?? ''
    sums.set(id, together([sums.get(id) ?? nothing(), { ...nothing(), ...more }]))
  }
  made.forEach(({ name, bytes, multiplyAdds }) => put(name, { bytes, multiplyAdds }))
  parameters.forEach(({ name, size }) => put(name, { parameters: size }))
  return sums
}

/** A number with the digit grouping of the page's language. @param {number} value */
export const grouped = value => value.toLocaleString(document.documentElement.lang)

/** @param {Sum} sum @param {Translate} t */
export const costWords = ({ parameters, multiplyAdds, bytes }, t) => t('stages.costs.line', {
  parameters: grouped(parameters), multiplyAdds: grouped(multiplyAdds), bytes: grouped(bytes)
})
