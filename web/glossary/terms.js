/**
 * The terms of the page, each with its name in PyTorch and the matrix it names; the glossary of each language names and
 * defines them.
 */

import { patchFrom, startOf } from '../models/state.js'

/** @import { Language, Patch, Room, State } from '../types.d.ts' */

/**
 * @typedef {object} Term
 * @property {string} id the key of its name and definition
 * @property {string} group
 * @property {string | null} torch its name in PyTorch; null where PyTorch has none
 * @property {string[]} words the rooms that display the matrix, by the key of their texts
 * @property {string} part which matrix of the room, a path into its parts
 * @property {string} model a model with such a room, if the current one has none
 * @property {string} room
 * @property {string} [state] settings that the room needs
 */

/** The rooms of most terms: a layer of the encoder, one of the decoder, the entry and the exit. */
const [ENCODER, DECODER] = ['encoder.0.', 'decoder.0.']
/** @param {string} room @param {string} [model] */
const inRoom = (room, model = 'dates') => ({ model, room })
const MASKS = ['causal', 'padding', 'mask'], NORMS = ['norm', 'rmsnorm']

/** In the order of the computation. @type {Term[]} */
export const TERMS = [
  { id: 'vocabulary', torch: 'num_embeddings', words: ['embedding'], part: 'weight',
    ...inRoom('source.embedding') },
  { id: 'embedding', torch: 'nn.Embedding', words: ['embedding'], part: 'out',
    ...inRoom('source.embedding') },
  { id: 'positional', torch: null, words: ['positions'], part: 'table',
    ...inRoom('source.positions'), state: 'positional=1' },
  { id: 'token', torch: null, words: ['sum', 'embedding'], part: 'out', ...inRoom('source.sum'),
    state: 'positional=1' }
].map(term => ({ ...term, group: 'text' })).concat([
  { id: 'query', torch: 'query', words: ['qkv', 'crossqkv'], part: 'q',
    ...inRoom(`${ENCODER}self_attn.qkv`), state: 'part=q' },
  { id: 'key', torch: 'key', words: ['qkv', 'crossqkv'], part: 'k',
    ...inRoom(`${ENCODER}self_attn.qkv`), state: 'part=k' },
  { id: 'value', torch: 'value', words: ['qkv', 'crossqkv'], part: 'v',
    ...inRoom(`${ENCODER}self_attn.qkv`), state: 'part=v' },
  { id: 'rotary', torch: null, words: ['rotary'], part: 'q',
    ...inRoom(`${DECODER}self_attn.rotary`, 'stories'), state: 'positional=1&positions=rotary&part=q' },
  { id: 'dot', torch: 'torch.matmul', words: ['scores'], part: 'dots',
    ...inRoom(`${ENCODER}self_attn.scores`) },
  { id: 'score', torch: 'q @ k.mT / math.sqrt(d)', words: ['scale'], part: 'scores',
    ...inRoom(`${ENCODER}self_attn.scale`) },
  { id: 'mask', torch: 'attn_mask', words: MASKS, part: 'masked',
    ...inRoom(`${DECODER}self_attn.mask`) },
  { id: 'padding', torch: 'key_padding_mask', words: ['padding'], part: 'masked',
    ...inRoom(`${ENCODER}self_attn.mask`), state: 'padding=1' },
  { id: 'softmax', torch: 'nn.Softmax', words: ['weights', 'cross'], part: 'weights',
    ...inRoom(`${ENCODER}self_attn.weights`) },
  { id: 'weight', torch: 'attn_output_weights', words: ['heads'],
    part: 'weights', ...inRoom(`${ENCODER}self_attn.heads`) },
  { id: 'head', torch: 'num_heads', words: ['heads'], part: 'out',
    ...inRoom(`${ENCODER}self_attn.heads`) },
  { id: 'attention', torch: 'nn.MultiheadAttention', words: ['output'], part: 'y',
    ...inRoom(`${ENCODER}self_attn.output`) },
  { id: 'cross', torch: 'multihead_attn', words: ['cross'],
    part: 'weights', ...inRoom(`${DECODER}multihead_attn.weights`) }
].map(term => ({ ...term, group: 'attention' }))).concat([
  { id: 'residual', torch: 'x + sublayer(x)', words: NORMS,
    part: 'residual.sum', ...inRoom(`${ENCODER}norm1`) },
  { id: 'norm', torch: 'nn.LayerNorm', words: ['norm'], part: 'y',
    ...inRoom(`${ENCODER}norm1`) },
  { id: 'rms', torch: 'nn.RMSNorm', words: ['rmsnorm'], part: 'y',
    ...inRoom(`${DECODER}norm1`, 'stories'), state: 'norm=rms' },
  { id: 'feedforward', torch: 'linear1, linear2', words: ['linear2'],
    part: 'y', ...inRoom(`${ENCODER}linear2`) },
  { id: 'activation', torch: 'nn.ReLU, nn.GELU', words: ['activation', 'gateActivation'],
    part: 'after', ...inRoom(`${ENCODER}activation`) },
  { id: 'dropout', torch: 'nn.Dropout', words: ['dropout'], part: 'after',
    ...inRoom(`${ENCODER}dropout1`), state: 'training=1&dropout=0.1' },
  { id: 'encoder', torch: 'nn.TransformerEncoder', words: ['memory'], part: 'x',
    ...inRoom('encoder.norm') },
  { id: 'memory', torch: 'memory', words: ['memory'], part: 'y', ...inRoom('encoder.norm') },
  { id: 'decoder', torch: 'nn.TransformerDecoder', words: ['finalnorm', 'finalrms'],
    part: 'y', ...inRoom('decoder.norm') }
].map(term => ({ ...term, group: 'layer' }))).concat([
  { id: 'logit', torch: 'logits', words: ['logits'], part: 'y', ...inRoom('output') },
  { id: 'probability', torch: 'torch.softmax', words: ['sampling'],
    part: 'probabilities', ...inRoom('sampling') },
  { id: 'temperature', torch: null, words: ['sampling'], part: 'probabilities',
    ...inRoom('sampling'), state: 'temperature=2' },
  { id: 'topk', torch: 'torch.topk', words: ['sampling'], part: 'output', ...inRoom('sampling'),
    state: 'topK=3' },
  { id: 'topp', torch: null, words: ['sampling'], part: 'output', ...inRoom('sampling'),
    state: 'topP=0.8' }
].map(term => ({ ...term, group: 'answer' })))

