import assert from 'node:assert/strict'
import { test } from 'node:test'
import { goldenCases } from '../golden/index.js'
import { assertSame } from '../lib/compare.js'
import { assertRejects, gf, toTensor } from '../lib/engine.js'
import { QUESTIONS } from '../../src/js/ops/compare.js'

const F = gf.functional

for (const { id, inputs: { a, b }, params: { op }, outputs: { y } } of goldenCases('arithmetic', 'question')) {
  test(`${id}: PyTorch's answers`, () => {
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

test('tensors of all types are compared as the numbers they hold, broadcast, and with numbers', () => {
  const ids = gf.tensor([[1, 2, 16777217], [4, 5, -6]], { dtype: 'int32' })
  assert.deepEqual(ids.eq(16777217).toArray(), [[false, false, true], [false, false, false]])
  assert.deepEqual(ids.gt(gf.tensor([[1.5], [4]])).toArray(), [[false, true, true], [false, true, false]])
  assert.deepEqual(F.lt(2, ids).toArray(), [[false, false, true], [true, true, false]])
  assert.deepEqual(ids.eq(ids.to('float64')).logicalNot().toArray(), [[false, false, false], [false, false, false]])
  assert.deepEqual(gf.tensor([0.1]).eq(0.1).toArray(), [true])
  assert.deepEqual(gf.tensor([1, 2.5]).to('bfloat16').eq(gf.tensor([1, 2.5]).to('float16')).toArray(), [true, true])
  assert.deepEqual(gf.tensor([], { shape: [0, 3] }).eq(1).shape, [0, 3])
})

test('bool tensors: made, read, combined', () => {
  const mask = gf.tensor([[true, false], [false, true]], { dtype: 'bool' }),
    other = gf.tensor([1, 1], { dtype: 'bool' })
  assert.deepEqual([mask.toArray(), [...mask.data]], [[[true, false], [false, true]], [1, 0, 0, 1]])
  assert.equal(mask.at(0, 1), false)
  assert.equal(gf.tensor(3, { dtype: 'bool' }).item(), true)
  assert.deepEqual(mask.logicalAnd(other).toArray(), [[true, false], [false, true]])
  assert.deepEqual(mask.logicalXor(other).to('int32').toArray(), [[0, 1], [1, 0]])
  assert.equal(mask.reshape(4).dtype, 'bool')
})

test('answers carry no gradient, and say how they were made', () => {
  const x = gf.tensor([1, 2, 3], { requiresGrad: true })
  const { trace } = gf.trace(() => x.mul(x.gt(1.5).to('float32')).backward(gf.tensor([1, 1, 1])))
  assert.deepEqual(x.grad.toArray(), [0, 1, 1])
  assert.equal(trace.get('gt').requiresGrad, false)
  const { value, computed, formula, terms } = trace.explain('gt', [1])
  assert.deepEqual([value, computed, formula], [true, 1, '1 where a > b, else 0'])
  assert.deepEqual(terms[0].factors.map(f => f.value), [2, 1.5])
  assert.deepEqual(trace.explain('to', [0]).value, 0)
})

test('what questions do not take', () => {
  const x = gf.tensor([1, 2])
  for (const name of Object.keys(QUESTIONS)) assertRejects(() => F[name](1, 2), 'type', name, 'a or b must be a tensor')
  assertRejects(() => x.eq('1'), 'type', 'eq', 'b', '"1"')
  assertRejects(() => x.eq(gf.tensor([1, 2, 3])), 'shape', 'eq', '[2]', '[3]')
  assertRejects(() => x.to('float8'), 'range', 'to', 'dtype', 'bfloat16', 'float8')
  assertRejects(() => F.isnan(3), 'type', 'isnan', 'x')
})
