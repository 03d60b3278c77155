import { Tensor } from '../tensor/tensor.js'

/**
 * What a run can take over from an earlier run of the same computation: the outputs of modules that were finished
 * before the first tensor that differs.
 *
 * @typedef {import('./trace.js').Trace} Trace
 * @typedef {import('./trace_calls.js').Call} Call
 * @typedef {Map<string, { output: Tensor, last: number }>} Reusable
 */

/**
 * The modules that were called once and returned a tensor, by path, each with the index of its last operation.
 * @param {Trace} trace @returns {Reusable}
 */
export function findReusable({ calls, nodes }) {
  /** @type {Map<Call, number>} */ const last = new Map()
  nodes.forEach(({ call }, i) => { for (let at = call; at; at = at.parent) last.set(at, i) })
  /** @type {Map<string, number>} */ const counts = new Map()
  for (const { path } of calls) counts.set(path, (counts.get(path) ?? 0) + 1)
  /** @type {Reusable} */ const found = new Map()
  for (const call of calls) {
    const { path, output } = call
    if (path && counts.get(path) === 1 && output instanceof Tensor && last.has(call)) {
      found.set(path, { output, last: /** @type {number} */ (last.get(call)) })
    }
  }
  return found
}
