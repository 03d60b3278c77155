import { Embedding } from '../nn/embedding.js'
import { ModuleList } from '../nn/containers.js'
import { Module } from '../nn/module.js'
import { TransformerDecoderLayer, TransformerEncoderLayer } from '../nn/transformer.js'
import { add, mul } from '../ops/binary.js'
import { embedding } from '../ops/embedding.js'
import { linear } from '../ops/linear.js'
import { positionalEncoding } from '../ops/positional_encoding.js'
import { registerLibraryCode, runLayers } from '../intermediates.js'
import { ACTIVATIONS, UNSUPPORTED, checkDivides, readChoice, readNumber, refuseUnsupported, readDecoderStart, readBoolean, readInteger } from './config.js'
import { buildArray } from './model.js'
import { weightAndBias, stackedProjections, layerRows } from './plan.js'
import { Seq2Seq } from './seq2seq.js'

/** @typedef {import('../tensor.js').Tensor} Tensor */
/** @typedef {import('../ops/attention_cache.js').Cache} Cache */
/** @typedef {ReturnType<typeof readSettings>} Settings */

/** @param {import('./config.js').Config} config */
function readSettings(config) {
  refuseUnsupported(config, {
    ...UNSUPPORTED, normalize_before: [false], normalize_embedding: [false], add_final_layer_norm: [false],
    static_position_embeddings: [true], tie_word_embeddings: [true]
  })
  const channels = readInteger(config, 'd_model', 1024), vocabSize = readInteger(config, 'vocab_size', 58101)
  const readStack = (/** @type {string} */ name) => {
    const heads = readInteger(config, `${name}_attention_heads`, 16)
    checkDivides('d_model', channels, `${name}_attention_heads`, heads)
    return { heads, layers: readInteger(config, `${name}_layers`, 12), feedForwardSize: readInteger(config, `${name}_ffn_dim`, 4096) }
  }
  const isShared = readBoolean(config, 'share_encoder_decoder_embeddings', true)
  const decoderVocabSize = isShared ? vocabSize : readInteger(config, 'decoder_vocab_size', vocabSize)
  return {
    channels, vocabSize, isShared, decoderVocabSize,
    encoder: readStack('encoder'),
    decoder: readStack('decoder'),
    maxPositions: readInteger(config, 'max_position_embeddings', 1024),
    activation: readChoice(config, 'activation_function', ACTIVATIONS, 'gelu'),
    dropout: readNumber(config, 'dropout', 0.1),
    scale: readBoolean(config, 'scale_embedding', false) ? Math.sqrt(channels) : 1,
    decoderStartTokenId: readDecoderStart(config, 58100, decoderVocabSize)
  }
}

/** A stack of layers with the embeddings of its tokens and positions. */
class StackWithEmbedding extends Module {
  /**
   * @param {import('../engine.js').Engine} engine @param {Embedding} embedding @param {readonly Module[]} layers
   * @param {Settings} settings
   */
  constructor(engine, embedding, layers, { maxPositions, channels, scale }) {
    super(engine)
    this.embed_tokens = embedding
    this.layers = new ModuleList(engine, layers)
    this.scale = scale
    // The table is computed, not read from the file, so it is not a parameter and not in the state dict.
    const options = /** @type {const} */ ({ layout: 'concatenated', method: 'direct' })
    this.sinusoids = engine.keep(positionalEncoding(engine, maxPositions, channels, options))
  }

  /** @param {Tensor} ids @param {Tensor} positionIds @returns {Tensor} */
  embed(ids, positionIds) {
    const embedded = this.embed_tokens.forward(ids)
    return this.tag('sum', add(this.scale === 1 ? embedded : mul(embedded, this.scale), embedding(positionIds, this.sinusoids)))
  }

  dispose() {
    super.dispose()
    this.sinusoids.dispose()
  }
}

class Encoder extends StackWithEmbedding {
  static hasSubmodules = true
  static inputNames = ['ids', 'positionIds', 'srcMask']

  /** @param {Tensor} ids @param {Tensor} positionIds @param {Tensor | undefined} srcMask @returns {Tensor} */
  forward(ids, positionIds, srcMask) {
    return runLayers(this.layers, this.embed(ids, positionIds), (layer, x) => layer.forward(x, { srcMask }))
  }
}

class Decoder extends StackWithEmbedding {
  static hasSubmodules = true
  static inputNames = ['ids', 'positionIds', 'memory']

  /**
   * @param {Tensor} ids @param {Tensor} positionIds @param {Tensor} memory
   * @param {{ keyPaddingMask?: any, cache?: Cache | null }} options
   * @returns {Tensor}
   */
  forward(ids, positionIds, memory, { keyPaddingMask, cache }) {
    const options = { tgtIsCausal: true, memoryKeyPaddingMask: keyPaddingMask, cache: cache ?? undefined }
    return runLayers(this.layers, this.embed(ids, positionIds), (layer, x) => layer.forward(x, memory, options))
  }
}

/** Marian (Junczys-Dowmunt et al. 2018), as in the opus-mt translators: a post-norm transformer without final norms. */
export class Marian extends Seq2Seq {
  static hasSubmodules = true

