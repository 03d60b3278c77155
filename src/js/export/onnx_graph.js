import { GlassformerError, expect } from '../errors.js'
import { sizeOf } from '../tensor/shape.js'
import { int64Bytes } from './onnx_file.js'

/**
 * @typedef {import('../tensor/dtype.js').DType} DType
 * @typedef {import('../tensor/tensor.js').Tensor} Tensor
 * @typedef {import('./onnx_file.js').Attribute} Attribute
 */

/** A tensor's values for ONNX: integers as int64. @param {Tensor} tensor @returns {Uint8Array} */
const bytesOf = tensor => (tensor.dtype === 'int32' ? int64Bytes(Array.from(tensor.values)) : tensor.bytes.slice())

/** @param {Uint8Array} a @param {Uint8Array} b */
const sameBytes = (a, b) => a.length === b.length && a.every((byte, i) => byte === b[i])

/** A graph under construction: operators are added by type, and values have names. */
export class OnnxGraph {
  /** @type {import('./onnx_file.js').OnnxNode[]} */ nodes = []
  /** @type {(import('./onnx_file.js').Initializer & { isState?: boolean })[]} */ initializers = []
  /** @type {Map<Tensor, string>} */ #names = new Map()
  /** @type {Set<string>} */ #usedNames = new Set()
  /** Names of values that are computed once, such as a transposed weight, by key. @type {Map<string, string>} */
  #computed = new Map()
  /** The name of the operation that is being written. */ #namePrefix = ''
  #nameOf

  /**
   * @param {Map<Tensor, string>} state names of parameters and buffers
   * @param {(tensor: Tensor) => string | undefined} nameOf names of other tensors
   * @param {import('./dynamic_batch.js').DynamicBatch} dynamic tensors with a batch of any size
   * @param {{ isOpen?: boolean, omitWeights?: boolean }} [options] isOpen: whether lengths may become any, so that
   *   positions are computed in the graph; omitWeights: leaves the values of parameters and buffers out
   */
  constructor(state, nameOf, dynamic, { isOpen = false, omitWeights = false } = {}) {
    this.isOpen = isOpen
    this.omitWeights = omitWeights
    this.#nameOf = nameOf
    this.state = state
    this.dynamic = dynamic
  }

  /** A shape for an operator, with −1 for a batch of any size. @param {Tensor} tensor @returns {number[]} */
  shapeOf(tensor) {
    return this.dynamic.batched.has(tensor) ? [-1, ...tensor.shape.slice(1)] : [...tensor.shape]
  }

  /** A name that is not in use. @param {string} preferred */
  #uniqueName(preferred) {
    let name = preferred
    for (let n = 2; this.#usedNames.has(name); n++) name = `${preferred}_${n}`
    this.#usedNames.add(name)
    return name
  }

