import { Embedding } from '../nn/embedding.js'
import { LayerNorm } from '../nn/layer_norm.js'
import { Linear } from '../nn/linear.js'
import { ModuleList } from '../nn/containers.js'
import { Module } from '../nn/module.js'
import { TransformerDecoderLayer, TransformerEncoderLayer } from '../nn/transformer.js'
import { add, mul } from '../ops/binary.js'
import { embedding } from '../ops/embedding.js'
import { cat } from '../ops/join.js'
import { linear } from '../ops/linear.js'
import { positionalEncoding } from '../ops/positional_encoding.js'
import { registerLibraryCode, runLayers } from '../trace/intermediates.js'
import { headAxes, lmHeadAxes, tableAxes, tokenAxes, vocabularyAxes } from './axes.js'
import { Head, applyHead } from './heads.js'
import { buildArray } from './model.js'
import { Seq2Seq } from './seq2seq.js'

/**
 * An encoder-decoder of torch.nn.Transformer's layers, built from a description: Marian, BART, mBART, M2M100 (NLLB) and
 * Pegasus. Names of modules are those of Hugging Face's BART.
 *
 * @typedef {import('../tensor/tensor.js').Tensor} Tensor
 * @typedef {import('../engine/engine.js').Engine} Engine
 * @typedef {import('../ops/attention_cache.js').Cache} Cache
 *
 * @typedef {object} BartDescription
 * @property {string} name of the family's class, for messages
 * @property {number} vocabSize @property {number} decoderVocabSize
 * @property {number} channels @property {number} maxPositions
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
 * Positions: 'learned' tables have two rows before position 0; 'sinusoidal' ones are computed; 'fairseq' ones, too, and
 * do not count tokens of padding.
 * @typedef {{ kind: 'learned' } | { kind: 'sinusoidal' } | { kind: 'fairseq', paddingId: number }} Positions
 */

/** The first rows of a learned table that no position uses. */
const OFFSET = 2

/**
 * M2M100's table: sines, then cosines, of frequencies from 1 to exactly 1/10000; the row of padding is 0.
 * @param {Engine} engine @param {number} rows @param {number} channels @param {number} paddingId @returns {Tensor}
 */
function fairseqTable(engine, rows, channels, paddingId) {
  const half = channels / 2, step = Math.log(10000) / (half - 1)
  return engine.tidy(() => {
    // Cell by cell, which does nothing on the engine without memory.
    const frequencies = engine.empty([half]), positions = engine.empty([rows], 'int32')
    for (let i = 0; i < half; i++) frequencies.values[i] = Math.exp(Math.fround(-i * step))
    for (let row = 0; row < rows; row++) positions.values[row] = row
    const [cos, sin] = [0, 1].map(() => engine.empty([rows, half]))
    engine.c.gf_rotary_table(cos.dataPtr(), sin.dataPtr(), positions.dataPtr(), frequencies.dataPtr(), rows, half)
    const table = cat([sin, cos], { dim: 1 })
    table.values.fill(0, paddingId * channels, (paddingId + 1) * channels)
    return table
  })
}

