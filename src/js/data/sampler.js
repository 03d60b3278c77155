import { randperm } from '../random.js'
import { Generator, addressOf } from '../generator.js'

/** @typedef {import('../engine.js').Engine} Engine */

/** Seeds have as many values as count of one. */
const SEEDS = 2 ** 32

/**
 * A seed for another generator: of torch.empty((), dtype=torch.int64).random_() what a seed is used of, 32 bits.
 * @param {Engine} engine @param {number} stream address of a generator @returns {number}
 */
export const sampleSeed = (engine, stream) => engine.memory.borrow(8, address => {
  engine.c.gf_randint(address, stream, 1, 0, SEEDS)
  return engine.memory.doubles(address, 1)[0]
})

/** @param {Engine} engine @param {number} n @param {Generator} generator */
const permutation = (engine, n, generator) => engine.tidy(() => Array.from(randperm(engine, n, { generator }).values))

/**
 * The numbers 0 to n - 1 in random order, one after the other: torch.utils.data.RandomSampler. As there, an order comes
 * from a generator of its own, seeded when the first number is taken; and a generator that is given makes another order
 * when the last one is taken, which changes what it gives next.
 * @param {Engine} engine @param {number} n @param {Generator | null} [generator]
 */
export function* shuffled(engine, n, generator) {
  const own = generator ?? new Generator(engine).manualSeed(sampleSeed(engine, addressOf('shuffle', engine)))
  yield* permutation(engine, n, own)
  if (generator) permutation(engine, n, generator)
}

/** The numbers 0 to n - 1. @param {number} n */
export function* sequential(n) {
  for (let i = 0; i < n; i++) yield i
}

/**
 * Lists of so many indices each: torch.utils.data.BatchSampler.
 * @param {Iterable<any>} sampler @param {number} size @param {boolean} dropLast without a last list of fewer
 */
export function* batches(sampler, size, dropLast) {
  let batch = []
  for (const index of sampler) {
    batch.push(index)
    if (batch.length < size) continue
    yield batch
    batch = []
  }
  if (batch.length && !dropLast) yield batch
}
