import { test } from 'node:test'
import { sumOfProducts } from '../lib/bounds.js'
import { assertSame } from '../lib/compare.js'
import { assertRejects, gf } from '../lib/engine.js'
import { testOp } from '../lib/op_tests.js'
import { embedding } from '../../src/reference/index.js'

const F = gf.functional

const forwardIsACopy = bounds => example => ({ ...bounds(example), y: 0 })

testOp('embedding', {
  run: ({ idx, weight }, { padding_idx }) => ({ y: F.embedding(idx, weight, { paddingIdx: padding_idx }) }),
  // Backward, at most every id adds to the same row.
  bounds: forwardIsACopy(sumOfProducts(embedding, ({ inputs }) => ({ weight: inputs.idx.data.length }))),
  golden: { ops: ['embedding'], special_values: ['embedding'] }
})

const weight = () =>
  gf.tensor(
    [
      [1, 2, 3],
      [4, 5, 6],
      [7, 8, 9],
      [0, 0, 1]
    ],
    { requiresGrad: true }
  )

test('embedding: ids may be nested arrays', () => {
  assertSame(F.embedding([[1], [3]], weight()), { shape: [2, 1, 3], data: [4, 5, 6, 0, 0, 1] })
})

test('embedding: a negative padding index counts from the end', () => {
  const table = weight()
  F.embedding([3, 0], table, { paddingIdx: -1 }).backward(
    gf.tensor([
      [1, 1, 1],
      [2, 2, 2]
    ])
  )
  assertSame(table.grad, { shape: [4, 3], data: [2, 2, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0] })
})

test('embedding: rejects invalid arguments', () => {
  assertRejects(() => F.embedding([0, 4], weight()), 'index', 'embedding', 'ids', '4')
  assertRejects(() => F.embedding([-1], weight()), 'index', 'embedding', 'ids', '-1')
  assertRejects(() => F.embedding([0.5], weight()), 'range', 'embedding', 'ids', '0.5')
  assertRejects(() => F.embedding(gf.tensor([0, 1]), weight()), 'type', 'embedding', 'ids', 'int32', 'float32')
  assertRejects(() => F.embedding([0], [[1, 2]]), 'type', 'embedding', 'weight', 'tensor')
  assertRejects(() => F.embedding([0], gf.tensor([1, 2])), 'shape', 'embedding', 'weight', '[2]')
  assertRejects(() => F.embedding([0], weight(), { paddingIdx: 4 }), 'range', 'embedding', 'paddingIdx', '4')
})
