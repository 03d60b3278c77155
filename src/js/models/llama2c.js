import { expect } from '../errors.js'
import { buildArray } from './model.js'

/**
 * The .bin files of llama2.c: sizes, then all weights in float32, grouped by kind, each for all layers in a row. The
 * tensors get Hugging Face's names; the channels of a rotary pair are adjacent.
 * @typedef {import('../files/header.js').Entry} Entry
 * @typedef {import('../files/source.js').Source} Source
 */

/** Version 0 has no magic number, only sizes. */
const SIZES_BYTES = 28
const MAGIC = 0x616b3432, HEADER_BYTES = 256

/**
 * @typedef {{ dim: number, hidden: number, layers: number, heads: number, kvHeads: number, vocabSize: number,
 *   length: number }} Sizes
 */

/** @param {DataView} view @param {number} at @returns {Sizes} */
function readSizes(view, at) {
  const [dim, hidden, layers, heads, kvHeads, vocabSize, length] = buildArray(7, i => view.getInt32(at + 4 * i, true))
  return { dim, hidden, layers, heads, kvHeads, vocabSize, length }
}

/**
 * The tensors of the file in order: a name (with {n} for the layer) and the shape of one.
 * @param {Sizes} sizes @param {boolean} isLegacy version 0 @param {boolean} isTied
 * @returns {[string, ...number[]][]}
 */
function tensorLayout({ dim: C, hidden: I, heads, kvHeads, vocabSize, length }, isLegacy, isTied) {
  const V = Math.abs(vocabSize), kv = C / heads * kvHeads
  /** @type {[string, ...number[]]} */ const embedding = ['embed_tokens.weight', V, C]
  /** @type {[string, ...number[]]} */ const inputNorm = ['layers.{n}.input_layernorm.weight', C]
  /** @type {[string, ...number[]]} */ const attentionNorm = ['layers.{n}.post_attention_layernorm.weight', C]
  /** @type {[string, ...number[]]} */ const finalNorm = ['norm.weight', C]
  /** @type {[string, ...number[]][]} */ const attention = [
    ['layers.{n}.self_attn.q_proj.weight', C, C], ['layers.{n}.self_attn.k_proj.weight', kv, C],
    ['layers.{n}.self_attn.v_proj.weight', kv, C], ['layers.{n}.self_attn.o_proj.weight', C, C]
  ]
  /** @type {[string, ...number[]][]} */ const feedForward = [
    ['layers.{n}.mlp.gate_proj.weight', I, C], ['layers.{n}.mlp.down_proj.weight', C, I],
    ['layers.{n}.mlp.up_proj.weight', I, C]
  ]
  /** @type {[string, ...number[]][]} */ const head = isTied ? [] : [['lm_head.weight', V, C]]
  // Version 0 has the cosines and sines of all positions before the head; they are not read.
  if (isLegacy) return [embedding, inputNorm, ...attention, attentionNorm, ...feedForward, finalNorm, ['rotary', length, C / heads], ...head]
  return [inputNorm, attentionNorm, finalNorm, embedding, ...attention, ...feedForward, ...head]
}

/**
 * Reads the header of such a file.
 * @param {Source} source
 * @returns {Generator<any, { config: Record<string, any>, entries: Map<string, Entry> }, any>}
 * @throws {import('../errors.js').GlassformerError} 'format' for any other file
 */
export function* openLlama2c(source) {
  const { name, size, read } = source
  expect(size >= SIZES_BYTES, 'format', () => `${name} must be a .bin of llama2.c, got ${size} bytes`)
  const head = /** @type {Uint8Array} */ (yield read(0, Math.min(size, HEADER_BYTES)))
  const view = new DataView(head.buffer, head.byteOffset, head.length), isLegacy = view.getUint32(0, true) !== MAGIC
  const version = isLegacy ? 0 : view.getInt32(4, true)
  expect(version < 2, 'format',
    () => `${name}: version ${version} of llama2.c's format is not supported; expected 0 or 1`)
  const sizes = readSizes(view, isLegacy ? 0 : 8), { dim, hidden, layers, heads, kvHeads, vocabSize, length } = sizes
  const hasValidSizes = vocabSize !== 0 &&
    [dim, hidden, layers, heads, kvHeads, length].every(n => n > 0 && n < 2 ** 24)
  expect(hasValidSizes && dim % heads === 0 && heads % kvHeads === 0, 'format',
    () => `${name} must begin with the seven sizes of a Llama, got ${Object.values(sizes).join(', ')}`)
  const isTied = isLegacy ? vocabSize > 0 : head[SIZES_BYTES + 8] === 1
  const layout = tensorLayout(sizes, isLegacy, isTied).map(([key, ...shape]) => ({
    key, shape, count: key.includes('{n}') ? layers : 1, bytes: 4 * shape.reduce((product, side) => product * side, 1)
  }))
  const dataStart = isLegacy ? SIZES_BYTES : HEADER_BYTES
  // Checked before entries are created for each layer: a header may claim millions.
  const end = layout.reduce((sum, { count, bytes }) => sum + count * bytes, dataStart)
  expect(end === size, 'format', () => `${name} must have ${end} bytes for its sizes, got ${size}`)
  /** @type {Map<string, Entry>} */ const entries = new Map()
  let at = dataStart
  for (const { key, shape, count, bytes } of layout) {
    for (let n = 0; n < count; n++) {
      const from = at
      at += bytes
      if (key !== 'rotary') entries.set(key.replace('{n}', String(n)), { source, dtype: 'F32', shape, from, to: at })
    }
  }
  const config = {
    model_type: 'llama', hidden_size: dim, intermediate_size: hidden, num_hidden_layers: layers,
    num_attention_heads: heads, num_key_value_heads: kvHeads, vocab_size: Math.abs(vocabSize),
    max_position_embeddings: length, rms_norm_eps: 1e-5, rope_theta: 10000, tie_word_embeddings: isTied,
    rotary_layout: 'interleaved'
  }
  return { config, entries }
}
