import assert from 'node:assert/strict'
import { test } from 'node:test'
import { goldenCases } from '../golden/index.js'
import { assertSame } from '../lib/compare.js'
import { assertRejects, gf, toTensor } from '../lib/engine.js'
import { COMPARISONS } from '../../src/js/ops/compare.js'

const F = gf.functional

for (const { id, inputs: { a, b }, params: { op }, outputs: { y } } of goldenCases('arithmetic', 'question')) {
  test(`${id}: PyTorch's results`, () => {
    const out = b ? F[op](toTensor(a), toTensor(b)) : F[op](toTensor(a))
    assert.equal(out.dtype, 'bool')
    assertSame(out, { shape: y.shape, data: y.data }, op)
  })
}

for (const { id, inputs: { x }, params: { dtype }, outputs: { y } } of goldenCases('arithmetic', 'to')) {
  test(`${id}: PyTorch's values`, () => {
    const out = toTensor(x).to(dtype)
    assert.equal(out.dtype, dtype)
    assertSame(out.to('float64'), { shape: y.shape, data: y.data }, dtype)
    if (dtype.includes('float')) assertSame({ shape: y.shape, data: out.toArray() }, y, 'as JavaScript reads them')
  })
}

test('tensors of all dtypes are compared as numbers, with broadcasting', () => {
  const ids = gf.tensor([[1, 2, 16777217], [4, 5, -6]], { dtype: 'int32' })
  assert.deepEqual(ids.eq(16777217).toArray(), [[false, false, true], [false, false, false]])
  assert.deepEqual(ids.gt(gf.tensor([[1.5], [4]])).toArray(), [[false, true, true], [false, true, false]])
  assert.deepEqual(F.lt(2, ids).toArray(), [[false, false, true], [true, true, false]])
  assert.deepEqual(ids.eq(ids.to('float64')).logicalNot().toArray(), [[false, false, false], [false, false, false]])
  assert.deepEqual(gf.tensor([0.1]).eq(0.1).toArray(), [true])
  assert.deepEqual(gf.tensor([1, 2.5]).to('bfloat16').eq(gf.tensor([1, 2.5]).to('float16')).toArray(), [true, true])
  assert.deepEqual(gf.tensor([], { shape: [0, 3] }).eq(1).shape, [0, 3])
})

test('infinite and finite values are found in every dtype', () => {
  for (const dtype of ['float32', 'float64', 'float16', 'bfloat16']) {
    const x = gf.tensor([-Infinity, Infinity, NaN, -2, 0], { dtype })
    assert.deepEqual(x.isfinite().toArray(), [false, false, false, true, true], dtype)
    assert.deepEqual(x.isinf().toArray(), [true, true, false, false, false], dtype)
  }
  for (const x of [gf.tensor([-3, 0], { dtype: 'int32' }), gf.tensor([true, false])]) {
    assert.deepEqual([x.isfinite().toArray(), x.isinf().toArray()], [[true, true], [false, false]])
  }
})

test('bool tensors are created, read and combined', () => {
  const mask = gf.tensor([[true, false], [false, true]], { dtype: 'bool' }),
    other = gf.tensor([1, 1], { dtype: 'bool' })
  assert.deepEqual([mask.toArray(), [...mask.data]], [[[true, false], [false, true]], [1, 0, 0, 1]])
  assert.equal(mask.at(0, 1), false)
  assert.equal(gf.tensor(3, { dtype: 'bool' }).item(), true)
  assert.deepEqual(mask.logicalAnd(other).toArray(), [[true, false], [false, true]])
  assert.deepEqual(mask.logicalXor(other).to('int32').toArray(), [[0, 1], [1, 0]])
  assert.equal(mask.reshape(4).dtype, 'bool')
})

test('comparisons have no gradient and are explained', () => {
  const x = gf.tensor([1, 2, 3], { requiresGrad: true })
  const { trace } = gf.trace(() => x.mul(x.gt(1.5).to('float32')).backward(gf.tensor([1, 1, 1])))
  assert.deepEqual(x.grad.toArray(), [0, 1, 1])
  assert.equal(trace.get('gt').requiresGrad, false)
  const { value, computed, formula, terms } = trace.explain('gt', [1])
  assert.deepEqual([value, computed, formula], [true, 1, '1 where a > b, else 0'])
  assert.deepEqual(terms[0].factors.map(f => f.value), [2, 1.5])
  assert.deepEqual(trace.explain('to', [0]).value, 0)
})

