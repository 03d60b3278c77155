import { test } from 'node:test'
import { sumOfProducts } from '../lib/bounds.js'
import { assertRejects, gf } from '../lib/engine.js'
import { testOp } from '../lib/op_tests.js'
import { matmul } from '../reference/index.js'
import { sizeOf } from '../reference/tensor.js'

const F = gf.functional

/** y sums k products; da sums n, db sums m, and both again over the batches that read the same matrix. */
function terms({ inputs: { a, b }, cot: { y } }) {
  const [m, k] = a.shape.slice(-2)
  const n = b.shape.at(-1)
  const batches = t => sizeOf(y.shape.slice(0, -2)) / (sizeOf(t.shape.slice(0, -2)) || 1)
  return { y: k, a: n * batches(a), b: m * batches(b) }
}

testOp('matmul', {
  run: ({ a, b }) => ({ y: F.matmul(a, b) }),
  bounds: sumOfProducts(matmul, terms),
  golden: { ops: ['matmul'], special_values: ['matmul'] },
})

test('matmul: what it does not take', () => {
  const a = gf.tensor([
    [1, 2, 3],
    [4, 5, 6],
  ])
  assertRejects(() => F.matmul(a, a), 'shape', 'matmul', '[2, 3]', '3', '2')
  const batches = n => gf.tensor(new Float32Array(n), { shape: [n, 1, 1] })
  assertRejects(() => F.matmul(batches(2), batches(3)), 'shape', 'matmul', '[2, 1, 1]', '[3, 1, 1]')
  assertRejects(() => F.matmul([[1]], a), 'type', 'matmul', 'a', 'tensor')
  assertRejects(() => F.matmul(a, gf.tensor(Int32Array.of(1, 2, 3), { shape: [3, 1] })), 'type', 'matmul', 'b', 'int32')
})
