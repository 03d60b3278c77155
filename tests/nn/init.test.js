import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadGolden } from '../golden/index.js'
import { assertClose, assertSame } from '../lib/compare.js'
import { assertRejects, gf } from '../lib/engine.js'

const { init } = gf.nn

for (const { name, shape, options, values, next } of loadGolden('init').cases) {
  test(`${name} [${shape}] ${JSON.stringify(options)}: PyTorch's numbers, and its stream afterwards`, () => {
    gf.manualSeed(42)
    const tensor = gf.rand(shape)
    gf.manualSeed(42)
    assert.equal(init[name](tensor, options ?? undefined), tensor)
    const expected = { shape, data: values.map(Math.fround) }
    // PyTorch's erfinv is a float32 approximation with two Newton steps: it may be off in the last bits.
    if (name === 'truncNormal_') assertClose(tensor, expected, { rtol: 4e-7, tol: 4e-7 * (options?.std ?? 1) })
    else assertSame(tensor, expected)
    assert.equal(gf.rand([1]).item(), Math.fround(next))
  })
}

test('truncNormal_: inside its bounds, with the moments of its distribution', () => {
  gf.manualSeed(1)
  const values = Array.from(init.truncNormal_(gf.rand([20000]), { a: -1, b: 2 }).values)
  assert.ok(values.every(v => v >= -1 && v <= 2))
  const mean = values.reduce((a, b) => a + b) / values.length
  // (density(-1) - density(2)) / (P(2) - P(-1)) = (0.241971 - 0.053991) / 0.818595
  assert.ok(Math.abs(mean - 0.22964) < 0.02, `${mean}`)
})

/** 1 - erf(z): the integral of 2/√π e^-t² from z on, by Simpson's rule. */
function complement(z) {
  const steps = 4000, width = 8 / steps, density = t => Math.exp(-t * t) * 2 / Math.sqrt(Math.PI)
  let sum = density(z) + density(z + 8)
  for (let i = 1; i < steps; i++) sum += density(z + i * width) * (i % 2 ? 4 : 2)
  return sum * width / 3
}

/** Where erf is y, by halving. */
function erfInverse(y) {
  let low = 0, high = 6
  for (let i = 0; i < 60; i++) {
    const middle = (low + high) / 2
    if (complement(middle) > 1 - Math.abs(y)) low = middle
    else high = middle
  }
  return Math.sign(y) * low
}

test('truncNormal_: near and far from its mean it is where erf has what was drawn', () => {
  const n = 12, far = x => complement(Math.abs(x) / Math.SQRT2)
  const share = x => Math.fround(x < 0 ? far(x) - 1 : 1 - far(x))
  for (const [a, b] of [[3.6, 4.4], [-4.4, -3.6], [-4, 4], [0, 0.05], [-0.002, 0.001], [3.4, 3.7], [-1.2, -0.8]]) {
    gf.manualSeed(7)
    const drawn = init.uniform_(gf.zeros([n]), { a: share(a), b: share(b) }).values
    const there = Array.from(drawn, u => Math.min(b, Math.max(a, erfInverse(u) * Math.SQRT2)))
    for (const [mean, std] of [[0, 1], [3, 0.5]]) {
      gf.manualSeed(7)
      const found = init.truncNormal_(gf.zeros([n]), { mean, std, a: mean + a * std, b: mean + b * std }).values
      there.map(x => x * std + mean).forEach((value, i) => {
        const error = Math.abs(found[i] - value)
        assert.ok(error <= 4e-7 * (Math.abs(value) + mean), `${found[i]}, not ${value}, from ${a} to ${b}`)
      })
    }
  }
})

test('truncNormal_: beyond what float32 tells from certain, all values are the outer bound, as in PyTorch', () => {
  assert.deepEqual(init.truncNormal_(gf.rand([3]), { a: 8, b: 20 }).toArray(), [20, 20, 20])
  assert.deepEqual(init.truncNormal_(gf.rand([3]), { a: -20, b: -8 }).toArray(), [-20, -20, -20])
})

test('constant_ and gains', () => {
  assert.deepEqual(init.constant_(gf.rand([3]), 0.5).toArray(), [0.5, 0.5, 0.5])
  const gains = [['linear', 1], ['sigmoid', 1], ['tanh', 5 / 3], ['relu', Math.SQRT2], ['selu', 0.75],
    ['leakyRelu', Math.sqrt(2 / 1.0001)]]
  for (const [name, gain] of gains) assert.equal(init.calculateGain(name), gain)
})

test('an initialized parameter is packed again', () => {
  const layer = new gf.nn.Linear(3, 2, { bias: false }), x = gf.tensor([[1, 1, 1]])
  gf.noGrad(() => layer.forward(x))
  init.ones_(layer.weight)
  assert.deepEqual(gf.noGrad(() => layer.forward(x)).toArray(), [[3, 3]])
})

test('rejects invalid arguments', () => {
  const reject = (name, args, code, ...rest) => assertRejects(() => init[name](...args), code, name, ...rest)
  reject('xavierUniform_', [gf.rand([3])], 'shape', 'two axes')
  reject('kaimingNormal_', [gf.rand([3, 2]), { mode: 'fan' }], 'range', 'mode')
  reject('truncNormal_', [gf.rand([3]), { a: 2, b: 1 }], 'range', 'below b')
  reject('normal_', [gf.rand([3]), { std: -1 }], 'range', 'std')
  reject('normal_', [[1, 2]], 'type', 'tensor')
  reject('uniform_', [gf.rand([3]), { low: 1 }], 'type', 'low')
  reject('calculateGain', ['gelu'], 'range', 'nonlinearity')
})
