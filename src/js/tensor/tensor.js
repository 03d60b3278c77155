import {
  GlassformerError, describe, expect, expectBoolean, expectInteger, expectOptions, formatShape, isPlain
} from '../errors.js'
import { backward } from '../autograd/autograd.js'
import { blockAddress, blockBytes, readBlockValue, unpackBlocks } from './block_weights.js'
import { DTYPES, isBlockType } from './dtype.js'
import { Methods } from './methods.js'
import { reshape } from '../ops/reshape.js'
import { transpose } from '../ops/transpose.js'
import { getPanelOffset, unpackPanels } from './panels.js'
import { formatScalar, formatTensor } from './print_tensor.js'
import { countCells, nest, sameShape } from './shape.js'
import { Storage } from './storage.js'

/** @typedef {import('./dtype.js').DType} DType */
/** @typedef {import('./dtype.js').Data} Data */
/** @typedef {number | boolean | NestedArrays} NestedArray nested to any depth */
/** @typedef {ReadonlyArray<any>} NestedArrays */

/**
 * A shape as numbers, as a list, or by PyTorch's name: shape of reshape, size of view.
 * @param {'reshape' | 'view'} where @param {readonly any[]} given @returns {number[]}
 */
function readShape(where, given) {
  const [first] = given, name = where === 'view' ? 'size' : 'shape'
  if (given.length !== 1 || !isPlain(first)) return given.flat()
  return [(expectOptions(where, first, [name]))[name]].flat()
}

/** Flags of a gradient: created by backward; user code may have a reference; only memory for the next gradient. */
const OWNED = 1, SHARED = 2, CLEARED = 4

/** @param {Tensor} tensor in blocks */
const blockError = tensor => new GlassformerError('type',
  `${describe(tensor)} can only be a weight of linear and embedding; to('float32') makes one for everything else`)

/**
 * A row-major array of numbers in the engine's memory: torch.Tensor. Create one with `gf.tensor`; it lives until
 * `dispose()`, the end of the surrounding `gf.tidy`, or garbage collection.
 */
export class Tensor extends Methods {
  /** The engine in whose memory it lives. @type {import('../engine/engine.js').Engine} */ engine
  /** The index of its first value in the storage. @type {number} */ offset
  /** Its block of memory, perhaps shared with views; null once disposed. @type {Storage | null} */ storage = null
  /** Whether a trace stored only its name and shape, not its values; see keepAttention. */ isLeftOut
  /** @type {readonly number[]} */ #shape
  #dtype
  #size
  #requiresGrad = false
  /** @type {Tensor | null} */ #grad = null
  /** OWNED, SEEN and CLEARED of #grad. */ #gradFlags = 0
  /** Whether it is no user of its storage any more, see `forget`. */ #isForgotten = false
  /** Whether `backward` adds to its `grad` although it is computed; see retainGrad. */ retainsGrad = false
  /** @type {import('../autograd/autograd.js').Node | null} the operation that made this tensor, if it is recorded */
  node = null
  /**
   * @param {import('../engine/engine.js').Engine} engine
   * @param {readonly number[]} shape
   * @param {DType} [dtype]
   * @param {Tensor | null} [base] makes this a view of another tensor; null leaves the values out
   * @param {number} [offset] the index in base of the first value
   * @param {number} [padding] bytes reserved after its values
   */
  constructor(engine, shape, dtype = 'float32', base, offset = 0, padding = 0) {
    super()
    this.engine = engine
    this.#shape = Object.freeze([...shape])
    this.#dtype = dtype
    this.#size = countCells(shape)
    this.offset = (base?.offset ?? 0) + offset
    this.isLeftOut = base === null
    if (base === null) return
    if (base && isBlockType(dtype)) expect(sameShape(shape, base.shape), 'shape',
      () => `${describe(base)} cannot be reshaped or sliced; to('float32') makes one that can`)
    this.#setStorage(base ? base.#alive().share() : this.#createStorage(padding))
  }

