import { Embedding } from '../nn/embedding.js'
import { LayerNorm } from '../nn/layer_norm.js'
import { Linear } from '../nn/linear.js'
import { ModuleList } from '../nn/containers.js'
import { Module } from '../nn/module.js'
import { TransformerDecoderLayer, TransformerEncoderLayer } from '../nn/transformer.js'
import { add, mul } from '../ops/binary.js'
import { embedding } from '../ops/embedding.js'
import { linear } from '../ops/linear.js'
import { positionalEncoding } from '../ops/positional_encoding.js'
import { tensor } from '../from_values.js'
import { registerLibraryCode, runLayers } from '../intermediates.js'
import { Head, applyHead } from './heads.js'
import { buildArray } from './model.js'
import { Seq2Seq } from './seq2seq.js'

/**
 * An encoder-decoder of torch.nn.Transformer's layers, built from a description: Marian, BART, mBART, M2M100 (NLLB) and
 * Pegasus. Names of modules are those of Hugging Face's BART.
 *
 * @typedef {import('../tensor.js').Tensor} Tensor
 * @typedef {import('../engine.js').Engine} Engine
 * @typedef {import('../ops/attention_cache.js').Cache} Cache
 *
 * @typedef {object} BartDescription
 * @property {string} name of the family's class, for messages
 * @property {number} vocabSize @property {number} decoderVocabSize @property {number} channels
 * @property {number} maxPositions
 * @property {boolean} isShared whether encoder and decoder have the same token embeddings
 * @property {{ heads: number, layers: number, feedForwardSize: number }} encoder
 * @property {{ heads: number, layers: number, feedForwardSize: number }} decoder
 * @property {(x: Tensor) => Tensor} activation
 * @property {number} dropout
 * @property {number} scale factor of the token embeddings
 * @property {Positions} positions
 * @property {boolean} isPreNorm whether norms come before attention and feed-forward networks, and after all layers
 * @property {boolean} hasEmbeddingNorm
 * @property {boolean} hasLogitBias
 * @property {boolean} isTied whether the head is the decoder's token embedding
 * @property {number} decoderStartTokenId
 * @property {import('./heads.js').HeadDescription | null} [head]
 *
 * Positions: 'learned' tables have two rows before position 0; 'sinusoidal' ones are computed; 'fairseq' ones, too,
 * and do not count tokens of padding.
 * @typedef {{ kind: 'learned' } | { kind: 'sinusoidal' } | { kind: 'fairseq', paddingId: number }} Positions
 */

/** The first rows of a learned table that no position uses. */
const OFFSET = 2

/**
 * M2M100's table: sines, then cosines, of frequencies from 1 to exactly 1/10000; the row of padding is 0.
 * @param {Engine} engine @param {number} rows @param {number} channels @param {number} paddingId @returns {Tensor}
 */
function fairseqTable(engine, rows, channels, paddingId) {
  const half = channels / 2, step = Math.log(10000) / (half - 1), out = engine.empty([rows, channels]), { values } = out
  engine.tidy(() => {
    const frequencies = tensor(engine, Array.from({ length: half }, (_, i) => Math.exp(Math.fround(-i * step))))
    const positions = tensor(engine, Int32Array.from({ length: rows }, (_, i) => i))
    const [cos, sin] = [0, 1].map(() => engine.empty([rows, half]))
    engine.c.gf_rotary_table(cos.dataPtr(), sin.dataPtr(), positions.dataPtr(), frequencies.dataPtr(), rows, half)
    for (let row = 0; row < rows; row++) if (row !== paddingId) {
      values.set(sin.values.subarray(row * half, (row + 1) * half), row * channels)
      values.set(cos.values.subarray(row * half, (row + 1) * half), row * channels + half)
    } else values.fill(0, row * channels, (row + 1) * channels)
  })
  return out
}

/** A stack of layers with the embeddings of its tokens and positions. */
class Stack extends Module {
  /** A computed table of positions, which is no parameter and not in the state dict. @type {Tensor | null} */
  sinusoids = null

  /**
   * @param {Engine} engine @param {Embedding} tokens @param {readonly Module[]} layers
   * @param {BartDescription} description
   */
  constructor(engine, tokens, layers, { maxPositions, channels, scale, positions, hasEmbeddingNorm, isPreNorm }) {
    super(engine)
    this.embed_tokens = tokens
    this.embed_positions = positions.kind === 'learned' ? new Embedding(engine, maxPositions + OFFSET, channels) : null
    this.layernorm_embedding = hasEmbeddingNorm ? new LayerNorm(engine, channels) : null
    this.layers = new ModuleList(engine, layers)
    this.layer_norm = isPreNorm ? new LayerNorm(engine, channels) : null
    this.scale = scale
    if (positions.kind === 'sinusoidal') {
      this.sinusoids = engine.keep(positionalEncoding(engine, maxPositions, channels, { layout: 'concatenated', method: 'direct' }))
    } else if (positions.kind === 'fairseq') {
      this.sinusoids = engine.keep(fairseqTable(engine, maxPositions + OFFSET, channels, positions.paddingId))
    }
  }

