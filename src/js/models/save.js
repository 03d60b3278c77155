import { describe, expect, expectOptions, formatShape } from '../errors.js'
import { BYTES } from '../files/header.js'
import { bytesAs } from '../files/values.js'
import { Module } from '../nn/module.js'
import { dtypeCode, buildFile } from '../files/safetensors.js'
import { add } from '../ops/binary.js'
import { sameShape } from '../tensor/shape.js'
import { Tokenizer } from '../text/tokenizer.js'
import { rowsOf, toHuggingFace } from './heads.js'
import { MarianTokenizer } from './marian_tokenizer.js'
import { mergedState } from './merge.js'
import { metaEngine } from './meta.js'
import { LanguageModel } from './model.js'
import { fileShape } from './plan.js'

/**
 * The inverse of models.load: a model's tensors under the keys and in the shapes that Hugging Face's classes use.
 * @typedef {import('./index.js').Origin} Origin
 * @typedef {import('./plan.js').Row} Row
 * @typedef {import('../tensor/tensor.js').Tensor} Tensor
 */

/** Required by Hugging Face's loaders for PyTorch weights. */
const METADATA = { format: 'pt' }
/** PyTorch's names of the dtypes that are written. @type {Record<string, string>} */
const TORCH_DTYPES = { F32: 'float32', F16: 'float16', BF16: 'bfloat16' }

/**
 * The transpose of a matrix.
 * @param {Uint8Array} bytes @param {number} width bytes per number @param {readonly number[]} shape
 */
function transposeBytes(bytes, width, [rows, cols]) {
  const values = new (width === 2 ? Uint16Array : Uint32Array)(bytes.slice().buffer), out = values.slice()
  for (let i = 0; i < rows; i++) for (let j = 0; j < cols; j++) out[j * rows + i] = values[i * cols + j]
  return new Uint8Array(out.buffer)
}

/** The i-th of n equal chunks. @param {Uint8Array} bytes @param {[number, number]} chunk */
const sliceChunk = (bytes, [i, n]) => bytes.slice(i * bytes.length / n, (i + 1) * bytes.length / n)

/**
 * The bytes of a tensor of the file that several tensors of the model are parts of.
 * @param {Row[]} rows with the same key @param {Record<string, Tensor>} state @param {string} dtype
 */
function fusedBytes(rows, state, dtype) {
  const all = rows.map(row => bytesAs(row.key, state[row.target], dtype))
  const out = new Uint8Array(all.reduce((sum, { length }) => sum + length, 0))
  for (const [i, { part }] of rows.entries()) {
    const { groups, total, from, rows: count } = /** @type {import('./plan.js').Part} */ (part)
    const bytes = out.length / (groups * total)
    for (let g = 0; g < groups; g++) {
      out.set(all[i].subarray(g * count * bytes, (g + 1) * count * bytes), (g * total + from) * bytes)
    }
  }
  return out
}

/** The bytes of one row of the table in the file. @param {Tensor} tensor @param {Row} row @param {string} dtype */
function parameterBytes(tensor, { key, chunk, isTransposed, hasOne }, dtype) {
  const all = bytesAs(key, hasOne ? add(tensor, -1) : tensor, dtype), ownBytes = chunk ? sliceChunk(all, chunk) : all
  return isTransposed ? transposeBytes(ownBytes, BYTES[dtype], tensor.shape) : ownBytes
}

/**
 * The config.json of the saved model.
 * @param {Origin} origin @param {Record<string, any>} changes @param {string} dtype of the matrices
 */
function buildConfig({ config, family }, changes, dtype) {
  const dtypeKey = 'dtype' in config ? 'dtype' : 'torch_dtype'
  return { ...config, model_type: family.type, ...changes, [dtypeKey]: TORCH_DTYPES[dtype] }
}

/** The submodule at a path. @param {any} model @param {string} path */
const moduleAt = (model, path) => path.split('.').reduce((at, name) => at?.[name], model)

/**
 * Checks that a model has exactly the tensors of its configuration: a module that was replaced by another kind has no
 * keys in Hugging Face's classes.
 * @param {LanguageModel} model @param {LanguageModel} original without values @param {Record<string, Tensor>} state
 */
