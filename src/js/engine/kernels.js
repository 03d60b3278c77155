import { Memory } from './memory.js'

/**
 * An instance of the kernels with its memory; enough for text, which needs no tensors.
 * @template {Memory} [M=Memory]
 */
export class Kernels {
  /** The raw wasm exports, `gf_...` as glassformer.h has them. @type {any} */ c
  /** @type {M} */ memory
  /** Random seed of hash tables, so that no file can be crafted whose entries all collide. */
  seed = crypto.getRandomValues(new Uint32Array(1))[0]

  /** @param {import('../platform.d.ts').Exports} exports @param {M} [memory] */
  constructor(exports, memory = /** @type {any} */ (new Memory(exports))) {
    this.c = exports
    this.c._initialize?.()
    this.memory = memory
  }
}
