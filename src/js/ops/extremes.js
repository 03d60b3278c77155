import { expect } from '../errors.js'

/** @typedef {import('../tensor/tensor.js').Tensor} Tensor */

/**
 * The largest or smallest values along an axis and their indices, as in PyTorch:
 * `const { values, indices } = x.max(1)`, `const [values, indices] = x.max(1)` or `x.max(1)[1]`.
 */
export class Extremes {
  /** @type {Tensor | null} */ #indices = null
  #name
  #x
  #at
  #findIndices

  /** @param {'max' | 'min'} name @param {Tensor} x @param {Tensor} values @param {() => Tensor} findIndices */
  constructor(name, x, values, findIndices) {
    this.#name = name
    /** The values; gradients flow through them to the first of equal ones. */
    this.values = values
    this.#x = x
    this.#at = x.engine.writeCount
    this.#findIndices = findIndices
  }

  /**
   * The index of the first extreme value in each row, int32; found when it is first read, since most programs use the
   * values alone.
   * @returns {Tensor}
   * @throws {import('../errors.js').GlassformerError} 'state' if x was disposed or overwritten before
   */
  get indices() {
    expect(this.#hasIndices, 'state',
      () => 'indices: the tensor was disposed or overwritten before they were read; read values and indices at once')
    this.#indices ??= this.#findIndices()
    return this.#indices
  }

  get #hasIndices() {
    return this.#indices !== null || !(this.#x.disposed || this.#x.isChangedSince(this.#at))
  }

  /** The values. */
  get 0() {
    return this.values
  }

  /** The indices. */
  get 1() {
    return this.indices
  }

  /** As PyTorch prints them. */
  toString() {
    return `torch.return_types.${this.#name}(\nvalues=${this.values},\nindices=${this.#hasIndices ? this.indices : '(overwritten)'})`
  }

  /** What console.log prints in Node. */
  [Symbol.for('nodejs.util.inspect.custom')]() {
    return this.toString()
  }

  /** Values, then indices. @returns {IterableIterator<Tensor>} */
  [Symbol.iterator]() {
    return [this.values, this.indices][Symbol.iterator]()
  }
}
