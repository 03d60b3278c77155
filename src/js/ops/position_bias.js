import { expectBoolean, expectOptions, expectInteger } from '../errors.js'
import { record } from '../autograd/autograd.js'
import { constant, productTerm, sumOf } from '../trace/explain.js'
import { range } from '../tensor/shape.js'
import { expectRank, expectWeightTensor } from './checks.js'
import { embedding } from './embedding.js'

/** Biases of attention's scores that depend on relative positions: ALiBi's linear ones and T5's learned ones. */

/** @typedef {import('../tensor/tensor.js').Tensor} Tensor */
/** @typedef {import('../engine/engine.js').Engine} Engine */

/** @type {import('../autograd/autograd.js').Operation} */
const op = {
  name: 'alibi',
  axes: () => [{ name: 'batch' }, { name: 'head' }, { name: 'query' }, { name: 'key' }],
  parameters: ({ saved }) => saved,
  backward() {},
  explain({ outputs: { out }, saved: { past } }, _, [b, h, i, j]) {
    const distance = Math.abs(past + i - j), other = j === past + i ? j + (j ? -1 : 1) : j
    const slope = other < out.shape[3] ? -out.at(b, h, i, other) / Math.abs(past + i - other) : 0
    return sumOf('−m × |i − j|', [productTerm(constant('−1', -1), constant('m', slope), constant('|i − j|', distance))])
  },
  explainGradient: () => ({ formula: '0', terms: [] })
}

/**
 * Linear biases for attention (Press et al. 2021), to pass as attnMask: −m |i − j|, with a slope m for each head.
 * @param {Engine} engine @param {number} heads @param {number} queries @param {number} [keys] default: queries
 * @param {{ past?: number }} [options] past: keys − queries, the position of the first query among the keys
 * @returns {Tensor} [1, heads, queries, keys]
 */
export function alibi(engine, heads, queries, keys = queries, options) {
  const { past = Math.max(0, keys - queries) } = expectOptions('alibi', options, ['past'])
  const maxPast = 2 ** 24
  expectInteger('alibi', 'heads', heads, 1)
  const out = engine.empty([1, heads, expectInteger('alibi', 'queries', queries), expectInteger('alibi', 'keys', keys)])
  engine.c.gf_alibi(out.dataPtr(), heads, queries, keys, expectInteger('alibi', 'past', past, 0, maxPast))
  return record(engine, op, {}, { out }, { past, heads })
}

/**
 * Whether a distance n belongs to logarithmic bucket e + j or a later one: (n / e)^k ≥ (M / e)^j, computed with
 * integers so that rounding has no influence at a boundary.
 * @param {number} n @param {number} e @param {number} k @param {number} M @param {number} j
 */
const reaches = (n, e, k, M, j) =>
  BigInt(n) ** BigInt(k) * BigInt(e) ** BigInt(j) >= BigInt(M) ** BigInt(j) * BigInt(e) ** BigInt(k)

/**
 * The distances at which buckets begin: one for each distance in the first half, then wider ones up to maxDistance. A
 * rounded guess is corrected by a few exact comparisons.
 * @param {number} count @param {number} maxDistance @returns {number[]}
 */
function bucketStarts(count, maxDistance) {
  const e = Math.floor(count / 2), k = count - e, starts = range(e)
  for (let j = 0; j < k; j++) {
    let n = Math.max(e, Math.round(e * (maxDistance / e) ** (j / k)))
    while (n > e && reaches(n - 1, e, k, maxDistance, j)) n--
    while (!reaches(n, e, k, maxDistance, j)) n++
    starts.push(n)
  }
  return starts
}

/**
 * The bucket of each distance from 0 to `last`.
 * @param {readonly number[]} starts ascending @param {number} last
 */
function createBucketTable(starts, last) {
  const table = new Int32Array(last + 1)
  starts.forEach((start, bucket) => table.fill(bucket, Math.min(start, last + 1)))
  return table
}

const OPTIONS = ['bidirectional', 'numBuckets', 'maxDistance', 'past']

/**
 * T5's buckets of relative positions (Raffel et al. 2020): one for each small distance, shared ones for large
 * distances.
 * @param {Engine} engine @param {number} queries @param {number} keys
 * @param {{ bidirectional?: boolean, numBuckets?: number, maxDistance?: number, past?: number }} [options]
 *   bidirectional: true, half of the buckets are for keys after the query; numBuckets: 32; maxDistance: 128, from which
 *   on all distances share the last bucket; past: 0, the position of the first query among the keys
 * @returns {Tensor} [queries, keys] int32
 */
export function relativePositionBuckets(engine, queries, keys, options) {
  const where = 'relativePositionBuckets'
  const { bidirectional = true, numBuckets = 32, maxDistance = 128, past = 0 } = expectOptions(where, options, OPTIONS)
  const count = expectBoolean(where, 'bidirectional', bidirectional) ? numBuckets / 2 : numBuckets
  expectInteger(where, 'numBuckets', numBuckets, bidirectional ? 4 : 2, 1024)
  expectInteger(where, 'numBuckets / 2', count)
  expectInteger(where, 'maxDistance', maxDistance, Math.floor(count / 2) + 1, 2 ** 20)
  const out = engine.empty([expectInteger(where, 'queries', queries), expectInteger(where, 'keys', keys)], 'int32')
  const starts = bucketStarts(count, maxDistance), to = out.values, first = expectInteger(where, 'past', past)
  const table = createBucketTable(starts, maxDistance)
  for (let i = 0; i < queries; i++) for (let j = 0; j < keys; j++) {
    const ahead = j - first - i, n = bidirectional ? Math.abs(ahead) : Math.max(0, -ahead)
    to[i * keys + j] = table[Math.min(n, maxDistance)] + (bidirectional && ahead > 0 ? count : 0)
  }
  return out
}

/**
 * T5's relative position bias, to pass as attnMask: a learned number for each bucket and head.
 * @param {Tensor} weight [numBuckets, heads] @param {number} queries @param {number} keys
 * @param {{ bidirectional?: boolean, maxDistance?: number, past?: number }} [options] as in relativePositionBuckets
 * @returns {Tensor} [1, heads, queries, keys]
 */
export function relativePositionBias(weight, queries, keys, options) {
  const where = 'relativePositionBias', given = expectOptions(where, options, OPTIONS.filter(name => name !== 'numBuckets'))
  const { engine, shape } = expectWeightTensor(where, 'weight', weight)
  expectRank(where, 'weight', weight, 2, '[numBuckets, heads]')
  const [numBuckets, heads] = shape
  const buckets = engine.freeWithTrace(relativePositionBuckets(engine, queries, keys, { ...given, numBuckets }))
  return embedding(buckets, weight).transpose(0, 2).transpose(1, 2).reshape(1, heads, queries, keys)
}
