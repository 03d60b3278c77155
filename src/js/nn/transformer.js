import { GlassformerError, describe, expect, expectBoolean, expectNumber, expectOptions, expectInteger } from '../errors.js'
import { add } from '../ops/binary.js'
import { expectTensor, expectFloatTensor } from '../ops/checks.js'
import { toMaskTensor } from '../ops/mask.js'
import { applyActivation, freeIntermediate, runLayers } from '../trace/intermediates.js'
import { getActivation } from './activation.js'
import { ModuleList } from './containers.js'
import { Dropout } from './dropout.js'
import { LayerNorm } from './layer_norm.js'
import { Linear } from './linear.js'
import { Module } from './module.js'
import { MultiheadAttention, checkBatchFirst, xavierUniform } from './multihead_attention.js'

/** @typedef {import('../tensor/tensor.js').Tensor} Tensor */
/** @typedef {import('../engine/engine.js').Engine} Engine */
/** @typedef {import('../ops/attention_cache.js').Cache} Cache */

/** No model has more; a mistyped number would fill the memory for minutes before an error. */
const MAX_LAYERS = 10000

/**
 * @typedef {object} LayerOptions
 * @property {number} [dimFeedforward] 2048, the width of the feed-forward network
 * @property {number} [dropout] 0.1
 * @property {'relu' | 'gelu' | ((x: Tensor) => Tensor)} [activation] 'relu'
 * @property {number} [layerNormEps] 1e-5
 * @property {boolean} [normFirst] false, norm after each residual sum (as in the paper); true: before each sub-layer
 * @property {boolean} [bias] true; false leaves biases out of linear layers, attention and norms
 * @property {true} [batchFirst] only true
 */

const LAYER_OPTIONS = ['dimFeedforward', 'dropout', 'activation', 'layerNormEps', 'normFirst', 'bias', 'batchFirst']

/** The options of a layer with their defaults. @param {string} where @param {LayerOptions} [options] */
function layerOptions(where, options) {
  /** @type {LayerOptions} */ const given = expectOptions(where, options, LAYER_OPTIONS)
  checkBatchFirst(where, given.batchFirst)
  const { dimFeedforward = 2048, dropout = 0.1, activation = 'relu', layerNormEps: eps = 1e-5 } = given
  const { normFirst = false, bias = true } = given
  expectInteger(where, 'dimFeedforward', dimFeedforward)
  return { dimFeedforward, dropout, activation: getActivation(where, activation), eps, normFirst, bias }
}

/** The superclass of layers: a feed-forward network, and a residual sum around each sub-layer. */
class TransformerLayer extends Module {
  static runsSubmodules = true

  /**
   * Adds the output of the n-th sub-layer to its input, with the norm before or after.
   * @param {Tensor} x @param {1 | 2 | 3} n @param {(x: Tensor) => Tensor} sublayer
   */
  residual(x, n, sublayer) {
    const self = /** @type {any} */ (this), norm = self[`norm${n}`], dropout = self[`dropout${n}`]
    const input = self.normFirst ? norm.forward(x) : x, output = dropout.forward(sublayer(input))
    const sum = add(x, output)
    this.tag(`residual${n}`, sum)
    freeIntermediate(input, x, output)
    freeIntermediate(output, x)
    if (self.normFirst) return sum
    const out = norm.forward(sum)
    freeIntermediate(sum, out)
    return out
  }

  /** @param {Tensor} x */
  feedForward(x) {
    const { linear1, linear2, dropout, activation } = /** @type {any} */ (this), inner = linear1.forward(x)
    const active = this.tag('activation', applyActivation(activation, inner))
    freeIntermediate(inner, x, active)
    const dropped = dropout.forward(active), out = linear2.forward(dropped)
    freeIntermediate(active, x, dropped, out)
    freeIntermediate(dropped, x, out)
    return out
  }
}

/**
 * Runs an attention inside a layer; its error messages then name the layer's arguments.
 * @template T
 * @param {string} where @param {string} x the layer's name of the query @param {string} memory of key and value
 * @param {string} masks the prefix of its masks @param {() => T} attend
 */
