import { DTYPES } from '../tensor/dtype.js'
import { TensorMemory } from '../engine/memory.js'

/**
 * Records the kernels that a forward calls, with their addresses and sizes, so that they can be replayed without it.
 *
 * During the recording the engine allocates from the recording's own pool of blocks: freed blocks are reused, but none
 * is returned before the recording ends, so every address stays valid. Values that JavaScript reads or writes between
 * kernels cannot be replayed; a forward that does so is not recorded. Tensors that it creates from JavaScript's values
 * (`gf.tensor`, `gf.arange`) are constants.
 *
 * @typedef {import('../engine/engine.js').Engine} Engine
 * @typedef {import('../tensor/storage.js').Storage} Storage
 * @typedef {import('../tensor/tensor.js').Tensor} Tensor
 * @typedef {{ kernel: (...args: any[]) => unknown, args: any[], result: unknown }} Call
 * @typedef {{ address: number, bytes: number, shape: readonly number[], dtype: import('../tensor/dtype.js').DType }}
 *   Block
 */

/** Functions that only compute sizes, which need no replay. */
const SIZE_FUNCTIONS = /_(workspace|size)$/
const CHANGING_CALLS = 'its operations or numbers change from call to call'
/** Moves weights into panels, which only the first run of a forward does. */
const REPACK = 'gf_repack'

/** Blocks of memory that are reused during a recording and freed with it. */
class Pool {
  /** Sizes by address. @type {Map<number, number>} */ #blocks = new Map()
  /** @type {Set<number>} */ #free = new Set()
  /** Blocks that hold inputs or arguments, not results. @type {Set<number>} */ #fixed = new Set()
  #isEnded = false
  /** Tensors that the forward created from JavaScript's values. @type {Set<Tensor>} */ constants = new Set()

  /** @param {TensorMemory} memory */
  constructor(memory) {
    this.memory = memory
  }

  /** The block that an address is in, by its number in the order of allocation. @param {number} address */
  find(address) {
    let number = 0
    for (const [start, bytes] of this.#blocks) {
      if (address >= start && address < start + Math.max(bytes, 1)) return { number, offset: address - start }
      number++
    }
    return null
  }

  /** The smallest free block that is large enough, or a new one. @param {number} bytes */
  alloc(bytes) {
    let best = 0, minSize = Infinity
    for (const address of this.#free) {
      const size = this.#blocks.get(address) ?? 0
      if (size >= bytes && size < minSize) [best, minSize] = [address, size]
    }
    if (!best) return this.allocNew(bytes)
    this.#free.delete(best)
    return best
  }

  /** A new block. @param {number} bytes */
  allocNew(bytes) {
    const address = this.memory.alloc(bytes)
    this.#blocks.set(address, bytes)
    this.memory.count(bytes, 0)
    return address
  }

  /** Marks a block that `overwriteResults` must leave alone. @param {number} address */
  fix(address) {
    this.#fixed.add(address)
    return address
  }

