import { describe, expect, optionsOf, shapeText } from '../errors.js'
import { BYTES } from '../files/header.js'
import { bytesAs } from '../files/values.js'
import { Module } from '../nn/module.js'
import { codeOf, fileOf } from '../safetensors.js'
import { sameShape } from '../shape.js'
import { Tokenizer } from '../text/tokenizer.js'
import { metaEngine } from './meta.js'
import { LanguageModel } from './model.js'
import { shapeInFile } from './plan.js'

/**
 * The inverse of reading: a model's tensors under the keys, in the shapes and in the order of rows that Hugging Face's
 * classes write them in.
 * @typedef {import('./index.js').Origin} Origin
 * @typedef {import('./plan.js').Row} Row
 * @typedef {import('../tensor.js').Tensor} Tensor
 */

/** What Hugging Face's loaders look for in a file of PyTorch's weights. */
const METADATA = { format: 'pt' }
/** What PyTorch calls the dtype that the matrices are written as. @type {Record<string, string>} */
const TORCH = { F32: 'float32', F16: 'float16', BF16: 'bfloat16' }

/**
 * A matrix with rows for columns.
 * @param {Uint8Array} bytes @param {number} width of a number in bytes @param {readonly number[]} shape
 */
function turned(bytes, width, [rows, cols]) {
  const from = new (width === 2 ? Uint16Array : Uint32Array)(bytes.slice().buffer), to = from.slice()
  for (let i = 0; i < rows; i++) for (let j = 0; j < cols; j++) to[j * rows + i] = from[i * cols + j]
  return new Uint8Array(to.buffer)
}

/**
 * Rows whose pairs stand side by side, half a head apart.
 * @param {Uint8Array} bytes @param {number} rows all of them @param {number} size of a head
 */
function halved(bytes, rows, size) {
  const row = bytes.length / rows, out = new Uint8Array(bytes.length)
  for (let i = 0; i < rows; i++) {
    const at = i % size, to = i - at + (at % 2) * size / 2 + Math.floor(at / 2)
    out.set(bytes.subarray(i * row, (i + 1) * row), to * row)
  }
  return out
}

/** The i-th of n blocks of one size. @param {Uint8Array} bytes @param {[number, number]} part */
const blockOf = (bytes, [i, n]) => bytes.slice(i * bytes.length / n, (i + 1) * bytes.length / n)

/** @param {Tensor} tensor @param {Row} row @param {string} dtype */
function bytesOf(tensor, { key, part, transposed, pairs }, dtype) {
  const all = bytesAs(key, tensor, dtype), own = part ? blockOf(all, part) : all
  if (transposed) return turned(own, BYTES[dtype], tensor.shape)
  return pairs ? halved(own, tensor.shape[0], pairs) : own
}

/**
 * What a configuration says of the model as it is written.
 * @param {Origin} origin @param {Record<string, any>} own @param {string} dtype of the matrices
 */
function configOf({ config, kind }, own, dtype) {
  const named = 'dtype' in config ? 'dtype' : 'torch_dtype'
  return { ...config, model_type: kind.type, ...own, [named]: TORCH[dtype] }
}

/**
 * A module inside, by its path. @param {any} model @param {string} path
 */
const moduleAt = (model, path) => path.split('.').reduce((at, name) => at?.[name], model)

/**
 * Whether a model still has the tensors that its configuration promises, and no others: what was put in the place of a
 * module has no keys at Hugging Face.
 * @param {LanguageModel} model @param {Origin} origin @param {Record<string, Tensor>} state
 */
function expectKeys(model, { kind, settings }, state) {
  const engine = metaEngine()
  const expected = engine.withoutInitialization(() => new kind.Model(engine, settings)).stateDict()
  const owner = (/** @type {string} */ key) => key.slice(0, Math.max(0, key.lastIndexOf('.')))
  const there = (/** @type {string} */ key) => {
    const path = owner(key), module = path === '' ? model : moduleAt(model, path)
    return `${path || 'the model'} is ${module instanceof Module ? `a ${module.constructor.name}` : describe(module)} now`
  }
  for (const [key, { shape }] of Object.entries(expected)) {
    const own = state[key]
    expect(own !== undefined, 'state', () => `models.save: ${key} is missing: ${there(key)}, for which ` +
      'Hugging Face has no keys; put a module with the same tensors back, such as a Linear with a LoRA merged into it')
    expect(sameShape(own.shape, shape), 'state', () => `models.save: ${key} must have shape ${shapeText(shape)}, as ` +
      `config.json says, got ${shapeText(own.shape)}`)
  }
  const known = new Set(Object.keys(expected).map(key => state[key]))
  for (const [key, tensor] of Object.entries(state)) expect(known.has(tensor), 'state', () => `models.save: ${key} has ` +
    `no key at Hugging Face: ${there(key)}; without it the file would be of another model`)
}

/**
 * The files of a model as Hugging Face's classes write and read them, and `models.load`: what was changed or trained
 * since it was loaded goes along. Weights of 8 bits are written as float32, which every reader knows; the rows that
 * llama2.c's files have in an order of their own are put into Hugging Face's.
 * @param {LanguageModel} model of `models.load`
 * @param {{ tokenizer?: import('../text/tokenizer.js').Tokenizer | null }} [options] tokenizer: to go along
 * @returns {Record<string, string | Uint8Array>} config.json, model.safetensors, generation_config.json where the model
 *   came with one, and tokenizer.json where there is a tokenizer
 * @throws {import('../errors.js').GlassformerError} 'type' for a model that was not loaded from files, 'state' for one
 *   in which a module was replaced by one with other tensors, by name
 * @example
 * const file = new Uint8Array(28 + 4 * 68)        // a Llama as llama2.c writes it: one layer of 2 channels, 3 words
 * new Int32Array(file.buffer).set([2, 4, 1, 1, 1, 3, 8])
 * const { model } = await gf.models.load({ 'tiny.bin': file })
 * const files = gf.models.save(model)
 * Object.keys(files)                              // ['config.json', 'model.safetensors']
 * JSON.parse(files['config.json']).architectures  // ['LlamaForCausalLM']
 */
export function save(model, options) {
  const { tokenizer = null } = optionsOf('models.save', options, ['tokenizer'])
  const origin = model instanceof LanguageModel ? model.origin : null
  expect(origin !== null, 'type', () => 'models.save: model must be one of gf.models.load, which has keys at Hugging ' +
    `Face, got ${describe(model)}; gf.saveSafetensors(model.stateDict()) writes any module's weights`)
  expect(tokenizer === null || tokenizer instanceof Tokenizer, 'type',
    () => `models.save: tokenizer must be one of gf.text.tokenizer, got ${describe(tokenizer)}`)
  const { settings, config, keyOf } = origin.kind.written(origin.settings), state = model.stateDict()
  expectKeys(model, origin, state)
  const parts = origin.kind.rows(settings).map(row => {
    const tensor = state[row.own], dtype = codeOf(tensor), shape = shapeInFile(row, tensor.shape)
    const make = () => bytesOf(tensor, row, dtype)
    return { name: keyOf(row.key), dtype, shape: row.isRow ? [1, ...shape] : shape, make }
  })
  return {
    'config.json': `${JSON.stringify(configOf(origin, config, parts[0].dtype), null, 2)}\n`,
    'model.safetensors': fileOf(parts, METADATA),
    ...(origin.generation && { 'generation_config.json': `${JSON.stringify(origin.generation, null, 2)}\n` }),
    ...(tokenizer && { 'tokenizer.json': JSON.stringify(tokenizer) })
  }
}
