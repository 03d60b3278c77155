// x.index and x.indexPut_: PyTorch's subscripts, forward, backward and explained.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { gf } from '../lib/engine.js'

const golden = JSON.parse(await readFile(new URL('../golden/subscripts.json', import.meta.url), 'utf8'))

const toSubscript = item => (item?.bool ? gf.tensor(item.bool) : item?.int32 === undefined ? item
  : gf.tensor(item.int32, { dtype: 'int32' }))
const count = ({ shape }, requiresGrad = false) => {
  const size = shape.reduce((a, b) => a * b, 1)
  return gf.tensor(Float32Array.from({ length: size }, (_, i) => i + 1), { shape, requiresGrad })
}

test('random subscripts: the cells that PyTorch selects', () => {
  for (const item of golden.filter(({ refused }) => !refused)) gf.tidy(() => {
    const subscripts = item.subscripts.map(toSubscript), name = JSON.stringify(item.subscripts)
    const x = count(item, true), out = x.index(...subscripts)
    assert.deepEqual(out.shape, item.out, name)
    assert.deepEqual([...out.data], item.data, name)
    if (out.numel()) {
      const cotangent = gf.tensor(Float32Array.from(item.data, (_, i) => i - 2), { shape: item.out })
      out.mul(cotangent).sum().backward()
      assert.deepEqual([...x.grad.data].map(v => v + 0), item.grad.map(v => v + 0), name)
    }
    for (const dtype of ['int32', 'bool']) {
      const other = gf.noGrad(() => count(item).to(dtype)), picked = other.index(...subscripts)
      assert.deepEqual([...picked.data], item.data.map(v => (dtype === 'bool' ? 1 : v)), `${dtype} ${name}`)
    }
  })
})

test('random subscripts: assignments change the cells that PyTorch changes', () => {
  for (const item of golden.filter(({ refused }) => !refused)) gf.tidy(() => {
    const subscripts = item.subscripts.map(toSubscript), name = JSON.stringify(item.subscripts)
    const x = count(item), same = x.indexPut_(subscripts, -7)
    assert.equal(same, x)
    assert.deepEqual([...x.data], item.assigned, name)
    const added = item.added && count(item).indexPut_(subscripts, 100, { accumulate: true })
    if (added) assert.deepEqual([...added.data], item.added, name)
  })
})

test('random subscripts: those that PyTorch refuses are errors', () => {
  // After a mask of several axes PyTorch takes ':' only; here, as in NumPy, anything.
  const isWide = item => Array.isArray(item?.bool?.[0])
  const refused = golden.filter(item => item.refused && !item.subscripts.some(isWide))
  assert.ok(refused.length > 10)
  for (const item of refused) assert.throws(() => count(item).index(...item.subscripts.map(toSubscript)),
    { name: 'GlassformerError', code: /shape|index/ }, JSON.stringify(item.subscripts))
})

test('options of indexPut_ that are none, or no booleans, are refused', () => {
  for (const options of [{ accumulate: 'false' }, { acumulate: true }, 3]) {
    assert.throws(() => gf.ones([2]).indexPut_([0], 1, options), { name: 'GlassformerError', code: 'type' })
  }
})

test('cells and gradients are explained', () => {
  const x = count({ shape: [3, 4] }, true)
  const { trace, output } = gf.trace(() => x.index('1:', [3, 0]))
  assert.deepEqual(output.toArray(), [[8, 5], [12, 9]])
  output.sum().backward()
  const explained = trace.explain('index_select', [1, 0])
  assert.equal(explained.value, 12)
  assert.equal(trace.names.length > 0, true)
  trace.dispose()
})

const x = count({ shape: [3, 4] })
for (const [call, code, message] of [
  [() => x.index(3), 'index', 'index: index 3 is out of bounds for axis 0 of [3, 4]'],
  [() => x.index(':', [0, 4]), 'index', 'index: index 4 is out of bounds for axis 1 of [3, 4]'],
  [() => x.index(0, 0, 0), 'shape', 'index: there are 3 subscripts for 2 axes of a float32 tensor [3, 4]'],
  [() => x.index('...', '...'), 'type', "index: '...' may stand once, got 2"],
  [() => x.index(gf.tensor([true, false])), 'shape',
    'index: a mask must have the sides of the axes that it selects from, [3], got [2]'],
  [() => x.index(gf.ones([2])), 'type',
    "index: a tensor as subscript must be int32 or bool, got a float32 tensor [2]; to('int32') makes indices, x.gt(0) a mask"],
  [() => x.index('1:2:0'), 'type', "index: a subscript must be an integer, ':' or null for all, a range such as '1:5:2', '...', " +
  "'newaxis', a list of integers or booleans, or an int32 or bool tensor; got \"1:2:0\"; the step of a range must be positive"],
  [() => x.index({}), 'type', "index: a subscript must be an integer, ':' or null for all, a range such as '1:5:2', '...', " +
  "'newaxis', a list of integers or booleans, or an int32 or bool tensor; got an object with nothing in it"],
  [() => x.index([0, 1], [0, 1, 2]), 'shape', 'index: shapes [2] and [3] do not broadcast: 2 and 3 on axis 0'],
  [() => x.indexPut_(0, 1), 'type', "indexPut_: indices must be an array of subscripts, such as [mask] or [0, ':2'], got 0"],
  [() => x.indexPut_([0], gf.ones([3])), 'shape', 'indexPut_: shapes [3] and [4] do not broadcast: 3 and 4 on axis 0'],
  [() => x.indexPut_([0], gf.arange(4)), 'type', 'indexPut_: values must be a float32 tensor as x, got an int32 tensor [4]'],
  [() => count({ shape: [2] }, true).indexPut_([0], 1), 'state', 'indexPut_: a leaf that requires grad is used in an in-place ' +
  'operation; write gf.noGrad(() => x.indexPut_(…)) to change it without a gradient, or x = gf.where(mask, values, x)'],
  [() => gf.trace(() => x.indexPut_([0], 1)), 'state',
    'indexPut_: a trace shows each tensor with the values that operations used, so none can be overwritten while one is recorded; ' +
    'write x = gf.where(mask, values, x)']
]) test(`${String(call).slice(6)} is an error`, () => assert.throws(call, { name: 'GlassformerError', code, message }))

test('computed ranges, and assignments of tensors', () => {
  assert.deepEqual(x.index({ start: 1 }, { end: -2 }).toArray(), [[5, 6], [9, 10]])
  assert.deepEqual(x.index(`${1}:`, '::3').toArray(), [[5, 8], [9, 12]])
  assert.deepEqual(gf.zeros(2, 3).indexPut_([':', [2, 0]], gf.tensor([[1], [2]])).toArray(), [[1, 0, 1], [2, 0, 2]])
  assert.deepEqual(gf.zeros([3], { dtype: 'bool' }).indexPut_([1], true).toArray(), [false, true, false])
  const y = count({ shape: [2] }, true), z = y.mul(y)
  gf.noGrad(() => y.indexPut_([0], 9))
  assert.throws(() => z.sum().backward(), { code: 'state', message: /was overwritten after it was used/ })
})