  /** @param {number} address */
  free(address) {
    this.#free.add(address)
    if (this.#isEnded) this.#release(address)
  }

  /** Overwrites all results with NaN. */
  overwriteResults() {
    for (const [address, bytes] of this.#blocks) {
      if (!this.#fixed.has(address)) this.memory.bytes(address, bytes).fill(255)
    }
  }

  /** @param {number} address */
  #release(address) {
    this.memory.free(address)
    this.memory.count(-(this.#blocks.get(address) ?? 0), 0)
    this.#blocks.delete(address)
  }

  /** Returns all blocks to the memory; a block that a tensor still uses is returned when it is freed. */
  end() {
    this.#isEnded = true
    for (const tensor of this.constants) tensor.end()
    this.constants.clear()
    for (const address of [...this.#free, ...this.#fixed]) if (this.#blocks.has(address)) this.#release(address)
  }
}

/** A memory that allocates from a pool and records its own moves and clears. */
class PooledMemory extends TensorMemory {
  /** Whether JavaScript accessed values through a view. */ isAccessed = false

  /**
   * @param {Pool} pool @param {any} c the exports of the wasm module
   * @param {(kernel: Call['kernel'], ...args: number[]) => void} call calls a function and records the call
   */
  constructor(pool, { memory }, call) {
    super({
      memory: { get buffer() { return memory.buffer }, grow() {} },
      gf_alloc: (/** @type {number} */ bytes) => pool.alloc(bytes),
      gf_free: (/** @type {number} */ address) => pool.free(address)
    })
    const { memory: source } = pool
    /** @type {TensorMemory['move']} */ const move = (to, from, n) => source.move(to, from, n)
    /** @type {TensorMemory['clear']} */ const clear = (address, n) => source.clear(address, n)
    this.move = (/** @type {number[]} */ ...args) => call(move, ...args)
    this.clear = (/** @type {number[]} */ ...args) => call(clear, ...args)
  }
}
for (const name of ['bytes', 'halves', 'ints', 'floats', 'doubles']) {
  const prototype = /** @type {any} */ (TensorMemory.prototype), view = prototype[name]
  Object.defineProperty(PooledMemory.prototype, name, {
    /** @this {PooledMemory} @param {number} address @param {number} n */
    value(address, n) {
      this.isAccessed = true
      return view.call(this, address, n)
    }
  })
}

/** Frees the blocks of recordings that were garbage collected. */
const registry = new FinalizationRegistry(/** @param {Pool} pool */ pool => pool.end())

export class Recording {
  #pool
  #memory
  #scratch = { address: 0, bytes: -1 }
  /** @type {Call[]} */ #calls = []
  /**
   * The weights that it reads, by address and layout.
   * @type {Map<Storage, { address: number, packedColumns: number }>}
   */
  #weights = new Map()
  /** @type {Block[]} */ #inputs = []
  /** The outputs of the forward. @type {Block[]} */ outputs = []
  #hasRepacked = false
  #constantCount = 0
  /** The engine's kernels and memory during the recording. @type {Pick<Engine, 'c' | 'memory'> | null} */ #own = null
  /** Integers that were passed in memory, by address. @type {Map<number, readonly number[]>} */ #passed = new Map()

  /** @param {Engine} engine */
  constructor({ memory, c }) {
    this.#pool = new Pool(memory)
    this.#memory = new PooledMemory(this.#pool, c, (kernel, ...args) => this.#call(kernel, args))
    registry.register(this, this.#pool, this)
  }

  /**
   * Runs `forward` on copies of its inputs and records the kernels it calls.
   * @param {Engine} engine @param {readonly Tensor[]} originals the inputs
   * @param {(inputs: Tensor[]) => readonly Tensor[]} forward returns its outputs
   * @returns {string} why it cannot be replayed; empty if it can
   */
  record(engine, originals, forward) {
    const { c, memory } = engine, sources = originals.map(tensor => tensor.dataPtr())
    this.#own = { c, memory }
    engine.c = this.#wrapKernels(c)
    engine.memory = this.#memory
    engine.recording = this
    engine.collector.pause()
    try {
      const reason = engine.tidy(() => {
        const inputs = originals.map(({ shape, dtype }) => engine.empty(shape, dtype))
        this.#inputs = inputs.map(blockOf)
        this.#inputs.forEach(({ address, bytes }, i) => memory.move(this.#pool.fix(address), sources[i], bytes))
        const outputs = forward(inputs)
        this.outputs = outputs.map(blockOf)
        return this.#explainRefusal(inputs, outputs)
      })
      return this.#memory.usage.tensors ? 'its forward keeps tensors that it makes' : reason
    } finally {
      this.#freeScratch()
      this.#own = null
      engine.c = c
      engine.memory = memory
      engine.recording = null
      engine.collector.resume()
    }
  }

  /** @param {any} c the exports of the wasm module @returns {any} the same, with every call recorded */
  #wrapKernels(c) {
    return Object.fromEntries(Object.keys(c).map(name => {
      const kernel = c[name]
      if (typeof kernel !== 'function' || SIZE_FUNCTIONS.test(name)) return [name, kernel]
      return [name, (/** @type {any[]} */ ...args) => {
        this.#hasRepacked ||= name === REPACK
        return this.#call(kernel, args)
      }]
    }))
  }

  /** @param {Call['kernel']} kernel @param {any[]} args */
  #call(kernel, args) {
    const result = kernel(...args)
    this.#calls.push({ kernel, args, result })
    return result
  }

  /** @param {readonly Tensor[]} inputs @param {readonly Tensor[]} outputs */
  #explainRefusal(inputs, outputs) {
    if (this.#memory.isAccessed) return 'its forward reads or writes values in JavaScript'
    const { constants } = this.#pool
    if (constants.size !== this.#constantCount || [...constants].some(({ disposed }) => disposed)) {
      return 'its forward disposes of tensors that it creates from values'
    }
    const isNewTensor = (/** @type {Tensor} */ { storage }) =>
      storage?.memory === this.#memory && inputs.every(input => input.storage !== storage)
    if (!outputs.every(isNewTensor)) return 'its forward returns one of its inputs, or a parameter'
    return this.#hasRepacked ? 'its weights were moved into another layout' : ''
  }

  /**
   * Creates a tensor of JavaScript's values, outside the recording: a constant of it.
   * @param {Engine} engine @param {() => Tensor} create
   */
  addConstant(engine, create) {
    const { c, memory, scopes } = engine
    Object.assign(engine, this.#own, { recording: null, scopes: [this.#pool.constants] })
    try {
      this.#constantCount++
      return create()
    } finally {
      Object.assign(engine, { c, memory, scopes, recording: this })
    }
  }

  /**
   * What another recording of the same forward does otherwise, with other values of the inputs; empty if nothing.
   * @param {Recording} other @returns {string}
   */
  compare(other) {
    const pool = this.#pool, constants = [...pool.constants], others = [...other.#pool.constants]
    /** @param {any} a @param {any} b */
    const isSame = (a, b) => {
      if (Object.is(a, b)) return true
      const [at, otherAt] = [pool.find(a), other.#pool.find(b)]
      if (at && otherAt) return at.number === otherAt.number && at.offset === otherAt.offset
      const [i, j] = [locate(constants, a), locate(others, b)]
      return i !== '' && i === j
    }
    /** @param {any[]} values @param {any[]} otherValues */
    const areSame = (values, otherValues) =>
      values.length === otherValues.length && values.every((value, i) => isSame(value, otherValues[i]))
    /** @param {Call} a @param {Call} b */
    const isSameCall = (a, b) =>
      a.kernel.name === b.kernel.name && Object.is(a.result, b.result) && areSame(a.args, b.args)
    const calls = this.#calls, passed = [...this.#passed.values()], otherPassed = [...other.#passed.values()]
    const haveSameCalls =
      calls.length === other.#calls.length && calls.every((call, i) => isSameCall(call, other.#calls[i]))
    if (!haveSameCalls || !passed.every((values, i) => areSame([...values], [...otherPassed[i]]))) return CHANGING_CALLS
    const haveSameBits = constants.length === others.length && constants.every((tensor, i) =>
      tensor.bytes.length === others[i].bytes.length && tensor.bytes.every((byte, j) => byte === others[i].bytes[j]))
    return haveSameBits ? '' : 'the tensors that it creates change from call to call'
  }

  /** Notes that the forward reads a storage. @param {Storage} storage */
  use(storage) {
    if (storage.memory === this.#memory || this.#weights.has(storage)) return
    const { address, packedColumns } = storage
    this.#weights.set(storage, { address, packedColumns })
  }

  /** Kernels.scratch during the recording. @param {number} bytes */
  scratch(bytes) {
    if (bytes > this.#scratch.bytes) {
      this.#freeScratch()
      this.#scratch = { address: this.#pool.alloc(bytes), bytes }
    }
    return this.#scratch.address
  }

  #freeScratch() {
    if (this.#scratch.address) this.#pool.free(this.#scratch.address)
  }

  /** Kernels.pass during the recording: the integers keep their address. @param {readonly number[]} values */
  pass(values) {
    const address = this.#pool.fix(this.#pool.allocNew(4 * values.length))
    this.#pool.memory.setInts(address, values)
    this.#passed.set(address, values)
    return address
  }

  /** Overwrites all results with NaN, so that a replay shows whether it computes them. */
  overwriteResults() {
    this.#pool.overwriteResults()
  }

  /** Whether all weights still have the address and layout of the recording. */
  get isValid() {
    for (const [storage, { address, packedColumns }] of this.#weights) {
      if (storage.address !== address || storage.packedColumns !== packedColumns) return false
    }
    return true
  }

  /**
   * Replays the kernels; the results are then in the blocks of `outputs`.
   * @param {TensorMemory} memory @param {readonly number[]} sources addresses of the inputs
   * @returns {boolean} whether every kernel returned the same as in the recording
   */
  replay(memory, sources) {
    for (let i = 0; i < sources.length; i++) {
      const { address, bytes } = this.#inputs[i]
      memory.move(address, sources[i], bytes)
    }
    for (const { kernel, args, result } of this.#calls) if (kernel(...args) !== result) return false
    return true
  }

  end() {
    registry.unregister(this)
    this.#pool.end()
  }
}

/**
 * Which of some tensors an address is in, and where; empty if in none.
 * @param {Tensor[]} tensors @param {number} address
 */
function locate(tensors, address) {
  const i = tensors.findIndex(tensor => {
    const start = tensor.dataPtr()
    return address >= start && address < start + tensor.bytes.length
  })
  return i < 0 ? '' : `${i}:${address - tensors[i].dataPtr()}`
}

/** @param {Tensor} tensor @returns {Block} */
const blockOf = tensor => {
  const { shape, dtype } = tensor, size = tensor.numel()
  return { address: tensor.dataPtr(), shape, dtype, bytes: size * DTYPES[dtype].bytes }
}