function checkKeys(model, original, state) {
  const expected = original.stateDict()
  const parentPath = (/** @type {string} */ key) => key.slice(0, Math.max(0, key.lastIndexOf('.')))
  const describeModule = (/** @type {string} */ key) => {
    const path = parentPath(key), module = path === '' ? model : moduleAt(model, path)
    return `${path || 'the model'} is now ${module instanceof Module ? `a ${module.constructor.name}` : describe(module)}`
  }
  for (const [key, { shape }] of Object.entries(expected)) {
    const tensor = state[key]
    expect(tensor !== undefined, 'state', () => `models.save: ${key} is missing: ${describeModule(key)}, for which ` +
      'Hugging Face has no keys; restore a module with the same tensors, such as a Linear with the LoRA merged into it')
    expect(sameShape(tensor.shape, shape), 'state', () => `models.save: ${key} must have shape ${formatShape(shape)}, as ` +
      `config.json says, got ${formatShape(tensor.shape)}`)
  }
  const known = new Set(Object.keys(expected).map(key => state[key]))
  for (const [key, tensor] of Object.entries(state)) expect(known.has(tensor), 'state', () => `models.save: ${key} has ` +
    `no key in Hugging Face's class: ${describeModule(key)}; without it the file would be a different model`)
}

/** The model before any change, without values. @param {Origin} origin @returns {LanguageModel} */
export function buildOriginal({ family, settings }) {
  const engine = metaEngine()
  return engine.withoutInitialization(() => new family.Model(engine, settings))
}

/**
 * @param {Origin} origin @param {Record<string, Tensor>} state
 * @param {{ tokenizer: Tokenizer | null, pooling: LanguageModel['pooling'] }} others
 * @returns {Record<string, string | Uint8Array>}
 */
function writeFiles(origin, state, { tokenizer, pooling }) {
  const { settings, config, toKey } = toHuggingFace(origin.family, origin.settings)
  const rows = rowsOf(origin.family, settings, state)
  const parts = rows.filter(({ key }, i) => rows.findIndex(row => row.key === key) === i).map(row => {
    const tensor = state[row.target], dtype = dtypeCode(tensor), shape = fileShape(row, tensor.shape)
    const serialize = () => (row.part ? fusedBytes(rows.filter(({ key }) => key === row.key), state, dtype)
      : parameterBytes(tensor, row, dtype))
    return { name: toKey(row.key), dtype, shape: row.isRowVector ? [1, ...shape] : shape, serialize }
  })
  return {
    'config.json': `${JSON.stringify(buildConfig(origin, config, parts[0].dtype), null, 2)}\n`,
    'model.safetensors': buildFile(parts, METADATA),
    ...pooling?.files,
    ...(origin.generation && { 'generation_config.json': `${JSON.stringify(origin.generation, null, 2)}\n` }),
    ...(tokenizer instanceof MarianTokenizer ? tokenizer.files
      : tokenizer && { ...tokenizer.chatFiles, 'tokenizer.json': JSON.stringify(tokenizer) })
  }
}

/**
 * The files of a model, as Hugging Face's classes and `models.load` read them, with its current weights. int8 weights
 * are written as float32, which every reader supports. A Linear that was replaced by a module that is linear, too, such
 * as a Linear with LoRA, and the adapters of attentions are merged into its matrix, in float32.
 * @param {LanguageModel} model from `models.load`
 * @param {{ tokenizer?: import('../text/tokenizer.js').Tokenizer | null }} [options] tokenizer: saved as tokenizer.json
 * @returns {Record<string, string | Uint8Array>} config.json, model.safetensors, generation_config.json and the modules
 *   of a sentence embedding if the model was loaded with them, and tokenizer.json if a tokenizer is given, with the
 *   files of its chat template
 * @throws {import('../errors.js').GlassformerError} 'type' for a model that was not loaded from files, 'state' if a
 *   module was replaced by one that is not linear and has other tensors
 * @example
 * const file = new Uint8Array(28 + 4 * 68)        // a Llama of llama2.c: one layer of 2 channels, 3 tokens
 * new Int32Array(file.buffer).set([2, 4, 1, 1, 1, 3, 8])
 * const { model } = await gf.models.load({ 'tiny.bin': file })
 * const files = gf.models.save(model)
 * Object.keys(files)                              // ['config.json', 'model.safetensors']
 * JSON.parse(files['config.json']).architectures  // ['LlamaForCausalLM']
 */
export function save(model, options) {
  const { tokenizer = null } = expectOptions('models.save', options, ['tokenizer'])
  const origin = model instanceof LanguageModel ? model.origin : null
  expect(origin !== null, 'type', () => 'models.save: model must come from gf.models.load, which knows its keys in Hugging ' +
    `Face's class, got ${describe(model)}; gf.saveSafetensors(model.stateDict()) writes any module's weights`)
  expect(tokenizer === null || tokenizer instanceof Tokenizer, 'type',
    () => `models.save: tokenizer must come from gf.text.tokenizer, got ${describe(tokenizer)}`)
  return model.engine.tidy(() => {
    const original = buildOriginal(origin), state = mergedState(model, original)
    checkKeys(model, original, state)
    return writeFiles(origin, state, { tokenizer, pooling: model.pooling })
  })
}
