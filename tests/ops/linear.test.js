import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertSame, plain } from '../lib/compare.js'
import { sumOfProducts } from '../lib/bounds.js'
import { assertRejects, gf } from '../lib/engine.js'
import { testOp } from '../lib/op_tests.js'
import { linear } from '../../src/reference/index.js'
import { rowsOf } from '../../src/reference/tensor.js'

const F = gf.functional

/** y sums one product per input and the bias; dx one per output; dweight and dbias one per row. */
function terms({
  inputs: {
    x,
    weight: {
      shape: [outputs, width]
    }
  }
}) {
  const { rows } = rowsOf(x)
  return { y: width + 1, x: outputs, weight: rows, bias: rows }
}

testOp('linear', {
  run: ({ x, weight, bias }) => ({ y: F.linear(x, weight, bias) }),
  bounds: sumOfProducts(linear, terms),
  golden: { ops: ['linear'], special_values: ['linear'] }
})

test('linear: rejects invalid arguments', () => {
  const x = gf.tensor([[1, 2, 3]])
  const weight = gf.tensor([
    [1, 2, 3],
    [4, 5, 6]
  ])
  assertRejects(() => F.linear(x, gf.tensor([[1, 2]])), 'shape', 'linear', '[1, 2]', '3')
  assertRejects(() => F.linear(x, weight, gf.tensor([1, 2, 3])), 'shape', 'linear', 'bias', '[2]', '[3]')
  assertRejects(() => F.linear(x, gf.tensor([1, 2, 3])), 'shape', 'linear', 'weight', '[3]')
  assertRejects(() => F.linear([[1, 2, 3]], weight), 'type', 'linear', 'x', 'tensor')
  assertRejects(() => F.linear(x, weight, [1, 2]), 'type', 'linear', 'bias', 'tensor')
  assertRejects(() => F.linear(gf.tensor(Int32Array.of(1, 2, 3)), weight), 'type', 'linear', 'x', 'int32')
})

test('linear: without gradients the weight is packed once, with the same bits, and follows changes', () => {
  const layer = new gf.nn.Linear(13, 21), optimizer = new gf.optim.SGD(layer.parameters(), { lr: 0.5 })
  const same = rows => {
    const x = gf.rand([rows, 13])
    assertSame(gf.noGrad(() => layer.forward(x)), plain(layer.forward(x)))
  }
  for (const rows of [1, 2, 3, 4, 5, 9]) same(rows)
  layer.weight.data[7] = 5
  same(1)
  layer.loadStateDict({ weight: gf.rand([21, 13]), bias: gf.rand([21]) })
  same(3)
  layer.forward(gf.rand([2, 13])).backward(gf.rand([2, 21]))
  optimizer.step()
  same(1)
  layer.resetParameters()
  same(1)
  layer.weight.reshape(-1).data[3] = 9
  same(2)
  F.narrow(layer.weight, 0, 4, 2).data.fill(2)
  same(1)
  const shown = new gf.nn.Parameter(layer.weight)
  shown.grad = gf.rand([21, 13])
  new gf.optim.SGD([shown], { lr: 0.5 }).step()
  same(1)
})

test('linear: a packed weight takes its memory once and can be read', () => {
  for (const [O, K] of [[4, 1], [5, 3], [8, 8], [17, 5], [24, 13]]) {
    const weight = gf.rand([O, K]), layer = new gf.nn.Linear(K, O, { bias: false }), x = gf.rand([2, K])
    const before = gf.tensor(weight.values.slice(), { shape: [O, K] })
    const ids = Array.from({ length: O }, (_, i) => O - 1 - i)
    layer.loadStateDict({ weight })
    const uses = own => gf.tidy(() => gf.noGrad(() => void F.linear(x, own)))
    for (const own of [weight, layer.weight]) {
      const isPanels = () => own.storage.packedColumns === K, { bytes } = gf.memory()
      uses(own)
      assert.ok(isPanels())
      assert.equal(gf.memory().bytes, bytes)
      assert.deepEqual(F.embedding(ids, own).toArray(), before.toArray().reverse())
      assert.equal(own.at(O - 1, 0), before.at(O - 1, 0))
      assert.equal(own.reshape(-1).at(O * K - 1), before.at(O - 1, K - 1))
      assert.ok(isPanels(), 'one cell, or rows by id, do not turn it back')
      assertSame(own.reshape(-1), { shape: [O * K], data: [...before.values] })
      assert.ok(!isPanels())
      uses(own)
      assertSame(gf.noGrad(() => F.linear(own, own)), plain(F.linear(own, own)), 'read both ways at once')
      uses(own)
      assertSame(own, plain(before))
      uses(own)
      assertSame(F.add(own, own), plain(F.add(before, before)))
    }
  }
})

test('linear: a gradient used as weight is read with its current values', () => {
  const w = gf.tensor(Array.from({ length: 8 }, (_, i) => [i]), { requiresGrad: true }), one = gf.tensor([[1]])
  const add = () => F.linear(one, w).backward(gf.tensor([[1, 1, 1, 1, 1, 1, 1, 1]]))
  const seen = () => gf.noGrad(() => F.linear(one, w.grad).toArray()[0])
  const optimizer = new gf.optim.SGD([w])
  add()
  assert.deepEqual(seen(), new Array(8).fill(1))
  add()
  assert.deepEqual(seen(), new Array(8).fill(2))
  gf.optim.clipGradValue([w], 0.5)
  assert.deepEqual(seen(), new Array(8).fill(0.5))
  gf.optim.clipGradNorm([w], 0.25)
  assert.ok(seen()[0] < 0.1)
  optimizer.zeroGrad({ setToNone: false })
  assert.deepEqual(seen(), new Array(8).fill(0))
})

test('an empty sum writes nothing beyond the result', () => {
  const { c } = gf.engine
  for (const [M, N] of [[1, 1], [2, 9], [5, 3], [1, 8], [2, 16]]) {
    const out = gf.full([64], 7)
    c.gf_matmul(out.dataPtr(), 0, 0, 0, 0, M, N, 0, 0)
    assert.deepEqual(out.toArray(), [...Array(M * N).fill(0), ...Array(64 - M * N).fill(7)], `${M} x ${N}`)
    assert.deepEqual(F.linear(gf.zeros([M, 0]), gf.zeros([N, 0])).toArray().flat(), Array(M * N).fill(0))
  }
})
