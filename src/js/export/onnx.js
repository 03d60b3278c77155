import { openBatch } from './batch.js'
import { inputsOf } from './inputs.js'
import { onnxBytes } from './onnx_file.js'
import { OnnxGraph, refused } from './onnx_graph.js'
import { RULES } from './onnx_ops.js'
import { liveNodes, recording } from './record.js'

/**
 * A model as an ONNX file, by writing down one run of it.
 *
 * @typedef {import('./record.js').Recorded} Recorded
 */

/** @param {OnnxGraph} graph @param {Set<import('../autograd.js').Node>} live */
function writeNodes(graph, live) {
  for (const node of live) {
    const { op, outputs } = node, rule = Object.hasOwn(RULES, op.name) ? RULES[op.name] : null
    if (!rule) throw refused(`the operation ${op.name} has no counterpart in ONNX here`)
    graph.operation(Object.values(outputs)[0], () => rule(graph, node))
  }
}

/** @param {Recorded} recorded @param {string} name of the graph */
function bytesOf(recorded, name) {
  const { inputs, outputs, state, nameOf } = recorded, live = liveNodes(recorded)
  const graph = new OnnxGraph(state, nameOf, openBatch(recorded, live))
  for (const { name, tensor } of inputs) {
    graph.claim(name, 'an input')
    graph.bind(tensor, name)
  }
  for (const { name } of outputs) graph.claim(name, 'an output')
  writeNodes(graph, live)
  for (const { name, tensor } of outputs) {
    const from = graph.of(tensor)
    graph.nodes.push({ type: 'Identity', name, inputs: [from], outputs: [name], attributes: {} })
  }
  const [batch] = inputs[0]?.tensor.shape ?? []
  /**
   * A multiple of the batch is another number.
   * @param {number[]} shape @param {import('../tensor.js').Tensor} tensor
   */
  const named = (shape, tensor) => (shape[0] === -1 && tensor.shape[0] !== batch ? [-2, ...shape.slice(1)] : shape)
  const described = (/** @type {import('./record.js').Named[]} */ list) =>
    list.map(({ name, tensor }) => ({ name, shape: named(graph.shapeOf(tensor), tensor), dtype: tensor.dtype }))
  const { nodes, initializers } = graph
  return onnxBytes({ name, nodes, initializers, inputs: described(inputs), outputs: described(outputs) })
}

/**
 * A model as the bytes of an ONNX file (opset 17), written down from one run in eval mode on the inputs given:
 * onnxruntime gives the same numbers to 1e-5.
 *
 * Of inputs with a batch of two or more in front the batch may have any size, if every operation leaves it there; all
 * other sizes are those of the inputs, as with torch.onnx.export without dynamic axes, and what a forward of one's own
 * makes of values in JavaScript stays as it was. The attentionMask of gf.models' models, in numbers or as a tensor, is
 * an input as ids are. An input that no output depends on is none of the graph's. Weights keep the keys and shapes of
 * the state dict. Whole numbers are int64.
 * @param {import('../nn/module.js').Module} model
 * @param {import('./inputs.js').Inputs} inputs what forward is called with. A tensor or nested ids are the graph's
 *   `input`. Of a list, `[x, memory]`, they are `input_0`, `input_1` ... Of an object they have its names, and go to
 *   forward by the class's `inputNames`, the others as options: `{ src, tgt, tgtIsCausal: true }`,
 *   `{ ids, decoderIds }`; a class without inputNames takes them in order. What is neither a tensor nor nested ids,
 *   such as a mask of true and false in lists, is passed on and no input. A tensor that forward returns is `output`, of
 *   a list `output_0` ..., of an object by name
 * @returns {Uint8Array}
 * @throws {import('../errors.js').GlassformerError} 'type' for an operation that ONNX has no counterpart for here, and
 *   for an input whose values JavaScript reads while no output depends on it, by name
 * @example
 * gf.toOnnx(new gf.nn.Linear(2, 3), { x: gf.ones([2, 2]) }).length > 100   // true
 */
export const toOnnx = (model, inputs) => recording('toOnnx', model,
  (engine, module) => inputsOf('toOnnx', engine, module, inputs), recorded => bytesOf(recorded, model.constructor.name))
