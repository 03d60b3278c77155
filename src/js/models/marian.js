import { Embedding } from '../nn/embedding.js'
import { ModuleList } from '../nn/containers.js'
import { Module } from '../nn/module.js'
import { TransformerDecoderLayer, TransformerEncoderLayer } from '../nn/transformer.js'
import { add, mul } from '../ops/binary.js'
import { embedding } from '../ops/embedding.js'
import { linear } from '../ops/linear.js'
import { positionalEncoding } from '../ops/positional_encoding.js'
import { registerLibraryCode, runLayers } from '../intermediates.js'
import { ACTIVATIONS, NEVER, expectDivides, meaning, real, refuseOthers, startOf, truth, whole } from './config.js'
import { times } from './model.js'
import { both, joined, layerRows } from './plan.js'
import { Seq2Seq } from './seq2seq.js'

/** @typedef {import('../tensor.js').Tensor} Tensor */
/** @typedef {import('../ops/attention_cache.js').Cache} Cache */
/** @typedef {ReturnType<typeof settings>} Settings */

/** @param {import('./config.js').Config} config */
function settings(config) {
  refuseOthers(config, {
    ...NEVER, normalize_before: [false], normalize_embedding: [false], add_final_layer_norm: [false],
    static_position_embeddings: [true], tie_word_embeddings: [true]
  })
  const channels = whole(config, 'd_model', 1024), words = whole(config, 'vocab_size', 58101)
  const side = (/** @type {string} */ name) => {
    const heads = whole(config, `${name}_attention_heads`, 16)
    expectDivides('d_model', channels, `${name}_attention_heads`, heads)
    return { heads, layers: whole(config, `${name}_layers`, 12), inner: whole(config, `${name}_ffn_dim`, 4096) }
  }
  const isShared = truth(config, 'share_encoder_decoder_embeddings', true)
  const answers = isShared ? words : whole(config, 'decoder_vocab_size', words)
  return {
    channels, words, isShared, answers,
    encoder: side('encoder'),
    decoder: side('decoder'),
    positions: whole(config, 'max_position_embeddings', 1024),
    activation: meaning(config, 'activation_function', ACTIVATIONS, 'gelu'),
    dropout: real(config, 'dropout', 0.1),
    scale: truth(config, 'scale_embedding', false) ? Math.sqrt(channels) : 1,
    start: startOf(config, 58100, answers)
  }
}

/** Layers with the words they read. */
class Side extends Module {
  /**
   * @param {import('../engine.js').Engine} engine @param {Embedding} words @param {readonly Module[]} layers
   * @param {Settings} given
   */
  constructor(engine, words, layers, { positions, channels, scale }) {
    super(engine)
    this.embed_tokens = words
    this.layers = new ModuleList(engine, layers)
    this.scale = scale
    /** Known to both sides of a file, so it is no part of one. */
    const form = /** @type {const} */ ({ layout: 'concatenated', method: 'direct' })
    this.sinusoids = engine.keep(positionalEncoding(engine, positions, channels, form))
  }

  /** @param {Tensor} ids @param {Tensor} places @returns {Tensor} */
  embed(ids, places) {
    const words = this.embed_tokens.forward(ids)
    return this.tag('sum', add(this.scale === 1 ? words : mul(words, this.scale), embedding(places, this.sinusoids)))
  }

  dispose() {
    super.dispose()
    this.sinusoids.dispose()
  }
}

class Encoder extends Side {
  static hasSubmodules = true
  static inputNames = ['ids', 'places', 'srcMask']

  /** @param {Tensor} ids @param {Tensor} places @param {Tensor | undefined} srcMask @returns {Tensor} */
  forward(ids, places, srcMask) {
    return runLayers(this.layers, this.embed(ids, places), (layer, x) => layer.forward(x, { srcMask }))
  }
}

class Decoder extends Side {
  static hasSubmodules = true
  static inputNames = ['ids', 'places', 'memory']

  /**
   * @param {Tensor} ids @param {Tensor} places @param {Tensor} memory
   * @param {{ keyPaddingMask?: any, cache?: Cache | null }} options
   * @returns {Tensor}
   */
  forward(ids, places, memory, { keyPaddingMask, cache }) {
    const options = { tgtIsCausal: true, memoryKeyPaddingMask: keyPaddingMask, cache: cache ?? undefined }
    return runLayers(this.layers, this.embed(ids, places), (layer, x) => layer.forward(x, memory, options))
  }
}

