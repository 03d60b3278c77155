// What is said of cells that are NaN or infinite is what they are, and so are their gradients.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gf } from '../lib/engine.js'
import { REDUCTIONS } from '../../src/js/ops/reduce_operations.js'
import { UNARY } from '../../src/js/ops/unary.js'

const ODD = [NaN, Infinity, -Infinity, 0, -0, 1, -2, 0.5]
const ROWS = ODD.flatMap(a => ODD.flatMap(b => ODD.map(c => [a, b, c])))
const OPTIONS = { clamp: { min: -1, max: 2 } }

function assertExplained({ value, computed, formula }, what) {
  const isClose = Object.is(value + 0, computed + 0) || Math.abs(value - computed) <= 1e-6 * (1 + Math.abs(value))
  assert.ok(isClose, `${what} is ${value}; ${formula} gives ${computed}`)
}

for (const name of Object.keys(UNARY)) {
  test(`${name} of special values and its derivative are explained`, () => {
    const x = gf.tensor(ODD, { requiresGrad: true })
    const { trace } = gf.trace(() => {
      const y = x[name](...OPTIONS[name] ? [OPTIONS[name]] : [])
      y.backward(gf.ones([ODD.length]))
      return y
    })
    for (const [i, v] of ODD.entries()) {
      assertExplained(trace.explain(trace.names.at(-1), [i]), `${name}(${v})`)
      assertExplained(trace.explainGradient('input', [i]), `the gradient of ${name} at ${v}`)
    }
    trace.dispose()
  })
}

const places = ['argmax', 'argmin'], extremes = ['amax', 'amin', 'max', 'min']
for (const name of [...Object.keys(REDUCTIONS), 'prod', ...extremes, ...places]) {
  test(`${name} of rows of special values and its gradients are explained`, () => {
    const x = gf.tensor(ROWS, { requiresGrad: !places.includes(name) })
    const { trace } = gf.trace(() => {
      const result = x[name]({ dim: 1 }), y = ['max', 'min'].includes(name) ? result.values : result
      if (x.requiresGrad) y.backward(gf.ones([ROWS.length]))
      return y
    })
    for (const [r, row] of ROWS.entries()) {
      assertExplained(trace.explain(trace.names.at(-1), [r]), `${name}(${row})`)
      if (x.requiresGrad) row.forEach((_, c) => (
        assertExplained(trace.explainGradient('input', [r, c]), `the gradient of ${name} by place ${c} of ${row}`)))
    }
    trace.dispose()
  })
}

test('the first of 0 and -0 is the extreme', () => {
  const [zero, negative] = [gf.tensor([0]), gf.tensor([-0])]
  for (const fn of [gf.maximum, gf.minimum]) {
    assert.ok(Object.is(fn(zero, negative).toArray()[0], 0), fn.name)
    assert.ok(Object.is(fn(negative, zero).toArray()[0], -0), fn.name)
  }
})

test('the distance of equal values has derivative 0', () => {
  const x = gf.tensor([1, 2, 3], { requiresGrad: true })
  gf.functional.l1Loss(x, gf.tensor([1, 0, 5]), { reduction: 'sum' }).backward()
  assert.deepEqual(x.grad.toArray(), [0, 1, -1])
})

test('powers and norms that overflow are infinite', () => {
  const { functional: F } = gf
  assert.deepEqual(F.pow(gf.tensor([10, 20, 30, 40, 50, 60, 70, 80]), 700).toArray(), Array(8).fill(Infinity))
  assert.deepEqual(F.pow(gf.tensor([1e-20, -10]), gf.tensor([-100, 701])).toArray(), [Infinity, -Infinity])
  assert.deepEqual(F.pow(10, gf.arange(300, 600).to('float32')).toArray(), Array(300).fill(Infinity))
  assert.equal(gf.tensor([50]).norm({ p: 200 }).item(), Infinity)
})

test('large logits keep the precision of their loss', () => {
  const { functional: F } = gf, loss = (x, t) => F.binaryCrossEntropyWithLogits(gf.tensor([x]), gf.tensor([t])).item()
  for (const [x, t, expected] of [[87, 0.999999, 8.815527e-5], [1000, 0.99999, 0.01001358],
    [Math.fround(18.036), 1 - 2 ** -24, 1.0897207e-6], [-87, 0.000001, 8.7e-5]]) {
    assert.ok(Math.abs(loss(x, t) - expected) <= 2e-6 * expected, `${x}: ${loss(x, t)}`)
  }
  assert.deepEqual([[Infinity, 0], [Infinity, 0.5]].map(([x, t]) => loss(x, t)), [Infinity, Infinity])
})

test('cosine similarity of vectors that are broadcast along their axis', () => {
  const a = gf.tensor([[1, 2, 3]], { requiresGrad: true }), made = gf.functional.cosineSimilarity(a, gf.tensor([[2]]))
  made.sum().backward()
  assert.ok(Math.abs(made.item() - 0.9258201) < 1e-6)
  a.grad.toArray()[0].forEach((slope, i) => assert.ok(Math.abs(slope - [0.0882, 0.0220, -0.0441][i]) < 1e-4))
})
