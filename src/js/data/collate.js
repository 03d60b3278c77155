import { describe, expect, isPlain } from '../errors.js'
import { tensor as makeTensor } from '../tensor/from_values.js'
import { stack } from '../ops/join.js'
import { Tensor } from '../tensor/tensor.js'

/** @typedef {import('../engine/engine.js').Engine} Engine */

/**
 * The dtype of a typed array's tensor.
 * @param {ArrayBufferView} values
 * @returns {import('../tensor/dtype.js').DType}
 */
const dtypeOf = values =>
  (values instanceof Float32Array ? 'float32' : values instanceof Float64Array ? 'float64' : 'int32')

/**
 * The dtype for a list of numbers: int32 if all are integers, float64 if some of these are larger, else float32.
 * @param {readonly number[]} numbers @returns {import('../tensor/dtype.js').DType}
 */
export function dtypeOfNumbers(numbers) {
  if (!numbers.every(Number.isSafeInteger)) return 'float32'
  return numbers.every(value => value === (value | 0)) ? 'int32' : 'float64'
}

/**
 * The kinds of samples, each with the function that joins a batch of them.
 * @type {[kind: string, isKind: (value: any) => boolean, join: (engine: Engine, where: string, batch: any[]) => any][]}
 */
const KINDS = [
  ['a tensor', value => value instanceof Tensor, joinTensors],
  ['a typed array', value => ArrayBuffer.isView(value) && 'length' in value, joinTypedArrays],
  ['a number', value => typeof value === 'number',
    (engine, _, batch) => makeTensor(engine, batch, { dtype: dtypeOfNumbers(batch) })],
  ['true or false', value => typeof value === 'boolean',
    (engine, _, batch) => makeTensor(engine, batch, { dtype: 'bool' })],
  ['a string', value => typeof value === 'string', (_, where, batch) => [...batch]],
  ['an array', Array.isArray, joinArrays],
  ['an object', isPlain, joinObjects]
]

/**
 * Joins samples to a batch: torch.utils.data.default_collate. Tensors and typed arrays of one shape are stacked;
 * numbers become a tensor (int32 if all are integers, else float32), booleans one of bool; strings stay a list; arrays
 * and objects are joined field by field.
 * @param {Engine} engine @param {readonly any[]} batch samples of one kind, at least one
 * @returns {any}
 * @throws {import('../errors.js').GlassformerError} 'type' for samples of different kinds, or of one that cannot be
 *   joined; 'shape' for tensors and arrays of different lengths
 * @example
 * const [x, y] = gf.data.defaultCollate([[gf.tensor([1, 2]), 0], [gf.tensor([3, 4]), 1]])
 * x                                               // [[1, 2], [3, 4]]
 * y                                               // int32 [0, 1]
 */
export function defaultCollate(engine, batch) {
  expect(Array.isArray(batch) && batch.length > 0, 'type',
    () => `defaultCollate: batch must be an array of samples, got ${describe(batch)}`)
  return join(engine, 'defaultCollate: sample', batch)
}

/** @param {Engine} engine @param {string} where names the values, such as 'sample.x' @param {any[]} batch */
function join(engine, where, batch) {
  const kind = KINDS.find(([, isKind]) => isKind(batch[0]))
  expect(kind !== undefined, 'type', () => `${where} must be tensors, typed arrays, numbers, booleans, strings, or arrays or ` +
    `objects of them, got ${describe(batch[0])}${batch[0] instanceof Promise
      ? '; write for await (const batch of loader)' : '; write a collateFn for it'}`)
  const [name, isKind, joinAll] = kind, other = batch.findIndex(value => !isKind(value))
  expect(other < 0, 'type', () => `${where} must be ${name} in all of a batch, got ${describe(batch[other])} at index ${other}`)
  return joinAll(engine, where, batch)
}

/** @param {Engine} _ @param {string} where @param {Tensor[]} batch */
function joinTensors(_, where, batch) {
  const [first] = batch
  const other = batch.findIndex(t => t.dtype !== first.dtype || String(t.shape) !== String(first.shape))
  expect(other < 0, 'shape', () => `${where} must have one shape and dtype in all of a batch, ${describe(first)}, got ` +
    `${describe(batch[other])} at index ${other}; pad to one length with collateFn and gf.data.padSequence`)
  return stack(batch)
}

/** @param {Engine} engine @param {string} where @param {any[]} batch */
function joinTypedArrays(engine, where, batch) {
  const [first] = batch, { length } = first
  const other = batch.findIndex(array => array.length !== length || array.constructor !== first.constructor)
  expect(other < 0, 'shape', () => `${where} must have one type and length in all of a batch, ${first.constructor.name} of ` +
    `${length}, got ${batch[other].constructor.name} of ${batch[other].length} at index ${other}; pad to one length with collateFn`)
  const all = new first.constructor(batch.length * length)
  batch.forEach((array, i) => all.set(array, i * length))
  return makeTensor(engine, all, { shape: [batch.length, length], dtype: dtypeOf(first) }, where)
}

/** @param {Engine} engine @param {string} where @param {any[][]} batch */
function joinArrays(engine, where, batch) {
  const [{ length }] = batch, other = batch.findIndex(array => array.length !== length)
  expect(other < 0, 'shape', () => `${where} must be arrays of one length in all of a batch, ${length}, got ` +
    `${batch[other].length} at index ${other}; pad to one length with collateFn and gf.data.padSequence`)
  return Array.from({ length }, (_, i) => join(engine, `${where}[${i}]`, batch.map(array => array[i])))
}

/** @param {Engine} engine @param {string} where @param {Record<string, any>[]} batch */
function joinObjects(engine, where, batch) {
  return Object.fromEntries(Object.keys(batch[0]).map(name => {
    const other = batch.findIndex(object => !Object.hasOwn(object, name))
    expect(other < 0, 'type', () => `${where} must have ${name} in all of a batch, got ${describe(batch[other])} at index ${other}`)
    return [name, join(engine, `${where}.${name}`, batch.map(object => object[name]))]
  }))
}
