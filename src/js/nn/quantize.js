import { describe, expect, expectOneOf, expectOptions } from '../errors.js'
import { convertInto } from '../ops/convert.js'
import { getPanels } from '../panels.js'
import { Module } from './module.js'
import { Parameter } from './parameter.js'

/** @typedef {'float16' | 'bfloat16' | 'int8'} StoredType */

const TYPES = /** @type {readonly StoredType[]} */ (['float16', 'bfloat16', 'int8'])

/** Turns what may be turned into panels, so that what cannot be a weight is found now. @param {Parameter} weight */
export const settleWeight = weight => weight.dtype === 'int8' || getPanels(weight, 0, weight.shape[0])

/** @param {Parameter} weight @param {StoredType} dtype @param {string} name for messages */
function stored(weight, dtype, name) {
  const own = new Parameter(weight.engine, weight.shape, undefined, dtype, true)
  try {
    convertInto(own, weight)
    settleWeight(own)
    return own
  } catch (error) {
    own.dispose()
    if (error instanceof Error) error.message = `quantize: ${name}: ${error.message}`
    throw error
  }
}

/**
 * Stores the matrices of a model, those of Linear, Embedding and MultiheadAttention, in fewer bits: it takes less
 * memory and, where that is what it waits for, less time. It is only used from then on: nothing in it is trained.
 * @template {Module} M @param {M} model
 * @param {{ dtype?: StoredType }} [options] dtype: 'int8', integers with a scale for 32 of them; 'float16',
 *   'bfloat16'
 * @returns {M} the model itself, changed
 * @throws {import('../errors.js').GlassformerError} 'range' for a weight that the type cannot hold; those before it are
 *   changed then
 * @example
 * const layer = gf.quantize(new gf.nn.Linear(32, 8), { dtype: 'int8' })
 * layer.weight.dtype                              // 'int8'
 */
export function quantize(model, options) {
  expect(model instanceof Module, 'type', () => `quantize: model must be a module, got ${describe(model)}`)
  const { dtype = 'int8' } = expectOptions('quantize', options, ['dtype'])
  expectOneOf('quantize', 'dtype', dtype, TYPES)
  /** @type {Map<Parameter, Parameter>} */ const made = new Map()
  for (const [path, module] of model.namedModules()) for (const [name, own] of Object.entries(module)) {
    if (!(own instanceof Parameter) || !own.isMatrix || own.dtype === dtype) continue
    const other = made.get(own) ?? stored(own, dtype, path ? `${path}.${name}` : name)
    made.set(own, other)
    Object.assign(module, { [name]: other })
    own.dispose()
  }
  for (const parameter of model.parameters()) parameter.requiresGrad = false
  return model
}