function renamingErrors(where, x, memory, masks, attend) {
  /** @type {Record<string, string>} */
  const names = { query: x, key: memory, value: memory, attnMask: `${masks}Mask`, keyPaddingMask: `${masks}KeyPaddingMask`,
    isCausal: masks === 'src' ? 'isCausal' : `${masks}IsCausal` }
  try {
    return attend()
  } catch (error) {
    if (error instanceof GlassformerError) error.message = error.message.replace(/^MultiheadAttention: (\w+)/,
      (all, name) => (name in names ? `${where}: ${names[name]}` : all))
    throw error
  }
}

/**
 * Self-attention and a feed-forward network, each with a residual sum and a norm: torch.nn.TransformerEncoderLayer.
 * @example
 * const layer = new gf.nn.TransformerEncoderLayer(16, 4, { dimFeedforward: 32, dropout: 0 })
 * layer.forward(gf.randn([2, 5, 16]), { isCausal: true }).shape   // [2, 5, 16]
 */
export class TransformerEncoderLayer extends TransformerLayer {
  static inputNames = ['src']

  /**
   * @param {Engine} engine @param {number} dModel @param {number} nhead divides dModel @param {LayerOptions} [options]
   */
  constructor(engine, dModel, nhead, options) {
    super(engine)
    const { dimFeedforward, dropout, activation, eps, normFirst, bias } =
      layerOptions('TransformerEncoderLayer', options)
    this.self_attn = new MultiheadAttention(engine, dModel, nhead, { dropout, bias })
    this.linear1 = new Linear(engine, dModel, dimFeedforward, { bias })
    this.dropout = new Dropout(engine, dropout)
    this.linear2 = new Linear(engine, dimFeedforward, dModel, { bias })
    this.normFirst = expectBoolean('TransformerEncoderLayer', 'normFirst', normFirst)
    this.norm1 = new LayerNorm(engine, dModel, { eps, bias })
    this.norm2 = new LayerNorm(engine, dModel, { eps, bias })
    this.dropout1 = new Dropout(engine, dropout)
    this.dropout2 = new Dropout(engine, dropout)
    this.activation = activation
  }

  /**
   * @overload
   * @param {Tensor} src
   * @param {{ srcMask?: any, srcKeyPaddingMask?: any, isCausal?: boolean, cache?: Cache }} [options]
   * @returns {Tensor}
   */
  /**
   * @overload
   * @param {Tensor} src @param {any} srcMask @param {any} [srcKeyPaddingMask] @param {any} [isCausal]
   * @param {object} [options] @returns {Tensor}
   */
  /**
   * @param {Tensor} src [B, T, dModel] @param {any} [options] as in MultiheadAttention
   * @returns {Tensor} [B, T, dModel]
   */
  forward(src, options) {
    const { srcMask, srcKeyPaddingMask, isCausal, cache } =
      expectOptions('TransformerEncoderLayer', options, ['srcMask', 'srcKeyPaddingMask', 'isCausal', 'cache'])
    const masks = { attnMask: srcMask, keyPaddingMask: srcKeyPaddingMask, isCausal, cache, needWeights: false }
    const attend = (/** @type {Tensor} */ x) => renamingErrors('TransformerEncoderLayer', 'src', 'src', 'src',
      () => this.self_attn.forward(x, x, x, masks)[0])
    const attended = this.residual(src, 1, attend), out = this.residual(attended, 2, x => this.feedForward(x))
    freeIntermediate(attended, src, out)
    return out
  }
}

/**
 * Self-attention, cross-attention to the encoder's output and a feed-forward network, each with a residual sum and a
 * norm: torch.nn.TransformerDecoderLayer.
 */
export class TransformerDecoderLayer extends TransformerLayer {
  static inputNames = ['tgt', 'memory']

