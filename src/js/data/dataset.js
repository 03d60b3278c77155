import { GlassformerError, describe, expect, expectEngine, expectInteger, formatShape } from '../errors.js'
import { expectTensor } from '../ops/checks.js'
import { Tensor } from '../tensor/tensor.js'

/**
 * A source of samples: an array, a tensor (its rows), or an object with `length` and `get(index)`.
 * @typedef {ArrayLike<any> | Tensor | { readonly length: number, get(index: any): any }} SampleSource
 */

/** @param {object} dataset @param {string} member @param {string} example */
const undefinedMember = ({ constructor }, member, example) =>
  new GlassformerError('state', `${constructor.name}: ${member} is not defined; write ${example}`)

/**
 * Samples by index: torch.utils.data.Dataset. A subclass defines `length` and `get(index)`, like Python's `__len__` and
 * `__getitem__`; get may be async, for files and workers.
 * @example
 * class Squares extends gf.data.Dataset {
 *   get length() { return 4 }
 *   get(index) { return { x: index, y: index * index } }
 * }
 * const [{ y }] = new gf.data.DataLoader(new Squares(), { batchSize: 4 })
 * y                                               // int32 [0, 1, 4, 9]
 */
export class Dataset {
  /** @param {import('../engine/engine.js').Engine} engine */
  constructor(engine) {
    Object.defineProperty(this, 'engine', { value: engine, writable: true, configurable: true })
  }

  /** The number of samples. @returns {number} */
  get length() {
    throw undefinedMember(this, 'length', 'get length() { … }')
  }

  set length(value) {
    Object.defineProperty(this, 'length', { value, writable: true, enumerable: true, configurable: true })
  }

  /** A sample, or a promise of one. @param {number} _index @returns {any} */
  get(_index) {
    throw undefinedMember(this, 'get', 'get(index) { … }')
  }
}

/**
 * The rows of tensors: torch.utils.data.TensorDataset. A sample is an array with one row of each tensor.
 * @example
 * const dataset = new gf.data.TensorDataset(gf.tensor([[1, 2], [3, 4]]), gf.tensor([5, 6]))
 * dataset.length                                  // 2
 * dataset.get(1)[0]                               // [3, 4]
 */
export class TensorDataset extends Dataset {
  /** @param {import('../engine/engine.js').Engine} engine @param {...Tensor} tensors with equally many rows */
  constructor(engine, ...tensors) {
    super(engine)
    expect(tensors.length > 0, 'type', () => 'TensorDataset: tensors must be one or more, got none')
    tensors.forEach((tensor, i) => {
      const { shape: [rows] } = expectTensor('TensorDataset', `tensors[${i}]`, tensor)
      expect(rows !== undefined && rows === tensors[0].shape[0], 'shape', () => `TensorDataset: tensors[${i}] must have ` +
        `${tensors[0].shape[0] ?? 'some'} rows as the first, got ${formatShape(tensor.shape)}`)
    })
    expectEngine('TensorDataset', engine, tensors)
    this.tensors = tensors
  }

  get length() {
    return this.tensors[0].shape[0]
  }

  /** The rows at an index, one of each tensor. @param {number} index @returns {Tensor[]} */
  get(index) {
    return this.tensors.map(tensor => tensor.select(0, index))
  }
}

/** Some samples of a dataset: torch.utils.data.Subset. */
export class Subset extends Dataset {
  /**
   * @param {import('../engine/engine.js').Engine} engine
   * @param {SampleSource} dataset @param {Iterable<number>} indices of the samples, in order
   */
  constructor(engine, dataset, indices) {
    super(engine)
    this.dataset = expectSource('Subset', dataset)
    expect(typeof indices?.[Symbol.iterator] === 'function', 'type',
      () => `Subset: indices must be a list of numbers, got ${describe(indices)}`)
    this.indices = [...(indices instanceof Tensor ? indices.toArray() : indices)]
  }

  get length() {
    return this.indices.length
  }

  /** The sample at an index of `indices`, or a promise of it. @param {number} index @returns {any} */
  get(index) {
    return readSample('Subset', this.dataset, this.indices[expectInteger('Subset', 'index', index, 0, this.length - 1)])
  }
}

/** @param {any} dataset @returns {boolean} */
const isList = dataset => Array.isArray(dataset) || (ArrayBuffer.isView(dataset) && 'length' in dataset)

/** @param {string} where @param {any} dataset @returns {SampleSource} */
export function expectSource(where, dataset) {
  const hasRows = dataset instanceof Tensor && dataset.shape.length > 0
  const isDataset = dataset instanceof Dataset ||
    (!(dataset instanceof Tensor) && typeof dataset?.get === 'function' && Number.isInteger(dataset.length))
  expect(isList(dataset) || hasRows || isDataset, 'type', () => `${where}: dataset must be an array, a tensor with rows, or ` +
    `an object with length and get(index), such as a gf.data.Dataset; got ${describe(dataset)}`)
  return dataset
}

/** The number of samples. @param {string} where @param {any} dataset */
export const countSamples = (where, dataset) =>
  (dataset instanceof Tensor ? dataset.shape[0] : expectInteger(where, 'length of the dataset', dataset.length))

/**
 * A sample, or a promise of one.
 * @param {string} where @param {any} dataset @param {any} index @returns {any}
 */
export function readSample(where, dataset, index) {
  if (dataset instanceof Tensor) return dataset.select(0, index)
  if (!isList(dataset)) return dataset.get(index)
  expect(Number.isInteger(index) && index >= 0 && index < dataset.length, 'index',
    () => `${where}: index must be from 0 to ${dataset.length - 1}, the samples of the dataset, got ${describe(index)}`)
  return dataset[index]
}

/**
 * A batch of rows of a dataset of tensors, read at once: the same values as of `get`, stacked.
 * @param {any} dataset @param {readonly number[]} indices
 * @returns {Tensor | Tensor[] | null} null for any other dataset
 */
export function gatherRows(dataset, indices) {
  if (dataset instanceof Subset && dataset.get === Subset.prototype.get) {
    return gatherRows(dataset.dataset, indices.map(index => dataset.indices[index]))
  }
  const isTensorDataset = dataset instanceof TensorDataset && dataset.get === TensorDataset.prototype.get
  const tensors = isTensorDataset ? dataset.tensors : dataset instanceof Tensor ? [dataset] : []
  if (!tensors.length || tensors.some(({ dtype }) => dtype !== 'float32' && dtype !== 'int32')) return null
  const rows = tensors.map(tensor => tensor.indexSelect(0, indices))
  return isTensorDataset ? rows : rows[0]
}
