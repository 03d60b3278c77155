import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadGolden } from '../golden/index.js'
import { U } from '../lib/bounds.js'
import { assertClose, assertSame, plain } from '../lib/compare.js'
import { assertRejects, gf } from '../lib/engine.js'
import { numbers } from '../lib/numbers.js'
import { parameter, setGradient } from '../lib/optimizers.js'
import { clipNorm, clipValue } from '../../src/reference/clip_grad.js'
import { zeros } from '../../src/reference/tensor.js'

const { clipping, rtol } = loadGolden('ops')
const { clipGradNorm, clipGradValue } = gf.optim

/** Parameters with these gradients. */
const withGradients = grads =>
  grads.map(gradient => {
    const p = parameter(zeros(gradient.shape))
    setGradient(p, gradient)
    return p
  })

const assertGradients = (parameters, expected, options) =>
  parameters.forEach((p, i) => assertClose(plain(p.grad), expected[i], { ...options, name: `gradient ${i}` }))

for (const item of clipping.filter(one => one.total_norm)) {
  test(`${item.id}: PyTorch's numbers`, () => {
    const parameters = withGradients(item.grads)
    const total = clipGradNorm(parameters, item.max_norm, { normType: Number(item.norm_type) })
    assertClose(total, item.total_norm.data[0], { tol: item.tol, rtol, name: 'total norm' })
    assertGradients(parameters, item.clipped, { tol: item.tol, rtol })
  })
}

test("clip_value: PyTorch's numbers", () => {
  const item = clipping.find(one => one.id === 'clip_value')
  const parameters = withGradients(item.grads)
  clipGradValue(parameters, item.clip_value)
  assertGradients(parameters, item.clipped, { tol: item.tol })
})

for (const n of [1, 3, 5, 17, 33, 130, 1000]) {
  test(`clip [${n}] and [2, ${n}]: the reference's numbers`, () => {
    const grads = [numbers([n], 1), numbers([2, n], 2)]
    for (const normType of [1, 2, 3, Infinity]) {
      const expected = clipNorm({ grads }, { max_norm: 0.5, norm_type: normType })
      const parameters = withGradients(grads)
      const total = clipGradNorm(parameters, 0.5, { normType })
      // A sum of 3n positive terms and a root; then a quotient and a product.
      const bound = (3 * n + 10) * U
      assertClose(total, expected.total_norm, { rtol: bound, name: `norm ${normType}` })
      assertGradients(parameters, expected.clipped, { rtol: bound })
    }
    const parameters = withGradients(grads)
    clipGradValue(parameters, 0.25)
    assertGradients(parameters, clipValue({ grads }, { clip_value: 0.25 }).clipped, {})
  })
}

test('clipGradNorm: the norm is 2 by default, and parameters without a gradient do not count', () => {
  const [p, q] = [parameter(numbers([2], 1)), parameter(numbers([2], 2))]
  setGradient(p, { shape: [2], data: [3, 4] })
  assertClose(clipGradNorm([p, q], 100), 5, { rtol: 2 * U })
  assertSame(p.grad, [3, 4])
  assert.equal(q.grad, null)
  assert.equal(clipGradNorm([q], 1), 0)
})

test('clipping: rejects invalid arguments', () => {
  const [p] = withGradients([numbers([2], 1)])
  assertRejects(() => clipGradNorm([p], 'one'), 'type', 'clipGradNorm', 'maxNorm', 'one')
  assertRejects(() => clipGradNorm([p], 1, { normType: 0 }), 'range', 'clipGradNorm', 'normType', '0')
  assertRejects(() => clipGradNorm([3], 1), 'type', 'clipGradNorm', 'param', '3')
  assertRejects(() => clipGradValue([p], NaN), 'range', 'clipGradValue', 'clipValue', 'NaN')
})

test('clipGradNorm and optimizers take as many parameters as memory holds', () => {
  const params = Array.from({ length: 130000 }, (_, i) => {
    const param = gf.ones([1], { requiresGrad: true })
    param.grad = gf.full([1], i % 5)
    return param
  })
  for (const normType of [Infinity, 1, 2, 3]) assert.ok(clipGradNorm(params, 1e9, { normType }) >= 4)
  assert.equal(clipGradNorm(params, 1e9, { normType: Infinity }), 4)
  assert.equal(new gf.optim.SGD(params).stateDict().paramGroups[0].params.at(-1), 129999)
  for (const param of params) param.dispose()
})