  /** @param {import('../engine.js').Engine} engine @param {Settings} settings */
  constructor(engine, settings) {
    super(engine)
    const { channels: C, encoder, decoder, activation, dropout } = settings
    const source = new Embedding(engine, settings.vocabSize, C)
    const target = settings.isShared ? source : new Embedding(engine, settings.decoderVocabSize, C)
    this.encoder = new Encoder(engine, source, buildArray(encoder.layers, () => new TransformerEncoderLayer(engine, C,
      encoder.heads, { dimFeedforward: encoder.feedForwardSize, dropout, activation })), settings)
    this.decoder = new Decoder(engine, target, buildArray(decoder.layers, () => new TransformerDecoderLayer(engine, C,
      decoder.heads, { dimFeedforward: decoder.feedForwardSize, dropout, activation })), settings)
    this.final_logits_bias = this.parameter(settings.decoderVocabSize)
    this.final_logits_bias.values.fill(0)
    this.decoderStartTokenId = settings.decoderStartTokenId
    this.maxPositions = settings.maxPositions
  }

  /** @param {Tensor} ids @param {import('./model.js').AttentionMask | null} mask @returns {Tensor} */
  encode(ids, mask) {
    this.checkLength(ids.shape[1], this.maxPositions)
    return this.encoder.forward(ids, this.positionIds(ids.shape, null), this.paddingMask(mask))
  }

  /** @param {Tensor} ids @param {Tensor} memory @param {{ keyPaddingMask?: any, cache?: Cache | null }} options */
  decode(ids, memory, options) {
    const past = options.cache?.length ?? 0
    this.checkLength(past + ids.shape[1], this.maxPositions)
    const hidden = this.decoder.forward(ids, this.positionIds(ids.shape, null, past), memory, options)
    return { logits: linear(hidden, this.decoder.embed_tokens.weight, this.final_logits_bias), hidden }
  }

  dispose() {
    super.dispose()
    this.encoder.dispose()
    this.decoder.dispose()
  }
}

registerLibraryCode(Encoder, Decoder, Marian)

/**
 * The projections of an attention module: chunks of one tensor here, three tensors in the file.
 * @param {string} key @param {string} target
 */
const attentionTable = (key, target) => ({
  ...stackedProjections(['q', 'k', 'v'], name => `${key}.${name}_proj`, `${target}.in_proj`),
  ...weightAndBias(`${key}.out_proj`, `${target}.out_proj`)
})
const ENCODER = {
  ...attentionTable('self_attn', 'self_attn'), ...weightAndBias('self_attn_layer_norm', 'norm1'),
  ...weightAndBias('fc1', 'linear1'), ...weightAndBias('fc2', 'linear2'), ...weightAndBias('final_layer_norm', 'norm2')
}
const DECODER = {
  ...ENCODER, ...attentionTable('encoder_attn', 'multihead_attn'), ...weightAndBias('encoder_attn_layer_norm', 'norm2'),
  ...weightAndBias('final_layer_norm', 'norm3')
}

/**
 * Whether the files make a tokenizer: tokenizer.json, or vocab.json with source.spm. The ids are those of vocab.json,
 * not of the .spm. A separate target vocabulary (target_vocab.json) would need a second tokenizer.
 * @param {Record<string, string | Uint8Array>} files
 */
function isTokenizer(files) {
  if ('tokenizer.json' in files) return true
  if (!('vocab.json' in files && 'source.spm' in files) || 'target_vocab.json' in files) return false
  const content = files['vocab.json'], text = typeof content === 'string' ? content : new TextDecoder().decode(content)
  return ['"<unk>"', '"</s>"'].every(name => text.includes(name))
}

/** @type {import('./index.js').Family<Settings>} */
export const marian = {
  type: 'marian',
  prefixes: ['model.'],
  /** Sinusoids, and the head, which is tied to the decoder's token embedding. */
  ignored: [/embed_positions\.weight$/, /^lm_head\.weight$/],
  isTokenizer,
  Model: Marian,
  readSettings,
  toHuggingFace: settings => ({
    settings,
    config: { architectures: ['MarianMTModel'], decoder_start_token_id: settings.decoderStartTokenId },
    toKey: key => (key === 'final_logits_bias' ? key : `model.${key}`)
  }),
  rows: ({ encoder, decoder, isShared }) => [
    ...(isShared
      ? [{
          key: 'shared.weight', target: 'encoder.embed_tokens.weight',
          aliases: ['encoder.embed_tokens.weight', 'decoder.embed_tokens.weight', 'lm_head.weight']
        }]
      : ['encoder.embed_tokens.weight', 'decoder.embed_tokens.weight'].map(key => ({ key, target: key }))),
    ...layerRows(encoder.layers, 'encoder.layers.{n}.', 'encoder.layers.{n}.', ENCODER),
    ...layerRows(decoder.layers, 'decoder.layers.{n}.', 'decoder.layers.{n}.', DECODER),
    { key: 'final_logits_bias', target: 'final_logits_bias', isOptional: true, isRowVector: true }
  ]
}