/** Marian (Junczys-Dowmunt et al. 2018), as in the translators called opus-mt: a transformer without final norms. */
export class Marian extends Seq2Seq {
  static hasSubmodules = true

  /** @param {import('../engine.js').Engine} engine @param {Settings} given */
  constructor(engine, given) {
    super(engine)
    const { channels: C, encoder, decoder, activation, dropout } = given
    const source = new Embedding(engine, given.words, C)
    const target = given.isShared ? source : new Embedding(engine, given.answers, C)
    this.encoder = new Encoder(engine, source, times(encoder.layers, () => new TransformerEncoderLayer(engine, C,
      encoder.heads, { dimFeedforward: encoder.inner, dropout, activation })), given)
    this.decoder = new Decoder(engine, target, times(decoder.layers, () => new TransformerDecoderLayer(engine, C,
      decoder.heads, { dimFeedforward: decoder.inner, dropout, activation })), given)
    this.final_logits_bias = this.parameter(given.answers)
    this.final_logits_bias.values.fill(0)
    this.start = given.start
    this.positions = given.positions
  }

  /** @param {Tensor} ids @param {import('./model.js').Kept | null} kept @returns {Tensor} */
  read(ids, kept) {
    this.expectPlaces(ids.shape[1], this.positions)
    return this.encoder.forward(ids, this.places(ids.shape, null), this.paddingMask(kept))
  }

  /** @param {Tensor} ids @param {Tensor} memory @param {{ keyPaddingMask?: any, cache?: Cache | null }} options */
  answer(ids, memory, options) {
    const past = options.cache?.length ?? 0
    this.expectPlaces(past + ids.shape[1], this.positions)
    const hidden = this.decoder.forward(ids, this.places(ids.shape, null, past), memory, options)
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
 * The projections of an attention: three blocks of rows here, three tensors there.
 * @param {string} key @param {string} own
 */
const attentionTable = (key, own) => ({
  ...joined(['q', 'k', 'v'], name => `${key}.${name}_proj`, `${own}.in_proj`),
  ...both(`${key}.out_proj`, `${own}.out_proj`)
})
const ENCODER = {
  ...attentionTable('self_attn', 'self_attn'), ...both('self_attn_layer_norm', 'norm1'),
  ...both('fc1', 'linear1'), ...both('fc2', 'linear2'), ...both('final_layer_norm', 'norm2')
}
const DECODER = {
  ...ENCODER, ...attentionTable('encoder_attn', 'multihead_attn'), ...both('encoder_attn_layer_norm', 'norm2'),
  ...both('final_layer_norm', 'norm3')
}

/**
 * tokenizer.json, or vocab.json with source.spm: the ids are those of vocab.json, not of the .spm. With a vocabulary of
 * its own for answers (target_vocab.json) one tokenizer is not enough.
 * @param {Record<string, string | Uint8Array>} files
 */
function isTokenizer(files) {
  if ('tokenizer.json' in files) return true
  if (!('vocab.json' in files && 'source.spm' in files) || 'target_vocab.json' in files) return false
  const content = files['vocab.json'], text = typeof content === 'string' ? content : new TextDecoder().decode(content)
  return ['"<unk>"', '"</s>"'].every(name => text.includes(name))
}

/** @type {import('./index.js').Kind<Settings>} */
export const marian = {
  type: 'marian',
  prefixes: ['model.'],
  /** Sinusoids, and the head, which is the word table of the answers. */
  skipped: [/embed_positions\.weight$/, /^lm_head\.weight$/],
  isTokenizer,
  Model: Marian,
  settings,
  written: given => ({
    settings: given,
    config: { architectures: ['MarianMTModel'], decoder_start_token_id: given.start },
    keyOf: key => (key === 'final_logits_bias' ? key : `model.${key}`)
  }),
  rows: ({ encoder, decoder, isShared }) => [
    ...(isShared
      ? [{
          key: 'shared.weight', own: 'encoder.embed_tokens.weight',
          others: ['encoder.embed_tokens.weight', 'decoder.embed_tokens.weight', 'lm_head.weight']
        }]
      : ['encoder.embed_tokens.weight', 'decoder.embed_tokens.weight'].map(key => ({ key, own: key }))),
    ...layerRows(encoder.layers, 'encoder.layers.{n}.', 'encoder.layers.{n}.', ENCODER),
    ...layerRows(decoder.layers, 'decoder.layers.{n}.', 'decoder.layers.{n}.', DECODER),
    { key: 'final_logits_bias', own: 'final_logits_bias', isOptional: true, isRow: true }
  ]
}
