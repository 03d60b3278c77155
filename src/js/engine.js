import { DTYPES } from './dtype.js'
import { runNow } from './errors.js'
import { Kernels } from './kernels.js'
import { Tensor } from './tensor.js'

/**
 * Whether this engine runs products in pairs no slower than one by one (measured on Zen 3): Chromium 156, Firefox 153
 * and Node 24, which keep the order of instructions, and Node 22 and 23, which do not; but not Node 20. V8 has
 * Array.fromAsync since Node 22, Firefox and Safari since 2023.
 */
export const prefersPairs = () => 'fromAsync' in Array

/**
 * Running kernels and what belongs to tensors: random generator, open scopes and modes.
 * Tensors carry their engine, so operations need no global state and two engines can live side by side.
 */
export class Engine extends Kernels {
  /** Address of the random generator's state. */ generator
  /** Sets of tensors that end with the innermost `tidy`. @type {Set<Tensor>[]} */ scopes = []
  /** Those around the library's own modules while they run, see passing.js. @type {Set<Tensor>[] | null} */
  outside = null
  /** The outermost forward that runs, if one does. @type {import('./nn/forward.js').Outermost | null} */
  outermost = null
  /** False inside `noGrad`. */ gradEnabled = true
  /** Whether a backward collects gradients, as gf.grad does, and changes no `grad`. */ isCollecting = false
  /** Counts how often values were overwritten. */ moment = 0
  /** False while modules are made whose weights come from elsewhere. */ drawsWeights = true
  /** What the matrices of new modules are stored in. @type {import('./dtype.js').DType} */ matrixType = 'float32'
  /** The trace being recorded, if any. @type {import('./trace.js').Trace | null} */ trace = null
  /** New tensors, for who wants to know them all. @type {Set<Tensor> | null} */ made = null
  /** Room for rows that become panels, and back. See panels.js. */ turning = { address: 0, bytes: 0 }
  /** What a tidy returned that was in no scope of its own, such as a borrowed tensor. @type {WeakSet<Tensor>} */
  #returned = new WeakSet()
  #freed = new FinalizationRegistry(/** @param {{ release(): void }} storage */ storage => {
    storage.release()
    this.memory.count(0, -1)
  })

  /** @param {import('./platform.d.ts').Exports} exports */
  constructor(exports) {
    super(exports)
    this.generator = this.memory.alloc(this.c.gf_generator_size())
    this.c.gf_seed(this.generator, (Math.random() * 2 ** 32) >>> 0)
    this.c.gf_matmul_in_pairs(Number(prefersPairs()))
  }

  /**
   * A new tensor with whatever the memory holds: for operations that write every cell.
   * @param {readonly number[]} shape
   * @param {import('./tensor.js').DType} [dtype]
   */
  empty(shape, dtype = 'float32') {
    return new Tensor(this, shape, dtype)
  }

  /** A new tensor of zeros. @param {readonly number[]} shape @param {import('./tensor.js').DType} [dtype] */
  zeros(shape, dtype = 'float32') {
    const out = this.empty(shape, dtype), { address, size } = out
    this.memory.clear(address, size * DTYPES[dtype].bytes)
    return out
  }

  /**
   * A new tensor that shows values of another in a shape of its own.
   * @param {Tensor} base @param {readonly number[]} shape @param {number} [offset] the value of base to start at
   */
  view(base, shape, offset = 0) {
    return new Tensor(this, shape, base.dtype, base, offset)
  }

  /** A tensor of a shape and no values, which takes no memory. @param {readonly number[]} shape */
  leftOut(shape) {
    return new Tensor(this, shape, 'float32', null)
  }

  /** A new tensor ends with the innermost `tidy`, or, outside of any, when it is forgotten. @param {Tensor} tensor */
  adopt(tensor) {
    this.made?.add(tensor)
    const scope = this.scopes[this.scopes.length - 1]
    if (scope) scope.add(tensor)
    else this.#freeWhenForgotten(tensor)
  }

  /** @param {Tensor} tensor */
  #freeWhenForgotten(tensor) {
    if (!tensor.storage) return
    this.#freed.register(tensor, tensor.storage, tensor)
    if (tensor.isForgettable) tensor.storage.leaveToCollector()
  }

  /** Forgets a tensor that is being disposed. @param {Tensor} tensor */
  release(tensor) {
    if (!this.#leaveScope(tensor)) this.#freed.unregister(tensor)
  }

  /** The scope it was in, if any. @param {Tensor} tensor */
  #leaveScope(tensor) {
    return this.scopes.find(scope => scope.delete(tensor)) ?? null
  }

  /** Takes a tensor out of every scope: it lives until disposed or forgotten. @template {Tensor} T @param {T} tensor */
  keep(tensor) {
    this.borrow(tensor)
    return tensor
  }

  /**
   * The same for a time: `giveBack` with the scope that it was in undoes it.
   * @param {Tensor} tensor @returns {Set<Tensor> | null} null where it was in none
   */
  borrow(tensor) {
    const scope = this.#leaveScope(tensor)
    if (scope) this.#freeWhenForgotten(tensor)
    return scope
  }

  /**
   * A borrowed tensor ends with its scope again: at once if that has ended, unless it was returned from there.
   * @param {Tensor} tensor @param {Set<Tensor>} scope
   */
  giveBack(tensor, scope) {
    if (this.scopes.includes(scope)) {
      this.#freed.unregister(tensor)
      scope.add(tensor)
    } else if (!this.#returned.has(tensor)) tensor.dispose()
  }

  /** Gives a view memory of its own, so that writing to it changes no other tensor. @param {Tensor} tensor */
  separate(tensor) {
    const isInScope = this.scopes.some(scope => scope.has(tensor))
    if (!isInScope) this.#freed.unregister(tensor)
    tensor.separate()
    if (!isInScope) this.#freeWhenForgotten(tensor)
  }

  /**
   * A tensor that an operation makes for itself and nobody else is given: a trace that is recorded frees it at its end.
   * @param {Tensor} tensor
   */
  aside(tensor) {
    this.trace?.aside.push(tensor)
    return tensor
  }

  /**
   * Runs `fn` and disposes every tensor made in it, except those it returns (alone, in arrays, objects, Maps or Sets).
   * @template T
   * @param {() => T} fn
   * @returns {T}
   * @example
   * const before = gf.memory().tensors
   * const kept = gf.tidy(() => gf.ones([3]).add(1).mul(2))
   * gf.memory().tensors - before                    // 1
   * kept                                            // [4, 4, 4]
   */
  tidy(fn) {
    const scope = new Set()
    this.scopes.push(scope)
    /** @type {Tensor[]} */ let kept = []
    try {
      const result = runNow('tidy', fn)
      kept = tensorsIn(result).filter(tensor => scope.delete(tensor) || !this.#returned.add(tensor))
      return result
    } finally {
      for (const tensor of scope) tensor.end()
      this.scopes.pop()
      for (const tensor of kept) this.adopt(tensor)
    }
  }

  /**
   * Runs `fn`, whose new modules keep what the memory holds: their weights come from elsewhere. Nothing is drawn.
   * @template T
   * @param {() => T} fn @param {import('./dtype.js').DType} [dtype] what matrices are stored in
   * @returns {T}
   */
  withoutDraws(fn, dtype = 'float32') {
    this.drawsWeights = false
    this.matrixType = dtype
    try {
      return fn()
    } finally {
      this.drawsWeights = true
      this.matrixType = 'float32'
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
    return this.#recording('noGrad', false, fn)
  }

  /**
   * Runs `fn` recording it, also inside `noGrad`.
   * @template T
   * @param {() => T} fn
   * @returns {T}
   */
  enableGrad(fn) {
    return this.#recording('enableGrad', true, fn)
  }

  /** @template T @param {string} where @param {boolean} enabled @param {() => T} fn @returns {T} */
  #recording(where, enabled, fn) {
    const before = this.gradEnabled
    this.gradEnabled = enabled
    try {
      return runNow(where, fn)
    } finally {
      this.gradEnabled = before
    }
  }
}

/** @param {unknown} value */
const isPlainObject = value =>
  value !== null && typeof value === 'object' && Object.getPrototypeOf(value) === Object.prototype

/** The tensors in a value, each once, also where it contains itself. @param {unknown} value */
export function tensorsIn(value) {
  if (value instanceof Tensor) return [value]
  /** @type {Tensor[]} */ const tensors = []
  /** @type {Set<unknown>} grows while it is walked */ const found = new Set([value])
  for (const one of found) {
    if (one instanceof Tensor) tensors.push(one)
    else if (one instanceof Map) for (const [key, item] of one) found.add(key).add(item)
    else if (Array.isArray(one) || one instanceof Set) for (const item of one) found.add(item)
    else if (isPlainObject(one)) for (const item of Object.values(/** @type {object} */ (one))) found.add(item)
  }
  return tensors
}
