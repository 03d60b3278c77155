import { DTYPES } from './dtype.js'
import { Memory } from './memory.js'

/**
 * The kernels that a forward calls, with their addresses and sizes, so that they can be called again without it.
 *
 * While it is made the engine computes in a memory of the recording's own: a block that ends is given again, and none
 * goes back before the recording ends. So every address holds for good. What JavaScript reads or writes between the
 * kernels is in no list; a recording in which it does is none.
 *
 * @typedef {import('./engine.js').Engine} Engine
 * @typedef {import('./storage.js').Storage} Storage
 * @typedef {import('./tensor.js').Tensor} Tensor
 * @typedef {{ kernel: (...args: any[]) => unknown, args: any[], result: unknown }} Call
 * @typedef {{ address: number, bytes: number, shape: readonly number[], dtype: import('./dtype.js').DType }} Block
 */

/** Kernels that only say how large something is: that is known when the others are called again. */
const ASKS = /_(workspace|size)$/
/** Lays weights out for good, which a forward does the first time it runs. */
const LAYS_OUT = 'gf_repack'

/** Blocks of a memory that are given again while the recording is made, and end with it. */
class Pool {
  /** Sizes by address. @type {Map<number, number>} */ #blocks = new Map()
  /** Those that nobody uses. @type {Set<number>} */ #free = new Set()
  /** Those in which nothing is computed. @type {Set<number>} */ #fixed = new Set()
  #isEnded = false

  /** @param {Memory} memory */
  constructor(memory) {
    this.memory = memory
  }

  /** The smallest block that nobody uses and that is large enough, or a new one. @param {number} bytes */
  take(bytes) {
    let best = 0, least = Infinity
    for (const address of this.#free) {
      const size = this.#blocks.get(address) ?? 0
      if (size >= bytes && size < least) [best, least] = [address, size]
    }
    if (!best) return this.make(bytes)
    this.#free.delete(best)
    return best
  }

  /** A new block. @param {number} bytes */
  make(bytes) {
    const address = this.memory.alloc(bytes)
    this.#blocks.set(address, bytes)
    this.memory.count(bytes, 0)
    return address
  }

  /** @param {number} address */
  fix(address) {
    this.#fixed.add(address)
    return address
  }

