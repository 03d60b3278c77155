import { DTYPES } from './dtype.js'

/**
 * What every operation of a run cost, counted from the run.
 *
 * @typedef {import('./trace.js').Trace} Trace
 * @typedef {import('./autograd.js').Node} Node
 * @typedef {{ name: string, op: string, shape: readonly number[], bytes: number, multiplyAdds: number,
 *   parameters: number }} Cost of an operation: the shape of its first output, the bytes of all, the multiply-adds of
 *   matrix products, and the trained numbers it used: inputs with requiresGrad that nothing in the run made
 */

/** @param {Trace} trace @param {Node} node */
function parametersOf(trace, { inputs }) {
  const trained = Object.values(inputs).filter(t => t?.requiresGrad && !trace.madeHere(t))
  return trained.reduce((n, t) => n + t.size, 0)
}

/** @param {Trace} trace @returns {Cost[]} */
export const costsOf = trace => trace.nodes.map(node => {
  const outputs = Object.values(node.outputs), [{ shape }] = outputs
  const bytes = outputs.reduce((n, t) => n + t.size * DTYPES[t.dtype].bytes, 0)
  const { multiplyAdds = 0, parameters = parametersOf(trace, node) } = node.op.cost?.(node) ?? {}
  return { name: trace.nameOf(outputs[0]) ?? '', op: node.op.name, shape, bytes, multiplyAdds, parameters }
})
