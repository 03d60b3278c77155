/**
 * The roles of the library's classes and operations: the only file that maps their names to rooms. Everything else
 * is derived from the run.
 */

/** Container classes: their attributes are not part of a room's id. */
export const CONTAINERS = ['Transformer', 'ModuleList']

/** The class whose numbered items are layers. */
export const LAYER_LIST = 'ModuleList'

/**
 * Attentions that are causal by their class, whether or not this run masks them.
 * @type {Record<string, string>}
 */
export const CAUSAL = { TransformerDecoderLayer: 'self_attn' }

/** The class that samples from logits. */
export const SAMPLING = 'Sampling'

/** The texts of an RMS norm, by those of a layer norm. @type {Record<string, string>} */
export const RMS_WORDS = { norm: 'rmsnorm', finalnorm: 'finalrms' }
/** The texts of linear layers, by what their outputs are scores of. @type {Record<string, string>} */
export const SCORE_WORDS = { label: 'labelScores', expert: 'routerScores' }
/** The texts of operations without a stage of their own. @type {Record<string, string>} */
export const OPERATION_WORDS = {
  alibi: 'alibiBias', index_select: 'selected', scatter_add: 'scattered', transpose: 'arranged', matmul: 'product',
  softmax: 'softmax', cat: 'joined', narrow: 'selected', slice: 'selected', rotary: 'rotated', clamp: 'clip'
}
/**
 * The texts of the rooms of embeddings other than those of tokens, by the kind of table.
 * @type {Record<string, string>}
 */
export const TABLE_WORDS = { position: 'places', type: 'types' }

/** The block on the map and the texts of every kind of attention. */
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
export const UNPOSITIONED_CONTROLS = ['dModel', 'seed', 'positional', 'positions']

/** The texts of steps between a projection of queries or keys and their attention. @type {Record<string, string>} */
export const QUERY_KEY_WORDS = { layer_norm: 'qkNorm', rms_norm: 'qkNorm', mul: 'qkGain', clamp: 'clip' }
