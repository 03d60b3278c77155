/**
 * ONNX models as bytes: just enough of Protocol Buffers. Field numbers are those of onnx.proto.
 *
 * A message is a list of chunks, so that weights are copied only once, at the end.
 * @typedef {Uint8Array[]} Chunks
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

/** ONNX's numbers for types. Whole numbers are int64, as its operators want them. @type {Record<DType, number>} */
export const TYPES = { float32: 1, int32: 7, bool: 9, float16: 10, float64: 11, bfloat16: 16 }

/** What sides of any length are called, by −1 and −2. */
const OPEN = ['batch', 'rows']

const FLOAT = 1, INT = 2, STRING = 3, INTS = 7
const VARINT = 0, BYTES = 2, FIXED32 = 5
const text = new TextEncoder()

/** @param {number} value whole, perhaps negative */
function varint(value) {
  const bytes = []
  for (let rest = BigInt.asUintN(64, BigInt(value)); ; rest >>= 7n) {
    const low = Number(rest & 127n)
    if (rest < 128n) return Uint8Array.from([...bytes, low])
    bytes.push(low | 128)
  }
}

/** @param {number} field @param {number} wire */
const tag = (field, wire) => varint((field << 3) | wire)
/** @param {Chunks} chunks */
const lengthOf = chunks => chunks.reduce((sum, chunk) => sum + chunk.length, 0)
/** @param {number} field @param {number} value @returns {Chunks} */
const int = (field, value) => [tag(field, VARINT), varint(value)]
/** @param {number} field @param {Chunks} chunks @returns {Chunks} */
const message = (field, chunks) => [tag(field, BYTES), varint(lengthOf(chunks)), ...chunks]
/** @param {number} field @param {string} value */
const string = (field, value) => message(field, [text.encode(value)])

/** @param {Attribute} value @returns {Chunks} */
function valueOf(value) {
  if (typeof value === 'number') return [...int(3, value), ...int(20, INT)]
  if (typeof value === 'string') return [...string(4, value), ...int(20, STRING)]
  if (!('float' in value)) return [...value.flatMap(v => int(8, v)), ...int(20, INTS)]
  const bytes = new Uint8Array(4)
  new DataView(bytes.buffer).setFloat32(0, value.float, true)
  return [tag(2, FIXED32), bytes, ...int(20, FLOAT)]
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
  const all = new Uint8Array(lengthOf(chunks))
  let at = 0
  for (const chunk of chunks) {
    all.set(chunk, at)
    at += chunk.length
  }
  return all
}
