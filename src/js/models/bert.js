import { expect, expectOptions, formatShape } from '../errors.js'
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
import { ACTIVATIONS, UNSUPPORTED, checkDivides, readChoice, readNumber, refuseUnsupported, readInteger } from './config.js'
import { LanguageModel, buildArray } from './model.js'
import { weightAndBias, stackedProjections, layerRows } from './plan.js'

/** @typedef {import('../tensor.js').Tensor} Tensor */
/** @typedef {ReturnType<typeof readSettings>} Settings */

const MASKED_LM_HEAD = 'cls.predictions.transform.dense.weight', POOLER = 'pooler.dense.weight'

/**
 * @param {import('./config.js').Config} config
 * @param {(key: string) => readonly number[] | undefined} shapeOf a tensor of the file
 */
function readSettings(config, shapeOf) {
  refuseUnsupported(config, {
    ...UNSUPPORTED, position_embedding_type: ['absolute'], is_decoder: [false], add_cross_attention: [false],
    embedding_size: [config.hidden_size], tie_word_embeddings: [true]
  })
  const channels = readInteger(config, 'hidden_size', 768), heads = readInteger(config, 'num_attention_heads', 12)
  checkDivides('hidden_size', channels, 'num_attention_heads', heads)
  return {
    channels, heads,
    layers: readInteger(config, 'num_hidden_layers', 12),
    feedForwardSize: readInteger(config, 'intermediate_size', 3072),
    vocabSize: readInteger(config, 'vocab_size', 30522),
    maxPositions: readInteger(config, 'max_position_embeddings', 512),
    tokenTypes: readInteger(config, 'type_vocab_size', 2),
    activation: readChoice(config, 'hidden_act', ACTIVATIONS, 'gelu'),
    eps: readNumber(config, 'layer_norm_eps', 1e-12),
    dropout: readNumber(config, 'hidden_dropout_prob', 0.1),
    hasPooler: Boolean(shapeOf(POOLER)),
    hasMaskedLMHead: Boolean(shapeOf(MASKED_LM_HEAD))
  }
}

/** The normalized sum of token, position and token type embeddings. */
class Embeddings extends Module {
  static inputNames = ['ids', 'positionIds', 'tokenTypes']

  /** @param {import('../engine.js').Engine} engine @param {Settings} settings */
  constructor(engine, { vocabSize, maxPositions, tokenTypes, channels, eps, dropout }) {
    super(engine)
    this.word_embeddings = new Embedding(engine, vocabSize, channels)
    this.position_embeddings = new Embedding(engine, maxPositions, channels)
    this.token_type_embeddings = new Embedding(engine, tokenTypes, channels)
    this.LayerNorm = new LayerNorm(engine, channels, { eps })
    this.dropout = new Dropout(engine, dropout)
  }

  /** @param {Tensor} ids @param {Tensor} positionIds @param {Tensor} tokenTypes @returns {Tensor} */
  forward(ids, positionIds, tokenTypes) {
    const sum = add(this.word_embeddings.forward(ids), this.token_type_embeddings.forward(tokenTypes))
    return this.dropout.forward(this.LayerNorm.forward(add(sum, this.position_embeddings.forward(positionIds))))
  }
}

/** The masked language modeling head: a layer, then the token embedding as output projection. */
class MaskedLMHead extends Module {
  static inputNames = ['hidden', 'table']

  /** @param {import('../engine.js').Engine} engine @param {Settings} settings */
  constructor(engine, { channels, vocabSize, eps, activation }) {
    super(engine)
    this.dense = new Linear(engine, channels, channels)
    this.activation = activation
    this.LayerNorm = new LayerNorm(engine, channels, { eps })
    this.bias = this.parameter(vocabSize)
  }

  /** @param {Tensor} hidden @param {Tensor} table [V, C] @returns {Tensor} */
  forward(hidden, table) {
    return linear(this.LayerNorm.forward(this.activation(this.dense.forward(hidden))), table, this.bias)
  }
}

/** BERT (Devlin et al. 2018) and relatives such as MiniLM: a bidirectional encoder with post-norm layers. */
export class Bert extends LanguageModel {
  static hasSubmodules = true

  /** @param {import('../engine.js').Engine} engine @param {Settings} settings */
  constructor(engine, settings) {
    super(engine)
    const { channels: C, heads, layers, feedForwardSize, eps, dropout, activation } = settings
    this.embeddings = new Embeddings(engine, settings)
    this.layer = new ModuleList(engine, buildArray(layers, () => new TransformerEncoderLayer(engine, C, heads, {
      dimFeedforward: feedForwardSize, dropout, activation, layerNormEps: eps
    })))
    this.pooler = settings.hasPooler ? new Linear(engine, C, C) : null
    this.predictions = settings.hasMaskedLMHead ? new MaskedLMHead(engine, settings) : null
  }

