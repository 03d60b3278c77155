import { describe, expect, expectBoolean, expectInteger, optionsOf } from '../errors.js'
import { addressOf } from '../generator.js'
import { defaultCollate } from './collate.js'
import { countSamples, expectSource, gatherRows, readSample } from './dataset.js'
import { batches, sampleSeed, sequential, shuffled } from './sampler.js'

/**
 * @typedef {import('../generator.js').Generator} Generator
 * @typedef {{ batchSize?: number | null, shuffle?: boolean, sampler?: Iterable<any>,
 *   batchSampler?: Iterable<readonly any[]>, collateFn?: (samples: any[]) => any, collate?: (samples: any[]) => any,
 *   dropLast?: boolean, generator?: Generator | null }} LoaderOptions
 */

const OPTIONS = ['batchSize', 'shuffle', 'sampler', 'batchSampler', 'collateFn', 'collate', 'dropLast', 'generator']
/** What PyTorch's loaders take besides, and why there is none here. @type {Record<string, string>} */
const ELSEWHERE = {
  numWorkers: 'there are no worker processes; leave it out, and write for await where get is async',
  pinMemory: 'there is one memory; leave it out', persistentWorkers: 'there are no worker processes; leave it out',
  prefetchFactor: 'there are no worker processes; leave it out', workerInitFn: 'there are no worker processes; leave it out'
}

/** @param {any} options @returns {LoaderOptions} */
function readOptions(options) {
  for (const name in Object(options)) expect(!Object.hasOwn(ELSEWHERE, name), 'type',
    () => `DataLoader: there is no option ${name}: ${ELSEWHERE[name]}`)
  return optionsOf('DataLoader', options, OPTIONS)
}

/** @param {string} name @param {any} value @param {string} expected @returns {any} */
function expectIterable(name, value, expected) {
  expect(value === undefined || typeof value?.[Symbol.iterator] === 'function', 'type',
    () => `DataLoader: ${name} must be ${expected}, got ${describe(value)}`)
  return value
}

/** How many things an iterable gives, where it knows. @param {any} list @param {string} name */
function lengthOf(list, name) {
  const length = list.length ?? list.size
  expect(Number.isInteger(length), 'state', () => `DataLoader: length is only known if ${name} has a length`)
  return length
}

/**
 * Batches of a dataset's samples: torch.utils.data.DataLoader without workers. Each `for` over it is an epoch; from the
 * same seed, orders and the random numbers after them are PyTorch's. `for await` waits for a `get` or a `collateFn`
 * that is async, and reads the samples of a batch at the same time.
 * @example
 * const x = gf.arange(10).reshape(5, 2), y = gf.tensor([0, 1, 0, 1, 0], { dtype: 'int32' })
 * const loader = new gf.data.DataLoader(new gf.data.TensorDataset(x, y), { batchSize: 2, shuffle: true })
 * loader.length                                   // 3
 * let seen = 0
 * for (const [rows, labels] of loader) seen += labels.size
 * seen                                            // 5
 */
export class DataLoader {
  #samples
  #batchSampler

