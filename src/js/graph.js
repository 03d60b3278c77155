/**
 * What a tensor was computed from directly. Most operations make one tensor from all of their inputs; attention makes
 * several, each from the one before, and dropout draws its mask from nothing.
 *
 * @typedef {import('./autograd.js').Node} Node
 * @typedef {import('./tensor.js').Tensor} Tensor
 */

/** @type {Record<string, Record<string, (node: Node) => Record<string, Tensor | null | undefined>>>} */
const INNER = {
  attention: {
    scores: ({ inputs: { q, k } }) => ({ q, k }),
    masked_scores: ({ inputs: { mask }, outputs: { scores } }) => ({ scores, mask }),
    weights: ({ outputs: { masked_scores: scores } }) => ({ scores }),
    out: ({ inputs: { v }, outputs: { weights }, saved: { dropoutMask: dropout } }) => ({ weights, dropout, v })
  },
  dropout: {
    mask: () => ({}),
    out: ({ inputs: { x }, outputs: { mask } }) => ({ x, mask })
  }
}

/**
 * For every output of a node the tensors it was computed from, by the names of the formula.
 * @param {Node} node @returns {[Tensor, Record<string, Tensor>][]}
 */
export const madeFrom = node => Object.entries(node.outputs).map(([key, tensor]) => {
  const from = Object.entries(INNER[node.op.name]?.[key]?.(node) ?? node.inputs).filter(([, input]) => input)
  return [tensor, /** @type {Record<string, Tensor>} */ (Object.fromEntries(from))]
})
