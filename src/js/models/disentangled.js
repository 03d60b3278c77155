import { Conv1d } from '../nn/conv.js'
import { Dropout } from '../nn/dropout.js'
import { Embedding } from '../nn/embedding.js'
import { LayerNorm } from '../nn/layer_norm.js'
import { Linear } from '../nn/linear.js'
import { ModuleList } from '../nn/containers.js'
import { Module } from '../nn/module.js'
import { add, mul } from '../ops/binary.js'
import { to } from '../ops/convert.js'
import { gather } from '../ops/gather.js'
import { matmul } from '../ops/matmul.js'
import { softmax } from '../ops/softmax.js'
import { tensor } from '../tensor/from_values.js'
import { registerLibraryCode, runLayers } from '../trace/intermediates.js'
import { buildArray } from './model.js'
import { tokenColumn } from './pooling.js'

/**
 * DeBERTa's layers (He et al. 2021): scores are the sum of content to content, content to position and position to
 * content, where a position is the embedding of the distance between query and key.
 *
 * @typedef {import('../tensor/tensor.js').Tensor} Tensor
 * @typedef {import('../engine/engine.js').Engine} Engine
 * @typedef {import('./encoder.js').EncoderDescription} EncoderDescription
 * @typedef {import('./model.js').AttentionMask} AttentionMask
 *
 * @typedef {object} Disentangled
 * @property {boolean} hasC2P content to position @property {boolean} hasP2C position to content
 * @property {number} buckets of distances in each direction; 0: every distance has its own
 * @property {number} maxDistance
 * @property {boolean} isShared whether positions are projected by the same weights as tokens
 * @property {boolean} isNormed whether the embeddings of distances are normalized
 * @property {Convolution | null} conv after the first layer
 *
 * @typedef {{ kernelSize: number, groups: number, activation: (x: Tensor) => Tensor }} Convolution kernelSize: odd
 */

/** The number of embeddings of distances in each direction. @param {Disentangled} settings */
const spanOf = ({ buckets, maxDistance }) => buckets || maxDistance

/**
 * The bucket of a distance: exact for small ones, then logarithmic.
 * @param {number} distance @param {Disentangled} settings
 */
function bucketOf(distance, { buckets, maxDistance }) {
  const half = Math.floor(buckets / 2), size = Math.abs(distance)
  if (!buckets || size <= half) return distance
  const { log, ceil } = Math
  return Math.sign(distance) * (ceil(log(size / half) / log((maxDistance - 1) / half) * (half - 1)) + half)
}

/**
 * The rows of the table of distances for all pairs of positions.
 * @param {number} T @param {Disentangled} settings @param {1 | -1} sign @returns {Int32Array} [T, T]
 */
function distanceRows(T, settings, sign) {
  const span = spanOf(settings), rows = new Int32Array(T * T)
  for (let i = 0; i < T; i++) for (let j = 0; j < T; j++) {
    rows[i * T + j] = Math.max(0, Math.min(2 * span - 1, sign * bucketOf(i - j, settings) + span))
  }
  return rows
}

/** Attention with disentangled positions. */
class DisentangledAttention extends Module {
  static inputNames = ['x', 'table']

  /** @param {Engine} engine @param {EncoderDescription} description @param {Disentangled} settings */
  constructor(engine, { channels: C, heads }, settings) {
    super(engine)
    const { isShared, hasC2P, hasP2C } = settings, project = () => new Linear(engine, C, C)
    this.query_proj = project()
    this.key_proj = project()
    this.value_proj = project()
    this.pos_key_proj = !isShared && hasC2P ? project() : null
    this.pos_query_proj = !isShared && hasP2C ? project() : null
    this.out_proj = project()
    this.numHeads = heads
    this.settings = settings
  }

  /**
   * @param {Tensor} x [B, T, C] @param {Tensor} table [2 span, C], the embeddings of distances
   * @param {{ attnMask?: Tensor, rows: { c2p: Tensor, p2c: Tensor } }} options rows: [1, 1, T, T] of the table
   * @returns {Tensor} [B, T, C]
   */
  forward(x, table, { attnMask, rows }) {
    const [B, T, C] = x.shape, { numHeads: heads, settings: { hasC2P, hasP2C } } = this, D = C / heads
    const split = (/** @type {Tensor} */ y, /** @type {number} */ batch) =>
      y.reshape(batch, -1, heads, D).transpose(1, 2)
    const scale = 1 / Math.sqrt(D * (1 + Number(hasC2P) + Number(hasP2C)))
    const [q, k, v] = [this.query_proj, this.key_proj, this.value_proj].map((layer, i) =>
      split(this.tag('qkv'[i], layer.forward(x)), B))
    const expand = (/** @type {Tensor} */ ids) => ids.expand(B, heads, T, T)
    let scores = matmul(q, k.transpose(2, 3))
    if (hasC2P) {
      const keys = split((this.pos_key_proj ?? this.key_proj).forward(table), 1)
      scores = add(scores, gather(matmul(q, keys.transpose(2, 3)), 3, expand(rows.c2p)))
    }
    if (hasP2C) {
      const queries = split((this.pos_query_proj ?? this.query_proj).forward(table), 1)
      scores = add(scores, gather(matmul(k, queries.transpose(2, 3)), 3, expand(rows.p2c)).transpose(2, 3))
    }
    const scaled = this.tag('scores', mul(scores, scale)), masked = attnMask ? add(scaled, attnMask) : scaled
    const out = matmul(this.tag('weights', softmax(masked, { dim: -1 })), v).transpose(1, 2).reshape(B, T, C)
    return this.out_proj.forward(this.tag('heads', out))
  }
}