  /**
   * @param {import('../engine.js').Engine} engine
   * @param {import('./dataset.js').SampleSource} dataset an array, a tensor (its rows), or an object with length and
   *   get(index)
   * @param {LoaderOptions} [options] batchSize: 1, null for samples as they are; shuffle: false; sampler: indices in an
   *   order of one's own, for every epoch; batchSampler: lists of indices instead; collateFn: defaultCollate, makes a
   *   batch of a list of samples; collate: the same; dropLast: false, true leaves out a last batch that is smaller;
   *   generator: the engine's own
   */
  constructor(engine, dataset, options) {
    const { batchSize = 1, shuffle = false, dropLast = false, generator = null } = readOptions(options)
    const { sampler, batchSampler, collate, collateFn = collate } = options ?? {}
    const isGiven = (/** @type {keyof LoaderOptions} */ name) => options?.[name] !== undefined
    this.engine = engine
    /** What it reads from. */ this.dataset = expectSource('DataLoader', dataset)
    /** Samples of a batch; null: no batches. */
    this.batchSize = batchSize === null ? null : expectInteger('DataLoader', 'batchSize', batchSize, 1)
    expectBoolean('DataLoader', 'shuffle', shuffle)
    /** Whether a last batch of fewer samples is left out. */
    this.dropLast = expectBoolean('DataLoader', 'dropLast', dropLast)
    expectIterable('sampler', sampler, 'a list of indices')
    expectIterable('batchSampler', batchSampler, 'a list of lists of indices')
    expect(collateFn === undefined || typeof collateFn === 'function', 'type',
      () => `DataLoader: collateFn must be a function of a list of samples, got ${describe(collateFn)}`)
    expect(!(sampler && shuffle), 'range', () => 'DataLoader: shuffle must be false where a sampler gives the order')
    const other = /** @type {const} */ (['batchSize', 'shuffle', 'sampler', 'dropLast']).find(isGiven)
    expect(!other || !batchSampler, 'range', () => `DataLoader: ${other} must be left out where a batchSampler gives the batches`)
    expect(!(batchSize === null && dropLast), 'range', () => 'DataLoader: dropLast must be false where batchSize is null')
    addressOf('DataLoader', engine, generator)
    /** Where its random numbers come from; null: the engine's own. */ this.generator = generator
    /** Makes a batch of samples, if not defaultCollate. */ this.collateFn = collateFn
    this.#batchSampler = batchSampler
    const count = () => countSamples('DataLoader', dataset)
    this.#samples = sampler ?? {
      get length() { return count() },
      [Symbol.iterator]: () => (shuffle ? shuffled(engine, count(), generator) : sequential(count()))
    }
  }

  /** How many batches there are: Python's len(loader). @returns {number} */
  get length() {
    if (this.#batchSampler) return lengthOf(this.#batchSampler, 'batchSampler')
    const samples = lengthOf(this.#samples, 'sampler')
    if (this.batchSize === null) return samples
    return (this.dropLast ? Math.floor : Math.ceil)(samples / this.batchSize)
  }

  /**
   * What one epoch reads: lists of indices, or indices. PyTorch takes a seed for workers even if there are none.
   * @returns {Iterable<any>}
   */
  #begin() {
    const { engine, batchSize, dropLast, generator } = this
    sampleSeed(engine, addressOf('DataLoader', engine, generator))
    if (this.#batchSampler) return this.#batchSampler
    return batchSize === null ? this.#samples : batches(this.#samples, batchSize, dropLast)
  }

  /** Whether indices come in lists. */
  get #hasBatches() {
    return this.batchSize !== null || Boolean(this.#batchSampler)
  }

  /** A batch of samples. @param {any[]} samples @returns {any} */
  #join(samples) {
    return this.collateFn ? this.collateFn(samples) : defaultCollate(this.engine, samples)
  }

  /** The batches of one epoch. @returns {IterableIterator<any>} */
  [Symbol.iterator]() {
    return this.#read(this.#begin())
  }

  /** The same where samples are read or put together by promises. @returns {AsyncIterableIterator<any>} */
  [Symbol.asyncIterator]() {
    return this.#readAsync(this.#begin())
  }

  /** @param {Iterable<any>} order */
  * #read(order) {
    for (const indices of order) yield expectNow(this.#hasBatches ? this.#readBatch(indices) : this.#readOne(indices))
  }

  /** @param {any} index */
  #readOne(index) {
    const sample = expectNow(readSample('DataLoader', this.dataset, index))
    return this.collateFn ? this.collateFn(sample) : sample
  }

  /** @param {readonly any[]} indices */
  #readBatch(indices) {
    const rows = this.collateFn ? null : gatherRows(this.dataset, indices)
    return rows ?? this.#join(indices.map(index => expectNow(readSample('DataLoader', this.dataset, index))))
  }

  /** @param {Iterable<any>} order */
  async* #readAsync(order) {
    const read = (/** @type {any} */ index) => readSample('DataLoader', this.dataset, index)
    for (const indices of order) {
      if (!this.#hasBatches) {
        const sample = await read(indices)
        yield this.collateFn ? await this.collateFn(sample) : sample
        continue
      }
      const rows = this.collateFn ? null : gatherRows(this.dataset, indices)
      yield rows ?? await this.#join(await Promise.all(indices.map(read)))
    }
  }
}

/** @template T @param {T} value @returns {T} */
function expectNow(value) {
  const isLater = typeof (/** @type {any} */ (value))?.then === 'function'
  if (isLater) Promise.resolve(value).catch(() => {}) // the error below is the one to see
  expect(!isLater, 'type', () => 'DataLoader: get and collateFn must give their results at once, got a promise; write ' +
    'for await (const batch of loader)')
  return value
}
