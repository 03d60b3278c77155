/** One step by layer: output sizes, gradient norms, and updates. */

import { totalNorm, updateRatios } from '../../src/training/norms.js'

/** @import { Session } from '../../src/training/session.js' */

/** @typedef {ReturnType<typeof measureOutputs>[number]} Output */
/** @typedef {ReturnType<typeof measureLayers>[number]} Layer */

/**
 * The output of each layer: its shape and root mean square.
 * @param {Session} session @param {any} trace of a forward
 */
export const measureOutputs = ({ gf, groups }, trace) => groups.map(({ name }) => {
  const output = trace.get(`${name}.output`), { shape } = output, size = output.numel()
  return {
    name, shape: /** @type {number[]} */ ([...shape]), rms: totalNorm(gf, [output]) / Math.sqrt(size),
    at: /** @type {number} */ (trace.names.indexOf(`${name}.output`))
  }
})

/**
 * The layers after a step, in the order of forward.
 * @param {Session} session @param {Output[]} outputs @param {number[]} norms of gradients, before clipping
 * @param {any[]} before a copy of every weight
 */
export function measureLayers({ gf, groups }, outputs, norms, before) {
  const ratios = updateRatios(gf, groups, before)
  return outputs.map((output, i) => ({ ...output, norm: norms[i], ratio: ratios[i] }))
    .sort((a, b) => a.at - b.at)
}
