/**
 * What a tensor was computed from directly. Most operations make one tensor from all of their inputs; attention makes
 * several, each from the one before, and dropout draws its mask from nothing: those say so by `from`.
 *
 * @typedef {import('./autograd.js').Node} Node
 * @typedef {import('./tensor.js').Tensor} Tensor
 */

/**
 * The tensor that a chain of views shows, or the tensor itself.
 * @param {Node[]} nodes @returns {(tensor: Tensor) => Tensor}
 */
export function resolveViews(nodes) {
  const views = nodes.filter(({ op }) => op.isView)
  const shown = new Map(views.map(({ inputs, outputs }) => [outputs.out, Object.values(inputs)[0]]))
  return tensor => {
    let behind = tensor
    while (shown.has(behind)) behind = shown.get(behind)
    return behind
  }
}

/**
 * For every tensor that the nodes made the tensors it was computed from, by the names of the formula, views looked
 * through.
 * @param {Node[]} nodes @returns {Map<Tensor, Record<string, Tensor>>}
 */
export function buildGraph(nodes) {
  const behind = resolveViews(nodes)
  return new Map(nodes.flatMap(node => Object.entries(node.outputs).map(([key, tensor]) => {
    const from = Object.entries(node.op.from?.(node, key) ?? node.inputs).filter(([, input]) => input)
    return [tensor, Object.fromEntries(from.map(([name, input]) => [name, behind(input)]))]
  })))
}

/** What the node calls one of its outputs. @param {Node} node @param {Tensor} tensor */
export const keyOf = (node, tensor) =>
  /** @type {string} */ (Object.keys(node.outputs).find(key => node.outputs[key] === tensor))
