import { describe, expect, expectBoolean, expectEngine, expectNumber, expectOneOf, expectOptions } from '../errors.js'
import { full } from '../tensor/creation.js'
import { tensor as makeTensor } from '../tensor/from_values.js'
import { cat, stack } from '../ops/join.js'
import { Tensor } from '../tensor/tensor.js'
import { dtypeOfNumbers } from './collate.js'

/** @typedef {import('../tensor/tensor.js').NestedArrays} NestedArrays */

/**
 * Converts sequences to tensors; lists of numbers become int32 if all of them are integers.
 * @param {import('../engine/engine.js').Engine} engine @param {any} sequences @returns {Tensor[]}
 */
function toTensors(engine, sequences) {
  const isList = typeof sequences?.[Symbol.iterator] === 'function' && !(sequences instanceof Tensor)
  const list = isList ? [...sequences] : []
  expect(list.length > 0, 'type', () => `padSequence: sequences must be a list of tensors or arrays, got ${describe(sequences)}`)
  const arrays = list.filter(sequence => !(sequence instanceof Tensor))
  const dtype = dtypeOfNumbers(arrays.flatMap(array => [...array].flat(Infinity)))
  return list.map((sequence, i) => {
    const tensor = sequence instanceof Tensor ? sequence
      : makeTensor(engine, sequence, { dtype }, `padSequence: sequences[${i}]`)
    const { shape: [, ...rest] } = tensor, [first] = list
    const fits = tensor.shape.length > 0 && (!(first instanceof Tensor) ||
      (tensor.dtype === first.dtype && String(rest) === String(first.shape.slice(1))))
    expect(fits, 'shape', () => `padSequence: sequences[${i}] must be like the first but for its length, ` +
      `${describe(first)}, got ${describe(tensor)}`)
    return tensor
  })
}

/**
 * Pads sequences to the length of the longest and stacks them: torch.nn.utils.rnn.pad_sequence.
 * @param {import('../engine/engine.js').Engine} engine
 * @param {Iterable<Tensor | NestedArrays>} sequences [T, ...] each, of one dtype
 * @param {{ batchFirst?: boolean, paddingValue?: number, paddingSide?: 'right' | 'left' }} [options] batchFirst: false,
 *   the result is [T, B, ...]; true makes it [B, T, ...]; paddingValue: 0; paddingSide: 'right'
 * @returns {Tensor} of their dtype; it backpropagates to the sequences
 * @throws {import('../errors.js').GlassformerError} 'type' and 'shape' for sequences that differ in more than
 *   their length
 * @example
 * gf.data.padSequence([[1, 2, 3], [4]], { batchFirst: true, paddingValue: -1 })   // int32 [[1, 2, 3], [4, -1, -1]]
 */
export function padSequence(engine, sequences, options) {
  const { batchFirst = false, paddingValue = 0, paddingSide = 'right' } =
    expectOptions('padSequence', options, ['batchFirst', 'paddingValue', 'paddingSide'])
  expectBoolean('padSequence', 'batchFirst', batchFirst)
  expectNumber('padSequence', 'paddingValue', paddingValue, 'a number', () => true)
  expectOneOf('padSequence', 'paddingSide', paddingSide, ['right', 'left'])
  const join = () => {
    const list = toTensors(engine, sequences), longest = Math.max(...list.map(({ shape: [length] }) => length))
    expectEngine('padSequence', engine, list)
    if (list[0].dtype === 'int32') {
      expectNumber('padSequence', 'paddingValue', paddingValue, 'an integer for int32 sequences', Number.isInteger)
    }
    const rows = list.map(sequence => {
      const { shape: [length, ...rest], dtype } = sequence
      if (length === longest) return sequence
      const padding = full(engine, [longest - length, ...rest], paddingValue, { dtype })
      return cat(paddingSide === 'left' ? [padding, sequence] : [sequence, padding])
    })
    return stack(rows, { dim: batchFirst ? 0 : 1 })
  }
  // Backward reads the intermediate tensors.
  const isRecorded = engine.gradEnabled && [...sequences].some(item => item instanceof Tensor && item.requiresGrad)
  return isRecorded ? join() : engine.tidy(join)
}
