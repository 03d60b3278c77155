import { outOfMemory } from './errors.js'

/** What 32 bits can address, less what the allocator needs for itself. */
const MOST_BYTES = 0xfff00000

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
   * @throws {import('./errors.js').GlassformerError} 'memory' when there is none left
   */
  alloc(bytes) {
    const address = Number.isInteger(bytes) && bytes >= 0 && bytes <= MOST_BYTES ? this.#alloc(bytes) >>> 0 : 0
    if (!address) throw outOfMemory(bytes)
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
