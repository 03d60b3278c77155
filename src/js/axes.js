import { sameShape } from './shape.js'

/**
 * What runs along the axes of a run's tensors: a name for each axis, and whose tokens or words they are where it is
 * about such. Nothing is read off the tensors' names: operations hand it on from what is said of a few inputs.
 *
 * @typedef {import('./tensor.js').Tensor} Tensor
 * @typedef {import('./autograd.js').Node} Node
 *
 * 'batch' | 'token' | 'query' | 'key' | 'head' | 'channel' | 'word' | 'position' | 'row'; of: the stream of text that
 * the tokens, queries, keys or words are of; first: which of them is the first here, where some before it are left
 * out.
 * @typedef {{ name: string, of?: string, first?: number }} Axis
 * @typedef {readonly Axis[]} Axes
 */

/** What float tensors are taken to be that nobody says more about, by their rank. */
const BY_RANK = [[], ['channel'], ['row', 'channel'], ['batch', 'token', 'channel'], ['batch', 'head', 'query', 'key']]

/** @param {string} name @returns {Axis} */
const named = name => ({ name })

/** @param {readonly number[]} shape @returns {Axis[]} */
function byRank({ length }) {
  const known = BY_RANK[length]
  return known ? known.map(named) : Array.from({ length }, (_, i) => named(i === length - 1 ? 'channel' : 'row'))
}

/**
 * The axes of a result from those of inputs that broadcast to it, or lose or join axes of one side: from the last to
 * the
 * first, each is that of the first input that has as many places there.
 * @param {readonly number[]} shape @param {{ shape: readonly number[], axes: Axes }[]} inputs @returns {Axis[]}
 */
function broadcast(shape, inputs) {
  const fallback = byRank(shape)
  return shape.map((side, axis) => {
    const fromEnd = shape.length - axis
    const source = inputs.find(input => input.shape[input.shape.length - fromEnd] === side)
    return source ? source.axes[source.shape.length - fromEnd] : fallback[axis]
  })
}

/**
 * The axes of every tensor of a recorded computation.
 * @param {Node[]} nodes in the order in which they ran
 * @param {(tensor: Tensor) => Axes | undefined} said what is known of inputs beforehand
 * @returns {(tensor: Tensor) => Axes}
 */
export function axesOf(nodes, said) {
  /** @type {Map<Tensor, Axes>} */ const known = new Map()
  const of = (/** @type {Tensor} */ tensor) => known.get(tensor) ?? said(tensor) ?? byRank(tensor.shape)
  /**
   * What goes into an operation cell by cell, and nobody says more about, runs along what comes out. @param {Node} node
   */
  const adopt = ({ inputs, outputs }) => {
    const [output] = Object.values(outputs)
    for (const input of Object.values(inputs)) {
      const isOpen = input && !known.has(input) && !said(input)
      if (isOpen && sameShape(input.shape, output.shape)) known.set(input, of(output))
    }
  }
  for (const node of nodes) {
    for (const [key, axes] of Object.entries(node.op.inputAxes ?? {})) {
      const input = node.inputs[key]
      if (input && !known.has(input)) known.set(input,
        said(input) ?? (typeof axes === 'function' ? axes(node, of) : axes))
    }
    const inputs = Object.values(node.inputs).filter(Boolean).map(input => ({ shape: input.shape, axes: of(input) }))
    inputs.sort((a, b) => b.shape.length - a.shape.length)
    for (const [key, output] of Object.entries(node.outputs)) {
      known.set(output, said(output) ?? node.op.axes?.(node, of, key) ?? broadcast(output.shape, inputs))
    }
    if (!node.op.axes && !node.op.inputAxes) adopt(node)
  }
  return of
}
