import { test } from 'node:test'
import { sumOfProducts, countUses } from '../lib/bounds.js'
import { assertSame } from '../lib/compare.js'
import { assertRejects, gf } from '../lib/engine.js'
import { testOp } from '../lib/op_tests.js'
import { mul } from '../../src/reference/index.js'

const F = gf.functional

testOp('mul', {
  run: ({ a, b }) => ({ y: F.mul(a, b) }),
  bounds: sumOfProducts(mul, countUses),
  golden: { special_values: ['mul'] }
})

test('mul: the gradient of x * x is 2x', () => {
  const x = gf.tensor([1, -2, 0], { requiresGrad: true })
  F.mul(x, x).backward(gf.tensor([1, 1, 10]))
  assertSame(x.grad, [2, -4, 0])
})

test('mul: rejects invalid arguments', () => {
  const a = gf.tensor([
    [1, 2, 3],
    [4, 5, 6]
  ])
  assertRejects(() => F.mul(a, gf.tensor([[1], [2], [3]])), 'shape', 'mul', '[2, 3]', '[3, 1]')
  assertRejects(() => F.mul(gf.tensor([1], { dtype: 'float16' }), a), 'type', 'mul', 'a', 'float16')
  assertRejects(() => F.mul(a, null), 'type', 'mul', 'b', 'null')
})
