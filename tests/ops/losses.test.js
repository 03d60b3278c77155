import assert from 'node:assert/strict'
import { test } from 'node:test'
import { U } from '../lib/bounds.js'
import { numbers } from '../lib/numbers.js'
import { assertRejects, gf } from '../lib/engine.js'
import { testOp } from '../lib/op_tests.js'
import { forward, backward } from '../../src/reference/losses.js'
import * as norms from '../../src/reference/norms.js'

const F = gf.functional

/** A loss is a few functions of 1 unit each, then a sum; its slope too. The sizes are those of the largest parts. */
const sizeOf = t => Math.max(1e-3, ...Array.from(t.data, Math.abs).filter(Number.isFinite))
const lossBounds = ({ inputs, params, cot: { y: dy } }) => {
  const each = forward(inputs, { ...params, reduction: 'none' }).y, parts = each.data.length || 1
  const { y } = forward(inputs, params), slopes = backward(inputs, params, { y: dy }), most = sizeOf(inputs.input)
  const tol = U * (sizeOf(each) + most + 1) * 40 * (params.reduction === 'sum' ? parts : 1)
  return {
    y: y.data.map(() => tol),
    ...Object.fromEntries(Object.entries(slopes).map(
      ([name, t]) => [name, t.data.map(v => U * (30 * Math.abs(v) + 20 * sizeOf(dy)))]))
  }
}

testOp('loss', {
  run: ({ input, target, weight, posWeight }, { op, ...options }) => ({
    y: F[op](input, target, { ...options, ...(weight && { weight }), ...(posWeight && { posWeight }) })
  }),
  bounds: lossBounds,
  golden: { arithmetic: ['loss'] }
})

/** Differences in the reference leave 1e-11; a row's sum of C squares is taken in double, so few roundings meet. */
const normBounds = reference => ({ inputs, params, cot }) => {
  const { y } = reference.forward(inputs, params), slopes = reference.backward(inputs, params, cot)
  const size = sizeOf(cot.y) * Math.max(1, ...Object.values(inputs).map(sizeOf)) ** 2
  return {
    y: y.data.map(v => U * (8 * Math.abs(v) + 20)),
    ...Object.fromEntries(Object.entries(slopes).map(
      ([name, t]) => [name, t.data.map(v => U * (40 * Math.abs(v) + 60 * size) + 1e-10)]))
  }
}

testOp('norm', {
  run: ({ x, weight }, { op, ...options }) =>
    ({ y: op === 'rmsNorm' ? F.rmsNorm(x, weight, options) : F.normalize(x, options) }),
  bounds: normBounds(norms.norm),
  golden: { arithmetic: ['norm'] }
})

testOp('pair', {
  run: ({ a, b }, { op, ...options }) => ({ y: op === 'cosineSimilarity' ? F[op](a, b, options) : F[op](a, b) }),
  bounds: normBounds(norms.pair),
  golden: { arithmetic: ['pair'] }
})

/** Two neighbouring numbers between which `value` of them changes. */
function change(value, low, high) {
  for (const first = value(low); ;) {
    const middle = (low + high) / 2
    if (middle === low || middle === high) return [low, high]
    if (value(middle) === first) low = middle
    else high = middle
  }
}

test('a row has the same bits alone and after others', () => {
  const normOf = {
    layerNorm: (x, eps) => F.layerNorm(x, null, null, { eps }), rmsNorm: (x, eps) => F.rmsNorm(x, null, { eps })
  }
  for (const [op, norm] of Object.entries(normOf)) {
    for (let seed = 1; seed <= 12; seed++) {
      const values = Array.from(numbers([1, 37], seed).data)
      const last = (rows, eps) => gf.tidy(() => norm(gf.tensor(rows), eps).toArray().at(-1))
      for (const eps of change(eps => last([values], eps)[0], 1, 1.001)) {
        assert.deepEqual(last([values.toReversed(), values], eps), last([values], eps), `${op}, seed ${seed}, eps ${eps}`)
      }
    }
  }
})

