import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sensitivity } from '../lib/bounds.js'
import { assertSame, plain } from '../lib/compare.js'
import { load } from '../../src/js/index.js'
import { assertRejects, gf } from '../lib/engine.js'
import { numbers } from '../lib/numbers.js'
import { checkExplanations, testOp } from '../lib/op_tests.js'
import { attention } from '../../src/reference/index.js'

const F = gf.functional

/**
 * A number on its way meets the sums over D, over the keys (twice) and over the queries, and a handful of roundings in
 * exp and the division; sums of n roundings of either sign grow about as 3 sqrt(n).
 */
function bounds(example) {
  const { q, k } = example.inputs
  const depth = 20 + 3 * Math.sqrt(q.shape.at(-1) + q.shape.at(-2) + 2 * k.shape.at(-2))
  return sensitivity(attention, depth)(example)
}

const run = ({ q, k, v, attn_mask, key_padding_mask }, { causal, window, scale }) => ({
  y: F.scaledDotProductAttention(q, k, v, {
    attnMask: attn_mask, isCausal: causal, window, scale, keyPaddingMask: key_padding_mask,
    enableGqa: k.shape[1] !== q.shape[1]
  })
})

/** The golden files also list weights, which the function does not return. With the identity as values it does. */
const weightsOf = (inputs, params) => {
  const { k } = inputs
  const [B, H, keys] = k.shape
  const identity = new Float32Array(B * H * keys * keys)
  for (let i = 0; i < B * H * keys; i++) identity[i * keys + (i % keys)] = 1
  return run({ ...inputs, v: gf.tensor(identity, { shape: [B, H, keys, keys] }) }, params).y
}

const withWeights = (inputs, params) => ({ ...run(inputs, params), weights: weightsOf(inputs, params) })

testOp('attention', { run, bounds, golden: {} })
testOp('attention', { run: withWeights, bounds, golden: { ops_attention: ['sdpa'] }, examples: [] })

const qkv = (queries, keys) =>
  [
    [1, 1, queries, 4],
    [1, 1, keys, 4],
    [1, 1, keys, 4]
  ].map((shape, i) => gf.tensor(Float32Array.from(numbers(shape, i + 1).data), { shape }))

test('scaledDotProductAttention: a mask of numbers may be nested arrays, a tensor or one per head', () => {
  const [q, k, v] = qkv(2, 3)
  const mask = [
    [0, -1, 2],
    [0.5, -Infinity, 0]
  ]
  const expected = plain(F.scaledDotProductAttention(q, k, v, { attnMask: mask }))
  assertSame(F.scaledDotProductAttention(q, k, v, { attnMask: gf.tensor(mask) }), expected)
  assertSame(F.scaledDotProductAttention(q, k, v, { attnMask: gf.tensor([[mask]]) }), expected)
})

test('scaledDotProductAttention: true in a mask equals adding 0', () => {
  const [q, k, v] = qkv(2, 3)
  const seen = [
    [true, false, true],
    [true, true, false]
  ]
  const added = seen.map(row => row.map(may => (may ? 0 : -Infinity)))
  const expected = plain(F.scaledDotProductAttention(q, k, v, { attnMask: added }))
  assertSame(F.scaledDotProductAttention(q, k, v, { attnMask: seen }), expected)
})

test('scaledDotProductAttention: a query without visible keys gets 0, others are unaffected', () => {
  const [q, k, v] = qkv(2, 3)
  const y = plain(
    F.scaledDotProductAttention(q, k, v, {
      attnMask: [
        [false, false, false],
        [true, true, true]
      ]
    })
  )
  assertSame(y.data.slice(0, 4), [0, 0, 0, 0])
  assertSame(y.data.slice(4), plain(F.scaledDotProductAttention(q, k, v)).data.slice(4))
})

