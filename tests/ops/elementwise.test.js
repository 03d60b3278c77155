import assert from 'node:assert/strict'
import { test } from 'node:test'
import { U, boundsOf } from '../lib/bounds.js'
import { assertClose } from '../lib/compare.js'
import { assertRejects, gf } from '../lib/engine.js'
import { testOp } from '../lib/op_tests.js'
import { binary, binaryNames, unary, unaryNames } from '../../src/reference/elementwise.js'
import { BINARY } from '../../src/js/ops/binary.js'
import { UNARY } from '../../src/js/ops/unary.js'

const F = gf.functional

const optionsOf = ({ op, ...options }) => (Object.keys(options).length ? options : undefined)

testOp('unary', {
  run: ({ x }, params) => ({ y: F[params.op](x, optionsOf(params)) }),
  bounds: boundsOf(unary),
  golden: { arithmetic: ['unary'] }
})

/** Roundings of the value, and of what is summed for a gradient. */
const PAIR_ROUNDINGS = { maximum: [0, 1], minimum: [0, 1], pow: [2, 5], div: [1, 4] }

testOp('binary', {
  run: ({ a, b }, params) => ({ y: F[params.op](a ?? params.a, b ?? params.b) }),
  bounds: ({ inputs, params, cot: { y: dy } }) => {
    const [value, slope] = PAIR_ROUNDINGS[params.op] ?? [1, 2], sizes = binary.sizes(inputs, params, { y: dy })
    const gradients = Object.entries(sizes).map(([name, { data }]) => {
      const uses = dy.data.length / (data.length || 1)
      return [name, data.map(size => (slope + (uses > 1 ? uses : 0)) * U * size)]
    })
    const y = binary.forward(inputs, params).y.data.map(v => value * U * Math.abs(v))
    return { y, ...Object.fromEntries(gradients) }
  },
  golden: { arithmetic: ['binary'] }
})

test('the tables of the library and of the reference hold the same operations', () => {
  assert.deepEqual(Object.keys(UNARY).sort(), [...unaryNames].sort())
  assert.deepEqual(Object.keys(BINARY).sort(), [...binaryNames].sort())
})

/** Every cell of a traced result and of the gradients explains itself, and gives the number that lies there. */
function checkExplanations(run, inputs) {
  const leaves = inputs.map(values => (typeof values === 'number' ? values : gf.tensor(values, { requiresGrad: true })))
  const { trace } = gf.trace(() => {
    const out = run(...leaves)
    out.backward(gf.tensor(Float32Array.from({ length: out.numel() }, (_, i) => 1 + i / 4), { shape: out.shape }))
  })
  for (const name of trace.names) {
    const { shape } = trace.get(name), places = shape.length === 2 ?
        [[0, 0], [1, 1]].filter(at => at.every((i, k) => i < shape[k])) : [[0]]
    for (const at of places) {
      for (const found of [trace.explain(name, at), trace.explainGradient(name, at)]) {
        assert.ok(found.formula && Math.abs(found.rounding) <= 1e-6 * (1 + Math.abs(found.value)),
          `${name}: ${JSON.stringify(found)}`)
        for (const { label, factors } of found.terms) {
          for (const { symbol } of factors) assert.ok(label.includes(symbol), `${symbol} in ${label}`)
        }
      }
    }
  }
  trace.dispose()
}

for (const name of unaryNames) {
  const options = name === 'clamp' ? { min: 0.7, max: 1.2 } : undefined
  test(`${name}: cells and gradients are explained`,
    () => checkExplanations(x => F[name](x, options), [[[0.5, 2], [1.25, 0.75]]]))
}
for (const name of binaryNames) {
  const operands = [[[[0.5, 2], [1.25, 0.75]], [3, 1.5]], [[[0.5, 2], [1.25, 0.75]], [[2.5], [1.5]]],
    [2.5, [[0.5, 2]]], [[[0.5, 2]], 2.5]]
  for (const pair of operands) {
    test(`${name}: cells and gradients of ${JSON.stringify(pair)} are explained`,
      () => checkExplanations(F[name], pair))
  }
}

test('every operation is a method too', () => {
  const x = gf.tensor([0.5, 2, 3]), y = gf.tensor([2, 2, 1])
  for (const name of unaryNames) {
    const options = name === 'clamp' ? { max: 1 } : undefined
    assert.deepEqual(x[name](options).toArray(), F[name](x, options).toArray(), name)
  }
  for (const name of binaryNames) {
    assert.deepEqual(x[name](y).toArray(), F[name](x, y).toArray(), name)
    assert.deepEqual(x[name](2).toArray(), F[name](x, 2).toArray(), name)
  }
})

test('scalars are rounded to float32, as the tensors are', () => {
  assert.deepEqual(gf.tensor([1]).mul(0.1).toArray(), [Math.fround(0.1)])
  assert.deepEqual(F.sub(1, gf.tensor([0.25, 3])).toArray(), [0.75, -2])
})

test('a value has the same bits at the end of a row as in the middle', () => {
  const values = Float32Array.from({ length: 67 }, (_, i) => Math.sin(i * 12.9898) * 5)
  for (const name of unaryNames) {
    const whole = F[name](gf.tensor(values), name === 'clamp' ? { min: -1 } : undefined).data.slice()
    for (const n of [1, 2, 3, 5]) {
      const part = F[name](gf.tensor(values.slice(8, 8 + n)), name === 'clamp' ? { min: -1 } : undefined).data
      assert.deepEqual([...part], [...whole.slice(8, 8 + n)], name)
    }
  }
})

