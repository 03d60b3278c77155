import { DTYPES } from '../tensor/dtype.js'

/**
 * The cost of every operation of a run.
 *
 * @typedef {import('./trace.js').Trace} Trace
 * @typedef {import('../autograd/autograd.js').Node} Node
 * @typedef {{ name: string, op: string, shape: readonly number[], bytes: number, multiplyAdds: number,
 *   parameters: number, outputs: { name: string, bytes: number, multiplyAdds: number }[] }} Cost of an operation: the
 *   shape of its first output; the bytes of all outputs, 0 for views and for tensors without values; the multiply-adds
 *   of matrix products; the parameters it used (inputs with requiresGrad that the run did not compute); and by output
 */

/** @param {Trace} trace @param {Node} node */
function countParameters(trace, { inputs }) {
  const trained = Object.values(inputs).filter(t => t?.requiresGrad && !trace.tracedProducerOf(t))
  return trained.reduce((n, t) => n + t.numel(), 0)
}

/** @param {Trace} trace @returns {Cost[]} */
export const computeCosts = trace => trace.nodes.map(node => {
  const { multiplyAdds = 0, parameters = countParameters(trace, node), by } = node.op.cost?.(node) ?? {}
  const outputs = Object.entries(node.outputs).map(([key, tensor], i) => ({
    name: trace.nameOf(tensor) ?? '', bytes: node.op.isView || tensor.isLeftOut ? 0 : tensor.numel() * DTYPES[tensor.dtype].bytes,
    multiplyAdds: by ? by[key] ?? 0 : i ? 0 : multiplyAdds
  }))
  const [{ name }] = outputs, [{ shape }] = Object.values(node.outputs)
  const bytes = outputs.reduce((n, output) => n + output.bytes, 0)
  return { name, op: node.op.name, shape, bytes, multiplyAdds, parameters, outputs }
})
