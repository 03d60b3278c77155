// Files of a model with GPT-2's architecture, random weights and an artificial byte-level BPE vocabulary.
import { mkdir, open, writeFile } from 'node:fs/promises'
import { ALPHABET } from '../../src/js/text/byte_level.js'

/** The sizes of GPT-2 small. `words`: vocabulary size; `places`: maximum sequence length. */
export const SMALL = { layers: 12, channels: 768, heads: 12, words: 50257, places: 1024 }

const BLOCK = 2 ** 20

/** Normal random numbers from a fixed seed. */
function normals(count, std) {
  let state = 1
  const uniform = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return (state + 0.5) / 2 ** 32
  }
  return Float32Array.from({ length: count }, () => (
    std * Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform())))
}

/** Hugging Face's keys with their shapes. */
function shapes({ layers, channels: C, words, places }) {
  const norm = name => [[`${name}.weight`, [C]], [`${name}.bias`, [C]]]
  const dense = (name, rows, cols) => [[`${name}.weight`, [rows, cols]], [`${name}.bias`, [cols]]]
  const layer = at => [
    ...norm(`${at}.ln_1`), ...dense(`${at}.attn.c_attn`, C, 3 * C), ...dense(`${at}.attn.c_proj`, C, C),
    ...norm(`${at}.ln_2`), ...dense(`${at}.mlp.c_fc`, C, 4 * C), ...dense(`${at}.mlp.c_proj`, 4 * C, C)
  ]
  return [
    ['wte.weight', [words, C]], ['wpe.weight', [places, C]],
    ...Array.from({ length: layers }, (_, n) => layer(`h.${n}`)).flat(), ...norm('ln_f')
  ]
}

const sizeOf = shape => shape.reduce((size, side) => size * side, 1)

/** Writes the weights by repeating one block of random numbers; weights of norms are near 1. */
async function writeWeights(path, sizes) {
  const list = shapes(sizes), sampled = normals(BLOCK, 0.05), gains = sampled.map(x => 1 + x)
  let at = 0
  const header = JSON.stringify(Object.fromEntries(list.map(([name, shape]) => {
    const from = at
    at += 4 * sizeOf(shape)
    return [name, { dtype: 'F32', shape, data_offsets: [from, at] }]
  })))
  const file = await open(path, 'w')
  const length = Buffer.alloc(8)
  length.writeBigUInt64LE(BigInt(header.length))
  await file.write(Buffer.concat([length, Buffer.from(header)]))
  for (const [n, [name, shape]] of list.entries()) {
    const values = /ln_\w+\.weight$/.test(name) ? gains : sampled
    for (let left = sizeOf(shape), from = (n * 7919) % 4096; left > 0; from = 0) {
      const count = Math.min(left, BLOCK - from)
      await file.write(Buffer.from(values.buffer, 4 * from, 4 * count))
      left -= count
    }
  }
  await file.close()
  return at
}

/** A vocabulary of all bytes, of merged tokens up to the size, and of the end token. */
function vocabularyOf(size) {
  const tokens = [...ALPHABET], merges = []
  const letters = ['Ġ', ...'etaoinshrdlucmfwypvbgkqjxz'], known = new Set(tokens), stems = [...letters]
  for (let i = 0; tokens.length < size - 1; i++) {
    for (const letter of letters) {
      const token = stems[i] + letter
      if (tokens.length === size - 1 || known.has(token) || letter === 'Ġ') continue
      known.add(token)
      tokens.push(token)
      stems.push(token)
      merges.push(`${stems[i]} ${letter}`)
    }
  }
  tokens.push('<|endoftext|>')
  return { 'vocab.json': JSON.stringify(Object.fromEntries(tokens.map((token, id) => [token, id]))),
    'merges.txt': ['#version: 0.2', ...merges, ''].join('\n') }
}

/**
 * Writes such a model into a folder.
 * @param {string} folder @param {typeof SMALL} sizes @returns {Promise<{ paths: string[], bytes: number }>}
 */
export async function writeGpt2(folder, sizes) {
  const { layers, channels, heads, words, places } = sizes
  const texts = { ...vocabularyOf(words), 'config.json': JSON.stringify({
    model_type: 'gpt2', n_layer: layers, n_embd: channels, n_head: heads, vocab_size: words, n_positions: places,
    eos_token_id: words - 1
  }) }
  await mkdir(folder, { recursive: true })
  for (const [name, text] of Object.entries(texts)) await writeFile(`${folder}/${name}`, text)
  const bytes = await writeWeights(`${folder}/model.safetensors`, sizes)
  return { paths: [...Object.keys(texts), 'model.safetensors'].map(name => `${folder}/${name}`), bytes }
}
