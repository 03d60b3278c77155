import { outOfMemory } from './errors.js'

/** What 32 bits can address, less what the allocator needs for itself. */
const MOST_BYTES = 0xfff00000
const PAGE = 65536
/** What stands on the collector's scales for as much that only it will give back. */
const WEIGHT = 2 ** 25
/** How much more a memory that had to grow grows at once. */
const GROW_AHEAD = 1 / 4

/**
 * The engine's linear memory: blocks by address, and typed-array views of them.
 *
 * No other file knows its buffer. A view is valid until the next call that may allocate: growing the memory replaces
 * the buffer and empties every view of it. So views are asked for when they are needed and never kept.
 */
export class Memory {
  /** @type {WebAssembly.Memory} */ #memory
  /** Where the memory ended when it was last asked, which takes as long as making a block. */ #end
  #bytes = 0
  #tensors = 0
  #peak = 0
  #forgettable = 0
  /** @type {ArrayBuffer[]} */ #weights = []
  #alloc
  #free
  /** @type {{ bytes: Uint8Array, halves: Uint16Array, ints: Int32Array,
   *   floats: Float32Array, doubles: Float64Array } | undefined} */ #whole

  /** @param {any} c the exports of the wasm module */
  constructor(c) {
    this.#memory = c.memory
    this.#alloc = c.gf_alloc
    this.#free = c.gf_free
    this.#end = this.size
  }

  /** Whole-memory views of the current buffer. */
  get #views() {
    const { buffer } = this.#memory
    if (this.#whole?.bytes.buffer !== buffer) {
      this.#whole = {
        bytes: new Uint8Array(buffer),
        halves: new Uint16Array(buffer),
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
    if (address + bytes > this.#end - PAGE) this.#growAhead()
    return address
  }

  /**
   * Growing takes long, however little is asked for. So when it had to be, it is done ahead, where there is room. Only
   * a block that ends where the memory did can have made it grow.
   */
  #growAhead() {
    if (this.size === this.#end) return
    try {
      this.#memory.grow(Math.ceil(this.size * GROW_AHEAD / PAGE))
    } catch {
      // What was asked for is there.
    }
    this.#end = this.size
  }

  /** Counts what tensors hold. @param {number} bytes @param {number} tensors */
  count(bytes, tensors) {
    this.#bytes += bytes
    this.#tensors += tensors
    if (this.#bytes > this.#peak) this.#peak = this.#bytes
  }

  /**
   * Counts bytes that nobody frees but the garbage collector. It does not see this memory: a tensor of a megabyte is a
   * small object to it, and a server's forgotten ones would pile up to gigabytes before it comes. So as much as they
   * take is put where it does see it: empty buffers, which no page of memory stands behind until it is written to.
   * @param {number} bytes
   */
  countForgettable(bytes) {
    this.#forgettable += bytes
    const wanted = Math.floor(this.#forgettable / WEIGHT), { length } = this.#weights
    if (wanted < length - 1) this.#weights.length = wanted
    for (let n = length; n < wanted; n++) {
      try {
        this.#weights.push(new ArrayBuffer(WEIGHT))
      } catch {
        return // Who cannot have an empty buffer will be collected soon enough.
      }
    }
  }

  /** What live tensors take, and the most bytes they took at once. */
  get held() {
    return { bytes: this.#bytes, tensors: this.#tensors, peak: this.#peak }
  }

  /**
   * Whether a typed array shows this memory, so that it will be emptied when that grows. @param {ArrayBufferView} view
   */
  holds(view) {
    return view.buffer === this.#memory.buffer
  }

  /** Whether a typed array showed a memory that has grown since. @param {ArrayBufferView} view */
  isStale(view) {
    try {
      return view.byteLength === 0 && !new Uint8Array(view.buffer)
    } catch {
      return true
    }
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

  /** Copies bytes from one place to another. @param {number} to @param {number} from @param {number} n */
  move(to, from, n) {
    this.#views.bytes.copyWithin(to, from, from + n)
  }

  /** Puts zeros into bytes. @param {number} address @param {number} n */
  clear(address, n) {
    this.#views.bytes.fill(0, address, address + n)
  }

  /** @param {number} address @param {number} n @returns {Uint8Array} */
  bytes(address, n) {
    return this.#views.bytes.subarray(address, address + n)
  }

  /** @param {number} address @param {number} n @returns {Uint16Array} */
  halves(address, n) {
    return this.#views.halves.subarray(address >>> 1, (address >>> 1) + n)
  }

  /** @param {number} address @param {number} n @returns {Int32Array} */
  ints(address, n) {
    return this.#views.ints.subarray(address >>> 2, (address >>> 2) + n)
  }

  /**
   * Puts a few integers at an address; a view made for them would take longer.
   * @param {number} address @param {readonly number[]} values
   */
  setInts(address, values) {
    const { ints } = this.#views, first = address >>> 2
    for (let i = 0; i < values.length; i++) ints[first + i] = values[i]
  }

  /** @param {number} address @param {number} n @returns {Float32Array} */
  floats(address, n) {
    return this.#views.floats.subarray(address >>> 2, (address >>> 2) + n)
  }

  /** @param {number} address @param {number} n @returns {Float64Array} */
  doubles(address, n) {
    return this.#views.doubles.subarray(address >>> 3, (address >>> 3) + n)
  }
}
