import { DTYPES, isBlockType } from '../tensor/dtype.js'
import { describe, expect, expectOneOf, expectOptions } from '../errors.js'
import { convertInto } from '../ops/convert.js'
import { chooseTypes } from '../tensor/block_weights.js'
import { getPanels } from '../tensor/panels.js'
import { Module } from './module.js'
import { Parameter } from './parameter.js'

/** @typedef {'float16' | 'bfloat16' | 'int8' | 'q8_0' | 'q4_0' | 'q4_k'} StoredType */

/** The types in which weights can be stored. */
export const STORED_TYPES = /** @type {readonly StoredType[]} */ (['float16', 'bfloat16', 'int8', 'q8_0', 'q4_0', 'q4_k'])

/** Moves a weight into panels if possible, which also checks that its values are finite. @param {Parameter} weight */
export const prepareWeight = weight => isBlockType(weight.dtype) || getPanels(weight, 0, weight.shape[0])

/**
 * @param {Parameter} weight @param {import('../tensor/dtype.js').DType} dtype
 * @param {string} name for messages
 */
function convertWeight(weight, dtype, name) {
  /** @type {Parameter | undefined} */ let own
  try {
    own = new Parameter(weight.engine, weight.shape, undefined, dtype, true)
    convertInto(own, weight)
    prepareWeight(own)
    return own
  } catch (error) {
    own?.dispose()
    if (error instanceof Error) error.message = `quantize: ${name}: ${error.message}`
    throw error
  }
}

/** A test of whether the path of a module or a parameter leads into an adapter. @param {Module} model */
function adapterTest(model) {
  const isAdapter = (/** @type {Module} */ { constructor }) => /** @type {typeof Module} */ (constructor).isAdapter
  const adapters = model.namedModules().filter(([, module]) => isAdapter(module)).map(([path]) => `${path}.`)
  return (/** @type {string} */ path) => adapters.some(adapter => `${path}.`.startsWith(adapter))
}

/**
 * Stores the matrices of a model (of Linear, Embedding and MultiheadAttention) in fewer bits, which takes less memory
 * and often less time. These weights can no longer be trained, nor can the model's others until requiresGrad is set;
 * gradients flow through them to layers that are added, such as LoRA's (this is QLoRA). An adapter of
 * `models.addAdapter` stays as it is.
 * @template {Module} M @param {M} model
 * @param {{ dtype?: StoredType }} [options] dtype: 'int8' (integers with a scale for each block of 32), 'float16',
 *   'bfloat16', or a format of GGUF: 'q8_0' (8.5 bits a value), 'q4_0' or 'q4_k' (4.5 bits), for which the kernels
 *   are loaded once with `await gf.loadBlocks()`. Their rows are blocks of 32, of q4_k of 256 values; a matrix with
 *   other rows is stored in q8_0 or, if they are not multiples of 32 either, as bfloat16; default: 'int8'
 * @returns {M} the model itself, changed
 * @throws {import('../errors.js').GlassformerError} 'range' for a weight that the type cannot represent, 'shape' if
 *   no matrix has rows of whole blocks; the weights before the first refused one are changed already; 'state' without
 *   loadBlocks
 * @example
 * const layer = gf.quantize(new gf.nn.Linear(32, 8), { dtype: 'int8' })
 * layer.weight.dtype                              // 'int8'
 */
export function quantize(model, options) {
  expect(model instanceof Module, 'type', () => `quantize: model must be a module, got ${describe(model)}`)
  const given = expectOptions('quantize', options, ['dtype']).dtype ?? 'int8'
  const dtype = expectOneOf('quantize', 'dtype', given, STORED_TYPES)
  const [{ engine } = {}] = model.parameters()
  expect(!DTYPES[dtype].block || !engine || Boolean(engine.c.gf_blocks_pack), 'state',
    () => `quantize: the kernels for ${dtype} are not loaded yet; write await gf.loadBlocks() before`)
  /** @type {Map<Parameter, Parameter>} */ const converted = new Map()
  const isInAdapter = adapterTest(model)
  const modules = model.namedModules().filter(([path]) => !isInAdapter(path))
  const matrices = modules.flatMap(([path, module]) => Object.entries(module)
    .filter(([, own]) => own instanceof Parameter && own.isMatrix)
    .map(([name, own]) => ({ module, name, own: /** @type {Parameter} */ (own), key: path ? `${path}.${name}` : name })))
  const types = chooseTypes('quantize', matrices.map(({ key, own }) => [key, own]), dtype)
  for (const { module, name, own, key } of matrices) {
    const type = /** @type {import('../tensor/dtype.js').DType} */ (types.get(own))
    if (own.dtype === type) continue
    const replacement = converted.get(own) ?? convertWeight(own, type, key)
    converted.set(own, replacement)
    Object.assign(module, { [name]: replacement })
    own.dispose()
  }
  for (const [name, parameter] of model.namedParameters()) if (!isInAdapter(name)) parameter.requiresGrad = false
  return model
}