  /**
   * @param {Engine} engine @param {number} dModel @param {number} nhead divides dModel @param {LayerOptions} [options]
   */
  constructor(engine, dModel, nhead, options) {
    super(engine)
    const { dimFeedforward, dropout, activation, eps, normFirst, bias } =
      layerOptions('TransformerDecoderLayer', options)
    this.self_attn = new MultiheadAttention(engine, dModel, nhead, { dropout, bias })
    this.multihead_attn = new MultiheadAttention(engine, dModel, nhead, { dropout, bias })
    this.linear1 = new Linear(engine, dModel, dimFeedforward, { bias })
    this.dropout = new Dropout(engine, dropout)
    this.linear2 = new Linear(engine, dimFeedforward, dModel, { bias })
    this.normFirst = expectBoolean('TransformerDecoderLayer', 'normFirst', normFirst)
    this.norm1 = new LayerNorm(engine, dModel, { eps, bias })
    this.norm2 = new LayerNorm(engine, dModel, { eps, bias })
    this.norm3 = new LayerNorm(engine, dModel, { eps, bias })
    this.dropout1 = new Dropout(engine, dropout)
    this.dropout2 = new Dropout(engine, dropout)
    this.dropout3 = new Dropout(engine, dropout)
    this.activation = activation
  }

  /**
   * @overload
   * @param {Tensor} tgt @param {Tensor} memory @param {DecoderMasks} [options] @returns {Tensor}
   */
  /**
   * @overload
   * @param {Tensor} tgt @param {Tensor} memory @param {any} tgtMask @param {any} [memoryMask]
   * @param {any} [tgtKeyPaddingMask] @param {any} [memoryKeyPaddingMask] @param {any} [tgtIsCausal]
   * @param {any} [memoryIsCausal] @param {object} [options] @returns {Tensor}
   */
  /**
   * @param {Tensor} tgt [B, T, dModel]
   * @param {Tensor} memory [B, S, dModel], the encoder's output
   * @param {any} [options] as in MultiheadAttention
   * @returns {Tensor} [B, T, dModel]
   */
  forward(tgt, memory, options) {
    const masks = decoderMasks('TransformerDecoderLayer', memory, options)
    const selfOptions = {
      attnMask: masks.tgtMask, keyPaddingMask: masks.tgtKeyPaddingMask, isCausal: masks.tgtIsCausal,
      cache: masks.cache, needWeights: false
    }
    const crossOptions = {
      attnMask: masks.memoryMask, keyPaddingMask: masks.memoryKeyPaddingMask, isCausal: masks.memoryIsCausal,
      cache: masks.cache, needWeights: false
    }
    const attend = (/** @type {Tensor} */ x) => renamingErrors('TransformerDecoderLayer', 'tgt', 'tgt', 'tgt',
      () => this.self_attn.forward(x, x, x, selfOptions)[0])
    const cross = (/** @type {Tensor} */ x) => renamingErrors('TransformerDecoderLayer', 'tgt', 'memory', 'memory',
      () => this.multihead_attn.forward(x, memory, memory, crossOptions)[0])
    const attended = this.residual(tgt, 1, attend), crossed = this.residual(attended, 2, cross)
    freeIntermediate(attended, tgt, crossed)
    const out = this.residual(crossed, 3, x => this.feedForward(x))
    freeIntermediate(crossed, tgt, out)
    return out
  }
}

const DECODER_MASKS = [
  'tgtMask', 'memoryMask', 'tgtKeyPaddingMask', 'memoryKeyPaddingMask', 'tgtIsCausal', 'memoryIsCausal', 'cache'
]

/**
 * The masks of a decoder, after checking that there is a memory to attend to.
 * @param {string} where @param {unknown} memory @param {unknown} options @returns {DecoderMasks}
 */
function decoderMasks(where, memory, options) {
  expectFloatTensor(where, 'memory', memory)
  return expectOptions(where, options, DECODER_MASKS)
}

/**
 * @typedef {object} DecoderMasks
 * @property {any} [tgtMask]
 * @property {any} [memoryMask]
 * @property {any} [tgtKeyPaddingMask]
 * @property {any} [memoryKeyPaddingMask]
 * @property {boolean} [tgtIsCausal] false
 * @property {boolean} [memoryIsCausal] false
 * @property {Cache} [cache] of earlier passes; tgt then has only the new tokens
 */

/** The superclass of stacks: clones of one layer, and an optional final norm. */
class TransformerStack extends Module {
  static runsSubmodules = true

