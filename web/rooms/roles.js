/**
 * What the classes and operations of a model are to a reader: the one place where names of the library stand for rooms.
 * Everything else is derived from the run.
 */

/** Classes that only hold others: their attributes are no part of a place's name. */
export const HOLDERS = ['Transformer', 'ModuleList']

/** The class whose numbered items are layers. */
export const LIST = 'ModuleList'

/**
 * Attentions whose class says that they must not look ahead, whether or not this run lets them.
 * @type {Record<string, string>}
 */
export const LOOKS_BACK = { TransformerDecoderLayer: 'self_attn' }

/** What an attention is called that reads another text than its own. */
export const CROSS = 'multihead_attn'

/** The class that turns logits into a choice: its tensors by their part, as attributes and tags of the class. */
export const SAMPLING = 'Sampling'

/** Operations that normalise, that bend, and that mix nothing. */
export const NORMS = ['layer_norm', 'rms_norm']
/** The words of a norm that takes no mean away, by those of one that does. @type {Record<string, string>} */
export const RMS = { norm: 'rmsnorm', finalnorm: 'finalrms' }
/**
 * Tables that are looked up by something else than words: the words of their rooms, by what runs along their rows.
 * @type {Record<string, string>}
 */
export const LOOKED_UP = { position: 'places', type: 'types' }
export const BENDS = ['relu', 'gelu', 'silu', 'tanh', 'sigmoid', 'leaky_relu', 'softplus']

/** Of every kind of attention the block it is on the map, and the words of its rooms that are its own. */
export const ATTENTION = {
  self: { block: 'self_attn', words: { mask: 'mask' } },
  encoder: { block: 'self_attn', words: { mask: 'padding' } },
  masked: { block: 'masked', words: { mask: 'causal' } },
  cross: { block: 'multihead_attn', words: { qkv: 'crossqkv', mask: 'padding', weights: 'cross' } }
}

/** Controls of a mask's room that mean something for the kind of attention. */
export const MASK_CONTROLS = {
  self: ['causal', 'padding'], encoder: ['padding'], masked: ['tgtIsCausal', 'causal'], cross: ['padding']
}

/** Controls of the rooms of a gate. */
export const GATE_CONTROLS = ['dimFeedforward', 'activation']

/** Controls of an embedding that no positions are added to. */
export const PLACELESS_CONTROLS = ['dModel', 'seed', 'positional', 'positions']