test('scaledDotProductAttention: hidden keys have no influence', () => {
  const [q, k, v] = qkv(3, 3)
  const options = { isCausal: true }
  const before = plain(F.scaledDotProductAttention(q, k, v, options)).data.slice(0, 8)
  const changed = [k, v].map(t =>
    gf.tensor(
      Float32Array.from(t.data, (value, i) => (i < 8 ? value : 1e30)),
      { shape: t.shape }
    )
  )
  assertSame(plain(F.scaledDotProductAttention(q, ...changed, options)).data.slice(0, 8), before)
})

test('scaledDotProductAttention: isCausal gives the bits of the causal mask', () => {
  for (const [queries, keys] of [
    [1, 5],
    [7, 7],
    [37, 37],
    [20, 50],
    [50, 20]
  ]) {
    const [q, k, v] = qkv(queries, keys)
    const seen = Array.from({ length: queries }, (_, i) => Array.from({ length: keys }, (_, j) => j <= i))
    const expected = plain(F.scaledDotProductAttention(q, k, v, { attnMask: seen }))
    assertSame(F.scaledDotProductAttention(q, k, v, { isCausal: true }), expected, `${queries} queries, ${keys} keys`)
  }
})

test('scaledDotProductAttention: without keys the output is 0', () => {
  const q = gf.tensor(new Float32Array(8), { shape: [1, 1, 2, 4] })
  const none = gf.tensor(new Float32Array(0), { shape: [1, 1, 0, 4] })
  assertSame(F.scaledDotProductAttention(q, none, none), { shape: [1, 1, 2, 4], data: new Array(8).fill(0) })
})

test('scaledDotProductAttention: storing the weights does not change a bit', () => {
  const data = i => Float32Array.from(numbers([2, 2, 37, 20], i).data)
  const tensors = requiresGrad => [1, 2, 3].map(i => gf.tensor(data(i), { shape: [2, 2, 37, 20], requiresGrad }))
  const options = { isCausal: true }
  const taught = plain(F.scaledDotProductAttention(...tensors(true), options))
  assertSame(F.scaledDotProductAttention(...tensors(false), options), taught)
  assertSame(
    gf.noGrad(() => F.scaledDotProductAttention(...tensors(true), options)),
    taught
  )
})

test('scaledDotProductAttention: rejects invalid arguments', () => {
  const [q, k, v] = qkv(2, 3)
  const name = 'scaledDotProductAttention'
  const reject = (code, args, ...fragments) => assertRejects(() => F[name](...args), code, name, ...fragments)
  reject('type', [[[1]], k, v], 'q', 'tensor')
  reject('shape', [gf.tensor([[1, 2, 3, 4]]), k, v], 'q', '[1, 4]')
  reject('shape', [q, gf.tensor(new Float32Array(9), { shape: [1, 1, 3, 3] }), v], 'k', '4', '[1, 1, 3, 3]')
  reject('shape', [q, k, gf.tensor(new Float32Array(8), { shape: [1, 1, 2, 4] })], 'v', '3', '[1, 1, 2, 4]')
  reject('shape', [q, k, v, { attnMask: [[true, true]] }], 'attnMask', '[2, 3]', '[1, 2]')
  reject('shape', [q, k, v, { keyPaddingMask: [[false, true]] }], 'keyPaddingMask', '[1, 3]', '[1, 2]')
  reject('type', [q, k, v, { attnMask: 'causal' }], 'attnMask', 'causal')
})

test('rejects masks of another engine, disposed masks and mixed masks', async () => {
  const q = gf.rand([1, 1, 2, 4]), attend = options => F.scaledDotProductAttention(q, q, q, options)
  const other = await load(), gone = gf.tensor([[0, 0], [0, 0]])
  gone.dispose()
  const square = [[0, 0], [0, 0]], where = 'scaledDotProductAttention'
  assertRejects(() => attend({ attnMask: other.tensor(square) }), 'state', where, 'attnMask', 'another engine')
  assertRejects(() => attend({ attnMask: gone }), 'state', where, 'attnMask', 'disposed')
  assertRejects(() => attend({ attnMask: [[true, 0], [0, 0]] }), 'type', where, 'attnMask', 'got 0 after a boolean')
  assertRejects(() => attend({ attnMask: [[0, true], [0, 0]] }), 'type', where, 'attnMask', 'got true after a number')
  assertRejects(() => attend({ keyPaddingMask: [['a', '']] }), 'type', where, 'keyPaddingMask', 'got "a"')
  const padding = gf.tensor([[0, 1]])
  padding.dispose()
  assertRejects(() => attend({ keyPaddingMask: padding }), 'state', where, 'keyPaddingMask', 'disposed')
})

