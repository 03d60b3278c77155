/**
 * The graph of a trace: each tensor's direct inputs. Most operations compute one output from all of their inputs;
 * attention has several outputs, each computed from the one before, and dropout's mask has no input: `from` says so.
 *
 * @typedef {import('./autograd.js').Node} Node
 * @typedef {import('../tensor/tensor.js').Tensor} Tensor
 */

/**
 * Resolves chains of views to the tensor whose values they show; other tensors are returned as they are.
 * @param {Node[]} nodes @returns {(tensor: Tensor) => Tensor}
 */
export function resolveViews(nodes) {
  const views = nodes.filter(({ op }) => op.isView)
  const bases = new Map(views.map(({ inputs, outputs }) => [outputs.out, Object.values(inputs)[0]]))
  return tensor => {
    let base = tensor
    while (bases.has(base)) base = bases.get(base)
    return base
  }
}

/**
 * The direct inputs of every computed tensor, by their names in the formula, with views resolved.
 * @param {Node[]} nodes @returns {Map<Tensor, Record<string, Tensor>>}
 */
export function buildGraph(nodes) {
  const resolve = resolveViews(nodes)
  return new Map(nodes.flatMap(node => Object.entries(node.outputs).map(([key, tensor]) => {
    const from = Object.entries(node.op.from?.(node, key) ?? node.inputs).filter(([, input]) => input)
    return [tensor, Object.fromEntries(from.map(([name, input]) => [name, resolve(input)]))]
  })))
}

/** The name of one of a node's outputs. @param {Node} node @param {Tensor} tensor */
export const keyOf = (node, tensor) =>
  /** @type {string} */ (Object.keys(node.outputs).find(key => node.outputs[key] === tensor))
