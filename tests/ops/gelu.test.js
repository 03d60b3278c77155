import { test } from 'node:test'
import { U } from '../lib/bounds.js'
import { assertRejects, gf } from '../lib/engine.js'
import { testOp } from '../lib/op_tests.js'

const F = gf.functional

/**
 * erf and tanh are within about 2 units in the last place of values up to 1, after an argument that is off by a few U;
 * 1 + erf loses nothing more. So P(Z <= x) is off by at most 6 U and y by 6 U |x|. The slope adds x * density(x): its
 * exponent x^2 / 2 carries x^2 roundings, and x * density never exceeds 0.25. With tanh it adds x / 2 * (1 - tanh^2)
 * times the cubic's slope, where 1 - tanh^2 is off by 4 U until tanh is flat, at x = 5.5.
 */
function bounds({ inputs: { x }, params: { approximate }, cot: { y: dy } }) {
  const flat = value => Math.min(Math.abs(value), 5.5)
  const cancelled = value => 2 * flat(value) * 0.8 * (1 + 0.134 * flat(value) ** 2)
  const slope = value => 10 + 0.25 * Math.min(value ** 2, 30) + (approximate === 'tanh' ? cancelled(value) : 0)
  return {
    y: x.data.map(value => 8 * U * Math.abs(value)),
    x: x.data.map((value, i) => U * slope(value) * Math.abs(dy.data[i]))
  }
}

testOp('gelu', {
  run: ({ x }, { approximate }) => ({ y: F.gelu(x, { approximate }) }),
  bounds,
  golden: { ops: ['gelu'], special_values: ['gelu'] }
})

testOp('gelu', {
  run: ({ x }) => ({ y: F.gelu(x, { approximate: 'tanh' }) }),
  bounds,
  golden: { ops: ['gelu_tanh'], special_values: ['gelu_tanh'] },
  examples: []
})

test('gelu: rejects invalid arguments', () => {
  assertRejects(() => F.gelu(3), 'type', 'gelu', 'x', 'tensor')
  assertRejects(
    () => F.gelu(gf.tensor([1]), { approximate: 'sigmoid' }),
    'range',
    'gelu',
    'approximate',
    'tanh',
    'sigmoid'
  )
})
