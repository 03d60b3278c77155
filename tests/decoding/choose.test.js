import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertClose } from '../lib/compare.js'
import { assertRejects, gf } from '../lib/engine.js'
import { numbers } from '../lib/numbers.js'
import * as reference from '../../src/reference/decoding.js'

const { decoding } = gf

/** Asserts the ids of the reference, and its probabilities within a few roundings. */
function assertCandidates(logits, options, label) {
  const actual = decoding.filterLogits(logits, options), expected = reference.filterLogits(logits, options)
  assert.deepEqual(Array.from(actual.ids), expected.ids, `${label} ${JSON.stringify(options)}`)
  assertClose(actual.probabilities, expected.probabilities, { tol: 1e-6, name: `${label} ${JSON.stringify(options)}` })
}

test('filterLogits returns the candidates of an independent reference, for many options and sizes', () => {
  for (const V of [1, 2, 3, 5, 17, 130, 1000]) {
    const logits = numbers([V], V, { scale: 3 }).data
    for (const temperature of [undefined, 0.5, 2]) {
      for (const topK of [undefined, 0, 1, 3, 64, 65, 2000]) {
        for (const topP of [undefined, 1, 0.9, 0.31, 1e-6]) assertCandidates(logits, { temperature, topK, topP }, `V = ${V}`)
      }
    }
  }
})

test('filterLogits ranks equal logits by id, also at the limit of top-k', () => {
  const logits = [1, 3, 2, 3, 3, 2, -1]
  for (const topK of [1, 2, 3, 4, 5, 6, 7]) assertCandidates(logits, { topK }, 'ties')
  assert.deepEqual(Array.from(decoding.filterLogits(logits, { topK: 2 }).ids), [1, 3])
  assert.deepEqual(Array.from(decoding.filterLogits(new Array(200).fill(0.5), { topK: 70 }).ids),
    Array.from({ length: 70 }, (_, i) => i))
})

test('filterLogits: the token whose probability completes topP is the last candidate', () => {
  const equal = [0, 0, 0, 0]
  for (const [topP, count] of [[0.25, 1], [0.2500001, 2], [0.5, 2], [0.5000001, 3], [0.75, 3], [0.76, 4], [1, 4],
    [1e-9, 1]]) {
    assert.equal(decoding.filterLogits(equal, { topP }).ids.length, count, `p = ${topP}`)
  }
  // Top-p sums the probabilities among the candidates of top-k: two equal ones have 0.5 each.
  assert.deepEqual(Array.from(decoding.filterLogits([5, 0, 5, 4.9], { topK: 2, topP: 0.5 }).ids), [0])
  assert.deepEqual(Array.from(decoding.filterLogits([5, 0, 5, 4.9], { topK: 2, topP: 0.51 }).ids), [0, 2])
})

test('filterLogits: a token with probability 0 is no candidate', () => {
  const { ids, probabilities } = decoding.filterLogits([-Infinity, 2, -Infinity, 2])
  assert.deepEqual([Array.from(ids), Array.from(probabilities)], [[1, 3], [0.5, 0.5]])
})

test('pick selects by cumulative probabilities, the largest first', () => {
  const candidates = decoding.filterLogits([0, 2, 1, 2], { topK: 3 })
  for (let random = 0; random < 1; random += 1 / 64) {
    assert.equal(decoding.pick(candidates, random), reference.pick(candidates, random), `${random}`)
  }
  const halves = decoding.filterLogits([1, 1])
  assert.deepEqual([0, 0.4999, 0.5, 0.9999].map(random => decoding.pick(halves, random)), [0, 0, 1, 1])
  assertRejects(() => decoding.pick(halves, 1), 'range', 'random', '1')
  assert.equal(decoding.pick({ ids: [4, 7, 9], probabilities: [0.5, 0.25, 0.125] }, 0.95), 9, 'the last candidate has the remainder of rounding')
})

test('filterLogits and greedy accept tensors, and filterLogits refuses invalid arguments', () => {
  const row = gf.tensor([1, 2, 3])
  assert.deepEqual(decoding.filterLogits(row), decoding.filterLogits([1, 2, 3]))
  assert.equal(decoding.greedy(row), 2)
  assert.equal(decoding.greedy([3, 5, 5]), 1)
  const reject = (code, args, ...rest) => assertRejects(() => decoding.filterLogits(...args), code, 'filterLogits', ...rest)
  reject('type', ['abc'], 'logits')
  reject('type', [[]], 'logits')
  reject('range', [[1], { temperature: 0 }], 'temperature')
  reject('range', [[1], { topP: 0 }], 'topP')
  reject('range', [[1], { topK: -1 }], 'topK')
  reject('type', [[1], { top_k: 1 }], 'top_k')
})

test('float16 and bfloat16 logits are read as numbers', () => {
  for (const dtype of ['float16', 'bfloat16']) {
    const row = gf.tensor([1, -2, 0.5]).to(dtype)
    assert.equal(gf.decoding.greedy(row), 0, dtype)
    assert.deepEqual([...gf.decoding.filterLogits(row).ids], [0, 2, 1], dtype)
    const ids = gf.decoding.generate(() => row.reshape(1, 1, 3), [0], { maxNewTokens: 2, cache: false })
    assert.deepEqual(ids, [0, 0], dtype)
  }
})

