import { expect, listOf, numberWhere } from '../errors.js'
import { Tensor } from '../tensor.js'

/** What SGD, Adam and AdamW share: the parameters, their gradients, and state for each of them. */
export class Optimizer {
  #where
  #lr = 0
  /** @type {Map<Tensor, any>} */ state = new Map()

  /** @param {string} where @param {Iterable<Tensor>} params @param {number} lr */
  constructor(where, params, lr) {
    const isLearned = (/** @type {any} */ p) => p instanceof Tensor && p.requiresGrad && !p.node
    const list = listOf(where, 'params', params, isLearned, 'a tensor with requiresGrad that was not computed')
    expect(list.length > 0, 'shape', () => `${where}: params must not be empty`)
    list.forEach((param, i) => expect(list.indexOf(param) === i, 'range',
      () => `${where}: params[${i}] is the same tensor as params[${list.indexOf(param)}]; each must be given once`))
    this.params = list
    this.#where = where
    this.lr = lr
  }

  /**
   * Learning rate: a number >= 0 that may be changed between steps.
   * @returns {number}
   */
  get lr() {
    return this.#lr
  }

  set lr(lr) {
    this.#lr = numberWhere(this.#where, 'lr', lr, 'a number >= 0', v => v >= 0)
  }

  /** Sets all gradients to zero. */
  zeroGrad() {
    for (const { grad } of this.params) grad?.data.fill(0)
  }

  /** The state of a parameter, made by `create` the first time. @param {Tensor} param @param {() => any} create */
  stateOf(param, create) {
    const held = this.state.get(param) ?? create()
    this.state.set(param, held)
    return held
  }

  /** Zeros that live as long as the optimiser. @param {Tensor} param */
  zerosLike(param) {
    return param.engine.keep(param.engine.zeros(param.shape))
  }

  /** Parameters that have a gradient. */
  get ready() {
    return this.params.filter(p => p.grad)
  }

  /** Frees what the optimiser remembers. */
  dispose() {
    const held = [...this.state.values()].flatMap(state => Object.values(state))
    for (const value of held) if (value instanceof Tensor) value.dispose()
    this.state.clear()
  }
}
