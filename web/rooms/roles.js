/**
 * The roles of the library's classes and operations: the only place where their names stand for rooms. Everything else
 * is derived from the run.
 */

/** Container classes: their attributes are not part of a place's id. */
export const HOLDERS = ['Transformer', 'ModuleList']

/** The class whose numbered items are layers. */
export const LIST = 'ModuleList'

/**
 * Attentions that are causal by their class, whether or not this run masks them.
 * @type {Record<string, string>}
 */
export const CAUSAL = { TransformerDecoderLayer: 'self_attn' }

/** The attribute of an attention that reads another text than its own. */
export const CROSS = 'multihead_attn'

/** The class that samples from logits; its attributes and tags name the parts. */
export const SAMPLING = 'Sampling'

/** Operations that normalize. */
export const NORMS = ['layer_norm', 'rms_norm']
/** The texts of a norm without a mean, by those of one with it. @type {Record<string, string>} */
export const RMS_WORDS = { norm: 'rmsnorm', finalnorm: 'finalrms' }
/**
 * Embeddings of other things than tokens: the texts of their rooms, by what their rows stand for.
 * @type {Record<string, string>}
 */
export const LOOKED_UP = { position: 'places', type: 'types' }
export const ACTIVATIONS = ['relu', 'gelu', 'silu', 'tanh', 'sigmoid', 'leaky_relu', 'softplus']

/** For every kind of attention its block on the map, and its own texts. */
export const ATTENTION = {
  self: { block: 'self_attn', words: { mask: 'mask' } },
  encoder: { block: 'self_attn', words: { mask: 'padding' } },
  masked: { block: 'masked', words: { mask: 'causal' } },
  cross: { block: 'multihead_attn', words: { qkv: 'crossqkv', mask: 'padding', weights: 'cross' } }
}

/** Controls of a mask's room, by the kind of attention. */
export const MASK_CONTROLS = {
  self: ['causal', 'padding'], encoder: ['padding'], masked: ['tgtIsCausal', 'causal'], cross: ['padding']
}

/** Controls of the rooms of a gate. */
export const GATE_CONTROLS = ['dimFeedforward', 'activation']

/** Controls of an embedding without added positions. */
export const PLACELESS_CONTROLS = ['dModel', 'seed', 'positional', 'positions']
