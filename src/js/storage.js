/** A block of memory shared by tensors that show the same values; freed with the last of them. */
export class Storage {
  #users = 1
  #room
  #isForgettable = false
  /** Where it holds a matrix as panels, how many columns that has; else 0. See panels.js. */ columns = 0
  /** The engine's moment when the values were last overwritten. */ changed = 0
  /** @param {import('./memory.js').Memory} memory @param {number} bytes @param {number} spare bytes after them */
  constructor(memory, bytes, spare) {
    this.memory = memory
    this.#room = bytes + spare
    this.address = memory.alloc(this.#room)
    this.bytes = bytes
    memory.count(bytes, 0)
  }

  /** Makes room for so many bytes; the address may be another one then. @param {number} bytes */
  widen(bytes) {
    const { memory, address } = this
    if (bytes <= this.#room) return
    this.address = memory.alloc(bytes)
    this.#room = bytes
    memory.bytes(this.address, this.bytes).set(memory.bytes(address, this.bytes))
    memory.free(address)
  }

  share() {
    this.#users++
    return this
  }

  /** Nobody but the garbage collector frees it, as far as anybody knows. */
  leaveToCollector() {
    if (!this.#isForgettable) this.memory.countForgettable(this.bytes)
    this.#isForgettable = true
  }

  release() {
    if (--this.#users) return
    if (this.#isForgettable) this.memory.countForgettable(-this.bytes)
    this.memory.free(this.address)
    this.address = 0
    this.memory.count(-this.bytes, 0)
  }
}
