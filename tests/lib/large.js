// Files of a model with GPT-2's architecture, random weights and an artificial byte-level BPE vocabulary.
import { mkdir, open, writeFile } from 'node:fs/promises'
import { ALPHABET } from '../../src/js/text/byte_level.js'

/** The sizes of GPT-2 small. `positions`: the maximum sequence length. */
export const SMALL = { layers: 12, channels: 768, heads: 12, vocabSize: 50257, positions: 1024 }

const BLOCK = 2 ** 20

/** Normal random numbers from a fixed seed. */
function normalNumbers(count, std) {
  let state = 1
  const uniform = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return (state + 0.5) / 2 ** 32
  }
  return Float32Array.from({ length: count }, () => (
    std * Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform())))
}

/** Hugging Face's keys with their shapes. */
function tensorShapes({ layers, channels: C, vocabSize, positions }) {
  const norm = name => [[`${name}.weight`, [C]], [`${name}.bias`, [C]]]
  const linear = (name, rows, cols) => [[`${name}.weight`, [rows, cols]], [`${name}.bias`, [cols]]]
  const layerShapes = prefix => [
    ...norm(`${prefix}.ln_1`), ...linear(`${prefix}.attn.c_attn`, C, 3 * C), ...linear(`${prefix}.attn.c_proj`, C, C),
    ...norm(`${prefix}.ln_2`), ...linear(`${prefix}.mlp.c_fc`, C, 4 * C), ...linear(`${prefix}.mlp.c_proj`, 4 * C, C)
  ]
  return [
    ['wte.weight', [vocabSize, C]], ['wpe.weight', [positions, C]],
    ...Array.from({ length: layers }, (_, n) => layerShapes(`h.${n}`)).flat(), ...norm('ln_f')
  ]
}

const sizeOf = shape => shape.reduce((size, side) => size * side, 1)

/** Writes the weights by repeating one block of random numbers; weights of norms are near 1. */
async function writeWeights(path, sizes) {
  const tensors = tensorShapes(sizes), randomNumbers = normalNumbers(BLOCK, 0.05),
    normWeights = randomNumbers.map(x => 1 + x)
  let offset = 0
  const header = JSON.stringify(Object.fromEntries(tensors.map(([name, shape]) => {
    const start = offset
    offset += 4 * sizeOf(shape)
    return [name, { dtype: 'F32', shape, data_offsets: [start, offset] }]
  })))
  const file = await open(path, 'w')
  const length = Buffer.alloc(8)
  length.writeBigUInt64LE(BigInt(header.length))
  await file.write(Buffer.concat([length, Buffer.from(header)]))
  for (const [n, [name, shape]] of tensors.entries()) {
    const values = /ln_\w+\.weight$/.test(name) ? normWeights : randomNumbers
    for (let remaining = sizeOf(shape), start = (n * 7919) % 4096; remaining > 0; start = 0) {
      const count = Math.min(remaining, BLOCK - start)
      await file.write(Buffer.from(values.buffer, 4 * start, 4 * count))
      remaining -= count
    }
  }
  await file.close()
  return offset
}

/** A vocabulary of all bytes, of merged tokens up to the size, and of the end token. */
function makeVocabulary(size) {
  const tokens = [...ALPHABET], merges = []
  const letters = ['Ġ', ...'etaoinshrdlucmfwypvbgkqjxz'], tokenSet = new Set(tokens), stems = [...letters]
  for (let i = 0; tokens.length < size - 1; i++) {
    for (const letter of letters) {
      const token = stems[i] + letter
      if (tokens.length === size - 1 || tokenSet.has(token) || letter === 'Ġ') continue
      tokenSet.add(token)
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
  const { layers, channels, heads, vocabSize, positions } = sizes
  const texts = { ...makeVocabulary(vocabSize), 'config.json': JSON.stringify({
    model_type: 'gpt2', n_layer: layers, n_embd: channels, n_head: heads, vocab_size: vocabSize, n_positions: positions,
    eos_token_id: vocabSize - 1
  }) }
  await mkdir(folder, { recursive: true })
  for (const [name, text] of Object.entries(texts)) await writeFile(`${folder}/${name}`, text)
  const bytes = await writeWeights(`${folder}/model.safetensors`, sizes)
  return { paths: [...Object.keys(texts), 'model.safetensors'].map(name => `${folder}/${name}`), bytes }
}
