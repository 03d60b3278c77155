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
 * For every tensor that the nodes made the tensors it was computed from, by the names of the formula, views looked
 * through.
 * @param {Node[]} nodes @returns {Map<Tensor, Record<string, Tensor>>}
 */
export function graphOf(nodes) {
  const shown = new Map(nodes.filter(({ op }) => op.isView)
    .map(({ inputs, outputs }) => [outputs.out, Object.values(inputs)[0]]))
  return new Map(nodes.flatMap(node => Object.entries(node.outputs).map(([key, tensor]) => {
    const from = Object.entries(INNER[node.op.name]?.[key]?.(node) ?? node.inputs).filter(([, input]) => input)
    const through = from.map(([name, input]) => [name, shown.get(/** @type {Tensor} */ (input)) ?? input])
    return [tensor, Object.fromEntries(through)]
  })))
}

/** What the node calls one of its outputs. @param {Node} node @param {Tensor} tensor */
export const keyOf = (node, tensor) =>
  /** @type {string} */ (Object.keys(node.outputs).find(key => node.outputs[key] === tensor))
