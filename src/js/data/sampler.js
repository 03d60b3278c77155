import { randperm } from '../tensor/random.js'
import { Generator, generatorAddress } from '../tensor/generator.js'

/** @typedef {import('../engine/engine.js').Engine} Engine */

/** The number of different seeds. */
const SEED_COUNT = 2 ** 32

/**
 * Generates a random seed for another generator: the low 32 bits, which generators use, of
 * torch.empty((), dtype=torch.int64).random_().
 * @param {Engine} engine @param {number} generator its address @returns {number}
 */
export const generateSeed = (engine, generator) => engine.memory.borrow(8, address => {
  engine.c.gf_randint(address, generator, 1, 0, SEED_COUNT)
  return engine.memory.doubles(address, 1)[0]
})

/** @param {Engine} engine @param {number} n @param {Generator} generator */
const permutation = (engine, n, generator) => engine.tidy(() => Array.from(randperm(engine, n, { generator }).values))

/**
 * The integers 0 to n - 1 in random order: torch.utils.data.RandomSampler. As in PyTorch, a new generator, seeded when
 * the first integer is read, gives the order; a generator of the caller gives it itself, and after the last integer
 * another order, which advances its stream.
 * @param {Engine} engine @param {number} n @param {Generator | null} [generator]
 */
export function* shuffled(engine, n, generator) {
  const own = generator ?? new Generator(engine).manualSeed(generateSeed(engine, generatorAddress('shuffle', engine)))
  yield* permutation(engine, n, own)
  if (generator) permutation(engine, n, generator)
}

/** The integers 0 to n - 1: torch.utils.data.SequentialSampler. @param {number} n */
export function* sequential(n) {
  for (let i = 0; i < n; i++) yield i
}

/**
 * Groups indices in lists of `size`: torch.utils.data.BatchSampler.
 * @param {Iterable<any>} sampler @param {number} size @param {boolean} dropLast leaves out a last list that is shorter
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
