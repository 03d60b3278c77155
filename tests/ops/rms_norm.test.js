import assert from 'node:assert/strict'
import { test } from 'node:test'
import { boundsOf } from '../lib/bounds.js'
import { assertRejects, gf } from '../lib/engine.js'
import { testOp } from '../lib/op_tests.js'
import { rms_norm } from '../../src/reference/index.js'

const F = gf.functional

// PyTorch's numbers are among those of the norms in losses.test.js.
testOp('rms_norm', {
  run: ({ x, weight }, { eps }) => ({ y: F.rmsNorm(x, weight, { eps }) }), bounds: boundsOf(rms_norm), golden: {}
})

test("rmsNorm's default eps is the spacing of float32, as in PyTorch", () => {
  const x = gf.tensor([[3e-4, -4e-4]])
  const [a] = F.rmsNorm(x).toArray()[0]
  assert.ok(Math.abs(a - 3e-4 / Math.sqrt(12.5e-8 + 2 ** -23)) < 1e-6, a)
})

test('rmsNorm: cells and gradients are explained', () => {
  const x = gf.tensor([[1, -2, 0.5], [3, 0.25, 1]], { requiresGrad: true }),
    weight = gf.tensor([1, 2, 0.5], { requiresGrad: true })
  const { trace } = gf.trace(() => F.rmsNorm(x, weight, { eps: 1e-3 }).backward(gf.tensor([[1, 2, 3], [4, 5, 6]])))
  for (const [name, index] of [['input', [0, 1]], ['rms_norm.weight', [2]]]) {
    const { rounding, value } = trace.explainGradient(name, index)
    assert.ok(Math.abs(rounding) < 2e-6 * (1 + Math.abs(value)), name)
  }
  assert.ok(Math.abs(trace.explain('rms_norm', [1, 2]).rounding) < 1e-6)
  trace.dispose()
})

test('rmsNorm: rejects invalid arguments', () => {
  const x = gf.tensor([[0.1, 0.9], [0.5, 0.5]])
  assertRejects(() => F.rmsNorm(x, gf.tensor([1])), 'shape', 'rmsNorm', 'weight', '[2]')
  assertRejects(() => F.rmsNorm(x, null, { eps: -1 }), 'range', 'rmsNorm', 'eps')
})
