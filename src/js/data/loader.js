import { describe, expect, expectBoolean, expectInteger, expectOptions } from '../errors.js'
import { generatorAddress } from '../tensor/generator.js'
import { defaultCollate } from './collate.js'
import { countSamples, expectSource, gatherRows, readSample } from './dataset.js'
import { batches, generateSeed, sequential, shuffled } from './sampler.js'

/**
 * @typedef {import('../tensor/generator.js').Generator} Generator
 * @typedef {{ batchSize?: number | null, shuffle?: boolean, sampler?: Iterable<any>,
 *   batchSampler?: Iterable<readonly any[]>, collateFn?: (samples: any[]) => any, collate?: (samples: any[]) => any,
 *   dropLast?: boolean, generator?: Generator | null }} LoaderOptions
 */

const OPTIONS = ['batchSize', 'shuffle', 'sampler', 'batchSampler', 'collateFn', 'collate', 'dropLast', 'generator']
/** Options of PyTorch's loaders that do not exist here, and why. @type {Record<string, string>} */
const OPTION_HINTS = {
  numWorkers: 'there are no worker processes; leave it out, and write for await if get is async',
  pinMemory: 'there is one memory; leave it out', persistentWorkers: 'there are no worker processes; leave it out',
  prefetchFactor: 'there are no worker processes; leave it out', workerInitFn: 'there are no worker processes; leave it out'
}

/** @param {any} options @returns {LoaderOptions} */
function readOptions(options) {
  for (const name in Object(options)) expect(!Object.hasOwn(OPTION_HINTS, name), 'type',
    () => `DataLoader: there is no option ${name}: ${OPTION_HINTS[name]}`)
  return expectOptions('DataLoader', options, OPTIONS)
}

/** @param {string} name @param {any} value @param {string} expected @returns {any} */
function expectIterable(name, value, expected) {
  expect(value === undefined || typeof value?.[Symbol.iterator] === 'function', 'type',
    () => `DataLoader: ${name} must be ${expected}, got ${describe(value)}`)
  return value
}

/** The length of an iterable; throws if it has none. @param {any} list @param {string} name */
function lengthOf(list, name) {
  const length = list.length ?? list.size
  expect(Number.isInteger(length), 'state', () => `DataLoader: length is only known if ${name} has a length`)
  return length
}

/**
 * Reads the samples of a dataset in batches: torch.utils.data.DataLoader without workers. Each `for` over it is an
 * epoch. From the same seed, the order of the samples and later random numbers are PyTorch's. If `get` or `collateFn`
 * is async, write `for await`, which reads the samples of a batch at the same time.
 * @example
 * const x = gf.arange(10).reshape(5, 2), y = gf.tensor([0, 1, 0, 1, 0], { dtype: 'int32' })
 * const loader = new gf.data.DataLoader(new gf.data.TensorDataset(x, y), { batchSize: 2, shuffle: true })
 * loader.length                                   // 3
 * let count = 0
 * for (const [rows, labels] of loader) count += labels.numel()
 * count                                           // 5
 */
export class DataLoader {
  /** Gives the indices of an epoch, in order. */ #sampler
  #batchSampler

