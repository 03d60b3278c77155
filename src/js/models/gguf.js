import { describe, expect } from '../errors.js'
import { readGguf } from '../files/gguf.js'
import { readTensorValues } from '../files/values.js'
import { checkGgufTokenizer } from '../text/gguf_tokenizer.js'
import { checkLayers, checkRequired, checkRotaryDims, readTokenIds } from './check_gguf.js'

/**
 * Models in llama.cpp's files: their settings as a config.json would have them, and the names of their tensors.
 *
 * @typedef {import('../files/header.js').Entry} Entry
 * @typedef {import('./config.js').Config} Config
 * @typedef {import('./decoder.js').DecoderDescription} DecoderDescription
 * @typedef {import('./plan.js').Row} Row
 *
 * The settings of a file without the name of the architecture before them; has: whether there is a tensor.
 * @typedef {{ of: (name: string, fallback?: any) => any, has: (name: string) => boolean, shape: (name: string) =>
 *   readonly number[] }} Settings
 */

/** Llama's names of settings in config.json. @param {Settings} file @returns {Config} */
const llamaLike = ({ of, shape }) => ({
  hidden_size: of('embedding_length'), intermediate_size: of('feed_forward_length'), num_hidden_layers: of('block_count'),
  num_attention_heads: of('attention.head_count'), num_key_value_heads: of('attention.head_count_kv', of('attention.head_count')),
  head_dim: of('attention.key_length'), max_position_embeddings: of('context_length'), rope_theta: of('rope.freq_base', 10000),
  rms_norm_eps: of('attention.layer_norm_rms_epsilon'), layer_norm_eps: of('attention.layer_norm_epsilon'),
  sliding_window: of('attention.sliding_window'), vocab_size: shape('token_embd.weight')[0]
})

/** GPT-2's names. @param {Settings} file @returns {Config} */
const gptLike = ({ of, shape }) => ({
  n_embd: of('embedding_length'), n_inner: of('feed_forward_length'), n_layer: of('block_count'), n_head: of('attention.head_count'),
  n_positions: of('context_length'), layer_norm_epsilon: of('attention.layer_norm_epsilon'), vocab_size: shape('token_embd.weight')[0]
})

/** The part of every head that is rotated. @param {Settings} file @param {Config} config */
const rotaryFraction = ({ of }, { head_dim: size, hidden_size: channels, num_attention_heads: heads }) =>
  of('rope.dimension_count', size ?? channels / heads) / (size ?? channels / heads)

/** The names of the settings of experts. @param {Settings} file */
const experts = ({ of }) => ({
  num_local_experts: of('expert_count'), num_experts: of('expert_count'), num_experts_per_tok: of('expert_used_count'),
  moe_intermediate_size: of('expert_feed_forward_length')
})

/** llama.cpp reorders the rows of these models' queries and keys, so that pairs are adjacent. */
const PERMUTED = { rotary_layout: 'interleaved' }

