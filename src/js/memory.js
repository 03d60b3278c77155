import { GlassformerError } from './errors.js'

/**
 * The engine's linear memory: blocks by address, and typed-array views of them.
 *
 * No other file knows its buffer. A view is valid until the next call that may allocate: growing the memory replaces
 * the buffer and empties every view of it. So views are asked for when they are needed and never kept.
 */
export class Memory {
  /** @type {WebAssembly.Memory} */ #memory
  #alloc
  #free
  /** @type {{ bytes: Uint8Array, ints: Int32Array, floats: Float32Array, doubles: Float64Array } | undefined} */ #whole

  /** @param {any} c the exports of the wasm module */
  constructor(c) {
    this.#memory = c.memory
    this.#alloc = c.gf_alloc
    this.#free = c.gf_free
  }

  /** Whole-memory views of the current buffer. */
  get #views() {
    const { buffer } = this.#memory
    if (this.#whole?.bytes.buffer !== buffer) {
      this.#whole = {
        bytes: new Uint8Array(buffer),
        ints: new Int32Array(buffer),
        floats: new Float32Array(buffer),
        doubles: new Float64Array(buffer)
      }
    }
    return this.#whole
  }

  /** The size of the whole memory in bytes. It never shrinks. */
  get size() {
    return this.#memory.buffer.byteLength
  }

  /**
   * @param {number} bytes
   * @returns {number} the address of a new block
   * @throws {GlassformerError} 'memory' when there is none left
   */
  alloc(bytes) {
    const address = bytes <= 0xfff00000 ? this.#alloc(bytes) >>> 0 : 0
    if (!address) throw new GlassformerError('memory', `out of memory: ${bytes} bytes could not be allocated; ` +
      'what a loop makes is given back between tasks only, or at once by gf.tidy around its body')
    return address
  }

  /** @param {number} address */
  free(address) {
    this.#free(address)
  }

  /**
   * Lends a block to `use` and takes it back, whatever happens.
   * @template T
   * @param {number} bytes
   * @param {(address: number) => T} use
   * @returns {T}
   */
  borrow(bytes, use) {
    const address = this.alloc(bytes)
    try {
      return use(address)
    } finally {
      this.free(address)
    }
  }

  /** @param {number} address @param {number} n */
  bytes(address, n) {
    return this.#views.bytes.subarray(address, address + n)
  }

  /** @param {number} address @param {number} n */
  ints(address, n) {
    return this.#views.ints.subarray(address >>> 2, (address >>> 2) + n)
  }

  /** @param {number} address @param {number} n */
  floats(address, n) {
    return this.#views.floats.subarray(address >>> 2, (address >>> 2) + n)
  }

  /** @param {number} address @param {number} n */
  doubles(address, n) {
    return this.#views.doubles.subarray(address >>> 3, (address >>> 3) + n)
  }
}
