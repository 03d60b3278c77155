import { Linear } from '../nn/linear.js'
import { Module } from '../nn/module.js'
import { mul } from '../ops/binary.js'
import { registerLibraryCode } from '../trace/intermediates.js'

/** @typedef {import('../tensor/tensor.js').Tensor} Tensor */

/**
 * The feed-forward network of a layer: gated, down(activation(gate(x)) × up(x)) (Shazeer 2020), or
 * down(activation(up(x))).
 */
export class FeedForward extends Module {
  static inputNames = ['x']

  /**
   * @param {import('../engine/engine.js').Engine} engine
   * @param {{ channels: number, feedForwardSize: number, hasMlpBias?: boolean, isGated: boolean,
   *   activation: (x: Tensor) => Tensor }} sizes
   */
  constructor(engine, { channels, feedForwardSize, hasMlpBias: bias = false, isGated, activation }) {
    super(engine)
    this.gate_proj = isGated ? new Linear(engine, channels, feedForwardSize, { bias }) : null
    this.up_proj = new Linear(engine, channels, feedForwardSize, { bias })
    this.down_proj = new Linear(engine, feedForwardSize, channels, { bias })
    this.activation = activation
  }

  /** @param {Tensor} x @returns {Tensor} */
  forward(x) {
    const { gate_proj: gate, up_proj: up, down_proj: down } = this
    const activated = this.tag('activation', this.activation((gate ?? up).forward(x)))
    return down.forward(gate ? mul(activated, up.forward(x)) : activated)
  }
}

registerLibraryCode(FeedForward)