  /**
   * @param {Engine} engine @param {Module} layer @param {number} numLayers
   * @param {{ norm?: Module | null }} [options] norm: none
   */
  constructor(engine, layer, numLayers, options) {
    super(engine)
    const where = new.target.name, { norm = null } = expectOptions(where, options, ['norm'])
    expect(layer instanceof Module, 'type', () => `${where}: layer must be a module, got ${describe(layer)}`)
    expectInteger(where, 'numLayers', numLayers, 0, MAX_LAYERS)
    expect(norm === null || norm instanceof Module, 'type',
      () => `${where}: norm must be a module, got ${describe(norm)}`)
    this.layers = new ModuleList(engine, Array.from({ length: numLayers }, () => layer.clone()))
    this.numLayers = numLayers
    this.norm = norm
  }
}

/** A stack of encoder layers: torch.nn.TransformerEncoder. */
export class TransformerEncoder extends TransformerStack {
  static inputNames = ['src']

  /**
   * @overload
   * @param {Tensor} src
   * @param {{ mask?: any, srcKeyPaddingMask?: any, isCausal?: boolean, cache?: Cache }} [options] @returns {Tensor}
   */
  /**
   * @overload
   * @param {Tensor} src @param {any} mask @param {any} [srcKeyPaddingMask] @param {any} [isCausal]
   * @param {object} [options] @returns {Tensor}
   */
  /**
   * @param {Tensor} src [B, T, dModel]
   * @param {any} [options] cache: of earlier passes; src then has only the new tokens
   * @returns {Tensor} [B, T, dModel]
   */
  forward(src, options) {
    const { mask, srcKeyPaddingMask, isCausal, cache } =
      expectOptions('TransformerEncoder', options, ['mask', 'srcKeyPaddingMask', 'isCausal', 'cache'])
    expectTensor('TransformerEncoder', 'src', src)
    const srcMask = toMaskTensor(this.engine, 'TransformerEncoder: mask', mask, true)
    const masks = { srcMask, srcKeyPaddingMask, isCausal, cache }
    const x = runLayers(this.layers, src, (layer, output) => layer.forward(output, masks))
    return this.norm ? this.norm.forward(x) : x
  }
}

/** A stack of decoder layers: torch.nn.TransformerDecoder. */
export class TransformerDecoder extends TransformerStack {
  static inputNames = ['tgt', 'memory']

  /**
   * @overload
   * @param {Tensor} tgt @param {Tensor} memory @param {DecoderMasks} [options] @returns {Tensor}
   */
  /**
   * @overload
   * @param {Tensor} tgt @param {Tensor} memory @param {any} tgtMask @param {any} [memoryMask]
   * @param {any} [tgtKeyPaddingMask] @param {any} [memoryKeyPaddingMask] @param {any} [tgtIsCausal]
   * @param {any} [memoryIsCausal] @param {object} [options] @returns {Tensor}
   */
  /**
   * @param {Tensor} tgt [B, T, dModel]
   * @param {Tensor} memory [B, S, dModel], the encoder's output
   * @param {any} [options]
   * @returns {Tensor} [B, T, dModel]
   */
  forward(tgt, memory, options) {
    expectTensor('TransformerDecoder', 'tgt', tgt)
    const given = decoderMasks('TransformerDecoder', memory, options), { engine } = this
    const masks = {
      ...given, tgtMask: toMaskTensor(engine, 'TransformerDecoder: tgtMask', given.tgtMask, true),
      memoryMask: toMaskTensor(engine, 'TransformerDecoder: memoryMask', given.memoryMask, true)
    }
    const x = runLayers(this.layers, tgt, (layer, output) => layer.forward(output, memory, masks))
    return this.norm ? this.norm.forward(x) : x
  }
}

const TRANSFORMER_OPTIONS = ['dModel', 'nhead', 'numEncoderLayers', 'numDecoderLayers', ...LAYER_OPTIONS]

/**
 * @typedef {{ dModel?: number, nhead?: number, numEncoderLayers?: number, numDecoderLayers?: number }} TransformerSizes
 * @typedef {LayerOptions & TransformerSizes} TransformerOptions
 */

