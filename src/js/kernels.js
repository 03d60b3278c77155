import { Memory } from './memory.js'

/** Room for the longest list of integer arguments a kernel takes. */
const MOST_ARGUMENTS = 64

/** One running instance of the kernels with its memory: all that text needs. */
export class Kernels {
  /** The raw wasm exports, `gf_...` as glassformer.h has them. @type {any} */ c
  /** @type {Memory} */ memory
  #scratch = { address: 0, bytes: 0 }
  #arguments = 0
  /** What a forward calls is written down for, see recording.js. @type {import('./recording.js').Recording | null} */
  recording = null
  /** For hash tables, so that no file can be made whose entries all collide. */
  seed = crypto.getRandomValues(new Uint32Array(1))[0]

  /** @param {import('./platform.d.ts').Exports} exports */
  constructor(exports) {
    this.c = exports
    this.c._initialize?.()
    this.memory = new Memory(this.c)
    this.#arguments = this.memory.alloc(4 * MOST_ARGUMENTS)
  }

  /**
   * A block for a kernel's workspace. It is the same block every time: valid until the next call of this function.
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
   * Small integer arguments (shapes, strides, structs) in memory for the next kernel call.
   * @param {readonly number[]} values
   * @returns {number} their address
   */
  pass(values) {
    if (values.length > MOST_ARGUMENTS) throw new RangeError(`${values.length} arguments for a kernel`)
    if (this.recording) return this.recording.pass(values)
    this.memory.setInts(this.#arguments, values)
    return this.#arguments
  }
}
