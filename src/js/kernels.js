import { Memory } from './memory.js'

/** The longest list of integer arguments that a kernel takes. */
const MAX_ARGUMENTS = 64

/** An instance of the kernels with its memory; enough for text, which needs no tensors. */
export class Kernels {
  /** The raw wasm exports, `gf_...` as glassformer.h has them. @type {any} */ c
  /** @type {Memory} */ memory
  #scratch = { address: 0, bytes: 0 }
  #arguments = 0
  /** The recording in progress, if any, see recording.js. @type {import('./recording.js').Recording | null} */
  recording = null
  /** Random seed of hash tables, so that no file can be crafted whose entries all collide. */
  seed = crypto.getRandomValues(new Uint32Array(1))[0]

  /** @param {import('./platform.d.ts').Exports} exports */
  constructor(exports) {
    this.c = exports
    this.c._initialize?.()
    this.memory = new Memory(this.c)
    this.#arguments = this.memory.alloc(4 * MAX_ARGUMENTS)
  }

  /**
   * A block for a kernel's workspace. The same block is reused: it is valid until the next call of this function.
   * @param {number} floats
   * @returns {number}
   */
  scratch(floats) {
    const bytes = floats * 4
    if (this.recording) return this.recording.scratch(bytes)
    if (!(bytes >= 0 && bytes <= this.#scratch.bytes)) {
      if (this.#scratch.address) this.memory.free(this.#scratch.address)
      this.#scratch = { address: 0, bytes: 0 }
      this.#scratch = { address: this.memory.alloc(bytes), bytes }
    }
    return this.#scratch.address
  }

  /**
   * Writes integer arguments (shapes, strides, structs) to memory for the next kernel call.
   * @param {readonly number[]} values
   * @returns {number} their address
   */
  pass(values) {
    if (values.length > MAX_ARGUMENTS) throw new RangeError(`${values.length} arguments for a kernel`)
    if (this.recording) return this.recording.pass(values)
    this.memory.setInts(this.#arguments, values)
    return this.#arguments
  }
}