  /** @param {Storage} storage */
  #setStorage(storage) {
    this.storage = storage
    this.engine.memory.count(0, 1)
    this.engine.adopt(this)
  }

  /** @param {number} padding bytes reserved after the values */
  #createStorage(padding) {
    const { dtype, shape } = this
    const bytes = isBlockType(dtype) ? blockBytes(dtype, shape) : this.#size * DTYPES[dtype].bytes
    return new Storage(this.engine.memory, bytes, padding)
  }

  /**
   * Allocates the values of a tensor that was made without them; the dtype may be another one then.
   * @param {DType} dtype @param {number} [padding] bytes reserved after its values @internal
   */
  allocate(dtype, padding = 0) {
    this.#dtype = dtype
    this.isLeftOut = false
    this.#setStorage(this.#createStorage(padding))
  }

  /** Whether a value is a tensor; false for a proxy of one or an object with its prototype. @param {any} value */
  static isTensor(value) {
    return Object(value) === value && #dtype in value
  }

  /** The length of each of its axes. */
  get shape() {
    return this.#shape
  }

  /** The type of its values. @returns {DType} */
  get dtype() {
    return this.#dtype
  }

  /** Whether `backward` computes a gradient for it. @returns {boolean} */
  get requiresGrad() {
    return this.#requiresGrad
  }

  set requiresGrad(requiresGrad) {
    expectBoolean('tensor', 'requiresGrad', requiresGrad)
    expect(!requiresGrad || this.#dtype === 'float32', 'type',
      () => `requiresGrad: only float32 tensors have gradients, got ${describe(this)}`)
    this.#requiresGrad = requiresGrad
  }

  /** Whether it is expected to be used for a while only, see collector.js. @internal */
  get isCollectable() {
    return true
  }

  #alive() {
    expect(this.storage !== null, 'state', () => `this ${this.dtype} tensor ${formatShape(this.shape)} ` +
      (this.isLeftOut ? 'was left out by the trace that made it: keepAttention keeps those of the attentions it names'
        : 'was disposed, by dispose() or by the end of its gf.tidy'))
    return this.storage
  }

  /**
   * The address of the first value in the engine's memory: torch.Tensor.data_ptr. The others follow row by row; a
   * weight that lies in panels (panels.js) is moved back into rows first. Outside `gf.tidy` the address is valid until
   * the next call into the library.
   * @returns {number}
   * @throws {GlassformerError} 'state' for a disposed tensor, 'type' for a matrix in blocks
   */
  dataPtr() {
    const storage = this.#alive()
    if (isBlockType(this.dtype)) throw blockError(this)
    if (storage.packedColumns) unpackPanels(this.engine, storage, this.dtype)
    this.engine.recording?.use(storage)
    return storage.address + this.offset * DTYPES[this.dtype].bytes
  }

  /** Whether its memory has been freed. */
  get disposed() {
    return this.storage === null && !this.isLeftOut
  }

  /**
   * The gradient that `backward` accumulates and optimizers use, or null; it may be assigned.
   * @returns {Tensor | null}
   * @throws {GlassformerError} 'type' or 'shape' when it is set to anything but null or a float32 tensor of this shape
   */
  get grad() {
    this.#gradFlags |= SHARED
    return this.internalGrad
  }

  /** The same for the library, which keeps no reference and so does not share it. @returns {Tensor | null} @internal */
  get internalGrad() {
    return this.#gradFlags & CLEARED ? null : this.#grad
  }

  set grad(grad) {
    if (grad) {
      const isUsable = grad instanceof Tensor && !grad.disposed && grad.dtype === 'float32'
      expect(isUsable && grad.engine === this.engine, 'type',
        () => `grad must be null or a float32 tensor of the same engine, got ${describe(grad)}`)
      expect(sameShape(grad.shape, this.shape), 'shape',
        () => `grad must have shape ${formatShape(this.shape)}, got ${formatShape(grad.shape)}`)
    }
    if (this.#gradFlags & CLEARED) this.#grad?.dispose()
    this.#gradFlags = SHARED
    this.#grad = grad ?? null
  }

  /**
   * Sets grad to null. The memory of a gradient that backward created is retained for the next one, since freeing and
   * allocating it at every step would fragment the heap. User code that has the old tensor must not find the next
   * gradient there, so the tensor is disposed and the memory gets a new one.
   * @internal
   */
  clearGrad() {
    const { internalGrad: grad, engine } = this
    if (!grad) return
    const isRetained = Boolean(this.#gradFlags & OWNED) && !grad.disposed, isShared = Boolean(this.#gradFlags & SHARED)
    if (!isRetained) this.#grad = null
    else if (isShared) {
      this.#grad = engine.keep(engine.view(grad, this.shape))
      grad.dispose()
    }
    this.#gradFlags = isRetained ? OWNED | CLEARED : 0
  }

  /** Creates a gradient of zeros for backward, in the memory of a cleared one if there is one. @internal */
  createGrad() {
    if (this.#gradFlags & CLEARED) this.#grad?.values.fill(0)
    else this.#grad = this.engine.keep(this.engine.zeros(this.shape))
    this.#gradFlags = OWNED
    return /** @type {Tensor} */ (this.#grad)
  }

  /** The address and number of its bytes. @returns {[address: number, n: number]} */
  #locateBytes() {
    if (isBlockType(this.dtype)) return [blockAddress(this), this.#alive().bytes]
    return [this.dataPtr(), this.#size * DTYPES[this.dtype].bytes]
  }

  /** The values as bytes. @returns {Uint8Array} */
  get bytes() {
    return this.engine.memory.bytes(...this.#locateBytes())
  }

  /**
   * Overwrites the values with those of another tensor.
   * @param {Tensor} other of the same engine, dtype and shape
   * @throws {GlassformerError} 'type' for another engine or dtype, 'shape' for another shape; nothing is written then
   * @internal
   */
  copyFrom(other) {
    const isSameKind = other instanceof Tensor && other.engine === this.engine && other.dtype === this.dtype
    expect(isSameKind, 'type', () => `copyFrom: other must be a ${this.dtype} tensor of the same engine, got ${describe(other)}`)
    expect(sameShape(other.shape, this.shape), 'shape',
      () => `copyFrom: other must have shape ${formatShape(this.shape)}, got ${formatShape(other.shape)}`)
    this.engine.memory.move(this.#locateBytes()[0], ...other.#locateBytes())
  }

  /** Moves the values into a storage of its own, which no other tensor shares. @internal */
  separate() {
    const { memory } = this.engine, [address, bytes] = this.#locateBytes(), own = new Storage(memory, bytes, 0)
    memory.move(own.address, address, bytes)
    if (this.#isForgotten) memory.count(0, 1)
    else this.storage?.release()
    this.#isForgotten = false
    this.storage = own
    this.offset = 0
  }

  /** The values for reading inside the library; in blocks a copy as float32. @returns {Data} */
  get values() {
    const { engine, dtype } = this, size = this.#size
    if (isBlockType(dtype)) return engine.memory.borrow(4 * size, address => {
      unpackBlocks(address, this)
      return engine.memory.floats(address, size).slice()
    })
    return this.engine.memory[DTYPES[this.dtype].view](this.dataPtr(), this.#size)
  }

  /**
   * A view of the values, valid until the next call into the library. Writing to it changes the tensor. bool values are
   * the bytes 0 and 1, float16 and bfloat16 values their bits (`toArray` gives numbers); of weights in blocks (int8 and
   * GGUF's formats) it is a copy.
   * @returns {Data}
   */
  get data() {
    return this.values
  }

  set data(values) {
    throw new GlassformerError('type', `data cannot be assigned, got ${describe(values)}; write x.data.set(numbers), ` +
      'or loadStateDict for the parameters of a module')
  }

  /** Notes that the values were overwritten, so that `backward` through a computation with the old ones is an error. */
  touch() {
    this.#alive().lastWrite = ++this.engine.writeCount
  }

  /** Whether the values were overwritten after an earlier writeCount of the engine. @param {number} writeCount */
  isChangedSince(writeCount) {
    return this.storage !== null && this.storage.lastWrite > writeCount
  }

  /** The value at a row-major index; true or false of a bool tensor. @param {number} i @returns {any} */
  #read(i) {
    if (isBlockType(this.dtype)) return readBlockValue(this, i)
    const { packedColumns, address } = this.#alive(), { bytes, view, read } = DTYPES[this.dtype], at = this.offset + i
    const element = packedColumns ? getPanelOffset(at, packedColumns) : at
    const [value] = this.engine.memory[view](address + bytes * element, 1)
    return read ? read(value) : value
  }

  /**
   * The value at an index.
   * @param {...number} index one number for each axis; negative numbers count from the end
   * @returns {any} a number; true or false of a bool tensor
   * @throws {GlassformerError} 'shape' for too few or too many numbers, 'index' for a number outside its axis
   * @example
   * gf.tensor([[1, 2], [3, 4]]).at(1, -1)           // 4
   */
  at(...index) {
    expect(index.length === this.shape.length, 'shape',
      () => `at: expected ${this.shape.length} indices for shape ${formatShape(this.shape)}, got ` +
        `${index.length}${index.length && index.length < this.shape.length ? '; for a row write x.select(0, i)' : ''}`)
    let offset = 0
    index.forEach((i, axis) => {
      const side = this.shape[axis]
      expect(Number.isInteger(i) && i >= -side && i < side, 'index',
        () => `at: index ${describe(i)} is outside axis ${axis} of shape ${formatShape(this.shape)}`)
      offset = offset * side + (i < 0 ? i + side : i)
    })
    return this.#read(offset)
  }

  /**
   * The value of a tensor that has only one: torch.Tensor.item.
   * @returns {any} a number; true or false of a bool tensor
   * @throws {GlassformerError} 'shape' for a tensor of another size
   */
  item() {
    expect(this.numel() === 1, 'shape', () => `item: expected one value, got ${describe(this)}; write x.at(…) for one, x.toArray() for all`)
    return this.#read(0)
  }

  /** The values as nested arrays, or the value of a scalar: torch.Tensor.tolist. @returns {any} */
  toArray() {
    const { values } = this, { read } = DTYPES[this.dtype]
    return nest(this.shape, read ? Array.from(values, read) : values)
  }

  /**
   * A view of the values in another shape, without copying: torch.Tensor.reshape.
   * @param {...(number | readonly number[] | { shape: readonly number[] })} shape one side may be -1 and is then
   *   inferred
   * @returns {Tensor}
   * @example
   * gf.arange(6).reshape(2, -1)                     // int32 [[0, 1, 2], [3, 4, 5]]
   */
  reshape(...shape) {
    return reshape(this, readShape('reshape', shape))
  }

  /**
   * The same as `reshape`: torch.Tensor.view.
   * @param {...(number | readonly number[] | { size: readonly number[] })} shape @returns {Tensor}
   */
  view(...shape) {
    return reshape(this, readShape('view', shape), 'view')
  }

  /** The tensor itself, since every tensor is row-major: torch.Tensor.contiguous. @returns {Tensor} */
  contiguous() {
    return this
  }

  /** The number of values: torch.Tensor.numel. @returns {number} */
  numel() {
    return this.#size
  }

  /**
   * The length of one axis, or of each: torch.Tensor.size.
   * @template {number | undefined} [D = undefined]
   * @param {D} [dim] negative ones count from the end; default: all
   * @returns {D extends number ? number : readonly number[]}
   * @example
   * gf.zeros([2, 3]).size(-1)                       // 3
   */
  size(dim) {
    if (dim === undefined) return /** @type {any} */ (this.#shape)
    const rank = this.#shape.length, axis = expectInteger('size', 'dim', dim, -rank, rank - 1)
    return /** @type {any} */ (this.#shape[axis < 0 ? axis + rank : axis])
  }

  /** The transpose of a matrix, as a copy: torch.Tensor.t. @returns {Tensor} */
  t() {
    expect(this.shape.length === 2, 'shape', () => `t: expected a matrix, got ${describe(this)}`)
    return transpose(this, 0, 1)
  }

  /** The transpose of a matrix, as a copy: torch.Tensor.T. */
  get T() {
    return this.t()
  }

  /**
   * Exchanges two axes, as a copy: torch.Tensor.transpose.
   * @param {number} a an axis; negative ones count from the end @param {number} b @returns {Tensor}
   */
  transpose(a, b) {
    return transpose(this, a, b)
  }

  /**
   * Computes gradients: torch.Tensor.backward. Adds d(this)/d(leaf) to `grad` of every leaf with `requiresGrad` that
   * this tensor was computed from. Tensors that the computation used must not have been overwritten since.
   * @param {Tensor | { gradient?: Tensor, retainGraph?: boolean } | null} [gradient] of this tensor's shape; default:
   *   1, for a tensor of one value
   * @param {{ retainGraph?: boolean } | boolean | null} [options] retainGraph: false; true allows another backward
   *   through the same computation
   * @throws {GlassformerError} 'state' when no computation was recorded, or an earlier backward has used it; 'shape'
   *   for a missing gradient
   * @example
   * const x = gf.tensor([1, 2, 3], { requiresGrad: true })
   * x.square().sum().backward()
   * x.grad                                          // [2, 4, 6]
   */
  backward(gradient, options) {
    const isGradient = gradient instanceof Tensor
    expect(isGradient || (gradient ?? undefined) === undefined || isPlain(gradient), 'type',
      () => `backward: gradient must be a tensor of the shape of this one, got ${describe(gradient)}`)
    const given = /** @type {{ retainGraph?: boolean } | undefined} */ (isGradient ? options : gradient ?? options)
    backward(this, isGradient ? gradient : undefined, given)
  }

  /**
   * Lets `backward` add to the `grad` of this computed tensor, too: torch.Tensor.retain_grad. Nothing changes for a
   * leaf.
   * @throws {GlassformerError} 'state' for a tensor without requiresGrad
   * @example
   * const x = gf.tensor([1, 2], { requiresGrad: true }), y = x.mul(3)
   * y.retainGrad()
   * y.square().sum().backward()
   * y.grad                                          // [6, 12]
   */
  retainGrad() {
    expect(this.requiresGrad, 'state', () => `retainGrad: ${describe(this)} was not computed from any tensor with requiresGrad`)
    if (this.node) this.retainsGrad = true
  }

  /** Frees the memory. Using the tensor afterwards is an error; disposing it again is not. */
  dispose() {
    if (!this.storage) return
    this.engine.leaveScope(this)
    this.end()
  }

  /** Leaves a view to the garbage collector alone: it does not count as live any more. @internal */
  forget() {
    if (!this.#isForgotten && this.storage) this.#isForgotten = this.storage.forget()
  }

  /** Frees a tensor that is in no scope. @internal */
  end() {
    if (!this.storage) return
    if (!this.#isForgotten) this.engine.memory.count(0, -this.storage.release())
    this.storage = null
    this.node = null
    this.#grad?.dispose()
    this.#grad = null
  }

  /** As PyTorch prints it: four decimals in columns, of more than 1000 values the edges: torch.Tensor.__repr__. */
  toString() {
    if (!this.storage) return this.isLeftOut ? `${this.dtype} tensor ${formatShape(this.shape)}` : 'a disposed tensor'
    return formatTensor(this, i => this.#read(i))
  }

  /**
   * Converts to a string in templates: a scalar to its number. Arithmetic would give a string or NaN: an error.
   * @param {string} hint @internal
   */
  [Symbol.toPrimitive](hint) {
    if (hint === 'string') {
      const isScalar = this.storage && this.shape.length === 0
      return isScalar ? formatScalar(this.#read(0), this.dtype) : this.toString()
    }
    throw new GlassformerError('type', `${describe(this)} cannot be used with JavaScript's + - * / < > and Math; ` +
      'write a.add(b), a.sub(b), a.mul(b), a.div(b), a.lt(b), a.gt(b), a.exp() …, and a.item() for the value of a tensor of one')
  }

  /** What console.log prints in Node. */
  [Symbol.for('nodejs.util.inspect.custom')]() {
    return this.toString()
  }

  /** @returns {any} the values as nested arrays */
  toJSON() {
    return this.toArray()
  }
}
