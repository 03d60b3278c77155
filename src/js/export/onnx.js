import { expectOptions } from '../errors.js'
import { freeLengths, readDynamicAxes } from './dynamic_axes.js'
import { findBatched } from './dynamic_batch.js'
import { prepareInputs } from './inputs.js'
import { onnxBytes } from './onnx_file.js'
import { OnnxGraph, unsupported } from './onnx_graph.js'
import { RULES } from './onnx_ops.js'
import { liveNodes, recordRun } from './record.js'

/**
 * Exports a model as an ONNX file by recording one run.
 *
 * @typedef {import('./record.js').Recorded} Recorded
 */

/**
 * Adds the operators of all operations.
 * @param {OnnxGraph} graph
 * @param {Set<import('../autograd/autograd.js').Node>} live
 */
function writeNodes(graph, live) {
  for (const node of live) {
    const { op, outputs } = node, rule = Object.hasOwn(RULES, op.name) ? RULES[op.name] : null
    if (!rule) throw unsupported(`the operation ${op.name} cannot be exported to ONNX`)
    graph.operation(Object.values(outputs)[0], () => rule(graph, node))
  }
}

/**
 * The graph of a recorded run.
 * @param {Recorded} recorded @param {{ isOpen?: boolean, omitWeights?: boolean }} options see OnnxGraph
 * @returns {import('./dynamic_axes.js').Graph}
 */
function graphOf(recorded, options) {
  const { inputs, outputs, state, nameOf } = recorded, live = liveNodes(recorded, options.isOpen)
  const graph = new OnnxGraph(state, nameOf, findBatched(recorded, live), options)
  for (const { name, tensor } of inputs) {
    graph.claim(name, 'an input')
    graph.bind(tensor, name)
  }
  for (const { name } of outputs) graph.claim(name, 'an output')
  writeNodes(graph, live)
  for (const { name, tensor } of outputs) {
    const value = graph.value(tensor)
    graph.nodes.push({ type: 'Identity', name, inputs: [value], outputs: [name], attributes: {} })
  }
  const [batch] = inputs[0]?.tensor.shape ?? []
  /**
   * The shape with −2 in front for a multiple of the batch, which needs another name than the batch itself.
   * @param {number[]} shape @param {import('../tensor/tensor.js').Tensor} tensor
   */
  const openShape = (shape, tensor) => (shape[0] === -1 && tensor.shape[0] !== batch ? [-2, ...shape.slice(1)] : shape)
  const describeValues = (/** @type {import('./record.js').Named[]} */ list) =>
    list.map(({ name, tensor }) => ({ name, shape: openShape(graph.shapeOf(tensor), tensor), dtype: tensor.dtype }))
  const { nodes, initializers } = graph
  return { nodes, initializers, inputs: describeValues(inputs), outputs: describeValues(outputs) }
}

/**
 * Exports a model as an ONNX file (opset 17) by recording one run in eval mode on the inputs. onnxruntime gives the
 * same numbers to 1e-5.
 *
 * If the inputs have a batch of two or more in front and every operation keeps it there, the batch may have any size.
 * All other sizes are those of the inputs, unless dynamicAxes names them: the model then runs with other lengths, too,
 * and what differs, such as shapes, positions and causal masks, is computed in the graph. Other values that a custom
 * forward computes in JavaScript become constants. The attentionMask of models from gf.models, in numbers or as a
 * tensor, is an input like the ids. Inputs that no output depends on are left out. Weights keep the keys and shapes of
 * the state dict. Integers are int64.
 * @param {import('../nn/module.js').Module} model
 * @param {import('./inputs.js').Inputs} inputs the arguments of forward. A single tensor or nested ids become the
 *   graph's `input`. The items of a list, `[x, memory]`, become `input_0`, `input_1` ... The values of an object keep
 *   their names and are passed by the class's `inputNames`, all others as options: `{ src, tgt, tgtIsCausal: true }`,
 *   `{ ids, decoderIds }`; a class without inputNames takes them in order. A value that is neither a tensor nor nested
 *   ids, such as a mask of booleans in lists, is passed on and is not an input. A tensor that forward returns becomes
 *   `output`, the items of a list `output_0` ..., the values of an object keep their names
 * @param {{ dynamicAxes?: import('./dynamic_axes.js').DynamicAxes }} [options] dynamicAxes: the axes of inputs that may
 *   have any length, by the names of inputs, with a name for each length: `{ ids: { 1: 'sequence' } }`, as in
 *   torch.onnx.export; axes with the same name have the same length
 * @returns {Uint8Array} the bytes of the file
 * @throws {import('../errors.js').GlassformerError} 'type' for an operation that cannot be exported, for a length that
 *   the graph fixes, and for an input whose values JavaScript reads while no output depends on it
 * @example
 * gf.toOnnx(new gf.nn.Linear(2, 3), { x: gf.ones([2, 2]) }).length > 100   // true
 */
export function toOnnx(model, inputs, options) {
  const { dynamicAxes } = expectOptions('toOnnx', options, ['dynamicAxes']), isOpen = dynamicAxes !== undefined
  /** @param {any} given @param {boolean} [omitWeights] */
  const build = (given, omitWeights = false) => recordRun('toOnnx', model,
    (engine, module) => prepareInputs('toOnnx', engine, module, given),
    recorded => graphOf(recorded, { isOpen, omitWeights }))
  const example = build(inputs), name = model.constructor.name
  if (!isOpen) return onnxBytes({ name, ...example })
  const lengths = readDynamicAxes(dynamicAxes, example.inputs)
  return onnxBytes({ name, ...freeLengths(example, lengths, inputs, given => build(given, true)) })
}
