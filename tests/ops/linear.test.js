import { test } from 'node:test'
import { sumOfProducts } from '../lib/bounds.js'
import { assertRejects, gf } from '../lib/engine.js'
import { testOp } from '../lib/op_tests.js'
import { linear } from '../reference/index.js'
import { rowsOf } from '../reference/tensor.js'

const F = gf.functional

/** y sums one product per input and the bias; dx one per output; dweight and dbias one per row. */
function terms({
  inputs: {
    x,
    weight: {
      shape: [outputs, width],
    },
  },
}) {
  const { rows } = rowsOf(x)
  return { y: width + 1, x: outputs, weight: rows, bias: rows }
}

testOp('linear', {
  run: ({ x, weight, bias }) => ({ y: F.linear(x, weight, bias) }),
  bounds: sumOfProducts(linear, terms),
  golden: { ops: ['linear'], special_values: ['linear'] },
})

test('linear: what it does not take', () => {
  const x = gf.tensor([[1, 2, 3]])
  const weight = gf.tensor([
    [1, 2, 3],
    [4, 5, 6],
  ])
  assertRejects(() => F.linear(x, gf.tensor([[1, 2]])), 'shape', 'linear', '[1, 2]', '3')
  assertRejects(() => F.linear(x, weight, gf.tensor([1, 2, 3])), 'shape', 'linear', 'bias', '[2]', '[3]')
  assertRejects(() => F.linear(x, gf.tensor([1, 2, 3])), 'shape', 'linear', 'weight', '[3]')
  assertRejects(() => F.linear([[1, 2, 3]], weight), 'type', 'linear', 'x', 'tensor')
  assertRejects(() => F.linear(x, weight, [1, 2]), 'type', 'linear', 'bias', 'tensor')
  assertRejects(() => F.linear(gf.tensor(Int32Array.of(1, 2, 3)), weight), 'type', 'linear', 'x', 'int32')
})
