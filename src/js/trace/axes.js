import { sameShape } from '../tensor/shape.js'

/**
 * The axes of a run's tensors: a name for each axis, and the stream of text it belongs to, if any. Axes are not guessed
 * from tensors' names: operations derive them from the declared axes of a few inputs.
 *
 * @typedef {import('../tensor/tensor.js').Tensor} Tensor
 * @typedef {import('../autograd/autograd.js').Node} Node
 *
 * name: 'batch' | 'token' | 'query' | 'key' | 'head' | 'channel' | 'word' (of the vocabulary) | 'position' | 'row'; of:
 * the stream of text that the tokens, queries, keys or words belong to; first: the index of the first one, if not 0;
 * indices: of the selected ones, if not all; per: how many heads share an index of this axis, where heads have two
 * axes.
 * @typedef {{ name: string, of?: string, first?: number, indices?: readonly number[], per?: number }} Axis
 * @typedef {readonly Axis[]} Axes
 */

/** Default axes of float tensors by rank. */
const BY_RANK = [[], ['channel'], ['row', 'channel'], ['batch', 'token', 'channel'], ['batch', 'head', 'query', 'key']]

/** @param {string} name @returns {Axis} */
const toAxis = name => ({ name })

/** @param {readonly number[]} shape @returns {Axis[]} */
function getDefaultAxes({ length }) {
  const names = BY_RANK[length]
  return names ? names.map(toAxis) : Array.from({ length }, (_, i) => toAxis(i === length - 1 ? 'channel' : 'row'))
}

/**
 * The axes of a result from those of its inputs, for operations that broadcast, or that drop or join axes of size 1:
 * each axis, counted from the last, is that of the first input with the same size there.
 * @param {readonly number[]} shape @param {{ shape: readonly number[], axes: Axes }[]} inputs @returns {Axis[]}
 */
function broadcastAxes(shape, inputs) {
  const fallback = getDefaultAxes(shape)
  return shape.map((side, axis) => {
    const fromEnd = shape.length - axis
    const source = inputs.find(input => input.shape[input.shape.length - fromEnd] === side)
    return source ? source.axes[source.shape.length - fromEnd] : fallback[axis]
  })
}

/**
 * The axes of every tensor of a recorded computation.
 * @param {Node[]} nodes in the order in which they ran
 * @param {(tensor: Tensor) => Axes | undefined} getDeclaredAxes axes that are known beforehand
 * @returns {(tensor: Tensor) => Axes}
 */
export function deriveAxes(nodes, getDeclaredAxes) {
  /** @type {Map<Tensor, Axes>} */ const derived = new Map()
  /** @param {Tensor} tensor */
  const of = tensor => derived.get(tensor) ?? getDeclaredAxes(tensor) ?? getDefaultAxes(tensor.shape)
  /**
   * An elementwise operation gives the axes of its output to inputs that have none.
   * @param {Node} node
   */
  const adopt = ({ inputs, outputs }) => {
    const [output] = Object.values(outputs)
    for (const input of Object.values(inputs)) {
      const isUnknown = input && !derived.has(input) && !getDeclaredAxes(input)
      if (isUnknown && sameShape(input.shape, output.shape)) derived.set(input, of(output))
    }
  }
  for (const node of nodes) {
    for (const [key, axes] of Object.entries(node.op.inputAxes ?? {})) {
      const input = node.inputs[key]
      if (input && !derived.has(input)) derived.set(input,
        getDeclaredAxes(input) ?? (typeof axes === 'function' ? axes(node, of) : axes))
    }
    const inputs = Object.values(node.inputs).filter(Boolean).map(input => ({ shape: input.shape, axes: of(input) }))
    inputs.sort((a, b) => b.shape.length - a.shape.length)
    for (const [key, output] of Object.entries(node.outputs)) {
      derived.set(output,
        getDeclaredAxes(output) ?? node.op.axes?.(node, of, key) ?? broadcastAxes(output.shape, inputs))
    }
    if (!node.op.axes && !node.op.inputAxes) adopt(node)
  }
  return of
}