/**
 * torch.nn.Transformer, batch first: an encoder and a decoder (Vaswani et al. 2017), each with a norm at its end, which
 * PyTorch adds. It has no embeddings and no output layer.
 * @example
 * const model = new gf.nn.Transformer({ dModel: 16, nhead: 4, numEncoderLayers: 1, numDecoderLayers: 1 }).eval()
 * model.forward(gf.randn([1, 5, 16]), gf.randn([1, 3, 16]), { tgtIsCausal: true }).shape   // [1, 3, 16]
 */
export class Transformer extends Module {
  static runsSubmodules = true
  static inputNames = ['src', 'tgt']

  /**
   * @param {Engine} engine
   * @param {TransformerOptions} [options] dModel: 512; nhead: 8; numEncoderLayers: 6; numDecoderLayers: 6
   */
  constructor(engine, options) {
    super(engine)
    /** @type {TransformerOptions} */ const given = expectOptions('Transformer', options, TRANSFORMER_OPTIONS)
    const { dModel = 512, nhead = 8, numEncoderLayers = 6, numDecoderLayers = 6, ...others } = given
    const { layerNormEps: eps = 1e-5, bias = true } = others
    expectNumber('Transformer', 'layerNormEps', eps, 'a number >= 0', v => v >= 0)
    const encoderLayer = new TransformerEncoderLayer(engine, dModel, nhead, others)
    const norm = () => new LayerNorm(engine, dModel, { eps, bias })
    this.encoder = new TransformerEncoder(engine, encoderLayer, numEncoderLayers, { norm: norm() })
    const decoderLayer = new TransformerDecoderLayer(engine, dModel, nhead, others)
    this.decoder = new TransformerDecoder(engine, decoderLayer, numDecoderLayers, { norm: norm() })
    // The stacks contain clones of these layers.
    encoderLayer.dispose()
    decoderLayer.dispose()
    this.dModel = dModel
    this.nhead = nhead
    this.resetParameters()
  }

  /** Xavier uniform for every parameter with more than one axis. */
  resetParameters() {
    for (const parameter of this.parameters()) if (parameter.shape.length > 1) xavierUniform(parameter)
  }

  /**
   * @overload
   * @param {Tensor} src @param {Tensor} tgt
   * @param {DecoderMasks & { srcMask?: any, srcKeyPaddingMask?: any, srcIsCausal?: boolean }} [options]
   * @returns {Tensor}
   */
  /**
   * @overload
   * @param {Tensor} src @param {Tensor} tgt @param {any} srcMask @param {any} [tgtMask] @param {any} [memoryMask]
   * @param {any} [srcKeyPaddingMask] @param {any} [tgtKeyPaddingMask] @param {any} [memoryKeyPaddingMask]
   * @param {any} [srcIsCausal] @param {any} [tgtIsCausal] @param {any} [memoryIsCausal] @param {object} [options]
   * @returns {Tensor}
   */
  /**
   * @param {Tensor} src [B, S, dModel]
   * @param {Tensor} tgt [B, T, dModel]
   * @param {any} [options]
   * @returns {Tensor} [B, T, dModel]
   */
  forward(src, tgt, options) {
    const { srcMask: mask, srcKeyPaddingMask, srcIsCausal: isCausal, ...masks } =
      expectOptions('Transformer', options, ['srcMask', 'srcKeyPaddingMask', 'srcIsCausal', ...DECODER_MASKS])
    expect(tgt !== undefined, 'type', () => 'Transformer: forward takes src and tgt, and tgt is missing')
    expectTensor('Transformer', 'tgt', tgt)
    const memory = this.encoder.forward(src, { mask, srcKeyPaddingMask, isCausal })
    return this.decoder.forward(tgt, memory, masks)
  }

  /**
   * The causal mask as numbers to add: 0 up to the diagonal, −∞ after it, as nested arrays; gf.tensor(mask) makes a
   * tensor. `isCausal` gives the same result faster.
   * @param {number} size @returns {number[][]} [size, size]
   */
  static generateSquareSubsequentMask(size) {
    return Array.from({ length: size }, (_, i) => Array.from({ length: size }, (_, j) => (j > i ? -Infinity : 0)))
  }
}