/**
 * The terms that name no matrix of their own: the words that a beginner needs first, arrangements of parts, and ways to
 * look inside a model. Each has a step of a lesson that shows it, counted from 0.
 * @type {{ id: string, group: string, torch: string | null, lesson: string, step: number }[]}
 */
export const LESSON_TERMS = [
  { id: 'transformer', group: 'basics', torch: 'nn.Transformer', lesson: 'feed_forward', step: 3 },
  { id: 'model', group: 'basics', torch: 'nn.Module', lesson: 'learning', step: 0 },
  { id: 'parameter', group: 'basics', torch: 'nn.Parameter', lesson: 'learning', step: 0 },
  { id: 'training', group: 'basics', torch: 'optimizer.step', lesson: 'learning', step: 2 },
  { id: 'vector', group: 'basics', torch: 'torch.Tensor', lesson: 'vectors', step: 0 },
  { id: 'matrix', group: 'basics', torch: 'torch.Tensor', lesson: 'query', step: 5 },
  { id: 'dimension', group: 'basics', torch: 'd_model', lesson: 'vectors', step: 4 },
  { id: 'layer', group: 'basics', torch: 'nn.TransformerEncoderLayer', lesson: 'feed_forward', step: 4 },
  { id: 'loss', group: 'basics', torch: 'nn.CrossEntropyLoss', lesson: 'learning', step: 1 },
  { id: 'gradient', group: 'basics', torch: 'loss.backward', lesson: 'learning', step: 1 },
  { id: 'grouped', group: 'attention', torch: 'enable_gqa', lesson: 'modern', step: 3 },
  { id: 'stream', group: 'layer', torch: null, lesson: 'order', step: 2 },
  { id: 'postnorm', group: 'layer', torch: 'norm_first=False', lesson: 'order', step: 1 },
  { id: 'prenorm', group: 'layer', torch: 'norm_first=True', lesson: 'order', step: 2 },
  { id: 'swiglu', group: 'layer', torch: 'F.silu(gate) * up', lesson: 'modern', step: 2 },
  { id: 'cache', group: 'answer', torch: null, lesson: 'modern', step: 5 },
  { id: 'attribution', group: 'inside', torch: null, lesson: 'attribution', step: 0 },
  { id: 'lens', group: 'inside', torch: null, lesson: 'feed_forward', step: 5 },
  { id: 'ablation', group: 'inside', torch: null, lesson: 'induction', step: 3 },
  { id: 'patching', group: 'inside', torch: null, lesson: 'patching', step: 0 },
  { id: 'induction', group: 'inside', torch: null, lesson: 'induction', step: 0 },
  { id: 'circuit', group: 'inside', torch: null, lesson: 'induction', step: 1 }
]

/** @param {string} id */
export const findTerm = id => TERMS.find(term => term.id === id)

/** The name of the matrix of a term in a room, or undefined. @param {Term} term @param {Room} room */
export const tensorInRoom = ({ words, part }, room) => (words.includes(room.words)
  ? part.split('.').reduce((node, key) => node?.[key], /** @type {any} */ (room.parts)) : undefined)

/**
 * The state that displays the matrix of a term: in the current room or model if possible, else in the term's own.
 * @param {Term} term @param {State} state @param {Room[]} rooms of the model behind the glass
 * @param {Language} reader the language of the reader, who gets an example
 * @returns {Patch}
 */
export function stateOfTerm(term, state, rooms, reader) {
  const here = rooms.find(({ id }) => id === state.room)
  const room = [here, ...rooms].find(item => item && tensorInRoom(term, item))
  const isSame = state.model === term.model
  const { language, theme, depth } = state
  return {
    ...(!room && !isSame && { ...startOf(term.model, reader), language, theme, depth }),
    ...patchFrom(term.state ?? '', room || isSame ? state.model : term.model),
    room: room?.id ?? term.room, lesson: '', at: 0, twin: '', theatre: '', exercise: '', glossary: '', lit: term.id
  }
}
