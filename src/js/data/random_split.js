import { describe, expect, expectNumber, expectOptions } from '../errors.js'
import { randperm } from '../tensor/random.js'
import { Subset, countSamples, expectSource } from './dataset.js'

/** The tolerance for a sum of fractions, that of Python's math.isclose. */
const SUM_TOLERANCE = 1e-9

/**
 * The number of samples of each part. Fractions are rounded down, and the first parts get one of the remaining
 * samples each.
 * @param {number} count @param {readonly number[]} lengths @returns {readonly number[]}
 */
function computeCounts(count, lengths) {
  const total = lengths.reduce((a, b) => a + b, 0)
  if (!(total <= 1 && Math.abs(total - 1) <= SUM_TOLERANCE)) return lengths
  const counts = lengths.map(fraction => Math.floor(count * fraction))
  const remaining = count - counts.reduce((a, b) => a + b, 0)
  return counts.map((own, i) => own + Math.floor(remaining / counts.length) + Number(i < remaining % counts.length))
}

/**
 * Splits a dataset into parts at random: torch.utils.data.random_split.
 * @param {import('../engine/engine.js').Engine} engine
 * @param {import('./dataset.js').SampleSource} dataset
 * @param {readonly number[]} lengths of the parts: numbers of samples, or fractions that sum to 1
 * @param {{ generator?: import('../tensor/generator.js').Generator | null }} [options] generator: the engine's own
 * @returns {Subset[]}
 * @throws {import('../errors.js').GlassformerError} 'range' for lengths that do not sum to the dataset's or to 1
 * @example
 * const [train, test] = gf.data.randomSplit(gf.arange(10), [0.8, 0.2])
 * train.length                                    // 8
 */
export function randomSplit(engine, dataset, lengths, options) {
  const { generator } = expectOptions('randomSplit', options, ['generator'])
  const source = expectSource('randomSplit', dataset), count = countSamples('randomSplit', source)
  expect(Array.isArray(lengths), 'type', () => `randomSplit: lengths must be an array of numbers, got ${describe(lengths)}`)
  lengths.forEach((length, i) => expectNumber('randomSplit', `lengths[${i}]`, length, 'a number >= 0', v => v >= 0))
  const counts = computeCounts(count, lengths), total = counts.reduce((a, b) => a + b, 0)
  expect(total === count && counts.every(Number.isInteger), 'range', () => `randomSplit: lengths must be integers that sum ` +
    `to ${count}, the length of the dataset, or fractions that sum to 1; got ${lengths.join(', ')}`)
  const order = engine.tidy(() => Array.from(randperm(engine, count, { generator }).values))
  let end = 0
  return counts.map(length => new Subset(engine, source, order.slice((end += length) - length, end)))
}
