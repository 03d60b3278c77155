import { Collector } from './collector.js'
import { DTYPES } from '../tensor/dtype.js'
import { runSync } from '../errors.js'
import { Kernels } from './kernels.js'
import { TensorMemory } from './memory.js'
import { Tensor } from '../tensor/tensor.js'

/**
 * Whether this JavaScript engine runs the matrix product's paired loop at least as fast as the single one (measured on
 * Zen 3): true for Chromium 156, Firefox 153 and Node 24, which keep the order of instructions, and for Node 22 and 23,
 * which do not; false for Node 20. V8 has Array.fromAsync since Node 22, Firefox and Safari since 2023.
 */
export const prefersPairs = () => 'fromAsync' in Array

/** The longest list of integer arguments that a kernel takes. */
const MAX_ARGUMENTS = 64

/**
 * The kernels together with the state of tensors: random generator, open scopes and modes.
 * Tensors refer to their engine, so operations need no global state and engines are independent of each other.
 * @extends {Kernels<TensorMemory>}
 */
export class Engine extends Kernels {
  /** Address of the random generator's state. */ generator
  /** Tensors of each open `tidy`, the innermost last. @type {Set<Tensor>[]} */ scopes = []
  /** The scopes around the library's modules while one runs, see intermediates.js. @type {Set<Tensor>[] | null} */
  outerScopes = null
  /**
   * The caches that the running outermost forward has used; null if none is running.
   * @type {import('../nn/forward.js').UsedCaches | null}
   */
  usedCaches = null
  /** False inside `noGrad`. */ gradEnabled = true
  /** Whether the running backward returns gradients (gf.grad) instead of adding them to `grad`. */ isCollecting = false
  /** How often values of tensors were overwritten. */ writeCount = 0
  /** False while modules are constructed whose weights will be loaded. */ initializesWeights = true
  /** The dtype of the matrices of new modules. @type {import('../tensor/dtype.js').DType} */ matrixType = 'float32'
  /** Whether the values of these matrices are left out until `allocate`. */ defersMatrices = false
  /** Adds the kernels of another module. @type {import('../threads/index.js').AddKernels} */ addKernels
  /** The kernels for GGUF's blocks, by default beside the library, see load_blocks.js. @type {unknown} */ blocksSource
  /** The trace being recorded, if any. @type {import('../trace/trace.js').Trace | null} */ trace = null
  /** Collects new tensors for an observer, if there is one. @type {Set<Tensor> | null} */ newTensors = null
  /** Workspace for converting rows to panels and back, see panels.js. */ panelBuffer = { address: 0, bytes: 0 }
  /** Tensors that a tidy returned and that were in no scope, such as borrowed ones. @type {WeakSet<Tensor>} */
  #returned = new WeakSet()
  /** Frees what is in no scope. */ collector = new Collector()
  #scratch = { address: 0, bytes: 0 }
  #arguments = 0
  /** The recording in progress, if any, see recording.js. @type {import('../compile/recording.js').Recording | null} */
  recording = null

  /**
   * @param {import('../platform.d.ts').Exports} exports
   * @param {import('../threads/index.js').AddKernels} addKernels
   */
  constructor(exports, addKernels) {
    super(exports, new TensorMemory(exports))
    this.addKernels = addKernels
    this.#arguments = this.memory.alloc(4 * MAX_ARGUMENTS)
    this.generator = this.memory.alloc(this.c.gf_generator_size())
    this.c.gf_seed(this.generator, (Math.random() * 2 ** 32) >>> 0)
    this.c.gf_matmul_in_pairs(Number(prefersPairs()))
  }

