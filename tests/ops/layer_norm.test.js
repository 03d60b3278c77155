import { test } from 'node:test'
import { boundsOf } from '../lib/bounds.js'
import { assertClose, assertSame } from '../lib/compare.js'
import { assertRejects, gf } from '../lib/engine.js'
import { testOp } from '../lib/op_tests.js'
import { layer_norm } from '../../src/reference/index.js'

const F = gf.functional

testOp('layer_norm', {
  run: ({ x, weight, bias }, { eps }) => ({ y: F.layerNorm(x, weight, bias, { eps }) }),
  bounds: boundsOf(layer_norm),
  golden: { ops: ['layer_norm'], special_values: ['layer_norm'] }
})

test('layerNorm: a constant row gives the bias, and NaN without eps', () => {
  const x = gf.tensor([[2, 2, 2]])
  const weight = gf.tensor([3, 3, 3])
  const bias = gf.tensor([1, 2, 3])
  assertSame(F.layerNorm(x, weight, bias), { shape: [1, 3], data: [1, 2, 3] })
  assertSame(F.layerNorm(x, weight, bias, { eps: 0 }), { shape: [1, 3], data: [NaN, NaN, NaN] })
})

test('layerNorm: the default eps is 1e-5', () => {
  const y = F.layerNorm(gf.tensor([[0, 0.002]]), gf.tensor([1, 1]), gf.tensor([0, 0]))
  assertClose(y, { shape: [1, 2], data: [-0.001, 0.001].map(d => d / Math.sqrt(1e-6 + 1e-5)) }, { rtol: 1e-5 })
})

test('layerNorm: rejects invalid arguments', () => {
  const x = gf.tensor([[1, 2, 3]])
  const three = gf.tensor([1, 1, 1])
  assertRejects(() => F.layerNorm(x, gf.tensor([1, 1]), three), 'shape', 'layerNorm', 'weight', '[3]', '[2]')
  assertRejects(() => F.layerNorm(x, three, gf.tensor([[1, 1, 1]])), 'shape', 'layerNorm', 'bias', '[3]', '[1, 3]')
  assertRejects(() => F.layerNorm([[1, 2, 3]], three, three), 'type', 'layerNorm', 'x', 'tensor')
  assertRejects(() => F.layerNorm(x, three, three, { eps: 'small' }), 'type', 'layerNorm', 'eps', 'small')
})
