import { expect, optionsOf, shapeText } from '../errors.js'
import { Dropout } from '../nn/dropout.js'
import { Embedding } from '../nn/embedding.js'
import { LayerNorm } from '../nn/layer_norm.js'
import { Linear } from '../nn/linear.js'
import { ModuleList } from '../nn/containers.js'
import { Module } from '../nn/module.js'
import { TransformerEncoderLayer } from '../nn/transformer.js'
import { add } from '../ops/binary.js'
import { linear } from '../ops/linear.js'
import { narrow } from '../ops/narrow.js'
import { unaryFunctions } from '../ops/unary.js'
import { registerLibraryCode, runLayers } from '../intermediates.js'
import { ACTIVATIONS, NEVER, expectDivides, meaning, real, refuseOthers, whole } from './config.js'
import { LanguageModel, times } from './model.js'
import { both, joined, layerRows } from './plan.js'

/** @typedef {import('../tensor.js').Tensor} Tensor */
/** @typedef {ReturnType<typeof settings>} Settings */

const MASKED_WORDS = 'cls.predictions.transform.dense.weight', POOLER = 'pooler.dense.weight'

/**
 * @param {import('./config.js').Config} config
 * @param {(key: string) => readonly number[] | undefined} shapeOf a tensor of the file
 */
function settings(config, shapeOf) {
  refuseOthers(config, {
    ...NEVER, position_embedding_type: ['absolute'], is_decoder: [false], add_cross_attention: [false],
    embedding_size: [config.hidden_size], tie_word_embeddings: [true]
  })
  const channels = whole(config, 'hidden_size', 768), heads = whole(config, 'num_attention_heads', 12)
  expectDivides('hidden_size', channels, 'num_attention_heads', heads)
  return {
    channels, heads,
    layers: whole(config, 'num_hidden_layers', 12),
    inner: whole(config, 'intermediate_size', 3072),
    words: whole(config, 'vocab_size', 30522),
    positions: whole(config, 'max_position_embeddings', 512),
    types: whole(config, 'type_vocab_size', 2),
    activation: meaning(config, 'hidden_act', ACTIVATIONS, 'gelu'),
    eps: real(config, 'layer_norm_eps', 1e-12),
    dropout: real(config, 'hidden_dropout_prob', 0.1),
    hasPooler: Boolean(shapeOf(POOLER)),
    guessesWords: Boolean(shapeOf(MASKED_WORDS))
  }
}

/** The sum of three embeddings, normalised. */
class Embeddings extends Module {
  static inputNames = ['ids', 'places', 'types']

  /** @param {import('../engine.js').Engine} engine @param {Settings} given */
  constructor(engine, { words, positions, types, channels, eps, dropout }) {
    super(engine)
    this.word_embeddings = new Embedding(engine, words, channels)
    this.position_embeddings = new Embedding(engine, positions, channels)
    this.token_type_embeddings = new Embedding(engine, types, channels)
    this.LayerNorm = new LayerNorm(engine, channels, { eps })
    this.dropout = new Dropout(engine, dropout)
  }

  /** @param {Tensor} ids @param {Tensor} places @param {Tensor} types @returns {Tensor} */
  forward(ids, places, types) {
    const words = add(this.word_embeddings.forward(ids), this.token_type_embeddings.forward(types))
    return this.dropout.forward(this.LayerNorm.forward(add(words, this.position_embeddings.forward(places))))
  }
}

/** What guesses masked words: a layer of its own before the word table. */
class MaskedWords extends Module {
  static inputNames = ['hidden', 'table']

  /** @param {import('../engine.js').Engine} engine @param {Settings} given */
  constructor(engine, { channels, words, eps, activation }) {
    super(engine)
    this.dense = new Linear(engine, channels, channels)
    this.activation = activation
    this.LayerNorm = new LayerNorm(engine, channels, { eps })
    this.bias = this.parameter(words)
  }

  /** @param {Tensor} hidden @param {Tensor} table [V, C] @returns {Tensor} */
  forward(hidden, table) {
    return linear(this.LayerNorm.forward(this.activation(this.dense.forward(hidden))), table, this.bias)
  }
}

/** BERT (Devlin et al. 2018): post-norm layers that see the whole sentence; MiniLM and other relatives. */
export class Bert extends LanguageModel {
  static hasSubmodules = true

  /** @param {import('../engine.js').Engine} engine @param {Settings} given */
  constructor(engine, given) {
    super(engine)
    const { channels: C, heads, layers, inner, eps, dropout, activation } = given
    this.embeddings = new Embeddings(engine, given)
    this.layer = new ModuleList(engine, times(layers, () => new TransformerEncoderLayer(engine, C, heads, {
      dimFeedforward: inner, dropout, activation, layerNormEps: eps
    })))
    this.pooler = given.hasPooler ? new Linear(engine, C, C) : null
    this.predictions = given.guessesWords ? new MaskedWords(engine, given) : null
  }

