import { describe, expect, expectNumber, expectOptions, formatShape } from '../errors.js'
import { add, mul } from '../ops/binary.js'
import { expectFloatTensor } from '../ops/checks.js'
import { tensor as createTensor } from '../tensor/from_values.js'
import { expectInputs, expectModule, firstOf, meanOf, readVectors } from './activations.js'
import { Measurements, expectGiven } from './measure.js'

/**
 * @typedef {import('../nn/module.js').Module} Module
 * @typedef {import('../tensor/tensor.js').Tensor} Tensor
 *
 * @typedef {object} SteeringOptions
 * @property {import('./measure.js').Model} model a module, which is called with the input, or a function of the input
 * @property {Module} module the module whose output is read, such as a layer
 * @property {readonly any[]} positive inputs @property {readonly any[]} negative inputs that differ in what is steered
 * @property {'last' | 'mean'} [position] 'last': the last position of each input (default); 'mean': the mean of all
 */

const OPTIONS = ['model', 'module', 'positive', 'negative', 'position']

/**
 * A steering vector (activation addition: Turner et al. 2023; Rimsky et al. 2023): the mean output of a module for
 * some inputs minus that for others, of their first sequence. `steer` adds it to later outputs.
 * @param {import('../engine/engine.js').Engine} engine @param {SteeringOptions} options
 * @returns {Tensor} [C]
 * @throws {import('../errors.js').GlassformerError} 'type' for empty lists, 'state' if the model does not call the
 *   module
 * @example
 * const model = new gf.nn.TransformerEncoder(new gf.nn.TransformerEncoderLayer(8, 2), 2), module = model.layers[0]
 * const [positive, negative] = [[gf.ones([1, 4, 8])], [gf.zeros([1, 4, 8])]]
 * const vector = gf.interpret.steeringVector({ model, module, positive, negative })
 * const handle = gf.interpret.steer(module, vector, { scale: 2 })
 * model(negative[0]).shape                        // [1, 4, 8]
 * handle.remove()
 */
export function steeringVector(engine, options) {
  const where = 'steeringVector', checked = expectOptions(where, options, OPTIONS), { position = 'last' } = checked
  const [model, module, positive, negative] =
    ['model', 'module', 'positive', 'negative'].map(name => expectGiven(where, checked, name))
  expectModule(where, module)
  for (const [name, inputs] of Object.entries({ positive, negative })) expectInputs(where, name, inputs)
  expect(['last', 'mean'].includes(position), 'type',
    () => `${where}: position must be 'last' or 'mean', got ${describe(position)}`)
  const runs = new Measurements(where, engine, { model, keepAttention: [] })
  const [a, b] = [positive, negative].map(inputs => meanOf(inputs.flatMap((/** @type {any} */ input) => (
    readVectors(runs, { module }, input, position).filter(({ row }) => row === 0).map(({ vector }) => vector)))))
  return createTensor(engine, Float32Array.from(a, (value, c) => value - b[c]))
}

/**
 * Adds a vector to all outputs of a module, also while it generates, until the handle is removed.
 * @param {Module} module such as a layer @param {Tensor} vector [C]
 * @param {{ scale?: number }} [options] scale: 1, its factor
 * @returns {{ remove(): void }}
 * @throws {import('../errors.js').GlassformerError} 'shape' where the module's output has other channels
 */
export function steer(module, vector, options) {
  const where = 'steer', { scale = 1 } = expectOptions(where, options, ['scale'])
  expectModule(where, module)
  expectFloatTensor(where, 'vector', vector)
  expectNumber(where, 'scale', scale, 'a finite number', Number.isFinite)
  return module.registerForwardHook((_, __, output) => {
    const first = firstOf(output)
    expect(vector.shape.length === 1 && first.shape?.at(-1) === vector.shape[0], 'shape',
      () => `${where}: vector must have shape [${first.shape?.at(-1)}], as the channels of the module's output, got ` +
        formatShape(vector.shape))
    const steered = add(first, mul(vector, scale))
    return Array.isArray(output) ? [steered, ...output.slice(1)] : steered
  })
}