  /** Reserves a name, which must not be in use. @param {string} name @param {string} what */
  claim(name, what) {
    expect(!this.#usedNames.has(name), 'range', () => `toOnnx: ${what} cannot be named ${name}, which is the name of another value`)
    this.#usedNames.add(name)
  }

  /** Names the value of a tensor. @param {Tensor} tensor @param {string} name */
  bind(tensor, name) {
    this.#names.set(tensor, name)
  }

  /** Whether a tensor is an input or computed. @param {Tensor} tensor */
  isComputed(tensor) {
    const name = this.#names.get(tensor)
    return name !== undefined && !this.initializers.some(initializer => initializer.name === name)
  }

  /**
   * The name of a tensor's value; a tensor that is not computed becomes a constant.
   * @param {Tensor} tensor @returns {string}
   */
  value(tensor) {
    const existing = this.#names.get(tensor)
    if (existing !== undefined) return existing
    const key = this.state.get(tensor), isSingle = this.dynamic.single.has(tensor), { dtype } = tensor
    const shape = isSingle ? [1, ...tensor.shape.slice(1)] : tensor.shape
    const all = key !== undefined && this.omitWeights ? new Uint8Array(0) : bytesOf(tensor)
    const bytes = isSingle ? all.slice(0, all.length / tensor.shape[0]) : all
    const name = key === undefined ? this.constant(this.#nameOf(tensor) ?? 'constant', shape, dtype, bytes)
      : this.#weight(key, shape, dtype, bytes)
    this.bind(tensor, name)
    return name
  }

  /** @param {string} name @param {readonly number[]} shape @param {DType} dtype @param {Uint8Array} bytes */
  #weight(name, shape, dtype, bytes) {
    this.claim(name, 'a parameter')
    this.initializers.push({ name, shape, dtype, bytes, isState: true })
    return name
  }

  /**
   * A constant; equal constants are stored once.
   * @param {string} preferred name @param {readonly number[]} shape @param {DType} dtype @param {Uint8Array} bytes
   */
  constant(preferred, shape, dtype, bytes) {
    const existing = this.initializers.find(initializer =>
      initializer.dtype === dtype && initializer.shape.join() === shape.join() &&
      sameBytes(initializer.bytes, bytes) && !this.#isState(initializer.name))
    if (existing) return existing.name
    const name = this.#uniqueName(preferred)
    this.initializers.push({ name, shape, dtype, bytes })
    return name
  }

  /** @param {string} name */
  #isState(name) {
    return [...this.state.values()].includes(name)
  }

  /** A scalar constant. @param {number} value @param {DType} [dtype] */
  number(value, dtype = 'float32') {
    const bytes = dtype === 'int32' ? int64Bytes([value])
      : dtype === 'bool' ? Uint8Array.of(value ? 1 : 0) : new Uint8Array(Float32Array.of(value).buffer)
    return this.constant(`number_${value}`, [], dtype, bytes)
  }

  /** A constant list of integers: a shape, axes, indices. @param {readonly number[]} list */
  ints(list) {
    return this.constant(`list_${list.join('_')}`, [list.length], 'int32', int64Bytes(list))
  }

  /** @param {string} name @param {readonly number[]} shape @param {ArrayLike<number>} values */
  floats(name, shape, values) {
    return this.constant(name, shape, 'float32', new Uint8Array(Float32Array.from(values).buffer))
  }

  /**
   * Adds an operator with one result.
   * @param {string} type @param {string[]} inputs @param {Record<string, Attribute>} [attributes]
   * @returns {string} name of the result
   */
  add(type, inputs, attributes = {}) {
    return this.addAll(type, inputs, 1, attributes)[0]
  }

  /**
   * Adds an operator with several results.
   * @param {string} type @param {string[]} inputs @param {number} count @param {Record<string, Attribute>} [attributes]
   */
  addAll(type, inputs, count, attributes = {}) {
    const outputs = Array.from({ length: count }, () => this.#uniqueName(`${this.#namePrefix}/${type}`))
    this.nodes.push({ type, name: outputs[0], inputs, outputs, attributes })
    return outputs
  }

  /**
   * The name of a value that is computed once per key.
   * @param {string} key @param {() => string} make adds its operators
   */
  once(key, make) {
    const name = this.#computed.get(key) ?? make()
    this.#computed.set(key, name)
    return name
  }

  /** @param {string} value @param {readonly number[]} shape */
  reshape(value, shape) {
    const empty = sizeOf(shape) === 0
    return this.add('Reshape', [value, this.ints(shape)], empty ? { allowzero: 1 } : {})
  }

  /** @param {string} value @param {DType} dtype @param {number} code ONNX's code of the dtype */
  cast(value, dtype, code) {
    return this.once(`${value} as ${dtype}`, () => this.add('Cast', [value], { to: code }))
  }

  /**
   * Writes the operators of one operation of the library; the result has the name that a trace gives it.
   * @param {Tensor} out @param {() => string} make
   */
  operation(out, make) {
    const before = this.nodes.length, name = this.#nameOf(out) ?? 'value'
    this.#namePrefix = name
    const result = make(), last = this.nodes.slice(before).find(node => node.outputs.includes(result))
    if (!last || [...this.#computed.values()].includes(result)) return this.bind(out, result)
    const uniqueName = this.#uniqueName(name)
    last.outputs = last.outputs.map(output => (output === result ? uniqueName : output))
    this.bind(out, uniqueName)
  }
}

/** @param {string} message */
export const unsupported = message => new GlassformerError('type', `toOnnx: ${message}`)