/** By general.architecture: the configuration. @type {Record<string, (file: Settings) => Config>} */
const ARCHITECTURES = {
  'llama': file => (file.of('expert_count', 0)
    ? { ...llamaLike(file), ...experts(file), ...PERMUTED, model_type: 'mixtral' }
    : { ...llamaLike(file), ...PERMUTED, model_type: 'llama', attention_bias: file.has('blk.0.attn_q.bias'), sliding_window: null }),
  'qwen2': file => ({ ...llamaLike(file), model_type: 'qwen2' }),
  'qwen3': file => ({ ...llamaLike(file), model_type: 'qwen3' }),
  'qwen3moe': file => ({ ...llamaLike(file), ...experts(file), norm_topk_prob: true, model_type: 'qwen3_moe' }),
  'gemma': file => ({ ...llamaLike(file), model_type: 'gemma' }),
  'gemma2': file => ({
    ...llamaLike(file), model_type: 'gemma2', attn_logit_softcapping: file.of('attn_logit_softcapping'),
    // Not in the file: llama.cpp knows the scale of every size; only that of 27B is not headDim.
    final_logit_softcapping: file.of('final_logit_softcapping'),
    query_pre_attn_scalar: file.of('block_count') === 46 ? file.of('embedding_length') / file.of('attention.head_count') : file.of('attention.key_length')
  }),
  'gemma3': file => ({
    ...llamaLike(file), model_type: 'gemma3_text',
    query_pre_attn_scalar: file.of('block_count') === 62 ? file.of('embedding_length') / file.of('attention.head_count') : file.of('attention.key_length')
  }),
  'phi2': file => {
    const config = llamaLike(file)
    return { ...config, model_type: 'phi', partial_rotary_factor: rotaryFraction(file, config) }
  },
  'phi3': file => {
    const config = llamaLike(file)
    return { ...config, model_type: 'phi3', partial_rotary_factor: rotaryFraction(file, config) }
  },
  'gptneox': file => {
    const config = llamaLike(file)
    return {
      ...config, model_type: 'gpt_neox', rotary_pct: rotaryFraction(file, config),
      use_parallel_residual: file.of('use_parallel_residual', true)
    }
  },
  'gpt2': file => ({ ...gptLike(file), model_type: 'gpt2' }),
  'starcoder': file => ({ ...gptLike(file), model_type: 'gpt_bigcode', multi_query: file.of('attention.head_count_kv', 1) === 1 }),
  'bloom': file => ({ ...gptLike(file), n_embed: file.of('embedding_length'), model_type: 'bloom' }),
  'falcon': file => ({
    ...llamaLike(file), model_type: 'falcon', layer_norm_epsilon: file.of('attention.layer_norm_epsilon'),
    num_kv_heads: file.of('attention.head_count_kv', 1), new_decoder_architecture: file.has('blk.0.attn_norm_2.weight'),
    ffn_hidden_size: file.of('feed_forward_length')
  }),
  'starcoder2': file => ({ ...llamaLike(file), model_type: 'starcoder2', norm_epsilon: file.of('attention.layer_norm_epsilon') }),
  'olmo2': file => ({ ...llamaLike(file), model_type: 'olmo2' }),
  'olmoe': file => ({ ...llamaLike(file), ...experts(file), model_type: 'olmoe' }),
  'granite': file => ({
    ...llamaLike(file), ...PERMUTED, model_type: 'granite', embedding_multiplier: file.of('embedding_scale', 1),
    residual_multiplier: file.of('residual_scale', 1), attention_multiplier: file.of('attention.scale'), logits_scaling: file.of('logit_scale', 1)
  }),
  'minicpm': file => {
    const layers = file.of('block_count'), channels = file.of('embedding_length')
    return {
      ...llamaLike(file), ...PERMUTED, model_type: 'minicpm', scale_emb: file.of('embedding_scale', 12),
      scale_depth: file.of('residual_scale', 1.4 / Math.sqrt(layers)) * Math.sqrt(layers), dim_model_base: Math.round(file.of('logit_scale', 256 / channels) * channels)
    }
  },
  'command-r': file => ({ ...llamaLike(file), model_type: 'cohere', logit_scale: file.of('logit_scale', 0.0625), use_qk_norm: file.has('blk.0.attn_q_norm.weight') }),
  'glm4': file => {
    const config = llamaLike(file)
    return { ...config, model_type: 'glm4', partial_rotary_factor: rotaryFraction(file, config), attention_bias: file.has('blk.0.attn_q.bias') }
  },
  'internlm2': file => ({ ...llamaLike(file), ...PERMUTED, model_type: 'internlm2', bias: file.has('blk.0.attn_q.bias') }),
  'exaone': file => ({
    ...llamaLike(file), model_type: 'exaone', num_layers: file.of('block_count'), layer_norm_epsilon: file.of('attention.layer_norm_rms_epsilon')
  })
}

/** The model types whose GGUF files are read. */
export const GGUF_TYPES = [
  'llama', 'mistral', 'mixtral', 'qwen2', 'qwen3', 'qwen3_moe', 'gemma', 'gemma2', 'gemma3_text', 'phi', 'phi3', 'gpt_neox', 'gpt2',
  'gpt_bigcode', 'bloom', 'falcon', 'starcoder2', 'olmo2', 'olmoe', 'granite', 'minicpm', 'cohere', 'glm4', 'internlm2', 'exaone'
]

/**
 * Names of tensors by module, for all layers.
 * @type {Record<string, string>}
 */
const MODULES = {
  'embed_tokens': 'token_embd', 'embed_positions': 'position_embd', 'embed_norm': 'token_embd_norm', 'norm': 'output_norm', 'lm_head': 'output',
  'input_layernorm': 'attn_norm', 'post_attention_layernorm': 'ffn_norm', 'pre_feedforward_layernorm': 'ffn_norm',
  'post_feedforward_layernorm': 'post_ffw_norm', 'self_attn.q_proj': 'attn_q', 'self_attn.k_proj': 'attn_k', 'self_attn.v_proj': 'attn_v',
  'self_attn.o_proj': 'attn_output', 'self_attn.q_norm': 'attn_q_norm', 'self_attn.k_norm': 'attn_k_norm', 'mlp.gate_proj': 'ffn_gate',
  'mlp.up_proj': 'ffn_up', 'mlp.down_proj': 'ffn_down', 'mlp.gate': 'ffn_gate_inp', 'mlp.experts.gate_proj': 'ffn_gate_exps',
  'mlp.experts.up_proj': 'ffn_up_exps', 'mlp.experts.down_proj': 'ffn_down_exps',
  // GPT-2's modules
  'wte': 'token_embd', 'wpe': 'position_embd', 'ln_f': 'output_norm', 'norm1': 'attn_norm', 'norm2': 'ffn_norm', 'self_attn.in_proj': 'attn_qkv',
  'self_attn.out_proj': 'attn_output', 'linear1': 'ffn_up', 'linear2': 'ffn_down'
}
/** Norms after attention. */
const AFTER = { post_attention_layernorm: 'post_attention_norm' }
/** Falcon-40b's two norms. */
const FALCON = { input_layernorm: 'attn_norm_2', post_attention_layernorm: 'attn_norm' }

