/** A block of memory shared by the tensors that view it; freed with the last of them. */
export class Storage {
  #users = 1
  #capacity
  #isCollectable = false
  /** The number of columns, if it holds a matrix as panels; else 0. See panels.js. */ columns = 0
  /** Whether it holds a copy of what is a view in PyTorch, so that writing to it would have another effect. */
  isCopyOfView = false
  /** The engine's writeCount when the values were last overwritten. */ lastWrite = 0
  /** @param {import('./memory.js').Memory} memory @param {number} bytes @param {number} padding bytes after them */
  constructor(memory, bytes, padding) {
    this.memory = memory
    this.#capacity = bytes + padding
    this.address = memory.alloc(this.#capacity)
    this.bytes = bytes
    memory.count(bytes, 0)
  }

  /** Reserves at least this capacity; the address may change. @param {number} bytes */
  reserve(bytes) {
    const { memory, address } = this
    if (bytes <= this.#capacity) return
    this.address = memory.alloc(bytes)
    this.#capacity = bytes
    memory.bytes(this.address, this.bytes).set(memory.bytes(address, this.bytes))
    memory.free(address)
  }

  /** Adds a user. */
  share() {
    this.#users++
    return this
  }

  /** Notes that only the garbage collector will free it. */
  leaveToGarbageCollector() {
    if (!this.#isCollectable) this.memory.trackCollectable(this.bytes)
    this.#isCollectable = true
  }

  /** Removes a user; the last one frees the block. */
  release() {
    if (--this.#users) return
    if (this.#isCollectable) this.memory.trackCollectable(-this.bytes)
    this.memory.free(this.address)
    this.address = 0
    this.memory.count(-this.bytes, 0)
  }
}
