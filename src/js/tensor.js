import { GlassformerError, describe, expect, expectBoolean, shapeText } from './errors.js'
import { backward } from './autograd.js'
import { DTYPES } from './dtype.js'
import { int8Address, int8Bytes, readInt8, unpackInt8 } from './int8.js'
import { Methods } from './methods.js'
import { reshape } from './ops/reshape.js'
import { transpose } from './ops/transpose.js'
import { getPanelOffset, unpackPanels } from './panels.js'
import { cellsOf, nest, sameShape } from './shape.js'
import { Storage } from './storage.js'

/** @typedef {import('./dtype.js').DType} DType */
/** @typedef {import('./dtype.js').Data} Data */
/** @typedef {number | boolean | NestedArrays} NestedArray nested to any depth */
/** @typedef {ReadonlyArray<any>} NestedArrays */

/** Of a gradient: backward has made it; somebody has been given it; it is only memory for the next one. */
const OWNED = 1, SEEN = 2, CLEARED = 4

/** Values that console.log shows of a tensor. */
const SHOWN = 8

/** @param {Tensor} tensor of int8 */
const onlyAWeight = tensor => new GlassformerError('type',
  `${describe(tensor)} can only be a weight of linear and embedding; to('float32') makes one for everything else`)

/**
 * Numbers in the engine's memory, row-major: torch.Tensor with float32 values, or int32 for ids.
 * Make one with `gf.tensor`; it lives until `dispose()`, the end of the surrounding `gf.tidy`, or garbage collection.
 */
export class Tensor extends Methods {
  /** Whose memory it lives in. @type {import('./engine.js').Engine} */ engine
  /** The place of its first value in the block. @type {number} */ offset
  /** The block it lives in; null once disposed. @type {Storage | null} */ storage = null
  /** Whether a trace knows its name and shape alone, see keepAttention. */ isLeftOut
  /** @type {readonly number[]} */ #shape
  #dtype
  #size
  #requiresGrad = false
  /** @type {Tensor | null} */ #grad = null
  /** OWNED, SEEN and CLEARED of #grad. */ #gradFlags = 0
  /** The operation that made this tensor, if it is recorded. @type {import('./autograd.js').Node | null} */ node = null
  /**
   * @param {import('./engine.js').Engine} engine
   * @param {readonly number[]} shape
   * @param {DType} [dtype]
   * @param {Tensor | null} [base] a tensor whose values this one shows in another shape; null leaves the values out
   * @param {number} [offset] the value of base to start at
   * @param {number} [spare] bytes of room after its own
   */
  constructor(engine, shape, dtype = 'float32', base, offset = 0, spare = 0) {
    super()
    this.engine = engine
    this.#shape = Object.freeze([...shape])
    this.#dtype = dtype
    this.#size = cellsOf(shape)
    this.offset = (base?.offset ?? 0) + offset
    this.isLeftOut = base === null
    if (base === null) return
    if (base && dtype === 'int8') expect(sameShape(shape, base.shape), 'shape',
      () => `${describe(base)} has no other shape, and no parts; to('float32') makes one that has`)
    const bytes = dtype === 'int8' ? int8Bytes(shape) : this.#size * DTYPES[dtype].bytes
    this.storage = base ? base.#alive().share() : new Storage(engine.memory, bytes, spare)
    engine.memory.count(0, 1)
    engine.adopt(this)
  }

  /** Whether a value is a tensor itself, not a proxy of one or an object with its prototype. @param {any} value */
  static isTensor(value) {
    return Object(value) === value && #dtype in value
  }

  /** The length of each of its axes. */
  get shape() {
    return this.#shape
  }

  /** What its values are. @returns {DType} */
  get dtype() {
    return this.#dtype
  }

  /** How many values it has. */
  get size() {
    return this.#size
  }

  /** Whether `backward` computes a gradient for it. @returns {boolean} */
  get requiresGrad() {
    return this.#requiresGrad
  }

