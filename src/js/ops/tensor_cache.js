import { describe, expect, formatShape } from '../errors.js'
import { indexSelect } from './gather.js'
import { cat } from './join.js'
import { narrow } from './narrow.js'
import { tensor as createTensor } from '../tensor/from_values.js'
import { Tensor } from '../tensor/tensor.js'

/** Where a cache stores the tensors of a module of the program's own, such as an attention written out. */
export class TensorEntry {
  /** The number of tokens. */ length = 0
  /** The same, as entries of attention call it. */ queries = 0
  /** @type {Tensor[]} */ #tensors = []

  /** The batch size, 0 before the first pass. */
  get batch() {
    return this.#tensors[0]?.shape[0] ?? 0
  }

  /**
   * Appends tensors along their last axis but one and returns all so far.
   * @param {string} where @param {Tensor[]} tensors @returns {Tensor[]}
   */
  update(where, tensors) {
    tensors.forEach((x, i) => expect(x instanceof Tensor && x.shape.length >= 2, 'type',
      () => `${where}: takes a module and tensors [batch, …, tokens, channels], got ${describe(x)} as tensor ${i}`))
    const [{ engine, shape }] = tensors, past = this.length, count = shape[shape.length - 2], old = this.#tensors
    expect(!engine.gradEnabled || !tensors.some(x => x.requiresGrad), 'state',
      () => `${where}: a cache keeps no gradients; call forward inside gf.noGrad`)
    expect(tensors.every(x => x.shape.at(-2) === count), 'shape',
      () => `${where}: tensors must have the same number of tokens, got ${tensors.map(x => formatShape(x.shape)).join(' and ')}`)
    expect(!old.length || old.length === tensors.length, 'shape',
      () => `${where}: expected ${old.length} tensors as in the first call, got ${tensors.length}`)
    this.#tensors = tensors.map((x, i) =>
      engine.keep(cat(old.length ? [narrow(old[i], -2, 0, past), x] : [x], { dim: -2 })))
    for (const tensor of old) tensor.dispose()
    this.length = this.queries = past + count
    // The program must not find a tensor disposed that it still has, so it gets views.
    return this.#tensors.map(tensor => engine.view(tensor, tensor.shape))
  }

  /** Tensors grow with their tokens. */
  reserve() {}

  /** Removes the newest tokens. @param {number} length */
  truncate(length) {
    this.length = this.queries = Math.min(this.length, length)
  }

  /** Replaces row i of the batch by row `from[i]`. @param {readonly number[]} from */
  select(from) {
    const [{ engine }] = this.#tensors
    this.#tensors = engine.noGrad(() => this.#tensors.map(tensor => {
      const out = engine.keep(indexSelect(tensor, 0, createTensor(engine, Int32Array.from(from))))
      tensor.dispose()
      return out
    }))
  }

  dispose() {
    for (const tensor of this.#tensors) tensor.dispose()
    this.#tensors = []
  }
}