  /** @param {Tensor} ids @param {Tensor} positionIds @returns {Tensor} */
  embed(ids, positionIds) {
    const embedded = this.embed_tokens.forward(ids), scaled = this.scale === 1 ? embedded : mul(embedded, this.scale)
    const positions = this.embed_positions ? this.embed_positions.forward(add(positionIds, OFFSET))
      : embedding(positionIds, /** @type {Tensor} */ (this.sinusoids))
    const sum = this.tag('sum', add(scaled, positions))
    return this.layernorm_embedding ? this.layernorm_embedding.forward(sum) : sum
  }

  /** @param {Tensor} x @returns {Tensor} */
  normalize(x) {
    return this.layer_norm ? this.layer_norm.forward(x) : x
  }

  dispose() {
    super.dispose()
    this.sinusoids?.dispose()
  }
}

class Encoder extends Stack {
  static hasSubmodules = true
  static inputNames = ['ids', 'positionIds', 'srcMask']

  /** @param {Tensor} ids @param {Tensor} positionIds @param {Tensor | undefined} srcMask @returns {Tensor} */
  forward(ids, positionIds, srcMask) {
    const embedded = this.embed(ids, positionIds)
    return this.normalize(runLayers(this.layers, embedded, (layer, x) => layer.forward(x, { srcMask })))
  }
}

class Decoder extends Stack {
  static hasSubmodules = true
  static inputNames = ['ids', 'positionIds', 'memory']

  /**
   * @param {Tensor} ids @param {Tensor} positionIds @param {Tensor} memory
   * @param {{ keyPaddingMask?: any, cache?: Cache | null }} options
   * @returns {Tensor}
   */
  forward(ids, positionIds, memory, { keyPaddingMask, cache }) {
    const options = { tgtIsCausal: true, memoryKeyPaddingMask: keyPaddingMask, cache: cache ?? undefined }
    const embedded = this.embed(ids, positionIds)
    return this.normalize(runLayers(this.layers, embedded, (layer, x) => layer.forward(x, memory, options)))
  }
}

/** An encoder-decoder model. */
export class BartModel extends Seq2Seq {
  static hasSubmodules = true

  /** @param {Engine} engine @param {BartDescription} description */
  constructor(engine, description) {
    super(engine)
    const { channels: C, encoder, decoder, activation, dropout, isPreNorm: normFirst, head = null } = description
    this.description = description
    const source = new Embedding(engine, description.vocabSize, C)
    const target = description.isShared ? source : new Embedding(engine, description.decoderVocabSize, C)
    this.encoder = new Encoder(engine, source, buildArray(encoder.layers, () => new TransformerEncoderLayer(engine, C,
      encoder.heads, { dimFeedforward: encoder.feedForwardSize, dropout, activation, normFirst })), description)
    this.decoder = new Decoder(engine, target, buildArray(decoder.layers, () => new TransformerDecoderLayer(engine, C,
      decoder.heads, { dimFeedforward: decoder.feedForwardSize, dropout, activation, normFirst })), description)
    this.lm_head = description.isTied || head ? null
      : new Linear(engine, C, description.decoderVocabSize, { bias: false })
    this.final_logits_bias = description.hasLogitBias && !head ? this.parameter(description.decoderVocabSize) : null
    this.final_logits_bias?.values.fill(0)
    this.head = head ? new Head(engine, C, head) : null
    this.decoderStartTokenId = description.decoderStartTokenId
    this.maxPositions = description.maxPositions
  }

  /** The name of the family's class, for messages. @internal */
  get where() {
    return this.description.name
  }

  /**
   * The rows of the table of positions.
   * @param {Tensor} ids @param {number} [past] tokens in the cache @returns {Tensor} @internal
   */
  tablePositions(ids, past = 0) {
    const { positions } = this.description
    if (positions.kind !== 'fairseq') return this.positionIds(ids.shape, null, past)
    const rows = this.positionsWithoutPadding(ids, positions.paddingId)
    return past ? add(rows, past) : rows
  }

  /** @param {Tensor} ids @param {import('./model.js').AttentionMask | null} mask @returns {Tensor} */
  encode(ids, mask) {
    this.checkLength(ids.shape[1], this.maxPositions)
    return this.encoder.forward(ids, this.tablePositions(ids), this.paddingMask(mask))
  }

  /**
   * @param {Tensor} ids @param {Tensor} memory @param {import('./seq2seq.js').DecodeOptions} options
   * @returns {{ logits?: Tensor, hidden: Tensor, startLogits?: Tensor, endLogits?: Tensor }}
   */
  decode(ids, memory, options) {
    const past = options.cache?.length ?? 0
    this.checkLength(past + ids.shape[1], this.maxPositions)
    const hidden = this.decoder.forward(ids, this.tablePositions(ids, past), memory, options)
    if (this.head) return { hidden, ...applyHead(this.head, hidden, options.source ?? ids) }
    if (this.lm_head) return { logits: this.lm_head.forward(hidden), hidden }
    return { logits: linear(hidden, this.decoder.embed_tokens.weight, this.final_logits_bias), hidden }
  }

  dispose() {
    super.dispose()
    this.encoder.dispose()
    this.decoder.dispose()
  }
}

registerLibraryCode(Encoder, Decoder, BartModel)