  set requiresGrad(wanted) {
    expectBoolean('tensor', 'requiresGrad', wanted)
    expect(!wanted || this.#dtype === 'float32', 'type',
      () => `requiresGrad: only float32 tensors have gradients, got ${describe(this)}`)
    this.#requiresGrad = wanted
  }

  /** Whether it may be one of many that nobody frees. @internal */
  get isCollectable() {
    return true
  }

  #alive() {
    expect(this.storage !== null, 'state', () => `this ${this.dtype} tensor ${shapeText(this.shape)} ` +
      (this.isLeftOut ? 'was left out by the trace that made it: keepAttention keeps those of the attentions it names'
        : 'was disposed, by dispose() or by the end of its gf.tidy'))
    return this.storage
  }

  /** Address of the first value; the others follow row by row. */
  get address() {
    const storage = this.#alive()
    if (this.dtype === 'int8') throw onlyAWeight(this)
    if (storage.columns) unpackPanels(this.engine, storage, this.dtype)
    this.engine.recording?.use(storage)
    return storage.address + this.offset * DTYPES[this.dtype].bytes
  }

  get disposed() {
    return this.storage === null && !this.isLeftOut
  }

  /**
   * The sum of all gradients since it was last cleared, or null. What is put here is what the optimisers use.
   * @returns {Tensor | null}
   * @throws {GlassformerError} 'type' or 'shape' for what is no float32 tensor of this one's engine and shape
   */
  get grad() {
    this.#gradFlags |= SEEN
    return this.heldGrad
  }

  /** The same for the library itself, which does not hold on to it. @returns {Tensor | null} @internal */
  get heldGrad() {
    return this.#gradFlags & CLEARED ? null : this.#grad
  }

  set grad(grad) {
    if (grad) {
      const isUsable = grad instanceof Tensor && !grad.disposed && grad.dtype === 'float32'
      expect(isUsable && grad.engine === this.engine, 'type',
        () => `grad must be null or a float32 tensor of the same engine, got ${describe(grad)}`)
      expect(sameShape(grad.shape, this.shape), 'shape',
        () => `grad must have shape ${shapeText(this.shape)}, got ${shapeText(grad.shape)}`)
    }
    if (this.#gradFlags & CLEARED) this.#grad?.dispose()
    this.#gradFlags = SEEN
    this.#grad = grad ?? null
  }

  /**
   * Sets grad to null. The memory of a gradient that backward has made is kept for the next one: given back and taken
   * again at every step, it would leave the heap in pieces. Who has seen the gradient may still hold it, and must not
   * find the next one there.
   * @internal
   */
  clearGrad() {
    const { heldGrad: grad, engine } = this
    if (!grad) return
    const isKept = Boolean(this.#gradFlags & OWNED) && !grad.disposed, isSeen = Boolean(this.#gradFlags & SEEN)
    if (!isKept) this.#grad = null
    else if (isSeen) {
      this.#grad = engine.keep(engine.view(grad, this.shape))
      grad.dispose()
    }
    this.#gradFlags = isKept ? OWNED | CLEARED : 0
  }

  /** A gradient of zeros, for backward to add to; in the memory of one that was cleared, if any. @internal */
  createGrad() {
    if (this.#gradFlags & CLEARED) this.#grad?.values.fill(0)
    else this.#grad = this.engine.keep(this.engine.zeros(this.shape))
    this.#gradFlags = OWNED
    return /** @type {Tensor} */ (this.#grad)
  }

  /** Where its bytes are, and how many. @returns {[address: number, n: number]} */
  get #place() {
    if (this.dtype === 'int8') return [int8Address(this), this.#alive().bytes]
    return [this.address, this.size * DTYPES[this.dtype].bytes]
  }

  /** The values as bytes. @returns {Uint8Array} */
  get bytes() {
    return this.engine.memory.bytes(...this.#place)
  }

  /**
   * Overwrites the values with those of another tensor.
   * @param {Tensor} other of the same engine, dtype and shape
   * @throws {GlassformerError} 'type' for what is no such tensor, 'shape' for another shape; nothing is written then
   * @internal
   */
  copyFrom(other) {
    const isSameKind = other instanceof Tensor && other.engine === this.engine && other.dtype === this.dtype
    expect(isSameKind, 'type', () => `copyFrom: other must be a ${this.dtype} tensor of the same engine, got ${describe(other)}`)
    expect(sameShape(other.shape, this.shape), 'shape',
      () => `copyFrom: other must have shape ${shapeText(this.shape)}, got ${shapeText(other.shape)}`)
    this.engine.memory.move(this.#place[0], ...other.#place)
  }

  /** Moves the values into a block that nobody shares. @internal */
  separate() {
    const { memory } = this.engine, [address, bytes] = this.#place, own = new Storage(memory, bytes, 0)
    memory.move(own.address, address, bytes)
    this.storage?.release()
    this.storage = own
    this.offset = 0
  }

  /** The values for reading inside the library; of int8 a copy as float32. @returns {Data} */
  get values() {
    const { engine, size, dtype } = this
    if (dtype === 'int8') return engine.memory.borrow(4 * size, address => {
      unpackInt8(address, this)
      return engine.memory.floats(address, size).slice()
    })
    return this.engine.memory[DTYPES[this.dtype].view](this.address, this.size)
  }

  /**
   * A view of the values, valid until the next call into the library. Writing to it changes the tensor. A bool tensor
   * shows bytes, 0 and 1; float16 and bfloat16 show their bits, `toArray` their numbers; int8 gives a copy.
   * @returns {Data}
   */
  get data() {
    return this.values
  }

  set data(values) {
    throw new GlassformerError('type', `data cannot be assigned, got ${describe(values)}; write x.data.set(numbers), ` +
      'or loadStateDict for the parameters of a module')
  }

  /** Notes that the values have been overwritten: what was computed with the old ones can no longer be gone back. */
  touch() {
    this.#alive().lastWrite = ++this.engine.writeCount
  }

  /** Whether the values were overwritten after an earlier writeCount of the engine. @param {number} writeCount */
  isChangedSince(writeCount) {
    return this.storage !== null && this.storage.lastWrite > writeCount
  }

  /** The value at a place; true or false of a bool tensor. @param {number} place @returns {any} */
  #read(place) {
    if (this.dtype === 'int8') return readInt8(this, place)
    const { columns, address } = this.#alive(), { bytes, view, read } = DTYPES[this.dtype], at = this.offset + place
    const [value] = this.engine.memory[view](address + bytes * (columns ? getPanelOffset(at, columns) : at), 1)
    return read ? read(value) : value
  }

  /**
   * The value at an index.
   * @param {...number} index one number for each axis; negative ones count from the end
   * @returns {any} a number; true or false of a bool tensor
   * @throws {GlassformerError} 'shape' for too few or too many, 'index' outside
   * @example
   * gf.tensor([[1, 2], [3, 4]]).at(1, -1)           // 4
   */
  at(...index) {
    expect(index.length === this.shape.length, 'shape',
      () => `at: expected ${this.shape.length} indices for shape ${shapeText(this.shape)}, got ` +
        `${index.length}${index.length && index.length < this.shape.length ? '; for a row write x.select(0, i)' : ''}`)
    let offset = 0
    index.forEach((i, axis) => {
      const side = this.shape[axis]
      expect(Number.isInteger(i) && i >= -side && i < side, 'index',
        () => `at: index ${describe(i)} is outside axis ${axis} of shape ${shapeText(this.shape)}`)
      offset = offset * side + (i < 0 ? i + side : i)
    })
    return this.#read(offset)
  }

  /** The only value of a tensor of size 1, as `at` gives it; 'shape' for another size. @returns {any} */
  item() {
    expect(this.size === 1, 'shape', () => `item: expected one value, got ${describe(this)}; write x.at(…) for one, x.toArray() for all`)
    return this.#read(0)
  }

  /** The values as nested arrays (one value for a scalar); true and false of a bool tensor. @returns {any} */
  toArray() {
    const { values } = this, { read } = DTYPES[this.dtype]
    return nest(this.shape, read ? Array.from(values, read) : values)
  }

  /**
   * The same values in another shape, without copying: torch.Tensor.view.
   * @param {...(number | readonly number[])} shape one side may be -1: what is left
   * @returns {Tensor}
   * @example
   * gf.arange(6).reshape(2, -1)                     // int32 [[0, 1, 2], [3, 4, 5]]
   */
  reshape(...shape) {
    return reshape(this, shape.flat())
  }

  /**
   * The same as `reshape`, under PyTorch's older name.
   * @param {...(number | readonly number[])} shape @returns {Tensor}
   */
  view(...shape) {
    return reshape(this, shape.flat(), 'view')
  }

  /** Itself: the values of every tensor here lie in order. @returns {Tensor} */
  contiguous() {
    return this
  }

  /** How many values it has: torch.Tensor.numel. @returns {number} */
  numel() {
    return this.size
  }

  /** A matrix turned on its side: torch.Tensor.t. @returns {Tensor} */
  t() {
    expect(this.shape.length === 2, 'shape', () => `t: expected a matrix, got ${describe(this)}`)
    return transpose(this, 0, 1)
  }

  /** The same of a matrix, as PyTorch writes it too: torch.Tensor.T. */
  get T() {
    return this.t()
  }

  /** Two axes exchanged (a copy), negative from the end. @param {number} a @param {number} b @returns {Tensor} */
  transpose(a, b) {
    return transpose(this, a, b)
  }

  /**
   * Adds d(this)/d(leaf) to `grad` of every tensor with `requiresGrad` that this one was computed from. Values that
   * the computation used are read again, so they must not have been changed since.
   * @param {Tensor | { retainGraph?: boolean } | null} [gradient] of this tensor's shape; may be left out for a single
   *   value (1)
   * @param {{ retainGraph?: boolean }} [options] retainGraph: false; true lets another backward use the same
   *   computation
   * @throws {GlassformerError} 'state' without a recorded computation or a second time, 'shape' for a missing gradient
   * @example
   * const x = gf.tensor([1, 2, 3], { requiresGrad: true })
   * x.square().sum().backward()
   * x.grad                                          // [2, 4, 6]
   */
  backward(gradient, options) {
    const isGradient = gradient instanceof Tensor
    backward(this, isGradient ? gradient : undefined, isGradient ? options : gradient ?? options)
  }

  /** Gives the memory back. Using the tensor afterwards is an error; disposing it again is not. */
  dispose() {
    if (!this.storage) return
    this.engine.release(this)
    this.end()
  }

  /** What disposing does once nobody waits for it any more. @internal */
  end() {
    if (!this.storage) return
    this.storage.release()
    this.engine.memory.count(0, -1)
    this.storage = null
    this.node = null
    this.#grad?.dispose()
    this.#grad = null
  }

  toString() {
    return this.disposed ? 'a disposed tensor' : `${this.dtype} tensor ${shapeText(this.shape)}`
  }

  /**
   * In a text a tensor says what it is; in arithmetic it would be a text, or NaN, so that is refused.
   * @param {string} hint @internal
   */
  [Symbol.toPrimitive](hint) {
    if (hint === 'string') return this.toString()
    throw new GlassformerError('type', `${describe(this)} cannot be used with JavaScript's + - * / < > and Math; ` +
      'write a.add(b), a.sub(b), a.mul(b), a.div(b), a.lt(b), a.gt(b), a.exp() …, and a.item() for the value of a tensor of one')
  }

  /** What console.log shows in Node: no engine, but the first values. */
  [Symbol.for('nodejs.util.inspect.custom')]() {
    if (!this.storage) return String(this)
    const shown = Array.from({ length: Math.min(SHOWN, this.size) }, (_, i) => String(this.#read(i)))
    return `${this}: ${shown.join(', ')}${this.size > SHOWN ? ', …' : ''}`
  }

  /** @returns {any} the values as nested arrays */
  toJSON() {
    return this.toArray()
  }
}