test('a gradient through a broadcast operand is added to the existing one', () => {
  const x = gf.tensor([[1, 2, 3], [4, 5, 6]], { requiresGrad: true }),
    row = gf.tensor([1, 1, 2], { requiresGrad: true })
  for (let i = 0; i < 2; i++) F.mul(x, row).backward(gf.tensor([[1, 1, 1], [1, 1, 1]]))
  assert.deepEqual([x.grad.toArray(), row.grad.toArray()], [[[2, 2, 4], [2, 2, 4]], [10, 14, 18]])
})

/** The values of an operation and the slopes of its tensors, each in every lane and at the end of a row. */
function assertSlopes(name, tensors, options, expected) {
  for (let before = 0; before < 6; before++) {
    const padded = [...tensors, ...expected].map(list => [...Array(before).fill(list[0]), ...list])
    const leaves = padded.slice(0, tensors.length).map(list => gf.tensor(list, { requiresGrad: true }))
    const out = F[name](...leaves, ...options)
    out.backward(gf.ones(out.shape))
    const found = [out, ...leaves.map(leaf => leaf.grad)].map(one => one.toArray().map(v => v + 0))
    assert.deepEqual(found, padded.slice(tensors.length).map(list => list.map(v => Math.fround(v) + 0)), name)
  }
}

test("derivatives at jumps are PyTorch's", () => {
  const x = [-1, -0, 0, 1], step = 2 ** -20
  assertSlopes('abs', [x], [], [[1, 0, 0, 1], [-1, 0, 0, 1]])
  assertSlopes('sign', [x], [], [[-1, 0, 0, 1], [0, 0, 0, 0]])
  assertSlopes('relu', [x], [], [[0, 0, 0, 1], [0, 0, 0, 1]])
  assertSlopes('leakyRelu', [x], [{ negativeSlope: 0.25 }], [[-0.25, 0, 0, 1], [0.25, 0.25, 0.25, 1]])
  assertSlopes('clamp', [[-1, 1, -1 - step, 1 + step]], [{ min: -1, max: 1 }], [[-1, 1, -1, 1], [1, 1, 0, 0]])
  const [a, b] = [[1, 2, 0, 3], [2, 1, 0, 3]]
  assertSlopes('maximum', [a, b], [], [[2, 2, 0, 3], [0, 1, 0.5, 0.5], [1, 0, 0.5, 0.5]])
  assertSlopes('minimum', [a, b], [], [[1, 1, 0, 3], [1, 0, 0.5, 0.5], [0, 1, 0.5, 0.5]])
  assertSlopes('pow', [[0, 0, 0, 2], [0, 1, 2, 0]], [], [[1, 0, 0, 1], [0, 1, 0, 0], [0, 0, 0, Math.log(2)]])
})

test('softplus is linear only above its threshold', () => {
  const x = gf.tensor([1, 1 + 2 ** -20], { requiresGrad: true }), y = F.softplus(x, { threshold: 1 })
  y.backward(gf.ones([2]))
  assertClose(y, gf.tensor([Math.log1p(Math.E), 1 + 2 ** -20]), { rtol: 2e-7 })
  assertClose(x.grad, gf.tensor([1 / (1 + Math.exp(-1)), 1]), { rtol: 2e-7 })
})

test('elementwise operations reject invalid arguments', () => {
  const x = gf.tensor([[1, 2, 3], [4, 5, 6]])
  assertRejects(() => x.add(gf.tensor([1, 2])), 'shape', 'add', '[2, 3]', '[2]')
  assertRejects(() => F.add(1, 2), 'type', 'add', 'a or b must be a tensor')
  assertRejects(() => F.silu(gf.tensor([1], { dtype: 'int32' })), 'type', 'silu', 'x', 'int32', "to('float32')")
  assertRejects(() => x.to('float16').add(1), 'type', 'add', 'float16', "to('float32')")
  assertRejects(() => F.exp(x, { base: 2 }), 'type', 'exp', 'no options')
  assertRejects(() => F.clamp(x, { low: 2 }), 'type', 'clamp', 'low', 'min')
  assertRejects(() => F.clamp(x, { min: '2' }), 'type', 'clamp', 'min', '"2"')
  assertRejects(() => F.clamp(x, { max: NaN }), 'type', 'clamp', 'max', 'NaN')
  for (const none of [undefined, {}, { min: undefined }, { min: null, max: null }]) {
    for (const clamped of [() => F.clamp(x, none), () => x.clamp(none), () => x.clone().clamp_(none), () => x.to('int32').clamp(none)]) {
      assertRejects(clamped, 'type', 'clamp', 'min, max or both must be numbers, got neither')
    }
  }
  assertRejects(() => x.clamp(null, null), 'type', 'clamp', 'got neither')
  assert.deepEqual(x.clamp(null, 0).toArray(), x.clamp({ max: 0 }).toArray())
  assertRejects(() => x.pow(null), 'type', 'pow', 'b', 'null')
})

test('sine and cosine of large numbers are exact', () => {
  const values = [2 ** 20, -1e6, 1e10, -1e19, 1e30, 3.4e38].map(Math.fround), x = gf.tensor(values)
  for (const name of ['sin', 'cos']) assertClose(x[name](), gf.tensor(values.map(Math[name])), { tol: 6e-8 })
})

test('pow: small integer exponents in a vector with another exponent', () => {
  const base = [1.5, -2, 0.75, 3]
  for (const most of [0, 1, 2, 3, 4]) for (const other of [0, 1, 2, 3]) for (const at of [0, 1, 2, 3]) {
    const exponents = Array(4).fill(most).with(at, other)
    const y = F.pow(gf.tensor(base), gf.tensor(exponents)).toArray()
    assert.deepEqual(y, base.map((x, i) => x ** exponents[i]), `${exponents}`)
  }
})
