import { expect } from '../errors.js'
import { times } from './model.js'

/**
 * llama2.c's .bin: sizes, then all weights in float32, in an order of its own, every kind for all layers in a row. The
 * tensors get Hugging Face's names; their pairs for the rotation stand side by side.
 * @typedef {import('../files/header.js').Entry} Entry
 * @typedef {import('../files/source.js').Source} Source
 */

/** The first version has no mark, only sizes. */
const SIZES = 28
const MAGIC = 0x616b3432, HEADER = 256

/**
 * @typedef {{ dim: number, hidden: number, layers: number, heads: number, kvHeads: number, words: number,
 *   length: number }} Sizes
 */

/** @param {DataView} view @param {number} at @returns {Sizes} */
function sizesAt(view, at) {
  const [dim, hidden, layers, heads, kvHeads, words, length] = times(7, i => view.getInt32(at + 4 * i, true))
  return { dim, hidden, layers, heads, kvHeads, words, length }
}

/**
 * What stands in the file, in order: a name (with {n} for layers) and the shape of one.
 * @param {Sizes} sizes @param {boolean} isFirst version @param {boolean} isTied
 * @returns {[string, ...number[]][]}
 */
function contents({ dim: C, hidden: I, heads, kvHeads, words, length }, isFirst, isTied) {
  const V = Math.abs(words), kv = C / heads * kvHeads
  /** @type {[string, ...number[]]} */ const words_ = ['embed_tokens.weight', V, C]
  /** @type {[string, ...number[]]} */ const first = ['layers.{n}.input_layernorm.weight', C]
  /** @type {[string, ...number[]]} */ const second = ['layers.{n}.post_attention_layernorm.weight', C]
  /** @type {[string, ...number[]]} */ const last = ['norm.weight', C]
  /** @type {[string, ...number[]][]} */ const attention = [
    ['layers.{n}.self_attn.q_proj.weight', C, C], ['layers.{n}.self_attn.k_proj.weight', kv, C],
    ['layers.{n}.self_attn.v_proj.weight', kv, C], ['layers.{n}.self_attn.o_proj.weight', C, C]
  ]
  /** @type {[string, ...number[]][]} */ const inner = [
    ['layers.{n}.mlp.gate_proj.weight', I, C], ['layers.{n}.mlp.down_proj.weight', C, I],
    ['layers.{n}.mlp.up_proj.weight', I, C]
  ]
  /** @type {[string, ...number[]][]} */ const head = isTied ? [] : [['lm_head.weight', V, C]]
  // The first version has the cosines and sines of all places before the head; they follow from the sizes.
  if (isFirst) return [words_, first, ...attention, second, ...inner, last, ['rotary', length, C / heads], ...head]
  return [first, second, last, words_, ...attention, ...inner, ...head]
}

/**
 * Reads the header of such a file.
 * @param {Source} source
 * @returns {Generator<any, { config: Record<string, any>, entries: Map<string, Entry> }, any>}
 * @throws {import('../errors.js').GlassformerError} 'format' when it is none
 */
export function* openLlama2c(source) {
  const { name, size, read } = source
  expect(size >= SIZES, 'format', () => `${name} must be a .bin of llama2.c, got ${size} bytes`)
  const head = /** @type {Uint8Array} */ (yield read(0, Math.min(size, HEADER)))
  const view = new DataView(head.buffer, head.byteOffset, head.length), isFirst = view.getUint32(0, true) !== MAGIC
  const version = isFirst ? 0 : view.getInt32(4, true)
  expect(version < 2, 'format',
    () => `${name}: version ${version} of llama2.c's format is not understood; expected 0 or 1`)
  const sizes = sizesAt(view, isFirst ? 0 : 8), { dim, hidden, layers, heads, kvHeads, words, length } = sizes
  const areSizes = [dim, hidden, layers, heads, kvHeads, length].every(n => n > 0 && n < 2 ** 24) && words !== 0
  expect(areSizes && dim % heads === 0 && heads % kvHeads === 0, 'format',
    () => `${name} must begin with seven sizes of a Llama, got ${Object.values(sizes).join(', ')}`)
  const isTied = isFirst ? words > 0 : head[SIZES + 8] === 1
  const kinds = contents(sizes, isFirst, isTied).map(([key, ...shape]) => ({
    key, shape, count: key.includes('{n}') ? layers : 1, bytes: 4 * shape.reduce((product, side) => product * side, 1)
  }))
  const first = isFirst ? SIZES : HEADER
  // Before anything is made for each layer: a header may claim millions.
  const end = kinds.reduce((sum, { count, bytes }) => sum + count * bytes, first)
  expect(end === size, 'format', () => `${name} must have ${end} bytes for its sizes, got ${size}`)
  /** @type {Map<string, Entry>} */ const entries = new Map()
  let at = first
  for (const { key, shape, count, bytes } of kinds) {
    for (let n = 0; n < count; n++) {
      const from = at
      at += bytes
      if (key !== 'rotary') entries.set(key.replace('{n}', String(n)), { source, dtype: 'F32', shape, from, to: at })
    }
  }
  const config = {
    model_type: 'llama', hidden_size: dim, intermediate_size: hidden, num_hidden_layers: layers,
    num_attention_heads: heads, num_key_value_heads: kvHeads, vocab_size: Math.abs(words),
    max_position_embeddings: length, rms_norm_eps: 1e-5, rope_theta: 10000, tie_word_embeddings: isTied,
    rotary_layout: 'interleaved'
  }
  return { config, entries }
}
