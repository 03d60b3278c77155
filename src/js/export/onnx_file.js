import { float, int, concatenate, message, string } from './protobuf.js'

/**
 * Serializes ONNX models. Field numbers are those of onnx.proto.
 *
 * @typedef {import('./protobuf.js').Chunks} Chunks
 * @typedef {import('../tensor/dtype.js').DType} DType
 *
 * @typedef {{ float: number } | number | string | readonly number[]} Attribute a plain number is an integer
 * @typedef {{ type: string, name: string, inputs: string[], outputs: string[],
 *   attributes: Record<string, Attribute> }} OnnxNode
 * @typedef {{ name: string, shape: readonly number[], dtype: DType, bytes: Uint8Array }} Initializer
 * @typedef {{ name: string, shape: readonly (number | string)[], dtype: DType }} Value an input or output;
 *   negative sizes are dynamic, and so are names of sizes
 */

/** The versions of the format and of the operators. */
const IR_VERSION = 8, OPSET = 17

/** ONNX's codes of dtypes. Integers are int64, as its operators require. */
export const TYPES = /** @type {Record<DType, number>} without int8, which recordRun refuses */ (
  { float32: 1, int32: 7, bool: 9, float16: 10, float64: 11, bfloat16: 16 })

/** The names of dynamic sizes: of −1, then of −2. */
const OPEN_DIMENSIONS = ['batch', 'rows']

const FLOAT = 1, INT = 2, STRING = 3, INTS = 7

/** Integers as ONNX stores them. @param {readonly number[]} list */
export const int64Bytes = list => new Uint8Array(BigInt64Array.from(list, BigInt).buffer)

/** @param {Attribute} value @returns {Chunks} */
function attributeChunks(value) {
  if (typeof value === 'number') return [...int(3, value), ...int(20, INT)]
  if (typeof value === 'string') return [...string(4, value), ...int(20, STRING)]
  if (!('float' in value)) return [...value.flatMap(v => int(8, v)), ...int(20, INTS)]
  return [...float(2, value.float), ...int(20, FLOAT)]
}

/** @param {OnnxNode} node */
const nodeChunks = ({ type, name, inputs, outputs, attributes }) => message(1, [
  ...inputs.flatMap(input => string(1, input)), ...outputs.flatMap(output => string(2, output)),
  ...string(3, name), ...string(4, type),
  ...Object.entries(attributes).flatMap(([key, value]) => message(5, [...string(1, key), ...attributeChunks(value)]))
])

/** @param {Initializer} initializer */
const initializerChunks = ({ name, shape, dtype, bytes }) => message(5, [
  ...shape.flatMap(size => int(1, size)), ...int(2, TYPES[dtype]), ...string(8, name), ...message(9, [bytes])
])

/** @param {number} field @param {Value} value */
function valueChunks(field, { name, shape, dtype }) {
  const dimensions = shape.flatMap(size => message(1, typeof size === 'string' ? string(2, size)
    : size < 0 ? string(2, OPEN_DIMENSIONS[-1 - size]) : int(1, size)))
  const type = message(1, [...int(1, TYPES[dtype]), ...message(2, dimensions)])
  return message(field, [...string(1, name), ...message(2, type)])
}

/**
 * Serializes a model with one graph.
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
  return concatenate(chunks)
}