test('heads that share keys: the same bits as with copies of them', () => {
  const t = (heads, D, seed) => gf.tensor(Float32Array.from(numbers([2, heads, 19, D], seed).data),
    { shape: [2, heads, 19, D] })
  const [q, k, v] = [t(6, 5, 1), t(2, 5, 2), t(2, 7, 3)]
  const copies = x => gf.tensor([0, 0, 0, 1, 1, 1].map(h => x.toArray()[0][h]).concat([0, 0, 0, 1, 1, 1]
    .map(h => x.toArray()[1][h]))).reshape(2, 6, 19, -1)
  const shared = F.scaledDotProductAttention(q, k, v, { enableGqa: true, isCausal: true })
  assertSame(shared, plain(F.scaledDotProductAttention(q, copies(k), copies(v), { isCausal: true })))
})

test('heads that share keys: the gradient of a key or value has terms of all its heads', () => {
  const inputs = { q: numbers([1, 6, 3, 2], 1), k: numbers([1, 2, 3, 2], 2), v: numbers([1, 2, 3, 2], 3) }
  checkExplanations(run, { inputs, params: { causal: true }, cot: { y: numbers([1, 6, 3, 2], 4) } }, ['q', 'k', 'v'])
})

/** A mask of numbers that hides what a window hides, and leaves the kernel nothing to leave out. */
const windowMask = (queries, keys, window) => Array.from({ length: queries }, (_, i) => (
  Array.from({ length: keys }, (_, j) => (j <= i - window ? -Infinity : 0))))

test('keys outside the window are skipped without changing a bit', () => {
  for (const [queries, keys] of [[1, 1], [9, 9], [17, 17], [40, 40], [65, 65], [33, 12], [33, 8], [50, 3], [5, 40]]) {
    const [q, k, v] = qkv(queries, keys)
    for (const window of [1, 3, 8, 9, 17, 100]) for (const isCausal of [false, true]) {
      const keyPaddingMask = [Array.from({ length: keys }, (_, j) => j % 5 === 4)]
      const attnMask = windowMask(queries, keys, window)
      // Without a causal mask a window also hides what lies ahead of it, as the mask must then.
      if (!isCausal) attnMask.forEach((row, i) => row.forEach((_, j) => { if (j >= i + window) row[j] = -Infinity }))
      for (const options of [{}, { keyPaddingMask }]) {
        const masked = F.scaledDotProductAttention(q, k, v, { attnMask, isCausal, ...options })
        const windowed = F.scaledDotProductAttention(q, k, v, { window, isCausal, ...options })
        assertSame(windowed, plain(masked))
      }
    }
  }
})

test('stored matrices of attention with a window are complete, and the output is the same', () => {
  const attention = new gf.nn.MultiheadAttention(8, 2)
  const x = gf.randn([1, 40, 8])
  for (const options of [{ window: 3 }, { window: 11, isCausal: true }]) {
    const [out, weights] = attention.forward(x, x, x, { ...options, averageAttnWeights: false })
    const [bare] = attention.forward(x, x, x, { ...options, needWeights: false })
    assertSame(bare, plain(out))
    for (const [i, row] of weights.toArray()[0][0].entries()) for (const [j, weight] of row.entries()) {
      const isHidden = j <= i - options.window || (options.isCausal ? j > i : j >= i + options.window)
      assert.equal(weight === 0, isHidden, `query ${i}, key ${j}`)
    }
  }
})

