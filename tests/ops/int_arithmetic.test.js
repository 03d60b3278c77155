import assert from 'node:assert/strict'
import { test } from 'node:test'
import { goldenCases } from '../golden/index.js'
import { assertSame } from '../lib/compare.js'
import { assertRejects, gf } from '../lib/engine.js'

const F = gf.functional
const KEPT = { int64: 'int32', bool: 'bool', float32: 'float32' }

const operand = value => (typeof value === 'number' ? value
  : gf.tensor(Float64Array.from(value.data), { shape: value.shape, dtype: KEPT[value.dtype] ?? 'int32' }))

for (const { id, inputs: { a, b }, params: { op }, outputs: { y } } of goldenCases('int_arithmetic', 'int_arithmetic')) {
  test(`${id}: PyTorch's type and values`, () => {
    const out = F[op](operand(a), operand(b))
    assert.equal(out.dtype, KEPT[y.dtype])
    assertSame(out, y, op)
  })
}

/* Independent of the kernel: integers of any size, cut to 32 bits. */
const EXACT = {
  add: (a, b) => a + b, sub: (a, b) => a - b, mul: (a, b) => a * b, pow: (a, b) => a ** b,
  maximum: (a, b) => (a > b ? a : b), minimum: (a, b) => (a < b ? a : b)
}

for (const [op, exact] of Object.entries(EXACT)) test(`${op}: integers of all sizes, exactly`, () => {
  gf.manualSeed(7)
  const drawn = (low, high) => gf.randint(low, high, [1000])
  const a = drawn(-(2 ** 31), 2 ** 31 - 1), b = op === 'pow' ? drawn(0, 40) : drawn(-(2 ** 31), 2 ** 31 - 1)
  const wide = t => t.toArray().map(BigInt), [as, bs] = [wide(a), wide(b)]
  assert.deepEqual(F[op](a, b).toArray(), as.map((value, i) => Number(BigInt.asIntN(32, exact(value, bs[i])))))
})

test('a bool mask times a float tensor has a gradient and explanations', () => {
  const x = gf.tensor([1, -2, 3], { requiresGrad: true })
  const { trace } = gf.trace(() => x.mul(x.gt(0)).sum().backward())
  assert.deepEqual(x.grad.toArray(), [1, 0, 1])
  assert.equal(trace.explain('mul', [1]).value, -0)
  const ids = gf.tensor([3, 46341], { dtype: 'int32' }), { trace: whole } = gf.trace(() => ids.mul(ids).add(1))
  const { value, computed, formula } = whole.explain('mul', [1])
  assert.deepEqual([value, computed, formula], [46341 ** 2 - 2 ** 32, 46341 ** 2 - 2 ** 32, 'out = a × b'])
})

test('booleans give a bool tensor, numbers or a mix float32', () => {
  assert.equal(gf.tensor([[true], [false]]).dtype, 'bool')
  assert.equal(gf.tensor(true).item(), true)
  assert.equal(gf.tensor([true, 2]).dtype, 'float32')
  assert.equal(gf.tensor([]).dtype, 'float32')
  assert.equal(gf.tensor([true], { dtype: 'float32' }).dtype, 'float32')
})

test('numbers that are not int32 give float32', () => {
  const mask = gf.tensor([true, false])
  assert.deepEqual(mask.mul(-1e9).dtype, 'int32')
  assert.deepEqual(mask.mul(-Infinity).toArray().map(String), ['-Infinity', 'NaN'])
  assert.equal(mask.mul(-3.4e38).dtype, 'float32')
  assert.equal(mask.add(2 ** 31).dtype, 'float32')
})

test('rejects invalid arguments', () => {
  const mask = gf.tensor([true, false]), x = gf.tensor([1, 2])
  assertRejects(() => F.sub(1, mask), 'type', 'sub', 'logicalNot')
  assertRejects(() => x.sub(mask), 'type', 'sub', 'bool')
  assertRejects(() => mask.pow(mask), 'type', 'pow', 'int32')
  assertRejects(() => gf.arange(3).pow(-1), 'range', 'pow: an int32 tensor', "x.to('float32').pow(-1)")
  assertRejects(() => x.to('float64').mul(mask), 'type', 'mul', 'float64')
  assertRejects(() => gf.tensor([1], { dtype: 'int32' }).add('1'), 'type', 'add', 'b', '"1"')
})

test('powers and differences of integers are explained to the bit', () => {
  const whole = list => gf.tensor(list, { dtype: 'int32' })
  const a = whole([1, -1, 1, -1, 2, -3, 0, 7]), b = whole([-2, -2, -3, -3, -1, -2, 5, 0])
  const expected = {
    pow: [1, 1, 1, -1, 0, 0, 0, 1], sub: [3, 1, 4, 2, 3, -1, -5, 7], add: [-1, -3, -2, -4, 1, -5, 5, 7]
  }
  for (const [name, values] of Object.entries(expected)) {
    const { output, trace } = gf.trace(() => F[name](a, b))
    assert.deepEqual(output.toArray(), values)
    assert.deepEqual(values.map((_, i) => trace.explain(name, [i]).computed), values, name)
    trace.dispose()
  }
})

test('scalars are computed', () => {
  const seven = gf.tensor(7, { dtype: 'int32' })
  assert.deepEqual([seven.add(1).item(), seven.mul(seven).item(), seven.sub(9).item()], [8, 49, -2])
})

test('a sum that does not fit into int32 is an error and frees its tensors', () => {
  const ints = (values, shape) => gf.tensor(values, { dtype: 'int32', shape }), most = 2 ** 31 - 1
  for (const [values, options, shape] of [
    [[most, 1], {}, [2]], [[-(2 ** 31), -1], {}, [2]], [[most, 1, 1, 2], { dim: 1 }, [2, 2]],
    [[1, most, 2, most], { dim: 0 }, [2, 2]], [[most, 1], { keepdim: true }, [2]],
    [[1, 1, most, most, -5, 3], { dim: [0, 2] }, [2, 1, 3]]
  ]) {
    const x = ints(values, shape), before = gf.memory().tensors
    assertRejects(() => x.sum(options), 'range', 'sum: the sum does not fit into int32')
    assert.equal(gf.memory().tensors, before)
  }
  assert.equal(ints([most - 1, 1], [2]).sum().item(), most)
  assert.equal(ints([most, 1, -1], [3]).sum().item(), most)
  assert.equal(ints([-(2 ** 31) + 1, -1], [2]).sum().item(), -(2 ** 31))
  assert.deepEqual(ints([most, -1, 1, 2], [2, 2]).sum({ dim: 1 }).toArray(), [most - 1, 3])
})

test('rejects numbers outside int32 for int32 tensors', () => {
  for (const make of [() => gf.arange(2147483646, 2147483650), () => gf.full([2], 3e9, { dtype: 'int32' }),
    () => gf.full([1], NaN, { dtype: 'int32' }), () => gf.linspace(0, 3e9, 3, { dtype: 'int32' })]) {
    assertRejects(make, 'range', 'values of an int32 tensor must be from -2147483648 to 2147483647')
  }
  assert.deepEqual(gf.arange(2147483646, 2147483648).toArray(), [2147483646, 2147483647])
})
