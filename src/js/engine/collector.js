/**
 * Frees storages outside `tidy`, whose tensors are left to the garbage collector.
 *
 * A FinalizationRegistry frees them, but only between tasks: in a loop without `await` everything that the loop makes
 * would stay. Nothing in JavaScript tells within a task which tensors are still reachable. So from time to time the
 * values that were not used for a while are moved to JavaScript's memory, which the garbage collector frees at any
 * time, and moved back where they are read after all.
 *
 * @typedef {import('../tensor/storage.js').Block} Block
 * @typedef {import('../tensor/storage.js').Storage} Storage
 */

/** A sweep is due after new blocks of this many bytes, or of this number. */
const SWEEP_BYTES = 2 ** 24, SWEEP_BLOCKS = 4096
/** The largest number of bytes between sweeps, where values were moved back too often. */
const MAX_SWEEP_BYTES = 2 ** 28
/** The share of bytes moved back from which on sweeps become rarer. */
const MAX_RETURNED = 1 / 4

export class Collector {
  /** Blocks that may be moved out. @type {Set<Block>} */ #blocks = new Set()
  /** New blocks since the last sweep, and their bytes. */ #newBlocks = 0
  #newBytes = 0
  /** Bytes moved back since the last sweep. */ #returnedBytes = 0
  /** How many new blocks and bytes make a sweep due. */ #limits = { blocks: SWEEP_BLOCKS, bytes: SWEEP_BYTES }
  #pauses = 0
  #registry = new FinalizationRegistry(/** @param {Block} block */ block => {
    block.memory.count(0, -block.users)
    this.remove(block)
    block.free()
  })

  /**
   * Sets after how many new blocks and bytes a sweep is due.
   * @param {{ blocks?: number, bytes?: number }} limits @internal
   */
  setLimits(limits) {
    Object.assign(this.#limits, limits)
  }

  /**
   * Adds the block of a storage, to be freed with the storage.
   * @param {Storage} storage @param {Block} block
   * @param {boolean} isTemporary false for parameters, which are expected to stay: they are never moved out
   */
  add(storage, block, isTemporary) {
    this.#registry.register(storage, block, block)
    if (!isTemporary) return
    this.#blocks.add(block)
    block.memory.trackCollectable(block.bytes)
    this.#newBytes += block.bytes
    this.#newBlocks++
  }

  /** Adds a block that was moved back. @param {Storage} storage @param {Block} block */
  addAgain(storage, block) {
    this.#returnedBytes += block.bytes
    this.add(storage, block, true)
  }

  /** Removes a block that is freed or moved out. @param {Block} block */
  remove(block) {
    this.#registry.unregister(block)
    if (this.#blocks.delete(block)) block.memory.trackCollectable(-block.bytes)
  }

  /** Moves a block out, unless it is a parameter's. @param {Block} block */
  moveOut(block) {
    if (!this.#blocks.has(block)) return
    this.remove(block)
    block.moveOut()
  }

  /** Lets no sweep happen until `resume`: addresses are in use while code of the program runs. */
  pause() {
    this.#pauses++
  }

  resume() {
    this.#pauses--
  }

  get isPaused() {
    return this.#pauses > 0
  }

  /** Whether a sweep is due. */
  get isDue() {
    return !this.#pauses && (this.#newBytes > this.#limits.bytes || this.#newBlocks > this.#limits.blocks)
  }

  /** Moves out the blocks that were not used since the last sweep. Addresses of unused tensors change by it. */
  sweep() {
    const { bytes } = this.#limits
    if (this.#returnedBytes > MAX_RETURNED * this.#newBytes && bytes < MAX_SWEEP_BYTES) this.#limits.bytes = 2 * bytes
    this.#newBytes = this.#returnedBytes = this.#newBlocks = 0
    for (const block of this.#blocks) {
      if (block.isUsed) block.isUsed = false
      else this.moveOut(block)
    }
  }
}