/** A stack of layers with the embeddings of its tokens and positions. */
class BartStack extends Module {
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
      this.sinusoids = engine.keep(positionalEncoding(engine, maxPositions, channels, {
        layout: 'concatenated', method: 'direct'
      }))
    } else if (positions.kind === 'fairseq') {
      const { paddingId } = positions
      this.sinusoids = engine.keep(fairseqTable(engine, maxPositions + paddingId + 1, channels, paddingId))
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

class BartEncoder extends BartStack {
  static runsSubmodules = true
  static inputNames = ['ids', 'positionIds', 'srcMask']

  /** @param {Tensor} ids @param {Tensor} positionIds @param {Tensor | undefined} srcMask @returns {Tensor} */
  forward(ids, positionIds, srcMask) {
    const x = this.embed(ids, positionIds)
    return this.normalize(runLayers(this.layers, x, (layer, y) => layer.forward(y, { srcMask })))
  }
}

class BartDecoder extends BartStack {
  static runsSubmodules = true
  static inputNames = ['ids', 'positionIds', 'memory']

  /**
   * @param {Tensor} ids @param {Tensor} positionIds @param {Tensor} memory
   * @param {{ keyPaddingMask?: any, cache?: Cache | null }} options
   * @returns {Tensor}
   */
  forward(ids, positionIds, memory, { keyPaddingMask, cache }) {
    const options = { tgtIsCausal: true, memoryKeyPaddingMask: keyPaddingMask, cache: cache ?? undefined }
    const x = this.embed(ids, positionIds)
    return this.normalize(runLayers(this.layers, x, (layer, y) => layer.forward(y, memory, options)))
  }
}

/** An encoder-decoder model. */
export class BartModel extends Seq2Seq {
  static runsSubmodules = true

  /** @param {Engine} engine @param {BartDescription} description */
  constructor(engine, description) {
    super(engine)
    const { channels: C, encoder, decoder, activation, dropout, isPreNorm: normFirst, head = null } = description
    this.description = description
    const source = new Embedding(engine, description.vocabSize, C)
    const target = description.isShared ? source : new Embedding(engine, description.decoderVocabSize, C)
    const encoderLayer = () => new TransformerEncoderLayer(engine, C, encoder.heads,
      { dimFeedforward: encoder.feedForwardSize, dropout, activation, normFirst })
    const decoderLayer = () => new TransformerDecoderLayer(engine, C, decoder.heads,
      { dimFeedforward: decoder.feedForwardSize, dropout, activation, normFirst })
    this.encoder = new BartEncoder(engine, source, buildArray(encoder.layers, encoderLayer), description)
    this.decoder = new BartDecoder(engine, target, buildArray(decoder.layers, decoderLayer), description)
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
   * @param {{ ids: string, decoderIds: string }} streams names of the streams that are read
   * @returns {Record<string, import('../trace/axes.js').Axis[]>} @internal
   */
  axes({ ids: source, decoderIds: target }) {
    const sides = Object.entries({ encoder: source, decoder: target }).flatMap(([side, of]) => [
      ...['embedding', 'embed_positions'].map(name => [`${side}.${name}.weight`, tableAxes('position')]),
      ...['embedding', 'embed_positions.output', 'layernorm_embedding.output', 'embed_tokens.output'].map(name =>
        [`${side}.${name}`, tokenAxes(of)])
    ])
    const { isShared } = this.description
    return {
      ...Object.fromEntries(sides), 'encoder.embed_tokens.weight': vocabularyAxes(source),
      ...(!isShared && { 'decoder.embed_tokens.weight': vocabularyAxes(target) }),
      ...(isShared && { 'encoder.embed_tokens.output:2': tokenAxes(target) }),
      ...lmHeadAxes(target), ...headAxes(this.head, target)
    }
  }

  /** @returns {Record<string, Tensor>} @internal */
  get computedTables() {
    const { encoder: { sinusoids: source }, decoder: { sinusoids: target } } = this
    return source && target ? { 'encoder.embedding.weight': source, 'decoder.embedding.weight': target } : {}
  }

  /**
   * The rows of the table of positions.
   * @param {Tensor} ids @param {number} [past] tokens in the cache @returns {Tensor} @internal
   */
  tablePositions(ids, past = 0) {
    const { positions } = this.description
    if (positions.kind !== 'fairseq') return this.positionIds(ids.shape, null, past)
    return this.positionsWithoutPadding(ids, positions.paddingId, past)
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
    const { lm_head: projection, final_logits_bias: bias } = this
    if (!projection) return { logits: linear(hidden, this.decoder.embed_tokens.weight, bias), hidden }
    const logits = projection.forward(hidden)
    return { logits: bias ? add(logits, bias) : logits, hidden }
  }

  dispose() {
    super.dispose()
    this.encoder.dispose()
    this.decoder.dispose()
  }
}

registerLibraryCode(BartEncoder, BartDecoder, BartModel)