test('losses: methods and vectors', () => {
  const a = gf.tensor([1, 2, 3]), b = gf.tensor([4, 5, 6])
  assert.equal(a.dot(b).item(), 32)
  assert.deepEqual(a.outer(b).shape, [3, 3])
  assert.equal(a.matmul(b).shape.length, 0)
})

test('every cell of a weighted cross entropy is explained', () => {
  const logits = gf.tensor(Float32Array.from(numbers([2, 3, 4], 5).data), { shape: [2, 3, 4] })
  logits.requiresGrad = true
  const weight = gf.tensor([0.5, 2, 1])
  for (const name of ['crossEntropy', 'nllLoss']) {
    logits.grad = null
    const { trace } = gf.trace(() => F[name](logits, [[0, 1, 2, -100], [2, 2, 1, 0]], { weight }).backward())
    for (const at of trace.names) {
      const tensor = trace.get(at), index = tensor.shape.map(side => side - 1), made = trace.explain(at, index)
      assert.ok(Math.abs(made.rounding) <= 2e-6 * (1 + Math.abs(made.value)), `${at}: ${JSON.stringify(made)}`)
      let gradient
      try {
        gradient = trace.explainGradient(at, index)
      } catch (error) {
        assert.equal(error.code, 'state')
        continue
      }
      assert.ok(Math.abs(gradient.rounding) <= 2e-6 * (1 + Math.abs(gradient.value)),
        `d ${at}: ${JSON.stringify(gradient)}`)
    }
    trace.dispose()
  }
})

test('weighted cross entropy adds to an existing gradient', () => {
  const logits = gf.tensor([[0.5, -1, 2, 0.25, 3]], { requiresGrad: true }), weight = gf.tensor([0.5, 2, 1, 3, 0.25])
  const gradient = () => {
    F.crossEntropy(logits, [2], { weight, labelSmoothing: 0.25 }).backward()
    return Array.from(logits.grad.data)
  }
  const once = gradient()
  assert.deepEqual(gradient(), once.map(one => 2 * one))
})

test('losses and norms reject invalid arguments', () => {
  const x = gf.tensor([[0.1, 0.9], [0.5, 0.5]]), y = gf.tensor([0, 1])
  for (const name of ['mseLoss', 'l1Loss', 'binaryCrossEntropy', 'binaryCrossEntropyWithLogits', 'klDiv']) {
    assertRejects(() => F[name](x, y), 'shape', name, 'target', '[2, 2]', '[2]')
    assertRejects(() => F[name](x, [1]), 'type', name, 'target')
    assertRejects(() => F[name](x, x, { reduction: 'average' }), 'range', name, 'reduction', 'average')
    assertRejects(() => F[name](x, x, { size: 1 }), 'type', name, 'size')
  }
  assertRejects(() => F.binaryCrossEntropy(gf.tensor([2]), gf.tensor([1])), 'range', 'input', '2', 'WithLogits')
  assertRejects(() => F.crossEntropy(x, [0, 1], { weight: gf.tensor([1, 2, 3]) }), 'shape', 'weight', '[2]', '[3]')
  assertRejects(() => F.crossEntropy(x, x, { ignoreIndex: 0 }), 'range', 'ignoreIndex', 'probabilities')
  assertRejects(() => F.nllLoss(x, [0, 2]), 'index', 'nllLoss', 'target', '2')
  assertRejects(() => F.nllLoss(gf.tensor(1), 0), 'shape', 'nllLoss', 'logProbs')
  assertRejects(() => F.normalize(x, { dim: 2 }), 'range', 'norm', 'dim')
  assertRejects(() => F.matmul(gf.tensor(1), x), 'shape', 'matmul', '[]')
  assertRejects(() => F.dot(x, x), 'shape', 'dot', 'a')
  assertRejects(() => F.outer(y, x), 'shape', 'outer', 'b')
})
