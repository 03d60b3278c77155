import { Linear } from '../nn/linear.js'
import { ModuleList } from '../nn/containers.js'
import { Module } from '../nn/module.js'
import { binaryFunctions, mul } from '../ops/binary.js'
import { indexSelect, scatterAdd } from '../ops/gather.js'
import { reductions } from '../ops/reduce.js'
import { softmax } from '../ops/softmax.js'
import { topk } from '../ops/sort.js'
import { registerLibraryCode } from '../trace/intermediates.js'
import { FeedForward } from './feed_forward.js'
import { buildArray } from './model.js'

/**
 * @typedef {import('../tensor/tensor.js').Tensor} Tensor
 *
 * @typedef {object} ExpertsDescription
 * @property {number} count @property {number} perToken how many experts compute a token
 * @property {boolean} isNormalized whether the weights of a token's experts add up to 1
 * @property {number} [size] of an expert's hidden layer; default: feedForwardSize
 */

/**
 * A mixture of experts (Shazeer et al. 2017, Jiang et al. 2024): a router chooses a few feed-forward networks for each
 * token, and their outputs are added, weighted by the router's probabilities.
 */
export class Experts extends Module {
  static inputNames = ['x']
  static runsSubmodules = true

  /**
   * @param {import('../engine/engine.js').Engine} engine
   * @param {ConstructorParameters<typeof FeedForward>[1]} sizes @param {ExpertsDescription} experts
   */
  constructor(engine, sizes, { count, perToken, isNormalized, size = sizes.feedForwardSize }) {
    super(engine)
    this.gate = new Linear(engine, sizes.channels, count, { bias: false })
    const createExpert = () => new FeedForward(engine, { ...sizes, feedForwardSize: size })
    this.experts = new ModuleList(engine, buildArray(count, createExpert))
    this.perToken = perToken
    this.isNormalized = isNormalized
  }

  /**
   * The chosen experts of every token, and their weights.
   * @param {Tensor} x [N, C] @returns {{ weights: Tensor, chosen: Int32Array }} both [N, perToken]
   */
  route(x) {
    const probabilities = this.tag('router', softmax(this.gate.forward(x), { dim: -1 }))
    const { values, indices } = topk(probabilities, this.perToken, { dim: -1 })
    const weights = this.isNormalized
      ? binaryFunctions.div(values, reductions.sum(values, { dim: -1, keepdim: true })) : values
    return { weights: this.tag('expert_weights', weights), chosen: Int32Array.from(indices.values) }
  }

  /** @param {Tensor} x [B, T, C] @returns {Tensor} */
  forward(x) {
    const tokens = x.reshape(-1, /** @type {number} */ (x.shape.at(-1))), { weights, chosen } = this.route(tokens)
    const flat = weights.reshape(-1, 1), { perToken, engine } = this
    let out = engine.zeros(tokens.shape)
    for (const [n, expert] of [...this.experts].entries()) {
      const uses = Array.from(chosen.keys()).filter(i => chosen[i] === n)
      if (!uses.length) continue
      const rows = uses.map(i => Math.floor(i / perToken))
      const computed = expert.forward(indexSelect(tokens, 0, rows))
      const index = rows.map(row => Array(tokens.shape[1]).fill(row))
      out = scatterAdd(out, 0, index, mul(computed, indexSelect(flat, 0, uses)))
    }
    return out.reshape(...x.shape)
  }
}

registerLibraryCode(Experts)