  /**
   * @param {Tensor | number[] | number[][]} ids [B, T], or [T] for one sentence
   * @param {{ attentionMask?: any, tokenTypeIds?: any }} [options] attentionMask: [B, T], 0 or false for padding, which
   *   nothing attends to; positions count it nevertheless, as Hugging Face's do, so it should stand on the right;
   *   tokenTypeIds: [B, T], 0 by default
   * @returns {{ hidden: Tensor, pooled?: Tensor, logits?: Tensor }} [B, T, C]; [B, C] of the first position, where the
   *   file has a pooler; [B, T, V], where it has a head for masked words
   */
  forward(ids, options) {
    const { attentionMask, tokenTypeIds } = optionsOf('Bert', options, ['attentionMask', 'tokenTypeIds'])
    const tokens = this.sentences('ids', ids), kept = this.kept(attentionMask, tokens.shape), [B, T] = tokens.shape
    const types = tokenTypeIds === undefined || tokenTypeIds === null
      ? this.engine.registerAuxiliary(this.engine.zeros([B, T], 'int32')) : this.sentences('tokenTypeIds', tokenTypeIds)
    this.expectShape('tokenTypeIds', types, tokens)
    this.expectPlaces(T, this.embeddings.position_embeddings.numEmbeddings)
    const srcMask = this.paddingMask(kept)
    const read = this.embeddings.forward(tokens, this.places([B, T], null), types)
    const x = runLayers(this.layer, read, (layer, made) => layer.forward(made, { srcMask }))
    /** @type {{ hidden: Tensor, pooled?: Tensor, logits?: Tensor }} */ const made = { hidden: x }
    if (this.pooler) made.pooled = unaryFunctions.tanh(this.pooler.forward(this.firsts(x)))
    if (this.predictions) made.logits = this.predictions.forward(x, this.embeddings.word_embeddings.weight)
    return made
  }

  /**
   * The first position of every sentence.
   * @param {Tensor} x [B, T, C] @returns {Tensor} [B, C]
   */
  firsts(x) {
    const [B, T, C] = x.shape
    expect(T > 0, 'shape', () => `Bert: ids must hold at least one token, the one that is pooled, got ${shapeText([B, T])}`)
    return narrow(x, 1, 0, 1).reshape(B, C)
  }
}

registerLibraryCode(Embeddings, MaskedWords, Bert)

const LAYER = {
  ...joined(['query', 'key', 'value'], name => `attention.self.${name}`, 'self_attn.in_proj'),
  ...both('attention.output.dense', 'self_attn.out_proj'),
  ...both('attention.output.LayerNorm', 'norm1'),
  ...both('intermediate.dense', 'linear1'),
  ...both('output.dense', 'linear2'),
  ...both('output.LayerNorm', 'norm2')
}
const EMBEDDINGS = {
  'word_embeddings.weight': 'word_embeddings.weight',
  'position_embeddings.weight': 'position_embeddings.weight',
  'token_type_embeddings.weight': 'token_type_embeddings.weight',
  ...both('LayerNorm', 'LayerNorm')
}
const PREDICTIONS = { ...both('transform.dense', 'dense'), ...both('transform.LayerNorm', 'LayerNorm') }
const BIAS = { key: 'cls.predictions.bias', own: 'predictions.bias', others: ['cls.predictions.decoder.bias'] }

/** @type {import('./index.js').Kind<Settings>} */
export const bert = {
  type: 'bert',
  prefixes: ['bert.'],
  /** Numbers that follow from the shapes, what is tied, and a head for pairs of sentences. */
  skipped: [/position_ids$/, /^cls\.predictions\.decoder\./, /^cls\.seq_relationship\./],
  Model: Bert,
  settings,
  /** Without a head the class is the body alone, whose keys have nothing before them. */
  written: given => ({
    settings: given,
    config: { architectures: [given.guessesWords ? 'BertForMaskedLM' : 'BertModel'] },
    keyOf: key => (given.guessesWords && !key.startsWith('cls.') ? `bert.${key}` : key)
  }),
  rows: ({ layers, hasPooler, guessesWords }) => [
    ...layerRows(1, 'embeddings.', 'embeddings.', EMBEDDINGS),
    ...layerRows(layers, 'encoder.layer.{n}.', 'layer.{n}.', LAYER),
    ...(hasPooler ? layerRows(1, '', '', both('pooler.dense', 'pooler')) : []),
    ...(guessesWords ? [...layerRows(1, 'cls.predictions.', 'predictions.', PREDICTIONS), BIAS] : [])
  ]
}
