import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadGolden } from '../golden/index.js'
import { nearest } from '../lib/bounds.js'
import { assertSame, plain } from '../lib/compare.js'
import { assertRejects, gf } from '../lib/engine.js'
import { numbers } from '../lib/numbers.js'
import { testOp } from '../lib/op_tests.js'
import { dropout } from '../../src/reference/index.js'
import { dropoutScale, Generator } from '../../src/reference/random.js'
import { sizeOf } from '../../src/reference/tensor.js'

const F = gf.functional
const SEED = 77

/** The mask that the engine will draw after the same seed. */
function example(shape, p) {
  const keep = { shape, data: new Generator(SEED).dropoutMask(sizeOf(shape), p), dtype: 'bool' }
  const scale = p === 1 ? 0 : dropoutScale(p)
  return {
    name: `[${shape}], p = ${p}`,
    inputs: { x: numbers(shape, 1), keep },
    params: { p, scale },
    cot: { y: numbers(shape, 2) }
  }
}

const shapes = [[1], [3], [5, 17], [2, 7, 12], [3, 130], [0, 4]]

testOp('dropout', {
  run: ({ x }, { p }) => {
    gf.manualSeed(SEED)
    return { y: F.dropout(x, { p, training: true }) }
  },
  // One product, rounded once.
  bounds: ({ inputs, params, cot }) => ({
    y: nearest(dropout.forward(inputs, params).y),
    x: nearest(dropout.backward(inputs, params, cot).x)
  }),
  golden: {},
  examples: shapes.flatMap(shape => [0, 0.1, 0.15, 0.5, 0.9, 1].map(p => example(shape, p)))
})

for (const { seed, dropout: masks } of loadGolden('rng').seeds) {
  test(`dropout: PyTorch's masks, seed ${seed}`, () => {
    for (const { shape, p, scale, mask, kept } of masks) {
      gf.manualSeed(seed)
      const ones = gf.tensor(new Float32Array(sizeOf(shape)).fill(1), { shape })
      const { data } = plain(F.dropout(ones, { p, training: true }))
      assert.equal(
        data
          .slice(0, mask.length)
          .map(value => (value === 0 ? 0 : 1))
          .join(''),
        mask
      )
      assert.equal(data.filter(value => value === Math.fround(scale)).length, kept)
    }
  })
}

test('dropout: p = 0 and p = 1 use no random numbers', () => {
  const x = gf.tensor([1, -2, 3])
  const draws = call => {
    gf.manualSeed(1)
    call()
    return gf.rand([1]).item()
  }
  const untouched = draws(() => {})
  assert.equal(
    draws(() => assertSame(F.dropout(x, { p: 0, training: true }), [1, -2, 3])),
    untouched
  )
  assert.equal(
    draws(() => assertSame(F.dropout(x, { p: 1, training: true }), [0, 0, 0])),
    untouched
  )
  assert.equal(
    draws(() => assertSame(F.dropout(x, { p: 0.5, training: false }), [1, -2, 3])),
    untouched
  )
})

test('dropout: the defaults are p = 0.5 and training', () => {
  const x = gf.tensor(new Float32Array(64).fill(1))
  gf.manualSeed(3)
  const byDefault = plain(F.dropout(x))
  gf.manualSeed(3)
  assertSame(F.dropout(x, { p: 0.5, training: true }), byDefault)
  assert.deepEqual([...new Set(byDefault.data)].sort(), [0, 2])
})

test('dropout: dropped infinity and NaN become NaN', () => {
  const x = gf.tensor([Infinity, NaN, 1, -Infinity, NaN, 2, Infinity, Infinity])
  gf.manualSeed(SEED)
  const keep = new Generator(SEED).dropoutMask(8, 0.5)
  assertSame(
    F.dropout(x, { p: 0.5, training: true }),
    plain(x).data.map((value, i) => value * keep[i] * 2)
  )
})

test('dropout: rejects invalid arguments', () => {
  const x = gf.tensor([1, 2])
  for (const p of [-0.1, 1.5, NaN]) assertRejects(() => F.dropout(x, { p, training: true }), 'range', 'dropout', 'p', p)
  assertRejects(() => F.dropout(x, { p: '0.5' }), 'type', 'dropout', 'p', '0.5')
  assertRejects(() => F.dropout([1, 2]), 'type', 'dropout', 'x', 'tensor')
})
