// llama.cpp in wllama's build, in a worker of a page, with one thread and 8-bit weights. It runs only in browsers.
import { Wllama } from '@wllama/wllama'
import { ALPHABET } from '../../../src/js/text/byte_level.js'
import { gguf } from './gguf.js'

const QUIET = { suppressNativeLog: true, logger: { debug() {}, log() {}, warn() {}, error: console.error } }

/** The GGUF file of a GPT-2 of the library, with a placeholder vocabulary. */
function fileOf(model, { heads, eps }) {
  const [V, C] = model.wte.weight.shape, [positions] = model.wpe.weight.shape, [inner] = model.h[0].linear1.weight.shape
  const tokens = Array.from({ length: V }, (_, id) => ALPHABET[id] ?? `word${id}`)
  const metadata = {
    'general.architecture': ['string', 'gpt2'], 'general.name': ['string', 'random'], 'gpt2.block_count': ['u32', model.h.length],
    'gpt2.context_length': ['u32', positions], 'gpt2.embedding_length': ['u32', C], 'gpt2.feed_forward_length': ['u32', inner],
    'gpt2.attention.head_count': ['u32', heads], 'gpt2.attention.layer_norm_epsilon': ['f32', eps],
    'tokenizer.ggml.model': ['string', 'gpt2'], 'tokenizer.ggml.pre': ['string', 'gpt-2'],
    'tokenizer.ggml.tokens': ['array', ['string', tokens]], 'tokenizer.ggml.token_type': ['array', ['i32', tokens.map(() => 1)]],
    'tokenizer.ggml.merges': ['array', ['string', ['a b']]], 'tokenizer.ggml.eos_token_id': ['u32', V - 1]
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
 * Decoding of one token after the tokens `past`, as one side of a work.
 * @param {import('../../../src/js/models/gpt2.js').GPT2} model @param {{ heads: number, eps: number }} sizes
 * @param {number[]} past @param {number} last
 */
export async function wllamaDecoder(model, sizes, past, last) {
  const wllama = new Wllama({ 'single-thread/wllama.wasm': 'wllama.wasm' }, QUIET)
  await wllama.loadModel([fileOf(model, sizes)], { n_threads: 1, n_ctx: 512, n_batch: 512 })
  await wllama.decode(past, {})
  return {
    /** The milliseconds of one token, with the communication with the worker, without removing the token again. */
    async time() {
      const start = performance.now()
      await wllama.decode([last], {})
      const ms = performance.now() - start
      await wllama.kvRemove(past.length, -1)
      return ms
    },
    /** The log probabilities of all tokens. */
    async logProbabilities() {
      await wllama.decode([last], {})
      const list = await wllama.getLogits(-1), logs = new Float32Array(list.length)
      for (const { token, p } of list) logs[token] = Math.log(p)
      await wllama.kvRemove(past.length, -1)
      return logs
    }
  }
}