/** A post-norm layer. */
class DisentangledLayer extends Module {
  static inputNames = ['x', 'table']

  /** @param {Engine} engine @param {EncoderDescription} description @param {Disentangled} settings */
  constructor(engine, description, settings) {
    super(engine)
    const { channels: C, feedForwardSize, eps, dropout, activation } = description
    this.self_attn = new DisentangledAttention(engine, description, settings)
    this.norm1 = new LayerNorm(engine, C, { eps })
    this.linear1 = new Linear(engine, C, feedForwardSize)
    this.linear2 = new Linear(engine, feedForwardSize, C)
    this.norm2 = new LayerNorm(engine, C, { eps })
    this.dropout = new Dropout(engine, dropout)
    this.activation = activation
  }

  /**
   * @param {Tensor} x @param {Tensor} table @param {Parameters<DisentangledAttention['forward']>[2]} options
   * @returns {Tensor}
   */
  forward(x, table, options) {
    const y = this.norm1.forward(add(x, this.dropout.forward(this.self_attn.forward(x, table, options))))
    const activated = this.tag('activation', this.activation(this.linear1.forward(y)))
    return this.norm2.forward(add(y, this.dropout.forward(this.linear2.forward(activated))))
  }
}

/** A convolution over the embeddings of neighboring tokens, which is added to what the first layer gives. */
class ConvLayer extends Module {
  static inputNames = ['embedded', 'x']

  /** @param {Engine} engine @param {EncoderDescription} description @param {Convolution} conv */
  constructor(engine, { channels: C, eps, dropout }, { kernelSize, groups, activation }) {
    super(engine)
    this.conv = new Conv1d(engine, C, C, kernelSize, { padding: (kernelSize - 1) / 2, groups })
    this.LayerNorm = new LayerNorm(engine, C, { eps })
    this.dropout = new Dropout(engine, dropout)
    this.activation = activation
  }

  /**
   * @param {Tensor} embedded [B, T, C] @param {Tensor} x [B, T, C] @param {AttentionMask | null} mask padding counts as
   *   zeros, like what is outside the text
   * @returns {Tensor} [B, T, C]
   */
  forward(embedded, x, mask) {
    const input = mask ? mul(embedded, tokenColumn(embedded, mask)) : embedded
    const out = this.dropout.forward(this.conv.forward(input.transpose(1, 2)).transpose(1, 2))
    return this.LayerNorm.forward(add(x, this.tag('activation', this.activation(out))))
  }
}

/** All layers, with the embeddings of distances that they share. */
export class DisentangledStack extends Module {
  static inputNames = ['x']
  static runsSubmodules = true

  /** @param {Engine} engine @param {EncoderDescription} description @param {Disentangled} settings */
  constructor(engine, description, settings) {
    super(engine)
    const { channels: C, layerCount, eps } = description
    this.rel_embeddings = new Embedding(engine, 2 * spanOf(settings), C)
    this.LayerNorm = settings.isNormed ? new LayerNorm(engine, C, { eps }) : null
    const createLayer = () => new DisentangledLayer(engine, description, settings)
    this.layer = new ModuleList(engine, buildArray(layerCount, createLayer))
    this.conv = settings.conv ? new ConvLayer(engine, description, settings.conv) : null
    this.settings = settings
  }

  /**
   * @param {Tensor} x @param {Tensor | undefined} attnMask @param {AttentionMask | null} mask the same by position
   * @returns {Tensor}
   */
  forward(x, attnMask, mask) {
    const { engine, settings, LayerNorm: norm, conv, rel_embeddings: { weight } } = this, T = x.shape[1]
    const distances = weight.dtype === 'float32' ? weight : to(weight, 'float32')
    const table = norm ? norm.forward(distances) : distances
    const rowsOf = (/** @type {1 | -1} */ sign) =>
      engine.freeWithTrace(tensor(engine, distanceRows(T, settings, sign), { shape: [1, 1, T, T] }))
    // Rows of p2c are keys, so the distance from query to key has the other sign.
    const options = { attnMask, rows: { c2p: rowsOf(1), p2c: rowsOf(-1) } }
    return runLayers(this.layer, x, (layer, y) => {
      const out = layer.forward(y, table, options)
      return conv && layer === this.layer.at(0) ? conv.forward(x, out, mask) : out
    })
  }
}

registerLibraryCode(DisentangledAttention, DisentangledLayer, ConvLayer, DisentangledStack)
