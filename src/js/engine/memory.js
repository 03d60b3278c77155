import { outOfMemoryError } from '../errors.js'

/** The largest block: what 32 bits can address, less what the allocator needs for itself. */
const MAX_BYTES = 0xfff00000
const PAGE = 65536
/** Bytes of each dummy ArrayBuffer that makes the garbage collector account for wasm memory. */
const BALLAST_BYTES = 2 ** 25
/** When the memory has to grow, it grows by this fraction more. */
const GROW_AHEAD = 1 / 4

/**
 * The engine's linear memory: blocks by address, and typed-array views of them.
 *
 * No other file accesses its buffer. A view is valid until the next call that may allocate: growing the memory replaces
 * the buffer and detaches every view of it. So views are created when they are needed and never stored.
 */
export class Memory {
  /** @type {WebAssembly.Memory} */ #memory
  /** The size when it was last read: reading it takes as long as allocating a block. */ #end
  #alloc
  #free
  /** @type {{ bytes: Uint8Array, halves: Uint16Array, ints: Int32Array,
   *   floats: Float32Array, doubles: Float64Array } | undefined} */ #cachedViews

  /** @param {any} c the exports of the wasm module */
  constructor(c) {
    this.#memory = c.memory
    this.#alloc = c.gf_alloc
    this.#free = c.gf_free
    this.#end = this.size
  }

  /** Views of the whole current buffer. @protected */
  get views() {
    const { buffer } = this.#memory
    if (this.#cachedViews?.bytes.buffer !== buffer) {
      this.#cachedViews = {
        bytes: new Uint8Array(buffer),
        halves: new Uint16Array(buffer),
        ints: new Int32Array(buffer),
        floats: new Float32Array(buffer),
        doubles: new Float64Array(buffer)
      }
    }
    return this.#cachedViews
  }

  /** The size of the memory in bytes. It never shrinks. */
  get size() {
    return this.#memory.buffer.byteLength
  }

  /**
   * @param {number} bytes
   * @returns {number} the address of a new block
   * @throws {import('../errors.js').GlassformerError} 'memory' when the block cannot be allocated
   */
  alloc(bytes) {
    const address = Number.isInteger(bytes) && bytes >= 0 && bytes <= MAX_BYTES ? this.#alloc(bytes) >>> 0 : 0
    if (!address) throw outOfMemoryError(bytes)
    if (address + bytes > this.#end - PAGE) this.#growAhead()
    return address
  }

  /**
   * Growing takes long, however small the step. So when an allocation made the memory grow, it grows further ahead,
   * where possible. Only a block that ends at the old end of the memory can have made it grow.
   */
  #growAhead() {
    if (this.size === this.#end) return
    try {
      this.#memory.grow(Math.ceil(this.size * GROW_AHEAD / PAGE))
    } catch {
      // The requested block is there already.
    }
    this.#end = this.size
  }

  /** @param {number} address */
  free(address) {
    this.#free(address)
  }

  /**
   * Calls `use` with a temporary block and frees it afterwards, also where `use` throws.
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

  /** @param {number} address @param {number} n @returns {Uint8Array} */
  bytes(address, n) {
    return this.views.bytes.subarray(address, address + n)
  }

  /** @param {number} address @param {number} n @returns {Int32Array} */
  ints(address, n) {
    return this.views.ints.subarray(address >>> 2, (address >>> 2) + n)
  }

  /** @param {number} address @param {number} n @returns {Float64Array} */
  doubles(address, n) {
    return this.views.doubles.subarray(address >>> 3, (address >>> 3) + n)
  }
}

/** Memory that tensors use, which count how much it is. Text alone needs none of this. */
export class TensorMemory extends Memory {
  #bytes = 0
  #tensors = 0
  #peak = 0
  #collectable = 0
  /** @type {ArrayBuffer[]} */ #ballast = []

  /** Updates the totals of what tensors use. @param {number} bytes @param {number} tensors */
  count(bytes, tensors) {
    this.#bytes += bytes
    this.#tensors += tensors
    if (this.#bytes > this.#peak) this.#peak = this.#bytes
  }

  /**
   * Tracks bytes that only the garbage collector frees. It does not see wasm memory: a tensor of a megabyte is a small
   * object to it, and unreachable tensors of a server would pile up to gigabytes before a collection. So dummy
   * ArrayBuffers of the same size are held, which it does see; no physical memory backs them until it is written to.
   * @param {number} bytes
   */
  trackCollectable(bytes) {
    this.#collectable += bytes
    const count = Math.floor(this.#collectable / BALLAST_BYTES), { length } = this.#ballast
    if (count < length - 1) this.#ballast.length = count
    for (let n = length; n < count; n++) {
      try {
        this.#ballast.push(new ArrayBuffer(BALLAST_BYTES))
      } catch {
        return // Where no buffer can be allocated, a collection is near anyway.
      }
    }
  }

  /** What live tensors use: bytes, their number, and the peak of bytes. */
  get usage() {
    return { bytes: this.#bytes, tensors: this.#tensors, peak: this.#peak }
  }

  /** Whether a typed array is a view of this memory, so that growing detaches it. @param {ArrayBufferView} view */
  ownsView(view) {
    return view.buffer === this.views.bytes.buffer
  }

  /** Whether a typed array is detached, since its memory has grown. @param {ArrayBufferView} view */
  isDetached(view) {
    try {
      return view.byteLength === 0 && !new Uint8Array(view.buffer)
    } catch {
      return true
    }
  }

  /** Copies n bytes. @param {number} to @param {number} from @param {number} n */
  move(to, from, n) {
    this.views.bytes.copyWithin(to, from, from + n)
  }

  /** Sets n bytes to zero. @param {number} address @param {number} n */
  clear(address, n) {
    this.views.bytes.fill(0, address, address + n)
  }

  /** @param {number} address @param {number} n @returns {Uint16Array} */
  halves(address, n) {
    return this.views.halves.subarray(address >>> 1, (address >>> 1) + n)
  }

  /**
   * Writes a few integers at an address; creating a view for them would take longer.
   * @param {number} address @param {readonly number[]} values
   */
  setInts(address, values) {
    const { ints } = this.views, first = address >>> 2
    for (let i = 0; i < values.length; i++) ints[first + i] = values[i]
  }

  /** @param {number} address @param {number} n @returns {Float32Array} */
  floats(address, n) {
    return this.views.floats.subarray(address >>> 2, (address >>> 2) + n)
  }
}
