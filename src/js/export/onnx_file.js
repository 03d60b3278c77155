import { float, int, joined, message, string } from './protobuf.js'

/**
 * ONNX models as bytes. Field numbers are those of onnx.proto.
 *
 * @typedef {import('./protobuf.js').Chunks} Chunks
 * @typedef {import('../dtype.js').DType} DType
 *
 * @typedef {{ float: number } | number | string | readonly number[]} Attribute a number is a whole one
 * @typedef {{ type: string, name: string, inputs: string[], outputs: string[],
 *   attributes: Record<string, Attribute> }} OnnxNode
 * @typedef {{ name: string, shape: readonly number[], dtype: DType, bytes: Uint8Array }} Initializer
 * @typedef {{ name: string, shape: readonly number[], dtype: DType }} Value what goes in or comes out;
 *   negative sides may have any length
 */

/** What a model says of itself: the format's version, and that of the operators. */
const IR_VERSION = 8, OPSET = 17

/** ONNX's numbers for types. Whole numbers are int64, as its operators want them. */
export const TYPES = /** @type {Record<DType, number>} int8 is refused before */ (
  { float32: 1, int32: 7, bool: 9, float16: 10, float64: 11, bfloat16: 16 })

/** What sides of any length are called, by −1 and −2. */
const OPEN = ['batch', 'rows']

const FLOAT = 1, INT = 2, STRING = 3, INTS = 7

/** @param {Attribute} value @returns {Chunks} */
function valueOf(value) {
  if (typeof value === 'number') return [...int(3, value), ...int(20, INT)]
  if (typeof value === 'string') return [...string(4, value), ...int(20, STRING)]
  if (!('float' in value)) return [...value.flatMap(v => int(8, v)), ...int(20, INTS)]
  return [...float(2, value.float), ...int(20, FLOAT)]
}

/** @param {OnnxNode} node */
const nodeChunks = ({ type, name, inputs, outputs, attributes }) => message(1, [
  ...inputs.flatMap(input => string(1, input)), ...outputs.flatMap(output => string(2, output)),
  ...string(3, name), ...string(4, type),
  ...Object.entries(attributes).flatMap(([key, value]) => message(5, [...string(1, key), ...valueOf(value)]))
])

/** @param {Initializer} initializer */
const initializerChunks = ({ name, shape, dtype, bytes }) => message(5, [
  ...shape.flatMap(side => int(1, side)), ...int(2, TYPES[dtype]), ...string(8, name), ...message(9, [bytes])
])

/** @param {number} field @param {Value} value */
function valueChunks(field, { name, shape, dtype }) {
  const sides = shape.flatMap(side => message(1, side < 0 ? string(2, OPEN[-1 - side]) : int(1, side)))
  const type = message(1, [...int(1, TYPES[dtype]), ...message(2, sides)])
  return message(field, [...string(1, name), ...message(2, type)])
}

/**
 * @param {{ name: string, nodes: OnnxNode[], initializers: Initializer[], inputs: Value[], outputs: Value[] }} graph
 * @returns {Uint8Array}
 */
export function onnxBytes({ name, nodes, initializers, inputs, outputs }) {
  const graph = [
    ...nodes.flatMap(nodeChunks), ...string(2, name), ...initializers.flatMap(initializerChunks),
    ...inputs.flatMap(value => valueChunks(11, value)), ...outputs.flatMap(value => valueChunks(12, value))
  ]
  const chunks = [
    ...int(1, IR_VERSION), ...string(2, 'glassformer'), ...message(7, graph),
    ...message(8, [...string(1, ''), ...int(2, OPSET)])
  ]
  return joined(chunks)
}
