import { TYPES } from './onnx_file.js'

/**
 * Cross entropy and the negative log likelihood with class indices as ONNX operators. Every size is computed in the
 * graph, so that a mean is right for any number of rows.
 *
 * @typedef {import('./onnx_graph.js').OnnxGraph} Graph
 * @typedef {import('../autograd/autograd.js').Node} Node
 */

/**
 * A sum over all rows, or the losses of the rows.
 * @param {Graph} g @param {string} losses [N] @param {string} weights [N] @param {string} reduction
 */
function reduceRows(g, losses, weights, reduction) {
  if (reduction === 'none') return losses
  const total = g.add('ReduceSum', [losses], { keepdims: 0 })
  return reduction === 'sum' ? total : g.add('Div', [total, g.add('ReduceSum', [weights], { keepdims: 0 })])
}

/**
 * The loss of log probabilities [N, V].
 * @param {Graph} g @param {Node} node @param {string} logProbs
 */
function lossOf(g, { saved: { origin, weight, ignoreIndex, reduction, labelSmoothing = 0 } }, logProbs) {
  const zero = g.number(0), last = g.ints([-1]), given = g.value(origin.target)
  const target = origin.target.shape.length === 1 ? given : g.reshape(given, [-1])
  const isIgnored = g.add('Equal', [target, g.number(ignoreIndex, 'int32')])
  const index = g.add('Where', [isIgnored, g.number(0, 'int32'), target])
  const picked = g.add('Squeeze', [g.add('GatherElements', [logProbs, g.add('Unsqueeze', [index, last])], { axis: 1 }), last])
  const ofClass = weight ? g.add('Gather', [g.value(weight), index]) : null
  const counted = g.cast(g.add('Not', [isIgnored]), 'float32', TYPES.float32)
  const weights = ofClass ? g.add('Where', [isIgnored, zero, ofClass]) : counted
  const own = g.add('Neg', [ofClass ? g.add('Mul', [picked, ofClass]) : picked])
  const wanted = (/** @type {string} */ losses) => g.add('Where', [isIgnored, zero, losses])
  if (!labelSmoothing) return reduceRows(g, wanted(own), weights, reduction)
  const all = weight ? g.add('Mul', [logProbs, g.value(weight)]) : logProbs
  const mean = g.add('Neg', [g.add('ReduceMean', [all], { axes: [1], keepdims: 0 })])
  const mixed = g.add('Add', [g.add('Mul', [own, g.number(1 - labelSmoothing)]), g.add('Mul', [mean, g.number(labelSmoothing)])])
  return reduceRows(g, wanted(mixed), weights, reduction)
}

/** log_softmax, then the loss. @param {Graph} g @param {Node} node */
export function crossEntropy(g, node) {
  const { inputs: { logits }, outputs } = node, logProbs = g.add('LogSoftmax', [g.value(logits)], { axis: 1 })
  g.bind(outputs.log_probs, logProbs)
  return lossOf(g, node, logProbs)
}

/** The loss of log probabilities. @param {Graph} g @param {Node} node */
export const nllLoss = (g, node) => lossOf(g, node, g.value(node.inputs.x))