test('a temperature that makes logits overflow selects the largest', () => {
  for (const temperature of [1e-36, 1e-38, Number.MIN_VALUE]) {
    const { ids, probabilities } = gf.decoding.filterLogits([3, 5, 30], { temperature })
    assert.deepEqual([[...ids], [...probabilities]], [[2], [1]], `${temperature}`)
  }
  assert.deepEqual([...gf.decoding.filterLogits([7, -2, 7], { temperature: 1e-40 }).probabilities], [0.5, 0.5])
  assert.deepEqual([...gf.decoding.filterLogits([-30, -3, -30], { temperature: 1e-39 }).ids], [1])
  const [finite, infinite] = [-3e38, -Infinity].map(logit => (
    gf.decoding.filterLogits([0.47, 7.41, logit], { temperature: 0.3 }).probabilities))
  assert.deepEqual(finite, infinite, 'a logit whose probability underflows changes no bit')
})

// Logits of a diverged model must give an error instead of arbitrary tokens.
const settings = [
  {}, { beams: 2 }, { temperature: 1, seed: 0 }, { temperature: 1, topK: 2, seed: 1 },
  { temperature: 1, topP: 0.9, seed: 2 }
]
const generate = (row, options) =>
  decoding.generate(() => gf.tensor([[row]]), [0], { maxNewTokens: 1, cache: false, ...options })

test('NaN among the logits is an error in all methods of decoding', () => {
  for (const row of [[NaN, 1, 5], [0, NaN, 0], [0, 1, NaN], [NaN, NaN, NaN], [Infinity, NaN, 0]]) {
    const index = row.findIndex(Number.isNaN)
    for (const options of settings) assertRejects(() => generate(row, options), 'range', 'generate: logits', `NaN at index ${index}`)
    for (const logits of [row, Float32Array.from(row), gf.tensor(row)]) {
      assertRejects(() => decoding.greedy(logits), 'range', 'greedy: logits', `NaN at index ${index}`)
      assertRejects(() => decoding.filterLogits(logits), 'range', 'filterLogits: logits', `NaN at index ${index}`)
    }
  }
})

test('logits of +∞ have all of the probability in equal parts', () => {
  for (const options of settings) assert.deepEqual(generate([0, Infinity, 100], options), [1], JSON.stringify(options))
  assert.equal(decoding.greedy([0, Infinity, 100]), 1)
  for (const [row, ids, probabilities] of [
    [[0, 1, Infinity], [2], [1]], [[Infinity, 3, Infinity], [0, 2], [0.5, 0.5]], [[-Infinity, Infinity], [1], [1]],
    [[0, 1e40], [1], [1]]
  ]) for (const options of [{}, { temperature: 0.1 }, { temperature: 1e-40 }]) {
    const candidates = decoding.filterLogits(row, options)
    assert.deepEqual([Array.from(candidates.ids), Array.from(candidates.probabilities)], [ids, probabilities], `${row}`)
  }
})

test('logits that are all −∞ are refused', () => {
  const row = [-Infinity, -Infinity]
  for (const options of settings) assertRejects(() => generate(row, options), 'range', 'one of the logits must be above −∞')
  assertRejects(() => decoding.greedy(row), 'range', 'above −∞')
  assertRejects(() => decoding.filterLogits(row), 'range', 'above −∞')
})

test('greedy, filterLogits, pick and pathTo refuse values of the wrong type', () => {
  for (const wrong of [['a', 'b'], [], [undefined], null, 3, 'ab', new DataView(new ArrayBuffer(4)), Object.assign([], { 1: 1 }), new BigInt64Array(2)]) {
    assertRejects(() => decoding.greedy(wrong), 'type', 'greedy: logits must be a row of numbers')
    assertRejects(() => decoding.filterLogits(wrong), 'type', 'filterLogits: logits must be a row of numbers')
  }
  for (const wrong of [null, undefined, {}, { ids: [], probabilities: [] }, { ids: [1, 2], probabilities: [1] },
    { ids: [1, 2], probabilities: [NaN, NaN] }, { ids: 'ab', probabilities: 'cd' }, { ids: [1], probabilities: ['a'] }]) {
    assertRejects(() => decoding.pick(wrong, 0), 'type', 'pick: candidates must be { ids, probabilities }')
  }
  assertRejects(() => decoding.pathTo([{ id: 1, parent: 0 }], 0), 'range', 'pathTo: parent of tree[0]')
  assertRejects(() => decoding.pathTo([{ id: 1, parent: 1 }, { id: 2, parent: 0 }], 1), 'range', 'pathTo: parent of tree[0]')
  assertRejects(() => decoding.pathTo([{ id: 1, parent: -1 }], 1), 'range', 'pathTo: at')
  assert.deepEqual(decoding.pathTo([{ id: 5, parent: -1 }, { id: 6, parent: 0 }], 1), [5, 6])
})
