import { GlassformerError, expect } from '../errors.js'
import { sizeOf } from '../shape.js'

/**
 * @typedef {import('../dtype.js').DType} DType
 * @typedef {import('../tensor.js').Tensor} Tensor
 * @typedef {import('./onnx_file.js').Attribute} Attribute
 */

/** A tensor's values as ONNX has them: whole numbers as int64. @param {Tensor} tensor @returns {Uint8Array} */
const bytesOf = tensor => (tensor.dtype === 'int32' ? wide(Array.from(tensor.values)) : tensor.bytes.slice())

/** @param {readonly number[]} list */
const wide = list => new Uint8Array(BigInt64Array.from(list, BigInt).buffer)

/** @param {Uint8Array} a @param {Uint8Array} b */
const sameBytes = (a, b) => a.length === b.length && a.every((byte, i) => byte === b[i])

/** A graph under construction: operators are added by type, and values go by names. */
export class OnnxGraph {
  /** @type {import('./onnx_file.js').OnnxNode[]} */ nodes = []
  /** @type {import('./onnx_file.js').Initializer[]} */ initializers = []
  /** @type {Map<Tensor, string>} */ #names = new Map()
  /** @type {Set<string>} */ #taken = new Set()
  /** What is made once, such as a weight the other way round. @type {Map<string, string>} */ #kept = new Map()
  /** What the results of the operation at hand are called. */ #stem = ''
  #nameOf

  /**
   * @param {Map<Tensor, string>} state names of parameters and buffers
   * @param {(tensor: Tensor) => string | undefined} nameOf names of other tensors
   * @param {import('./batch.js').Open} open what has a batch of any size in front
   */
  constructor(state, nameOf, open) {
    this.#nameOf = nameOf
    this.state = state
    this.open = open
  }

  /** A shape as an operator is to be told: −1 is a batch of any size. @param {Tensor} tensor @returns {number[]} */
  shapeOf(tensor) {
    return this.open.batched.has(tensor) ? [-1, ...tensor.shape.slice(1)] : [...tensor.shape]
  }

  /** The name itself, or a numbered one. @param {string} wanted */
  #unused(wanted) {
    let name = wanted
    for (let n = 2; this.#taken.has(name); n++) name = `${wanted}_${n}`
    this.#taken.add(name)
    return name
  }

  /** Takes a name that must be just this one. @param {string} name @param {string} what */
  claim(name, what) {
    expect(!this.#taken.has(name), 'range', () => `toOnnx: ${what} cannot be called ${name}, as another value is`)
    this.#taken.add(name)
  }

  /** @param {Tensor} tensor @param {string} name */
  bind(tensor, name) {
    this.#names.set(tensor, name)
  }

  /** Whether a tensor is an input or comes of one, so far. @param {Tensor} tensor */
  isComputed(tensor) {
    const name = this.#names.get(tensor)
    return name !== undefined && !this.initializers.some(one => one.name === name)
  }

  /** The name of a tensor's value; what nothing made becomes a constant. @param {Tensor} tensor @returns {string} */
  of(tensor) {
    const known = this.#names.get(tensor)
    if (known !== undefined) return known
    const key = this.state.get(tensor), isOne = this.open.single.has(tensor), { dtype } = tensor
    const shape = isOne ? [1, ...tensor.shape.slice(1)] : tensor.shape, all = bytesOf(tensor)
    const bytes = isOne ? all.slice(0, all.length / tensor.shape[0]) : all
    const name = key === undefined ? this.constant(this.#nameOf(tensor) ?? 'constant', shape, dtype, bytes)
      : this.#weight(key, shape, dtype, bytes)
    this.bind(tensor, name)
    return name
  }

  /** @param {string} name @param {readonly number[]} shape @param {DType} dtype @param {Uint8Array} bytes */
  #weight(name, shape, dtype, bytes) {
    this.claim(name, 'a parameter')
    this.initializers.push({ name, shape, dtype, bytes })
    return name
  }

  /**
   * Values that are none of the model's own, each only once.
   * @param {string} wanted a name @param {readonly number[]} shape @param {DType} dtype @param {Uint8Array} bytes
   */
  constant(wanted, shape, dtype, bytes) {
    const same = this.initializers.find(one => one.dtype === dtype && one.shape.join() === shape.join() &&
      sameBytes(one.bytes, bytes) && !this.#isState(one.name))
    if (same) return same.name
    const name = this.#unused(wanted)
    this.initializers.push({ name, shape, dtype, bytes })
    return name
  }

  /** @param {string} name */
  #isState(name) {
    return [...this.state.values()].includes(name)
  }

  /** A number of a float's or another type. @param {number} value @param {DType} [dtype] */
  number(value, dtype = 'float32') {
    const bytes = dtype === 'int32' ? wide([value])
      : dtype === 'bool' ? Uint8Array.of(value ? 1 : 0) : new Uint8Array(Float32Array.of(value).buffer)
    return this.constant(`number_${value}`, [], dtype, bytes)
  }

  /** A list of whole numbers: a shape, axes, places. @param {readonly number[]} list */
  ints(list) {
    return this.constant(`list_${list.join('_')}`, [list.length], 'int32', wide(list))
  }

  /** @param {string} name @param {readonly number[]} shape @param {ArrayLike<number>} values */
  floats(name, shape, values) {
    return this.constant(name, shape, 'float32', new Uint8Array(Float32Array.from(values).buffer))
  }

  /**
   * One operator.
   * @param {string} type @param {string[]} inputs @param {Record<string, Attribute>} [attributes]
   * @returns {string} its result
   */
  add(type, inputs, attributes = {}) {
    return this.addAll(type, inputs, 1, attributes)[0]
  }

  /**
   * One of several results.
   * @param {string} type @param {string[]} inputs @param {number} count @param {Record<string, Attribute>} [attributes]
   */
  addAll(type, inputs, count, attributes = {}) {
    const outputs = Array.from({ length: count }, () => this.#unused(`${this.#stem}/${type}`))
    this.nodes.push({ type, name: outputs[0], inputs, outputs, attributes })
    return outputs
  }

  /** What is made once, however often it is asked for. @param {string} key @param {() => string} make */
  once(key, make) {
    const known = this.#kept.get(key) ?? make()
    this.#kept.set(key, known)
    return known
  }

  /** @param {string} value @param {readonly number[]} shape */
  reshape(value, shape) {
    const empty = sizeOf(shape) === 0
    return this.add('Reshape', [value, this.ints(shape)], empty ? { allowzero: 1 } : {})
  }

  /** @param {string} value @param {DType} dtype @param {number} code ONNX's number of it */
  cast(value, dtype, code) {
    return this.once(`${value} as ${dtype}`, () => this.add('Cast', [value], { to: code }))
  }

  /**
   * Everything that one operation of the library becomes; its result is called as a trace calls it.
   * @param {Tensor} out @param {() => string} make
   */
  operation(out, make) {
    const before = this.nodes.length, name = this.#nameOf(out) ?? 'value'
    this.#stem = name
    const result = make(), last = this.nodes.slice(before).find(node => node.outputs.includes(result))
    if (!last || [...this.#kept.values()].includes(result)) return this.bind(out, result)
    const own = this.#unused(name)
    last.outputs = last.outputs.map(output => (output === result ? own : output))
    this.bind(out, own)
  }
}

/** @param {string} message */
export const refused = message => new GlassformerError('type', `toOnnx: ${message}`)
