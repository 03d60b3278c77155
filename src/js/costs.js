import { DTYPES } from './dtype.js'

/**
 * What every operation of a run cost, counted from the run.
 *
 * @typedef {import('./trace.js').Trace} Trace
 * @typedef {import('./autograd.js').Node} Node
 * @typedef {{ name: string, op: string, shape: readonly number[], bytes: number, multiplyAdds: number,
 *   parameters: number, outputs: { name: string, bytes: number, multiplyAdds: number }[] }} Cost of an operation: the
 *   shape of its first output, the bytes of all, none where it only shows another's cells or is left out, the
 *   multiply-adds of matrix products, the trained numbers it used: inputs with requiresGrad that nothing in the run
 *   made; and which of its outputs took what
 */

/** @param {Trace} trace @param {Node} node */
function parametersOf(trace, { inputs }) {
  const trained = Object.values(inputs).filter(t => t?.requiresGrad && !trace.madeHere(t))
  return trained.reduce((n, t) => n + t.size, 0)
}

/** @param {Trace} trace @returns {Cost[]} */
export const computeCosts = trace => trace.nodes.map(node => {
  const { multiplyAdds = 0, parameters = parametersOf(trace, node), by } = node.op.cost?.(node) ?? {}
  const outputs = Object.entries(node.outputs).map(([key, tensor], i) => ({
    name: trace.nameOf(tensor) ?? '', bytes: node.op.isView || tensor.isLeftOut ? 0 : tensor.size * DTYPES[tensor.dtype].bytes,
    multiplyAdds: by ? by[key] ?? 0 : i ? 0 : multiplyAdds
  }))
  const [{ name }] = outputs, [{ shape }] = Object.values(node.outputs)
  const bytes = outputs.reduce((n, one) => n + one.bytes, 0)
  return { name, op: node.op.name, shape, bytes, multiplyAdds, parameters, outputs }
})