/**
 * The tensor of the file that a tensor of the model is in.
 * @param {string} target key of the state dict @param {DecoderDescription} description
 * @param {(name: string) => boolean} has
 * @returns {Row}
 */
function rowOf(target, description, has) {
  const [, n, path = target] = /^(?:layers|h)\.(\d+)\.(.*)$/.exec(target) ?? []
  const [, module, suffix] = /** @type {RegExpExecArray} */ (/^(.*?)[._](weight|bias)$/.exec(path))
  const e = /\bexperts\.(\d+)\./.exec(module)?.[1], plain = module.replace(/\bexperts\.\d+\./, 'experts.')
  const { order, name, heads, kvHeads, headDim, feedForwardSize, isGated, experts: mixture } = description
  /** @type {Record<string, string>} */ const names = { ...MODULES, ...(order === 'post' || order === 'sandwich' ? AFTER : {}), ...(name === 'Falcon' && order === 'parallelNorms' ? FALCON : {}) }
  const layer = n === undefined ? '' : `blk.${n}.`, keyOf = (/** @type {string} */ tensor) => `${layer}${tensor}.${suffix}`
  const key = keyOf(names[plain] ?? plain)
  /** @param {string} fused @param {number} from @param {number} rows @param {number} total */
  const partOf = (fused, from, rows, total) =>
    ({ key: keyOf(fused), target, part: { groups: 1, total, from, rows } })
  if (e !== undefined && mixture) {
    const size = plain.endsWith('down_proj') ? description.channels : mixture.size ?? feedForwardSize
    return { key, target, part: { groups: 1, total: mixture.count * size, from: Number(e) * size, rows: size } }
  }
  const fusedAt = { 'self_attn.q_proj': 0, 'self_attn.k_proj': heads, 'self_attn.v_proj': heads + kvHeads }[plain]
  if (fusedAt !== undefined && !has(key) && has(`blk.${n}.attn_qkv.weight`)) {
    return partOf('attn_qkv', fusedAt * headDim, (plain.endsWith('q_proj') ? heads : kvHeads) * headDim, (heads + 2 * kvHeads) * headDim)
  }
  const isFusedGate = isGated && has(`blk.${n}.ffn_up.weight`) && !has(`blk.${n}.ffn_gate.weight`)
  if (isFusedGate && plain === 'mlp.gate_proj') return partOf('ffn_up', 0, feedForwardSize, 2 * feedForwardSize)
  if (isFusedGate && plain === 'mlp.up_proj') return partOf('ffn_up', feedForwardSize, feedForwardSize, 2 * feedForwardSize)
  return { key, target }
}

/**
 * The scaling of rotary frequencies, as rope_scaling of config.json.
 * @param {Settings} file @param {Map<string, Entry>} entries @returns {Generator<any, Config | undefined, any>}
 */
function* readScaling({ of }, entries) {
  const read = function* (/** @type {string} */ name) {
    const entry = entries.get(name)
    expect(!entry || entry.dtype === 'F32', 'format',
      () => `${entry?.source.name}: ${name} must have values of type F32, got ${entry?.dtype}`)
    return entry && Array.from(/** @type {Float32Array} */ (yield* readTensorValues(entry)))
  }
  const factors = yield* read('rope_freqs.weight'), long = yield* read('rope_factors_long.weight')
  const short = yield* read('rope_factors_short.weight')
  if (factors) return { rope_type: 'factors', factors }
  const original = of('rope.scaling.original_context_length')
  if (long || short) return { rope_type: 'longrope', long_factor: long, short_factor: short,
    original_max_position_embeddings: original, attention_factor: of('rope.scaling.attn_factor') }
  // A factor without a type is linear in llama.cpp; files of 2023 have it as scale_linear.
  const factor = of('rope.scaling.factor', of('rope.scale_linear')), type = of('rope.scaling.type', factor ? 'linear' : 'none')
  return type === 'none' ? undefined
    : { rope_type: type, factor, ...(original && { original_max_position_embeddings: original }) }
}