test('comparisons reject invalid arguments', () => {
  const x = gf.tensor([1, 2])
  for (const name of Object.keys(COMPARISONS)) assertRejects(() => F[name](1, 2), 'type', name, 'a or b must be a tensor')
  assertRejects(() => x.eq('1'), 'type', 'eq', 'b', '"1"')
  assertRejects(() => x.eq(gf.tensor([1, 2, 3])), 'shape', 'eq', '[2]', '[3]')
  assertRejects(() => x.to('float8'), 'range', 'to', 'dtype', 'bfloat16', 'float8')
  assertRejects(() => F.isnan(3), 'type', 'isnan', 'x')
})

test('equal compares shape and values, as torch.equal', () => {
  const a = gf.tensor([[1, -0], [Infinity, 2]])
  assert.equal(a.equal(gf.tensor([[1, 0], [Infinity, 2]])), true)
  assert.equal(gf.equal(a, a.reshape(4)), false)
  assert.equal(a.equal(gf.tensor([[1, 0], [Infinity, 2.0000002]])), false)
  assert.equal(gf.equal(gf.tensor([NaN]), gf.tensor([NaN])), false)
  assert.equal(gf.equal(gf.tensor([1, 0], { dtype: 'int32' }), gf.tensor([true, false])), true)
  assert.equal(gf.equal(gf.zeros([0]), gf.zeros([0])), true)
  for (const dtype of ['float16', 'bfloat16', 'float64']) assert.equal(gf.equal(a, a.to(dtype)), true, dtype)
  assertRejects(() => gf.equal(a, [1]), 'type', 'equal: b must be a tensor')
})

test('scalars are compared', () => {
  const [one, two] = [1, 2].map(value => gf.tensor(value))
  const asked = () => [one.eq(one), one.lt(two), one.eq(two), two.lt(one)]
  // Twice, so that the memory has both answers in it.
  for (let i = 0; i < 2; i++) assert.deepEqual(asked().map(answer => answer.item()), [true, true, false, false])
})

// PyTorch 1.13.1: torch.allclose of the same pairs.
for (const [a, b, options, expected] of [
  [[1, 100], [1.000008, 100.0009], {}, true], [[1], [1.00002], {}, false], [[1.00002], [1], {}, false],
  [[0], [1e-8], {}, true], [[0], [2e-8], {}, false], [[1e-8], [0], {}, true],
  [[1], [1.1], { rtol: 0, atol: 0.2 }, true], [[1.2], [1], { rtol: 0.1, atol: 0 }, false],
  [[NaN], [NaN], {}, false], [[NaN], [NaN], { equalNan: true }, true], [[Infinity], [Infinity], {}, true],
  [[Infinity], [-Infinity], {}, false], [[1e38], [Infinity], { rtol: 1 }, false], [[Infinity], [1], {}, false],
  [[], [], {}, true]
]) test(`allclose: ${a} and ${b} with ${JSON.stringify(options)}`, () => {
  assert.equal(gf.tensor(a).allclose(gf.tensor(b), options), expected)
  assert.equal(gf.allclose(gf.tensor(a), gf.tensor(b), options), expected)
})

test('allclose: shapes and options', () => {
  const [a, b] = [gf.ones([2]), gf.ones([2, 1])]
  assertRejects(() => a.allclose(b), 'shape', 'allclose: a and b must have one shape, got [2] and [2, 1]')
  assertRejects(() => a.allclose(a, { rtol: -1 }), 'range', 'rtol must be a number >= 0, got -1')
  assertRejects(() => a.allclose(a, { equalNan: 1 }), 'type', 'equalNan must be true or false')
})

test('functions of torch are also methods and in functional', () => {
  for (const name of ['exp', 'matmul', 'sum', 'softmax', 'logSoftmax', 'cat', 'where', 'maskedFill', 'allclose', 'reshape', 'transpose']) {
    assert.equal(gf[name], F[name], name)
  }
  const x = gf.tensor([[1, 2], [3, 4]])
  assert.deepEqual(x.softmax({ dim: 0 }).toArray(), F.softmax(x, { dim: 0 }).toArray())
  assert.deepEqual(gf.transpose(x, 0, 1).toArray(), [[1, 3], [2, 4]])
  assertRejects(() => gf.transpose([[1]], 0, 1), 'type', 'transpose: x must be a tensor')
})
