// Writes the ONNX models of the benchmarks, graphs of float32 tensors. Field numbers are those of onnx.proto.
import { concatenate, float, int, message, string } from '../../../src/js/export/protobuf.js'
import { sizeOf } from '../../../src/reference/tensor.js'

const FLOAT = 1, INT64 = 7
/** AttributeProto.type */
const KINDS = { float: 1, int: 2, string: 3, ints: 7 }

function attribute(name, value) {
  const number = Number.isInteger(value) ? 'int' : 'float'
  const kind = Array.isArray(value) ? 'ints' : typeof value === 'string' ? 'string' : number
  const field = {
    float: () => float(2, value),
    int: () => int(3, value),
    string: () => string(4, value),
    ints: () => value.flatMap(v => int(8, v))
  }[kind]()
  return message(5, [...string(1, name), ...field, ...int(20, KINDS[kind])])
}

/** `op` is an operator of ONNX, or 'ms.Name' for one that only ONNX Runtime has. */
function node({ op, inputs, outputs, attributes = {} }) {
  const [name, domain] = op.startsWith('ms.') ? [op.slice(3), 'com.microsoft'] : [op, '']
  return message(1, [
    ...inputs.flatMap(input => string(1, input)),
    ...outputs.flatMap(output => string(2, output)),
    ...string(4, name),
    ...Object.entries(attributes).flatMap(([key, value]) => attribute(key, value)),
    ...string(7, domain)
  ])
}

function initializer(name, { shape, data }) {
  const isInteger = data instanceof BigInt64Array
  const raw = isInteger || data instanceof Float32Array ? data : Float32Array.from(data)
  return message(5, [
    ...shape.flatMap(side => int(1, side)),
    ...int(2, isInteger ? INT64 : FLOAT),
    ...string(8, name),
    ...message(9, [new Uint8Array(raw.buffer, raw.byteOffset, raw.byteLength)])
  ])
}

function valueInfo(field, name, shape) {
  const dimensions = shape.flatMap(side => message(1, int(1, side)))
  const tensorType = [...int(1, FLOAT), ...message(2, dimensions)]
  return message(field, [...string(1, name), ...message(2, message(1, tensorType))])
}

/** A graph under construction: `op` adds a node and returns the name of its result, `constant` adds a weight. */
export class Graph {
  #nodes = []
  #initializers = []
  #inputs = []
  #outputs = []
  #count = 0

  #uniqueName(stem) {
    return `${stem}_${this.#count++}`
  }

  input(name, shape) {
    this.#inputs.push(valueInfo(11, name, shape))
    return name
  }

  output(name, shape) {
    this.#outputs.push(valueInfo(12, name, shape))
  }

  constant(tensor) {
    const name = this.#uniqueName('constant')
    this.#initializers.push(initializer(name, tensor))
    return name
  }

  shape(...sides) {
    return this.constant({ shape: [sides.length], data: BigInt64Array.from(sides, BigInt) })
  }

  op(op, inputs, attributes) {
    const [result] = this.ops(op, inputs, 1, attributes)
    return result
  }

  /** Adds a node with several results and returns their names. */
  ops(op, inputs, count, attributes) {
    const outputs = Array.from({ length: count }, () => this.#uniqueName(op))
    this.#nodes.push(node({ op, inputs, outputs, attributes }))
    return outputs
  }

  /** The model as bytes. */
  toBytes() {
    const graph = [this.#nodes, string(2, 'bench'), this.#initializers, this.#inputs, this.#outputs].flat(2)
    const opset = (domain, version) => message(8, [...string(1, domain), ...int(2, version)])
    const chunks = [...int(1, 8), ...message(7, graph), ...opset('', 20), ...opset('com.microsoft', 1)]
    return concatenate(chunks)
  }
}

/** The transpose of a matrix: PyTorch stores weights as [out, in], ONNX's MatMul needs [in, out]. */
export function transposed({ shape: [rows, columns], data }) {
  const result = new Float32Array(sizeOf([rows, columns]))
  for (let r = 0; r < rows; r++) for (let c = 0; c < columns; c++) result[c * rows + r] = data[r * columns + c]
  return { shape: [columns, rows], data: result }
}
