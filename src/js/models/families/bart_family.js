import {
  ACTIVATIONS, UNSUPPORTED, checkDivides, readBoolean, readChoice, readDecoderStart, readInteger, readNumber,
  refuseUnsupported
} from '../config.js'
import { BartModel } from '../bart.js'
import { stackedProjections, weightAndBias, layerRows } from '../plan.js'
import { isTied } from '../tied.js'
import { nameModel } from './named_model.js'

/**
 * @typedef {import('../bart.js').BartDescription} BartDescription
 * @typedef {import('../config.js').Config} Config
 * @typedef {(key: string) => readonly number[] | undefined} ShapeOf
 */

/**
 * The settings that all relatives of BART share.
 * @param {string} name @param {Config} config @param {ShapeOf} shapeOf
 * @param {Pick<BartDescription, 'positions' | 'isPreNorm' | 'hasEmbeddingNorm' | 'hasLogitBias'> & {
 *   vocabSize: number, decoderStart: number, allowed?: Record<string, readonly unknown[]>,
 *   defaults?: { isScaled?: boolean, activation?: string, heads?: number, layers?: number } }} form
 * @returns {BartDescription}
 */
export function describeBartLike(name, config, shapeOf, {
  vocabSize: defaultSize, decoderStart, allowed, defaults = {}, ...form
}) {
  refuseUnsupported(config, {
    ...UNSUPPORTED, normalize_before: [form.isPreNorm], add_final_layer_norm: [form.isPreNorm],
    normalize_embedding: [form.hasEmbeddingNorm], ...allowed
  })
  const channels = readInteger(config, 'd_model', 1024), vocabSize = readInteger(config, 'vocab_size', defaultSize)
  const readStack = (/** @type {string} */ side) => {
    const heads = readInteger(config, `${side}_attention_heads`, defaults.heads ?? 16)
    checkDivides('d_model', channels, `${side}_attention_heads`, heads)
    return {
      heads, layers: readInteger(config, `${side}_layers`, defaults.layers ?? 12),
      feedForwardSize: readInteger(config, `${side}_ffn_dim`, 4096)
    }
  }
  const isShared = readBoolean(config, 'share_encoder_decoder_embeddings', true)
  const decoderVocabSize = isShared ? vocabSize : readInteger(config, 'decoder_vocab_size', vocabSize)
  return {
    name, ...form, channels, vocabSize, isShared, decoderVocabSize, encoder: readStack('encoder'), decoder: readStack('decoder'),
    maxPositions: readInteger(config, 'max_position_embeddings', 1024),
    activation: readChoice(config, 'activation_function', ACTIVATIONS, defaults.activation ?? 'gelu'),
    dropout: readNumber(config, 'dropout', 0.1),
    scale: readBoolean(config, 'scale_embedding', defaults.isScaled ?? false) ? Math.sqrt(channels) : 1,
    isTied: isTied(config, shapeOf), decoderStartTokenId: readDecoderStart(config, decoderStart, decoderVocabSize)
  }
}

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
 * The rows of one side's norms and positions.
 * @param {'encoder' | 'decoder'} side @param {BartDescription} description
 */
const sideRows = (side, { positions, hasEmbeddingNorm, isPreNorm }) => [
  ...(positions.kind === 'learned' ? ['embed_positions.weight'] : []),
  ...(hasEmbeddingNorm ? ['layernorm_embedding.weight', 'layernorm_embedding.bias'] : []),
  ...(isPreNorm ? ['layer_norm.weight', 'layer_norm.bias'] : [])
].map(key => ({ key: `${side}.${key}`, target: `${side}.${key}` }))

/**
 * A family of encoder-decoders with BART's keys.
 * @param {{ type: string, architecture: string, describe: (config: Config, shapeOf: ShapeOf) => BartDescription,
 *   isTokenizer?: (files: Record<string, string | Uint8Array>) => boolean }} family
 * @returns {import('../index.js').Family<BartDescription>}
 */
export function bartFamily({ type, architecture, describe, isTokenizer }) {
  return {
    type,
    prefixes: ['model.'],
    tokenEmbedding: {
      keys: ['shared.weight', 'decoder.embed_tokens.weight', 'encoder.embed_tokens.weight'], isTiedByDefault: true
    },
    /** Computed tables of positions, and the head, where it is the decoder's token embedding. */
    ignored: [/embed_positions\.weights?$/, /^lm_head\.weight$/],
    heads: {
      sequence: { dense: 'classification_head.dense', out: 'classification_head.out_proj', pool: 'eos' },
      question: { out: 'qa_outputs' }
    },
    ...(isTokenizer && { isTokenizer }),
    Model: nameModel(BartModel, architecture),
    readSettings: describe,
    toHuggingFace: description => ({
      settings: description,
      config: {
        architectures: [architecture], decoder_start_token_id: description.decoderStartTokenId,
        tie_word_embeddings: description.isTied
      },
      toKey: key => (key === 'final_logits_bias' || key === 'lm_head.weight' ? key : `model.${key}`)
    }),
    rows: description => [
      ...(description.isShared
        ? [{
            key: 'shared.weight', target: 'encoder.embed_tokens.weight',
            aliases: ['encoder.embed_tokens.weight', 'decoder.embed_tokens.weight', ...(description.isTied ? ['lm_head.weight'] : [])]
          }]
        : ['encoder.embed_tokens.weight', 'decoder.embed_tokens.weight'].map(key => ({ key, target: key }))),
      ...(/** @type {const} */ (['encoder', 'decoder'])).flatMap((side, i) => [
        ...sideRows(side, description),
        ...layerRows(description[side].layers, `${side}.layers.{n}.`, `${side}.layers.{n}.`, [ENCODER, DECODER][i])
      ]),
      ...(description.isTied || description.head ? [] : [{ key: 'lm_head.weight', target: 'lm_head.weight' }]),
      ...(description.hasLogitBias && !description.head
        ? [{ key: 'final_logits_bias', target: 'final_logits_bias', isOptional: true, isRowVector: true }] : [])
    ]
  }
}