  /**
   * @param {import('../engine/engine.js').Engine} engine
   * @param {import('./dataset.js').SampleSource} dataset an array, a tensor (its rows), or an object with length and
   *   get(index)
   * @param {LoaderOptions} [options] batchSize: 1, null gives single samples; shuffle: false; sampler: the indices of
   *   an epoch, in order; batchSampler: the batches of an epoch, as lists of indices; collateFn: defaultCollate, joins
   *   a list of samples to a batch; collate: the same; dropLast: false, true leaves out a last batch that is smaller;
   *   generator: the engine's own
   */
  constructor(engine, dataset, options) {
    const { batchSize = 1, shuffle = false, dropLast = false, generator = null } = readOptions(options)
    const { sampler, batchSampler, collate, collateFn = collate } = options ?? {}
    const isPresent = (/** @type {keyof LoaderOptions} */ name) => options?.[name] !== undefined
    this.engine = engine
    /** The source of the samples. */ this.dataset = expectSource('DataLoader', dataset)
    /** The number of samples of a batch; null: no batches. */
    this.batchSize = batchSize === null ? null : expectInteger('DataLoader', 'batchSize', batchSize, 1)
    expectBoolean('DataLoader', 'shuffle', shuffle)
    /** Whether a last batch of fewer samples is left out. */
    this.dropLast = expectBoolean('DataLoader', 'dropLast', dropLast)
    expectIterable('sampler', sampler, 'a list of indices')
    expectIterable('batchSampler', batchSampler, 'a list of lists of indices')
    expect(collateFn === undefined || typeof collateFn === 'function', 'type',
      () => `DataLoader: collateFn must be a function of a list of samples, got ${describe(collateFn)}`)
    expect(!(sampler && shuffle), 'range', () => 'DataLoader: shuffle must be false with a sampler, which gives the order')
    const conflict = /** @type {const} */ (['batchSize', 'shuffle', 'sampler', 'dropLast']).find(isPresent)
    expect(!conflict || !batchSampler, 'range', () => `DataLoader: ${conflict} must be left out with a batchSampler, which gives the batches`)
    expect(!(batchSize === null && dropLast), 'range', () => 'DataLoader: dropLast must be false if batchSize is null')
    generatorAddress('DataLoader', engine, generator) // throws for a generator of another engine
    /** The generator of its random numbers; null: the engine's own. */ this.generator = generator
    /** Joins samples to a batch; undefined: defaultCollate. */ this.collateFn = collateFn
    this.#batchSampler = batchSampler
    const count = () => countSamples('DataLoader', dataset)
    this.#sampler = sampler ?? {
      get length() { return count() },
      [Symbol.iterator]: () => (shuffle ? shuffled(engine, count(), generator) : sequential(count()))
    }
  }

  /** The number of batches, len(loader) in Python. @returns {number} */
  get length() {
    if (this.#batchSampler) return lengthOf(this.#batchSampler, 'batchSampler')
    const samples = lengthOf(this.#sampler, 'sampler')
    if (this.batchSize === null) return samples
    return (this.dropLast ? Math.floor : Math.ceil)(samples / this.batchSize)
  }

  /**
   * Starts an epoch and returns its indices, in lists if there are batches. Before it, one seed is generated and
   * ignored, as PyTorch does for its workers even if there are none.
   * @returns {Iterable<any>}
   */
  #startEpoch() {
    const { engine, batchSize, dropLast, generator } = this
    generateSeed(engine, generatorAddress('DataLoader', engine, generator))
    if (this.#batchSampler) return this.#batchSampler
    return batchSize === null ? this.#sampler : batches(this.#sampler, batchSize, dropLast)
  }

  /** Whether an epoch gives lists of indices. */
  get #hasBatches() {
    return this.batchSize !== null || Boolean(this.#batchSampler)
  }

  /** Joins samples to a batch. @param {any[]} samples @returns {any} */
  #join(samples) {
    return this.collateFn ? this.collateFn(samples) : defaultCollate(this.engine, samples)
  }

  /** The batches of one epoch. @returns {IterableIterator<any>} */
  [Symbol.iterator]() {
    return this.#read(this.#startEpoch())
  }

  /** The batches of one epoch if `get` or `collateFn` is async. @returns {AsyncIterableIterator<any>} */
  [Symbol.asyncIterator]() {
    return this.#readAsync(this.#startEpoch())
  }

  /** @param {Iterable<any>} order indices, or lists of them if there are batches */
  * #read(order) {
    for (const entry of order) {
      yield expectNoPromise(this.#hasBatches ? this.#readBatch(entry) : this.#readSample(entry))
    }
  }

  /** @param {any} index */
  #readSample(index) {
    const sample = expectNoPromise(readSample('DataLoader', this.dataset, index))
    return this.collateFn ? this.collateFn(sample) : sample
  }

  /** @param {readonly any[]} indices */
  #readBatch(indices) {
    const rows = this.collateFn ? null : gatherRows(this.dataset, indices)
    return rows ?? this.#join(indices.map(index => expectNoPromise(readSample('DataLoader', this.dataset, index))))
  }

  /** @param {Iterable<any>} order indices, or lists of them if there are batches */
  async* #readAsync(order) {
    const read = (/** @type {any} */ index) => readSample('DataLoader', this.dataset, index)
    for (const entry of order) {
      if (!this.#hasBatches) {
        const sample = await read(entry)
        yield this.collateFn ? await this.collateFn(sample) : sample
        continue
      }
      const rows = this.collateFn ? null : gatherRows(this.dataset, entry)
      yield rows ?? await this.#join(await Promise.all(entry.map(read)))
    }
  }
}

/** @template T @param {T} value @returns {T} */
function expectNoPromise(value) {
  const isPromise = typeof (/** @type {any} */ (value))?.then === 'function'
  if (isPromise) Promise.resolve(value).catch(() => {}) // only the error below is reported
  expect(!isPromise, 'type', () => 'DataLoader: get and collateFn must return values, got a promise; write ' +
    'for await (const batch of loader)')
  return value
}