  /**
   * @param {Tensor | number[] | number[][]} ids [B, T], or [T] for one sequence
   * @param {{ attentionMask?: any, tokenTypeIds?: any }} [options] attentionMask: [B, T], 0 or false for padding, which
   *   gets no attention; padding still counts in the positions, as in Hugging Face's BERT, so it should be on the
   *   right; tokenTypeIds: [B, T], 0 by default
   * @returns {{ hidden: Tensor, pooled?: Tensor, logits?: Tensor }} hidden [B, T, C]; pooled [B, C] from the first
   *   position, if the file has a pooler; logits [B, T, V], if it has a masked language modeling head
   */
  forward(ids, options) {
    const { attentionMask, tokenTypeIds } = expectOptions('Bert', options, ['attentionMask', 'tokenTypeIds'])
    const tokens = this.toBatch('ids', ids), mask = this.readAttentionMask(attentionMask, tokens.shape), [B, T] = tokens.shape
    const tokenTypes = tokenTypeIds === undefined || tokenTypeIds === null
      ? this.engine.registerAuxiliary(this.engine.zeros([B, T], 'int32')) : this.toBatch('tokenTypeIds', tokenTypeIds)
    this.checkSameShape('tokenTypeIds', tokenTypes, tokens)
    this.checkLength(T, this.embeddings.position_embeddings.numEmbeddings)
    const srcMask = this.paddingMask(mask)
    const embedded = this.embeddings.forward(tokens, this.positionIds([B, T], null), tokenTypes)
    const x = runLayers(this.layer, embedded, (layer, y) => layer.forward(y, { srcMask }))
    /** @type {{ hidden: Tensor, pooled?: Tensor, logits?: Tensor }} */ const result = { hidden: x }
    if (this.pooler) result.pooled = unaryFunctions.tanh(this.pooler.forward(this.firstPositions(x)))
    if (this.predictions) result.logits = this.predictions.forward(x, this.embeddings.word_embeddings.weight)
    return result
  }

  /**
   * The first position of every sequence.
   * @param {Tensor} x [B, T, C] @returns {Tensor} [B, C]
   */
  firstPositions(x) {
    const [B, T, C] = x.shape
    expect(T > 0, 'shape', () => `Bert: ids must have at least one token, which is pooled, got ${formatShape([B, T])}`)
    return narrow(x, 1, 0, 1).reshape(B, C)
  }
}

registerLibraryCode(Embeddings, MaskedLMHead, Bert)

const LAYER = {
  ...stackedProjections(['query', 'key', 'value'], name => `attention.self.${name}`, 'self_attn.in_proj'),
  ...weightAndBias('attention.output.dense', 'self_attn.out_proj'),
  ...weightAndBias('attention.output.LayerNorm', 'norm1'),
  ...weightAndBias('intermediate.dense', 'linear1'),
  ...weightAndBias('output.dense', 'linear2'),
  ...weightAndBias('output.LayerNorm', 'norm2')
}
const EMBEDDINGS = {
  'word_embeddings.weight': 'word_embeddings.weight',
  'position_embeddings.weight': 'position_embeddings.weight',
  'token_type_embeddings.weight': 'token_type_embeddings.weight',
  ...weightAndBias('LayerNorm', 'LayerNorm')
}
const PREDICTIONS = { ...weightAndBias('transform.dense', 'dense'), ...weightAndBias('transform.LayerNorm', 'LayerNorm') }
const BIAS = { key: 'cls.predictions.bias', target: 'predictions.bias', aliases: ['cls.predictions.decoder.bias'] }

/** @type {import('./index.js').Family<Settings>} */
export const bert = {
  type: 'bert',
  prefixes: ['bert.'],
  /** Position ids, the tied output projection and the next sentence prediction head. */
  ignored: [/position_ids$/, /^cls\.predictions\.decoder\./, /^cls\.seq_relationship\./],
  Model: Bert,
  readSettings,
  /** Without a head the class is BertModel, whose keys have no prefix. */
  toHuggingFace: settings => ({
    settings,
    config: { architectures: [settings.hasMaskedLMHead ? 'BertForMaskedLM' : 'BertModel'] },
    toKey: key => (settings.hasMaskedLMHead && !key.startsWith('cls.') ? `bert.${key}` : key)
  }),
  rows: ({ layers, hasPooler, hasMaskedLMHead }) => [
    ...layerRows(1, 'embeddings.', 'embeddings.', EMBEDDINGS),
    ...layerRows(layers, 'encoder.layer.{n}.', 'layer.{n}.', LAYER),
    ...(hasPooler ? layerRows(1, '', '', weightAndBias('pooler.dense', 'pooler')) : []),
    ...(hasMaskedLMHead ? [...layerRows(1, 'cls.predictions.', 'predictions.', PREDICTIONS), BIAS] : [])
  ]
}
