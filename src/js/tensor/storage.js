/**
 * Where the values of a storage are: at an address of the engine's memory, or, once `moveOut` has freed that, in
 * JavaScript's memory. A block refers to no tensor, so lists of blocks keep no tensor from being garbage collected.
 */
export class Block {
  address
  /** The values while they are in JavaScript's memory. @type {Uint8Array | null} */ saved = null
  /** Whether the address was read since the last sweep, see collector.js. */ isUsed = true
  /** Tensors that view it and were not disposed. */ users = 1
  /** The collector that it is left to. @type {import('../engine/collector.js').Collector | null} */ collector = null
  /**
   * @param {import('../engine/memory.js').TensorMemory} memory @param {number} bytes of the values
   * @param {number} padding bytes after them
   */
  constructor(memory, bytes, padding) {
    this.memory = memory
    this.capacity = bytes + padding
    this.address = memory.alloc(this.capacity)
    this.bytes = bytes
    memory.count(bytes, 0)
  }

  /** Reserves at least this capacity; the address may change. @param {number} bytes */
  reserve(bytes) {
    const { memory, address } = this
    if (bytes <= this.capacity) return
    this.address = memory.alloc(bytes)
    this.capacity = bytes
    memory.bytes(this.address, this.bytes).set(memory.bytes(address, this.bytes))
    memory.free(address)
  }

  /** Moves the values to JavaScript's memory, which the garbage collector frees at any time. */
  moveOut() {
    const { memory, address, capacity } = this
    this.saved = memory.bytes(address, capacity).slice()
    memory.count(0, -this.users)
    this.free()
  }

  /** Moves the values back. */
  moveIn() {
    const { memory, bytes, capacity, saved, users } = this
    this.address = memory.alloc(capacity)
    memory.bytes(this.address, capacity).set(/** @type {Uint8Array} */ (saved))
    memory.count(bytes, users)
    this.saved = null
  }

  /** Frees its part of the engine's memory. */
  free() {
    this.memory.free(this.address)
    this.address = 0
    this.memory.count(-this.bytes, 0)
  }
}

/** A block of memory shared by the tensors that view it; freed with the last of them. */
export class Storage {
  /** Its memory. */ block
  /** Whether tensors may view it that are not among its users, see `forget`. */ #hasForgotten = false
  /** The number of columns, if it holds a matrix as panels; else 0. See panels.js. */ packedColumns = 0
  /** Whether it holds a copy of what is a view in PyTorch, so that writing to it would have another effect. */
  isCopyOfView = false
  /** The engine's writeCount when the values were last overwritten. */ lastWrite = 0
  /**
   * @param {import('../engine/memory.js').TensorMemory} memory
   * @param {number} bytes
   * @param {number} padding bytes after them
   */
  constructor(memory, bytes, padding) {
    this.block = new Block(memory, bytes, padding)
  }

  get memory() {
    return this.block.memory
  }

  /** The number of bytes of the values. */
  get bytes() {
    return this.block.bytes
  }

  /** The address of the values; 0 once freed. */
  get address() {
    const block = this.block
    block.isUsed = true
    if (block.saved) this.#moveIn()
    return block.address
  }

  #moveIn() {
    const { collector } = this.block
    this.block.moveIn()
    collector?.addAgain(this, this.block)
  }

  /** Reserves at least this capacity; the address may change. @param {number} bytes */
  reserve(bytes) {
    this.block.reserve(bytes)
  }

  /** Adds a user. */
  share() {
    if (this.block.saved) this.#moveIn()
    this.block.users++
    return this
  }

  /**
   * Registers it with a collector, if it is in none.
   * @param {import('../engine/collector.js').Collector} collector @param {boolean} isTemporary see `add` there
   */
  leaveTo(collector, isTemporary) {
    if (this.block.collector) return
    this.block.collector = collector
    collector.add(this, this.block, isTemporary)
  }

  /** Moves the values out of the engine's memory until they are read, if the storage is left to a collector. */
  moveOut() {
    const { collector, saved } = this.block
    if (!saved) collector?.moveOut(this.block)
  }

  /** Removes a user; the last one frees the block. Returns how many tensors fewer count as live. */
  release() {
    const block = this.block
    block.users--
    if (block.saved) {
      if (!block.users && !this.#hasForgotten) block.saved = null
      return 0
    }
    if (!block.users) {
      block.collector?.remove(block)
      this.#hasForgotten ? block.moveOut() : block.free()
    }
    return 1
  }

  /** Removes a user that is left to the garbage collector and may still read the values; returns whether it did. */
  forget() {
    const block = this.block
    if (!block.collector || block.saved || block.users < 2) return false
    block.users--
    block.memory.count(0, -1)
    this.#hasForgotten = true
    return true
  }
}
