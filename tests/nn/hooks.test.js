// Hooks before a forward and in backward, and gradients of computed tensors.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertRejects, gf } from '../lib/engine.js'

const { nn } = gf

/** A layer of known weights: y = [x₀ + 2 x₁, 3 x₀ + 4 x₁]. */
const makeLayer = () => {
  const layer = new nn.Linear(2, 2, { bias: false })
  layer.loadStateDict({ weight: [[1, 2], [3, 4]] })
  return layer
}

test('a forward pre-hook sees the inputs and may replace them', () => {
  const layer = makeLayer(), seen = [], hook = layer.registerForwardPreHook((module, inputs) => {
    seen.push([module === layer, inputs.length])
  })
  assert.deepEqual(layer(gf.tensor([1, 1])).toArray(), [3, 7])
  assert.deepEqual(seen, [[true, 1]])
  const doubling = layer.registerForwardPreHook((_, [x]) => x.mul(2))
  assert.deepEqual(layer(gf.tensor([1, 1])).toArray(), [6, 14])
  const listed = layer.registerForwardPreHook((_, [x]) => [x.add(1)])
  assert.deepEqual(layer(gf.tensor([1, 1])).toArray(), [9, 21])
  for (const one of [hook, doubling, listed]) one.remove()
  assert.deepEqual(layer(gf.tensor([1, 1])).toArray(), [3, 7])
  assert.equal(seen.length, 3)
})

test('a backward hook gets the gradients of inputs and outputs', () => {
  const layer = makeLayer(), calls = []
  const hook = layer.registerFullBackwardHook((module, gradInput, gradOutput) => {
    calls.push([module === layer, gradInput.map(g => g.toArray()), gradOutput.map(g => g.toArray())])
  })
  const x = gf.tensor([[1, 1]], { requiresGrad: true })
  layer(x).mul(gf.tensor([1, 10])).sum().backward()
  assert.deepEqual(calls, [[true, [[[31, 42]]], [[[1, 10]]]]])
  assert.deepEqual(x.grad.toArray(), [[31, 42]])
  assert.deepEqual(layer.weight.grad.toArray(), [[1, 1], [10, 10]])
  hook.remove()
  layer(x).sum().backward()
  assert.equal(calls.length, 1)
})

test('a backward hook may replace the gradients of the inputs', () => {
  const layer = makeLayer(), x = gf.tensor([[1, 1]], { requiresGrad: true }), kept = []
  layer.registerFullBackwardHook((_, [g]) => {
    kept.push(g)
    return [g.mul(-1)]
  })
  layer.registerFullBackwardHook((_, [g]) => g.mul(10))
  layer(x.mul(1)).sum().backward()
  assert.deepEqual(x.grad.toArray(), [[-40, -60]])
  assert.deepEqual(kept[0].toArray(), [[4, 6]])
  assert.deepEqual(layer.weight.grad.toArray(), [[1, 1], [1, 1]])
})

test('inputs without a gradient, several outputs, noGrad', () => {
  const calls = [], layer = makeLayer(), shapesOf = list => list.map(g => g && g.shape)
  class Both extends nn.Module {
    layer = layer
    forward(x, factor) { return [this.layer(x), x.mul(factor), x.shape] }
  }
  const both = new Both()
  both.registerFullBackwardHook((_, gradInput, gradOutput) => {
    calls.push([shapesOf(gradInput), shapesOf(gradOutput)])
  })
  const x = gf.tensor([1, 1], { requiresGrad: true }), [y, z] = both(x, 2)
  y.sum().add(z.sum()).backward()
  assert.deepEqual(calls, [[[[2], null], [[2], [2], null]]])
  assert.deepEqual(x.grad.toArray(), [6, 8])
  const [first] = both(gf.tensor([1, 1]), 2)
  first.sum().backward()
  assert.deepEqual(calls[1], [[null, null], [[2], null, null]])
  gf.noGrad(() => both(x, 2))
  assert.equal(calls.length, 2)
})

test('hooks inside a Transformer layer, in gf.grad and in a trace', () => {
  const layer = new nn.TransformerEncoderLayer(4, 2, { dimFeedforward: 8, dropout: 0 })
  const x = gf.randn([1, 3, 4], { requiresGrad: true }), weights = gf.randn([1, 3, 4])
  const loss = () => layer(x).mul(weights).sum(), [plain] = gf.grad(loss(), [x]), seen = []
  layer.linear1.registerFullBackwardHook((_, gradInput) => { seen.push(gradInput[0].shape) })
  const [hooked] = gf.grad(loss(), [x])
  assert.ok(gf.allclose(hooked, plain, { atol: 1e-6 }))
  assert.deepEqual(seen, [[1, 3, 4]])
  layer.linear1.registerFullBackwardHook((_, [g]) => [g.mul(2)])
  const { output, trace } = gf.trace(() => layer(x))
  output.sum().backward()
  for (const name of trace.names) {
    const index = trace.get(name).shape.map(() => 0)
    try {
      const { value, computed } = trace.explainGradient(name, index)
      assert.ok(Math.abs(value - computed) < 1e-5, `${name}: ${value}, computed ${computed}`)
    } catch (error) {
      assert.equal(error.code, 'state', error.stack)
    }
  }
  trace.dispose()
})

test('wrong hooks are errors that say what was expected', () => {
  const layer = makeLayer(), x = gf.tensor([[1, 1]], { requiresGrad: true })
  assertRejects(() => layer.registerForwardPreHook(1), 'type', 'registerForwardPreHook', 'fn must be a function')
  assertRejects(() => layer.registerFullBackwardHook(), 'type', 'registerFullBackwardHook', 'fn must be a function')
  assertRejects(() => layer.register_backward_hook, 'type', 'registerFullBackwardHook')
  const pre = layer.registerForwardPreHook(async () => {})
  assertRejects(() => layer(x), 'type', 'registerForwardPreHook', 'async')
  pre.remove()
  for (const [result, code, ...words] of [[[x, x], 'shape', 'each of 1 inputs', '2'], [[1], 'type', 'float32 tensors'],
    [[gf.ones([3])], 'shape', '[1, 2]', '[3]']]) {
    const hook = layer.registerFullBackwardHook(() => result)
    assertRejects(() => layer(x).sum().backward(), code, 'registerFullBackwardHook', ...words)
    hook.remove()
  }
})

test('retainGrad gives computed tensors a grad, which accumulates', () => {
  const x = gf.tensor([1, 2], { requiresGrad: true }), y = x.mul(3)
  y.retainGrad()
  y.square().sum().backward({ retainGraph: true })
  assert.deepEqual(y.grad.toArray(), [6, 12])
  y.sum().backward()
  assert.deepEqual(y.grad.toArray(), [7, 13])
  assert.deepEqual(x.grad.toArray(), [21, 39])
  x.retainGrad()
  assert.equal(x.retainsGrad, false)
  assertRejects(() => gf.ones([1]).retainGrad(), 'state', 'retainGrad', 'requiresGrad')
  assertRejects(() => gf.ones([1]).retain_grad, 'type', 'retainGrad')
  const { trace } = gf.trace(() => {
    const z = x.mul(2)
    z.retainGrad()
    z.sum().backward()
    assert.deepEqual(z.grad.toArray(), [1, 1])
    return z
  })
  assert.deepEqual(trace.gradient('mul').toArray(), [1, 1])
  trace.dispose()
})
