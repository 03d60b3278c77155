import { describe, expect, expectBoolean, expectEngine, expectNumber, expectOneOf, optionsOf } from '../errors.js'
import { full } from '../creation.js'
import { tensor as makeTensor } from '../from_values.js'
import { cat, stack } from '../ops/join.js'
import { Tensor } from '../tensor.js'
import { dtypeOfNumbers } from './collate.js'

/** @typedef {import('../tensor.js').NestedArrays} NestedArrays */

/**
 * Sequences as tensors; lists of numbers become int32 if all of them are integers.
 * @param {import('../engine.js').Engine} engine @param {any} sequences @returns {Tensor[]}
 */
function toTensors(engine, sequences) {
  const isList = typeof sequences?.[Symbol.iterator] === 'function' && !(sequences instanceof Tensor)
  const list = isList ? [...sequences] : []
  expect(list.length > 0, 'type', () => `padSequence: sequences must be a list of tensors or arrays, got ${describe(sequences)}`)
  const dtype = dtypeOfNumbers(list.flatMap(one => (one instanceof Tensor ? [] : [...one].flat(Infinity))))
  return list.map((one, i) => {
    const tensor = one instanceof Tensor ? one : makeTensor(engine, one, { dtype }, `padSequence: sequences[${i}]`)
    const { shape: [, ...rest] } = tensor, [first] = list
    const isLike = tensor.shape.length > 0 && (!(first instanceof Tensor) ||
      (tensor.dtype === first.dtype && String(rest) === String(first.shape.slice(1))))
    expect(isLike, 'shape', () => `padSequence: sequences[${i}] must be like the first but for its length, ` +
      `${describe(first)}, got ${describe(tensor)}`)
    return tensor
  })
}

/**
 * Sequences of different lengths as one tensor, filled up to the longest: torch.nn.utils.rnn.pad_sequence.
 * @param {import('../engine.js').Engine} engine
 * @param {Iterable<Tensor | NestedArrays>} sequences [T, ...] each, of one dtype
 * @param {{ batchFirst?: boolean, paddingValue?: number, paddingSide?: 'right' | 'left' }} [options] batchFirst: false,
 *   the result is [T, B, ...]; true makes it [B, T, ...]; paddingValue: 0; paddingSide: 'right'
 * @returns {Tensor} of their dtype; gradients go through
 * @throws {import('../errors.js').GlassformerError} 'type' and 'shape' for sequences that differ by more
 * @example
 * gf.data.padSequence([[1, 2, 3], [4]], { batchFirst: true, paddingValue: -1 })   // int32 [[1, 2, 3], [4, -1, -1]]
 */
export function padSequence(engine, sequences, options) {
  const { batchFirst = false, paddingValue = 0, paddingSide = 'right' } =
    optionsOf('padSequence', options, ['batchFirst', 'paddingValue', 'paddingSide'])
  expectBoolean('padSequence', 'batchFirst', batchFirst)
  expectNumber('padSequence', 'paddingValue', paddingValue, 'a number', () => true)
  expectOneOf('padSequence', 'paddingSide', paddingSide, ['right', 'left'])
  const join = () => {
    const list = toTensors(engine, sequences), longest = Math.max(...list.map(({ shape: [length] }) => length))
    expectEngine('padSequence', engine, list)
    if (list[0].dtype === 'int32') expectNumber('padSequence', 'paddingValue', paddingValue, 'an integer for int32 sequences', Number.isInteger)
    const rows = list.map(one => {
      const { shape: [length, ...rest], dtype } = one
      if (length === longest) return one
      const padding = full(engine, [longest - length, ...rest], paddingValue, { dtype })
      return cat(paddingSide === 'left' ? [padding, one] : [one, padding])
    })
    return stack(rows, { dim: batchFirst ? 0 : 1 })
  }
  // Backward reads what is in between.
  const isRecorded = engine.gradEnabled && [...sequences].some(one => one instanceof Tensor && one.requiresGrad)
  return isRecorded ? join() : engine.tidy(join)
}