  /** @param {number} address */
  give(address) {
    this.#free.add(address)
    if (this.#isEnded) this.#release(address)
  }

  /** Overwrites all that was computed with what is no number. */
  spoil() {
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

  /** All go back; what a forward has kept in one goes with its tensor. */
  end() {
    this.#isEnded = true
    for (const address of [...this.#free, ...this.#fixed]) if (this.#blocks.has(address)) this.#release(address)
  }
}

/** A memory whose blocks come from a pool. What it moves and clears itself can be done again, too. */
class PooledMemory extends Memory {
  /** Whether somebody looked into it. */ isSeen = false

  /**
   * @param {Pool} pool @param {any} c the exports of the wasm module
   * @param {(kernel: Call['kernel'], ...args: number[]) => void} call does what is called for, and keeps it
   */
  constructor(pool, { memory }, call) {
    super({
      memory: { get buffer() { return memory.buffer }, grow() {} },
      gf_alloc: (/** @type {number} */ bytes) => pool.take(bytes),
      gf_free: (/** @type {number} */ address) => pool.give(address)
    })
    const { memory: source } = pool
    /** @type {Memory['move']} */ const move = (to, from, n) => source.move(to, from, n)
    /** @type {Memory['clear']} */ const clear = (address, n) => source.clear(address, n)
    this.move = (/** @type {number[]} */ ...args) => call(move, ...args)
    this.clear = (/** @type {number[]} */ ...args) => call(clear, ...args)
  }
}
for (const name of ['bytes', 'halves', 'ints', 'floats', 'doubles']) {
  const prototype = /** @type {any} */ (Memory.prototype), view = prototype[name]
  Object.defineProperty(PooledMemory.prototype, name, {
    /** @this {PooledMemory} @param {number} address @param {number} n */
    value(address, n) {
      this.isSeen = true
      return view.call(this, address, n)
    }
  })
}

const forgotten = new FinalizationRegistry(/** @param {Pool} pool */ pool => pool.end())

export class Recording {
  #pool
  #memory
  #scratch = { address: 0, bytes: -1 }
  /** @type {Call[]} */ #calls = []
  /** What it reads that is not its own, and how that lay. @type {Map<Storage, { address: number, columns: number }>} */
  #used = new Map()
  /** @type {Block[]} */ #inputs = []
  /** The outputs of the forward. @type {Block[]} */ outputs = []
  #laysOut = false

  /** @param {Engine} engine */
  constructor({ memory, c }) {
    this.#pool = new Pool(memory)
    this.#memory = new PooledMemory(this.#pool, c, (kernel, ...args) => this.#call(kernel, args))
    forgotten.register(this, this.#pool, this)
  }

  /**
   * Runs `forward` on tensors of the recording's own, and keeps what it calls.
   * @param {Engine} engine @param {readonly Tensor[]} given
   * @param {(inputs: Tensor[]) => readonly Tensor[]} forward what it gave
   * @returns {string} why it cannot be run again; empty if it can
   */
  record(engine, given, forward) {
    const { c, memory } = engine, sources = given.map(tensor => tensor.dataPtr())
    engine.c = this.#spies(c)
    engine.memory = this.#memory
    engine.recording = this
    try {
      const reason = engine.tidy(() => {
        const inputs = given.map(({ shape, dtype }) => engine.empty(shape, dtype))
        this.#inputs = inputs.map(blockOf)
        this.#inputs.forEach(({ address, bytes }, i) => memory.move(this.#pool.fix(address), sources[i], bytes))
        const outputs = forward(inputs)
        this.outputs = outputs.map(blockOf)
        return this.#refusal(inputs, outputs)
      })
      return this.#memory.usage.tensors ? 'its forward keeps tensors that it makes' : reason
    } finally {
      this.#giveScratch()
      engine.c = c
      engine.memory = memory
      engine.recording = null
    }
  }

  /** @param {any} c the exports of the wasm module @returns {any} the same, each telling when it is called */
  #spies(c) {
    return Object.fromEntries(Object.keys(c).map(name => {
      const kernel = c[name]
      if (typeof kernel !== 'function' || ASKS.test(name)) return [name, kernel]
      return [name, (/** @type {any[]} */ ...args) => {
        this.#laysOut ||= name === LAYS_OUT
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
  #refusal(inputs, outputs) {
    if (this.#memory.isSeen) return 'its forward reads or writes values in JavaScript'
    const isNewTensor = (/** @type {Tensor} */ { storage }) =>
      storage?.memory === this.#memory && inputs.every(input => input.storage !== storage)
    if (!outputs.every(isNewTensor)) return 'its forward gives back what it was given, or a parameter'
    return this.#laysOut ? 'its weights were laid out anew' : ''
  }

  /** A forward reads from here. @param {Storage} storage */
  use(storage) {
    if (storage.memory === this.#memory || this.#used.has(storage)) return
    this.#used.set(storage, { address: storage.address, columns: storage.columns })
  }

  /** As Kernels.scratch, which this stands for. @param {number} bytes */
  scratch(bytes) {
    if (bytes > this.#scratch.bytes) {
      this.#giveScratch()
      this.#scratch = { address: this.#pool.take(bytes), bytes }
    }
    return this.#scratch.address
  }

  #giveScratch() {
    if (this.#scratch.address) this.#pool.give(this.#scratch.address)
  }

  /** As Kernels.pass: integers that stay where they are. @param {readonly number[]} values */
  pass(values) {
    const address = this.#pool.fix(this.#pool.make(4 * values.length))
    this.#pool.memory.setInts(address, values)
    return address
  }

  /** Forgets all results, so that who runs it again sees whether they come back. */
  spoil() {
    this.#pool.spoil()
  }

  /** Whether all that it reads lies where it lay. */
  get isValid() {
    for (const [storage, { address, columns }] of this.#used) {
      if (storage.address !== address || storage.columns !== columns) return false
    }
    return true
  }

  /**
   * Calls the kernels again. Afterwards the outputs are in their places.
   * @param {Memory} memory @param {readonly number[]} sources where the inputs are
   * @returns {boolean} whether every kernel gave what it gave then
   */
  run(memory, sources) {
    for (let i = 0; i < sources.length; i++) {
      const { address, bytes } = this.#inputs[i]
      memory.move(address, sources[i], bytes)
    }
    for (const { kernel, args, result } of this.#calls) if (kernel(...args) !== result) return false
    return true
  }

  end() {
    forgotten.unregister(this)
    this.#pool.end()
  }
}

/** @param {Tensor} tensor @returns {Block} */
const blockOf = tensor => {
  const { shape, dtype, size } = tensor
  return { address: tensor.dataPtr(), shape, dtype, bytes: size * DTYPES[dtype].bytes }
}