test('masked scores are −∞ wherever a window hides, far from it too', () => {
  const [q, k, v] = qkv(40, 40)
  const { trace } = gf.trace(() => F.scaledDotProductAttention(q, k, v, { window: 3 }))
  const { trace: open } = gf.trace(() => F.scaledDotProductAttention(q, k, v))
  const [dots, masked] = ['dots', 'masked_scores'].map(name => trace.get(name).toArray()[0][0])
  const all = open.get('dots').toArray()[0][0]
  for (const [i, row] of masked.entries()) for (const [j, score] of row.entries()) {
    assert.equal(score === -Infinity, Math.abs(i - j) >= 3, `query ${i}, key ${j}`)
    if (j < i + 3) assert.equal(dots[i][j], all[i][j], `dots of query ${i}, key ${j}`)
  }
})

test('enableGqa and window reject invalid arguments', () => {
  const t = heads => gf.rand([1, heads, 3, 4]), where = 'scaledDotProductAttention'
  const reject = (code, args, ...rest) =>
    assertRejects(() => F.scaledDotProductAttention(...args), code, where, ...rest)
  reject('shape', [t(4), t(2), t(2)], 'enableGqa')
  reject('shape', [t(4), t(3), t(3), { enableGqa: true }], '4', '3')
  reject('shape', [t(4), t(2), t(4), { enableGqa: true }], 'v')
  reject('type', [t(4), t(4), t(4), { enableGqa: 1 }], 'enableGqa')
  reject('range', [t(4), t(4), t(4), { window: 0 }], 'window')
  reject('type', [t(4), t(4), t(4), { window: 'all' }], 'window')
})

test('dots, scores and masked scores follow from each other to the bit', () => {
  const [q, k, v] = qkv(5, 7), attnMask = [0, 1, 2, 3,
    4].map(i => [0, 1, 2, 3, 4, 5, 6].map(j => (i === j ? -Infinity : i / 4)))
  const { trace } = gf.trace(() => F.scaledDotProductAttention(q, k, v, { attnMask, scale: 0.3, isCausal: true }))
  const [dots, scores, masked] = ['dots', 'scores', 'masked_scores'].map(name => plain(trace.get(name)).data)
  assertSame(scores, dots.map(x => Math.fround(x * Math.fround(0.3))))
  const added = n => (n % 7 > Math.floor(n / 7) ? -Infinity : attnMask[Math.floor(n / 7)][n % 7])
  assertSame(masked, scores.map((x, n) => (added(n) === -Infinity ? -Infinity : Math.fround(x + added(n)))))
  assertSame(dots, Array.from(dots, (_, n) => {
    const [i, j] = [Math.floor(n / 7), n % 7]
    return [0, 1, 2, 3].reduce((sum, d) => Math.fround(sum + Math.fround(q.at(0, 0, i, d) * k.at(0, 0, j, d))), 0)
  }))
})

test('attention without heads runs forward and backward with every mask', () => {
  const masks = [
    {}, { attnMask: gf.zeros([5, 11]) }, { keyPaddingMask: [new Array(11).fill(false)] }, { isCausal: true },
    { dropoutP: 0.5 }, { enableGqa: true }, { window: 2 }
  ]
  for (const options of masks) for (const [D, Dv] of [[2, 1], [0, 0], [3, 2]]) {
    const [q, k, v] = [[5, D], [11, D], [11, Dv]].map(sides => gf.zeros([1, 0, ...sides], { requiresGrad: true }))
    const run = () => gf.functional.scaledDotProductAttention(q, k, v, options)
    assert.deepEqual([...run().shape], [1, 0, 5, Dv])
    run().sum().backward()
    assert.deepEqual([q, k, v].map(t => [...t.grad.shape]), [q, k, v].map(t => [...t.shape]))
    const { output, trace } = gf.trace(() => run().sum())
    output.backward()
    trace.dispose()
  }
})

test('an empty bool mask is accepted', () => {
  const [q, k] = [gf.zeros([1, 2, 0, 2]), gf.zeros([1, 2, 3, 2])]
  const attnMask = gf.tensor([], { shape: [0, 3], dtype: 'bool' })
  assert.deepEqual([...gf.functional.scaledDotProductAttention(q, k, k, { attnMask }).shape], [1, 2, 0, 2])
})
