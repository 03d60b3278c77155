/** Exports a model as Hugging Face's GPT2LMHeadModel, where all of its parts exist in GPT-2. */

/** @import { Library, LibraryTensor } from '../../types.d.ts' */

/** @typedef {Record<string, LibraryTensor>} State */

/** Names in our layers, and in GPT-2's. */
const LAYER = {
  'norm1': 'ln_1', 'self_attn.in_proj_': 'attn.c_attn.', 'self_attn.out_proj': 'attn.c_proj', 'norm2': 'ln_2',
  'linear1': 'mlp.c_fc', 'linear2': 'mlp.c_proj'
}

/**
 * Whether GPT-2 has all of its parts: pre-norm layers without exchanged parts.
 * @param {any} gf @param {any} model
 */
export function isGpt2Compatible({ nn }, { decoder: { layers: [layer], norm } }) {
  return layer instanceof nn.TransformerEncoderLayer && layer.normFirst && norm instanceof nn.LayerNorm
}

/** @param {State} state of the layers and the norm after them */
function gpt2State(state) {
  const own = Object.entries(state).filter(([name]) => name.startsWith('decoder.'))
  return Object.fromEntries(own.map(([name, tensor]) => {
    const [, layer, rest] = /^decoder\.layers\.(\d+)\.(.+)$/.exec(name) ?? []
    if (!layer) return [name.replace('decoder.norm', 'ln_f'), tensor]
    const [from, to] = Object.entries(LAYER).find(([part]) => rest.startsWith(part)) ?? ['', '']
    return [`h.${layer}.${rest.replace(from, to)}`, tensor]
  }))
}

/**
 * The folder that Hugging Face's classes read. Positions are a table there, whether learned or not.
 * @param {any} gf the library @param {any} model
 * @param {{ activation: string, longest: number, end: number, tokenizer: any }} known what its tensors do not contain;
 *   longest: the maximum length where it has no positions; end: the token that ends an answer, −1 for none
 */
export async function hubFiles(gf, model, { activation, longest, end, tokenizer }) {
  const state = model.stateDict(), { decoder: { layers }, positions } = model
  const words = state['embedding.weight'], [vocab_size, n_embd] = words.shape
  const table = positions && ('weight' in positions ? positions.weight : positions.pe), [{ self_attn: attention, linear1 }] = layers
  const places = table ?? gf.zeros([longest, n_embd])
  const config = {
    model_type: 'gpt2', n_layer: layers.length, n_embd, n_head: attention.numHeads, n_inner: linear1.weight.shape[0],
    n_positions: places.shape[0], vocab_size, activation_function: activation,
    scale_attn_weights: attention.scale !== 1, resid_pdrop: 0, embd_pdrop: 0, attn_pdrop: 0, tie_word_embeddings: true,
    ...(end >= 0 && { bos_token_id: end, eos_token_id: end })
  }
  const weights = gf.saveSafetensors({ 'wte.weight': words, 'wpe.weight': places, ...gpt2State(state) })
  if (!table) places.dispose()
  const loaded = await gf.models.load({ 'config.json': JSON.stringify(config), 'model.safetensors': weights })
  const files = gf.models.save(loaded.model, { tokenizer })
  loaded.model.dispose()
  return files
}