/** The settings and tensors that become those of rope_scaling. @type {Record<string, string>} */
const SCALING_NAMES = {
  'factor of rope_scaling': 'rope.scaling.factor', 'attention_factor of rope_scaling': 'rope.scaling.attn_factor',
  'original_max_position_embeddings of rope_scaling': 'rope.scaling.original_context_length', 'rope_scaling of type': 'rope.scaling.type'
}
const TENSOR_NAMES = {
  'factors of rope_scaling': 'rope_freqs.weight', 'long_factor of rope_scaling': 'rope_factors_long.weight',
  'short_factor of rope_scaling': 'rope_factors_short.weight'
}

/**
 * A function that puts the names of the file into messages about config.json.
 * @param {string} file @param {string} architecture @returns {(message: string) => string}
 */
function createRename(file, architecture) {
  const { model_type: _, rotary_layout: __, ...config } =
    ARCHITECTURES[architecture]({ of: name => name, has: () => false, shape: () => [] })
  const rotated = 'rope.dimension_count', settings = { ...config, partial_rotary_factor: rotated, rotary_pct: rotated, ...SCALING_NAMES }
  const named = Object.entries(settings).filter(([, key]) => typeof key === 'string').map(([name, key]) => [name, `${architecture}.${key}`])
  const names = { ...Object.fromEntries(named), ...TENSOR_NAMES }
  const pattern = new RegExp(`\\b(${Object.keys(names).sort((a, b) => b.length - a.length).join('|')})(?!\\w)`, 'g')
  return message => (/^config\.json(:| has)/.test(message)
    ? message.replace(/^config\.json has/, `${file}: ${architecture}.block_count gives`).replace(/^config\.json/, file)
        .replace(pattern, name => names[name]) : message)
}

/**
 * Reads the settings and the tensors' positions of a file.
 * @param {import('../files/source.js').Source} source
 * @returns {Generator<any, { config: Config, entries: Map<string, Entry>, metadata: Record<string, any>,
 *   rows: (description: any, state: Record<string, unknown>) => Row[], adjust: (description: any) => any, hasHead:
 *   boolean, rename: (message: string) => string }, any>}
 * @throws {import('../errors.js').GlassformerError} 'format' for another file or an architecture that is not supported
 */
export function* openGguf(source) {
  const { metadata, entries } = yield* readGguf(source), architecture = metadata['general.architecture']
  expect(typeof architecture === 'string' && Object.hasOwn(ARCHITECTURES, architecture), 'format', () => `${source.name}: the architecture ` +
    `${describe(architecture)} is not supported; supported are ${Object.keys(ARCHITECTURES).join(', ')}`)
  /** @type {Settings} */
  const file = {
    of: (name, fallback) => metadata[`${architecture}.${name}`] ?? fallback,
    has: name => entries.has(name),
    shape: name => entries.get(name)?.shape ?? []
  }
  expect(file.has('token_embd.weight'), 'format', () => `${source.name} has no token_embd.weight; is it a model, and its first part?`)
  const scaling = yield* readScaling(file, entries), hasHead = file.has('output.weight')
  checkRequired(source.name, metadata, architecture)
  checkLayers(source.name, metadata, architecture, entries.keys())
  checkGgufTokenizer(source.name, metadata)
  const config = {
    ...ARCHITECTURES[architecture](file), ...(scaling && { rope_scaling: scaling }), tie_word_embeddings: !hasHead,
    ...readTokenIds(source.name, metadata, file.shape('token_embd.weight')[0])
  }
  // All experts of a layer are one tensor with three axes.
  for (const [name, entry] of entries) if (entry.shape.length === 3) {
    const [count, rows, columns] = entry.shape
    entries.set(name, { ...entry, shape: [count * rows, columns] })
  }
  return {
    config: Object.fromEntries(Object.entries(config).filter(([, value]) => value !== undefined)),
    entries, metadata, hasHead, rename: createRename(source.name, architecture),
    rows: (description, state) => Object.keys(state).map(target => rowOf(target, description, file.has)),
    // The weights of Gemma's norms have the 1 that Hugging Face's classes add.
    adjust(description) {
      checkRotaryDims(source.name, metadata, architecture, description)
      return description.norm?.addsOne
        ? { ...description, norm: { ...description.norm, addsOne: false }, normsHaveOne: true } : description
    }
  }
}

/** Tensors that are read as settings. */
export const GGUF_IGNORED = [/^rope_(freqs|factors_(long|short))\.weight$/, /\.attn_rot_embd$/]
