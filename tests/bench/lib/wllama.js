// llama.cpp in wllama's build, in workers of a page. It runs only in browsers.
import { Wllama } from '@wllama/wllama'
import { ALPHABET } from '../../../src/js/text/byte_level.js'
import { gguf, randomBlocks } from './gguf.js'

const QUIET = { suppressNativeLog: true, logger: { debug() {}, log() {}, warn() {}, error: console.error } }

/** The metadata of a byte-level vocabulary of so many tokens, most of them placeholders. */
const vocabularyOf = size => ({
  'tokenizer.ggml.model': ['string', 'gpt2'], 'tokenizer.ggml.pre': ['string', 'gpt-2'],
  'tokenizer.ggml.tokens': ['array', ['string', Array.from({ length: size }, (_, id) => [...ALPHABET, 'ab'][id] ?? `word${id}`)]],
  'tokenizer.ggml.token_type': ['array', ['i32', Array(size).fill(1)]],
  'tokenizer.ggml.merges': ['array', ['string', ['a b']]], 'tokenizer.ggml.eos_token_id': ['u32', size - 1]
})

/**
 * The GGUF file of a Llama with random weights in blocks and tied embeddings.
 * @param {{ channels: number, layers: number, heads: number, kvHeads: number, inner: number, vocabSize: number,
 *   base: number }} shape @param {Parameters<typeof randomBlocks>[0]} dtype
 */
export async function randomLlama({ channels: C, layers, heads, kvHeads, inner, vocabSize, base }, dtype) {
  const headSize = C / heads, numbers = {
    'block_count': layers, 'context_length': 1024, 'embedding_length': C, 'feed_forward_length': inner, 'vocab_size': vocabSize,
    'attention.head_count': heads, 'attention.head_count_kv': kvHeads, 'rope.dimension_count': headSize
  }
  const metadata = {
    'general.architecture': ['string', 'llama'], 'general.name': ['string', 'random'],
    ...Object.fromEntries(Object.entries(numbers).map(([name, value]) => [`llama.${name}`, ['u32', value]])),
    'llama.attention.layer_norm_rms_epsilon': ['f32', 1e-5], 'llama.rope.freq_base': ['f32', base], ...vocabularyOf(vocabSize)
  }
  const norm = { shape: [C], data: new Float32Array(C).fill(1) }, kv = kvHeads * headSize
  const matrices = {
    attn_q: [C, C], attn_k: [kv, C], attn_v: [kv, C], attn_output: [C, C],
    ffn_gate: [inner, C], ffn_up: [inner, C], ffn_down: [C, inner]
  }
  const tensors = { 'token_embd.weight': randomBlocks(dtype, vocabSize, C), 'output_norm.weight': norm }
  for (let i = 0; i < layers; i++) {
    tensors[`blk.${i}.attn_norm.weight`] = tensors[`blk.${i}.ffn_norm.weight`] = norm
    for (const [name, sides] of Object.entries(matrices)) tensors[`blk.${i}.${name}.weight`] = randomBlocks(dtype, ...sides)
  }
  return onDisk(gguf(metadata, tensors))
}

/**
 * A file of the origin's private file system: Chromium cannot keep a Blob of 700 MB in memory.
 * @param {BlobPart[]} parts
 */
async function onDisk(parts) {
  const root = await navigator.storage.getDirectory(), handle = await root.getFileHandle('model.gguf', { create: true })
  const stream = await handle.createWritable()
  for (const part of parts) await stream.write(part)
  await stream.close()
  return handle.getFile()
}

/** The GGUF file of a GPT-2 of the library, with a placeholder vocabulary. */
function fileOf(model, { heads, eps }) {
  const [V, C] = model.wte.weight.shape, [positions] = model.wpe.weight.shape, [inner] = model.h[0].linear1.weight.shape
  const metadata = {
    'general.architecture': ['string', 'gpt2'], 'general.name': ['string', 'random'], 'gpt2.block_count': ['u32', model.h.length],
    'gpt2.context_length': ['u32', positions], 'gpt2.embedding_length': ['u32', C], 'gpt2.feed_forward_length': ['u32', inner],
    'gpt2.attention.head_count': ['u32', heads], 'gpt2.attention.layer_norm_epsilon': ['f32', eps],
    ...vocabularyOf(V)
  }
  const tensors = {
    'token_embd.weight': model.wte.weight, 'position_embd.weight': { ...plain(model.wpe.weight), isFloat32: true },
    'output_norm.weight': model.ln_f.weight, 'output_norm.bias': model.ln_f.bias
  }
  for (const [i, layer] of [...model.h].entries()) {
    const { self_attn: { in_proj_weight, in_proj_bias, out_proj }, norm1, norm2, linear1, linear2 } = layer
    const modules = {
      attn_norm: norm1, attn_qkv: { weight: in_proj_weight, bias: in_proj_bias }, attn_output: out_proj,
      ffn_norm: norm2, ffn_up: linear1, ffn_down: linear2
    }
    for (const [name, { weight, bias }] of Object.entries(modules)) {
      tensors[`blk.${i}.${name}.weight`] = weight
      tensors[`blk.${i}.${name}.bias`] = bias
    }
  }
  return new Blob(gguf(metadata, Object.fromEntries(Object.entries(tensors).map(([name, t]) => [name, plain(t)]))))
}

const plain = tensor => ({ shape: tensor.shape, data: tensor.data, isFloat32: Object.hasOwn(tensor, 'isFloat32') })

/**
 * llama.cpp with a model.
 * @param {Blob} file @param {number} [threads]
 */
export async function openWllama(file, threads = 1) {
  const folder = threads > 1 ? 'multi-thread' : 'single-thread'
  const wllama = new Wllama({ [`${folder}/wllama.wasm`]: `wllama-${folder}.wasm` }, QUIET)
  await wllama.loadModel([file], { n_threads: threads, n_ctx: 512, n_batch: 512 })
  const forget = past => (past ? wllama.kvRemove(past, -1) : wllama.kvClear())
  return {
    /** The milliseconds of some tokens after those in the cache, which are then removed from it again. */
    async time(tokens, past = 0) {
      const start = performance.now()
      await wllama.decode(tokens, {})
      const ms = performance.now() - start
      await forget(past)
      return ms
    },
    /** Adds tokens to the cache. */
    add: tokens => wllama.decode(tokens, {}),
    /** The log probabilities of all tokens after some more. */
    async logProbabilities(tokens, past = 0) {
      await wllama.decode(tokens, {})
      const list = await wllama.getLogits(-1), logs = new Float32Array(list.length)
      for (const { token, p } of list) logs[token] = Math.log(p)
      await forget(past)
      return logs
    }
  }
}

/**
 * Decoding of one token after the tokens `past`, as one side of a work.
 * @param {import('../../../src/js/models/gpt2.js').GPT2} model @param {{ heads: number, eps: number }} sizes
 * @param {number[]} past @param {number} last
 */
export async function wllamaDecoder(model, sizes, past, last) {
  const wllama = await openWllama(fileOf(model, sizes))
  await wllama.add(past)
  return {
    time: () => wllama.time([last], past.length),
    logProbabilities: () => wllama.logProbabilities([last], past.length)
  }
}
