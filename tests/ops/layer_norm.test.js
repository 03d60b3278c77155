import { test } from 'node:test'
import { U } from '../lib/bounds.js'
import { assertClose, assertSame } from '../lib/compare.js'
import { assertRejects, gf } from '../lib/engine.js'
import { testOp } from '../lib/op_tests.js'
import { layer_norm } from '../../src/reference/index.js'
import { rowsOf, zeros } from '../../src/reference/tensor.js'

const F = gf.functional

/**
 * The mean of n numbers is off by at most n * U * mean |x|, and that shifts every x - mean alike; the difference's own
 * rounding, the variance's sum and root and the products add about n + 10 roundings relative to the normal value.
 */
function statistics({ x }, { eps = 1e-5 }) {
  const { rows, width } = rowsOf(x)
  const normal = layer_norm.forward({ x }, { eps }).y.data
  const normalError = zeros([rows * width]).data
  const inverseDeviation = zeros([rows]).data
  for (let r = 0; r < rows; r++) {
    const row = Array.from(x.data.slice(r * width, (r + 1) * width))
    const mean = row.reduce((a, b) => a + b, 0) / width
    const variance = row.reduce((sum, value) => sum + (value - mean) ** 2, 0) / width
    inverseDeviation[r] = 1 / Math.sqrt(variance + eps)
    const shift = ((width * U * row.reduce((sum, value) => sum + Math.abs(value), 0)) / width) * inverseDeviation[r]
    // The shift enters the variance squared.
    const relative = (width + 10) * U + shift ** 2
    for (let i = r * width; i < (r + 1) * width; i++) normalError[i] = shift + relative * Math.abs(normal[i])
  }
  return { rows, width, normal, normalError, inverseDeviation }
}

const row = (r, width) => Array.from({ length: width }, (_, i) => r * width + i)

function bounds({ inputs, params, cot: { y: dy } }) {
  const { x, weight, bias } = inputs
  const { rows, width, normal, normalError, inverseDeviation } = statistics(inputs, params)
  const w = i => Math.abs(weight ? weight.data[i % width] : 1)
  const y = normal.map(
    (value, i) => w(i) * (normalError[i] + 2 * U * Math.abs(value)) + U * Math.abs(bias ? bias.data[i % width] : 0)
  )
  const dx = zeros(x.shape).data
  const dweight = new Float64Array(width)
  const dbias = new Float64Array(width)
  for (let r = 0; r < rows; r++) {
    const places = row(r, width)
    const mean = term => places.reduce((sum, i) => sum + term(i), 0) / width
    const g = i => Math.abs(dy.data[i]) * w(i)
    const n = i => Math.abs(normal[i])
    // dx = (g - mean g - normal * mean(g * normal)) / deviation: roundings of the sums, then normal's error, twice.
    for (const i of places) {
      const sums = (width + 12) * U * (g(i) + mean(g) + n(i) * mean(j => g(j) * n(j)))
      dx[i] =
        inverseDeviation[r] * (sums + normalError[i] * mean(j => g(j) * n(j)) + n(i) * mean(j => g(j) * normalError[j]))
      dweight[i % width] += Math.abs(dy.data[i]) * (normalError[i] + (rows + 2) * U * n(i))
      dbias[i % width] += rows * U * Math.abs(dy.data[i])
    }
  }
  return { y, x: dx, weight: dweight, bias: dbias }
}

testOp('layer_norm', {
  run: ({ x, weight, bias }, { eps }) => ({ y: F.layerNorm(x, weight, bias, { eps }) }),
  bounds,
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
