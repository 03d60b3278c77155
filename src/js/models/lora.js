import { registerLibraryCode } from '../trace/intermediates.js'
import { Dropout } from '../nn/dropout.js'
import { kaimingUniform_ } from '../nn/init.js'
import { Linear } from '../nn/linear.js'
import { Module } from '../nn/module.js'
import { add, mul } from '../ops/binary.js'
import { to } from '../ops/convert.js'
import { linearRows } from '../ops/linear.js'
import { matmul } from '../ops/matmul.js'

/**
 * Low-rank adaptation (LoRA, Hu et al. 2021): scaling × B (A (dropout(x))) beside a frozen layer, as in PEFT.
 *
 * @typedef {import('../tensor/tensor.js').Tensor} Tensor
 * @typedef {import('../engine/engine.js').Engine} Engine
 * @typedef {{ r: number, loraAlpha: number, loraDropout: number, useRslora: boolean }} LoraSettings
 */

/** The two matrices of an adapter, lora_A [r, inputs] and lora_B [outputs, r]. */
export class Lora extends Module {
  static isAdapter = true

  static runsSubmodules = true
  static inputNames = ['x']

  /** @param {Engine} engine @param {number} inputs @param {number} outputs @param {LoraSettings} settings */
  constructor(engine, inputs, outputs, settings) {
    super(engine)
    this.settings = settings
    this.lora_A = new Linear(engine, inputs, settings.r, { bias: false })
    this.lora_B = new Linear(engine, settings.r, outputs, { bias: false })
    this.lora_dropout = settings.loraDropout > 0 ? new Dropout(engine, settings.loraDropout) : null
    kaimingUniform_(this.lora_A.weight, { a: Math.sqrt(5) })
    this.lora_B.weight.values.fill(0)
  }

  /** The factor of the adapter's output. */
  get scaling() {
    const { r, loraAlpha, useRslora } = this.settings
    return loraAlpha / (useRslora ? Math.sqrt(r) : r)
  }

  /**
   * @param {Tensor} x [..., inputs] @param {{ first: number, count: number }} [rows] the outputs to compute
   * @returns {Tensor} [..., outputs]
   */
  forward(x, rows) {
    const inner = this.lora_A.forward(this.lora_dropout ? this.lora_dropout.forward(x) : x)
    return mul(linearRows(inner, this.lora_B.weight, null, rows), this.scaling)
  }
}

/** A Linear with an adapter beside it. */
export class LoraLinear extends Module {
  static runsSubmodules = true
  static inputNames = ['x']

  /** @param {Engine} engine @param {Linear} layer @param {LoraSettings} settings */
  constructor(engine, layer, settings) {
    super(engine)
    this.base_layer = layer
    this.lora = new Lora(engine, layer.inFeatures, layer.outFeatures, settings)
  }

  /** @param {Tensor} x [..., inFeatures] @returns {Tensor} [..., outFeatures] */
  forward(x) {
    return add(this.base_layer.forward(x), this.lora.forward(x))
  }

  /**
   * The weight and bias of the Linear that computes the same.
   * @returns {{ weight: Float32Array, bias: Float32Array }}
   */
  merge() {
    const { base_layer: { weight, bias, outFeatures }, lora: { lora_A: a, lora_B: b, scaling }, engine } = this
    return engine.tidy(() => engine.noGrad(() => ({
      weight: Float32Array.from(add(to(weight, 'float32'), mul(matmul(b.weight, a.weight), scaling)).values),
      bias: bias ? Float32Array.from(bias.values) : new Float32Array(outFeatures)
    })))
  }
}

/** Some outputs of an adapter: the part that belongs to q, k or v of a matrix that computes all three. */
export class LoraPart extends Module {
  static runsSubmodules = true
  static inputNames = ['x']

  /** @param {Engine} engine @param {Lora} lora @param {number} first @param {number} count */
  constructor(engine, lora, first, count) {
    super(engine)
    this.lora = lora
    this.rows = { first, count }
  }

  /** @param {Tensor} x [..., inputs] @returns {Tensor} [..., count] */
  forward(x) {
    return this.lora.forward(x, this.rows)
  }
}

registerLibraryCode(Lora, LoraLinear, LoraPart)
