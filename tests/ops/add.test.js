import { test } from 'node:test'
import { nearest, sumOfProducts, countUses } from '../lib/bounds.js'
import { assertSame } from '../lib/compare.js'
import { assertRejects, gf } from '../lib/engine.js'
import { testOp } from '../lib/op_tests.js'
import { add } from '../../src/reference/index.js'

const F = gf.functional

testOp('add', {
  run: ({ a, b }) => ({ y: F.add(a, b) }),
  // One rounding forward; backward a sum over the places that a broadcast number went to.
  bounds: example => ({ ...sumOfProducts(add, countUses)(example), y: nearest(add.forward(example.inputs).y) }),
  golden: { special_values: ['add'] }
})

test('add: a sum beyond float32 is infinite', () => {
  const big = gf.tensor([3e38, -3e38])
  assertSame(F.add(big, big), [Infinity, -Infinity])
})

test('add: x + x sends its gradient to x twice', () => {
  const x = gf.tensor([1, 2], { requiresGrad: true })
  F.add(x, x).backward(gf.tensor([10, 20]))
  assertSame(x.grad, [20, 40])
})

test('add: rejects invalid arguments', () => {
  const a = gf.tensor([
    [1, 2, 3],
    [4, 5, 6]
  ])
  assertRejects(() => F.add(a, gf.tensor([1, 2])), 'shape', 'add', '[2, 3]', '[2]')
  assertRejects(() => F.add(a, gf.tensor([1, 2, 3], { dtype: 'float64' })), 'type', 'add', 'b', 'float64')
  assertRejects(() => F.add('a', a), 'type', 'add', 'a', 'tensor')
  assertRejects(() => F.add(a), 'type', 'add', 'b', 'undefined')
})