  /**
   * A block for a kernel's workspace. The same block is reused: it is valid until the next call of this function.
   * @param {number} floats
   * @returns {number}
   */
  scratch(floats) {
    const bytes = floats * 4
    if (this.recording) return this.recording.scratch(bytes)
    if (!(bytes >= 0 && bytes <= this.#scratch.bytes)) {
      if (this.#scratch.address) this.memory.free(this.#scratch.address)
      this.#scratch = { address: 0, bytes: 0 }
      this.#scratch = { address: this.memory.alloc(bytes), bytes }
    }
    return this.#scratch.address
  }

  /**
   * Writes integer arguments (shapes, strides, structs) to memory for the next kernel call.
   * @param {readonly number[]} values
   * @returns {number} their address
   */
  pass(values) {
    if (values.length > MAX_ARGUMENTS) throw new RangeError(`${values.length} arguments for a kernel`)
    if (this.recording) return this.recording.pass(values)
    this.memory.setInts(this.#arguments, values)
    return this.#arguments
  }

  /**
   * A new tensor with uninitialized values: for operations that write every cell.
   * @param {readonly number[]} shape
   * @param {import('../tensor/tensor.js').DType} [dtype]
   */
  empty(shape, dtype = 'float32') {
    return new Tensor(this, shape, dtype)
  }

  /** A new tensor of zeros. @param {readonly number[]} shape @param {import('../tensor/tensor.js').DType} [dtype] */
  zeros(shape, dtype = 'float32') {
    const out = this.empty(shape, dtype)
    this.memory.clear(out.dataPtr(), out.numel() * DTYPES[dtype].bytes)
    return out
  }

  /**
   * A view of another tensor's values with a shape of its own.
   * @param {Tensor} base @param {readonly number[]} shape @param {number} [offset] index of the first value in base
   */
  view(base, shape, offset = 0) {
    return new Tensor(this, shape, base.dtype, base, offset)
  }

  /** A tensor with a shape but no values, which takes no memory. @param {readonly number[]} shape */
  createPlaceholder(shape) {
    return new Tensor(this, shape, 'float32', null)
  }

  /** Registers a new tensor with the innermost `tidy`, or else with the garbage collector. @param {Tensor} tensor */
  adopt(tensor) {
    this.newTensors?.add(tensor)
    const scope = this.scopes[this.scopes.length - 1]
    if (scope) scope.add(tensor)
    else this.#leaveToCollector(tensor)
  }

  /** @param {Tensor} tensor */
  #leaveToCollector(tensor) {
    tensor.storage?.leaveTo(this.collector, tensor.isCollectable)
  }

  /** Removes a tensor from its scope, which it returns, if any. @param {Tensor} tensor */
  leaveScope(tensor) {
    return this.scopes.find(scope => scope.delete(tensor)) ?? null
  }

  /**
   * Takes a tensor out of its scope: it lives until disposed or garbage collected.
   * @template {Tensor} T @param {T} tensor
   */
  keep(tensor) {
    this.borrow(tensor)
    return tensor
  }

  /**
   * Takes a tensor out of its scope for a time: `giveBack` with the returned scope undoes it.
   * @param {Tensor} tensor @returns {Set<Tensor> | null} null where it was in no scope
   */
  borrow(tensor) {
    const scope = this.leaveScope(tensor)
    if (scope) this.#leaveToCollector(tensor)
    return scope
  }

  /**
   * Returns a borrowed tensor to its scope. If that has ended and did not return it, the tensor is disposed.
   * @param {Tensor} tensor @param {Set<Tensor>} scope
   */
  giveBack(tensor, scope) {
    if (this.scopes.includes(scope)) scope.add(tensor)
    else if (!this.#returned.has(tensor)) tensor.dispose()
  }

  /** Gives a view its own memory, so that writing to it changes no other tensor. @param {Tensor} tensor */
  separate(tensor) {
    const isInScope = this.scopes.some(scope => scope.has(tensor))
    tensor.separate()
    if (!isInScope) this.#leaveToCollector(tensor)
  }

  /**
   * Lets the trace being recorded, if any, free an internal tensor of an operation when the trace is disposed.
   * @param {Tensor} tensor
   */
  freeWithTrace(tensor) {
    this.trace?.auxiliary.push(tensor)
    return tensor
  }

  /**
   * Runs `fn` and disposes every tensor created in it, except those it returns (alone, in arrays, plain objects, Maps,
   * Sets, modules).
   * @template T
   * @param {() => T} fn
   * @returns {T}
   * @example
   * const before = gf.memory().tensors
   * const result = gf.tidy(() => gf.ones([3]).add(1).mul(2))
   * gf.memory().tensors - before                    // 1
   * result                                          // [4, 4, 4]
   */
  tidy(fn) {
    const scope = new Set()
    this.scopes.push(scope)
    /** @type {Tensor[]} */ let returned = []
    try {
      const result = runSync('tidy', fn)
      returned = findTensors(result).filter(tensor => scope.delete(tensor) || !this.#returned.add(tensor))
      return result
    } finally {
      for (const tensor of scope) tensor.end()
      this.scopes.pop()
      for (const tensor of returned) this.adopt(tensor)
    }
  }

  /**
   * Runs `fn`, in which new modules leave their weights uninitialized and use no random numbers: they will be loaded.
   * @template T
   * @param {() => T} fn @param {import('../tensor/dtype.js').DType} [dtype] of the matrices
   * @param {boolean} [isDeferred] whether the matrices get their values, and their dtype, by `allocate`
   * @returns {T}
   */
  withoutInitialization(fn, dtype = 'float32', isDeferred = false) {
    this.initializesWeights = false
    this.matrixType = dtype
    this.defersMatrices = isDeferred
    try {
      return fn()
    } finally {
      this.initializesWeights = true
      this.matrixType = 'float32'
      this.defersMatrices = false
    }
  }

  /**
   * Runs `fn` without recording it for `backward`.
   * @template T
   * @param {() => T} fn
   * @returns {T}
   * @example
   * const x = gf.tensor([1], { requiresGrad: true })
   * gf.noGrad(() => x.mul(2)).requiresGrad          // false
   */
  noGrad(fn) {
    return this.#withGradMode('noGrad', false, fn)
  }

  /**
   * Runs `fn` and records it for `backward`, also inside `noGrad`.
   * @template T
   * @param {() => T} fn
   * @returns {T}
   */
  enableGrad(fn) {
    return this.#withGradMode('enableGrad', true, fn)
  }

  /** @template T @param {string} where @param {boolean} enabled @param {() => T} fn @returns {T} */
  #withGradMode(where, enabled, fn) {
    const previous = this.gradEnabled
    this.gradEnabled = enabled
    try {
      return runSync(where, fn)
    } finally {
      this.gradEnabled = previous
    }
  }
}

/** Whether a value is a plain object or a module. @param {unknown} value */
const hasValues = value => (typeof value === 'function' ? /** @type {any} */ (value).engine instanceof Engine
  : value !== null && typeof value === 'object' && [Object.prototype, null].includes(Object.getPrototypeOf(value)))

/**
 * The tensors in a value (nested in arrays, objects, Maps, Sets, modules), each once; cycles are fine.
 * @param {unknown} value
 */
export function findTensors(value) {
  if (value instanceof Tensor) return [value]
  /** @type {Tensor[]} */ const tensors = []
  /** @type {Set<unknown>} grows during the iteration */ const visited = new Set([value])
  for (const container of visited) {
    if (container instanceof Tensor) tensors.push(container)
    else if (container instanceof Map) for (const [key, item] of container) visited.add(key).add(item)
    else if (Array.isArray(container) || container instanceof Set) for (const item of container) visited.add(item)
    else if (hasValues(container)) {
      for (const item of Object.values(/** @type {object} */ (container))) visited.add(item)
    }
  }
  return tensors
}
